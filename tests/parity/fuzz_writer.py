"""Writes the statements of random programs, for fuzz.py, by filling the holes in the lines of fuzz_words.py.

What fits into a hole depends on the shapes, dtypes and sizes of the variables so far, which the writer looks up in the world
in which the program runs while it is written. Chance is Python's own generator, neither library's.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.parity.fuzz_words import EXPRESSIONS, MACROS, MODES, STATEMENTS, VIEWS

_NUMBERS = [-2.0, -1.0, -0.5, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0]
_SHAPES = [(), (), (1,), (2,), (3,), (3,), (2, 3), (2, 3), (3, 3), (2, 2), (2, 1), (1, 3), (2, 1, 3), (2, 2, 2), (0,)]
# Most programs compute in float64 alone, where numbers are compared most closely.
_FLOATS = [["float64"], ["float64"], ["float64"], ["float32"], ["float32", "float64"], ["float64", "float16"]]
_INTEGERS = ["int64", "int64", "int32", "bool"]


@dataclass
class Facts:
    """What the writer knows of a variable."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    requires_grad: bool = False
    is_leaf: bool = True
    protected: bool = False  # a leaf that requires grad, or a view of one, which must not be written to
    output_nr: int = 0
    memory: int = 0
    laid_out: bool = True  # whether how it lies in memory was asked for, not left to the operation that made it
    least: float = 1.0
    largest: float = 1.0  # of the absolute values

    @property
    def floating(self) -> bool:
        return "float" in self.dtype

    def takes(self, other: Facts) -> bool:
        """Whether the other one can be written into it: PyTorch lets `x[...] = y` make a bool require grad."""
        return self.floating or not other.requires_grad

    @property
    def tame(self) -> bool:
        """Whether computing with it stays far from overflow."""
        return self.largest < 1e3 and (self.largest > 1e-3 or self.largest == 0)


# Holes for tensors: whether a variable fits, given the tensor chosen last; and the text for when no variable does.
_TENSORS: dict[str, tuple[Callable[[Facts, Facts], bool], str]] = {
    "any": (lambda f, last: True, "{vector}"),
    "floating": (lambda f, last: f.floating, "{any}"),
    "writable": (lambda f, last: f.floating and not f.protected, "{x}"),
    "w": (lambda f, last: f.requires_grad, "{x}"),
    "leaf": (lambda f, last: f.requires_grad and f.is_leaf, "{w}"),
    "result": (lambda f, last: f.requires_grad and not f.is_leaf, "({w} * 1)"),
    "one": (lambda f, last: f.requires_grad and math.prod(f.shape) == 1, "{w}.sum()"),
    # PyTorch crashes when a later result of a node that retains its gradient is written to.
    "kept": (lambda f, last: f.requires_grad and not f.output_nr, "{one}.sum()"),
    "m": (lambda f, last: f.floating and len(f.shape) == 2, "{matrix}"),
    "u": (lambda f, last: f.floating and len(f.shape) == 1, "{vector}"),
    "p": (lambda f, last: f.floating and f.least > 0.05, "({x}.abs() + 0.5)"),
    "z": (lambda f, last: f.floating and f.largest < 4, "{x}.sin()"),
    # To see in another shape, which tells its layout: of operands in two memory orders PyTorch's result takes the first's.
    "c": (lambda f, last: f.floating and f.laid_out, "{vector}"),
    # What broadcasts with the last one, has its shape, or is a matrix on its right.
    "other": (lambda f, last: _broadcast(f.shape, last.shape) is not None, "torch.ones(1)"),
    "same": (lambda f, last: f.floating and f.shape == last.shape, "torch.ones_like({_})"),
    "n": (lambda f, last: len(f.shape) == 2 and f.shape[:1] == last.shape[-1:], "{_}.mT"),
    # What can be written into the last one, into a part of it by index, or can divide it in place.
    "source": (lambda f, last: _broadcast(f.shape, last.shape) == last.shape and last.takes(f), "{k}"),
    "value": (lambda f, last: not f.shape and f.dtype == last.dtype, "{k}"),
    "nonzero": (lambda f, last: f.least > 0.05 and _broadcast(f.shape, last.shape) == last.shape, "<2|3>"),
}
_READ = {"source", "value", "nonzero"}  # read while the last one is written to, so they must not be views of it
_BESIDE = {"other", "same", "n", *_READ}  # the last one stays the last one
_STRICT = {"c", "kept", "m", "result", "z"}  # what fits is taken even in a statement that is to be a mistake


class Writer:
    """Writes the statements of one program beside the world in which it runs under PyTorch."""

    def __init__(self, rng: random.Random, world: Any) -> None:
        self.rng, self.world = rng, world
        self.made = self.handles = 0
        self.floats = rng.choice(_FLOATS)
        self.facts: list[Facts] = []
        self.at = Facts("", (), "")  # the tensor chosen last
        self.mistake = False
        self.looked = False  # whether what is written to is looked at as a view of the variable

    def statement(self) -> str:
        if self.made < 2:
            return self.fill(STATEMENTS["leaves"][1])
        small = {name: tensor for name, tensor in self.world.tensors().items() if tensor.numel() <= 36}
        self.facts = [self.known(name, tensor) for name, tensor in small.items()]
        self.mistake = self.rng.random() < 0.01
        groups = EXPRESSIONS | STATEMENTS
        name = self.rng.choices(list(groups), [weight for weight, _ in groups.values()])[0]
        line = self.line(groups[name][1])
        text = self.fill(line if name in STATEMENTS else "{new} = " + line)
        return self.rng.choice(MODES) + text if self.rng.random() < 0.1 else text

    def line(self, lines: str) -> str:
        return self.rng.choice([line.strip() for line in lines.strip().splitlines()])

    def fill(self, text: str) -> str:
        """The text with its choices made and its holes filled, from left to right."""
        text = re.sub(r"<([^<>]*\|[^<>]*)>", lambda found: self.rng.choice(found[1].split("|")), text)
        return re.sub(r"\{(\w+)\}", lambda found: self.hole(found[1]), text)

    @staticmethod
    def known(name: str, tensor: Any) -> Facts:
        values = np.asarray(tensor.tolist(), float)
        owner = tensor if tensor._base is None else tensor._base
        return Facts(
            name,
            tuple(tensor.shape),
            str(tensor.dtype),
            tensor.requires_grad,
            # Whether a view is a leaf is not asked: the answer would bring its node up to date.
            is_leaf=owner is tensor and tensor.is_leaf,
            protected=owner.requires_grad and owner.is_leaf,
            output_nr=tensor.output_nr,
            memory=tensor.untyped_storage().data_ptr(),
            laid_out=owner.is_contiguous() or (owner.is_leaf and owner.requires_grad),
            least=float(values.min(initial=1.0)),
            largest=float(np.abs(values).max(initial=0.0)),
        )

    def hole(self, name: str) -> str:
        """What stands in the hole of this name."""
        if name in MACROS:
            return self.fill(MACROS[name])
        return self.pick(name) if name in _TENSORS else str(getattr(self, f"hole_{name}")())

    def pick(self, name: str) -> str:
        """A variable that fits, preferably a late one; in a statement that is to be a mistake, first any."""
        last, (fits, otherwise) = self.at, _TENSORS[name]
        if name == "source" and not last.floating:  # PyTorch lets `x[...] = y` make a bool require grad
            self.mistake = False
        mistake = self.mistake and name not in _STRICT
        fitting = [f for f in self.facts if mistake or (f.tame and fits(f, last))]
        if name in _READ:
            fitting = [f for f in fitting if f.memory != last.memory or (f.name == last.name and not self.looked)]
        self.mistake = self.mistake and self.rng.random() < 0.5
        if fitting:
            self.at = self.rng.choice(fitting[-6:] if self.rng.random() < 0.7 else fitting)
        text = self.at.name if fitting else self.fill(otherwise)
        if name in _BESIDE:
            self.at = last
        return text

    # Holes for new names and new tensors

    def hole_new(self) -> str:
        self.made += 1
        return f"v{self.made - 1}"

    def hole_tensor(self) -> str:
        rng = self.rng
        shape, dtype = rng.choice(_SHAPES), rng.choice(self.floats if rng.random() < 0.8 else _INTEGERS)
        values = np.array([rng.choice(_NUMBERS) for _ in range(math.prod(shape))])
        if "int" in dtype or dtype == "bool":
            values = np.floor(values) if dtype != "bool" else values > 0
        if "int" in dtype:
            values = values.astype(int)
        grad = ", requires_grad=True" if "float" in dtype and rng.random() < 0.7 else ""
        late = ""
        if len(shape) == 2 and min(shape) > 1 and grad and rng.random() < 0.2:
            grad, late = "", ".t().clone().requires_grad_()"
        return f"torch.tensor({values.reshape(shape).tolist()}, dtype=torch.{dtype}{grad}){late}"

    def hole_vector(self) -> str:
        return self._ones((3,))

    def hole_matrix(self) -> str:
        return self._ones((2, 2))

    def _ones(self, shape: tuple[int, ...]) -> str:
        text = f"torch.ones({shape}, dtype=torch.float64)"
        self.at = Facts(text, shape, "torch.float64")
        return text

    # Holes for a tensor chosen in a way of its own

    def hole__(self) -> str:
        """The last tensor once more."""
        return self.at.name

    def hole_x(self) -> str:
        """A floating tensor, mostly."""
        return self.hole("any" if self.rng.random() < 0.1 else "floating")

    def hole_o(self) -> str:
        """A variable that may be written to, mostly."""
        self.looked = False
        return self.hole("floating" if self.rng.random() < 0.1 else "writable")

    def hole_target(self) -> str:
        """What is written into: a variable or a view of one, sometimes through several levels."""
        name = self.hole_o()
        looks = [self.hole_look() for _ in range(self.rng.choices((0, 1, 2), (6, 4, 1))[0])]
        self.looked = bool(looks)
        return name + "".join(looks)

    def hole_look(self) -> str:
        """The end of an expression that makes a view of the last tensor."""
        kinds = [key for key in VIEWS if key in (None, len(self.at.shape)) or key == 1 and self.at.shape]
        look = self.fill(self.line(VIEWS[self.rng.choice(kinds)]))
        return look if self.at.laid_out or not look.startswith((".view(-1", ".reshape", ".flatten")) else ""

    # Holes for what is not a tensor

    def hole_compare(self) -> str:
        # What does not fit is named the other way round here where the right one is a view: Python asks a subclass first.
        self.mistake = False
        return self.rng.choice(["==", "!=", "<", "<=", ">", ">="])

    def hole_d(self) -> int:
        dims = len(self.at.shape) or 1
        return self.rng.randint(-dims - 1, dims) if self.mistake else self.rng.randrange(-dims, dims)

    def hole_dims(self) -> str:
        dims = self.rng.sample(range(len(self.at.shape)), min(len(self.at.shape), self.rng.randint(1, 2)))
        return str(tuple(dims) if dims else self.hole_d())

    def hole_i(self) -> str:
        """An index in any of the forms."""
        parts = []
        for size in self.at.shape[: self.rng.randint(0, len(self.at.shape))]:
            whole = self.rng.randrange(size) if size else 0
            lists = [f"[{whole}]", f"[{whole}, 0]", f"torch.tensor([{whole}, -1])", f"torch.tensor({whole})"]
            parts += [self.rng.choice([str(whole), "-1", ":", ":", "1:", "::2", ":1", "None", *lists])]
        if not parts or self.rng.random() < 0.2:
            parts.insert(self.rng.randint(0, len(parts)), self.rng.choice(["...", "None"]))
        return ", ".join(parts)

    def hole_handle(self) -> str:
        self.handles += 1
        return f"h{self.handles}"

    def hole_old_handle(self) -> str:
        return f"h{self.rng.randint(1, max(1, self.handles))}"

    def hole_number(self) -> int:
        return self.rng.randrange(100)


def _broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        return None
