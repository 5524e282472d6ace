"""Tables with the texts of `viz.why`: the kinds of answers, their sentences, and their advice."""

from __future__ import annotations

from typing import Literal, get_args

Kind = Literal[
    "arrives",
    "no backward",
    "accumulated",
    "cleared",
    "freed",
    "requires_grad",
    "not a leaf",
    "rebound",
    "unused",
    "cut",
    "detach",
    "no_grad",
    "number",
    "numpy",
    "integers",
    "new leaf",
    "create_graph",
    "overwritten",
    "returns None",
    "nan",
    "inf",
    "dead",
    "saturated",
    "no slope",
    "not chosen",
    "zero factor",
    "minimum",
    "cancels",
    "vanishing",
    "exploding",
    "hook",
    "error",
]
KINDS: tuple[str, ...] = get_args(Kind)
"""The possible values of `why(...).kind`."""

# {what}: the function or value that cuts the history, {w}: the name of the tensor.
TURNED = {
    "detach": "takes {what} out of the graph",
    "no_grad": "is computed under {what}, so no operation is recorded",
    "number": "makes a plain number, which has no graph",
    "numpy": "goes through NumPy, which records no graph",
    "integers": "makes integers or booleans, and a gradient cannot go through those",
    "new leaf": "makes a new tensor with a copy of the values, without their history",
    "requires_grad": "switches requires_grad off",
    "overwritten": "writes over the value that depends on {w}",
    "no slope": "has no gradient",
    "create_graph": "uses {what} computed without create_graph=True, which has no graph",
    "late": "switches requires_grad on, but what was computed before has no graph",
    "cut": "or a line before it, cuts the history: the graph of {what} does not lead back to {w}",
}
REMEDY = {
    "detach": "Remove `{what}` if {w} should learn from this loss.",
    "no_grad": "Compute this outside {what} if {w} should learn from this loss.",
    "number": "Keep the tensor: use `{what}` only to print or log.",
    "numpy": "Write this step with tensor operations.",
    "integers": "Use a smooth function instead, such as softmax for argmax or sigmoid for a comparison.",
    "new leaf": "Use the tensor itself, or combine tensors with stack or cat.",
    "requires_grad": "Remove that, or switch it on again before the loss is computed.",
    "overwritten": "Make a new tensor instead of writing into this one.",
    "no slope": "Use a smooth function instead.",
    "create_graph": "Take the gradient with autograd.grad(..., create_graph=True); retain_graph=True is not enough.",
    "late": "Switch it on before the loss is computed.",
    "cut": "Check if {w} is used there and what leaves the graph, or give a function: viz.why(lambda: ..., {w}).",
}
ZERO = {
    "dead": "the slope is 0 at its input",
    "saturated": "its input is so large that the slope is 0",
    "no slope": "its slope is 0 everywhere",
    "not chosen": "it sends the gradient only to other elements",
    "zero factor": "the factor that the gradient is multiplied by is 0",
    "minimum": "the loss is at its minimum",
    "overwritten": "the old value was overwritten there",
    "returns None": "its backward returns None for this argument",
    "cancels": "the contributions that arrive there add up to 0",
    "sum is 1": "its results always sum to 1, and all of them get the same gradient",
}
ZERO_REMEDY = {
    "dead": "Use a function with a slope there, such as leaky_relu, a smaller step, or other starting values.",
    "saturated": "Scale or normalise its input; for a loss use the form that takes logits.",
    "no slope": "Use a smooth function instead, or pass the gradient straight through.",
    "not chosen": "Use a smooth form, such as logsumexp or softmax, if all elements should learn.",
    "zero factor": "Start from values other than 0.",
    "minimum": "Nothing is left to learn from this loss.",
    "overwritten": "Make a new tensor instead of writing into this one.",
    "returns None": "Return the gradient of this argument from backward.",
    "cancels": "Look at the contributions one by one; the sum may be right.",
    "sum is 1": "Use sigmoid for a single output; for several, look at the dimension of softmax and at the loss.",
}


MARKS = {"dead": "slope 0", "saturated": "saturated", "cancels": "adds up to 0", "zero factor": "times 0"}


ODD_WORDS: dict[str, tuple[str, Kind]] = {"nan": ("NaN", "nan"), "inf": ("infinity", "inf")}
ODD_ADVICE = {
    "sqrt": "Keep the argument of sqrt above 0, as in sqrt(x + 1e-12): its slope at 0 is infinite.",
    "log": "Keep the argument of log above 0, as in log(x + 1e-12), or use a form such as log_softmax.",
    "div": "Keep the divisor away from 0, as in x / (y + 1e-12).",
    "reciprocal": "Keep the divisor away from 0, as in 1 / (y + 1e-12).",
    "pow": "Keep the base above 0: a negative base has no real root, and at 0 the slope can be infinite.",
    "exp": "Keep the argument of exp small, or use logsumexp, softmax or log_softmax, which do not overflow.",
    "norm": "The norm has no slope at 0: add a small number inside, as in (x * x).sum().add(1e-12).sqrt().",
    "linalgvectornorm": "The norm has no slope at 0: add a small number inside, as in (x * x).sum().add(1e-12).sqrt().",
    "std": "The standard deviation has no slope if all values are equal: use the variance plus a small number.",
    "acos": "Keep the argument inside (-1, 1), as with clamp(-1 + 1e-6, 1 - 1e-6).",
    "asin": "Keep the argument inside (-1, 1), as with clamp(-1 + 1e-6, 1 - 1e-6).",
}


CAUSES = {
    "sqrt": "the root of a negative number",
    "log": "the log of 0 or of a negative number",
    "div": "a division by 0",
    "reciprocal": "a division by 0",
    "exp": "the exponential of a number that is too large",
    "pow": "a power outside its domain",
}


# The names of an operation in code, if they differ from the name of its node.
ALIASES = {
    "pow": {"pow", "square"},
    "mm": {"matmul", "mm"},
    "mv": {"matmul", "mv"},
    "dot": {"matmul", "dot"},
    "bmm": {"matmul", "bmm"},
    "select": {"getitem", "select"},
    "slice": {"getitem"},
    "index": {"getitem"},
    "logsoftmax": {"log_softmax", "cross_entropy"},
    "nllloss": {"nll_loss", "cross_entropy"},
    "view": {"view", "reshape", "flatten"},
    "linalgvectornorm": {"norm"},
    "clampmin": {"clamp", "clamp_min"},
    "clampmax": {"clamp", "clamp_max"},
    "max": {"max"},
    "rsub": {"sub"},
    "reciprocal": {"reciprocal", "div"},
    "unsafeview": {"matmul"},
}
