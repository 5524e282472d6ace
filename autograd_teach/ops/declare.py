"""How an operation is declared, and what follows from the declaration.

A declaration is one row: signature, NumPy kernel, and for each differentiable input one formula, a lambda whose first
parameter is the gradient `g` of the result and whose other parameters name what must be saved:

    mul = op("mul(self, other)", np.multiply, promote=True, inplace=True, operator="mul",
             self=lambda g, other: g * other,
             other=lambda g, self: g * self)

Parameters of the signature without default or annotation are tensors; one called `tensors` is a list of them. A formula
may name an input, `result` (or, of several results, their names in `outputs`), `<input>_shape`, `<input>_strides`
(in bytes), `<input>_dtype`, or any argument that is no tensor. Of an operation with several results it gets `grads`, a
list, for `g`; where `outputs` is empty, there are as many results as the kernel returns.

From the row follow the function, the method, the operator, the in-place form, and the class of its backward node;
`written.py` writes their code. One formula serves every order, bound to two vocabularies: in one, `g`, the saved values
and the functions it calls are arrays and kernels (first-order gradients at NumPy's speed); in the other, tensors and
operations, which record the graph of the gradient as any other computation.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..autograd.modes import state
from ..autograd.node import Node
from ..tensor import Tensor, wrap
from .written import forward_function, node_class

# Every operation, by the name in its signature.
OPERATIONS: dict[str, Operation] = {}


@dataclass
class Operation:
    """What a declaration said, and what that means; the table that tests and documentation read."""

    name: str
    # The parameters as written, from behind the bracket.
    parameter_list: str
    kernel: Callable[..., Any]
    formulas: Mapping[str, Callable[..., Any]]
    outputs: tuple[str, ...]
    check: Callable[..., Any] | None
    promote: bool | Callable[..., Any]
    floating: bool
    view: bool
    numbers: bool
    node: type[Node] = field(init=False)
    function: Callable[..., Any] = field(init=False)

    def __post_init__(self) -> None:
        written: Any = ast.parse(f"def {self.name}({self.parameter_list}: pass").body[0]
        given = written.args
        positional = given.args[: len(given.args) - len(given.defaults)]
        self.tensors = [a.arg for a in positional if a.annotation is None]
        self.takes_list = self.tensors == ["tensors"]
        self.variadic = given.vararg.arg if given.vararg else None
        self.parameters = [a.arg for a in (*given.args, *filter(None, [given.vararg]), *given.kwonlyargs)]
        self.plain = [name for name in self.parameters if name not in self.tensors]
        self.differentiable = [name for name in self.tensors if name in self.formulas]
        self.many = len(self.outputs) != 1
        codes = {name: formula.__code__ for name, formula in self.formulas.items()}
        self.formula_parameters = {name: code.co_varnames[: code.co_argcount] for name, code in codes.items()}
        self.saved = list(dict.fromkeys(s for names in self.formula_parameters.values() for s in names[1:]))
        # Those of them that are tensors' values, and where each belongs, as `saved.unpack` wants to know it.
        places = {name: i for i, name in enumerate(self.differentiable)}
        places |= {name: -1 - i for i, name in enumerate(self.outputs)}
        self.values = {s: places.get(s) for s in self.saved if s in self.tensors or s in self.outputs}


def op(
    signature: str, kernel: Callable[..., Any], *, check: Callable[..., Any] | None = None, node: str | None = None,
    outputs: tuple[str, ...] = ("result",), promote: bool | Callable[..., Any] = False, floating: bool = False,
    view: bool = False, inplace: bool = False, operator: str | None = None, method: bool = True, numbers: bool = False,
    **formulas: Callable[..., Any],
) -> Callable[..., Any]:  # fmt: skip
    """Declare an operation and return its function.

    A name as `sum.1` is an overload of `sum`: the row of the node `SumBackward1`, and no method by itself.
    `kernel` takes arrays and the other arguments in the signature's order; `check`, which takes the same, raises the
    errors of a call before it (formulas on arrays call the kernel alone). `node` names the backward node where not the
    operation's name in capitals with `Backward0`. `promote`: two operands meet in one dtype, by this function or by
    `dtypes.promote`; of an operator or an overload the second may be a number, as in other rows with `numbers`.
    `floating`: integers become floats first. `view`: the result shares the input's memory. `inplace`: a form with a
    trailing underscore. `operator`: `"mul"` for `__mul__` and, with `inplace`, `__imul__`.
    """
    full_name, _, parameter_list = signature.partition("(")
    name, overload, number = full_name.partition(".")
    numbers = numbers or bool(promote and (operator or overload))
    operation = OPERATIONS[full_name] = Operation(
        name, parameter_list, kernel, formulas, outputs, check, promote, floating, view, numbers
    )
    operation.node = node_class(operation, node or f"{name.title().replace('_', '')}Backward{number or 0}")
    operation.function = forward_function(operation, name)
    operation.function.__doc__ = f"`{name}({parameter_list}`; see PyTorch's `torch.{name}`."
    if method and not overload and operation.tensors[:1] == ["self"]:
        setattr(Tensor, name, operation.function)
    if inplace:
        setattr(Tensor, f"{name}_", inplace_form(operation.function))
    if operator:
        as_operator = forward_function(operation, f"__{operator}__")
        setattr(Tensor, f"__{operator}__", as_operator)
        if inplace:
            setattr(Tensor, f"__i{operator}__", inplace_form(as_operator))
    return operation.function


def method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function that chooses among operations a method of Tensor too."""
    setattr(Tensor, function.__name__, function)
    return function


def inplace_form(function: Callable[..., Any], overlap: bool = False) -> Callable[..., Any]:
    """`x.f_(...)` of `f`: the result of `f`, written over `x`, whose history it becomes; whether elements of `x` and
    operands may lie in one memory."""

    def form(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        from .inplace import refuse_in_place, refuse_overlap, write

        source = self
        operands = [a for a in (self, *args, *kwargs.values()) if isinstance(a, Tensor)]
        if state.recording and any(a.requires_grad for a in operands):
            refuse_in_place(self)
            # What the backward needs of the old values must outlive them.
            source = wrap(self._array.copy(order="K"))
            source._edge = self._edge
        if not overlap:
            refuse_overlap(self, operands)
        output = function(source, *args, **kwargs)
        return output if output is NotImplemented else write(self, output)

    form.__name__ = form.__qualname__ = f"{function.__name__.strip('_')}_"
    form.__doc__ = f"The in-place form of `{function.__name__}`."
    return form
