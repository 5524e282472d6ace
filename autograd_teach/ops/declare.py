"""How an operation is declared, and what follows from the declaration.

A declaration is one row: signature, NumPy kernel, and for each differentiable input one formula, a lambda whose first
parameter is the gradient `g` of the result and whose other parameters name what must be saved:

    mul = op("mul(self, other)", np.multiply, promote=True, inplace=True, operator="mul",
             self=lambda g, other: g * other,
             other=lambda g, self: g * self)

Parameters of the signature without default or annotation are tensors; one called `tensors` is a list of them. A formula
may name an input, `result` (or, of several results, their names in `outputs`), `<input>_shape`, `<input>_dtype`, or any
argument that is no tensor. Of an operation with several results it gets `grads`, a list, for `g`; where `outputs` is empty,
there are as many results as the kernel returns.

From the row follow the function, the method, the operator, the in-place form, and the class of its backward node. Their code
is written out as Python source, once an operation, as dataclasses do it: nothing is left to decide when an operation is called
but what depends on the call. A traceback shows that source. For the row above it is, in essence,

    def mul(self, other):
        result = kernel(self._array, other._array, out=...)             # numbers, dtypes, errors: left out here
        output = new(Tensor)
        output._array, output._counter = result, [0]
        if (self._edge is not NO_EDGE or other._edge is not NO_EDGE) and state.grad_enabled:
            node = new(MulBackward0)
            node._edges = (self._edge or edge_of(self), other._edge or edge_of(other))
            node._s_other = (other._array, other._counter, other._counter[0])   # only if self requires grad
            node._s_self = (self._array, self._counter, self._counter[0])       # only if other does
            output._edge = (node, 0)
        return output

    def mul_backward(node, g, edges):
        self, counter, version = node._s_self or freed(node)            # only if a gradient of other is wanted
        if counter[0] != version:
            rebuild(node, node._s_self, 0)                              # raises: modified by an inplace operation
        ...
        return self_formula(g, other), other_formula(g, self)

One formula serves every order. It is bound to two vocabularies: in one, `g`, the saved values and the functions it calls are
NumPy arrays and kernels (first-order gradients at NumPy's speed); in the other they are tensors and operations, which record
the graph of the gradient as any other computation.
"""

from __future__ import annotations

import ast
import linecache
import math
import sys
from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

from .. import dtypes
from ..autograd import graph
from ..autograd.graph import NO_EDGE, AccumulateGrad, Node
from ..autograd.modes import state
from ..errors import error
from ..tensor import Tensor, View, edge_of, wrap

# The package of the operations' modules.
_ROOM = __name__.rpartition(".")[0]

# Every operation, by the name in its signature.
OPERATIONS: dict[str, Operation] = {}


@dataclass
class Operation:
    """What a declaration said; the table that tests and documentation read."""

    name: str
    kernel: Callable[..., Any]
    # Names of all parameters in order, and of those that are tensors.
    parameters: list[str]
    tensors: list[str]
    formulas: Mapping[str, Callable[..., Any]]
    outputs: tuple[str, ...]
    check: Callable[..., Any] | None
    promote: bool | Callable[..., Any]
    floating: bool
    view: bool
    inplace: bool
    node: type[Node] = field(init=False)
    function: Callable[..., Any] = field(init=False)

    @property
    def many(self) -> bool:
        """Whether it has several results."""
        return len(self.outputs) != 1

    @property
    def differentiable(self) -> list[str]:
        return [name for name in self.tensors if name in self.formulas]


def op(
    signature: str,
    kernel: Callable[..., Any],
    *,
    check: Callable[..., Any] | None = None,
    node: str | None = None,
    outputs: tuple[str, ...] = ("result",),
    promote: bool | Callable[..., Any] = False,
    floating: bool = False,
    view: bool = False,
    inplace: bool = False,
    operator: str | None = None,
    method: bool = True,
    **formulas: Callable[..., Any],
) -> Callable[..., Any]:
    """Declare an operation and return its function.

    A name as `sum.1` is an overload of `sum`: the row of the node `SumBackward1`, and no method by itself.
    `kernel` takes arrays and the remaining arguments in the signature's order; `check`, which takes the same, raises the errors
    of a call before it (formulas on arrays call the kernel alone). `node` names the backward node where it is not
    the operation's name in capitals with `Backward0`. `promote`: two operands meet in one dtype, by this function or by
    `dtypes.promote`, and the second may be a number. `floating`: integers become floats first. `view`: the result shares the input's memory. `inplace`: a form with a
    trailing underscore. `operator`: `"mul"` for `__mul__`, `__rmul__` and, with `inplace`, `__imul__`.
    """
    full_name, _, parameter_list = signature.partition("(")
    name, variant, number = full_name.partition(".")
    method = method and not variant
    arguments = ast.parse(f"def {name}({parameter_list}: pass").body[0].args  # type: ignore[attr-defined]  # the def just written
    positional = arguments.args[: len(arguments.args) - len(arguments.defaults)]
    tensors = [a.arg for a in positional if a.annotation is None]
    variadic = arguments.vararg.arg if arguments.vararg else None
    parameters = [a.arg for a in arguments.args] + ([variadic] if variadic else [])
    parameters += [a.arg for a in arguments.kwonlyargs]
    operation = Operation(name, kernel, parameters, tensors, formulas, outputs, check, promote, floating, view, inplace)
    operation.node = _node_class(operation, node or f"{_camel_case(name)}Backward{number or 0}")
    operation.function = _forward(operation, name, parameter_list, variadic, "foreign")
    operation.function.__doc__ = f"`{signature}`; see PyTorch's `torch.{name}`."
    OPERATIONS[full_name] = operation
    if method and tensors[:1] == ["self"]:
        setattr(Tensor, name, operation.function)
    if inplace:
        setattr(Tensor, f"{name}_", inplace_form(operation.function))
    if operator:
        as_operator = _forward(operation, f"__{operator}__", parameter_list, variadic, "foreign_operand")
        setattr(Tensor, f"__{operator}__", as_operator)
        if inplace:
            setattr(Tensor, f"__i{operator}__", inplace_form(as_operator))
    return operation.function


def method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function that chooses among operations a method of Tensor too."""
    setattr(Tensor, function.__name__, function)
    return function


def _camel_case(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


# The forward function


def _forward(
    operation: Operation, name: str, parameter_list: str, variadic: str | None, foreign: str
) -> Callable[..., Any]:
    """The forward function, which is written when it is first called: a program uses few of the operations.

    It stays the same object, for others hold it by then; its first call gives it the code that it has from there on.
    """
    namespace = {**_GLUE, "__name__": __name__, "kernel": operation.kernel, "NodeClass": operation.node}
    function = FunctionType(_first_call.__code__, namespace, name)
    function.__module__ = __name__

    def write() -> Callable[..., Any]:
        lines = _forward_lines(operation, name, parameter_list, variadic, foreign)
        written = _compile(lines, name, {**namespace})
        assert isinstance(written, FunctionType)
        function.__code__ = written.__code__
        function.__defaults__, function.__kwdefaults__ = written.__defaults__, written.__kwdefaults__
        return function

    if operation.check:
        namespace["check"] = operation.check
    if callable(operation.promote):
        namespace["promote"] = operation.promote
    if operation.many:
        namespace["Result"] = _result_type(operation) if operation.outputs else tuple
    namespace[name] = function
    namespace["write"] = write
    return function


def _first_call(*args: Any, **kwargs: Any) -> Any:
    # Never run here, but as the code of a function whose globals hold `write`.
    return write()(*args, **kwargs)  # type: ignore[name-defined]  # noqa: F821  as said


def _forward_lines(
    operation: Operation, name: str, parameter_list: str, variadic: str | None, foreign: str
) -> list[str]:
    tensors = operation.tensors
    plain = [p for p in operation.parameters if p not in tensors]
    arrays = [f"{t}_array" for t in tensors]
    lines = [f"def {name}({parameter_list}:"]
    if variadic:
        # Sizes and dimensions come as numbers or as one sequence.
        lines += [
            f"    if len({variadic}) == 1 and not isinstance({variadic}[0], (int, Tensor)):",
            f"        {variadic} = tuple({variadic}[0])",
        ]
    read = f"{tensors[0]}._array"
    if tensors == ["tensors"]:
        read = "[t._array for t in tensors]"
    lines += ["    try:", f"        {arrays[0]} = {read}"]
    for t in tensors[1:]:
        if operation.promote:
            lines += [
                f"        if {t}.__class__ in NUMBERS:",
                f"            {t} = number({t}, {arrays[0]})",
            ]
        lines += [f"        {t}_array = {t}._array"]
    lines += [
        "    except AttributeError:",
        f"        return {foreign}({name}, {operation.name!r}, {tensors!r}, ({', '.join(tensors)},)"
        + "".join(f", {p}={p}" for p in plain)
        + ")",
    ]
    if operation.promote and len(arrays) == 2:
        lines += [
            f"    if {arrays[0]}.dtype is not {arrays[1]}.dtype:",
            f"        {', '.join(arrays)} = promote({', '.join(arrays)})",
        ]
    if operation.floating:
        lines += [f"    if {arrays[0]}.dtype.kind != 'f':"]
        lines += [f"        {a} = as_floating({a})" for a in arrays]
    passed = list(operation.parameters)
    if operation.check:
        lines += ["    check(" + ", ".join(f"{p}_array" if p in tensors else p for p in passed) + ")"]
    if isinstance(operation.kernel, np.ufunc) and "alpha" in plain:
        # PyTorch's sums take a factor of the second operand; NumPy's do not.
        passed.remove("alpha")
        lines += ["    if alpha != 1:", f"        {arrays[-1]} = scaled({arrays[-1]}, alpha)"]
    call = ", ".join(f"{p}_array" if p in tensors else p for p in passed)
    if isinstance(operation.kernel, np.ufunc):
        # An Ellipsis for `out` keeps a result of rank 0 an array.
        call += ", out=..."
    if operation.promote:
        lines += [
            "    try:",
            f"        result = kernel({call})",
            "    except ValueError:",
            f"        raise broadcast_error({', '.join(arrays)}) from None",
        ]
    else:
        lines += [f"    result = kernel({call})"]
    if not operation.many and not isinstance(operation.kernel, np.ufunc):
        lines += ["    if result.__class__ is not ndarray:", "        result = asarray(result)"]
    lines += _make_outputs(operation)
    lines += _record(operation)
    lines += [f"    return {'Result(outputs)' if operation.many else 'output'}"]
    return lines


def _make_outputs(operation: Operation) -> list[str]:
    base = operation.tensors[0]
    if operation.many:
        if operation.view:
            return [f"    outputs = views_of({base}, result)"]
        return ["    outputs = [wrap(asarray(r)) for r in result]"]
    if operation.view:
        return [f"    output = view_of({base}, result)"]
    return ["    output = new(Tensor)", "    output._array = result", "    output._counter = [0]"]


def _record(operation: Operation) -> list[str]:
    """The lines that make the backward node, when some input requires grad."""
    inputs = operation.differentiable
    if not inputs:
        return []
    wanted = " or ".join(f"{t}._edge is not NO_EDGE" for t in inputs)
    edges = "(" + "".join(f"{t}._edge or edge_of({t}), " for t in inputs) + ")"
    if inputs == ["tensors"]:
        wanted = "any([t._edge is not NO_EDGE for t in tensors])"
        edges = "tuple([t._edge or edge_of(t) for t in tensors])"
    lines = [f"    if ({wanted}) and state.grad_enabled:", "        node = new(NodeClass)"]
    lines += [f"        node._edges = {edges}", "        node._sequence = next_sequence_number()"]
    lines += ["        node._hooks = None"]
    if not operation.many:
        lines += ["        node._shape = result.shape", "        node._dtype = result.dtype"]
    else:
        lines += [
            "        node._shape = [r.shape for r in result]",
            "        node._dtype = [r.dtype for r in result]",
        ]
        if not operation.outputs:
            lines += ["        node._outputs = len(outputs)"]
            lines += ["        if len(outputs) == 1:"]
            lines += ["            node._shape, node._dtype = node._shape[0], node._dtype[0]"]
    users: dict[str, list[str]] = {}
    for t in inputs:
        for saved in _saved_names(operation.formulas[t]):
            users.setdefault(saved, []).append(t)
    for saved, using in users.items():
        value = _saved_value(operation, saved)
        if saved in operation.tensors and len(inputs) > 1:
            # An input is kept only where a gradient that needs it will be asked for.
            condition = " or ".join(f"{t}._edge is not NO_EDGE" for t in using)
            lines += [f"        node._s_{saved} = {value} if {condition} else None"]
        else:
            lines += [f"        node._s_{saved} = {value}"]
    if not operation.many:
        lines += ["        output._edge = (node, 0)"]
    else:
        lines += [
            "        for i, tensor in enumerate(outputs):",
            "            if tensor._array.dtype.kind == 'f':",
            "                tensor._edge = (node, i)",
        ]
    return lines


def _saved_names(formula: Callable[..., Any]) -> list[str]:
    return [p for p in _parameters(formula) if p not in ("g", "grads")]


def _parameters(formula: Callable[..., Any]) -> tuple[str, ...]:
    assert isinstance(formula, FunctionType)
    return formula.__code__.co_varnames[: formula.__code__.co_argcount]


def _saved_value(operation: Operation, saved: str) -> str:
    if saved in operation.tensors:
        return f"({saved}._array, {saved}._counter, {saved}._counter[0])"
    if saved in operation.outputs:
        place = f"outputs[{operation.outputs.index(saved)}]" if operation.many else "output"
        return f"({place}._array, {place}._counter, {place}._counter[0])"
    if saved == "tensors_shape":
        return "[a.shape for a in tensors_array]"
    for suffix in ("_shape", "_dtype"):
        stem = saved.removesuffix(suffix)
        if saved.endswith(suffix) and stem in operation.tensors:
            return f"{stem}_array{suffix.replace('_', '.')}"
    assert saved in operation.parameters, f"{operation.name}: a formula names {saved}"
    return saved


# The backward node


def _node_class(operation: Operation, name: str) -> type[Node]:
    saved = list(dict.fromkeys(s for f in operation.formulas.values() for s in _saved_names(f)))
    members: dict[str, Any] = {
        "__module__": AccumulateGrad.__module__,
        "__doc__": f"The backward of `{operation.name}`.",
        "_backward": _compile_on_first_call(operation, "_backward"),
        "_backward_graph": _compile_on_first_call(operation, "_backward_graph"),
    }
    values = [s for s in saved if s in operation.tensors or s in operation.outputs]
    # The slot of a saved value holds None where it is not needed, an empty tuple once it is freed.
    members["__slots__"] = [f"_s_{s}" for s in saved]
    if operation.outputs:
        members["_outputs"] = len(operation.outputs)
    else:
        members["__slots__"].append("_outputs")
    for s in saved:
        if not s.endswith("_dtype"):
            shown = "_saved_" + s.replace("_shape", "_sym_sizes")
            members[shown] = property(_saved_property(operation, s, s in values))
    if values:
        members["_free"] = _free_on_first_call(values)
    return type(name, (Node,), members)


def _free_on_first_call(values: list[str]) -> Callable[[Node], None]:
    def compile_now(node: Node) -> None:
        lines = ["def _free(node):", *(f"    node._s_{s} = ()" for s in values)]
        compiled = _compile(lines, "_free", {})
        type(node)._free = compiled  # type: ignore[method-assign]  # from now on without this detour
        compiled(node)

    return compile_now


def _saved_property(operation: Operation, saved: str, is_tensor: bool) -> Callable[[Any], Any]:
    if not is_tensor:
        return lambda node: getattr(node, f"_s_{saved}")
    index = _edge_index(operation, saved)

    def read(node: Any) -> Any:
        value = getattr(node, f"_s_{saved}")
        if value is None:
            return None  # its gradient was not needed when the node was made
        value = value or graph.freed(node)
        counter = value[1]
        if isinstance(counter, _NumberCounter):
            return wrap(np.asarray(counter.number))
        return rebuild(node, value, index)

    return read


def _edge_index(operation: Operation, saved: str) -> int | None:
    """Which of the node's edges is that of a saved input; None for an input without gradient, -1 - i for output number i."""
    if saved in operation.outputs:
        return -1 - operation.outputs.index(saved)
    return operation.differentiable.index(saved) if saved in operation.formulas else None


def rebuild(node: Node, value: tuple[np.ndarray, graph.Counter, int], index: int | None) -> Tensor:
    """A saved value as a tensor with its place in the graph; RuntimeError if it was written to after it was saved."""
    array, counter, version = value
    if index is None:
        edge = NO_EDGE
    elif index >= 0:
        edge = node._edges[index]
    else:
        written = getattr(node, "_written", None)
        slices = None if written is None else written()
        edge = (node, -1 - index) if slices is None else slices.edge_of_part()
    if counter[0] != version:
        graph.stale(value, edge, own=index is not None and index < 0)
    if isinstance(edge[0], AccumulateGrad):
        return edge[0].variable
    if array.dtype.kind != "f":
        edge = NO_EDGE
    tensor = wrap(array)
    tensor._counter = counter
    tensor._edge = edge if edge[0] is not None else NO_EDGE
    return tensor


def _compile_on_first_call(operation: Operation, which: str) -> Callable[..., Any]:
    """A method that replaces itself by compiled code: most operations of a program are never differentiated."""

    def compile_now(node: Node, grad: Any, edges: Any) -> Any:
        compiled = _compile_backward(operation, graph_mode=which == "_backward_graph")
        setattr(type(node), which, compiled)
        return compiled(node, grad, edges)

    return compile_now


def _compile_backward(operation: Operation, graph_mode: bool) -> Callable[..., Any]:
    inputs = operation.differentiable
    lines = [f"def {operation.name}_backward(node, g, edges):"]
    if operation.many:
        lines += ["    grads = g if node._outputs > 1 else [g]"]
    if len(inputs) > 1:
        lines += ["    " + ", ".join(f"{t}_edge" for t in inputs) + " = edges"]
    namespace = {**_GLUE, "__name__": __name__}
    # PyTorch computes them in the alphabetical order of their names; in the graph of a gradient that shows.
    for t in sorted(inputs):
        formula = operation.formulas[t]
        namespace[f"{t}_formula"] = formula if graph_mode else _on_arrays(formula)
        indent = "    "
        if len(inputs) > 1:
            lines += [f"    {t}_grad = None", f"    if {t}_edge[0] is not None:"]
            indent = "        "
        for saved in _saved_names(formula):
            lines += [indent + line for line in _unpack(operation, saved, graph_mode)]
        call = ", ".join(_parameters(formula))
        lines += [f"{indent}{t}_grad = {t}_formula({call})"]
    results = "(" + "".join(f"{t}_grad, " for t in inputs) + ")"
    lines += [f"    return {'tensors_grad' if inputs == ['tensors'] else results}"]
    return _compile(lines, f"{operation.name}_backward", namespace)


def _unpack(operation: Operation, saved: str, graph_mode: bool) -> list[str]:
    if saved not in operation.tensors and saved not in operation.outputs:
        return [f"{saved} = node._s_{saved}"]
    index = _edge_index(operation, saved)
    if graph_mode:
        return [f"{saved} = rebuild(node, node._s_{saved} or freed(node), {index})"]
    return [
        f"{saved}, counter, version = node._s_{saved} or freed(node)",
        "if counter[0] != version:",
        f"    rebuild(node, node._s_{saved}, {index})",
    ]


# Formulas on arrays: the same code, bound to a namespace in which each operation is its kernel.

_arrays_namespaces: dict[str, dict[str, Any]] = {}


def _on_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    assert isinstance(function, FunctionType)
    bound = FunctionType(
        function.__code__,
        _arrays_namespace(function.__module__),
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    bound.__kwdefaults__ = function.__kwdefaults__
    return bound


def _arrays_namespace(module: str) -> dict[str, Any]:
    """The names of a module of operations, as formulas on arrays mean them."""
    if module not in _arrays_namespaces:
        names = _arrays_namespaces[module] = dict(vars(sys.modules[module]))
        kernels = {operation.function: operation.kernel for operation in OPERATIONS.values()}
        for name, value in names.items():
            if not isinstance(value, FunctionType):
                continue
            if value in kernels:
                names[name] = kernels[value]
            elif value.__module__.startswith(_ROOM) and value.__module__ != __name__:
                names[name] = _on_arrays(value)
    return _arrays_namespaces[module]


# In-place forms


def inplace_form(function: Callable[..., Any]) -> Callable[..., Any]:
    """`x.f_(...)` of `f`: the result of `f`, written over `x`, whose history it becomes."""

    def form(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        from .inplace import refuse_in_place, refuse_overlap, write

        source = self
        operands = [a for a in (self, *args, *kwargs.values()) if isinstance(a, Tensor)]
        if state.grad_enabled and any(a._edge is not NO_EDGE for a in operands):
            refuse_in_place(self)
            # What the backward needs of the old values must outlive them.
            source = wrap(self._array.copy())
            source._edge = self._edge
        refuse_overlap(self, operands)
        output = function(source, *args, **kwargs)
        return output if output is NotImplemented else write(self, output)

    form.__name__ = form.__qualname__ = f"{function.__name__.strip('_')}_"
    form.__doc__ = f"The in-place form of `{function.__name__}`."
    return form


# What the written code calls


NUMBERS = frozenset((int, float, bool))


class _NumberCounter(list[Any]):
    """The version counter of a number that became an operand; it never moves, and it remembers the number."""

    number: Any


_constants: dict[Any, Tensor] = {}


def number(value: Any, like: np.ndarray) -> Tensor:
    """A Python number as an operand beside `like`: a constant of rank 0 in the dtype that the number takes there."""
    kind = value.__class__
    key = (value, like.dtype.char, kind)
    constant = _constants.get(key)
    if constant is not None:
        return constant
    own = like.dtype.kind
    if own == "f" or (kind is int and own != "b") or kind is bool:
        d = like.dtype
    else:
        d = np.dtype(np.int64) if kind is int else dtypes.get_default_dtype().numpy
    try:
        constant = wrap(np.array(value).astype(d))
    except OverflowError:
        raise RuntimeError("value cannot be converted to type int64_t without overflow") from None
    constant._array.flags.writeable = False
    constant._counter = _NumberCounter([0])
    constant._counter.number = value
    # 0.0 and -0.0 are one key, and NaN is none at all; what an evolving scalar leaves behind must not pile up.
    if value and not (kind is float and math.isnan(value)):
        if len(_constants) > 1000:
            _constants.clear()
        _constants[key] = constant
    return constant


def _as_tensor(value: Any) -> Tensor | None:
    """Numbers that are not plain Python ones, and NumPy arrays, are operands too."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (bool, int, float)):
        d = dtypes.bool_ if isinstance(value, bool) else dtypes.int64
        d = dtypes.get_default_dtype() if isinstance(value, float) else d
        return wrap(np.asarray(value, dtype=d.numpy))
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        dtypes.of_array(array)
        return wrap(array)
    return None


def foreign(
    function: Callable[..., Any],
    name: str,
    parameters: list[str],
    values: tuple[Any, ...],
    **plain: Any,
) -> Any:
    """Call `function` again with its foreign operands made tensors; TypeError, in PyTorch's words, for what cannot be one."""
    if parameters == ["tensors"]:
        wrong = next(i for i, t in enumerate(values[0]) if not isinstance(t, Tensor))
        raise TypeError(f"expected Tensor as element {wrong} in argument 0, but got {type(values[0][wrong]).__name__}")
    converted = []
    for position, (parameter, value) in enumerate(zip(parameters, values, strict=True), 1):
        tensor = _as_tensor(value) if position > 1 or isinstance(value, Tensor) else None
        if tensor is None:
            shown = "input" if parameter == "self" else parameter
            raise TypeError(
                f"{name}(): argument '{shown}' (position {position}) must be Tensor, not {type(value).__name__}"
            )
        converted.append(tensor)
    return function(*converted, **plain)


def foreign_operand(
    function: Callable[..., Any],
    name: str,
    parameters: list[str],
    values: tuple[Any, ...],
    **plain: Any,
) -> Any:
    """The same for an operator, which leaves to the other operand what it does not know."""
    converted = [_as_tensor(value) for value in values]
    if any(tensor is None for tensor in converted):
        return NotImplemented
    return function(*converted, **plain)


def scaled(array: np.ndarray, alpha: Any) -> np.ndarray:
    """The second operand of a sum times its factor, in its own dtype; RuntimeError where the factor has no place in that."""
    if array.dtype.kind != "f" and isinstance(alpha, float):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    return np.multiply(array, alpha, out=...).astype(array.dtype, copy=False)


def broadcast_error(a: np.ndarray, b: np.ndarray) -> Exception:
    """Why two arrays do not broadcast, in PyTorch's words."""
    for dim in range(1, min(a.ndim, b.ndim) + 1):
        if a.shape[-dim] != b.shape[-dim] and 1 not in (a.shape[-dim], b.shape[-dim]):
            at = max(a.ndim, b.ndim) - dim
            return error("broadcast", a.shape[-dim], b.shape[-dim], at)
    return RuntimeError(f"the operation is not defined for {a.dtype} and {b.dtype}")


def view_of(tensor: Any, array: np.ndarray) -> View:
    """A view of `tensor` that shows `array`, a part of its memory."""
    view = View.__new__(View)
    view._array = array
    view._counter = tensor._counter
    if tensor._base is None:
        view._base = tensor
    else:
        view._base = tensor._base
        if tensor._made_by:
            view._made_by = tensor._made_by
    view._edge = NO_EDGE
    if not state.grad_enabled:
        view._made_by = "no_grad"
    return view


def views_of(tensor: Tensor, arrays: list[np.ndarray]) -> list[View]:
    """Several views that one operation gives."""
    views = [view_of(tensor, array) for array in arrays]
    if state.grad_enabled:
        for view in views:
            view._made_by = "many"
    return views


def _result_type(operation: Operation) -> Callable[[list[Tensor]], Any]:
    """The tuple of several results, with a name for each; it prints as PyTorch's do."""
    name = operation.name.split("_")[0]
    fields = namedtuple(name, operation.outputs)  # type: ignore[misc]  # the fields of the row

    def shown(self: Any) -> str:
        return f"torch.return_types.{name}(\n" + ",\n".join(f"{k}={v!r}" for k, v in self._asdict().items()) + ")"

    return type(name, (fields,), {"__slots__": (), "__repr__": shown})._make  # type: ignore[attr-defined]  # a namedtuple


_GLUE = {
    "Tensor": Tensor,
    "view_of": view_of,
    "views_of": views_of,
    "NO_EDGE": NO_EDGE,
    "NUMBERS": NUMBERS,
    "new": object.__new__,
    "ndarray": np.ndarray,
    "asarray": np.asarray,
    "wrap": wrap,
    "state": state,
    "edge_of": edge_of,
    "rebuild": rebuild,
    "freed": graph.freed,
    "next_sequence_number": graph.next_sequence_number,
    "promote": dtypes.promote,
    "as_floating": dtypes.as_floating,
    "number": number,
    "scaled": scaled,
    "foreign": foreign,
    "foreign_operand": foreign_operand,
    "broadcast_error": broadcast_error,
}


def _compile(lines: list[str], name: str, namespace: dict[str, Any]) -> Callable[..., Any]:
    source = "\n".join(lines) + "\n"
    filename = f"<autograd_teach {name}>"
    # A debugger and a traceback find the written source here.
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    exec(compile(source, filename, "exec"), namespace)  # noqa: S102  the source was written just above
    return namespace[name]
