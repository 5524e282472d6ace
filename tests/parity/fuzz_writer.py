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

from tests.parity.fuzz_words import EXPRESSIONS, MODES, STATEMENTS, VIEWS

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

    @property
    def tame(self) -> bool:
        """Whether computing with it stays far from overflow."""
        return self.largest < 1e3 and (self.largest > 1e-3 or self.largest == 0)


class Writer:
    """Writes the statements of one program beside the world in which it runs under PyTorch."""

    def __init__(self, rng: random.Random, world: Any) -> None:
        self.rng, self.world = rng, world
        self.made = self.handles = 0
        self.floats = rng.choice(_FLOATS)
        self.facts: list[Facts] = []
        self.at: Facts  # the tensor chosen last
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
        return re.sub(r"\{(\w+)\}", lambda found: str(getattr(self, f"hole_{found[1]}")()), text)

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

    def pick(self, fits: Callable[[Facts], bool] = lambda facts: True, strictly: bool = False) -> str | None:
        """A variable that fits, rather a late one; where the statement is to be a mistake, at first any."""
        mistake = self.mistake and not strictly
        fitting = [f for f in self.facts if mistake or (f.tame and fits(f))]
        self.mistake = self.mistake and self.rng.random() < 0.5
        if not fitting:
            return None
        self.at = self.rng.choice(fitting[-6:] if self.rng.random() < 0.7 else fitting)
        return self.at.name

    # Holes: new names, and tensors by what they are

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
        late = (
            ".t().clone().requires_grad_()"
            if len(shape) == 2 and min(shape) > 1 and grad and rng.random() < 0.2
            else ""
        )
        return f"torch.tensor({values.reshape(shape).tolist()}, dtype=torch.{dtype}{'' if late else grad}){late}"

    def hole_any(self) -> str:
        return self.pick() or self._literal((3,))

    def hole_x(self) -> str:
        return self.pick(lambda f: f.floating or self.rng.random() < 0.1) or self.hole_any()

    def hole__(self) -> str:
        return self.at.name

    def hole_c(self) -> str:
        """As {x}, to see in another shape, which tells its layout: of operands in two memory orders PyTorch's result takes the first's."""
        return self.pick(lambda f: f.floating and f.laid_out, strictly=True) or self._literal((3,))

    def hole_w(self) -> str:
        return self.pick(lambda f: f.requires_grad) or self.hole_x()

    def hole_leaf(self) -> str:
        return self.pick(lambda f: f.requires_grad and f.is_leaf) or self.hole_w()

    def hole_result(self) -> str:
        return self.pick(lambda f: f.requires_grad and not f.is_leaf, strictly=True) or f"({self.hole_w()} * 1)"

    def hole_one(self) -> str:
        """A tensor of one element that requires grad."""
        return self.pick(lambda f: f.requires_grad and math.prod(f.shape) == 1) or f"{self.hole_w()}.sum()"

    def hole_kept(self) -> str:
        """As {w}, to retain its gradient: PyTorch crashes when a later result of a node that retains it is written to."""
        return self.pick(lambda f: f.requires_grad and not f.output_nr, strictly=True) or self.hole_one() + ".sum()"

    def hole_seen(self) -> str:
        """As {w}, for hooks: PyTorch 2.13 crashes where one is put on a view, the base of which was written to since."""
        return f"seen({self.hole_w()})"

    def hole_m(self) -> str:
        return self.pick(lambda f: f.floating and len(f.shape) == 2, strictly=True) or self._literal((2, 2))

    def hole_u(self) -> str:
        return self.pick(lambda f: f.floating and len(f.shape) == 1) or self._literal((3,))

    def hole_p(self) -> str:
        return self.pick(lambda f: f.floating and f.least > 0.05) or f"({self.hole_x()}.abs() + 0.5)"

    def hole_z(self) -> str:
        return self.pick(lambda f: f.floating and f.largest < 4, strictly=True) or f"{self.hole_x()}.sin()"

    def hole_unit(self) -> str:
        return f"({self.hole_z()} / 5)"

    # Holes that fit the last tensor

    def hole_other(self) -> str:
        """A tensor that broadcasts with it."""
        shape = self.at.shape
        return self._beside(lambda f: _broadcast(f.shape, shape) is not None) or "torch.ones(1)"

    def hole_y(self) -> str:
        return self.hole_k() if self.rng.random() < 0.3 else self.hole_other()

    def hole_into(self) -> str:
        """What can be written into it; what requires grad into floats alone, for PyTorch lets `x[...] = y` make a bool require grad."""
        shape, floating = self.at.shape, self.at.floating
        self.mistake = self.mistake and floating
        if self.rng.random() < 0.3:
            return self.hole_k()
        found = self._beside(
            lambda f: _broadcast(f.shape, shape) == shape and (floating or not f.requires_grad), apart=True
        )
        return found or self.hole_k()

    def hole_value(self) -> str:
        """What can be written into a part of it by index."""
        dtype = self.at.dtype
        return self._beside(lambda f: not f.shape and f.dtype == dtype, apart=True) or self.hole_k()

    def hole_same(self) -> str:
        shape, name = self.at.shape, self.at.name
        return self._beside(lambda f: f.floating and f.shape == shape) or f"torch.ones_like({name})"

    def hole_nonzero(self) -> str:
        shape = self.at.shape
        found = self._beside(lambda f: f.least > 0.05 and _broadcast(f.shape, shape) == shape, apart=True)
        return found or self.rng.choice("23")

    def hole_mask(self) -> str:
        return f"({self.at.name} > {self.hole_k()})"

    def hole_n(self) -> str:
        """A matrix on the right of it."""
        columns, name = self.at.shape[-1:], self.at.name
        return self._beside(lambda f: len(f.shape) == 2 and f.shape[:1] == columns) or f"{name}.mT"

    def hole_spd(self) -> str:
        name = self.hole_m()
        size = self.at.shape[0] if self.at.shape else 1
        return f"({name} @ {name}.mT + 4 * torch.eye({size}, dtype={name}.dtype))"

    def hole_view(self) -> str:
        name = self.hole_x()
        return name + self._look_at()

    def hole_target(self) -> str:
        """What is written into: a variable or a view of one, at times through several levels."""
        name = self.hole_o()
        looks = [self._look_at() for _ in range(self.rng.choices((0, 1, 2), (6, 4, 1))[0])]
        self.looked = bool(looks)
        return name + "".join(looks)

    def hole_o(self) -> str:
        """A variable that may be written to, mostly."""
        self.looked = False
        return self.pick(lambda f: f.floating and (not f.protected or self.rng.random() < 0.1)) or self.hole_x()

    def hole_edge(self) -> str:
        return f"torch.autograd.graph.get_gradient_edge({self.hole_w()})"

    def _look_at(self) -> str:
        kinds = [key for key in VIEWS if key in (None, len(self.at.shape)) or key == 1 and self.at.shape]
        look = self.fill(self.line(VIEWS[self.rng.choice(kinds)]))
        return look if self.at.laid_out or not look.startswith((".view(-1", ".reshape", ".flatten")) else ""

    def _beside(self, fits: Callable[[Facts], bool], apart: bool = False) -> str | None:
        """A tensor that fits the last one; `apart`: none that would be read while it is written to, as a view of it."""
        at, everything = self.at, self.facts
        if apart:
            self.facts = [f for f in everything if f.memory != at.memory or (f.name == at.name and not self.looked)]
        found = self.pick(fits)
        self.at, self.facts = at, everything
        return found

    def _literal(self, shape: tuple[int, ...]) -> str:
        text = f"torch.ones({shape}, dtype=torch.float64)"
        self.at = Facts(text, shape, "torch.float64")
        return text

    # Holes for what is no tensor

    def hole_k(self) -> str:
        return self.rng.choice(["2", "0.5", "-1.5", "3", "-2", "1", "0", "True"])

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

    def hole_size(self) -> str:
        count = math.prod(self.at.shape)
        return str(
            self.rng.choice([(-1,), self.at.shape, (1, count), (count, 1), (2, -1), self.at.shape[::-1], (3, -1)])
        )

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

    def hole_hook(self) -> str:
        changes = ["", "", ", lambda g: g * 2", ", lambda g: g + 1", ", lambda g: g.detach()", ", lambda g: g.clone()"]
        return f"noting({self.rng.randrange(100)}{self.rng.choice(changes)})"

    hole_node_hook = hole_node_prehook = hole_hook

    def hole_after(self) -> str:
        return f"after({self.rng.randrange(100)})"


def _broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        return None
