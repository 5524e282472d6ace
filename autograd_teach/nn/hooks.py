"""Backward hooks of modules: two nodes, before and after a module's forward, that receive its gradients.

Uses Function and the nodes of the graph; a module is only passed on to its hooks.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..autograd.function import Function
from ..autograd.modes import is_grad_enabled
from ..creation import zeros
from ..errors import error, require
from ..tensor import Tensor

Hook = Callable[..., Any]
Gradients = tuple[Tensor | None, ...]


class BackwardHookFunction(Function):
    """Returns tensors and gradients unchanged: a node on which hooks can be registered."""

    @staticmethod
    def forward(ctx: Any, *args: Tensor) -> tuple[Tensor, ...]:
        ctx.mark_non_differentiable(*(arg for arg in args if not arg.requires_grad))
        return args

    @staticmethod
    def backward(ctx: Any, *args: Any) -> tuple[Any, ...]:
        return args


class BackwardHooks:
    """The hooks of one call of a module: the gradients of its outputs are kept until those of its inputs arrive."""

    def __init__(self, module: Any, pre_hooks: Iterable[Hook], hooks: Iterable[Hook]) -> None:
        self._module = module
        self._pre_hooks, self._hooks = tuple(pre_hooks), tuple(hooks)
        self._grad_outputs: Any = None

    def of_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The module's arguments, passed through a node that calls the hooks with their gradients."""
        self._inputs = len(args)
        # The hooks see zeros as the gradient of an input that does not require grad.
        self._input_kinds = [(arg.shape, arg.dtype) for arg in args if isinstance(arg, Tensor)]
        args, self._input_places, node = _behind_a_node(args)
        if node is not None:
            node.register_hook(self._after)
        return args

    def of_outputs(self, result: Any) -> Any:
        """The module's result, passed through a node that keeps its gradients."""
        if not isinstance(result, Tensor | tuple):
            warnings.warn(str(error("hook_output", type(result))), stacklevel=4)
        results = result if isinstance(result, tuple) else (result,)
        self._outputs = len(results)
        results, self._output_places, node = _behind_a_node(results)
        if node is not None:
            node.register_hook(self._before)
        return results if isinstance(result, tuple) else results[0]

    def _before(self, _: Gradients, gradients: Gradients) -> Gradients:
        grad_outputs: Any = _placed(self._output_places, gradients, self._outputs)
        for hook in self._pre_hooks:
            grad_outputs = _or_changed(grad_outputs, hook(self._module, grad_outputs), "hook_grad_outputs")
        if self._input_places is None:
            self._call_without_inputs(grad_outputs)
        else:
            self._grad_outputs = grad_outputs
        return tuple(grad_outputs[i] for i in self._output_places)

    def _call_without_inputs(self, grad_outputs: Any) -> None:
        warnings.warn(str(error("hook_without_inputs")), stacklevel=5)
        for hook in self._hooks:
            changed = hook(self._module, (None,) * self._inputs, grad_outputs)
            of_nones = isinstance(changed, tuple) and all(entry is None for entry in changed)
            require(changed is None or of_nones, "hook_without_inputs_returns")

    def _after(self, gradients: Gradients, _: Gradients) -> Gradients | None:
        if self._grad_outputs is None:
            return None  # the gradient came another way than through the module's outputs
        complete = [
            zeros(shape, dtype=dtype) if gradient is None else gradient
            for gradient, (shape, dtype) in zip(gradients, self._input_kinds, strict=True)
        ]
        grad_inputs: Any = _placed(self._input_places, complete, self._inputs)
        for hook in self._hooks:
            changed = hook(self._module, grad_inputs, self._grad_outputs)
            grad_inputs = _or_changed(grad_inputs, changed, "hook_grad_inputs")
        self._grad_outputs = None
        return tuple(None if g is None else grad_inputs[i] for i, g in zip(self._input_places, gradients, strict=True))


def _or_changed(gradients: Any, changed: Any, message: str) -> Any:
    """The gradients, or those that a hook returned instead; an error for a different number."""
    if changed is None:
        return gradients
    require(len(changed) == len(gradients), message, len(changed), len(gradients))
    return changed


def _behind_a_node(values: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any, Any]:
    """The values with their tensors passed through a new node, their places, and the node (None without a graph)."""
    places = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
    if not (is_grad_enabled() and any(values[i].requires_grad for i in places)):
        return values, None, None
    passed = BackwardHookFunction.apply(*(values[i] for i in places))
    changed = list(values)
    for place, tensor in zip(places, passed, strict=True):
        changed[place] = tensor
    # A named tuple stays a named tuple.
    whole = tuple(changed) if type(values) is tuple else type(values)(*changed)
    return whole, places, next(t.grad_fn for t in passed if t.grad_fn is not None)


def _placed(places: Sequence[int], values: Sequence[Any], count: int) -> tuple[Any, ...]:
    """`count` entries: the values at their places, and None at the others."""
    found = dict(zip(places, values, strict=True))
    return tuple(found.get(i) for i in range(count))
