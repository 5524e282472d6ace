"""Jacobians, Hessians and their products with vectors: `torch.autograd.functional`.

Each function calls `func` on copies of its inputs. If the result does not depend on an input, its
derivative is zero, or with `strict=True` a RuntimeError. With `create_graph=True` the answer can be
differentiated in turn.
"""

from collections.abc import Callable
from typing import Any

from ..creation import zeros_like
from ..errors import error, require
from ..ops.shape import stack
from ..tensor import Tensor
from .backward import grad
from .modes import enable_grad

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Function = Callable[..., Any]
Tensors = Tensor | tuple[Tensor, ...]


def _product(name: str, func: Function, inputs: Tensors, v: Any, create_graph: bool, strict: bool) -> Any:
    """The product of `v` with the Jacobian of a function (vjp, jvp) or of its gradient (vhp, hvp), left or right."""
    many_in, inputs = _copies(inputs, "inputs", name, create_graph)
    if name != "vjp":
        v = _vectors(v, inputs, many_in, name, create_graph)
    many_out, outputs = _outputs(func, inputs, name, strict)
    if name == "vjp":
        v = _vectors(v, outputs, many_out, name, create_graph)
    results = _pulled(outputs, None, inputs, "gradient", strict, True) if name in ("vhp", "hvp") else outputs
    if name in ("jvp", "hvp"):
        # `grad` multiplies from the left only. But uᵀJ is linear in u, so its derivative in the direction of v
        # is Jv; source: J. Townsend, "A new trick for calculating Jacobian vector products" (2017).
        u = tuple(zeros_like(t, requires_grad=True) for t in results)
        results, inputs = _pulled(results, u, inputs, "transposed", strict and name == "jvp", True), u
    answer = _pulled(results, v, inputs, name, strict, create_graph)
    many = many_out if name == "jvp" else many_in
    return _result(outputs, many_out, create_graph), _result(answer, many, create_graph)


@enable_grad()
def vjp(func: Function, inputs: Tensors, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The value of a function, and `v` times its Jacobian: what one backward pass computes.

    inputs: a tensor or a tuple of them. v: a tensor of the shape of the output (a tuple if `func` returns one); may be
    None if the output is one number. Returns `(func(*inputs), product)`, the product in the shape of the inputs.
    RuntimeError if `v` has another shape.

    >>> import autograd_teach as torch
    >>> torch.autograd.functional.vjp(lambda x: x**2, torch.tensor([1.0, 3.0]), torch.tensor([1.0, 10.0]))
    (tensor([1., 9.]), tensor([ 2., 60.]))
    """
    return _product("vjp", func, inputs, v, create_graph, strict)


@enable_grad()
def jvp(func: Function, inputs: Tensors, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The value of a function, and its Jacobian times `v`: how fast the output changes along `v`.

    inputs: a tensor or a tuple of them. v: of the same shapes; may be None if the input is one number. Returns
    `(func(*inputs), product)`, both in the shape of the output. Costs two backward passes, the second through the first.

    >>> import autograd_teach as torch
    >>> torch.autograd.functional.jvp(lambda x: x.sum() ** 2, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))
    (tensor(9.), tensor(6.))
    """
    return _product("jvp", func, inputs, v, create_graph, strict)


@enable_grad()
def vhp(func: Function, inputs: Tensors, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The value of a function, and `v` times its Hessian, without computing the whole Hessian.

    func must return one number, else RuntimeError. inputs: a tensor or a tuple of them. v: of the same shapes; may be
    None if the input is one number. Returns `(func(*inputs), product)`, the product in the shape of the inputs.

    >>> import autograd_teach as torch
    >>> torch.autograd.functional.vhp(lambda x: x.prod(), torch.tensor([2.0, 5.0]), torch.tensor([1.0, 0.0]))
    (tensor(10.), tensor([0., 1.]))
    """
    return _product("vhp", func, inputs, v, create_graph, strict)


@enable_grad()
def hvp(func: Function, inputs: Tensors, v: Any = None, create_graph: bool = False, strict: bool = False) -> Any:
    """The value of a function, and its Hessian times `v`; the same numbers as `vhp` at a higher price.

    The Hessian is symmetric if the second derivatives are continuous, so prefer `vhp`: it needs one backward pass less.
    Arguments, result and errors are the same.

    >>> import autograd_teach as torch
    >>> torch.autograd.functional.hvp(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]), torch.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    return _product("hvp", func, inputs, v, create_graph, strict)


@enable_grad()
def jacobian(
    func: Function, inputs: Tensors, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """The derivative of each element of the output with respect to each element of the input.

    inputs: a tensor or a tuple of them. Returns a tensor of shape `output.shape + input.shape`; for
    several outputs or inputs a tuple, for both a tuple of tuples: `result[i][j]` belongs to output
    i and input j. Costs a backward pass for each element of the output. `vectorize` is ignored.
    NotImplementedError for `strategy="forward-mode"`.

    >>> import autograd_teach as torch
    >>> torch.autograd.functional.jacobian(lambda x: x**2, torch.tensor([1.0, 3.0]))
    tensor([[2., 0.],
            [0., 6.]])
    """
    require(strategy != "forward-mode", "functional_forward")
    require(strategy == "reverse-mode", "functional_strategy_of_jacobian")
    many, inputs = _copies(inputs, "inputs", "jacobian", create_graph)
    many_out, outputs = _outputs(func, inputs, "jacobian", strict)
    require(not (vectorize and strict), "functional_vectorize")
    jacobians = []
    for i, output in enumerate(outputs):
        elements = (output.reshape(-1)[j] for j in range(output.numel()))
        rows = [_pulled((e,), None, inputs, "jacobian", strict, create_graph, i) for e in elements]
        blocks = [stack([row[j] for row in rows]).view(output.shape + x.shape) for j, x in enumerate(inputs)]
        jacobians.append(_result(blocks, many, create_graph))
    return tuple(jacobians) if many_out else jacobians[0]


def hessian(
    func: Function, inputs: Tensors, create_graph: bool = False, strict: bool = False,
    vectorize: bool = False, outer_jacobian_strategy: str = "reverse-mode",
) -> Any:  # fmt: skip
    """The second derivatives of a function that returns one number, of shape `input.shape + input.shape`.

    inputs: a tensor, or a tuple of them; then `result[i][j]` holds the derivatives by inputs i and
    j. RuntimeError if `func` returns more than one number. Costs a backward pass for each element
    of the inputs.

    >>> import autograd_teach as torch
    >>> torch.autograd.functional.hessian(lambda x: x[0] ** 2 * x[1], torch.tensor([1.0, 3.0]))
    tensor([[6., 2.],
            [2., 0.]])
    """
    many, inputs = _tuple(inputs, "inputs", "hessian")
    require(outer_jacobian_strategy in ("forward-mode", "reverse-mode"), "functional_strategy")

    def gradient(*point):
        return _pulled(_outputs(func, point, "hessian", strict)[1], None, point, "hessian", strict, True)

    result = jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)
    return result if many else result[0][0]


def _tuple(value, what, name):
    """Whether `value` is a tuple, and `value` as a tuple of tensors."""
    many = isinstance(value, tuple)
    for i, entry in enumerate(value if many else (value,)):
        where = f"value at index {i}" if many else f"given {what}"
        require(isinstance(entry, Tensor), "functional_type", what, name, where, type(entry))
    return many, value if many else (value,)


def _copies(value, what, name, create_graph):
    """Copies to differentiate by: tensors that the function captured are constants, even if they are inputs."""
    many, tensors = _tuple(value, what, name)
    copies = (t.view_as(t) if create_graph and t.requires_grad else t.detach() for t in tensors)
    return many, tuple(t.requires_grad_(t.requires_grad or what == "inputs") for t in copies)


def _vectors(v, like, many, name, create_graph):
    """`v` as a tuple; RuntimeError unless it has the shapes of `like`."""
    if v is None:
        require(len(like) == 1 and like[0].numel() == 1, "functional_no_v_vjp" if name == "vjp" else "functional_no_v")
        return None
    _, vectors = _copies(v, "v", name, create_graph)
    problem = "functional_v_length" if many else "functional_v_single"
    require(len(vectors) == len(like), problem, len(like), len(vectors))
    for i, (vector, other) in enumerate(zip(vectors, like)):
        if vector.shape != other.shape:
            raise error("functional_v_shape", f"Entry {i} in " * many, other.shape, vector.shape)
    return vectors


def _outputs(func, inputs, name, strict):
    many, outputs = _tuple(func(*inputs), "outputs of the user-provided function", name)
    for i, output in enumerate(outputs):
        require(output.requires_grad or not strict, "functional_output", i)
    if name in ("hessian", "vhp", "hvp"):
        require(not many, "functional_single", name)
        require(outputs[0].numel() == 1, "functional_element", name)
    return many, outputs


def _pulled(outputs, v, inputs, stage, strict, create_graph, number=None):
    """`v` times the Jacobian, with zeros for an input without gradient; in strict mode that is an error."""
    results = (None,) * len(inputs)
    if pairs := [(o, u) for o, u in zip(outputs, v or [None] * len(outputs)) if o.requires_grad]:
        outputs, v = zip(*pairs)
        results = grad(outputs, inputs, v, retain_graph=True, create_graph=create_graph, allow_unused=True)
    for i, result in enumerate(results):
        if strict and (result is None or (create_graph and not result.requires_grad)):
            raise error(f"functional_{stage}_{'missing' if result is None else 'constant'}", i, number)
    return tuple(zeros_like(x) if g is None else g for g, x in zip(results, inputs))


def _result(tensors, many, create_graph):
    kept = tuple(t if create_graph else t.detach() for t in tensors)
    return kept if many else kept[0]
