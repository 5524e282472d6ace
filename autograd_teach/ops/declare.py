"""How an operation is declared, and what follows from the declaration.

A declaration is one row: signature, NumPy kernel, and for each differentiable input one formula, a lambda whose first
parameter is the gradient `g` of the result and whose other parameters name what must be saved:

    mul = op("mul(self, other)", np.multiply, promote=True, inplace=True, operator="mul",
             self=lambda g, other: g * other,
             other=lambda g, self: g * self)

Parameters of the signature without default or annotation are tensors; one called `tensors` is a list of them. A formula
may name an input, `result` (or, of several results, their names in `outputs`), `<input>_shape`, `<input>_strides`
(in bytes), `<input>_dtype`, or any argument that is no tensor. Of an operation with several results it gets `grads`, a list, for `g`; where `outputs` is empty,
there are as many results as the kernel returns.

From the row follow the function, the method, the operator, the in-place form, and the class of its backward node. Their code
is written out as Python source, once an operation and when it is first called, as dataclasses do it: nothing is left to decide
when an operation is called but what depends on the call. A traceback shows that source. For the row above it is, in essence,

    def mul(input, other):
        result = kernel(input._array, other._array, out=...)             # numbers, dtypes, errors: left out here
        output = new(Tensor)
        output._array, output._counter = result, [0]
        if state.recording:
            self_edge, other_edge = input._edge, other._edge
            if self_edge is not NO_EDGE or other_edge is not NO_EDGE:
                node = new(MulBackward0)
                node._edges = (self_edge or edge_of_leaf(input), other_edge or edge_of_leaf(other))
                node._s_other = (other._array, other._counter, other._counter[0])   # only if self requires grad
                node._s_self = (input._array, input._counter, input._counter[0])    # only if other does
                output._edge = (node, 0)
        return output

    def _backward(node, g, edges):
        self, counter, version = node._s_self or freed(node)            # only if a gradient of other is wanted
        if counter[0] != version:
            self = unpack(node, node._s_self, 0)._array                 # packed by a hook; raises if it was written to
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
import re
import sys
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

import numpy as np

from .. import dtypes
from ..autograd.leaf import edge_of_leaf
from ..autograd.modes import state
from ..autograd.node import NO_EDGE, Node, next_sequence_number
from ..autograd.saved import freed, unpack
from ..errors import error
from ..tensor import InferenceCounter, Tensor, View, wrap

# The package of the operations' modules.
_ROOM = __name__.rpartition(".")[0]

# Every operation, by the name in its signature.
OPERATIONS: dict[str, Operation] = {}


@dataclass
class Operation:
    """What a declaration said; the table that tests and documentation read."""

    name: str
    kernel: Callable[..., Any]
    # The parameters as written, the names of all in order, of those that are tensors, and of `*one` that takes the rest.
    parameter_list: str
    parameters: list[str]
    tensors: list[str]
    variadic: str | None
    formulas: Mapping[str, Callable[..., Any]]
    outputs: tuple[str, ...]
    check: Callable[..., Any] | None
    promote: bool | Callable[..., Any]
    floating: bool
    view: bool
    node: type[Node] = field(init=False)
    function: Callable[..., Any] = field(init=False)

    def __post_init__(self) -> None:
        # Several results, or as many as there are.
        self.many = len(self.outputs) != 1
        self.differentiable = [name for name in self.tensors if name in self.formulas]
        self.plain = [name for name in self.parameters if name not in self.tensors]
        self.takes_list = self.tensors == ["tensors"]

    def call(self, passed: Sequence[str]) -> str:
        return ", ".join(f"{p}_array" if p in self.tensors else p for p in passed)

    def edge_index(self, saved: str) -> int | None:
        """Where a saved value belongs, as `saved.unpack` wants to know it."""
        if saved in self.outputs:
            return -1 - self.outputs.index(saved)
        return self.differentiable.index(saved) if saved in self.formulas else None

    def is_value(self, saved: str) -> bool:
        return saved in self.tensors or saved in self.outputs


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
    of a call before it (formulas on arrays call the kernel alone). `node` names the backward node where it is not the operation's
    name in capitals with `Backward0`. `promote`: two operands meet in one dtype, by this function or by `dtypes.promote`, and the
    second may be a number. `floating`: integers become floats first. `view`: the result shares the input's memory. `inplace`: a
    form with a trailing underscore. `operator`: `"mul"` for `__mul__` and, with `inplace`, `__imul__`.
    """
    full_name, _, parameter_list = signature.partition("(")
    name, overload, number = full_name.partition(".")
    arguments = ast.parse(f"def {name}({parameter_list}: pass").body[0].args  # type: ignore[attr-defined]  # the def just written
    positional = arguments.args[: len(arguments.args) - len(arguments.defaults)]
    tensors = [a.arg for a in positional if a.annotation is None]
    rest = [arguments.vararg.arg] if arguments.vararg else []
    parameters = [a.arg for a in arguments.args] + rest + [a.arg for a in arguments.kwonlyargs]
    operation = OPERATIONS[full_name] = Operation(
        name, kernel, parameter_list, parameters, tensors, rest[0] if rest else None, formulas, outputs, check, promote,
        floating, view,
    )  # fmt: skip
    operation.node = _node_class(operation, node or f"{name.title().replace('_', '')}Backward{number or 0}")
    operation.function = _forward(operation, name, "foreign")
    operation.function.__doc__ = f"`{name}({parameter_list}`; see PyTorch's `torch.{name}`."
    if method and not overload and tensors[:1] == ["self"]:
        setattr(Tensor, name, operation.function)
    if inplace:
        setattr(Tensor, f"{name}_", inplace_form(operation.function))
    if operator:
        as_operator = _forward(operation, f"__{operator}__", "foreign_operand")
        setattr(Tensor, f"__{operator}__", as_operator)
        if inplace:
            setattr(Tensor, f"__i{operator}__", inplace_form(as_operator))
    return operation.function


def method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function that chooses among operations a method of Tensor too."""
    setattr(Tensor, function.__name__, function)
    return function


# The forward function


def _forward(operation: Operation, name: str, foreign: str) -> Callable[..., Any]:
    """The forward function, which is written when it is first called: a program uses few of the operations.

    It stays the same object, for others hold it by then; its first call gives it the code that it has from there on.
    """
    namespace: dict[str, Any] = {**_GLUE, "__name__": __name__, "kernel": operation.kernel, "NodeClass": operation.node}
    namespace |= {"check": operation.check, "Result": _result_type(operation) if len(operation.outputs) > 1 else tuple}
    if callable(operation.promote):
        namespace["promote"] = operation.promote
    function = namespace[name] = FunctionType(_first_call.__code__, namespace, name)
    function.__module__ = __name__

    def write() -> Callable[..., Any]:
        written = _compile(_forward_lines(operation, name, foreign), name, {**namespace})
        function.__code__ = written.__code__
        function.__defaults__, function.__kwdefaults__ = written.__defaults__, written.__kwdefaults__
        return function

    namespace["write"] = write
    return function


def _first_call(*args: Any, **kwargs: Any) -> Any:
    # Never run here, but as the code of a function whose globals hold `write`.
    return write()(*args, **kwargs)  # type: ignore[name-defined]  # noqa: F821  as said


def _shown(tensor: str) -> str:
    """The name of a tensor parameter in the function: PyTorch's functions call the first one `input`."""
    return "input" if tensor == "self" else tensor


def _forward_lines(operation: Operation, name: str, foreign: str) -> list[str]:
    tensors, plain = operation.tensors, operation.plain
    arrays = [f"{t}_array" for t in tensors]
    shown = [_shown(t) for t in tensors]
    # In a row that begins with a number, as `rsub`'s, `self` is that number.
    parameter_list = operation.parameter_list
    if "self" in tensors:
        parameter_list = re.sub(r"\bself\b", "input", parameter_list, count=1)
    lines = [f"def {name}({parameter_list}:"]
    if rest := operation.variadic:
        # Sizes and dimensions come as numbers or as one sequence.
        lines += [
            f"    if len({rest}) == 1 and not isinstance({rest}[0], (int, Tensor)):",
            f"        {rest} = tuple({rest}[0])",
        ]
    lines += ["    try:"]
    for number, (t, array) in enumerate(zip(shown, arrays)):
        if number and operation.promote:
            lines += [f"        if {t}.__class__ in NUMBERS:", f"            {t} = number({t}, {arrays[0]})"]
        lines += [f"        {array} = " + ("[t._array for t in tensors]" if operation.takes_list else f"{t}._array")]
    given = "".join(f", {p}={p}" for p in plain)
    lines += [
        "    except AttributeError:",
        f"        return {foreign}({name}, {operation.name!r}, {shown!r}, ({', '.join(shown)},){given})",
    ]
    if operation.promote and len(arrays) == 2:
        both = ", ".join(arrays)
        lines += [f"    if {arrays[0]}.dtype is not {arrays[1]}.dtype:", f"        {both} = promote({both})"]
    if operation.floating:
        lines += [f"    if {arrays[0]}.dtype.kind != 'f':", *(f"        {a} = as_floating({a})" for a in arrays)]
    passed = list(operation.parameters)
    if operation.check:
        lines += [f"    check({operation.call(passed)})"]
    ufunc = isinstance(operation.kernel, np.ufunc)
    if ufunc and "alpha" in plain:
        # PyTorch's sums take a factor of the second operand; NumPy's do not.
        passed.remove("alpha")
        lines += ["    if alpha != 1:", f"        {arrays[-1]} = scaled({arrays[-1]}, alpha)"]
    # An Ellipsis for `out` keeps a result of rank 0 an array.
    call = f"kernel({operation.call(passed)}{', out=...' if ufunc else ''})"
    errors = []
    if operation.promote:
        errors += ["    except ValueError:", f"        raise broadcast_error({', '.join(arrays)}) from None"]
    if ufunc:
        # A ufunc knows its dtypes: what PyTorch says of the others costs nothing until then.
        errors += ["    except TypeError:", f"        raise error('{operation.name}_dtype', title({arrays[0]})) from None"]
    lines += ["    try:", f"        result = {call}", *errors] if errors else [f"    result = {call}"]
    if not operation.many and not ufunc:
        lines += ["    if result.__class__ is not ndarray:", "        result = asarray(result)"]
    if operation.many:
        made = f"views_of({shown[0]}, result)" if operation.view else "[wrap(asarray(r)) for r in result]"
        lines += [f"    outputs = {made}"]
    elif operation.view:
        lines += [f"    output = view_of({shown[0]}, result)"]
    else:
        lines += ["    output = new(Tensor)", "    output._array = result", "    output._counter = [0]"]
    lines += _record(operation)
    if not operation.many and not operation.view:
        lines += ["    elif state.inference:" if operation.differentiable else "    if state.inference:"]
        lines += ["        output._counter = InferenceCounter((0,))"]
    return [*lines, f"    return {'Result(outputs)' if operation.many else 'output'}"]


def _record(operation: Operation) -> list[str]:
    """The lines that make the backward node, when some input requires grad."""
    inputs = operation.differentiable
    if not inputs:
        return []
    if operation.takes_list:
        lines = ["    list_edges = [t._edge for t in tensors]"]
        wanted = "any([e is not NO_EDGE for e in list_edges])"
        edges = "tuple([e or edge_of_leaf(t) for e, t in zip(list_edges, tensors)])"
    else:
        # Read once: that of a view is computed.
        lines = [f"    {t}_edge = {_shown(t)}._edge" for t in inputs]
        wanted = " or ".join(f"{t}_edge is not NO_EDGE" for t in inputs)
        edges = "(" + "".join(f"{t}_edge or edge_of_leaf({_shown(t)}), " for t in inputs) + ")"
    lines += [f"    if {wanted}:", "        node = new(NodeClass)", f"        node._edges = {edges}"]
    lines += ["        node._sequence = next_sequence_number()", "        node._hooks = None"]
    made = "outputs" if operation.many else "output"
    if operation.many:
        lines += ["        place_outputs(node, outputs)"]
    else:
        lines += ["        node._shape = result.shape", "        node._dtype = result.dtype"]
        lines += ["        output._edge = (node, 0)"]
    users: dict[str, list[str]] = {}
    for t in inputs:
        for saved in _saved_names(operation.formulas[t]):
            users.setdefault(saved, []).append(t)
    for saved, using in users.items():
        value = _saved_value(operation, saved, made)
        if saved in operation.tensors and len(inputs) > 1:
            # An input is kept only where a gradient that needs it will be asked for.
            value += " if " + " or ".join(f"{t}_edge is not NO_EDGE" for t in using) + " else None"
        lines += [f"        node._s_{saved} = {value}"]
    lines += ["        if recording is not True:", "            recording(node)"]
    return ["    if recording := state.recording:", *("    " + line for line in lines)]


def _saved_names(formula: Callable[..., Any]) -> list[str]:
    return [p for p in _parameters(formula) if p not in ("g", "grads")]


def _parameters(formula: Callable[..., Any]) -> tuple[str, ...]:
    assert isinstance(formula, FunctionType)
    return formula.__code__.co_varnames[: formula.__code__.co_argcount]


def _saved_value(operation: Operation, saved: str, made: str) -> str:
    if operation.is_value(saved):
        if saved in operation.tensors:
            made = _shown(saved)
        elif operation.many:
            made += f"[{operation.outputs.index(saved)}]"
        return f"({made}._array, {made}._counter, {made}._counter[0])"
    if saved == "tensors_shape":
        return "[a.shape for a in tensors_array]"
    stem, _, attribute = saved.rpartition("_")
    if attribute in ("shape", "strides", "dtype") and stem in operation.tensors:
        return f"{stem}_array.{attribute}"
    assert saved in operation.parameters, f"{operation.name}: a formula names {saved}"
    return saved


# The backward node


def _node_class(operation: Operation, name: str) -> type[Node]:
    saved = list(dict.fromkeys(s for f in operation.formulas.values() for s in _saved_names(f)))
    members: dict[str, Any] = {
        # Nodes print as PyTorch's do, whose classes belong to no module.
        "__module__": "builtins",
        "__doc__": f"The backward of `{operation.name}`.",
        "__slots__": [f"_s_{s}" for s in saved] + ([] if operation.outputs else ["_outputs"]),
        "_values": {f"_s_{s}": operation.edge_index(s) for s in saved if operation.is_value(s)},
        "_backward": _compile_on_first_call(operation, "_backward"),
        "_backward_graph": _compile_on_first_call(operation, "_backward_graph"),
    }
    if members["_values"]:
        members["_free"] = _free_on_first_call
    if operation.outputs:
        members["_outputs"] = len(operation.outputs)
    for s in saved:
        if not s.endswith(("_dtype", "_strides")):
            members["_saved_" + s.replace("_shape", "_sym_sizes")] = property(_saved_reader(operation, s))
    return type(name, (Node,), members)


def _free_on_first_call(node: Node) -> None:
    compiled = _compile(["def _free(node):", *(f"    node.{s} = ()" for s in node._values)], "_free", {})
    type(node)._free = compiled  # type: ignore[method-assign]  # from now on without this detour
    compiled(node)


def _saved_reader(operation: Operation, saved: str) -> Callable[[Any], Any]:
    def read(node: Any) -> Any:
        value = getattr(node, f"_s_{saved}")
        if value is None or not operation.is_value(saved):
            return value  # None: its gradient was not needed when the node was made
        value = value or freed(node)
        # A number that became an operand is shown as the number that it was.
        number = value[1][2:]
        return wrap(np.asarray(number[0])) if number else unpack(node, value, operation.edge_index(saved))

    return read


def _compile_on_first_call(operation: Operation, which: str) -> Callable[..., Any]:
    """A method that replaces itself by compiled code: most operations of a program are never differentiated."""

    def compile_now(node: Node, grad: Any, edges: Any) -> Any:
        compiled = _compile_backward(operation, graph_mode=which == "_backward_graph")
        setattr(type(node), which, compiled)
        return compiled(node, grad, edges)

    return compile_now


def _compile_backward(operation: Operation, graph_mode: bool) -> Callable[..., Any]:
    inputs = operation.differentiable
    name = f"{operation.name}_backward"
    lines = [f"def {name}(node, g, edges):"]
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
        lines += [f"{indent}{t}_grad = {t}_formula({', '.join(_parameters(formula))})"]
    results = "tensors_grad" if operation.takes_list else "(" + "".join(f"{t}_grad, " for t in inputs) + ")"
    return _compile([*lines, f"    return {results}"], name, namespace)


def _unpack(operation: Operation, saved: str, graph_mode: bool) -> list[str]:
    if not operation.is_value(saved):
        return [f"{saved} = node._s_{saved}"]
    index = operation.edge_index(saved)
    if graph_mode:
        return [f"{saved} = unpack(node, node._s_{saved} or freed(node), {index})"]
    return [
        f"{saved}, counter, version = node._s_{saved} or freed(node)",
        "if counter[0] != version:",
        f"    {saved} = unpack(node, node._s_{saved}, {index})._array",
    ]


# Formulas on arrays: the same code, bound to a namespace in which each operation is its kernel.

_arrays_namespaces: dict[str, dict[str, Any]] = {}


def _on_arrays(function: Callable[..., Any]) -> Callable[..., Any]:
    assert isinstance(function, FunctionType)
    names = _arrays_namespace(function.__module__)
    bound = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
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
        if state.recording and any(a.requires_grad for a in operands):
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

_constants: dict[Any, Tensor] = {}


def number(value: Any, like: np.ndarray) -> Tensor:
    """A Python number as an operand beside `like`: a constant of rank 0 in the dtype that the number takes there."""
    kind = value.__class__
    key = (value, like.dtype.char, kind)
    constant = _constants.get(key)
    if constant is not None:
        return constant
    own = like.dtype.kind
    d: np.dtype
    if kind is bool:
        d = np.dtype(bool)
    elif own == "f" or (kind is int and own != "b"):
        d = like.dtype
    else:
        d = np.dtype(np.int64) if kind is int else dtypes.get_default_dtype().numpy
    try:
        constant = wrap(np.array(value).astype(d))
    except OverflowError:
        raise error("number_overflows") from None
    constant._array.flags.writeable = False
    # It never moves, and remembers the number.
    constant._counter = [0, None, value]
    # 0.0 and -0.0 are one key, and NaN is none at all; what an evolving scalar leaves behind must not pile up.
    if value and not (kind is float and math.isnan(value)):
        if len(_constants) > 1000:
            _constants.clear()
        _constants[key] = constant
    return constant


def _as_tensor(value: Any) -> Tensor | None:
    """Numbers that are not plain Python ones, and NumPy arrays, are operands too."""
    if isinstance(value, (bool, int, float)):
        return number(
            value, np.empty((), dtypes.get_default_dtype().numpy if isinstance(value, float) else type(value))
        )
    if isinstance(value, (np.ndarray, np.generic)):
        dtypes.of_array(np.asarray(value))
        return wrap(np.asarray(value))
    return value if isinstance(value, Tensor) else None


def foreign(function: Any, name: str, parameters: list[str], values: tuple[Any, ...], **plain: Any) -> Any:
    """Call `function` again with its foreign operands made tensors; TypeError, in PyTorch's words, for what cannot be one."""
    if parameters == ["tensors"]:
        wrong = next(i for i, t in enumerate(values[0]) if not isinstance(t, Tensor))
        raise error("element_is_no_tensor", wrong, type(values[0][wrong]).__name__)
    converted = []
    for position, (parameter, value) in enumerate(zip(parameters, values, strict=True), 1):
        tensor = _as_tensor(value) if position > 1 or isinstance(value, Tensor) else None
        if tensor is None:
            raise error("argument_is_no_tensor", name, parameter, position, type(value).__name__)
        converted.append(tensor)
    return function(**dict(zip(parameters, converted)), **plain)


def foreign_operand(function: Any, name: str, parameters: list[str], values: tuple[Any, ...], **plain: Any) -> Any:
    """The same for an operator, which leaves to the other operand what it does not know."""
    converted = [_as_tensor(value) for value in values]
    return NotImplemented if any(c is None for c in converted) else function(*converted, **plain)


def scaled(array: np.ndarray, alpha: Any) -> np.ndarray:
    """The second operand of a sum times its factor, in its own dtype; RuntimeError where the factor has no place in that."""
    if array.dtype.kind != "f" and isinstance(alpha, float):
        raise error("alpha_of_integers")
    return np.multiply(array, alpha, out=...).astype(array.dtype, copy=False)


def broadcast_error(a: np.ndarray, b: np.ndarray) -> Exception:
    """Why two arrays do not broadcast, in PyTorch's words."""
    for dim in range(1, min(a.ndim, b.ndim) + 1):
        if a.shape[-dim] != b.shape[-dim] and 1 not in (a.shape[-dim], b.shape[-dim]):
            return error("broadcast", a.shape[-dim], b.shape[-dim], max(a.ndim, b.ndim) - dim)
    return RuntimeError(f"the operation is not defined for {a.dtype} and {b.dtype}")


def view_of(tensor: Any, array: np.ndarray) -> Tensor:
    """A view of `tensor` that shows `array`, a part of its memory."""
    counter = tensor._counter
    if counter.__class__ is InferenceCounter:
        # It has no versions, so nothing that is written to it need be told to others.
        plain = wrap(array)
        plain._counter = counter
        return plain
    view: Any = View.__new__(View)
    view._array = array
    view._counter = counter
    if tensor._base is None:
        view._base = tensor
    else:
        view._base = tensor._base
        if tensor._made_by:
            view._made_by = tensor._made_by
    view._edge = NO_EDGE
    if not state.recording:
        view._made_by = "no_grad"
    return view


def views_of(tensor: Tensor, arrays: list[np.ndarray]) -> list[Tensor]:
    """Several views that one operation gives."""
    views: list[Any] = [view_of(tensor, array) for array in arrays]
    if state.recording:
        for view in views:
            view._made_by = "many"
    return views


def place_outputs(node: Any, outputs: list[Tensor]) -> None:
    """Tell a node of several outputs, and each output, of each other."""
    shapes, types = [t._array.shape for t in outputs], [t._array.dtype for t in outputs]
    if not isinstance(type(node)._outputs, int):
        node._outputs = len(outputs)
    node._shape, node._dtype = (shapes, types) if len(outputs) > 1 else (shapes[0], types[0])
    for i, tensor in enumerate(outputs):
        if types[i].kind == "f":
            tensor._edge = (node, i)


def _result_type(operation: Operation) -> Callable[[list[Tensor]], Any]:
    """The tuple of several results, with a name for each; it prints as PyTorch's do."""
    name = operation.name.split("_")[0]
    fields = namedtuple(name, operation.outputs)  # type: ignore[misc]  # the fields of the row

    def shown(self: Any) -> str:
        return f"torch.return_types.{name}(\n" + ",\n".join(f"{k}={v!r}" for k, v in self._asdict().items()) + ")"

    return type(name, (fields,), {"__slots__": (), "__repr__": shown})._make  # type: ignore[attr-defined]  # a namedtuple


_GLUE = {
    **{f.__name__: f for f in (number, foreign, foreign_operand, scaled, broadcast_error, view_of, views_of)},
    **{f.__name__: f for f in (place_outputs, wrap, edge_of_leaf, unpack, freed, error, dtypes.title)},
    **{f.__name__: f for f in (dtypes.promote, dtypes.as_floating, np.asarray, np.ndarray, Tensor, InferenceCounter)},
    "NO_EDGE": NO_EDGE,
    "NUMBERS": NUMBERS,
    "state": state,
    "new": object.__new__,
    "next_sequence_number": next_sequence_number,
}


def _compile(lines: list[str], name: str, namespace: dict[str, Any]) -> Any:
    source = "\n".join(lines) + "\n"
    filename = f"<autograd_teach {name}>"
    # A debugger and a traceback find the written source here.
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    exec(compile(source, filename, "exec"), namespace)  # noqa: S102  the source was written just above
    return namespace[name]
