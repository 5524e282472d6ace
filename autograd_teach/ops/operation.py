"""The declaration of operations by rows, and everything that follows from a row.

A row is a NumPy kernel and, for each differentiable input, a formula above a `def` with the
signature and documentation.

    @op(np.multiply, promote=True, inplace=True, operator="mul",
        self=lambda g, other: g * other,
        other=lambda g, self: g * self)
    def mul(self, other):
        "The product `input * other`."

The `def` never runs: it gives the name, the parameters and the documentation. Parameters without
default or annotation are tensors; a parameter called `tensors` is a list of them. The first
parameter of a formula is the gradient `g` of the result. The others name what must be saved: an
input, `result` (or, for several results, their names in `outputs`), `<input>_shape`,
`<input>_strides` (in bytes), `<input>_dtype`, or any argument that is not a tensor. For several
results, the first parameter is `grads`, a list; if `outputs` is empty, there are as many results as
the kernel returns.

The function, the method, the operator, the in-place form, and the class of the backward node follow
from the row; `codegen.py` generates their code. `vocabulary.py` explains how one formula serves
every order of derivative.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..autograd.modes import state
from ..autograd.node import NO_EDGE, Node
from ..autograd.version import InferenceCounter
from ..autograd.views import refuse_in_place, refuse_overlap, write
from ..quiet import FILTER, keep_quiet
from ..tensor import Tensor, wrap
from .codegen import forward_function, node_class
from .operands import NUMBERS, number, with_pytorch_names
from .vocabulary import on_arrays

# All operations by name; an overload by PyTorch's numbered name, such as `sum.1`.
OPERATIONS: dict[str, Operation] = {}


@dataclass
class Operation:
    """A declared operation: the arguments of `op`, and what follows from them. Tests and documentation read it."""

    name: str
    signature: inspect.Signature
    kernel: Callable[..., Any]
    formulas: Mapping[str, Callable[..., Any]]
    outputs: tuple[str, ...]
    check: Callable[..., Any] | None
    promote: bool | Callable[..., Any]
    floating: bool
    view: bool
    numbers: bool
    scalars: bool
    # Whether `torch.<name>` is this row. It is not for an overload or a step inside another
    # operation.
    is_public: bool
    node: type[Node] = field(init=False)
    function: Callable[..., Any] = field(init=False)

    def __post_init__(self) -> None:
        given = self.signature.parameters.values()
        empty = inspect.Parameter.empty
        positional = [p for p in given if p.kind is p.POSITIONAL_OR_KEYWORD]
        self.tensors = [p.name for p in positional if p.default is empty and p.annotation is empty]
        self.takes_list = self.tensors == ["tensors"]
        self.variadic = next((p.name for p in given if p.kind is p.VAR_POSITIONAL), None)
        self.parameters = [p.name for p in given]
        self.plain = [name for name in self.parameters if name not in self.tensors]
        self.differentiable = [name for name in self.tensors if name in self.formulas]
        self.many = len(self.outputs) != 1
        # Whether the kernel accepts NumPy scalars in place of arrays of rank 0, with the same
        # results.
        self.scalars = self.scalars or (isinstance(self.kernel, np.ufunc) and not self.takes_list)
        self.formula_parameters = {name: _parameters(formula) for name, formula in self.formulas.items()}
        self.saved = list(dict.fromkeys(s for names in self.formula_parameters.values() for s in names[1:]))
        self._check_formulas()
        # The saved values of tensors, with the index of each as `saved.unpack` expects it.
        places = {name: i for i, name in enumerate(self.differentiable)}
        places |= {name: -1 - i for i, name in enumerate(self.outputs)}
        self.values = {s: places.get(s) for s in self.saved if s in self.tensors or s in self.outputs}

    def _check_formulas(self) -> None:
        """TypeError, when the module is imported, for a formula with a parameter that the operation does not have."""
        for name, parameters in self.formula_parameters.items():
            if name not in self.tensors:
                raise TypeError(f"{self.name}: a formula is given for {name!r}; tensors are {', '.join(self.tensors)}")
            for parameter in parameters[1:]:
                stem, _, attribute = parameter.rpartition("_")
                of_input = stem in self.tensors and attribute in ("shape", "strides", "dtype")
                known = [*self.parameters, *self.outputs]
                if not of_input and parameter not in known:
                    raise TypeError(
                        f"{self.name}: the formula of {name!r} names {parameter!r}; it can name {', '.join(known)}, "
                        "and of a tensor its _shape, _strides or _dtype"
                    )


def _parameters(formula: Callable[..., Any]) -> tuple[str, ...]:
    code = formula.__code__
    return code.co_varnames[: code.co_argcount]


def op(
    kernel: Callable[..., Any], *, overload: str = "", check: Callable[..., Any] | None = None, node: str | None = None,
    outputs: tuple[str, ...] = ("result",), promote: bool | Callable[..., Any] = False, floating: bool = False,
    view: bool = False, inplace: bool = False, operator: str | None = None, method: bool = True, numbers: bool = False,
    scalars: bool = False,
    **formulas: Callable[..., Any],
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:  # fmt: skip
    """Declare an operation: decorates the `def` that names it and its parameters, and returns its function.

    `kernel` takes arrays and the other arguments, in the signature's order. `check` takes the same
    and raises the errors of a call before the kernel runs (formulas on arrays call only the
    kernel). `node` names the backward node, if it is not the operation's name in capitals with
    `Backward0`. `overload="sum.1"`: an overload of `sum`, with the node `SumBackward1`, and not a
    method by itself. `promote`: two operands are promoted to one dtype, by this function or by
    `dtypes.promote`; the second operand of an operator or an overload may be a number, as in other
    rows with `numbers`. `floating`: integers are converted to floats first. `scalars`: the kernel
    accepts NumPy scalars in place of arrays of rank 0, as ufuncs do. `view`: the result shares the
    input's memory. `inplace`: adds a form with a trailing underscore. `operator="mul"`: adds
    `__mul__` and, with `inplace`, `__imul__`. TypeError if a formula has a parameter that the
    operation does not have.
    """

    def declare(declared: Callable[..., Any]) -> Callable[..., Any]:
        full_name = overload or declared.__name__
        name, dot, number = full_name.partition(".")
        is_overload = bool(dot)
        with_numbers = numbers or bool(promote and (operator or is_overload))
        signature = inspect.signature(declared)
        operation = OPERATIONS[full_name] = Operation(
            name, signature, kernel, formulas, outputs, check, promote, floating, view, with_numbers, scalars,
            is_public=method and not is_overload,
        )  # fmt: skip
        operation.node = node_class(operation, node or f"{name.title().replace('_', '')}Backward{number or 0}")
        function = operation.function = forward_function(operation, name, declared.__qualname__, declared)
        on_arrays(kernel)(function)
        if method and not is_overload and operation.tensors[:1] == ["self"]:
            attach(name, function)
        # A ufunc without further steps or checks can write directly into the memory of the target.
        ufunc = kernel if isinstance(kernel, np.ufunc) and promote and with_numbers and not check else None
        if inplace:
            attach(f"{name}_", inplace_form(function, ufunc=ufunc))
        if operator:
            dunder = f"__{operator}__"
            as_operator = forward_function(operation, dunder, f"Tensor.{dunder}", declared)
            setattr(Tensor, dunder, as_operator)
            if inplace:
                setattr(Tensor, f"__i{operator}__", inplace_form(as_operator, f"__i{operator}__", ufunc=ufunc))
        return function

    return declare


def attach(name: str, function: Callable[..., Any]) -> None:
    """Make a function a method of Tensor."""
    setattr(Tensor, name, function)


def method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator for a function that chooses among operations: makes it a method of Tensor too."""
    call = renaming(function)
    attach(function.__name__, call)
    return call


def renaming(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator for a function that is not a row: accepts NumPy's parameter names, explains unknown keywords."""
    known = inspect.signature(function).parameters
    if any(p.kind is p.VAR_KEYWORD for p in known.values()):
        return function

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs and not kwargs.keys() <= known.keys():
            kwargs = with_pytorch_names(function.__name__, kwargs, known)
        return function(*args, **kwargs)

    return call


def inplace_form(
    function: Callable[..., Any], name: str = "", overlap: bool = False, ufunc: np.ufunc | None = None
) -> Callable[..., Any]:
    """The in-place form `x.f_(...)` of `f`: writes the result of `f` into `x`, together with its history.

    overlap: whether `x` and the operands may share memory. ufunc: what `f` computes from two
    operands, if it does nothing else; without history to record, it writes directly into the memory
    of `x`.
    """

    def form(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if ufunc is not None and len(args) == 1 and not kwargs and _written_by(ufunc, self, args[0]):
            return self
        source = self
        operands = [a for a in (self, *args, *kwargs.values()) if isinstance(a, Tensor)]
        if state.mode.recording and any(a.requires_grad for a in operands):
            refuse_in_place(self)
            # A copy of the old values, because the backward pass may need them.
            source = wrap(self._array.copy(order="K"))
            source._edge = self._own_edge()
        if not overlap:
            refuse_overlap(self, operands)
        output = function(source, *args, **kwargs)
        return output if output is NotImplemented else write(self, output)

    name = name or f"{function.__name__}_"
    form.__name__, form.__qualname__, form.__module__ = name, f"Tensor.{name}", Tensor.__module__
    out_of_place = getattr(function, "__signature__", None) or inspect.signature(function)
    parameters = list(out_of_place.parameters.values())
    form.__signature__ = out_of_place.replace(  # type: ignore[attr-defined]  # read by `inspect`
        parameters=[parameters[0].replace(name="self"), *parameters[1:]]
    )
    form.__doc__ = f"`{function.__name__}` written over the tensor itself; returns it.\n\n{in_place_errors}"
    return form


def _written_by(ufunc: np.ufunc, target: Any, other: Any) -> bool:
    """Let the ufunc write into `target` if possible: arrays of one float dtype, not views. Returns whether it did."""
    mode, array = state.mode, target._value
    if array.__class__ is not np.ndarray or array.base is not None or target._versions.__class__ is InferenceCounter:
        return False
    if other.__class__ in NUMBERS:
        operand = number(other, array)._value
    elif isinstance(other, Tensor):
        if mode.recording and not (target._edge is NO_EDGE and other._edge is NO_EDGE):
            return False
        operand = other._array
        if operand.base is not None or (operand.ndim and operand.shape != array.shape):
            return False
    else:
        return False
    if mode.recording and target._edge is not NO_EDGE:
        return False
    if operand.dtype is not array.dtype or array.dtype.kind != "f" or state.before_write is not None:
        return False
    if warnings.filters[0] is not FILTER:
        keep_quiet()
    try:
        ufunc(array, operand, out=array)
    except (TypeError, ValueError):
        return False  # the ufunc does not support floats, or the array is read-only
    target._counter.bump()
    return True


in_place_errors = """RuntimeError for a leaf that requires grad (unless under `no_grad`), and if the result does not have the tensor's shape or
cannot have its dtype. Counts as a write: a saved value of the tensor is out of date afterwards."""
