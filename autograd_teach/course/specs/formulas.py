"""Formulas with random numbers and functions, whose results cannot be known in advance."""

import re
from collections.abc import Callable

import numpy as np


def drawn(formula: str, rng: np.random.Generator) -> str:
    """`formula` with a random number between 0.5 and 1.5 for {a}, an exponent for {n}, and a function for {f}.

    >>> drawn("{f}({a} * x) + {a} * x ** {n}", np.random.default_rng(5))
    'torch.tanh(1.31 * x) + 1.02 * x ** 4'
    """
    draw: dict[str, Callable[[], str]] = {
        "a": lambda: f"{rng.uniform(0.5, 1.5):.2f}",
        "n": lambda: str(rng.integers(3, 5)),
        "f": lambda: f"torch.{rng.choice(['sin', 'cos', 'tanh'])}",
    }
    return re.sub(r"\{([anf])\}", lambda found: draw[found[1]](), formula)
