"""Runs a student's Function and writes down, as plain NumPy, all that it did; judging is done elsewhere, on these records alone.

May use the engine (ours or PyTorch: the one that the student's Function comes from). Must not know checks, diagnoses or reports.
"""

import contextlib
import functools
import importlib
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .exercises.declaration import Exercise, Gradcheck
from .guard import Crash, caught, crash_of, guarded
from .jacobian import Values, as_values, flat, is_float, numerical_jacobian, wrong_values

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
    requires_grad: tuple[bool, ...] = ()  # one for each result
    returned_itself: tuple[int, ...] = ()  # arguments that came back as a result, the very object
    shares_memory: bool = False
    cotangent: Values = ()
    returned: tuple[np.ndarray | Odd | None, ...] | None = None
    got_none: bool = False  # whether backward was called with a grad_output of None
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
class Second:
    """The gradient of the gradient at one input: of backward's results by the arguments and by grad_output."""

    arguments: tuple[Any, ...]
    connected: bool = False  # whether what backward returned has a graph of its own
    # Argument's index, or -1 for grad_output -> got (None: no way leads there) and measured.
    got: dict[int, np.ndarray | None] = field(default_factory=dict)
    measured: dict[int, np.ndarray] = field(default_factory=dict)
    crash: Crash | None = None


@dataclass
class Observed:
    """What is seen of any answer; the calls themselves are written down by those who make them."""

    exercise: Exercise
    # Name of what is wrong with the object itself; nothing was run then.
    structure: str | None = None
    timeout: Crash | None = None
    printed: bool = False


@dataclass
class Evidence(Observed):
    """Everything that one check of a custom Function saw."""

    cases: list[Case] = field(default_factory=list)
    repeated: Run | None = None
    interleaved: Run | None = None
    single: Run | None = None  # In float32; forward only.
    single_expected: Values = ()
    from_result: Run | None = None
    partial: list[Run] = field(default_factory=list)  # one for each result that alone is used
    needed: dict[int, Run] = field(default_factory=dict)  # only this argument requires grad
    no_gradient: Run | None = None  # what uses the results gives None back
    second: list[Second] = field(default_factory=list)
    # The Jacobians of the student's own forward at the first case, where that forward is wrong.
    own_numerical: dict[int, np.ndarray] = field(default_factory=dict)

    @property
    def runs(self) -> list[Run]:
        """The first run of each input, smallest input first."""
        return [case.run for case in self.cases]

    @property
    def every_run(self) -> list[Run]:
        """Those, then the rows of the Jacobians and the calls made again; not those that ask for some gradients only."""
        rows = [row for case in self.cases for row in case.rows]
        again = (self.repeated, self.interleaved, self.single)
        return [*self.runs, *rows, *(run for run in again if run is not None)]

    @property
    def grading(self) -> Gradcheck:
        """The declaration, of the type that it has here."""
        return gradcheck_of(self.exercise)


def gradcheck_of(exercise: Exercise) -> Gradcheck:
    """How the exercise is graded, where that is as a custom Function."""
    assert isinstance(exercise.grading, Gradcheck)
    return exercise.grading


def observe(exercise: Exercise, subject: Any) -> Evidence:
    """Call the Function that `subject` is in every way that the exercise asks about. Never raises through the student's fault."""
    evidence = Evidence(exercise)
    function, evidence.structure = function_of(subject)
    if evidence.structure is not None:
        return evidence
    probe = _Probe(function, gradcheck_of(exercise))
    with guarded(evidence, exercise.seconds, lambda: probe.phase):
        _observe(exercise, probe, evidence)
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

    def __init__(self, function: type, grading: Gradcheck) -> None:
        base = _base_function(function)
        self.grading = grading
        assert base is not None
        self.torch = _engine(base)
        self.phase = "forward"
        self.returned: tuple[np.ndarray | Odd | None, ...] | None = None
        self.got_none = False
        self.grad_output_changed = False
        student: Any = function

        def forward(*args: Any) -> Any:
            self.phase = "forward"
            return student.forward(*args)

        def backward(ctx: Any, *grad_outputs: Any) -> Any:
            self.phase = "backward"
            before = [None if g is None else as_array(g).copy() for g in grad_outputs]
            self.got_none = any(g is None for g in grad_outputs)
            result = student.backward(ctx, *grad_outputs)
            self.returned = tuple(self._recorded(each) for each in (result if isinstance(result, tuple) else (result,)))
            self.grad_output_changed |= any(
                old is not None and not np.array_equal(old, as_array(g), equal_nan=True)
                for old, g in zip(before, grad_outputs, strict=True)
            )
            return result

        methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
        self.function: Any = type(function.__name__, (function,), methods)
        methods = {
            "forward": staticmethod(lambda ctx, *xs: tuple(x.clone() for x in xs)),
            "backward": staticmethod(lambda ctx, *gs: (None,) * len(gs)),
        }
        self.ignore: Any = type("Ignore", (base,), methods)

    def tensors(self, arguments: Sequence[Any], needed: int | None = None) -> tuple[list[Any], list[Any]]:
        """The arguments as leaves, float arrays requiring grad (or only number `needed`), and what the Function gets: of an
        argument that it is to change a copy, for a leaf must not be changed."""
        leaves = [
            self.torch.tensor(a, requires_grad=is_float(a) and needed in (None, number))
            if isinstance(a, np.ndarray)
            else a
            for number, a in enumerate(arguments)
        ]
        return leaves, [x.clone() if number in self.grading.in_place else x for number, x in enumerate(leaves)]

    def without_gradient(self, arguments: tuple[Any, ...], cotangent: "_Draw") -> Run:
        """One forward and backward where what uses the results gives no gradient back."""
        run = Run(arguments)
        with self._caught(run):
            leaves, inputs = self.tensors(arguments)
            outputs = self.forward(run, inputs)
            if outputs and run.own_node:
                self.backward(run, leaves, self.ignore.apply(*outputs), cotangent)
        return run

    def run(
        self, arguments: tuple[Any, ...], cotangent: "_Draw | None", needed: int | None = None, only: int | None = None
    ) -> Run:
        """One forward, and where a cotangent is given one backward: of all arguments or the one that is `needed`, through all
        results or `only` one."""
        run = Run(arguments)
        with self._caught(run):
            leaves, inputs = self.tensors(arguments, needed)
            outputs = self.forward(run, inputs)
            if cotangent is not None and run.values is not None:
                self.backward(run, leaves, outputs, cotangent, only)
                self._note_changes(run, inputs, "backward")
        return run

    def forward(self, run: Run, inputs: list[Any]) -> tuple[Any, ...]:
        self.phase = "forward"
        result = self.function.apply(*inputs)
        outputs = result if isinstance(result, tuple) else (result,)
        for output in outputs:
            if not isinstance(output, self.torch.Tensor):
                run.odd_result = Odd(type(output).__name__)
                return ()
        run.values = tuple(as_array(output).copy() for output in outputs)
        run.requires_grad = tuple(output.requires_grad for output in outputs)
        run.own_node = any(differentiable(self.grading, run.requires_grad))
        tensors = {number: each for number, each in enumerate(inputs) if isinstance(each, self.torch.Tensor)}
        run.returned_itself = tuple(n for n, each in tensors.items() if any(output is each for output in outputs))
        run.shares_memory = any(
            np.shares_memory(as_array(output), as_array(each)) for output in outputs for each in tensors.values()
        )
        self._note_changes(run, inputs, "forward")
        return outputs

    def backward(
        self, run: Run, leaves: list[Any], outputs: tuple[Any, ...], cotangent: "_Draw", only: int | None = None
    ) -> None:
        if not run.own_node:
            return
        self.phase, self.returned, self.grad_output_changed, self.got_none = "backward", None, False, False
        chosen = differentiable(self.grading, outputs)
        run.cotangent = cotangent(tuple(as_array(output) for output in chosen))
        if only is not None:
            run.cotangent = tuple(v if number == only else 0 * v for number, v in enumerate(run.cotangent))
        used = [number for number, o in enumerate(chosen) if only in (None, number) and o.requires_grad]
        wanted = [each for each in leaves if isinstance(each, self.torch.Tensor) and each.requires_grad]
        try:
            self.torch.autograd.grad(
                tuple(chosen[number] for number in used),
                wanted,
                grad_outputs=tuple(self.torch.tensor(run.cotangent[number]) for number in used),
                allow_unused=True,
            )
        except Exception as error:
            crash = crash_of(error, "backward")
            if self.returned is None or crash.line is not None:
                raise
            run.refused = crash
        finally:
            run.got_none = self.got_none
        run.returned = self.returned
        if self.grad_output_changed:
            run.changed += ("grad_output in backward",)

    def second(self, arguments: tuple[Any, ...], rng: np.random.Generator) -> Second:
        """Differentiate backward itself, by its own graph and by central differences."""
        second, run = Second(arguments), Run(arguments)
        indices = [number for number, a in enumerate(arguments) if is_float(a)]
        leaves, inputs = self.tensors(arguments)
        with self._caught(run):
            outputs = differentiable(self.grading, self.forward(run, inputs))
            drawn = _random(rng)(tuple(as_array(output) for output in outputs))
            cotangents = [self.torch.tensor(v, requires_grad=True) for v in drawn]
            self.phase = "backward"
            wanted = [leaves[number] for number in indices]
            first = self.torch.autograd.grad(outputs, wanted, cotangents, create_graph=True, allow_unused=True)
            reached = [each for each in first if each is not None and each.requires_grad]
            second.connected = bool(reached)
            weights = _random(rng)(tuple(as_array(each) for each in reached))
            if reached:
                self.phase = "backward of backward"
                vs = tuple(self.torch.tensor(w) for w in weights)
                twice = self.torch.autograd.grad(reached, [*wanted, *cotangents], vs, allow_unused=True)
                arrays = [None if each is None else as_array(each).copy() for each in twice]
                if all(each is None for each in twice):
                    # `once_differentiable` cuts the way to the inputs: only a pass through all of the graph meets its error.
                    self.torch.autograd.backward(reached, vs)
                second.got = dict(zip([*indices, -1], arrays, strict=False))
        second.crash = run.crash
        if second.connected and second.crash is None:
            at = [
                number for number, each in zip(indices, first, strict=True) if each is not None and each.requires_grad
            ]
            vector = flat(weights)
            for position, key in [*((number, number) for number in indices), (len(arguments), -1)]:
                jacobian = numerical_jacobian(self._first_order(at), (*arguments, *drawn), position)
                second.measured[key] = (vector @ jacobian).reshape(np.shape((*arguments, *drawn)[position]))
        return second

    def _first_order(self, indices: list[int]) -> Callable[..., Values]:
        """Arguments and cotangents to what backward returns for the arguments at `indices`."""

        def first(*given: Any) -> Values:
            count = len(self.grading.arguments)
            run = self.run(tuple(given[:count]), lambda _: tuple(given[count:]))
            returned = run.returned or ()
            return tuple(
                entry
                if number < len(returned) and isinstance(entry := returned[number], np.ndarray)
                else np.array(np.nan)
                for number in indices
            )

        return first

    def _note_changes(self, run: Run, inputs: list[Any], where: str) -> None:
        for number, (tensor, before) in enumerate(zip(inputs, run.arguments, strict=True)):
            noted = any(change.startswith(f"{number} ") for change in run.changed)
            if not isinstance(before, np.ndarray) or noted or number in self.grading.in_place:
                continue
            if not np.array_equal(as_array(tensor), before, equal_nan=True):
                run.changed += (f"{number} in {where}",)

    def _caught(self, run: Run) -> contextlib.AbstractContextManager[None]:
        return caught(run, lambda: self.phase)

    def _recorded(self, entry: Any) -> np.ndarray | Odd | None:
        if entry is None:
            return None
        if isinstance(entry, self.torch.Tensor):
            return as_array(entry).copy()
        return Odd(type(entry).__name__)


def generator(exercise: Exercise) -> np.random.Generator:
    """What draws the inputs of an exercise: the same ones at each check, so that a report can be compared."""
    return np.random.default_rng(zlib.crc32(exercise.id.encode()))


def differentiable(grading: Gradcheck, results: Sequence[Any]) -> tuple[Any, ...]:
    """Of the results (or what belongs to each) those that have a gradient."""
    return tuple(each for number, each in enumerate(results) if number not in grading.constants)


def as_array(tensor: Any) -> np.ndarray:
    """A tensor's numbers, which it goes on sharing."""
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
    rng = generator(exercise)
    grading = probe.grading
    for arguments in grading.inputs(rng):
        expected = as_values(grading.forward(*_copies(arguments)))
        measured = {n: slopes(grading, arguments, n) for n, argument in enumerate(arguments) if is_float(argument)}
        evidence.cases.append(Case(arguments, expected, measured, probe.run(arguments, _random(rng))))
    for case in evidence.cases:
        if case.run.returned is not None and _small(case):
            entries = sum(value.size for value in differentiable(grading, case.run.values or ()))
            case.rows = [probe.run(case.arguments, _one_hot(i)) for i in range(entries)]
    first = evidence.cases[0]
    if first.run.returned is None:
        return
    _observe_calls(probe, evidence, rng)
    if "from_result" in grading.properties:
        evidence.from_result = _change_after_forward(probe, first.arguments, _random(rng))
    if _forward_differs(first) and grading.vjp is None:
        evidence.own_numerical = {
            index: numerical_jacobian(_forward_of(probe), first.arguments, index) for index in first.numerical
        }
    if grading.results - len(grading.constants) > 1:
        evidence.partial = [probe.run(first.arguments, _random(rng), only=k) for k in range(len(first.run.cotangent))]
    if "needs_input_grad" in grading.properties:
        evidence.needed = {k: probe.run(first.arguments, _random(rng), needed=k) for k in first.numerical}
    if "no_gradient" in grading.properties:
        evidence.no_gradient = probe.without_gradient(first.arguments, _random(rng))
    if "double_backward" in grading.properties:
        evidence.second = [probe.second(case.arguments, rng) for case in evidence.cases[:2] if _can_go_on(case.run)]


def _can_go_on(run: Run) -> bool:
    """Whether a second derivative can be measured: the first raised nothing, and no tensor of it has another shape than its argument."""
    pairs = zip(run.returned or (), run.arguments, strict=False)
    return run.crash is None and all(
        entry.shape == np.shape(argument) for entry, argument in pairs if isinstance(entry, np.ndarray)
    )


def slopes(grading: Gradcheck, arguments: Sequence[Any], index: int) -> np.ndarray:
    """The Jacobian of the results that have a gradient with respect to one argument: measured, or as declared."""
    if grading.vjp is None:
        return numerical_jacobian(lambda *a: differentiable(grading, as_values(grading.forward(*a))), arguments, index)
    results = differentiable(grading, as_values(grading.forward(*_copies(arguments))))
    place = [n for n, a in enumerate(arguments) if is_float(a)].index(index)
    rows = [
        as_values(grading.vjp(*_one_hot(entry)(results), *_copies(arguments)))[place].reshape(-1)
        for entry in range(sum(value.size for value in results))
    ]
    return np.array(rows).reshape(len(rows), np.size(arguments[index]))


def _observe_calls(probe: _Probe, evidence: Evidence, rng: np.random.Generator) -> None:
    first, second = evidence.cases[0], evidence.cases[1 % len(evidence.cases)]
    evidence.repeated = probe.run(first.arguments, lambda _: first.run.cotangent)
    evidence.interleaved = _interleave(probe, first.arguments, second.arguments, lambda _: first.run.cotangent)
    single = tuple(a.astype(np.float32) if is_float(a) else a for a in first.arguments)
    evidence.single = probe.run(single, None)
    evidence.single_expected = as_values(probe.grading.forward(*_copies(single)))


def _interleave(probe: _Probe, first: tuple[Any, ...], second: tuple[Any, ...], cotangent: _Draw) -> Run:
    """Backward of a first call after a second call's forward: what is kept outside ctx has been overwritten by then."""
    run = Run(first)
    with probe._caught(run):
        leaves, inputs = probe.tensors(first)
        outputs = probe.forward(run, inputs)
        probe.forward(Run(second), probe.tensors(second)[1])
        probe.backward(run, leaves, outputs, cotangent)
    return run


def _change_after_forward(probe: _Probe, arguments: tuple[Any, ...], cotangent: _Draw) -> Run:
    """Backward after the arguments were changed in place: only what was saved from the result is still right."""
    run = Run(arguments)
    with probe._caught(run):
        leaves, inputs = probe.tensors(arguments)
        outputs = probe.forward(run, inputs)
        with probe.torch.no_grad():
            for tensor, argument in zip(inputs, arguments, strict=True):
                if is_float(argument):
                    tensor.add_(0.5)
        probe.backward(run, leaves, outputs, cotangent)
    run.changed = ()
    return run


def _forward_of(probe: _Probe) -> Callable[..., Values]:
    def forward(*arguments: Any) -> Values:
        run = probe.run(arguments, None)
        return (np.array(np.nan),) if run.values is None else differentiable(probe.grading, run.values)

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
