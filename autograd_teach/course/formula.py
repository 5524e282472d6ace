r"""Converts formulas, written as `$...$` in a small part of LaTeX, to MathML for a browser and Unicode for a terminal.

Used for the questions, and on the course's website for all notebooks.

Standard library only. Browsers render MathML natively, so nothing is loaded. A command that is not supported is an error,
so no formula is shown half converted.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape

from .errors import UserError

SYMBOLS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "eta": "η", "theta": "θ",
    "lambda": "λ", "mu": "μ", "nu": "ν", "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "omega": "ω",
    "Delta": "Δ", "Sigma": "Σ", "Phi": "Φ", "Omega": "Ω",
    "partial": "∂", "nabla": "∇", "infty": "∞", "ell": "ℓ", "top": "⊤", "prime": "′",
}  # fmt: skip
OPERATORS = {
    "cdot": "·", "times": "×", "pm": "±", "odot": "⊙", "circ": "∘", "to": "→", "rightarrow": "→", "leftarrow": "←", "mapsto": "↦",
    "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈", "in": "∈", "sim": "∼", "ll": "≪", "gg": "≫",
    "dots": "…", "ldots": "…", "cdots": "⋯", "vdots": "⋮", "mid": "|", "|": "‖", "lvert": "|", "rvert": "|", "lVert": "‖", "rVert": "‖", "{": "{", "}": "}", "%": "%",
    "Rightarrow": "⇒", "sum": "∑", "prod": "∏", "int": "∫",
}  # fmt: skip
FUNCTIONS = {"sin", "cos", "tan", "tanh", "sinh", "cosh", "exp", "log", "ln", "max", "min", "det", "arctan", "lim"}
SPACES = {",": " ", ";": " ", ":": " ", " ": " ", "quad": "  ", "qquad": "  ", "!": ""}
IGNORED = {"displaystyle", "limits"}
GROWING = {"left", "right", "big", "Big", "bigl", "bigr"}
TEXT = {"text", "mathrm", "operatorname", "mathbf", "texttt"}
ACCENTS = {"bar": "‾", "hat": "^", "tilde": "~", "vec": "→", "dot": "˙"}
BRACE = "⏟"
"""The brace below an expression that has a name: `\\underbrace{...}_{its name}`."""
COMBINING = {"bar": "\u0304", "hat": "\u0302", "tilde": "\u0303", "vec": "\u20d7", "dot": "\u0307"}
SPACED = set("=<>+·×±⊙→←↦≤≥≠≈∈∼≪≫⇒∘") | {"−"}
"""Operators with a space on either side in plain text."""

_RAISED = dict(zip("0123456789+−=()niTktxyabcm", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵀᵏᵗˣʸᵃᵇᶜᵐ", strict=True)) | {"⊤": "ᵀ", "′": "′"}
_LOWERED = dict(zip("0123456789+−=()aeijkmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₖₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
ENDS = ("}", "&", r"\\", r"\end")
_FENCES = "()[]|‖"
_OPENING = {")": "(", "]": "[", "|": "|", "‖": "‖"}
_THIN = '<mspace width="0.17em"/>'
_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|\d+(?:\.\d+)?|\s+|.", flags=re.DOTALL)


@dataclass(frozen=True)
class Atom:
    """A letter, word, number or operator. `tag` is its MathML element: `mi`, `mn`, `mo`, `mtext`, `mspace`."""

    tag: str
    text: str
    grows: bool = False
    r"""Whether it is a fence after \left or \right, as high as what it encloses."""

    def mathml(self) -> str:
        if self.tag == "mspace":
            return f'<mspace width="{0.3 * len(self.text) ** 2:.1f}em"/>'
        # A lone letter is drawn slanted, but ∂, ∞ and the like are not.
        upright = ' mathvariant="normal"' if self.tag == "mi" and self.text in "∂∇∞⊤" else ""
        if self.tag == "mo" and self.text in _FENCES and not self.grows:
            return f'<mo stretchy="false">{self.text}</mo>'
        # Browsers drop spaces at the ends of words, but these separate a word from the letter beside it.
        text = self.text.replace(" ", "\u00a0") if self.tag == "mtext" else self.text
        return f"<{self.tag}{upright}>{escape(text)}</{self.tag}>"

    def plain(self) -> str:
        return self.text


@dataclass(frozen=True)
class Row:
    """Several parts, one after another."""

    parts: "tuple[Part, ...]"

    def mathml(self) -> str:
        inner = "".join(
            self._gap(place) + (f'<mo form="prefix">{part.plain()}</mo>' if self._is_sign(place) else part.mathml())
            for place, part in enumerate(self.parts)
        )
        return inner if len(self.parts) == 1 else f"<mrow>{inner}</mrow>"

    def _is_sign(self, place: int) -> bool:
        """Whether the part at `place` is a minus or plus sign without a left operand."""
        part, before = self.parts[place], self.parts[place - 1] if place else None
        after_operator = isinstance(before, Atom) and before.tag == "mo" and before.text not in ")]|′…"
        return isinstance(part, Atom) and part.text in ("−", "+") and (before is None or after_operator)

    def _gap(self, place: int) -> str:
        """A thin space before and after the name of a function: `2 sin x`, but `sin(x)`."""
        part, before = self.parts[place], self.parts[place - 1] if place else None
        is_between = before is not None and not any(_kind(each) in ("mo", "mspace") for each in (part, before))
        return _THIN if is_between and (_is_function(part) or _is_function(before)) else ""

    def plain(self) -> str:
        text = ""
        for place, part in enumerate(self.parts):
            word = part.plain()
            if isinstance(part, Atom) and part.tag == "mo" and word in SPACED and not self._is_sign(place):
                word = f" {word} "
            elif word == ",":
                word = ", "
            elif text and text[-1].isalpha() and word[:1].isalnum() and _is_word(self.parts, part):
                word = f" {word}"
            text += word
        return re.sub(r" +", " ", text).strip()


def _kind(part: "Part | None") -> str:
    return part.tag if isinstance(part, Atom) else ""


def _is_function(part: "Part | None") -> bool:
    """Whether this is the name of a function, perhaps with an index or a power: `log`, `sin²`."""
    base = part.parts[0] if isinstance(part, Built) and part.tag in ("msub", "msup", "msubsup") else part
    return isinstance(base, Atom) and base.text in FUNCTIONS


def _is_word(parts: "Sequence[Part]", part: "Part") -> bool:
    """Whether this part or the one before it is the name of a function: `sin x`, but `ab`."""
    place = next(n for n, each in enumerate(parts) if each is part)
    return any(isinstance(each, Atom) and each.text in FUNCTIONS for each in (part, parts[place - 1]) if each)


@dataclass(frozen=True)
class Built:
    """A fraction, root, index, power or accent. `tag` is its MathML element."""

    tag: str
    parts: "tuple[Part, ...]"

    def mathml(self) -> str:
        inner = "".join(part.mathml() if not _is_empty(part) else "<mrow></mrow>" for part in self.parts)
        return f"<{self.tag}>{inner}</{self.tag}>"

    def plain(self) -> str:
        words = [part.plain() for part in self.parts]
        match self.tag:
            case "mfrac":
                return f"{_grouped(words[0])}/{_grouped(words[1])}"
            case "msqrt":
                return f"√{_grouped(words[0])}"
            case "munder":
                return words[0] if words[1] == BRACE else f"{words[0]} [{words[1]}]"
            case "mover":
                accent = next(name for name, mark in ACCENTS.items() if mark == words[1])
                return words[0] + COMBINING[accent]
            case "msub":
                return words[0] + _moved(words[1], _LOWERED, "_")
            case "msup":
                return words[0] + _moved(words[1], _RAISED, "^")
        return words[0] + _moved(words[1], _LOWERED, "_") + _moved(words[2], _RAISED, "^")


def _start(parts: "Sequence[Part]") -> int:
    """The place at which the base of an index or a power begins: the last part, or all of `(a + b)`."""
    texts = [part.text if isinstance(part, Atom) else "" for part in parts]
    last = max(len(parts) - 1, 0)
    closing = texts[last] if texts else ""
    opening = _OPENING.get(closing)
    depth = 0
    for place in range(last, -1, -1) if opening else ():
        if texts[place] == opening and place < last:
            depth -= 1
            if depth == 0:
                return place
        elif texts[place] == closing:
            depth += 1
    return last


@dataclass(frozen=True)
class Cases:
    """Lines after a large brace. The cells of a line are a value and its condition."""

    lines: "tuple[tuple[Row, ...], ...]"

    def mathml(self) -> str:
        cell = '<mtd style="text-align: left">{}</mtd>'
        lines = ("".join(cell.format(each.mathml()) for each in line) for line in self.lines)
        table = "".join(f"<mtr>{line}</mtr>" for line in lines)
        return f'<mrow><mo form="prefix" stretchy="true">{{</mo><mtable>{table}</mtable></mrow>'

    def plain(self) -> str:
        return f"{{{'; '.join(' '.join(each.plain() for each in line) for line in self.lines)}}}"


Part = Atom | Row | Built | Cases


def _is_empty(part: Part) -> bool:
    return isinstance(part, Row) and not part.parts


def _grouped(text: str) -> str:
    """`text` in parentheses, unless it is one number, one name or a differential."""
    return text if re.fullmatch(r"[\d.]+|[∂d]?\w[′₀-₉ᵢⱼₖ⁰¹²³⁴-⁹ⁿ]*", text) else f"({text})"


def _moved(text: str, table: dict[str, str], mark: str) -> str:
    tight = text.replace(" ", "")
    if all(letter in table for letter in tight):
        return "".join(table[letter] for letter in tight)
    return f"{mark}{text}" if len(text) == 1 else f"{mark}({text})"


class _Parser:
    """Parses a formula from left to right."""

    def __init__(self, formula: str) -> None:
        self.formula = formula
        self.tokens = [token for token in _TOKEN.findall(formula) if not token.isspace()]
        self.place = 0

    def all(self) -> Row:
        row = self.row()
        if self.place < len(self.tokens):
            token = self.tokens[self.place]
            raise self.error("it has one } too many" if token == "}" else f"{token} is not allowed there")
        return row

    def row(self) -> Row:
        """The parts up to a closing brace, the end of a cell or line, or the end of the formula."""
        parts: list[Part] = []
        while self.place < len(self.tokens) and self.tokens[self.place] not in ENDS:
            token = self.tokens[self.place]
            if token in ("^", "_"):
                start = _start(parts)
                base = Row(tuple(parts[start:])) if start < len(parts) - 1 else parts[-1] if parts else Row(())
                parts[start:] = [self.with_indices(base)]
            elif token == "'":
                self.place += 1
                parts[-1:] = [Built("msup", (parts[-1] if parts else Row(()), Atom("mo", "′")))]
            else:
                parts += [part for part in [self.one()] if part is not None]
        return Row(tuple(parts))

    def with_indices(self, base: Part) -> Part:
        found: dict[str, Part] = {}
        while self.place < len(self.tokens) and self.tokens[self.place] in ("^", "_"):
            mark = self.tokens[self.place]
            self.place += 1
            if mark in found:
                raise self.error(f"there are two {mark} at one place")
            found[mark] = self.argument()
        tag = {"^": "msup", "_": "msub"}[mark] if len(found) == 1 else "msubsup"
        if tag == "msub" and isinstance(base, Built) and base.parts[1:] == (Atom("mo", BRACE),):
            tag = "munder"
        return Built(tag, (base, *(found[mark] for mark in "_^" if mark in found)))

    def argument(self) -> Part:
        """A group in braces, or the next part. A number gives only its first digit, as in LaTeX."""
        digits = self.tokens[self.place] if self.place < len(self.tokens) else ""
        if len(digits) > 1 and digits[0].isdigit():
            self.tokens[self.place] = digits[1:]
            return Atom("mn", digits[0])
        part = self.one() if self.place < len(self.tokens) else None
        if part is None:
            raise self.error("something is missing at its end")
        return part

    def one(self) -> Part | None:
        token = self.tokens[self.place]
        self.place += 1
        if token == "{":
            row = self.row()
            if self.tokens[self.place : self.place + 1] != ["}"]:
                raise self.error("a } is missing")
            self.place += 1
            return row
        if token.startswith("\\"):
            return self.command(token[1:])
        if token[0].isdigit():
            return Atom("mn", token)
        if token.isalpha() or token in "∂∇∞":
            return Atom("mi", token)
        if token in "$^_&#%~}":
            raise self.error(f"{token} is not allowed there")
        return Atom("mo", "−" if token == "-" else "·" if token == "*" else token)

    def command(self, name: str) -> Part | None:
        if name in IGNORED:
            return None
        if name in GROWING:
            fence = self.argument()
            return replace(fence, grows=True) if isinstance(fence, Atom) else fence
        if name in SYMBOLS:
            return Atom("mi", SYMBOLS[name])
        if name in OPERATORS:
            return Atom("mo", OPERATORS[name])
        if name in FUNCTIONS:
            return Atom("mi", name)
        if name in SPACES:
            return Atom("mspace", SPACES[name])
        if name in TEXT:
            return Atom("mi" if name != "text" else "mtext", self.words())
        if name in ("frac", "tfrac", "dfrac"):
            return Built("mfrac", (self.argument(), self.argument()))
        if name == "underbrace":
            return Built("munder", (self.argument(), Atom("mo", BRACE)))
        if name == "begin":
            return self.cases()
        if name == "sqrt":
            return Built("msqrt", (self.argument(),))
        if name in ACCENTS:
            return Built("mover", (self.argument(), Atom("mo", ACCENTS[name])))
        raise self.error(f"\\{name} is not supported; write it in another way")

    def cases(self) -> Cases:
        """The lines between `\\begin{cases}` and `\\end{cases}`."""
        opening, closing = (["{", *"cases", "}"], [r"\end", "{", *"cases", "}"])
        if self.tokens[self.place : self.place + len(opening)] != opening:
            raise self.error("the only supported environment is cases")
        self.place += len(opening)
        lines: list[tuple[Row, ...]] = []
        cells: list[Row] = []
        while True:
            cells.append(self.row())
            end = self.tokens[self.place] if self.place < len(self.tokens) else ""
            if end != "&":
                lines.append(tuple(cells))
                cells = []
            if self.tokens[self.place : self.place + len(closing)] == closing:
                self.place += len(closing)
                return Cases(tuple(lines))
            if end not in ("&", r"\\"):
                raise self.error(r"\end{cases} is missing")
            self.place += 1

    def words(self) -> str:
        """The words in braces after \\text or \\mathrm, with their spaces."""
        rest = re.compile(r"\\(?:" + "|".join(sorted(TEXT)) + r")\s*\{([^{}]*)\}").findall(self.formula)
        before = self.tokens[: self.place - 1].count
        number = sum(before(f"\\{name}") for name in TEXT)
        if number >= len(rest) or "}" not in self.tokens[self.place :]:
            raise self.error("words must be in braces")
        self.place = self.tokens.index("}", self.place) + 1
        return str(rest[number])

    def error(self, why: str) -> UserError:
        return UserError(f"The formula ${self.formula}$ cannot be shown: {why}.")


@cache
def parse(formula: str) -> Row:
    """The formula (without its `$`) as a tree. Raises `UserError` for anything that is not supported."""
    return _Parser(formula).all()


def as_mathml(formula: str, block: bool = False) -> str:
    r"""The formula as MathML; with `block`, on its own line.

    >>> as_mathml("x^2")
    '<math displaystyle="true"><msup><mi>x</mi><mn>2</mn></msup></math>'
    """
    kind = 'display="block"' if block else 'displaystyle="true"'
    return f"<math {kind}>{parse(formula).mathml()}</math>"


def as_plain(formula: str) -> str:
    r"""The formula as one line of text.

    >>> as_plain(r"\frac{\partial y}{\partial x} = 3 x^2 + x_{ij}")
    '∂y/∂x = 3x² + xᵢⱼ'
    """
    return parse(formula).plain()
