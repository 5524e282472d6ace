"""Exercises of notebook 08, changing values in place: predict_in_place_errors, and four programs to repair."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..jacobian import numerical_jacobian
from .declaration import Also, Arguments, Call, Exercise, Leaf, Mistake

NOTEBOOK = "08_in_place"

START = "x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)"
"""The first line of every program of `predict_in_place_errors`. The last line is `loss.backward()`."""

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
"""The programs of `predict_in_place_errors`. A test runs them and compares them with OUTCOMES and SLOPES."""

OUTCOMES = {"A": "saved", "B": "fine", "C": "leaf", "D": "fine", "E": "saved", "F": "wrong", "G": "saved", "H": "saved"}
"""What each program does: the words are explained in the statement."""

SLOPES = {"B": lambda x: np.exp(x + 1), "D": lambda x: 2 * (2 * x), "F": lambda x: 2 * x}
"""For the programs that do not raise: the gradient of the loss at the x that it was computed from."""

WORDS = tuple(sorted(set(OUTCOMES.values())))


def is_one_of_the_words(called: Any) -> str | None:
    for name, outcome in called.result.items() if isinstance(called.result, dict) else ():
        if outcome not in WORDS:
            return f"the entry of {name} is {outcome!r}; use one of these words: {', '.join(map(repr, WORDS))}"
    return None


def value_and_gradient(torch: Any, answer: Any, x: Any) -> Any:
    """The repaired function's result at the leaf x, and the gradient of its entries weighted with 1, 2, 3, …"""
    result = answer(x)
    if result is None:
        return None
    gradient = None
    if isinstance(result, torch.Tensor) and result.requires_grad:
        weights = torch.arange(1, result.numel() + 1, dtype=result.dtype).reshape(result.shape)
        (gradient,) = torch.autograd.grad((result * weights).sum(), x, allow_unused=True)
    return {"value": result, "gradient": gradient}


def loss_and_weights(torch: Any, answer: Any, w: Any) -> Any:
    """The loss that the answer returns, and the leaf w after the call."""
    loss = answer(w)
    return None if loss is None else {"loss": loss, "w": w}


def meant(f: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], dict[str, np.ndarray]]:
    """The value of f and the numerical gradient of the weighted sum of its entries."""
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
    """Vectors around the threshold: tanh(0.52) is just below 0.5, so comparing x with 0.5 is wrong there."""
    above, below = rng.uniform(0.7, 1.5, size=6), rng.uniform(-1.5, 0.4, size=4)
    return [(Leaf(x),) for x in ([above[0], below[0], 0.52], [-above[1], above[2]], [*below[1:], *above[3:]])]


def after_step(gradient_at: float = 1.0, decay: float = 0.9, rate: float = 0.1) -> Callable[[np.ndarray], Any]:
    """A function from w to the weights after decay and step, with the gradient at `gradient_at` times w."""

    def forward(w: np.ndarray) -> dict[str, np.ndarray]:
        at = gradient_at * w
        return {"w": decay * w - rate * (4 * at**3 - 2 * at)}

    return forward


def loss_of(w: np.ndarray) -> np.ndarray:
    return np.sum(w**4 - w**2)


NO_GRADIENT = Mistake(
    "cut",
    "no gradient reaches x: the result has no graph that leads back to x, or it is not a tensor "
    "(perhaps a list of tensors)",
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
            also=(Also("other_word", "each entry is one of the four words", is_one_of_the_words),),
            kind="value",
        ),
        hints=(
            "For each program: which tensor is written to? Which other tensors share its memory?",
            (
                "Then: did a node save that tensor before it was written to? The local slopes of "
                "tanh and exp are computed from the result, the local slope of a square from the "
                "argument."
            ),
            (
                "Ask in this order. Is it the memory of a leaf that requires grad, and is the "
                "change recorded? Was the value saved before, and does the version counter count "
                "the change? If it is not counted, is the saved value still right?"
            ),
        ),
        mistakes=(
            Mistake(
                "tanh_by_argument",
                "the local slope of tanh is 1 minus the square of its result, so its node saves "
                "the result: look again at A",
                forward=lambda: {"A": "fine"},
            ),
            Mistake(
                "exp_by_argument",
                "a node saves what its local slope is computed from; for exp, is that the "
                "argument or the result? Look again at B",
                forward=lambda: {"B": "saved"},
            ),
            Mistake(
                "view_is_no_leaf",
                "in C, `first` is a view: writing to it writes to x itself, and autograd is recording",
                forward=lambda: {"C": "fine"},
            ),
            Mistake(
                "view_is_no_leaf",
                "in C, no node has saved a value when `first` is written to; whose memory is it?",
                forward=lambda: {"C": "saved"},
            ),
            Mistake(
                "no_grad_forbidden",
                "in D, the change is not recorded, and nothing was computed from x before it",
                forward=lambda: {"D": "leaf"},
            ),
            Mistake(
                "no_grad_forbidden",
                "in D, the square is computed after the change, so the value that it saves does not change any more",
                forward=lambda: {"D": "saved"},
            ),
            Mistake(
                "no_grad_is_safe",
                "`no_grad` keeps a change out of the graph, but the version counter still counts it: look again at E",
                forward=lambda: {"E": "fine"},
            ),
            Mistake(
                "data_is_counted",
                "the version counter does not count a change through `.data`, so backward cannot "
                "notice it: look again at F",
                forward=lambda: {"F": "saved"},
            ),
            Mistake(
                "data_is_safe",
                "in F, the local slope of the square is computed from x as it is when backward "
                "runs: is it still the x of the loss?",
                forward=lambda: {"F": "fine"},
            ),
            Mistake(
                "view_is_a_copy",
                "in G, `last` is a view: it shares its memory and its version counter with y",
                forward=lambda: {"G": "fine"},
            ),
            Mistake(
                "detach_is_a_copy",
                "in H, `detach` gives another tensor with the same memory and the same version counter",
                forward=lambda: {"H": "fine"},
            ),
            Mistake(
                "detach_is_data",
                "`detach` and `.data` both share the memory, but only one of them shares the "
                "version counter: look again at H",
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
            "Which line raises? Does it make a new tensor, or does it write new values into x?",
            (
                "x belongs to the caller, who wants a gradient for it. So make another tensor, "
                "and give it a name of its own."
            ),
        ),
        mistakes=(
            NO_GRADIENT,
            Mistake(
                "mean_constant",
                "the gradient treats the mean as a constant, but the mean depends on every entry of x",
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
            (
                "You have two choices: write to a copy, or make the result with one operation "
                "that takes each entry from one of two tensors."
            ),
            (
                "`y.clone()` is a copy that autograd follows. `torch.where(condition, a, b)` "
                "takes each entry from a or from b."
            ),
        ),
        mistakes=(
            NO_GRADIENT,
            Mistake(
                "unnoticed",
                "the entries that were set to 0 get the slope 1, the slope of tanh if its result "
                "is 0: the change was hidden from autograd",
                forward=lambda x: {"gradient": weights(x) * (1 - threshold(x) ** 2)},
            ),
            Mistake(
                "slope_of_all",
                "the entries that were set to 0 no longer depend on x, but they get a gradient as if they did",
                forward=lambda x: {"gradient": weights(x) * (1 - np.tanh(x) ** 2)},
            ),
            Mistake(
                "x_compared",
                "x is compared with 0.5: compare tanh x with 0.5",
                forward=lambda x: {"value": np.where(x < 0.5, 0, np.tanh(x))},
            ),
            Mistake(
                "size_compared",
                "large negative entries are kept: they are below 0.5 too, so they must be 0",
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
            "You can build the table at the end. Collect the products first, in something that is not a tensor.",
            (
                "Collect them in a list, and call `torch.stack` at the end. Or keep the table, "
                "and let each product save a copy of its entry."
            ),
        ),
        mistakes=(
            NO_GRADIENT,
            Mistake(
                "chain_cut",
                "each product treats the product before it as a constant, but that product "
                "depends on the earlier entries of x",
                forward=lambda x: {"gradient": weights(x) * np.concatenate([[1.0], np.cumprod(x)[:-1]])},
            ),
            Mistake(
                "last_only",
                "only the last product is there: the result must hold all of them",
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
            "Which value does the backward pass from the loss need? What happens to it before `backward` runs?",
            "Every line is right. What about their order?",
        ),
        mistakes=(
            Mistake(
                "loss_later",
                "this is the loss of the weights after they were made smaller: use the weights as they were given",
                forward=lambda w: {"loss": loss_of(0.9 * w)},
            ),
            Mistake(
                "unnoticed",
                "this is the gradient at the smaller weights, not at the weights that the loss "
                "was computed from: the change was hidden from autograd",
                forward=after_step(gradient_at=0.9),
            ),
            Mistake(
                "not_smaller",
                "the step is taken, but the weights were not made smaller by a tenth",
                forward=after_step(decay=1),
            ),
            Mistake(
                "no_step",
                "the weights were made smaller by a tenth, but the step against the gradient is missing",
                forward=after_step(rate=0),
            ),
            Mistake(
                "step_smaller",
                "the weights are made smaller after the step, so the step is made smaller with them",
                forward=after_step(rate=0.09),
            ),
            Mistake(
                "new_tensor",
                "the caller's w has not changed: inside the function, the name w was given to another tensor",
                forward=after_step(decay=1, rate=0),
            ),
        ),
    ),
)
