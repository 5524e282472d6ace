"""Exercises of notebook 08, changing values in place: predict_in_place_errors, and four programs to repair."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..jacobian import numerical_jacobian
from .declaration import Also, Arguments, Call, Exercise, Leaf, Mistake

NOTEBOOK = "08_in_place"

START = "x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)"
"""The first line of every program of `predict_in_place_errors`; the last is `loss.backward()`."""

PROGRAMS = {
    "A": "y = x.tanh()\ny += 1\nloss = y.sum()",
    "B": "y = x + 1\nz = y.exp()\ny /= 10\nloss = z.sum()",
    "C": "first = x[0:1]\nfirst.zero_()\nloss = (x * 2).sum()",
    "D": "with torch.no_grad():\n    x *= 2\nloss = (x**2).sum()",
    "E": "loss = (x**2).sum()\nwith torch.no_grad():\n    x -= 0.1",
    "F": "loss = (x**2).sum()\nx.data -= 0.1",
    "G": "y = x.exp()\nloss = y.sum()\nlast = y[2:]\nlast *= 0",
    "H": "loss = (x**2).sum()\nsame = x.detach()\nsame -= 0.1",
}
"""The programs of `predict_in_place_errors`; a test runs them and holds OUTCOMES and SLOPES against them."""

OUTCOMES = {"A": "saved", "B": "fine", "C": "leaf", "D": "fine", "E": "saved", "F": "wrong", "G": "saved", "H": "saved"}
"""What becomes of each: all is well, the line raises (a leaf), backward raises (a saved value), or the gradient is wrong."""

SLOPES = {"B": lambda x: np.exp(x + 1), "D": lambda x: 2 * (2 * x), "F": lambda x: 2 * x}
"""The slope of the loss, at the x that it was computed from, of the programs that do not raise."""

WORDS = tuple(sorted(set(OUTCOMES.values())))


def is_one_of_the_words(called: Any) -> str | None:
    for name, outcome in called.result.items() if isinstance(called.result, dict) else ():
        if outcome not in WORDS:
            return f"the outcome of {name} is {outcome!r}; the words for it are {', '.join(map(repr, WORDS))}"
    return None


def value_and_gradient(torch: Any, answer: Any, x: Any) -> Any:
    """What the repaired function makes of the leaf x, and the gradient of its entries, weighted with 1, 2, 3, …"""
    result = answer(x)
    if result is None:
        return None
    gradient = None
    if isinstance(result, torch.Tensor) and result.requires_grad:
        weights = torch.arange(1, result.numel() + 1, dtype=result.dtype).reshape(result.shape)
        (gradient,) = torch.autograd.grad((result * weights).sum(), x, allow_unused=True)
    return {"value": result, "gradient": gradient}


def loss_and_weights(torch: Any, answer: Any, w: Any) -> Any:
    """What the answer says the loss is, and what it has made of the leaf w."""
    loss = answer(w)
    return None if loss is None else {"loss": loss, "w": w}


def meant(f: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], dict[str, np.ndarray]]:
    """The value of f and the gradient of its weighted entries, by numbers."""
    return lambda x: {"value": f(x), "gradient": (weights(x) @ numerical_jacobian(f, [x], 0)).reshape(x.shape)}


def weights(x: np.ndarray) -> np.ndarray:
    return np.arange(1.0, x.size + 1)


def centre(x: np.ndarray) -> np.ndarray:
    return np.square(x - x.mean())


def threshold(x: np.ndarray) -> np.ndarray:
    return np.where(np.tanh(x) < 0.5, 0, np.tanh(x))


def leaves(rng: np.random.Generator, *sizes: int) -> Sequence[Arguments]:
    return [(Leaf(rng.uniform(0.5, 2.0, size=n) * rng.choice([-1, 1], size=n)),) for n in sizes]


def threshold_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """tanh(0.52) is just below 0.5: one that compares x with 0.5 is found out by it."""
    above, below = rng.uniform(0.7, 1.5, size=6), rng.uniform(-1.5, 0.4, size=4)
    return [(Leaf(x),) for x in ([above[0], below[0], 0.52], [-above[1], above[2]], [*below[1:], *above[3:]])]


def after_step(gradient_at: float = 1.0, decay: float = 0.9, rate: float = 0.1) -> Callable[[np.ndarray], Any]:
    """The weights after decay and step, with the gradient taken at `gradient_at` times the weights."""

    def forward(w: np.ndarray) -> dict[str, np.ndarray]:
        at = gradient_at * w
        return {"w": decay * w - rate * (4 * at**3 - 2 * at)}

    return forward


def loss_of(w: np.ndarray) -> np.ndarray:
    return np.sum(w**4 - w**2)


NO_GRADIENT = Mistake(
    "cut",
    "no gradient reaches x: as far as autograd knows, the result does not depend on x any more, or it is no tensor (but a list of some, perhaps)",
    forward=lambda x: {"gradient": None},
)

EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="predict_in_place_errors",
        points=2,
        title="Which of these raise, and where",
        grading=Call(
            (),
            lambda: OUTCOMES,
            lambda rng: [()],
            also=(Also("other_word", "each outcome is one of the four words", is_one_of_the_words),),
            kind="value",
        ),
        hints=(
            "For each program: which tensor is written to, and under which names is its memory known?",
            "Then: which node saved that tensor before it was written to? The slope of tanh and of exp is computed from the result, the slope of a square from the argument.",
            "Ask in this order. Is it the memory of a leaf that requires grad, and is the change recorded? Was a value saved before, and is the change counted? And if it is not counted: is the saved value still the right one?",
        ),
        mistakes=(
            Mistake(
                "tanh_by_argument",
                "the slope of tanh is 1 minus the square of its result, so the result is what its node keeps: look again at A",
                forward=lambda: {"A": "fine"},
            ),
            Mistake(
                "exp_by_argument",
                "a node keeps what its slope is computed from; for exp, is that the argument or the result? Look again at B",
                forward=lambda: {"B": "saved"},
            ),
            Mistake(
                "view_is_no_leaf",
                "in C, `first` is a view: writing to it writes to x itself, and autograd would have to follow that change",
                forward=lambda: {"C": "fine"},
            ),
            Mistake(
                "view_is_no_leaf",
                "in C, no node has saved anything when `first` is written to; whose memory is it?",
                forward=lambda: {"C": "saved"},
            ),
            Mistake(
                "no_grad_forbidden",
                "in D, the change is not recorded, and nothing has been computed from x before it",
                forward=lambda: {"D": "leaf"},
            ),
            Mistake(
                "no_grad_forbidden",
                "in D, the square is computed after the change: what it saves is not changed any more",
                forward=lambda: {"D": "saved"},
            ),
            Mistake(
                "no_grad_is_safe",
                "no_grad keeps a change out of the graph; it is counted all the same: look again at E",
                forward=lambda: {"E": "fine"},
            ),
            Mistake(
                "data_is_counted",
                "a change through `.data` is not counted, so nobody can notice it: look again at F",
                forward=lambda: {"F": "saved"},
            ),
            Mistake(
                "data_is_safe",
                "in F, the slope of the square is computed from x as it is when backward runs: is it still the x of the loss?",
                forward=lambda: {"F": "fine"},
            ),
            Mistake(
                "view_is_a_copy",
                "in G, `last` is a view: it shares memory and version counter with y",
                forward=lambda: {"G": "fine"},
            ),
            Mistake(
                "detach_is_a_copy",
                "in H, `detach` gives another tensor with the same memory and the same version counter",
                forward=lambda: {"H": "fine"},
            ),
            Mistake(
                "detach_is_data",
                "`detach` and `.data` share memory alike, but only one of them shares the version counter: look again at H",
                forward=lambda: {"H": "wrong"},
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="repair_centre",
        points=1,
        title="Repair: a leaf that is written to",
        grading=Call(("x",), meant(centre), lambda rng: leaves(rng, 2, 3, 5), call=value_and_gradient),
        hints=(
            "Which line raises, and what does it do to x: does it make a new tensor, or write new values into the old one?",
            "x belongs to the caller, who wants a gradient for it. What is needed is another tensor; a name of its own for it makes that clear.",
        ),
        mistakes=(
            NO_GRADIENT,
            Mistake(
                "mean_constant",
                "the gradient takes the mean for a constant, but the mean depends on every entry of x",
                forward=lambda x: {"gradient": 2 * weights(x) * (x - x.mean())},
            ),
            Mistake(
                "not_centred",
                "these are the squares of x itself: the mean is not subtracted",
                forward=lambda x: {"value": x**2},
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="repair_threshold",
        points=1,
        title="Repair: a saved result that is written to",
        grading=Call(("x",), meant(threshold), threshold_inputs, call=value_and_gradient),
        hints=(
            "Which node saved y, and what does it need y for?",
            "Two ways lead out: write to a copy, or make the result in one go, entry by entry from one of two tensors.",
            "`y.clone()` is a copy that autograd follows. `torch.where(condition, a, b)` takes each entry from a or from b.",
        ),
        mistakes=(
            NO_GRADIENT,
            Mistake(
                "unnoticed",
                "the entries that were set to 0 get the slope 1, that of tanh where its result is 0: the change was hidden from autograd",
                forward=lambda x: {"gradient": weights(x) * (1 - threshold(x) ** 2)},
            ),
            Mistake(
                "slope_of_all",
                "the entries that were set to 0 do not depend on x any more, but get a gradient as if they did",
                forward=lambda x: {"gradient": weights(x) * (1 - np.tanh(x) ** 2)},
            ),
            Mistake(
                "x_compared",
                "x is compared with 0.5; it is tanh x that must be",
                forward=lambda x: {"value": np.where(x < 0.5, 0, np.tanh(x))},
            ),
            Mistake(
                "size_compared",
                "large negative entries are kept; everything below 0.5 must be 0, and they are below it",
                forward=lambda x: {"value": np.where(np.abs(np.tanh(x)) < 0.5, 0, np.tanh(x))},
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="repair_products",
        points=1,
        title="Repair: a table that is filled",
        grading=Call(("x",), meant(np.cumprod), lambda rng: leaves(rng, 2, 3, 5), call=value_and_gradient),
        hints=(
            "Each product saves an entry of the table. How many version counters does the table have?",
            "The table may be put together at the end: collect the products first, in something that is no tensor.",
            "A list, and torch.stack for the end. Or stay with the table, and let each product save a copy of its entry.",
        ),
        mistakes=(
            NO_GRADIENT,
            Mistake(
                "chain_cut",
                "each product takes the one before for a constant, but that one depends on all entries of x before it",
                forward=lambda x: {"gradient": weights(x) * np.concatenate([[1.0], np.cumprod(x)[:-1]])},
            ),
            Mistake(
                "last_only",
                "only the last product is there; all of them are asked for",
                forward=lambda x: {"value": np.prod(x)},
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="repair_step",
        points=1,
        title="Repair: weights that change too early",
        grading=Call(
            ("w",),
            lambda w: {"loss": loss_of(w), **after_step()(w)},
            lambda rng: [(Leaf(rng.uniform(0.8, 1.6, size=shape)),) for shape in [(2,), (2, 2), ()]],
            call=loss_and_weights,
            may_change=("w",),
        ),
        hints=(
            "Which value does the way back from the loss need, and what happens to it before?",
            "Nothing is wrong with any of the lines. What about their order?",
        ),
        mistakes=(
            Mistake(
                "loss_later",
                "the loss is that of the weights after they were made smaller; that of the weights as they were given is asked for",
                forward=lambda w: {"loss": loss_of(0.9 * w)},
            ),
            Mistake(
                "unnoticed",
                "the gradient is that of the smaller weights, not of those that the loss was computed from: the change was hidden from autograd",
                forward=after_step(gradient_at=0.9),
            ),
            Mistake(
                "not_smaller",
                "the step is taken, but the weights were not made smaller by a tenth before",
                forward=after_step(decay=1),
            ),
            Mistake(
                "no_step",
                "the weights were made smaller by a tenth, but the step against the gradient is missing",
                forward=after_step(rate=0),
            ),
            Mistake(
                "step_smaller",
                "the weights are made smaller after the step, so that the step is made smaller with them",
                forward=after_step(rate=0.09),
            ),
            Mistake(
                "new_tensor",
                "the caller's w is as it was: inside, the name w was given to another tensor",
                forward=after_step(decay=1, rate=0),
            ),
        ),
    ),
)
