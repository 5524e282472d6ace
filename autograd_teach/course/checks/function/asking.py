"""Uses a student's Function in the ways that are asked for, and writes down as plain NumPy what it did.

May use the engine (ours or PyTorch: the one that the student's Function comes from). Must not know what is right: all of
this runs in the process of the student's code.
"""

import functools
import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...exercises.declaration import FunctionForm
from ...guard import caught, crash_of
from ...jacobian import Values, is_float
from .records import Asked, Odd, Run, Second


def function_of(subject: Any) -> tuple[type, str | None]:
    """The Function class that `subject` means, or the name of why it is none."""
    if getattr(subject, "__name__", "") == "apply" and isinstance(getattr(subject, "__self__", None), type):
        subject = subject.__self__
    if not isinstance(subject, type):
        if _base_function(type(subject)):
            return object, "instance"
        is_method = getattr(subject, "__qualname__", "").endswith((".forward", ".backward"))
        return object, "forward_called" if is_method else "no_function"
    if _base_function(subject) is None:
        return object, "no_function"
    for method in ("forward", "backward"):
        owner = next(base for base in subject.__mro__ if method in vars(base))
        if owner is _base_function(subject) or _base_function(owner) is None:
            return subject, f"no_{method}"
        if not isinstance(vars(owner)[method], staticmethod):
            return subject, "not_static"
    return subject, None


def _base_function(cls: type) -> type | None:
    for base in cls.__mro__:
        if base.__name__ == "Function" and ".autograd" in base.__module__:
            return base
    return None


@functools.cache
def _engine(function: type) -> Any:
    """The package that the class `Function` comes from, ours or PyTorch, after one backward pass.

    PyTorch imports some modules at the first one: a time limit that strikes then would leave them half imported.
    """
    torch = importlib.import_module(function.__module__.partition(".")[0])
    methods = {
        "forward": staticmethod(lambda ctx, x: x.clone()),
        "backward": staticmethod(lambda ctx, grad_output: grad_output),
    }
    copy: Any = type("Copy", (function,), methods)
    x = torch.tensor([1.0], requires_grad=True)
    torch.autograd.grad(copy.apply(x), x, grad_outputs=torch.tensor([1.0]))
    return torch


class FunctionAsking:
    """A subclass of the student's Function whose methods call theirs and write down what went in and came out."""

    def __init__(self, function: type, form: FunctionForm) -> None:
        base = _base_function(function)
        assert base is not None
        self.form, self.torch = form, _engine(base)
        self.phase = "forward"
        self.run = Run()
        self.function: Any = _recording(self, function)
        methods = {
            "forward": staticmethod(lambda ctx, *xs: tuple(x.clone() for x in xs)),
            "backward": staticmethod(lambda ctx, *gs: (None,) * len(gs)),
        }
        self.ignore: Any = type("Ignore", (base,), methods)

    def reply(self, asked: Asked) -> Run:
        """What came of one request."""
        self.run = run = Run(asked.arguments)
        with caught(run, lambda: self.phase):
            self._use(asked)
        return run

    def _use(self, request: Asked) -> None:
        leaves, inputs = self._tensors(request.arguments, request.needed)
        outputs = self._forward(inputs)
        if request.mode == "forward" or not outputs or not self.run.own_node:
            return
        match request.mode:
            case "interleaved":
                first = self.run
                self.run = Run()
                self._forward(self._tensors(request.other)[1])
                self.run = first
            case "after_change":
                self._change(inputs)
            case "no_gradient":
                outputs = self.ignore.apply(*outputs)
            case "again":
                self._backward(leaves, outputs, request, retain_graph=True)
            case "twice":
                self._differentiate_twice(leaves, outputs, request)
                return
        self._backward(leaves, outputs, request)
        if request.mode == "run":
            self._note_changes(inputs, "backward")
        if request.mode == "after_change":
            self.run.changed = ()

    def _tensors(self, arguments: Sequence[Any], needed: int | None = None) -> tuple[list[Any], list[Any]]:
        """The arguments as leaves, float arrays requiring grad (or only number `needed`), and what the Function gets: of an
        argument that it is to change a copy, for a leaf must not be changed."""
        leaves = [
            self.torch.tensor(a, requires_grad=is_float(a) and needed in (None, number))
            if isinstance(a, np.ndarray)
            else a
            for number, a in enumerate(arguments)
        ]
        return leaves, [x.clone() if number in self.form.in_place else x for number, x in enumerate(leaves)]

    def _forward(self, inputs: list[Any]) -> tuple[Any, ...]:
        """The results, none if one of them is no tensor."""
        self.phase, run = "forward", self.run
        result = self.function.apply(*inputs)
        outputs = result if isinstance(result, tuple) else (result,)
        for output in outputs:
            if not isinstance(output, self.torch.Tensor):
                run.odd_result = Odd(type(output).__name__)
                return ()
        run.values = tuple(as_array(output).copy() for output in outputs)
        run.requires_grad = tuple(output.requires_grad for output in outputs)
        run.own_node = any(differentiable(self.form, run.requires_grad))
        tensors = {number: each for number, each in enumerate(inputs) if isinstance(each, self.torch.Tensor)}
        run.returned_itself = tuple(n for n, each in tensors.items() if any(output is each for output in outputs))
        run.shares_memory = any(
            np.shares_memory(as_array(output), as_array(each)) for output in outputs for each in tensors.values()
        )
        self._note_changes(inputs, "forward")
        return outputs

    def _backward(
        self, leaves: list[Any], outputs: tuple[Any, ...], request: Asked, retain_graph: bool = False
    ) -> None:
        self.phase, run = "backward", self.run
        run.returned, run.got_none = None, False
        chosen = differentiable(self.form, outputs)
        given = _fitted(request.cotangents, [as_array(each) for each in chosen])
        run.cotangent = tuple(v if request.only in (None, n) else 0 * v for n, v in enumerate(given))
        used = [n for n, each in enumerate(chosen) if request.only in (None, n) and each.requires_grad]
        wanted = [each for each in leaves if isinstance(each, self.torch.Tensor) and each.requires_grad]
        try:
            self.torch.autograd.grad(
                tuple(chosen[number] for number in used),
                wanted,
                grad_outputs=tuple(self.torch.tensor(run.cotangent[number]) for number in used),
                allow_unused=True,
                retain_graph=retain_graph,
            )
        except Exception as error:
            crash = crash_of(error, "backward")
            if run.returned is None or crash.line is not None:
                raise
            run.refused = crash
        self._note_changed_results(outputs)

    def _differentiate_twice(self, leaves: list[Any], outputs: tuple[Any, ...], request: Asked) -> None:
        """Differentiate backward itself."""
        chosen = differentiable(self.form, outputs)
        given = _fitted(request.cotangents, [as_array(each) for each in chosen])
        cotangents = [self.torch.tensor(v, requires_grad=True) for v in given]
        wanted = [leaf for leaf, a in zip(leaves, request.arguments, strict=True) if is_float(a)]
        self.phase, grad = "backward", self.torch.autograd.grad
        first = grad(chosen, wanted, cotangents, create_graph=True, allow_unused=True)
        pairs = [(g, w) for g, w in zip(first, request.weights, strict=True) if g is not None and g.requires_grad]
        self.run.second = second = Second(connected=bool(pairs))
        if not pairs:
            return
        self.phase = "backward of backward"
        reached, weights = [g for g, _ in pairs], tuple(self.torch.tensor(w) for _, w in pairs)
        found = grad(reached, [*wanted, *cotangents], weights, allow_unused=True)
        second.got = tuple(None if each is None else as_array(each).copy() for each in found)
        if all(each is None for each in found):
            # `once_differentiable` cuts the way to the inputs: only a pass through all of the graph meets its error.
            self.torch.autograd.backward(reached, weights)

    def _change(self, inputs: list[Any]) -> None:
        """Change the arguments in place: only what was saved from the result is still right."""
        with self.torch.no_grad():
            for tensor, argument in zip(inputs, self.run.arguments, strict=True):
                if is_float(argument):
                    tensor.add_(0.5)

    def _note_changes(self, inputs: list[Any], where: str) -> None:
        run = self.run
        for number, (tensor, before) in enumerate(zip(inputs, run.arguments, strict=False)):
            noted = any(change.startswith(f"{number} ") for change in run.changed)
            if not isinstance(before, np.ndarray) or noted or number in self.form.in_place:
                continue
            if not np.array_equal(as_array(tensor), before, equal_nan=True):
                run.changed += (f"{number} in {where}",)

    def _note_changed_results(self, outputs: tuple[Any, ...]) -> None:
        pairs = zip(outputs, self.run.values or (), strict=False)
        if not all(np.array_equal(as_array(output), before, equal_nan=True) for output, before in pairs):
            self.run.changed += ("result in backward",)


def _recording(asking: FunctionAsking, function: Any) -> type:
    """A subclass of `function` that tells `asking` what backward gets and returns."""

    def forward(*args: Any) -> Any:
        asking.phase = "forward"
        if args and hasattr(args[0], "save_for_backward"):
            _count_saves(asking.run, args[0])
        return function.forward(*args)

    def setup_context(ctx: Any, inputs: Any, output: Any) -> Any:
        _count_saves(asking.run, ctx)
        return function.setup_context(ctx, inputs, output)

    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        asking.phase, run = "backward", asking.run
        before = [None if g is None else as_array(g).copy() for g in grad_outputs]
        run.got_none = any(g is None for g in grad_outputs)
        result = function.backward(ctx, *grad_outputs)
        run.returned = tuple(
            _recorded(asking.torch, each) for each in (result if isinstance(result, tuple) else (result,))
        )
        changed = any(
            old is not None and not np.array_equal(old, as_array(g), equal_nan=True)
            for old, g in zip(before, grad_outputs, strict=True)
        )
        if changed and GRAD_OUTPUT not in run.changed:
            run.changed += (GRAD_OUTPUT,)
        return result

    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    if function.setup_context is not _base_function(function).setup_context:  # type: ignore[union-attr]  # it is a Function
        methods["setup_context"] = staticmethod(setup_context)
    return type(function.__name__, (function,), methods)


def _count_saves(run: Run, ctx: Any) -> None:
    """A second call of save_for_backward replaces what the first has saved."""
    save = ctx.save_for_backward

    def counted(*tensors: Any) -> None:
        run.saves += 1
        save(*tensors)

    ctx.save_for_backward = counted


GRAD_OUTPUT = "grad_output in backward"


def _recorded(torch: Any, entry: Any) -> np.ndarray | Odd | None:
    if entry is None:
        return None
    return as_array(entry).copy() if isinstance(entry, torch.Tensor) else Odd(type(entry).__name__)


def _fitted(cotangents: Values, results: Sequence[np.ndarray]) -> Values:
    """The cotangents in the shapes and dtypes of the results: these may differ from what they were drawn for."""
    drawn = [np.asarray(each) for each in cotangents] or [np.ones(1)]
    drawn += drawn[-1:] * (len(results) - len(drawn))
    return tuple(
        np.asarray(np.resize(given, result.shape), dtype=result.dtype)
        for given, result in zip(drawn, results, strict=False)
    )


def differentiable(form: FunctionForm, results: Sequence[Any]) -> tuple[Any, ...]:
    """Of the results (or what belongs to each) those that have a gradient."""
    return tuple(each for number, each in enumerate(results) if number not in form.constants)


def as_array(tensor: Any) -> np.ndarray:
    """A tensor's numbers, which it goes on sharing."""
    return np.asarray(tensor.detach().numpy())
