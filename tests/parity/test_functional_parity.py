"""torch.autograd.functional under autograd_teach and under PyTorch: values, graphs, and errors over a table of functions and options."""

from __future__ import annotations

from typing import Any

import pytest

import autograd_teach
from tests.engine.samples import graph_text
from tests.parity.agree import agree, parameters

torch = pytest.importorskip("torch")


def x(T: Any) -> Any:
    return T.tensor([0.5, -1.5], dtype=T.float64, requires_grad=True)


def y(T: Any) -> Any:
    return T.tensor([[1.0, 0.25], [2.0, -0.75]], dtype=T.float64)


def one(T: Any) -> Any:
    return T.tensor(0.75, requires_grad=True)


# By name: a function of the library, from which that of the tensors; and its inputs.
FUNCTIONS = {
    "one to one": (lambda T: lambda a: a**3, x),
    "one to several": (lambda T: lambda a: (a**2, a.sum(), a.sin() * a), x),
    "one to a tuple of one": (lambda T: lambda a: (a**2,), x),
    "a tuple of one to one": (lambda T: lambda a: a**2, lambda T: (x(T),)),
    "several to one": (lambda T: lambda a, b: (b * a).sum(1) * a, lambda T: (x(T), y(T))),
    "several to several": (lambda T: lambda a, b: (b * a, (a**3).sum()), lambda T: (x(T), y(T))),
    "a number to a number": (lambda T: lambda a: a**3, one),
    "a number to several": (lambda T: lambda a: (a * a, a.expand(2) ** 2), one),
    "to a number": (lambda T: lambda a: (a**3).prod(), x),
    "to a number in a matrix": (lambda T: lambda a: (a**3).sum().reshape(1, 1), x),
    "several to a number": (lambda T: lambda a, b: (b * a * a).exp().sum(), lambda T: (x(T), y(T))),
    "linear": (lambda T: lambda a: a * 2, x),
    "linear, to a number": (lambda T: lambda a: a.sum() * 2, x),
    "plus a constant": (lambda T: lambda a: a + 1, x),
    "a term of gradient zero": (lambda T: lambda a, b: (a**3).sum() + b.sum() * a.sum() * 0, lambda T: (x(T), y(T))),
    "quadratic, to a number": (lambda T: lambda a: (a * a).sum(), x),
    "linear in one of two": (lambda T: lambda a, b: (a**3).sum() + b.sum(), lambda T: (x(T), y(T))),
    "independent of the second input": (lambda T: lambda a, b: a**2, lambda T: (x(T), y(T))),
    "a number independent of the second": (lambda T: lambda a, b: (a**3).sum(), lambda T: (x(T), y(T))),
    "an output apart": (lambda T: lambda a, b: (a * 2, b**2), lambda T: (x(T), y(T))),
    "separate terms": (lambda T: lambda a, b: (a**3).sum() + (b**3).sum(), lambda T: (x(T), y(T))),
    "a constant output": (lambda T: lambda a: (a**2, T.ones(2)), x),
    "only a constant": (lambda T: lambda a: T.ones(()), x),
    "an integer output": (lambda T: lambda a: (a**2).long(), x),
    "detached": (lambda T: lambda a: a.detach() ** 2, x),
    "an input in place": (lambda T: lambda a: (a * 1).exp_(), x),
    "an input itself": (lambda T: lambda a: a, x),
    "no elements": (lambda T: lambda a: a**2, lambda T: T.zeros(0, 2)),
    "no elements to a number": (lambda T: lambda a: (a**2).sum(), lambda T: T.zeros(0, 2)),
    "integer inputs": (lambda T: lambda a: a**2, lambda T: T.tensor([1, 2])),
    "mixed dtypes": (lambda T: lambda a, b: (a * b).sum(), lambda T: (x(T), T.tensor([0.5, 2.0], requires_grad=True))),
    "not contiguous": (lambda T: lambda a: (a**2).sum(0), lambda T: y(T).t().requires_grad_()),
    "an error of the function": (lambda T: lambda a: a @ T.ones(3, dtype=T.float64), x),
    "not a tensor": (lambda T: lambda a: 2.0, x),
    "a list": (lambda T: lambda a: [a, a], x),
    "a number among tensors": (lambda T: lambda a: (a, 1.0), x),
    "no output": (lambda T: lambda a: None, x),
    "a number for an input": (lambda T: lambda a: a, lambda T: 2.0),
    "a number among the inputs": (lambda T: lambda a, b: a, lambda T: (x(T), 2.0)),
    "a list of inputs": (lambda T: lambda a: a, lambda T: [x(T)]),
}


def like(T: Any, tensors: Any) -> Any:
    """Vectors of the shapes of one tensor or of a tuple, each different, and each requiring grad."""
    if isinstance(tensors, tuple):
        return tuple(like(T, t) for t in tensors)
    numbers = T.linspace(0.5, 2.0, max(tensors.numel(), 1), dtype=T.float64)[: tensors.numel()]
    return numbers.reshape(tensors.shape).to(tensors.dtype).requires_grad_(tensors.is_floating_point())


def call(T: Any, name: str, case: str, **options: Any) -> Any:
    """The derivative of a row of FUNCTIONS, `options` with `v` if it is a product; and what its graph is and gives."""
    made, given = FUNCTIONS[case]
    function, inputs = made(T), given(T)
    derivative = getattr(T.autograd.functional, name)
    if name in ("jacobian", "hessian"):
        found = derivative(function, inputs, **options)
    else:
        try:
            outputs = function(*inputs) if isinstance(inputs, tuple) else function(inputs)
            v = like(T, outputs if name == "vjp" else inputs)
        except Exception:  # noqa: BLE001  the derivative is to say what is wrong
            v = x(T)
        found = derivative(function, inputs, v, **options)
    # The Hessian is stacked from a gradient that PyTorch itself takes by its jacobian: a few views more below the same first node.
    graphs = [t.grad_fn and t.grad_fn.name() if name == "hessian" else graph_text(t.grad_fn) for t in flat(found)]
    return found, graphs, differentiated(T, found, inputs)


def flat(found: Any) -> list[Any]:
    return [t for part in found for t in flat(part)] if isinstance(found, tuple) else [found]


def differentiated(T: Any, found: Any, inputs: Any) -> Any:
    """The gradients of what was found, to see that its graph is there and right."""
    total = sum((t * t).sum() for t in flat(found) if t.requires_grad)
    leaves = [t for t in flat(inputs) if t.requires_grad]
    return T.autograd.grad(total, leaves, allow_unused=True) if isinstance(total, T.Tensor) and leaves else None


NAMES = ("vjp", "jvp", "jacobian", "hessian", "vhp", "hvp")


@pytest.mark.parametrize("name", NAMES)
def test_a_derivative_is_called_as_pytorchs(name: str) -> None:
    ours, theirs = (getattr(T.autograd.functional, name) for T in (autograd_teach, torch))
    assert parameters(ours) == parameters(theirs)
    assert ours.__name__ == name and ours.__doc__


@pytest.mark.parametrize("case", FUNCTIONS)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("create_graph", [False, True])
def test_derivatives_of_every_kind_of_function(create_graph: bool, strict: bool, name: str, case: str) -> None:
    agree(lambda T: call(T, name, case, create_graph=create_graph, strict=strict), ulp=8)


# Vectors that are missing, of a wrong shape or constant: `f` is the library's functional, `a` and `b` are tensors of it.
VECTORS = [
    "f.vjp(lambda a: a**2, a)",
    "f.vjp(lambda a: (a.sum(), a.sum()), a)",
    "f.vjp(lambda a: a.sum().reshape(1, 1), a)",
    "f.vjp(lambda a: a**2, a, b)",
    "f.vjp(lambda a: a**2, a, (a, a))",
    "f.vjp(lambda a: (a, a), a, a)",
    "f.vjp(lambda a: (a, a), a, (a, b))",
    "f.vjp(lambda a: (a, a), a, (a, a, a))",
    "f.vjp(lambda a: a**2, a, [1.0, 1.0])",
    "f.vjp(lambda a: a**2, a, (a, 1.0))",
    "f.vjp(lambda a: a.sum(), a, torch.tensor(2))",
    "f.vjp(lambda a: a.sum(), a, torch.ones(1))",
    "f.jvp(lambda a: a**2, a)",
    "f.jvp(lambda a: a**2, a.sum())",
    "f.jvp(lambda a: a**2, (a.sum().reshape(1),))",
    "f.jvp(lambda a: a**2, a, b)",
    "f.jvp(lambda a, b: a, (a, b), (b, a))",
    "f.jvp(lambda a, b: a, (a, b), a)",
    "f.jvp(lambda a: 1 / 0, a, b)",
    "f.vhp(lambda a: a.sum(), a)",
    "f.vhp(lambda a: a, a, b)",
    "f.vhp(lambda a: (a**3).sum(), a.sum())",
    "f.vhp(lambda a: ((a**3).sum(),), a, a)",
    "f.hvp(lambda a: a.sum(), a)",
    "f.hvp(lambda a: (a**3).sum(), a.sum().reshape(1))",
    "f.hvp(lambda a: (a**3).sum(), a, (a, a))",
    "f.vjp(lambda c: c * 2, a.requires_grad_(), b[0], create_graph=True, strict=True)",
    "f.jvp(lambda c: c * 2, a.requires_grad_(), b[0], create_graph=True, strict=True)",
    "f.vhp(lambda c: (c**2).sum(), a.requires_grad_(), b[0], create_graph=True, strict=True)",
    "f.hvp(lambda c: (c**2).sum(), a.requires_grad_(), b[0], create_graph=True, strict=True)",
]


@pytest.mark.parametrize("expression", VECTORS)
def test_vectors(expression: str) -> None:
    agree(lambda T: eval(expression, {"torch": T, "f": T.autograd.functional, "a": x(T).detach(), "b": y(T)}))


# Of no elements PyTorch makes an empty result where its loop over the rows, and ours, has nothing to stack.
@pytest.mark.parametrize("case", [case for case in FUNCTIONS if "no elements" not in case])
@pytest.mark.parametrize("name", ["jacobian", "hessian"])
@pytest.mark.parametrize("strict", [False, True])
def test_vectorized_derivatives_are_the_same(strict: bool, name: str, case: str) -> None:
    """The values and errors: what PyTorch computes for all rows at once is here computed row by row."""
    made, given = FUNCTIONS[case]
    agree(lambda T: getattr(T.autograd.functional, name)(made(T), given(T), strict=strict, vectorize=True), ulp=8)


@pytest.mark.parametrize("name, argument", [("jacobian", "strategy"), ("hessian", "outer_jacobian_strategy")])
def test_strategies(name: str, argument: str) -> None:
    def derivative(T: Any, strategy: str) -> Any:
        return getattr(T.autograd.functional, name)(T.sum, x(T), **{argument: strategy})

    agree(lambda T: derivative(T, "sideways"))
    agree(lambda T: derivative(T, "reverse-mode"))
    with pytest.raises(NotImplementedError, match="forward-mode"):
        derivative(autograd_teach, "forward-mode")


def test_inputs_are_left_as_they_were_also_without_recording() -> None:
    def program(T: Any) -> Any:
        a, b = x(T), y(T).requires_grad_()
        with T.no_grad():
            results = [call(T, name, "several to a number") for name in NAMES]
            found = T.autograd.functional.jacobian(lambda a: a * b, a, create_graph=True)
        return results, found, T.is_grad_enabled(), a.grad, b.grad, a._version

    agree(program, ulp=8)
