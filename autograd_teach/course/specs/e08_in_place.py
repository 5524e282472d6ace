"""The specification of notebook 08, changing values in place: predict_in_place_errors, and four programs to repair."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..checks.spec import Also, Arguments, CallSpec, Mistake
from ..exercises.declaration import Leaf
from ..jacobian import numerical_jacobian
from ..mutants import Slip

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


def outcomes() -> dict[str, str]:
    """What each program does: the words are explained in the statement."""
    found = {}
    found["A"] = "saved"  #: A
    found["B"] = "fine"  #: B
    found["C"] = "leaf"  #: C
    found["D"] = "fine"  #: D
    found["E"] = "saved"  #: E
    found["F"] = "wrong"  #: F
    found["G"] = "saved"  #: G
    found["H"] = "saved"  #: H
    return found


OUTCOMES = outcomes()


SLOPES = {"B": lambda x: np.exp(x + 1), "D": lambda x: 2 * (2 * x), "F": lambda x: 2 * x}
"""For the programs that do not raise: the gradient of the loss at the x that it was computed from."""


WORDS = tuple(sorted(set(OUTCOMES.values())))


def is_one_of_the_words(called: Any) -> str | None:
    for name, outcome in called.result.items() if isinstance(called.result, dict) else ():
        if outcome not in WORDS:
            return f"the entry of {name} is {outcome!r}; use one of these words: {', '.join(map(repr, WORDS))}"
    return None


OTHER_WORDS = {
    "A fine": (
        "the local slope of tanh is 1 minus the square of its result, so its node saves the result: look again at A"
    ),
    "B saved": (
        "a node saves what its local slope is computed from; for exp, is that the argument or the result? Look "
        "again at B"
    ),
    "C fine": "in C, `first` is a view: writing to it writes to x itself, and autograd is recording",
    "C saved": "in C, no node has saved a value when `first` is written to; whose memory is it?",
    "D leaf": "in D, the change is not recorded, and nothing was computed from x before it",
    "D saved": "in D, the square is computed after the change, so the value that it saves does not change any more",
    "E fine": "`no_grad` keeps a change out of the graph, but the version counter still counts it: look again at E",
    "F saved": (
        "the version counter does not count a change through `.data`, so backward cannot notice it: look again at F"
    ),
    "F fine": (
        "in F, the local slope of the square is computed from x as it is when backward runs: is it still the x of "
        "the loss?"
    ),
    "G fine": "in G, `last` is a view: it shares its memory and its version counter with y",
    "H fine": "in H, `detach` gives another tensor with the same memory and the same version counter",
    "H wrong": (
        "`detach` and `.data` both share the memory, but only one of them shares the version counter: look again at H"
    ),
    "EFH leaf": "in {}, x is a leaf, but its change is not recorded, so the line that changes it does not raise",
    "AEG wrong": "in {}, the version counter counts the change: does backward run through and give a gradient?",
    "BD wrong": "in {}, no value changes after it was saved for backward, so the gradient is that of the loss",
}
"""Letters and a word that is wrong for them: what to think about."""


def weights(x: np.ndarray) -> np.ndarray:
    return np.arange(1.0, x.size + 1)


def value_and_gradient(f: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> dict[str, np.ndarray]:
    """The value of f and the numerical gradient of the weighted sum of its entries."""
    value = f(x)
    return {"value": value, "gradient": (weights(value) @ numerical_jacobian(f, [x], 0)).reshape(x.shape)}


NO_GRADIENT = Mistake(
    "no gradient reaches x: the result has no graph that leads back to x",
    forward=lambda x: {"gradient": None},
)


def leaves(rng: np.random.Generator, *sizes: int) -> Sequence[Arguments]:
    return [(Leaf(rng.uniform(0.5, 2.0, size=n) * rng.choice([-1, 1], size=n)),) for n in sizes]


# A `Slip` computes from `given` what a program treats as a constant: the numerical gradient does not move it.


def repair_centre(given: np.ndarray) -> dict[str, np.ndarray]:
    def result(x: np.ndarray) -> np.ndarray:
        n = len(x)  #: the number of entries
        mean = x.sum() / n  #: the mean
        distances = x - mean  #: the distances from the mean
        return np.square(distances)  #: the square of each distance

    return value_and_gradient(result, given)


def repair_threshold(given: np.ndarray) -> dict[str, np.ndarray]:
    def result(x: np.ndarray) -> np.ndarray:
        y = np.tanh(x)  #: tanh x
        low = y < 0.5  #: the test whether an entry is replaced; each tanh is compared with the threshold
        kept = y  #: the entries that are kept
        instead = np.zeros_like(y)  #: what stands in the place of the other entries
        return np.where(low, instead, kept)

    return value_and_gradient(result, given)


def repair_products(given: np.ndarray) -> dict[str, np.ndarray]:
    def result(x: np.ndarray) -> np.ndarray:
        entries = x  #: the vector of entries
        product = entries[0]  #: the first product
        found = [product]
        for entry in entries[1:]:  #: the entries after the first one
            product = product * entry  #: the products after the first one
            found.append(product)
        return np.array(found)  #: the result

    return value_and_gradient(result, given)


def repair_step(w: np.ndarray) -> dict[str, Any]:
    smaller = 0.9 * w  #: the weights after the decay
    at = w  #: the weights at which the gradient is taken
    gradient = 4 * at**3 - 2 * at  #: the gradient of the loss
    step = 0.1 * gradient  #: the step
    after = smaller - step  #: the new weights
    loss = np.sum(w**4 - w**2)  #: the loss
    return {"loss": loss, "w": after}


def product_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """The last vector contains a 0, after which all products are 0."""
    with_zero = rng.uniform(0.5, 2.0, size=5) * [1, -1, 0, 1, 1]
    return [*leaves(rng, 2, 3, 5), (Leaf(with_zero),)]


def threshold_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Vectors around the threshold: tanh(0.52) is just below 0.5, so comparing x with 0.5 is wrong there; tanh(0.57) is just above."""
    above, below = rng.uniform(0.7, 1.5, size=6), rng.uniform(-1.5, 0.4, size=4)
    vectors = ([above[0], below[0], 0.52], [-above[1], above[2]], [*below[1:], *above[3:]], [0.57, 0.02])
    return [(Leaf(x),) for x in vectors]


def step_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Weights of both signs."""
    shapes: list[tuple[int, ...]] = [(2,), (2, 2), (), (1,)]
    return [
        (Leaf(rng.uniform(0.8, 1.6, size=shape) * np.resize([-1, 1], shape) * rng.choice([-1, 1])),) for shape in shapes
    ]


def anew(x: np.ndarray) -> np.ndarray:
    """The distances if the mean is taken again after each entry has changed."""
    x = x.copy()
    for at in range(len(x)):
        x[at] -= x.mean()
    return x


CENTRE_SLIPS = (
    Slip(
        "the distances",
        "anew(x)",
        "the mean is taken again after each entry has changed: take it once, from x as it is",
    ),
    Slip("the mean", "given.mean()", "the gradient treats the mean as a constant, but it depends on every entry of x"),
    Slip("the mean", "np.sort(x)[(n - 1) // 2]", "the median is subtracted, but it must be the mean"),
    Slip("the number", "3", "the sum is always divided by 3, but x can have another number of entries"),
    Slip("the square", "np.abs(distances)", "these are the sizes of the distances: they are not squared"),
    Slip("the square", "x * distances", "only one of the two factors is a distance from the mean: the other is x"),
    Slip(
        "the square",
        "x**2 - mean**2",
        "x and the mean are squared too early: first comes the distance, then the square",
    ),
    Slip("the square", "np.mean(distances**2)", "this is one number, the mean of all results"),
)


def ended_early(given: np.ndarray) -> dict[str, np.ndarray | None]:
    """With 0 from the first entry below 0.5 on; without a graph if this is the first entry."""

    def result(x: np.ndarray) -> np.ndarray:
        return np.where(np.logical_or.accumulate(np.tanh(x) < 0.5), 0, np.tanh(x))

    found = value_and_gradient(result, given)
    return {**found, "gradient": found["gradient"] if found["value"].any() else None}


THRESHOLD_SLIPS = (
    Slip(
        "what stands",
        "x - given",
        "the entries that were set to 0 get the slope 1, the slope of tanh if its result is 0, as if the change was "
        "hidden from autograd",
    ),
    Slip("what stands", "y - np.tanh(given)", "the entries that were set to 0 get a gradient as if they depended on x"),
    Slip("what stands", "np.where(y < -0.5, -y, 0)", "each tanh below -0.5 comes back without its sign: it must be 0"),
    Slip("the test", "np.abs(y) < 0.5", "large negative entries are kept: they are below 0.5 too, so they must be 0"),
    Slip("the test", "y >= 0.5", "the test is the wrong way round: each tanh above 0.5 is replaced by 0"),
    Slip("the test", "y < 0", "each tanh below 0 is replaced by 0: use the threshold of the statement"),
    Slip("the test", "y < -1", "nothing is replaced by 0"),
    Slip("the entries that are kept", "y - 0.5", "the entries that are kept are tanh x - 0.5, but they must be tanh x"),
    Mistake("every entry after the first one below 0.5 is 0 too: each entry must be compared", ended_early),
    Mistake(
        "these are 1 where tanh x is kept: the result must hold tanh x there",
        lambda x: {"value": np.where(np.tanh(x) < 0.5, 0.0, 1.0)},
    ),
)


def from_logarithms(x: np.ndarray) -> dict[str, np.ndarray]:
    """The products without their signs, and the gradient, which is NaN at 0."""
    value = np.abs(np.cumprod(x))
    return {"value": value, "gradient": np.cumsum((weights(x) * value)[::-1])[::-1] / x}


ONE_TOO_MANY = "there is one product too many, before the first entry"


PRODUCT_SLIPS = (
    Slip(
        "the products after",
        "np.prod(given[: len(found)]) * entry",
        "each product treats the product before it as a constant, but that product depends on the earlier entries of x",
    ),
    Slip("the products after", "product + entry", "these are running sums, not products"),
    Slip("the products after", "entry ** (len(found) + 1)", "these are powers of each entry alone"),
    Slip("the products after", "entries[len(found) - 1] * entry", "these are the products of two neighbours"),
    Slip("the first product", "entries[0] ** 2", "the first entry is multiplied in twice"),
    Slip("the first product", "0 * entries[0]", "the products begin with 0, so all of them are 0"),
    Slip("the vector", "np.append(1.0, x[:-1])", "the products begin with 1 and end before the last entry"),
    Slip("the vector", "x[::-1]", "the products begin with the last entry: begin with the first one"),
    Slip("the result", "found[-1]", "only the last product is there: the result must hold all of them"),
    Slip("the result", "np.array(found[:1])", "only the first product is there: does `return` stand inside the loop?"),
    Slip(
        "the result",
        "np.full_like(x, found[-1])",
        "the product of all entries stands everywhere: is one tensor changed in place and put into the list each time?",
    ),
    Slip("the vector", "np.append(1.0, x)", ONE_TOO_MANY),
    Mistake(ONE_TOO_MANY, lambda x: {"value": np.cumprod([1, *x])}),
    Mistake("the signs are lost, as in the exp of a sum of log |x|", from_logarithms),
)


GIVEN = "use the weights as they were given"


STEP_SLIPS = (
    Slip(
        "the new",
        "0.9 * (w - step)",
        "the decay makes the step smaller too: it must change only the weights as they were given",
    ),
    Slip("the new", "w", "the caller's w has not changed (`w = ...` only gives the name w to another tensor)"),
    Slip("the weights at", "smaller", f"the step is taken with the gradient at the smaller weights: {GIVEN}"),
    Slip("the loss", "np.sum(after**4 - after**2)", f"this is the loss of the weights after the step: {GIVEN}"),
    Slip("the loss", "np.sum(smaller**4 - smaller**2)", f"this is the loss of the weights after the decay: {GIVEN}"),
    Slip("the loss", "after", "the new weights are returned, but it must be the loss"),
    Slip("the loss", "np.sum(w**4 - w**2 / 2)", "half of w**2 is added to the loss, as if the decay were a part of it"),
    Slip("the weights after", "0.1 * w", "the weights are made smaller to a tenth, not by a tenth"),
)


SPECS = {
    "predict_in_place_errors": CallSpec(
        outcomes,
        lambda rng: [()],
        also=(Also("other_word", "each entry is one of the four words", is_one_of_the_words),),
        mistakes=tuple(
            Slip(letter, repr(key.split()[1]), message.format(letter))
            for key, message in OTHER_WORDS.items()
            for letter in key.split()[0]
        ),
        holds={
            "Write a function `predict_in_place_errors()`": "runs, value",
            "Do not run them yet.": "explains",
            "Each program begins with this line": "explains",
            "These are the lines in between:": "explains",
            "Return a dict with one entry for each letter.": "value",
            "The entry is one of these four words:": "other_word",
            "For example, for two programs called P and Q": "explains",
            "The check says how many of the eight letters": "explains",
            "For common mistakes it also says": "explains",
        },
    ),
    "repair_centre": CallSpec(
        repair_centre,
        lambda rng: leaves(rng, 2, 3, 4, 5),
        mistakes=(NO_GRADIENT, *CENTRE_SLIPS),
        holds={
            "Write a function `repair_centre(x)`": "value",
            "This program is meant to compute it": "explains",
            "For example:": "explains",
            "The checks try vectors with 2 to 5 entries.": "explains",
            "They compare the result.": "value",
            "They compare the gradient that `x` gets": "value",
            "They check that `x` is unchanged": "unchanged, repeat",
        },
    ),
    "repair_threshold": CallSpec(
        repair_threshold,
        threshold_inputs,
        mistakes=(NO_GRADIENT, *THRESHOLD_SLIPS),
        holds={
            "Write a function `repair_threshold(x)`": "value",
            "An entry that is replaced by 0 no longer": "value",
            "This program is meant to compute it": "explains",
            "For example:": "explains",
            "The checks are the same as for `repair_centre`": "value, unchanged, repeat",
            "Some entries are just below the threshold": "explains",
        },
    ),
    "repair_products": CallSpec(
        repair_products,
        product_inputs,
        mistakes=(NO_GRADIENT, *PRODUCT_SLIPS),
        holds={
            "Write a function `repair_products(x)`": "value",
            "This program is meant to compute it": "explains",
            "For example:": "explains",
            "The checks are the same as for `repair_centre`": "value, unchanged, repeat",
            "Entries are positive or negative, and in one": "explains",
        },
    ),
    "repair_step": CallSpec(
        repair_step,
        step_inputs,
        mistakes=STEP_SLIPS,
        holds={
            "Write a function `repair_step(w)`": "value",
            "The loss is $L(w) =": "value",
            "Let $g$ be its gradient at the weights": "value",
            "The step is": "value",
            "It makes the weights smaller by a tenth": "value",
            "`w` requires grad and has no gradient yet.": "explains",
            "This program is meant to do it": "explains",
            "For example:": "explains",
            "The checks try `w` with one, two and no dim": "explains",
            "They compare the loss and the new values": "value",
            "The loss can be a number or a tensor": "explains",
            "What `w.grad` holds afterwards": "explains",
        },
    ),
}
