"""The right derivatives for backward: the Jacobian of a specification, and the gradient of its gradient.

NumPy only. Second derivatives use sixth-order differences with a wide step, because a difference of differences with a
narrow step has too few correct digits.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...exercises.declaration import FunctionForm
from ...guard import Crash
from ...jacobian import Values, as_values, flat, is_float, numerical_jacobian
from ..spec import FunctionSpec, copies
from .records import Asked, Run, differentiable

_STEP = 2e-3
_SIXTH_ORDER = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))


def grad_output_key(number: int) -> int:
    """The key of grad_output `number`, used like the index of an argument: -1, -2, ..."""
    return -1 - number


def slopes(form: FunctionForm, spec: FunctionSpec, arguments: Sequence[Any], index: int) -> np.ndarray:
    """The Jacobian of the differentiable results with respect to one argument, measured or declared."""
    if spec.vjp is None:
        return numerical_jacobian(lambda *a: differentiable(form, as_values(spec.forward(*a))), arguments, index)
    results = differentiable(form, spec.values(arguments))
    place = [n for n, a in enumerate(arguments) if is_float(a)].index(index)
    rows = [as_values(spec.vjp(*hot, *copies(arguments)))[place].reshape(-1) for hot in one_hots(results)]
    return np.array(rows).reshape(len(rows), np.size(arguments[index]))


def one_hots(values: Values) -> Iterator[Values]:
    """Every one-hot cotangent: 1 at one place and 0 elsewhere."""
    for number, value in enumerate(values):
        for entry in range(value.size):
            hot = tuple(np.zeros_like(each) for each in values)
            hot[number].reshape(-1)[entry] = 1
            yield hot


@dataclass(frozen=True)
class SecondOrder:
    """The gradient of `sum(weights * gradients)` with respect to each float argument and grad_output: got and measured."""

    arguments: tuple[Any, ...]
    connected: bool
    got: dict[int, np.ndarray | None]  # None: there is no path
    measured: dict[int, np.ndarray]
    crash: Crash | None = None


def second_order(form: FunctionForm, spec: FunctionSpec, asked: Asked, run: Run) -> SecondOrder:
    """The second derivatives of an answer, and the right ones."""
    floats = [n for n, argument in enumerate(asked.arguments) if is_float(argument)]
    keys = [*floats, *map(grad_output_key, range(len(asked.cotangents)))]
    told = run.second
    got = told.got if told is not None and len(told.got) == len(keys) else (None,) * len(keys)
    is_connected = told is not None and told.connected
    measured = measure(form, spec, asked.arguments, asked.cotangents, asked.weights)
    return SecondOrder(asked.arguments, is_connected, dict(zip(keys, got, strict=True)), measured, run.crash)


def measure(
    form: FunctionForm, spec: FunctionSpec, arguments: tuple[Any, ...], cotangents: Values, weights: Values
) -> dict[int, np.ndarray]:
    """The gradient of `sum(weights * gradients)` with respect to each float argument and each cotangent, measured."""
    indices = [n for n, argument in enumerate(arguments) if is_float(argument)]
    along = dict(zip(indices, weights, strict=True))

    def weighted(at: Sequence[Any]) -> np.ndarray:
        """The directional derivative of the results along the weights, in one row; from the declared gradient if any."""
        if spec.vjp is None:
            return _slope(
                lambda t: _results(form, spec, [a + t * along[n] if n in along else a for n, a in enumerate(at)])
            )
        given = [as_values(spec.vjp(*hot, *copies(at))) for hot in one_hots(cotangents)]
        return np.array([flat(each) @ flat(weights) for each in given])

    def moved_along(index: int, direction: np.ndarray, t: float) -> np.ndarray:
        return weighted([a + t * direction if n == index else a for n, a in enumerate(arguments)])

    vector = flat(cotangents)
    measured = {}
    for index in indices:
        x = arguments[index]
        found = np.empty(x.size)
        for entry in range(x.size):
            unit = np.zeros(x.size)
            unit[entry] = 1
            found[entry] = vector @ _slope(partial(moved_along, index, unit.reshape(x.shape)))
        measured[index] = found.reshape(x.shape)
    row, start = weighted(arguments), 0
    for number, each in enumerate(cotangents):
        measured[grad_output_key(number)] = row[start : start + each.size].reshape(each.shape)
        start += each.size
    return measured


def _results(form: FunctionForm, spec: FunctionSpec, arguments: Sequence[Any]) -> np.ndarray:
    return flat(differentiable(form, spec.values(arguments)))


def _slope(f: Callable[[float], np.ndarray]) -> np.ndarray:
    total = sum(c * (f(k * _STEP) - f(-k * _STEP)) for k, c in _SIXTH_ORDER)
    return np.asarray(total / _STEP)
