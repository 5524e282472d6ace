"""Pictures of gradient checks.

`viz.jacobian` draws heat maps of a Jacobian by finite differences and by backward.
`viz.gradcheck_eps` draws the error of the differences against their step. Both work for tensors of
this package and of PyTorch: they use only functions that both have.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from autograd_teach.viz import layout
from autograd_teach.viz.chart import Chart, Line, Panel, heat_maps, log_log
from autograd_teach.viz.facts import as_array, first_line, in_words, is_tensor, library_of, number, shape_text

EPS, ATOL, RTOL = 1e-6, 1e-5, 1e-3  # the defaults of gradcheck
_MOST_ENTRIES, _MOST_LISTED = 250_000, 8


class _Cannot(Exception):
    """There is nothing to draw; the message says why."""


class _Function:
    """A function of tensors, called with arrays: its values and its Jacobians."""

    def __init__(self, fn: Callable[..., Any], inputs: Any) -> None:
        if not callable(fn):
            raise _Cannot(f"Nothing to check: give a function, not {in_words(fn)}.")
        given = [inputs] if is_tensor(inputs) else list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        wrong = next((type(x).__name__ for x in given if not is_tensor(x)), None)
        if wrong or not given:
            raise _Cannot(f"The inputs are {wrong or 'empty'}: give a tensor or a tuple of tensors.")
        self.fn, self.library = fn, importlib.import_module(library_of(given[0]))
        self.points = [np.array(as_array(x)) for x in given]
        self.moving = [i for i, (x, a) in enumerate(zip(given, self.points)) if x.requires_grad and a.dtype.kind == "f"]
        if not self.moving:
            raise _Cannot("No input requires grad: set requires_grad=True on at least one of them.")

    def outputs(self, points: Sequence[np.ndarray], recorded: bool = False) -> tuple[list[Any], list[Any]]:
        """The inputs as new tensors, and what the function returns for them."""
        tensors = [self.library.tensor(point) for point in points]
        for i in self.moving if recorded else ():
            tensors[i].requires_grad_()
        try:
            with self.library.set_grad_enabled(recorded):
                result = self.fn(*tensors)
        # Any error of a student's function.
        except Exception as error:  # noqa: BLE001
            raise _Cannot(f"The function raises {type(error).__name__}: {first_line(error)}") from None
        results = list(result) if isinstance(result, (list, tuple)) else [result]
        for one in results:
            if not is_tensor(one):
                raise _Cannot(
                    f"The function returns {type(one).__name__}: it must return a tensor or a tuple of tensors."
                )
        return tensors, results

    def values(self, points: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The floating-point outputs, flattened."""
        arrays = [as_array(one) for one in self.outputs(points)[1]]
        return [np.array(a, np.float64).ravel() for a in arrays if a is not None and a.dtype.kind == "f"]

    def numerical(self, points: Sequence[np.ndarray], eps: float) -> list[list[np.ndarray]]:
        """The Jacobians by central differences, for each output and each input that requires grad.

        A row is an entry of the output, a column an entry of the input.
        """
        columns: list[list[list[np.ndarray]]] = []
        for i in self.moving:
            changes = []
            for entry in range(points[i].size):
                moved = [[p.copy() for p in points] for _ in range(2)]
                moved[0][i].reshape(-1)[entry] += eps
                moved[1][i].reshape(-1)[entry] -= eps
                above, below = map(self.values, moved)
                changes.append([(a - b) / (2 * eps) for a, b in zip(above, below)])
            columns.append(changes)
        sizes = [v.size for v in self.values(points)]
        return [
            [np.stack([change[j] for change in changes], 1) if changes else np.zeros((size, 0)) for changes in columns]
            for j, size in enumerate(sizes)
        ]

    def analytical(self, points: Sequence[np.ndarray]) -> list[list[np.ndarray]]:
        """The same Jacobians by one backward pass for each entry of an output."""
        tensors, outputs = self.outputs(points, recorded=True)
        moving = [tensors[i] for i in self.moving]
        jacobian = []
        for output in outputs:
            array = as_array(output)
            if array is None or array.dtype.kind != "f":
                continue
            found = [np.zeros((array.size, points[i].size)) for i in self.moving]
            for row in range(array.size) if output.requires_grad else ():
                one = np.zeros(array.shape, array.dtype)
                one.reshape(-1)[row] = 1
                given = {"retain_graph": True, "allow_unused": True}
                try:
                    grads = self.library.autograd.grad(output, moving, self.library.tensor(one), **given)
                except Exception as error:  # noqa: BLE001
                    raise _Cannot(f"The backward pass raises {type(error).__name__}: {first_line(error)}") from None
                for place, grad in enumerate(grads):
                    if grad is not None:
                        found[place][row] = np.asarray(as_array(grad), np.float64).ravel()
            jacobian.append(found)
        return jacobian


def _said(sentence: str) -> Chart:
    return Chart(sentence, layout.sentences([sentence]), sentence)


def jacobian(fn: Callable[..., Any], inputs: Any, *, eps: float = EPS, atol: float = ATOL, rtol: float = RTOL) -> Chart:
    """Draw the Jacobian of `fn`: by central differences, by backward, and their difference.

    There is one row of three heat maps for each output and each input that requires grad. In a map,
    a row is an entry of the output and a column is an entry of the input. Two entries differ if
    they are further apart than `atol + rtol * |numerical|`, the rule of `gradcheck`. Entries that
    differ have a frame and a cross, and the text lists them.

    fn: function that takes tensors and returns a tensor or a tuple of tensors.
    inputs: a tensor or a tuple of tensors, float64 as for `gradcheck`; the text says if one is not.
    eps: step of the central differences. atol, rtol: absolute and relative tolerance. The defaults
    are those of `gradcheck`.

    Returns a Chart. If there is nothing to draw, the chart says why in a sentence.

    >>> import autograd_teach as torch
    >>> from autograd_teach import viz
    >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    >>> viz.jacobian(lambda x: x**2, x)
    Jacobian of output 0, shape (2), by input 0, shape (2): all 4 entries agree.
      output entry 0: 2, 0
      output entry 1: 0, 4
    """
    try:
        function = _Function(fn, inputs)
        points = function.points
        sizes = [v.size for v in function.values(points)]
        entries = sum(sizes) * sum(points[i].size for i in function.moving)
        if entries > _MOST_ENTRIES:
            raise _Cannot(f"This Jacobian has {entries:,} entries, more than {_MOST_ENTRIES:,}: use a smaller input.")
        numerical, analytical = function.numerical(points, eps), function.analytical(points)
    except _Cannot as sentence:
        return _said(str(sentence))
    rows, across, down, lines = [], [], [], []
    for j, (by_differences, by_backward) in enumerate(zip(numerical, analytical, strict=True)):
        for place, i in enumerate(function.moving):
            n, a = by_differences[place], by_backward[place]
            with np.errstate(invalid="ignore"):
                apart = n - a
                wrong = ~(np.abs(apart) <= atol + rtol * np.abs(n))
            names = f"output {j}, shape ({n.shape[0]})", f"input {i}, shape {shape_text(points[i].shape)}"
            lines += _in_words(f"Jacobian of {names[0]}, by {names[1]}", n, a, wrong)
            finite = np.abs(np.concatenate([n[np.isfinite(n)], a[np.isfinite(a)], [0.0]]))
            scale = float(finite.max()) or 1.0
            # Differences within the tolerance stay pale.
            gaps = np.abs(apart[np.isfinite(apart)])
            gap = max(float(gaps.max(initial=0.0)), atol + rtol * scale)
            rows.append(
                [
                    Panel("numerical", n, wrong, scale),
                    Panel("analytical", a, wrong, scale),
                    Panel("difference", apart, wrong, gap),
                ]
            )
            across.append(f"entry of input {i}")
            down.append(f"entry of output {j}")
    coarse = [i for i in function.moving if points[i].dtype != np.float64]
    if coarse:
        found = f"Input {coarse[0]} is {points[coarse[0]].dtype}: use float64, because the differences are not exact enough."
        lines.insert(0, found)
    if not rows:
        return _said("The function has no floating-point output: there is nothing to differentiate.")
    several = f"Jacobians of {len(numerical)} outputs by {len(function.moving)} inputs."
    title = " ".join(lines[: 1 + bool(coarse)]) if len(rows) == 1 else " ".join([*lines[: bool(coarse)], several])
    return Chart(title, heat_maps(rows, across, down, title), "\n".join(lines))


def _in_words(what: str, numerical: np.ndarray, analytical: np.ndarray, wrong: np.ndarray) -> list[str]:
    places = np.argwhere(wrong)
    if not len(places):
        listed = analytical if max(analytical.shape) <= _MOST_LISTED else analytical[:0]
        rows = [f"  output entry {i}: {', '.join(map(number, row))}" for i, row in enumerate(listed)]
        return [f"{what}: all {wrong.size} entries agree.", *rows]
    lines = [f"{what}: {len(places)} of {wrong.size} entries differ."]
    for i, j in places[:_MOST_LISTED]:
        lines.append(
            f"  output entry {i}, input entry {j}: numerical {number(numerical[i, j])}, "
            f"analytical {number(analytical[i, j])}"
        )
    return lines + [f"  and {len(places) - _MOST_LISTED} more"] * (len(places) > _MOST_LISTED)


def gradcheck_eps(fn: Callable[..., Any], inputs: Any, eps: Sequence[float] | None = None) -> Chart:
    """Draw the error of the numerical derivative against its step `eps`, in float32 and in float64.

    Both axes are logarithmic. From right to left the error first falls, because the formula of the
    differences gets better. Then it rises, because rounding takes over.

    fn: function that takes tensors and returns a tensor or a tuple of tensors.
    inputs: a tensor or a tuple of tensors, at most 1,000 entries.
    eps: the steps to try; by default 25 steps from 1e-12 to 1.

    Returns a Chart. The error is the largest difference from the analytical Jacobian in float64,
    divided by the largest entry of that Jacobian. If there is nothing to draw, the chart says why
    in a sentence.

    >>> import autograd_teach as torch
    >>> from autograd_teach import viz
    >>> x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    >>> print(viz.gradcheck_eps(torch.sin, x, eps=[1e-4, 1e-2]).text)
    The error of the numerical derivative, to a power of ten
      eps    float32  float64
      1e-04  1e-05    1e-09
      1e-02  1e-05    1e-05
      the least: float32 at eps 1e-02, float64 at eps 1e-04
    """
    steps = list(eps) if eps is not None else [float(f"{10 ** (power / 2):.4g}") for power in range(-24, 1)]
    try:
        if not steps or min(steps) <= 0:
            raise _Cannot("eps must be positive numbers: the steps to try.")
        function = _Function(fn, inputs)
        exact = [p.astype(np.float64) if i in function.moving else p for i, p in enumerate(function.points)]
        if sum(exact[i].size for i in function.moving) > 1000:
            raise _Cannot("The inputs have more than 1,000 entries, and each is moved twice for every step: use fewer.")
        reference = function.analytical(exact)
        size = max((float(np.abs(j).max()) for row in reference for j in row if j.size), default=0.0) or 1.0
        errors: dict[str, list[float]] = {}
        for dtype in ("float32", "float64"):
            points = [p.astype(dtype) if i in function.moving else p for i, p in enumerate(exact)]
            errors[dtype] = [_largest(function.numerical(points, step), reference) / size for step in steps]
    except _Cannot as sentence:
        return _said(str(sentence))
    looks = {"float32": ("#D55E00", "square", "6 4"), "float64": ("#0072B2", "circle", "")}
    lines = [
        # An error of 0 cannot be drawn on a logarithmic axis: it is drawn at the bottom.
        Line(name, [(s, max(e, 1e-17)) for s, e in zip(steps, found, strict=True) if math.isfinite(e)], *looks[name])
        for name, found in errors.items()
    ]
    title = "The error of the numerical derivative against eps"
    if not all(line.points for line in lines):
        return _said("The numerical derivative is not finite for any eps: are the inputs inside the function's domain?")
    svg = log_log(lines, "eps", "largest relative error", title, EPS, "gradcheck's 1e-06")
    return Chart(title, svg, "\n".join(_error_table(steps, errors)))


def _largest(found: list[list[np.ndarray]], reference: list[list[np.ndarray]]) -> float:
    gaps = [float(np.abs(n - a).max()) for ns, as_ in zip(found, reference) for n, a in zip(ns, as_) if n.size]
    return max(gaps, default=0.0)


def _error_table(steps: Sequence[float], errors: dict[str, list[float]]) -> list[str]:
    def power(error: float) -> str:
        return "0" if error == 0 else f"1e{round(math.log10(error)):+03d}" if math.isfinite(error) else str(error)

    lines = ["The error of the numerical derivative, to a power of ten", "  eps    float32  float64"]
    lines += [
        f"  {step:.0e}  {power(single):<7}  {power(double)}".rstrip()
        for step, single, double in zip(steps, errors["float32"], errors["float64"], strict=True)
    ]
    least = min(error for error in errors["float64"] if not math.isnan(error))
    if least > 1e-3:
        return [*lines, "  The two differ at every step: no eps helps, so backward is probably wrong."]
    if max(errors["float64"]) == 0:
        return [*lines, "  float64: no error at any eps"]
    best = {name: steps[int(np.nanargmin(found))] for name, found in errors.items()}
    return [*lines, "  the least: " + ", ".join(f"{name} at eps {step:.0e}" for name, step in best.items())]
