"""Optimizer: groups of tensors to change, their options, and the state that an optimizer keeps for each tensor.

Uses Tensor only. An update rule is a subclass that defines `_update` for one parameter (sgd.py,
adam.py).
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from itertools import chain
from typing import Any

import numpy as np

from ..autograd.modes import enable_grad, no_grad
from ..creation import tensor, zeros_like
from ..errors import error, require
from ..fused import fused as fused_arrays
from ..nn.module import clear_grad
from ..nn.parameter import typename
from ..tensor import Tensor, wrap

# Options that must not be negative, with their names in messages.
_NOT_NEGATIVE = {
    "lr": "learning rate", "eps": "epsilon value", "weight_decay": "weight_decay value", "momentum": "momentum value",
    "alpha": "alpha value", "lr_decay": "lr_decay value", "initial_accumulator_value": "initial_accumulator_value value",
}  # fmt: skip
_ONLY_IN_PYTORCH = ("capturable", "differentiable", "fused")


class Optimizer:
    """Base class of all optimizers: groups of tensors, their options, and the state kept for each tensor.

    params: iterable of tensors, of (name, tensor) pairs, or of dicts; each dict has "params" (a
    tensor, or an iterable of tensors or pairs) and options of its own, and becomes one entry of
    `param_groups`. defaults: options of groups that do not set them. Options are read at each step:
    change `param_groups[0]["lr"]` to change the learning rate. `state` maps each tensor to what the
    optimizer keeps for it. A subclass overrides `step`, or only `_update`, the rule for one tensor.

    TypeError if `params` is a tensor or contains anything but tensors, or if the "params" of a
    group are a set; ValueError if there are none, for a tensor that is neither a leaf nor retains
    its gradient, for one that is in two groups, and if only some have names. A tensor that is twice
    in one group gives a warning.

    >>> import autograd_teach as torch
    >>> x, y = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    >>> optimizer = torch.optim.SGD([{"params": [x], "lr": 0.1}, {"params": [y]}], lr=0.5)
    >>> (x + y).sum().backward()
    >>> optimizer.step()
    >>> x.detach(), y.detach()
    (tensor([0.9000]), tensor([0.5000]))
    """

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        require(not isinstance(params, Tensor), "optim_params", typename(params))
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        require(groups, "optim_empty")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update, in place and without recording, every tensor that has a gradient; the others are skipped.

        closure: optional function that is called first, with gradients enabled: it clears the gradients,
        computes the loss, calls `backward` and returns the loss. Returns what it returned, or None.
        NotImplementedError for a class without a rule.

        >>> import autograd_teach as torch
        >>> x = torch.tensor([1.0], requires_grad=True)
        >>> optimizer = torch.optim.SGD([x], lr=0.1)
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = (x**2).sum()
        ...     loss.backward()
        ...     return loss
        >>> optimizer.step(closure).item(), x.detach()
        (1.0, tensor([0.8000]))
        """
        if type(self)._update is Optimizer._update:
            raise NotImplementedError
        with no_grad():
            with enable_grad():
                loss = None if closure is None else closure()
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        self._update(param, param.grad, group)
        return loss

    def _update(self, param: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        """Update one parameter, under `no_grad`; defined by a subclass."""
        raise NotImplementedError

    def _next_state(self, param: Tensor, *buffers: str) -> dict[str, Any]:
        """The state of a parameter, with its step counted; at first these buffers are zeros."""
        state = self.state[param]
        if not state:
            state.update({"step": tensor(0.0), **{name: zeros_like(param) for name in buffers}})
        state["step"] += 1
        return state

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Reset the gradients of all tensors.

        Without this, `backward` adds to the gradients that are there. set_to_none: set `.grad` to None, so that
        `step` skips a tensor until it gets a gradient. If False, existing gradients are filled with zeros in
        place, and detached from any graph.

        >>> import autograd_teach as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> x.sum().backward()
        >>> torch.optim.SGD([x], lr=0.1).zero_grad(set_to_none=False)
        >>> x.grad
        tensor([0., 0.])
        """
        for param in self._params():
            clear_grad(param, set_to_none)

    def _params(self) -> Iterator[Tensor]:
        return chain.from_iterable(group["params"] for group in self.param_groups)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of tensors with options of its own; for instance, layers to be trained from now on.

        param_group: dict with "params" (a tensor, or an iterable of tensors or of (name, tensor) pairs) and any
        options; those that are missing are filled in from `defaults`. The dict itself becomes the last entry of
        `param_groups`. TypeError if it is not a dict; KeyError without "params"; otherwise the errors of the
        class.

        >>> import autograd_teach as torch
        >>> x, y = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
        >>> optimizer = torch.optim.SGD([x], lr=0.5)
        >>> optimizer.add_param_group({"params": y, "lr": 0.1})
        >>> [group["lr"] for group in optimizer.param_groups]
        [0.5, 0.1]
        """
        require(isinstance(param_group, dict), "optim_group_is_no_dict", type(param_group))
        params = param_group["params"]
        require(not isinstance(params, set), "optim_set")
        params = [params] if isinstance(params, Tensor) else list(params)
        names = [param[0] for param in params if isinstance(param, tuple)]
        params = [param[1] if isinstance(param, tuple) else param for param in params]
        param_group["params"] = params
        if names:
            require(len(names) == len(params), "optim_names_missing")
            param_group["param_names"] = names
        for param in params:
            require(isinstance(param, Tensor), "optim_no_tensor", typename(param))
            require(param.is_leaf or param.retains_grad, "optim_no_leaf")
        for name, default in self.defaults.items():
            param_group.setdefault(name, default)
        different = set(params)
        if len(different) != len(params):
            warnings.warn(str(error("optim_duplicates")), stacklevel=3)
        for group in self.param_groups:
            alike = bool(names) == ("param_names" in group)
            require(alike, "optim_names_of_some", "with names" if names else "without names")
            require(different.isdisjoint(group["params"]), "optim_in_two_groups")
        self.param_groups.append(param_group)

    def state_dict(self) -> dict[str, Any]:
        """The optimizer's state and options as a dict to save, with numbers in place of the tensors to optimize.

        Returns {"state": {number: state of this tensor}, "param_groups": [options, with "params" a list of
        numbers]}; the numbers count the tensors through all groups. The tensors of the state are not copied:
        the next step changes them.

        >>> import autograd_teach as torch
        >>> x = torch.zeros(1, requires_grad=True)
        >>> optimizer = torch.optim.SGD([x], lr=0.1, momentum=0.9)
        >>> (2 * x).sum().backward()
        >>> optimizer.step()
        >>> optimizer.state_dict()["state"]
        {0: {'momentum_buffer': tensor([2.])}}
        """
        numbers = {id(param): i for i, param in enumerate(self._params())}  # the later one for a duplicate
        groups = [{name: value for name, value in group.items() if name != "params"} for group in self.param_groups]
        for packed, group in zip(groups, self.param_groups, strict=True):
            packed["params"] = [numbers[id(param)] for param in group["params"]]
        state = {numbers[id(key)] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Replace the optimizer's state and options by those of a `state_dict`.

        state_dict: from an optimizer with as many groups of the same sizes; its numbers are matched with this
        optimizer's tensors in order. State tensors are converted to the dtype of the floating tensor that they
        belong to ("step" is not); those that need no conversion are shared, not copied. ValueError if the
        number of groups or a group's size differs.

        >>> import autograd_teach as torch
        >>> x = torch.zeros(1, requires_grad=True)
        >>> optimizer = torch.optim.SGD([x], lr=0.1)
        >>> optimizer.load_state_dict(torch.optim.SGD([x], lr=0.7).state_dict())
        >>> optimizer.param_groups[0]["lr"]
        0.7
        """
        saved_groups = deepcopy(state_dict["param_groups"])
        require(len(self.param_groups) == len(saved_groups), "optim_how_many_groups")
        pairs = list(zip(self.param_groups, saved_groups, strict=True))
        sizes_match = all(len(group["params"]) == len(saved["params"]) for group, saved in pairs)
        require(sizes_match, "optim_size_of_group")
        numbers = chain.from_iterable(saved["params"] for saved in saved_groups)
        param_of = dict(zip(numbers, self._params(), strict=True))
        self.state = defaultdict(dict)
        for key, value in state_dict["state"].items():
            param = param_of.get(key)
            self.state[key if param is None else param] = _as_state_of(param, value)
        for group, saved in pairs:
            saved["params"] = group["params"]
            if "param_names" in group:
                saved.setdefault("param_names", group["param_names"])
        self.param_groups = saved_groups

    def __repr__(self) -> str:
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            text += "".join(f"    {name}: {group[name]}\n" for name in sorted(set(group) - {"params"}))
        return text + ")"


def fused(a: Tensor, factor: Tensor | float, c: Tensor) -> Tensor:
    """`a * factor + c`, elementwise and rounded once, as PyTorch's kernels compute it."""
    x, y = a._array, factor._array if isinstance(factor, Tensor) else factor
    return wrap(np.asarray(fused_arrays(x, np.asarray(y, np.promote_types(x.dtype, "f4")), c._array)))


def descent(param: Tensor, gradient: Tensor, group: dict[str, Any], decay: Any = None) -> Tensor:
    """The gradient to step against: negated if the group maximizes, plus the decay times the parameter.

    decay: replaces the group's weight decay.
    """
    decay = number(group["weight_decay"] if decay is None else decay)
    gradient = -gradient if group["maximize"] else gradient
    return gradient if decay == 0 else fused(param, decay, gradient)


def number(value: Any) -> Any:
    """The value of an option as a plain number, also if it was given as a tensor with one element."""
    return value.item() if isinstance(value, Tensor) else value


def checked(arguments: dict[str, Any], allow_nan: bool = False) -> dict[str, Any]:
    """The options of an optimizer, taken from the `locals()` of its constructor.

    ValueError for one that must not be negative and is, NotImplementedError for one that only PyTorch supports.
    """
    options = {name: value for name, value in arguments.items() if name not in ("self", "params", "__class__")}
    for name, value in options.items():
        if name in _NOT_NEGATIVE:
            require(not isinstance(value, Tensor) or value.numel() == 1, "optim_one_element", name)
            fits = not value < 0.0 if allow_nan else 0.0 <= value
            require(fits, "optim_negative", _NOT_NEGATIVE[name], value)
        require(not (name in _ONLY_IN_PYTORCH and value), "optim_unsupported", name, value)
    return options


def _as_state_of(param: Tensor | None, value: Any, key: Any = None) -> Any:
    """A saved value with its tensors converted to the dtype of `param`; "step" keeps its own."""
    if isinstance(value, dict):
        return {name: _as_state_of(param, entry, name) for name, entry in value.items()}
    if isinstance(value, Tensor) and param is not None and key != "step":
        return value.to(param.dtype) if param.is_floating_point() else value
    return value
