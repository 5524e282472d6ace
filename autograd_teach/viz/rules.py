"""What each backward node computes, and its local derivative, as text and as LaTeX.

The rules are in `rules.toml`, by the names that nodes have here and in PyTorch. Each formula is one
small Python expression. This module only prints it: `formula_text` as plain text, `formula_latex`
for notebooks.

>>> found = rule("MulBackward0")
>>> found.sentence(0)
'y = u · v: ∂y/∂u = v'
>>> rule("MmBackward0").sentence(1)
'y = u @ v: v gets uᵀ @ g'
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain, count
from pathlib import Path
from typing import Any, ClassVar

from autograd_teach.viz.naming import caller_tensors
from autograd_teach.viz.snapshot import short_name

INPUTS = "uvw"
"""The names of an operation's inputs in formulas, in the order of `next_functions`."""
_SPARE = "qrshzbfxd"
"""Letters that no rule uses, for a view in which a letter of the rules is a name of the program."""


@dataclass(frozen=True, repr=False)
class Rule:
    """The rule of one backward node.

    The attributes hold expressions as in rules.toml; the methods print them.

    A notebook shows it as typeset formulas, a terminal as text:

    >>> rule("ReluBackward0")
    ReluBackward0: y = max(u, 0)
      ∂y/∂u = 1 if u > 0 else 0
      At the kink, u = 0, the slope is chosen as 0.
    """

    name: str
    """The name of the node, without PyTorch's namespace."""
    computes: str | None = None
    """What the operation computes, in `u`, `v`, `w`."""
    slopes: tuple[str, ...] = ()
    """The local slope of each slot: the slot gets `g` times this, elementwise."""
    sends: tuple[str, ...] = ()
    """What each slot gets, if it is not an elementwise product."""
    words: str = ""
    """A sentence in lower case without a full stop, instead of formulas or in addition to them."""
    inputs: int | None = None
    """The number of slots; None if it differs from call to call."""
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Further names in the formulas, for example `k`, and their meaning."""
    letters: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The letters of rules.toml that have another letter here (`beside`)."""

    def beside(self, names: Iterable[str]) -> Rule:
        """The same rule in letters that are not among `names`, the names of a program.

        >>> rule("MulBackward0").beside({"u", "x"})
        MulBackward0: y = q · v
          ∂y/∂q = v
          ∂y/∂v = q
        """
        letters = _letters_beside(frozenset(names))
        if not letters:
            return self

        def renamed(expression: str) -> str:
            return ast.unparse(_Renamed(letters, {}).visit(_parsed(expression)))

        def reworded(words: str) -> str:
            return re.sub(r"(?<![A-Za-z])[a-z](?![A-Za-z])", lambda found: letters.get(found[0], found[0]), words)

        return replace(
            self,
            computes=renamed(self.computes) if self.computes else None,
            slopes=tuple(map(renamed, self.slopes)),
            sends=tuple(map(renamed, self.sends)),
            words=reworded(self.words),
            options={letters.get(name, name): reworded(meaning) for name, meaning in self.options.items()},
            letters=letters,
        )

    @property
    def computes_text(self) -> str | None:
        """What the operation computes, for example `u · v`; None if there is no formula."""
        return formula_text(self.computes) if self.computes else None

    @property
    def computes_latex(self) -> str | None:
        """What the operation computes, as LaTeX."""
        return formula_latex(self.computes) if self.computes else None

    def computes_with(self, arguments: Sequence[str], options: Mapping[str, str] | None = None) -> str | None:
        """What the operation computes, with other names for the inputs and with known options.

        An empty name keeps the rule's own name.

        >>> rule("MulBackward0").computes_with(["a", ""]), rule("PowBackward0").computes_with(["a"], {"k": "2"})
        ('a · v', 'a²')
        """
        if not self.computes:
            return None
        return _TEXT.written(self._named(_parsed(self.computes), arguments, options or {}))

    def sends_with(self, slot: int, arguments: Sequence[str], options: Mapping[str, str] | None = None) -> str | None:
        """What an input gets for `g`, with other names as in `computes_with`.

        >>> rule("MmBackward0").sends_with(1, ["w", "x"])
        'wᵀ @ g'
        """
        sent = self._sent(slot)
        return None if sent is None else _TEXT.written(self._named(sent, arguments, options or {}))

    def slope_text(self, slot: int) -> str | None:
        """The local slope of an input, for example `v`; None for a rule without slopes.

        Raises IndexError if the node does not have this slot. The methods below raise it as well.
        """
        return formula_text(self.slopes[slot]) if self._has(slot, self.slopes) else None

    def slope_with(self, slot: int, arguments: Sequence[str], options: Mapping[str, str] | None = None) -> str | None:
        """The local slope of an input, with other names as in `computes_with`.

        >>> rule("TanhBackward0").slope_with(0, ["x"], {"y": "h"})
        '1 - h²'
        """
        if not self._has(slot, self.slopes):
            return None
        return _TEXT.written(self._named(_parsed(self.slopes[slot]), arguments, options or {}))

    def slope_latex(self, slot: int) -> str | None:
        """The local slope of an input, as LaTeX."""
        return formula_latex(self.slopes[slot]) if self._has(slot, self.slopes) else None

    def sends_text(self, slot: int) -> str | None:
        """What an input gets for `g`, for example `g · v` or `g @ vᵀ`; None for a rule in words."""
        sent = self._sent(slot)
        return None if sent is None else _TEXT.written(sent)

    def sends_latex(self, slot: int) -> str | None:
        """What an input gets for `g`, as LaTeX."""
        sent = self._sent(slot)
        return None if sent is None else _LATEX.written(sent)

    def sentence(self, slot: int) -> str:
        """The rule of one slot on one line: its formulas if there are any, else the words."""
        equation = self._equation(slot)
        if equation is None:
            return self.words
        return f"{self._letter('y')} = {self.computes_text}: {equation}" if self.computes else equation

    def __repr__(self) -> str:
        """The whole rule as text: what it computes, a line for each slot, words, options."""
        head = f"{self._letter('y')} = {self.computes_text}" if self.computes else self.words
        equations = [self._equation(slot) or "" for slot in range(len(self._formulas))]
        return "\n  ".join([f"{self.name}: {head}", *equations, *self._notes()])

    def _repr_markdown_(self) -> str:
        y, inputs = self._letter("y"), [self._letter(name) for name in INPUTS]
        lines = [rf"{y} &= {self.computes_latex}"] if self.computes else []
        for slot in range(len(self.slopes)):
            lines.append(rf"\frac{{\partial {y}}}{{\partial {inputs[slot]}}} &= {self.slope_latex(slot)}")
        for slot in range(len(self.sends)):
            lines.append(rf"{inputs[slot]} \text{{ gets }} & {self.sends_latex(slot)}")
        parts = [f"**{self.name}**"]
        if lines:
            parts.append("$$\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$$")
        if not self.computes:
            parts.append(_as_sentence(self.words))
        return "\n\n".join([*parts, *self._notes()])

    @property
    def _formulas(self) -> tuple[str, ...]:
        return self.slopes or self.sends

    def _equation(self, slot: int) -> str | None:
        own = self._letter(INPUTS[slot]) if self._formulas else ""
        if self._has(slot, self.slopes):
            return f"∂{self._letter('y')}/∂{own} = {self.slope_text(slot)}"
        return f"{own} gets {self.sends_text(slot)}" if self.sends else None

    def _letter(self, own: str) -> str:
        return self.letters.get(own, own)

    def _named(self, expression: ast.expr, arguments: Sequence[str], options: Mapping[str, str]) -> ast.expr:
        inputs = [self._letter(name) for name in INPUTS]
        return _named(expression, inputs, arguments, {self._letter(own): text for own, text in options.items()})

    def _notes(self) -> list[str]:
        """The sentences below the formulas."""
        notes = [_as_sentence(self.words)] if self.words and self.computes else []
        notes += [f"{_TEXT.name(name)}: {meaning}." for name, meaning in self.options.items()]
        g = self._letter("g")
        speaks_of_g = self.sends or re.search(rf"\b{g}\b", self.words)
        return [*notes, f"{g}: the gradient that arrives."] if speaks_of_g else notes

    def _sent(self, slot: int) -> ast.expr | None:
        if self._has(slot, self.slopes):
            return _product_with(ast.Name(self._letter("g")), _parsed(self.slopes[slot]))
        return _parsed(self.sends[slot]) if self.sends else None

    def _has(self, slot: int, formulas: tuple[str, ...]) -> bool:
        """Whether there are formulas. Raises IndexError if the node does not have this slot."""
        if slot < 0 or (self.inputs is not None and slot >= self.inputs):
            count = {None: "", 0: "no inputs", 1: "1 input"}.get(self.inputs, f"{self.inputs} inputs")
            has = f"{self.name} has {count}: " if count else ""
            raise IndexError(f"{has}{slot} is not one of its slots, which are counted from 0")
        return bool(formulas)


def _as_sentence(words: str) -> str:
    first = words.split(maxsplit=1)[0]
    # Names and formulas keep their lower case.
    is_word = first == "a" or (len(first) > 1 and "(" not in first)
    return f"{words[:1].upper() + words[1:] if is_word else words}."


def rule(name: str) -> Rule | None:
    """The rule of the nodes called `name`, the result of `node.name()`.

    None if there is none, for example for a user's Function.

    >>> rule("torch::autograd::AccumulateGrad").words
    "adds what arrives to the leaf's .grad"
    >>> rule("MyFunctionBackward") is None
    True
    """
    return _rules().get(name.rpartition("::")[2])


def rule_of(tensor_or_name: Any) -> Rule:
    """Show the derivative of an operation: what it computes, and what each of its inputs gets.

    tensor_or_name: a tensor made by the operation, a node (`y.grad_fn`), or the name of a node
    ("MulBackward0").

    Returns a Rule, which a notebook shows as typeset formulas. In the formulas, `u`, `v` and `w`
    are the inputs, `y` is the result and `g` is the gradient that arrives. A letter that is the
    caller's name for another of these tensors is replaced by a letter that is not. Raises
    ValueError if the tensor does not require grad or no rule is known for the node, TypeError for
    any other argument.

    >>> import autograd_teach as torch
    >>> from autograd_teach import viz
    >>> a = torch.tensor(2.0, requires_grad=True)
    >>> viz.rule(a ** 3)
    PowBackward0: y = uᵏ
      ∂y/∂u = k · uᵏ⁻¹
      k: the exponent.
    """
    name = _name_of(tensor_or_name)
    found = rule(name)
    if found is None:
        raise ValueError(
            f"No rule is known for {name}: if it belongs to a Function, its backward method is the rule; "
            "if it is a name, write it as the graph does, such as 'MulBackward0'."
        )
    return found.beside(_names_around(tensor_or_name, caller_tensors(sys._getframe(1))))


def _names_around(thing: Any, known: Sequence[tuple[str, Any]]) -> set[str]:
    """The names of a node's arguments and result that are not their letters in its rule."""
    node = getattr(thing, "grad_fn", thing)
    roles = [("y", node), *zip(INPUTS, (before for before, _ in getattr(node, "next_functions", ())), strict=False)]
    met = [(own, role) for own, role in roles if role is not None and not isinstance(role, str)]
    return {
        name
        for name, tensor in known
        for own, role in met
        if name != own and (tensor.grad_fn is role or getattr(role, "variable", None) is tensor)
    }


def _name_of(thing: Any) -> str:
    if isinstance(thing, str):
        return thing
    if hasattr(thing, "next_functions"):
        return short_name(thing)
    if not hasattr(thing, "grad_fn"):
        raise TypeError(
            f"A {type(thing).__name__} has no rule: give a tensor, its grad_fn, or a name such as 'MulBackward0'."
        )
    if thing.grad_fn is not None:
        return short_name(thing.grad_fn)
    if thing.requires_grad:
        return "AccumulateGrad"
    raise ValueError("This tensor does not require grad, so no node made it: compute with a tensor that does.")


@cache
def _rules() -> dict[str, Rule]:
    """All rules, by the names of their nodes."""
    rules: dict[str, Rule] = {}
    text = Path(__file__).with_name("rules.toml").read_text(encoding="utf-8")
    for name, entry in tomllib.loads(text).items():
        slopes, sends = tuple(entry.get("slopes", ())), tuple(entry.get("sends", ()))
        first = Rule(
            name,
            computes=entry.get("computes"),
            slopes=slopes,
            sends=sends,
            words=entry.get("words", ""),
            inputs=entry.get("inputs", len(slopes or sends) or None),
            options=entry.get("options", {}),
        )
        rules |= {each: replace(first, name=each) for each in (name, *entry.get("also", ()))}
    return rules


@cache
def _letters_beside(names: frozenset[str]) -> dict[str, str]:
    """Another letter for each letter of the rules that is one of these names: in all rules the same."""
    own = dict.fromkeys([*INPUTS, "y", "g", *(name for known in _rules().values() for name in known.options)])
    spare = (letter for letter in chain(_SPARE, (f"u{i}" for i in count(1))) if letter not in names)
    return {letter: next(spare) for letter in own if letter in names}


def _named(
    expression: ast.expr, inputs: Sequence[str], arguments: Sequence[str], options: Mapping[str, str]
) -> ast.expr:
    """The expression with other names for its inputs and options; an empty name changes nothing.

    Arithmetic with options is simplified: `k · uᵏ⁻¹` with k = 2 becomes `2 · u`.
    """
    given = [*zip(inputs, arguments, strict=False), *options.items()]
    named = {own: text for own, text in given if text}
    numbers = {own: ast.Constant(int(text)) for own, text in options.items() if re.fullmatch(r"\d+", text)}
    return _Renamed(named, numbers).visit(expression)  # type: ignore[no-any-return]  # an expression stays an expression


class _Renamed(ast.NodeTransformer):
    def __init__(self, named: Mapping[str, str], numbers: Mapping[str, ast.Constant]) -> None:
        self._named, self._numbers = named, numbers

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._numbers.get(node.id) or ast.Name(self._named.get(node.id, node.id))

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = self.visit(node.left), self.visit(node.right)
        match left, node.op, right:
            case ast.Constant(int() as one), ast.Sub(), ast.Constant(int() as other) if one >= other:
                return ast.Constant(one - other)
            case base, ast.Pow(), ast.Constant(1):
                return base  # type: ignore[no-any-return]  # as above
        return ast.BinOp(left, node.op, right)


# Formulas: one expression, printed as text and as LaTeX


def formula_text(expression: str) -> str:
    """A formula as plain text. Raises ValueError if it is not an expression that rules can use.

    >>> formula_text("-u / v ** 2"), formula_text("T(u) @ g"), formula_text("1 / sqrt(1 - u ** 2)")
    ('-u / v²', 'uᵀ @ g', '1 / √(1 - u²)')
    """
    return _TEXT.written(_parsed(expression))


def formula_latex(expression: str) -> str:
    r"""A formula as LaTeX, without dollar signs. Raises ValueError like `formula_text`.

    >>> print(formula_latex("-u / v ** 2"), formula_latex("T(u) @ g"))
    -\frac{u}{v^{2}} u^{\top} g
    """
    return _LATEX.written(_parsed(expression))


def _parsed(expression: str) -> ast.expr:
    try:
        return ast.parse(expression, mode="eval").body
    except SyntaxError as problem:
        raise ValueError(f"{expression!r} is not a Python expression: {problem.msg}") from None


def _product_with(g: ast.expr, slope: ast.expr) -> ast.expr:
    """`g * slope`.

    `g` is placed after a sign or a number, in the numerator, and in each branch of a choice.
    """
    match slope:
        case ast.Constant(0):
            return slope
        case ast.Constant(1):
            return g
        case ast.Constant():
            return ast.BinOp(slope, ast.Mult(), g)
        case ast.UnaryOp(sign, operand):
            return ast.UnaryOp(sign, _product_with(g, operand))
        case ast.BinOp(left, (ast.Mult() | ast.Div()) as operator, right):
            return ast.BinOp(_product_with(g, left), operator, right)
        case ast.Call(ast.Name("where") as where, [condition, *values]):
            return ast.Call(where, [condition, *(_product_with(g, value) for value in values)], [])
    return ast.BinOp(g, ast.Mult(), slope)


# Operator precedence of the parts of a formula, lowest first: a part of lower precedence gets
# brackets.
_CHOICE, _COMPARISON, _ADDITION, _LONG_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(8)
_BINARY = {
    ast.Add: _ADDITION,
    ast.Sub: _ADDITION,
    ast.Mult: _PRODUCT,
    ast.MatMult: _PRODUCT,
    ast.Div: _PRODUCT,
    ast.Pow: _POWER,
}
_Written = tuple[str, int]
"""A part of a formula as text, and its precedence."""


def _tightness(name: str) -> int:
    """The precedence of a name; `computes_with` replaces names by numbers and texts."""
    if name.startswith("-"):
        return _SIGN
    return _ATOM if " " not in name or name[0] in "([" else _CHOICE


class _Printer:
    """Prints an expression as plain text; `_LatexPrinter` overrides what differs in LaTeX."""

    names: ClassVar[Mapping[str, str]] = {"alpha": "α", "beta": "β", "delta": "δ", "pi": "π"}
    functions: ClassVar[Mapping[str, str]] = {"Phi": "Φ", "phi": "φ"}
    comparisons: ClassVar[Mapping[type[ast.cmpop], str]] = {
        ast.Gt: ">",
        ast.Lt: "<",
        ast.GtE: "≥",
        ast.LtE: "≤",
        ast.Eq: "=",
    }
    symbols: ClassVar[Mapping[type[ast.operator], str]] = {
        ast.Add: " + ",
        ast.Sub: " - ",
        ast.Mult: " · ",
        ast.MatMult: " @ ",
        ast.Div: " / ",
    }

    def written(self, node: ast.expr) -> str:
        return self.part(node)[0]

    def at_least(self, node: ast.expr, tightness: int) -> str:
        """A part, in brackets if its precedence is lower than `tightness`."""
        text, own = self.part(node)
        return text if own >= tightness else self.bracket(text)

    def part(self, node: ast.expr) -> _Written:
        match node:
            case ast.Constant(int() | float() as value):
                return str(value), _ATOM
            case ast.Name(name):
                return self.name(name), _tightness(name)
            case ast.UnaryOp(ast.USub(), operand):
                return f"-{self.at_least(operand, _LONG_SUM)}", _SIGN
            case ast.BinOp(base, ast.Pow(), exponent):
                return self.power(base, exponent)
            case ast.BinOp(left, operator, right) if type(operator) in _BINARY:
                return self.binary(left, operator, right)
            case ast.Compare(left, [comparison], [right]) if type(comparison) in self.comparisons:
                return self.compared([left, right], self.comparisons[type(comparison)])
            case ast.Call(ast.Name(function), arguments, []):
                return self.call(function, arguments)
        raise ValueError(f"{ast.unparse(node)!r} is not a formula that rules can use")

    def name(self, name: str) -> str:
        return self.names.get(name, name)

    def bracket(self, text: str) -> str:
        return f"({text})"

    def binary(self, left: ast.expr, operator: ast.operator, right: ast.expr) -> _Written:
        tightness = _BINARY[type(operator)]
        first, own = self.part(left)
        # "a / b · c" could be read as a / (b · c).
        quotient = own == _PRODUCT and isinstance(left, ast.BinOp) and isinstance(left.op, ast.Div)
        if own < tightness or (quotient and isinstance(operator, ast.Mult)):
            first = self.bracket(first)
        # After an operator, a sign needs brackets. So does a part of the same or lower precedence,
        # unless the grouping does not matter.
        loose = (
            type(operator) in (ast.Add, ast.Mult) and isinstance(right, ast.BinOp) and type(right.op) is type(operator)
        )
        second, own = self.part(right)
        if own == _SIGN or (own <= tightness and not loose):
            second = self.bracket(second)
        return f"{first}{self.symbols[type(operator)]}{second}", tightness

    def compared(self, parts: list[ast.expr], symbol: str) -> _Written:
        return f" {symbol} ".join(self.at_least(part, _ADDITION) for part in parts), _COMPARISON

    def power(self, base: ast.expr, exponent: ast.expr) -> _Written:
        raised = self.written(exponent).replace(" ", "")
        if all(letter in _RAISED for letter in raised):
            raised = "".join(_RAISED[letter] for letter in raised)
        else:
            raised = "^" + self.at_least(exponent, _ATOM)
        return f"{self.at_least(base, _ATOM)}{raised}", _POWER

    def call(self, function: str, arguments: list[ast.expr]) -> _Written:
        match function, arguments:
            case "T", [matrix]:
                text = self.at_least(matrix, _ATOM)
                return text[:-1] if text.endswith("ᵀ") else f"{text}ᵀ", _POWER
            case "inv", [matrix]:
                return f"{self.at_least(matrix, _ATOM)}⁻¹", _POWER
            case "sqrt", [number]:
                return f"√{self.at_least(number, _ATOM)}", _POWER
            case "abs", [number]:
                return f"|{self.written(number)}|", _ATOM
            case (("between" | "inside"), bounds_and_middle):
                return self.compared(bounds_and_middle, self.comparisons[ast.LtE if function == "between" else ast.Lt])
            case "where", [condition, value, otherwise]:
                return self.choice(condition, value, otherwise)
        name = self.functions.get(function, function)
        return f"{name}({', '.join(map(self.written, arguments))})", _ATOM

    def choice(self, condition: ast.expr, value: ast.expr, otherwise: ast.expr) -> _Written:
        # `a if x else b if y else c`: only the first value needs brackets.
        first = self.at_least(value, _COMPARISON)
        return f"{first} if {self.written(condition)} else {self.written(otherwise)}", _CHOICE


_RAISED = dict(zip("0123456789+-()cknpuv", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ᶜᵏⁿᵖᵘᵛ", strict=True))


class _LatexPrinter(_Printer):
    names: ClassVar = {"alpha": r"\alpha", "beta": r"\beta", "delta": r"\delta", "pi": r"\pi"}
    functions: ClassVar = {
        name: rf"\{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "log", "max", "min", "det")
    }
    functions |= {
        "asin": r"\arcsin",
        "acos": r"\arccos",
        "atan": r"\arctan",
        "log10": r"\log_{10}",
        "log2": r"\log_{2}",
    }
    functions |= {"Phi": r"\Phi", "phi": r"\varphi", "sigmoid": r"\sigma"}
    comparisons: ClassVar = {**_Printer.comparisons, ast.GtE: r"\ge", ast.LtE: r"\le"}
    symbols: ClassVar = {ast.Add: " + ", ast.Sub: " - ", ast.Mult: r" \cdot ", ast.MatMult: " "}

    def name(self, name: str) -> str:
        plain = name if len(name) == 1 else rf"\mathrm{{{name}}}"
        return self.names.get(name, plain)

    def bracket(self, text: str) -> str:
        return rf"\left({text}\right)"

    def binary(self, left: ast.expr, operator: ast.operator, right: ast.expr) -> _Written:
        if not isinstance(operator, ast.Div):
            return super().binary(left, operator, right)
        sign = ""
        # The sign is placed before the fraction.
        match left:
            case ast.UnaryOp(ast.USub(), operand):
                sign, left = "-", operand
            case ast.BinOp(ast.UnaryOp(ast.USub(), operand), ast.Mult(), factor):
                sign, left = "-", ast.BinOp(operand, ast.Mult(), factor)
        fraction = rf"{sign}\frac{{{self.written(left)}}}{{{self.written(right)}}}"
        return fraction, _SIGN if sign else _POWER

    def power(self, base: ast.expr, exponent: ast.expr) -> _Written:
        return f"{self.at_least(base, _ATOM)}^{{{self.written(exponent)}}}", _POWER

    def call(self, function: str, arguments: list[ast.expr]) -> _Written:
        match function, arguments:
            case "T", [matrix]:
                return rf"{self.at_least(matrix, _ATOM)}^{{\top}}", _POWER
            case "inv", [matrix]:
                return f"{self.at_least(matrix, _ATOM)}^{{-1}}", _POWER
            case "sqrt", [number]:
                return rf"\sqrt{{{self.written(number)}}}", _ATOM
            case "abs", [number]:
                return rf"\left|{self.written(number)}\right|", _ATOM
            case "exp", [number]:
                return f"e^{{{self.written(number)}}}", _POWER
            case "sum", [summed, *dim]:
                under = "".join(f"_{{{self.written(d)}}}" for d in dim)
                return rf"\sum{under} {self.at_least(summed, _PRODUCT)}", _LONG_SUM
            case (("between" | "inside" | "where"), _):
                return super().call(function, arguments)
        plain = function.replace("_", r"\_")
        name = self.functions.get(function, rf"\operatorname{{{plain}}}")
        return name + self.bracket(", ".join(map(self.written, arguments))), _ATOM

    def choice(self, condition: ast.expr, value: ast.expr, otherwise: ast.expr) -> _Written:
        rows = [rf"{self.written(value)} & \text{{if }} {self.written(condition)}"]
        while isinstance(otherwise, ast.Call) and isinstance(otherwise.func, ast.Name) and otherwise.func.id == "where":
            condition, value, otherwise = otherwise.args
            rows.append(rf"{self.written(value)} & \text{{if }} {self.written(condition)}")
        rows.append(rf"{self.written(otherwise)} & \text{{else}}")
        return r"\begin{cases}" + r" \\ ".join(rows) + r"\end{cases}", _ATOM


_TEXT, _LATEX = _Printer(), _LatexPrinter()
