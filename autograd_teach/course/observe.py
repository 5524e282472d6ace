"""Runs a student's Function and writes down, as plain NumPy, all that it did; judging is done elsewhere, on these records alone.

May use the engine (ours or PyTorch: the one that the student's Function comes from). Must not know checks, diagnoses or reports.
"""

import contextlib
import functools
import importlib
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .exercises.declaration import Exercise
from .guard import Crash, TimeLimit, crash_of, quiet, time_limit
from .jacobian import Values, as_values, is_float, numerical_jacobian, wrong_values

HEAT_MAP_ENTRIES = 12
"""Largest result and argument whose whole Jacobian is computed; larger inputs are checked by random cotangents alone."""


@dataclass(frozen=True)
class Odd:
    """Something that is no tensor where one was due; `type` is its type's name."""

    type: str


@dataclass
class Run:
    """One call of the Function, forward and backward, on one input with one cotangent."""

    arguments: tuple[Any, ...]
    values: Values | None = None
    odd_result: Odd | None = None
    own_node: bool = True
    shares_memory: bool = False
    cotangent: Values = ()
    returned: tuple[np.ndarray | Odd | None, ...] | None = None
    changed: tuple[str, ...] = ()
    crash: Crash | None = None
    # Raised by the engine, not by the student's code, at what backward returned.
    refused: Crash | None = None


@dataclass
class Case:
    """One input: what is expected, and the runs on it."""

    arguments: tuple[Any, ...]
    expected: Values
    numerical: dict[int, np.ndarray]  # argument's index -> Jacobian of the specification
    run: Run
    # One for each one-hot cotangent: the rows of the analytical Jacobian.
    rows: list[Run] = field(default_factory=list)

    def analytical(self, index: int) -> np.ndarray | None:
        """The Jacobian that backward gave for argument `index`, or None where it gave none of the right shape."""
        shape = np.shape(self.arguments[index])
        rows = []
        for row in self.rows:
            entry = row.returned[index] if row.returned and index < len(row.returned) else None
            if not isinstance(entry, np.ndarray) or entry.shape != shape:
                return None
            rows.append(entry.reshape(-1))
        return np.array(rows) if rows else None


@dataclass
class Evidence:
    """Everything that one check saw."""

    exercise: Exercise
    # Name of what is wrong with the object itself; nothing was run then.
    structure: str | None = None
    cases: list[Case] = field(default_factory=list)
    repeated: Run | None = None
    interleaved: Run | None = None
    single: Run | None = None  # In float32; forward only.
    single_expected: Values = ()
    from_result: Run | None = None
    # The Jacobians of the student's own forward at the first case, where that forward is wrong.
    own_numerical: dict[int, np.ndarray] = field(default_factory=dict)
    timeout: Crash | None = None
    printed: bool = False

    @property
    def runs(self) -> list[Run]:
        """The first run of each input, smallest input first."""
        return [case.run for case in self.cases]


def observe(exercise: Exercise, subject: Any) -> Evidence:
    """Call the Function that `subject` is in every way that the exercise asks about. Never raises through the student's fault."""
    evidence = Evidence(exercise)
    function, evidence.structure = function_of(subject)
    if evidence.structure is not None:
        return evidence
    probe = _Probe(function)
    with quiet() as hidden:
        try:
            with time_limit(exercise.seconds):
                _observe(exercise, probe, evidence)
        except TimeLimit as limit:
            evidence.timeout = crash_of(limit, probe.phase)
    evidence.printed = bool(hidden.getvalue().strip())
    return evidence


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


class _Probe:
    """A subclass of the student's Function whose methods call theirs and write down what went in and came out."""

    def __init__(self, function: type) -> None:
        base = _base_function(function)
        assert base is not None
        self.torch = _engine(base)
        self.phase = "forward"
        self.returned: tuple[np.ndarray | Odd | None, ...] | None = None
        self.grad_output_changed = False
        student: Any = function

        def forward(*args: Any) -> Any:
            self.phase = "forward"
            return student.forward(*args)

        def backward(ctx: Any, *grad_outputs: Any) -> Any:
            self.phase = "backward"
            before = [None if g is None else _array(g).copy() for g in grad_outputs]
            result = student.backward(ctx, *grad_outputs)
            self.returned = tuple(self._recorded(each) for each in (result if isinstance(result, tuple) else (result,)))
            self.grad_output_changed |= any(
                old is not None and not np.array_equal(old, _array(g), equal_nan=True)
                for old, g in zip(before, grad_outputs, strict=True)
            )
            return result

        methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
        self.function: Any = type(function.__name__, (function,), methods)

    def tensors(self, arguments: Sequence[Any]) -> list[Any]:
        """The arguments as the student's Function gets them, float arrays as leaves that require grad."""
        return [self.torch.tensor(a, requires_grad=is_float(a)) if isinstance(a, np.ndarray) else a for a in arguments]

    def run(self, arguments: tuple[Any, ...], cotangent: "_Draw | None") -> Run:
        """One forward, and where a cotangent is given one backward."""
        run = Run(arguments)
        with self._caught(run):
            inputs = self.tensors(arguments)
            outputs = self.forward(run, inputs)
            if cotangent is not None and run.values is not None:
                self.backward(run, inputs, outputs, cotangent)
        return run

    def forward(self, run: Run, inputs: list[Any]) -> tuple[Any, ...]:
        self.phase = "forward"
        result = self.function.apply(*inputs)
        outputs = result if isinstance(result, tuple) else (result,)
        for output in outputs:
            if not isinstance(output, self.torch.Tensor):
                run.odd_result = Odd(type(output).__name__)
                return ()
        run.values = tuple(_array(output).copy() for output in outputs)
        run.own_node = any(output.requires_grad for output in outputs)
        run.shares_memory = any(
            np.shares_memory(_array(output), _array(each))
            for output in outputs
            for each in inputs
            if isinstance(each, self.torch.Tensor)
        )
        self._note_changes(run, inputs, "forward")
        return outputs

    def backward(self, run: Run, inputs: list[Any], outputs: tuple[Any, ...], cotangent: "_Draw") -> None:
        if not run.own_node:
            return
        self.phase, self.returned, self.grad_output_changed = "backward", None, False
        run.cotangent = cotangent(tuple(_array(output) for output in outputs))
        wanted = [each for each, a in zip(inputs, run.arguments, strict=True) if is_float(a)]
        try:
            self.torch.autograd.grad(
                outputs,
                wanted,
                grad_outputs=tuple(self.torch.tensor(v) for v in run.cotangent),
                allow_unused=True,
            )
        except Exception as error:
            crash = crash_of(error, "backward")
            if self.returned is None or crash.line is not None:
                raise
            run.refused = crash
        run.returned = self.returned
        if self.grad_output_changed:
            run.changed += ("grad_output in backward",)
        self._note_changes(run, inputs, "backward")

    def _note_changes(self, run: Run, inputs: list[Any], where: str) -> None:
        for number, (tensor, before) in enumerate(zip(inputs, run.arguments, strict=True)):
            noted = any(change.startswith(f"{number} ") for change in run.changed)
            if not isinstance(before, np.ndarray) or noted:
                continue
            if not np.array_equal(_array(tensor), before, equal_nan=True):
                run.changed += (f"{number} in {where}",)

    @contextlib.contextmanager
    def _caught(self, run: Run) -> Iterator[None]:
        try:
            yield
        except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever a student raises
            run.crash = crash_of(error, self.phase)

    def _recorded(self, entry: Any) -> np.ndarray | Odd | None:
        if entry is None:
            return None
        if isinstance(entry, self.torch.Tensor):
            return _array(entry).copy()
        return Odd(type(entry).__name__)


def _array(tensor: Any) -> np.ndarray:
    return np.asarray(tensor.detach().numpy())


_Draw = Callable[[Values], Values]


def _random(rng: np.random.Generator) -> _Draw:
    """A random cotangent of the result's shape and dtype: never ones, of both signs, never small."""

    def draw(outputs: Values) -> Values:
        return tuple(
            np.asarray(rng.uniform(0.4, 1.9, o.shape) * rng.choice([-1.0, 1.0], o.shape), dtype=o.dtype)
            for o in outputs
        )

    return draw


def _one_hot(position: int) -> _Draw:
    def draw(outputs: Values) -> Values:
        hot, start = [], 0
        for output in outputs:
            v = np.zeros(output.shape, dtype=output.dtype)
            if start <= position < start + v.size:
                v.reshape(-1)[position - start] = 1
            start += v.size
            hot.append(v)
        return tuple(hot)

    return draw


def _observe(exercise: Exercise, probe: _Probe, evidence: Evidence) -> None:
    rng = np.random.default_rng(zlib.crc32(exercise.id.encode()))
    specification = exercise.grading.forward
    for arguments in exercise.grading.inputs(rng):
        expected = as_values(specification(*_copies(arguments)))
        numerical = {
            index: numerical_jacobian(specification, arguments, index)
            for index, argument in enumerate(arguments)
            if is_float(argument)
        }
        evidence.cases.append(Case(arguments, expected, numerical, probe.run(arguments, _random(rng))))
    for case in evidence.cases:
        if case.run.returned is not None and _small(case):
            entries = sum(value.size for value in case.run.values or ())
            case.rows = [probe.run(case.arguments, _one_hot(i)) for i in range(entries)]
    first = evidence.cases[0]
    if first.run.returned is None:
        return
    _observe_calls(probe, evidence, rng)
    if "from_result" in exercise.grading.properties:
        evidence.from_result = _change_after_forward(probe, first.arguments, _random(rng))
    if _forward_differs(first):
        evidence.own_numerical = {
            index: numerical_jacobian(_forward_of(probe), first.arguments, index) for index in first.numerical
        }


def _observe_calls(probe: _Probe, evidence: Evidence, rng: np.random.Generator) -> None:
    first, second = evidence.cases[0], evidence.cases[1 % len(evidence.cases)]
    evidence.repeated = probe.run(first.arguments, lambda _: first.run.cotangent)
    evidence.interleaved = _interleave(probe, first.arguments, second.arguments, lambda _: first.run.cotangent)
    single = tuple(a.astype(np.float32) if is_float(a) else a for a in first.arguments)
    evidence.single = probe.run(single, None)
    evidence.single_expected = as_values(evidence.exercise.grading.forward(*_copies(single)))


def _interleave(probe: _Probe, first: tuple[Any, ...], second: tuple[Any, ...], cotangent: _Draw) -> Run:
    """Backward of a first call after a second call's forward: what is kept outside ctx has been overwritten by then."""
    run = Run(first)
    with probe._caught(run):
        inputs = probe.tensors(first)
        outputs = probe.forward(run, inputs)
        probe.forward(Run(second), probe.tensors(second))
        probe.backward(run, inputs, outputs, cotangent)
    return run


def _change_after_forward(probe: _Probe, arguments: tuple[Any, ...], cotangent: _Draw) -> Run:
    """Backward after the arguments were changed in place: only what was saved from the result is still right."""
    run = Run(arguments)
    with probe._caught(run):
        inputs = probe.tensors(arguments)
        outputs = probe.forward(run, inputs)
        with probe.torch.no_grad():
            for tensor, argument in zip(inputs, arguments, strict=True):
                if is_float(argument):
                    tensor.add_(0.5)
        probe.backward(run, inputs, outputs, cotangent)
    run.changed = ()
    return run


def _forward_of(probe: _Probe) -> Callable[..., Values]:
    def forward(*arguments: Any) -> Values:
        run = probe.run(arguments, None)
        return run.values if run.values is not None else (np.array(np.nan),)

    return forward


def _forward_differs(case: Case) -> bool:
    values = case.run.values or ()
    return len(values) != len(case.expected) or any(
        got.shape != want.shape or bool(wrong_values(got, want).any())
        for got, want in zip(values, case.expected, strict=False)
    )


def _small(case: Case) -> bool:
    sizes = [sum(v.size for v in case.run.values or ()), *(np.size(a) for a in case.arguments)]
    return max(sizes) <= HEAT_MAP_ENTRIES


def _copies(arguments: Sequence[Any]) -> list[Any]:
    return [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
