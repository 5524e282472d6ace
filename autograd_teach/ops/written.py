"""The code of an operation, written out as Python source from its row when it is first called, as dataclasses do it.

Nothing is left to decide in a call but what depends on that call. A traceback shows the source; of `mul` in essence

    def mul(input, other):
        result = kernel(input._array, other._array, out=...)             # numbers, dtypes, errors: left out here
        output = new(Tensor)
        output._array, output._counter = result, [0]
        if state.recording:
            self_edge, other_edge = input._edge, other._edge
            if self_edge is not NO_EDGE or other_edge is not NO_EDGE:
                node = MulBackward0()
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
"""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import dtypes
from ..autograd.leaf import edge_of_leaf
from ..autograd.modes import state
from ..autograd.node import NO_EDGE, Node, next_sequence_number
from ..autograd.saved import freed, unpack
from ..errors import error
from ..tensor import InferenceCounter, Tensor, wrap
from .operands import NUMBERS, broadcast_error, foreign, number, place_outputs, result_type, scaled, view_of, views_of

if TYPE_CHECKING:
    from .declare import Operation

# The kernel of each operation's function.
_KERNELS: dict[Any, Callable[..., Any]] = {}

# What written code names.
_GLUE: dict[str, Any] = {"NO_EDGE": NO_EDGE, "NUMBERS": NUMBERS, "state": state, "new": object.__new__}
_GLUE |= {"__name__": __name__, "next_sequence_number": next_sequence_number}
for _named in (
    number, foreign, scaled, broadcast_error, view_of, views_of, place_outputs, wrap, edge_of_leaf, unpack, freed,
    error, dtypes.title, dtypes.promote, dtypes.as_floating, np.asarray, np.ndarray, Tensor, InferenceCounter,
):  # fmt: skip
    _GLUE[_named.__name__] = _named


# The forward function


def forward_function(operation: Operation, name: str) -> Callable[..., Any]:
    """The forward function, whose code is written when it is first called: a program uses few of the operations."""
    namespace = _GLUE | {"kernel": operation.kernel, "check": operation.check, "NodeClass": operation.node}
    namespace["Result"] = result_type(operation.name, operation.outputs) if len(operation.outputs) > 1 else tuple
    if callable(operation.promote):
        namespace["promote"] = operation.promote
    # It stays the same object when it gets its code, for others hold it by then.
    function = namespace[name] = FunctionType(_first_call.__code__, namespace, name)
    function.__qualname__ = name

    def write() -> Callable[..., Any]:
        written = _compile(_forward_lines(operation, name), name, namespace.copy())
        function.__code__ = written.__code__
        function.__defaults__, function.__kwdefaults__ = written.__defaults__, written.__kwdefaults__
        return function

    namespace["write"] = write
    _KERNELS[function] = operation.kernel
    return function


def _first_call(*args: Any, **kwargs: Any) -> Any:
    # Never run here, but as the code of a function whose globals hold `write`.
    return write()(*args, **kwargs)  # type: ignore[name-defined]  # noqa: F821  as said


def _shown(tensor: str) -> str:
    """The name of a tensor parameter in the function: PyTorch's functions call the first one `input`."""
    return "input" if tensor == "self" else tensor


def _forward_lines(operation: Operation, name: str) -> list[str]:
    tensors, parameter_list = operation.tensors, operation.parameter_list
    arrays, shown = [f"{t}_array" for t in tensors], list(map(_shown, tensors))
    # In a row that begins with a number, as `rsub`'s, `self` is that number.
    if "self" in tensors:
        parameter_list = re.sub(r"\bself\b", "input", parameter_list, count=1)
    lines = [f"def {name}({parameter_list}:"]
    if rest := operation.variadic:
        # Sizes and dimensions come as numbers or as one sequence.
        lines += [f"    if len({rest}) == 1 and not isinstance({rest}[0], (int, Tensor)):"]
        lines += [f"        {rest} = tuple({rest}[0])"]
    lines += ["    try:"]
    for position, (t, array) in enumerate(zip(shown, arrays)):
        if position and operation.promote and operation.numbers:
            lines += [f"        if {t}.__class__ is not Tensor and {t}.__class__ in NUMBERS:"]
            lines += [f"            {t} = number({t}, {arrays[0]})"]
        lines += [f"        {array} = " + ("[t._array for t in tensors]" if operation.takes_list else f"{t}._array")]
    values = f"({', '.join(shown)},)" + "".join(f", {p}={p}" for p in operation.plain)
    lines += ["    except AttributeError:", f"        return foreign({name}, {operation.numbers}, {shown!r}, {values})"]
    if operation.differentiable:
        # Read once, for that of a view is computed; and first, for it may be forbidden.
        lines += ["    if recording := state.recording:", *_edge_lines(operation)]
    if operation.promote:
        both = ", ".join(arrays)
        lines += [f"    if {arrays[0]}.dtype is not {arrays[1]}.dtype:", f"        {both} = promote({both})"]
    if operation.floating:
        lines += [f"    if {arrays[0]}.dtype.kind != 'f':", *(f"        {a} = as_floating({a})" for a in arrays)]
    passed = [f"{p}_array" if p in tensors else p for p in operation.parameters]
    if operation.check:
        lines += [f"    check({', '.join(passed)})"]
    ufunc = isinstance(operation.kernel, np.ufunc)
    if ufunc and "alpha" in passed:
        # PyTorch's sums take a factor of the second operand; NumPy's do not.
        passed.remove("alpha")
        lines += ["    if alpha != 1:", f"        {arrays[-1]} = scaled({arrays[-1]}, alpha)"]
    # An Ellipsis for `out` keeps a result of rank 0 an array.
    call = f"    result = kernel({', '.join(passed)}{', out=...' if ufunc else ''})"
    errors = []
    if operation.promote:
        errors += ["    except ValueError:", f"        raise broadcast_error({', '.join(arrays)}) from None"]
    if ufunc:
        # A ufunc knows its dtypes: what PyTorch says of the others costs nothing until then.
        errors += ["    except TypeError:"]
        errors += [f"        raise error('{operation.name}_dtype', title({arrays[0]})) from None"]
    lines += ["    try:", f"    {call}", *errors] if errors else [call]
    if not operation.many and not ufunc:
        lines += ["    if result.__class__ is not ndarray:", "        result = asarray(result)"]
    if operation.many:
        made = f"views_of({shown[0]}, result)" if operation.view else "[wrap(asarray(r)) for r in result]"
        lines += [f"    outputs = {made}"]
    elif operation.view:
        lines += [f"    output = view_of({shown[0]}, result)"]
    else:
        lines += ["    output = new(Tensor)", "    output._array = result", "    output._counter = [0]"]
    if operation.differentiable:
        lines += ["    if recording:", *_record(operation)]
    if not operation.many and not operation.view:
        lines += ["    elif state.inference:" if operation.differentiable else "    if state.inference:"]
        lines += ["        output._counter = InferenceCounter((0,))"]
    return [*lines, f"    return {'Result(outputs)' if operation.many else 'output'}"]


def _edge_lines(operation: Operation) -> list[str]:
    if operation.takes_list:
        return ["        list_edges = [t._edge for t in tensors]"]
    return [f"        {t}_edge = {_shown(t)}._edge" for t in operation.differentiable]


def _record(operation: Operation) -> list[str]:
    """The lines that make the backward node, when some input requires grad."""
    inputs = operation.differentiable
    if operation.takes_list:
        wanted = "any([e is not NO_EDGE for e in list_edges])"
        edges = "tuple([e or edge_of_leaf(t) for e, t in zip(list_edges, tensors)])"
    else:
        wanted = " or ".join(f"{t}_edge is not NO_EDGE" for t in inputs)
        edges = "(" + "".join(f"{t}_edge or edge_of_leaf({_shown(t)}), " for t in inputs) + ")"
    made = ["node = NodeClass()", f"node._edges = edges = {edges}"]
    made += ["node._sequence = next_sequence_number()", "node._hooks = None"]
    if operation.many:
        made += ["place_outputs(node, outputs)"]
    else:
        made += ["node._shape = result.shape", "node._dtype = result.dtype", "output._edge = (node, 0)"]
    for saved in operation.saved:
        value = _saved_value(operation, saved)
        if (user := _only_user(operation, saved)) is not None:
            value += f" if edges[{user}][0] is not None else None"
        made += [f"node._s_{saved} = {value}"]
    made += ["if recording is not True:", "    recording(node)"]
    return [f"        if {wanted}:", *(f"            {line}" for line in made)]


def _only_user(operation: Operation, saved: str) -> int | None:
    """The edge without which an input need not be kept, as in PyTorch: only where just one of several gradients needs it."""
    users = [i for i, t in enumerate(operation.differentiable) if saved in operation.formula_parameters[t]]
    several = len(operation.differentiable) > 1 and saved in operation.tensors
    return users[0] if several and len(users) == 1 and not operation.takes_list else None


def _saved_value(operation: Operation, saved: str) -> str:
    if saved in operation.values:
        made = _shown(saved)
        if saved in operation.outputs:
            made = f"outputs[{operation.outputs.index(saved)}]" if operation.many else "output"
        return f"({made}._array, {made}._counter, {made}._counter[0])"
    if saved == "tensors_shape":
        return "[a.shape for a in tensors_array]"
    stem, _, attribute = saved.rpartition("_")
    if attribute in ("shape", "strides", "dtype") and stem in operation.tensors:
        return f"{stem}_array.{attribute}"
    assert saved in operation.parameters, f"{operation.name}: a formula names {saved}"
    return saved


# The backward node


def node_class(operation: Operation, name: str) -> type[Node]:
    """The class of the operation's backward nodes, called `name`."""
    space, _, short = name.rpartition("::")
    slots = {saved: f"_s_{saved}" for saved in operation.saved}
    members: dict[str, Any] = {
        # Nodes print as PyTorch's do, whose classes belong to no module.
        "__module__": "builtins",
        "__doc__": f"The backward of `{operation.name}`.",
        "__slots__": [*slots.values(), *(["_outputs"] if operation.many else [])],
        "__init__": object.__init__,  # recording sets all that there is
        "_prefix": space and f"{space}::",
        "_gives_view": operation.view,
        "_values": {slots[saved]: index for saved, index in operation.values.items()},
        # Methods that replace themselves: most operations of a program are never differentiated.
        "_backward": lambda *given: _compile_backward(operation, "_backward")(*given),
        "_backward_graph": lambda *given: _compile_backward(operation, "_backward_graph")(*given),
    }
    # Index tensors are plain to a row, but PyTorch frees them as well.
    freed_slots = [*members["_values"], *(["_s_indices"] if "indices" in operation.plain else [])]
    lines = ["def _free(node):", *(f"    node.{s} = node.{s} and ()" for s in freed_slots)]
    members["_free"] = _compile(lines, "_free", {}) if freed_slots else _free_nothing
    for saved in slots:
        if not saved.endswith(("_dtype", "_strides")):
            members["_saved_" + saved.replace("_shape", "_sym_sizes")] = property(
                partial(_read_saved, operation, saved)
            )
    return type(short, (Node,), members)


def _free_nothing(node: Node) -> None:
    pass


def _read_saved(operation: Operation, saved: str, node: Any) -> Any:
    value = getattr(node, f"_s_{saved}")
    if value is None or saved not in operation.values:
        return value  # None: its gradient was not needed when the node was made
    value = value or freed(node)
    # A number that became an operand is shown as the number that it was.
    number = value[1][2:]
    return wrap(np.asarray(number[0])) if number else unpack(node, value, operation.values[saved])


def _compile_backward(operation: Operation, method: str) -> Callable[..., Any]:
    """The backward of the operation's nodes, on arrays or, recorded, on tensors; their class has it from now on."""
    inputs, name, namespace = operation.differentiable, f"{operation.name}_backward", _GLUE.copy()
    graph_mode = method == "_backward_graph"
    lines = [f"def {name}(node, g, edges):"]
    if operation.many:
        lines += ["    grads = g if node._outputs > 1 else [g]"]
    # All that was saved is looked at, needed or not, and in this order: that is PyTorch's, and errors show it.
    for saved in sorted(operation.saved, key=lambda saved: (saved in operation.outputs, saved)):
        lines += ["    " + line for line in _unpack(operation, saved, graph_mode)]
    # Gradients too are computed in the alphabetical order of the inputs; in the graph of a gradient that shows.
    for t in sorted(inputs):
        formula = operation.formulas[t]
        namespace[f"{t}_formula"] = formula if graph_mode else _on_arrays(formula)
        call = f"{t}_formula({', '.join(operation.formula_parameters[t])})"
        needed = f" if edges[{inputs.index(t)}][0] is not None else None" if len(inputs) > 1 else ""
        lines += [f"    {t}_grad = {call}{needed}"]
    results = "tensors_grad" if operation.takes_list else "(" + "".join(f"{t}_grad, " for t in inputs) + ")"
    setattr(operation.node, method, _compile([*lines, f"    return {results}"], name, namespace))
    return getattr(operation.node, method)


def _unpack(operation: Operation, saved: str, graph_mode: bool) -> list[str]:
    first = f"{saved} = node._s_{saved}"
    if saved not in operation.values:
        return [first + (" or freed(node)" if saved == "indices" else "")]
    index = operation.values[saved]
    if graph_mode:
        unpack = [f"{saved} = unpack(node, {saved} or freed(node), {index})"]
    else:
        unpack = [f"{saved}, counter, version = {saved} or freed(node)", "if counter[0] != version:"]
        unpack += [f"    {saved} = unpack(node, node._s_{saved}, {index})._array"]
        # NumPy multiplies its scalars ten times as fast as arrays of rank 0.
        unpack += [f"if not {saved}.ndim:", f"    {saved} = {saved}[()]"]
    if _only_user(operation, saved) is not None:
        return [first, f"if {saved} is not None:", *("    " + line for line in unpack)]
    return [first, *unpack]


# Formulas on arrays: the same code, bound to a namespace in which each operation is its kernel.

# The package of the operations' modules, and those of them that have no operations.
_ROOM = __name__.rpartition(".")[0]
_MACHINERY = {f"{_ROOM}.{name}" for name in ("declare", "written", "operands")}

_arrays_namespaces: dict[str, dict[str, Any]] = {}


def _on_arrays(function: Any) -> Callable[..., Any]:
    names = _arrays_namespace(function.__module__)
    bound = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
    bound.__kwdefaults__ = function.__kwdefaults__
    return bound


def _arrays_namespace(module: str) -> dict[str, Any]:
    """The names of a module of operations, as formulas on arrays mean them."""
    if module not in _arrays_namespaces:
        names = _arrays_namespaces[module] = dict(vars(sys.modules[module]))
        for name, value in names.items():
            if isinstance(value, FunctionType) and value in _KERNELS:
                names[name] = _KERNELS[value]
            elif isinstance(value, FunctionType) and value.__module__.startswith(_ROOM):
                names[name] = value if value.__module__ in _MACHINERY else _on_arrays(value)
    return _arrays_namespaces[module]


def _compile(lines: list[str], name: str, namespace: dict[str, Any]) -> Any:
    source = "\n".join(lines) + "\n"
    filename = f"<autograd_teach {name}>"
    # A debugger and a traceback find the written source here.
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    exec(compile(source, filename, "exec"), namespace)  # noqa: S102  the source was written just above
    return namespace[name]
