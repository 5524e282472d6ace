"""Uses a student's Function as requested, and records what it does as plain NumPy data.

May use the engine, ours or PyTorch, whichever the student's Function comes from. Must not know the right results, because
it runs in the process of the student's code.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...exercises.declaration import Exercise, FunctionForm
from ...guard import caught, crash_of
from ...jacobian import is_float
from ..exact import Engine, engine_of_function, is_same, is_shared
from .records import Asked, Odd, Run, Second, cotangent_of, differentiable


def function_of(subject: Any) -> tuple[type, str | None]:
    """The Function class that `subject` means, and None; or the name of what is wrong with it as the second value."""
    if getattr(subject, "__name__", "") == "apply" and isinstance(getattr(subject, "__self__", None), type):
        subject = subject.__self__
    engine = engine_of_function(subject) if issubclass(type(subject), type) else None
    if engine is None:
        return object, "no_function"
    not_static = []
    for method in ("forward", "backward"):
        owner = next(base for base in subject.__mro__ if method in vars(base))
        if owner is engine.function or engine_of_function(owner) is None:
            return subject, f"no_{method}"
        if not isinstance(vars(owner)[method], staticmethod):
            not_static.append(method)
    return subject, f"not_static {' and '.join(not_static)}" if not_static else None


class FunctionAsking:
    """Runs a subclass of the student's Function whose methods call theirs and record arguments and results."""

    def __init__(self, function: type, exercise: Exercise) -> None:
        engine, form = engine_of_function(function), exercise.form
        assert engine is not None and isinstance(form, FunctionForm)
        self.form, self.engine, self.torch = form, engine, engine.torch
        self.phase = "forward"
        self.run = Run()
        self.function: Any = _recording(self, function)
        methods = {
            "forward": staticmethod(lambda ctx, *xs: tuple(x.clone() for x in xs)),
            "backward": staticmethod(lambda ctx, *gs: (None,) * len(gs)),
        }
        self.ignore: Any = type("Ignore", (engine.function,), methods)

    def reply(self, asked: Asked) -> Run:
        """Use the Function as `asked` and return the record of it."""
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
                first, self.run = self.run, Run()
                for other in request.others:
                    self._forward(self._tensors(other)[1])
                self.run = first
                first.values = tuple(self.engine.array(output).copy() for output in outputs)
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
        """The arguments as leaves, and the inputs of the Function.

        Float arrays require grad, or only number `needed`. An argument that the Function changes is passed as a copy,
        because a leaf must not be changed.
        """
        leaves = [
            self.torch.tensor(a, requires_grad=is_float(a) and needed in (None, number))
            if isinstance(a, np.ndarray)
            else a
            for number, a in enumerate(arguments)
        ]
        return leaves, [x.clone() if number in self.form.in_place else x for number, x in enumerate(leaves)]

    def _forward(self, inputs: list[Any]) -> tuple[Any, ...]:
        """The results of forward; empty if one of them is not a tensor, or if the only one is in a tuple."""
        self.phase, run = "forward", self.run
        result = self.function.apply(*inputs)
        outputs = _entries(result)
        if self.form.results == 1 == len(outputs) and outputs[0] is not result:  # `return y,`
            run.odd_result = Odd("tuple")
            return ()
        for output in outputs:
            if not self.engine.is_tensor(output):
                run.odd_result = Odd(type(output).__name__, len(outputs))
                return ()
        array = self.engine.array
        run.values = tuple(array(output).copy() for output in outputs)
        run.requires_grad = tuple(self.engine.flag(output, "requires_grad") for output in outputs)
        run.own_node = any(differentiable(self.form, run.requires_grad))
        tensors = {number: each for number, each in enumerate(inputs) if isinstance(each, self.torch.Tensor)}
        run.returned_itself = tuple(n for n, each in tensors.items() if any(output is each for output in outputs))
        run.shares_memory = any(
            is_shared(array(output), array(each)) for output in outputs for each in tensors.values()
        )
        self._note_changes(inputs, "forward")
        return outputs

    def _backward(
        self, leaves: list[Any], outputs: tuple[Any, ...], request: Asked, retain_graph: bool = False
    ) -> None:
        self.phase, run = "backward", self.run
        run.returned, run.got_none = None, False
        chosen = differentiable(self.form, outputs)
        run.cotangent = cotangent_of(self.form, request, run.values or ())
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
        self._note_changes([], "backward", outputs)

    def _differentiate_twice(self, leaves: list[Any], outputs: tuple[Any, ...], request: Asked) -> None:
        """Differentiate backward itself."""
        chosen = differentiable(self.form, outputs)
        given = cotangent_of(self.form, request, self.run.values or ())
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
        second.got = tuple(None if each is None else self.engine.array(each).copy() for each in found)
        if all(each is None for each in found):
            # `once_differentiable` cuts the path to the inputs: only a pass through the whole graph raises its error.
            self.torch.autograd.backward(reached, weights)

    def _change(self, inputs: list[Any]) -> None:
        """Change the arguments in place: then only values saved from the result are still right."""
        with self.torch.no_grad():
            for tensor, argument in zip(inputs, self.run.arguments, strict=True):
                if is_float(argument):
                    tensor.add_(0.5)

    def _note_changes(self, inputs: list[Any], where: str, outputs: tuple[Any, ...] = ()) -> None:
        """Note which arguments, and results of forward, do not hold the numbers any more that they held."""
        run = self.run
        watched = [(str(number), *each) for number, each in enumerate(zip(inputs, run.arguments, strict=False))]
        watched = [
            each for each in watched if isinstance(each[2], np.ndarray) and int(each[0]) not in self.form.in_place
        ]
        watched += [("result", *each) for each in zip(outputs, run.values or (), strict=False)]
        for name, tensor, before in watched:
            noted = any(change.startswith(f"{name} ") for change in run.changed)
            if not noted and not is_same(self.engine.array(tensor), before):
                run.changed += (f"{name} in {where}",)


def _recording(asking: FunctionAsking, function: Any) -> type:
    """A subclass of `function` that reports to `asking` what backward gets and returns."""
    engine = asking.engine

    def forward(*args: Any) -> Any:
        asking.phase = "forward"
        return function.forward(*args)

    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        asking.phase, run = "backward", asking.run
        before = [None if g is None else engine.array(g).copy() for g in grad_outputs]
        run.got_none = any(g is None for g in grad_outputs)
        result = function.backward(ctx, *grad_outputs)
        run.returned = tuple(_recorded(engine, each) for each in _entries(result))
        changed = any(
            old is not None and not is_same(old, engine.array(g)) for old, g in zip(before, grad_outputs, strict=True)
        )
        if changed and GRAD_OUTPUT not in run.changed:
            run.changed += (GRAD_OUTPUT,)
        return result

    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type(function.__name__, (function,), methods)


GRAD_OUTPUT = "grad_output in backward"


def _entries(result: Any) -> tuple[Any, ...]:
    """One value or a tuple of values, as a tuple."""
    return tuple(tuple.__iter__(result)) if issubclass(type(result), tuple) else (result,)


def _recorded(engine: Engine, entry: Any) -> np.ndarray | Odd | None:
    if entry is None:
        return None
    return engine.array(entry).copy() if engine.is_tensor(entry) else Odd(type(entry).__name__)
