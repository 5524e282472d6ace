"""Codegen: the Python source of an operation, generated from its row when it is first called.

As in dataclasses, everything that does not depend on the arguments of a call is decided when the
source is generated. The templates below show the result: a line that ends in `#: if ...` is kept if
the condition holds for the row, a line that ends in `#: for ...` is repeated, and `$name` is filled
in. Tracebacks show the generated source.
"""

from __future__ import annotations

import functools
import inspect
import linecache
import re
import textwrap
import warnings
from collections.abc import Callable
from functools import partial
from string import Template
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from .. import dtypes
from ..autograd.buffers import add, deliver
from ..autograd.leaf import edge_of
from ..autograd.modes import state
from ..autograd.node import LOST, NO_EDGE, Node, next_sequence_number
from ..autograd.saved import FREED, SavedTensor, free, freed, placed, saved_input, unpack, unpacked
from ..autograd.version import InferenceCounter, VersionCounter
from ..autograd.views import view_of, views_of
from ..errors import error
from ..quiet import FILTER, keep_quiet
from ..tensor import Tensor, wrap
from .operands import (
    NUMBERS,
    broadcast_error,
    convert_operands,
    dtype_error,
    number,
    place_outputs,
    renamed,
    result_type,
    scaled,
)  # fmt: skip
from .vocabulary import array_form

# Names that generated code uses, besides those of its row.
_GLUE: dict[str, Any] = {"NO_EDGE": NO_EDGE, "LOST": LOST, "NUMBERS": NUMBERS, "state": state, "new": object.__new__}
_GLUE |= {
    "MISSING": object(),
    "FILTER": FILTER,
    "FREED": FREED,
    "SCALARS": dtypes.SCALARS,
    "warnings": warnings,
    "__name__": __name__,
    "next_sequence_number": next_sequence_number,
}
for _named in (
    number, convert_operands, keep_quiet, renamed, scaled, broadcast_error, dtype_error, add, deliver, view_of, views_of, place_outputs, wrap, edge_of, unpack,
    unpacked, placed, freed, saved_input, error, dtypes.promote, dtypes.as_floating, np.asarray, np.ndarray, Tensor, InferenceCounter, VersionCounter,
):  # fmt: skip
    _GLUE[_named.__name__] = _named

# Python's operators in place of ufuncs: with two NumPy scalars they are seven times as fast.
_EXPRESSIONS = {
    np.add: "{} + {}", np.subtract: "{} - {}", np.multiply: "{} * {}", np.true_divide: "{} / {}", np.negative: "-{}",
}  # fmt: skip

FORWARD = """
def $name($parameters):
    if unknown:    #: if named
        return renamed($name, unknown, $given)
    if dim is MISSING:    #: if needs_dim
        raise TypeError('$name() missing 1 required positional arguments: "dim"')
    if len($rest) == 1 and not isinstance($rest[0], (int, Tensor)):    #: if rest
        $rest = tuple($rest[0])  # sizes and dimensions come as numbers or as one sequence
    if isinstance(tensors, Tensor):    #: if takes_list
        raise error("argument_is_no_tensors", "$name", "Tensor")
    try:
        if $second.__class__ is not Tensor and $second.__class__ in NUMBERS:    #: if takes_number
            $second = number($second, $first._value)    #: if not floating
            $second = number($second, as_floating($first._value))    #: if floating
        ${t}_array = $t._value    #: for t in tensors if scalars
        ${t}_array = $t._array    #: for t in tensors if not takes_list and not scalars
        tensors_array = [t._array for t in tensors]    #: if takes_list
    except AttributeError:
        return convert_operands($name, $numbers, $tensors, $given)
    mode = state.mode
    if mode.recording:    #: if differentiable
        ${t}_edge = $t._edge or edge_of($t)    #: for t in differentiable if not takes_list
        edges = tuple([t._edge or edge_of(t) for t in tensors])    #: if takes_list
    if ${first}_array.__class__ is not ${second}_array.__class__:    #: if scalars and promote
        ${t}_array = $t._array    #: for t in tensors
    if ${first}_array.__class__ is ndarray and ${first}_array.dtype is not ${second}_array.dtype:    #: if promote
        ${first}_array, ${second}_array = promote(${first}_array, ${second}_array)
    if ${first}_array.dtype.kind != "f":    #: if floating
        ${t}_array = as_floating(${t}_array)    #: for t in tensors
    check($arguments)    #: if check
    if alpha != 1:    #: if scales
        ${second}_array = scaled(${second}_array, alpha)
    if warnings.filters[0] is not FILTER:
        keep_quiet()
    try:    #: if may_fail
        result = $computed
    except ValueError:    #: if promote
        raise broadcast_error(${first}_array, ${second}_array) from None
    except TypeError:    #: if ufunc
        raise dtype_error("$operation", ${first}_array) from None
    result = $computed    #: if not may_fail
    if result.__class__ is not ndarray$stays_scalar:    #: if not many
        result = asarray(result)
    output = new(Tensor)    #: if makes_one
    output._value = result    #: if makes_one
    output._versions = VersionCounter()    #: if makes_one and saves_result
    output = view_of($first, result)    #: if view and not many
    outputs = views_of($first, result)    #: if view and many
    outputs = [wrap(r if r.__class__ in SCALARS else asarray(r)) for r in result]    #: if many and not view
    if mode.recording:    #: if differentiable
        if $wanted:
            if $lost:    #: if not takes_list
                ${t}_edge = NO_EDGE if ${t}_edge is LOST else ${t}_edge    #: for t in differentiable
            node = new(NodeClass)
            node._edges = $edges
            node._sequence = next_sequence_number()
            node._hooks = None
            node._shape = result.shape    #: if not many
            node._dtype = result.dtype    #: if not many
            node._kind = $kind    #: if not many
            output._edge = node    #: if makes_one
            output._view.edge = node    #: if view and not many
            place_outputs(node, outputs)    #: if many
            node._s_$s = $value    #: for s in saved
            if mode.observer is not None:
                mode.observer(node)
    elif mode.inference:    #: if makes_one and differentiable
        output._versions = InferenceCounter()
    if mode.inference:    #: if makes_one and not differentiable
        output._versions = InferenceCounter()
    return output    #: if not many
    return Result(outputs)    #: if many
"""

# The methods of a node: `_backward` on arrays, and `_backward_graph` on tensors, which is recorded.
# As in PyTorch, all saved values are checked, needed or not, in this order, and gradients are
# computed in the alphabetical order of the inputs: errors and graphs show that.
BACKWARD = """
def $name(node, g, edges):
    grads = g if node._outputs > 1 else [g]    #: if many
$unpacking
    ${t}_grad = ${t}_formula($names)$needed    #: for t in sorted(differentiable)
    return $results
"""

# An input is saved as the tensor itself, a result as its memory.
UNPACK_ON_ARRAYS = """
$s = node._s_$s    #: if is_input
if $s._versions is None or $s._versions.version == 0:    #: if is_input
    $s = $s._value    #: if is_input
else:    #: if is_input
    $s = unpacked(node, $s, $place)
$s, counter, version = node._s_$s    #: if not is_input
if counter.version != version:    #: if not is_input
    $s = unpacked(node, node._s_$s, $place)
if $s.__class__ is ndarray and not $s.ndim:
    $s = $s[()]  # NumPy computes with its scalars seven times as fast as with arrays of rank 0
"""

UNPACK_ON_TENSORS = """
$s = node._s_$s
if not ($s._versions is None or $s._versions.version == 0):    #: if is_input
    $s = unpack(node, $s, $place)    #: if is_input
if type($s) is tuple and $s[1].version == $s[2] == 0:    #: if is_only_output
    $s = placed($s[0], $s[1], node)    #: if is_only_output
else:    #: if is_only_output
    $s = unpack(node, $s, $place)
$s = unpack(node, $s, $place)    #: if not is_input and not is_only_output
"""

# The same on arrays, for the engine: it also frees saved values and adds each gradient to the
# buffer of its edge.
STEP = """
def $name(node, g, edges, buffers, keep):
    grads = g if node._outputs > 1 else [g]    #: if many
$unpacking
    if not keep:    #: if frees
        node._s_$s = FREED    #: for s in frees if s not in may_be_none
        node._s_$s = None if $s is None else FREED    #: for s in frees if s in may_be_none
$deliveries
"""

DELIVER = """
below = edges[$place]
if below is not NO_EDGE:
    sent = ${t}_formula($names)
    cls = sent.__class__
    if (sent.shape == below._shape and sent.dtype is below._dtype) if cls is ndarray else cls is below._kind:
        if below not in buffers:
            buffers[below] = sent
        else:
            add(buffers, below, sent)
    else:
        deliver(buffers, sent, below, node, $place)
"""


def _fill(template: str, facts: dict[str, Any], more: Callable[[str], dict[str, Any]] = lambda value: {}) -> str:
    """The source that a template gives for a row: `facts` decide which lines are kept, and fill in `$name`.

    A line that is left out takes its indented block with it. A repeated line fills in its variable,
    and the names that `more` returns for its value.
    """
    lines, left_out = [], 1000
    for line in template.strip("\n").splitlines():
        code, _, rule = line.partition("    #: ")
        depth = len(code) - len(code.lstrip())
        if depth > left_out:
            continue
        found: list[Any] = eval(_compiled(rule), {"sorted": sorted, **facts}) if rule else [None]
        left_out = 1000 if found else depth
        name = rule.split()[1] if rule.startswith("for") else ""
        lines += [Template(code).substitute(facts, **({name: v, **more(v)} if name else {})) for v in found]
    return "\n".join(lines) + "\n"


@functools.cache
def _compiled(rule: str) -> CodeType:
    # `for t in ...` yields each t, `if ...` one value or none.
    variable = rule.split()[1] if rule.startswith("for") else None
    return compile(f"[{variable} {rule if variable else 'for _ in (0,) ' + rule}]", "<rule>", "eval")


# The forward function


def forward_function(operation: Any, name: str, qualname: str, declared: Callable[..., Any]) -> Callable[..., Any]:
    """The forward function called `name`.

    Its code is generated at the first call, because a program uses few operations.
    """
    namespace = _GLUE | {"kernel": operation.kernel, "check": operation.check, "NodeClass": operation.node}
    namespace["Result"] = result_type(operation.name, operation.outputs) if len(operation.outputs) > 1 else tuple
    if callable(operation.promote):
        namespace["promote"] = operation.promote
    # The function object stays the same when it gets its code: others refer to it by then.
    function = namespace[name] = FunctionType(_first_call.__code__, namespace, name)
    function.__qualname__, function.__module__, function.__doc__ = qualname, declared.__module__, declared.__doc__
    function.__signature__ = _public(operation)  # type: ignore[attr-defined]  # read by `inspect`

    def generate() -> Callable[..., Any]:
        generated = _compile(_forward_source(operation, name), name, qualname, namespace.copy())
        function.__code__ = generated.__code__
        function.__defaults__, function.__kwdefaults__ = generated.__defaults__, generated.__kwdefaults__
        return function

    namespace["generate"] = generate
    return function


def _first_call(*args: Any, **kwargs: Any) -> Any:
    # Only its code is used, in functions whose globals hold `generate`.
    return generate()(*args, **kwargs)  # type: ignore[name-defined]  # noqa: F821  see above


def _shown(tensor: str) -> str:
    """The public name of a tensor parameter: PyTorch's functions call the first one `input`."""
    return "input" if tensor == "self" else tensor


def _public(operation: Any) -> inspect.Signature:
    given = operation.signature.parameters.values()
    shown = [p.replace(name=_shown(p.name)) if p.name in operation.tensors else p for p in given]
    return operation.signature.replace(parameters=shown)


def _forward_source(operation: Any, name: str) -> str:
    tensors, differentiable = operation.tensors, operation.differentiable
    shown = [_shown(t) for t in tensors]
    public = _public(operation).parameters
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in public.values()]
    parameters = str(inspect.Signature(bare))[1:-1]
    named = not name.startswith("__")
    required = [p.name for p in bare if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    needs_dim = named and required[-1:] == ["dim"]
    if needs_dim:
        # `dim` may be given as `axis`.
        parameters = re.sub(r"\bdim\b", "dim=MISSING", parameters)
    ufunc, many, view = isinstance(operation.kernel, np.ufunc), operation.many, operation.view
    scales = ufunc and "alpha" in operation.parameters
    passed = [f"{_shown(p)}_array" if p in tensors else p for p in operation.parameters]
    # PyTorch's sums have a factor `alpha` of the second operand; NumPy's do not.
    operands = [p for p in passed if not (scales and p == "alpha")]
    if operation.takes_list:
        wanted, lost, edges = "any([edge is not NO_EDGE for edge in edges])", "", "edges"
    else:
        wanted = " or ".join(f"{_shown(t)}_edge is not NO_EDGE" for t in differentiable)
        lost = " or ".join(f"{_shown(t)}_edge is LOST" for t in differentiable)
        edges = "(" + "".join(f"{_shown(t)}_edge, " for t in differentiable) + ")"
    # A saved result needs memory, because a write to the output must change the saved value too.
    saves_result = any(o in operation.saved for o in operation.outputs)
    keeps_scalar = not view and not saves_result
    facts = {
        "name": name, "operation": operation.name,
        "parameters": f"{parameters}, **unknown" if named else parameters, "named": named, "needs_dim": needs_dim,
        "rest": operation.variadic, "tensors": shown, "first": shown[0], "second": shown[-1],
        "numbers": operation.numbers, "given": f"({', '.join(shown)},)" + "".join(f", {p}={p}" for p in operation.plain),
        "differentiable": [_shown(t) for t in differentiable], "takes_list": operation.takes_list, "saved": operation.saved,
        "takes_number": operation.promote and operation.numbers, "promote": operation.promote, "check": operation.check,
        "floating": operation.floating, "ufunc": ufunc, "scales": scales, "may_fail": ufunc or operation.promote,
        "makes_one": not many and not view, "view": view, "many": many, "arguments": ", ".join(passed),
        "computed": _EXPRESSIONS.get(operation.kernel, f"kernel({', '.join(operands)})").format(*operands),
        "scalars": operation.scalars, "saves_result": saves_result,
        "stays_scalar": " and result.__class__ not in SCALARS" if keeps_scalar else "",
        "kind": "result.__class__" if keeps_scalar else "None if result.ndim else result.dtype.type",
        "wanted": wanted, "lost": lost, "edges": edges,
    }  # fmt: skip
    return _fill(FORWARD, facts, lambda s: {"value": _saved_value(operation, s)} if s in operation.saved else {})


def _only_user(operation: Any, saved: str) -> str | None:
    """The only input whose gradient needs the value `saved`, if that is itself one of several inputs; else None.

    As in PyTorch, the value is not saved if that gradient is not wanted.
    """
    users = [t for t in operation.differentiable if saved in operation.formula_parameters[t]]
    several = len(operation.differentiable) > 1 and saved in operation.tensors
    return users[0] if several and len(users) == 1 and not operation.takes_list else None


def _saved_value(operation: Any, saved: str) -> str:
    if saved in operation.values:
        made = _shown(saved)
        value = f"({made} if {made}._versions is None else saved_input({made}))"
        if saved in operation.outputs:
            made = f"outputs[{operation.outputs.index(saved)}]" if operation.many else "output"
            value = f"({made}._array, {made}._counter, {made}._counter.version)"
            if not operation.many and not operation.view:
                value = "(result, output._versions, 0)"
        user = _only_user(operation, saved)
        return value if user is None else f"{value} if {_shown(user)}_edge is not NO_EDGE else None"
    if saved == "tensors_shape":
        return "[a.shape for a in tensors_array]"
    stem, _, attribute = saved.rpartition("_")
    if attribute in ("shape", "strides", "dtype") and stem in operation.tensors:
        return f"{_shown(stem)}_array.{attribute}"
    return saved


# The backward node


def node_class(operation: Any, name: str) -> type[Node]:
    """The class of the operation's backward nodes, called `name`."""
    space, _, short = name.rpartition("::")
    slots = {saved: f"_s_{saved}" for saved in operation.saved}
    members: dict[str, Any] = {
        # Nodes print like PyTorch's, whose classes belong to no module.
        "__module__": "builtins",
        "__doc__": f"The backward of `{operation.name}`.",
        "__slots__": [*slots.values(), *(["_outputs"] if operation.many else [])],
        "__init__": object.__init__,  # generated code sets all attributes
        "_prefix": space and f"{space}::",
        "_gives_view": operation.view,
        "_values": {slots[saved]: place for saved, place in operation.values.items()},
        # An index tensor is an ordinary argument of a row, but PyTorch frees it too.
        "_frees": [slots[saved] for saved in operation.saved if saved in operation.values or saved == "indices"],
        "_free": free,
        # These methods replace themselves when they are called: most operations of a program are
        # never differentiated.
        "_backward": lambda *given: _compile_backward(operation, "_backward")(*given),
        "_backward_graph": lambda *given: _compile_backward(operation, "_backward_graph")(*given),
        "_step": None if operation.takes_list else lambda *given: _compile_backward(operation, "_step")(*given),
    }
    for saved in slots:
        if not saved.endswith(("_dtype", "_strides")):
            shown = "_saved_" + saved.replace("_shape", "_sym_sizes")
            members[shown] = property(partial(_read_saved, operation, saved))
        if saved in operation.values:
            members[f"_raw_saved_{saved}"] = property(partial(_raw_saved, operation.values[saved], f"_s_{saved}"))
    return type(short, (Node,), members)


def _read_saved(operation: Any, saved: str, node: Any) -> Any:
    value = getattr(node, f"_s_{saved}")
    if value is None or saved not in operation.values:
        return value  # None: the gradient that needs it was not wanted when the node was made
    if (number := getattr(value, "_number", None)) is not None:
        # A number that became an operand is shown as a number.
        return wrap(np.asarray(number))
    return unpack(node, value, operation.values[saved])


def _raw_saved(place: int | None, slot: str, node: Any) -> SavedTensor:
    return SavedTensor(node, place, partial(getattr, node, slot), partial(setattr, node, slot))


def _compile_backward(operation: Any, method: str) -> Callable[..., Any]:
    """Generate the backward of the operation's nodes, on arrays or on tensors (recorded), and set it on their class."""
    inputs, name, namespace = operation.differentiable, f"{operation.name}_backward", _GLUE.copy()
    on_tensors = method == "_backward_graph"
    unpacking = ""
    # Values that may not be saved, because only one gradient needs them and it may not be wanted.
    may_be_none = [saved for saved in operation.values if _only_user(operation, saved) is not None]
    for saved in sorted(operation.saved, key=lambda saved: (saved in operation.outputs, saved)):
        if saved in operation.values:
            facts = {"s": saved, "place": operation.values[saved], "is_input": saved in operation.tensors}
            facts["is_only_output"] = not facts["is_input"] and not operation.many
            fetched = _fill(UNPACK_ON_TENSORS if on_tensors else UNPACK_ON_ARRAYS, facts)
            if saved in may_be_none:
                inside = textwrap.indent(fetched.partition("\n")[2], "    ")
                fetched = f"{saved} = node._s_{saved}\nif {saved} is not None:\n{inside}"
            unpacking += fetched
        else:
            unpacking += f"{saved} = node._s_{saved}\n"
            unpacking += "if indices is FREED: freed()\n" if saved == "indices" else ""
    for t in inputs:
        formula = operation.formulas[t]
        namespace[f"{t}_formula"] = formula if on_tensors else array_form(formula)

    def call(t: str) -> dict[str, str]:
        if t not in inputs:
            return {}
        needed = f" if edges[{inputs.index(t)}] is not NO_EDGE else None" if len(inputs) > 1 else ""
        return {"names": ", ".join(operation.formula_parameters[t]), "needed": needed}

    results = "tensors_grad" if operation.takes_list else "(" + "".join(f"{t}_grad, " for t in inputs) + ")"
    deliveries = "".join(_fill(DELIVER, {"t": t, "place": i, **call(t)}) for i, t in enumerate(inputs))
    facts = {
        "name": name, "many": operation.many, "differentiable": inputs, "results": results,
        "unpacking": textwrap.indent(unpacking, "    ").rstrip("\n"), "frees": [slot.removeprefix("_s_") for slot in operation.node._frees],
        "may_be_none": may_be_none, "deliveries": textwrap.indent(deliveries, "    ").rstrip("\n"),
    }  # fmt: skip
    source = _fill(STEP if method == "_step" else BACKWARD, facts, call)
    setattr(operation.node, method, _compile(source, name, f"{operation.node.__name__}.{method}", namespace))
    return getattr(operation.node, method)


def generated(name: str) -> str:
    """The source of a function, such as `mul` or `Tensor.__mul__`, or of a node's method, once it has been called.

    >>> from autograd_teach.ops.codegen import generated
    >>> torch.ones(2, requires_grad=True).sigmoid().sum().backward()
    >>> print(generated("SigmoidBackward0._step"))
    def sigmoid_backward(node, g, edges, buffers, keep):
        result, counter, version = node._s_result
        if counter.version != version:
            result = unpacked(node, node._s_result, -1)
        if result.__class__ is ndarray and not result.ndim:
            result = result[()]  # NumPy computes with its scalars seven times as fast as with arrays of rank 0
        if not keep:
            node._s_result = FREED
        below = edges[0]
        if below is not NO_EDGE:
            sent = self_formula(g, result)
            cls = sent.__class__
            if (sent.shape == below._shape and sent.dtype is below._dtype) if cls is ndarray else cls is below._kind:
                if below not in buffers:
                    buffers[below] = sent
                else:
                    add(buffers, below, sent)
            else:
                deliver(buffers, sent, below, node, 0)
    """
    return "".join(linecache.getlines(f"<autograd_teach {name}>")).rstrip()


def _compile(source: str, name: str, shown: str, namespace: dict[str, Any]) -> Any:
    filename = f"<autograd_teach {shown}>"
    # Debuggers and tracebacks find the generated source here.
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    exec(compile(source, filename, "exec"), namespace)  # noqa: S102  the source was generated just above
    return namespace[name]
