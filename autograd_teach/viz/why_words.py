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
    "unsupported",
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
# Why an operation sends nothing on.
ZERO = {
    "dead": "the slope is 0 at its input",
    "clipped": "the slope is 0 at its input, which is outside the limits",
    "saturated": "its input is so far from 0 that the slope is 0",
    "certain": "its prediction is so certain that the slope is 0",
    "no slope": "its slope is 0 everywhere",
    "slope": "its slope is 0 there",
    "not chosen": "it sends the gradient only to other elements",
    "nothing chosen": "it chooses no element",
    "looked up": "it sends no gradient to rows that are not looked up, or to padding_idx",
    "ignored": "it ignores all its targets (ignore_index)",
    "square": "the slope of a {power} is 0 where its base{base} is 0",
    "power": "the slope of a power is 0 where its base{base} is 0",
    "exponent is 0": "its exponent is 0, so its result is always 1",
    "base of exponent": "its base is {base}, whose powers do not depend on the exponent",
    "corner": "the slope of {function} is taken as 0 where its input{base} is 0",
    "equal": "its slope is 0 where its input equals its target",
    "equal prediction": "its slope is 0 where the prediction equals its target",
    "product": "other elements of the product are 0",
    "overwritten": "the old value was overwritten there",
    "returns None": "its backward returns None for this argument",
    "returns 0": "its backward returns 0",
    "cancels": "the contributions that arrive there add up to 0",
    "cancel inside": "the parts that it adds up cancel",
    "sum is 1": "its results always sum to 1 along dim, and all of them get the same gradient",
    "one class": "it has one class only, so its result is always 0",
    "mean is 0": "the results that it normalises together always have mean 0, and they get the same gradient",
    "mean and variance": "the results that it normalises together always have the same mean and variance, and "
    "the gradient that arrives asks only for others",
    "too small": "the product of the gradient and its slope is too small for this dtype",
    "unused": "the loss does not use this result",
    "unknown": "it cannot be known here why",
}
ZERO_REMEDY = {
    "dead": "Use a function with a slope there, such as leaky_relu, or other starting values. If a large step led there, use a smaller one.",
    "clipped": "Keep its input inside the limits, or use a function with a slope there.",
    "saturated": "Scale or normalise its input; if a loss follows at once, use the loss that takes logits.",
    "certain": "If the prediction is right, nothing is left to learn; if not, use smaller logits.",
    "no slope": "Use a smooth function instead, or pass the gradient straight through.",
    "slope": "Look at the values of its arguments: others may give a slope.",
    "not chosen": "Use a smooth form, such as logsumexp or softmax, if all elements should learn.",
    "nothing chosen": "Look at the index.",
    "looked up": "Other indices give a gradient.",
    "ignored": "Nothing is learned from a batch in which all targets are ignored.",
    "zero leaf": "Start {it} from values other than 0; if it was not 0 in the forward pass, look at what set it to 0 since.",
    "zero result": "Look at how {it} is computed, if it should not be 0.",
    "zero number": "Use a number other than 0 if it should learn.",
    "zero data": "That is right if {it} is a mask; if it is data or a state, other values of it may give a gradient.",
    "square": "Nothing is left to learn from this {power}: it is at its minimum.",
    "power": "Other values of the base give a slope.",
    "exponent is 0": "Use an exponent other than 0.",
    "base of exponent": "Use another base if the exponent should learn.",
    "corner": "Nothing is left to learn from it: it is at its minimum.",
    "equal": "Nothing is left to learn from it: it is at its minimum.",
    "equal prediction": "Nothing is left to learn from it: it is at its minimum.",
    "product": "Keep the elements away from 0 if all should learn.",
    "overwritten": "Make a new tensor instead of writing into this one.",
    "returns None": "Return the gradient of this argument from backward.",
    "returns 0": "Look at its backward.",
    "cancels": "Look at the contributions one by one; the sum may be right.",
    "cancel inside": "That is right at a minimum; elsewhere, look at the gradient that arrives there.",
    "sum is 1": "Use sigmoid for a single output; for several, look at the dimension of softmax and at the loss.",
    "one class": "Use sigmoid for a single output; for several, look at the dimension of log_softmax.",
    "mean is 0": "Look at what the loss does with these results: their sum and their mean cannot change.",
    "mean and variance": "Look at what the loss does with these results.",
    "too small": "Use float64, or larger factors.",
    "unused": "Use it in the loss if all elements should learn.",
    "unknown": "Look at the operation and its arguments.",
}


MARKS = {"dead": "slope 0", "saturated": "saturated", "cancels": "adds up to 0", "zero factor": "times 0"}


ODD_WORDS: dict[str, tuple[str, Kind]] = {"nan": ("NaN", "nan"), "inf": ("infinity", "inf")}
LEFT_OUT = (
    "Keep these values out before this operation, as in where(ok, x, 1), with ok only where its result and its slope are "
    "finite: a where after it is too late."
)
ODD_ADVICE = {
    "sqrt nan": "Keep the argument of sqrt above 0: a negative number has no real root.",
    "log nan": "Keep the argument of log above 0: a negative number has no real logarithm.",
    "sqrt": "Keep the argument of sqrt above 0, as in sqrt(x + 1e-12): its slope at 0 is infinite.",
    "log": "Keep the argument of log above 0, as in log(x + 1e-12), or, for the log of a softmax, use log_softmax.",
    "div": "Keep the divisor away from 0, as in x / (y + 1e-12).",
    "reciprocal": "Keep the divisor away from 0, as in 1 / (y + 1e-12).",
    "pow": "Keep the base above 0: at 0 the slope can be infinite, and a negative base gives NaN unless the exponent is an integer.",
    "exp": "Keep the argument of exp small, or use logsumexp, softmax or log_softmax, which do not overflow.",
    "norm": "The norm has no slope at 0: add a small number inside, as in (x * x).sum().add(1e-12).sqrt().",
    "linalgvectornorm": "The norm has no slope at 0: add a small number inside, as in (x * x).sum().add(1e-12).sqrt().",
    "std": "The standard deviation has no slope if all values are equal: use the variance plus a small number.",
    "acos": "Keep the argument inside (-1, 1), as with clamp(-1 + 1e-6, 1 - 1e-6).",
    "asin": "Keep the argument inside (-1, 1), as with clamp(-1 + 1e-6, 1 - 1e-6).",
}


# Why an operation gives NaN or infinity although its arguments are finite, if it can have no other cause.
CAUSES = {
    ("sqrt", "nan"): "the root of a negative number",
    ("log", "nan"): "the log of a negative number",
    ("log", "inf"): "the log of 0",
    ("exp", "inf"): "the exponential of a number that is too large",
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
