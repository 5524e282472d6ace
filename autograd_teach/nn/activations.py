"""Activations as modules: each is a row, with its function from functional.py and its options."""

from __future__ import annotations

from functools import partial
from typing import Any

from . import functional as F
from .function_module import REQUIRED, FunctionModule

# fmt: off


class Activation(FunctionModule):
    """Base class of the activations: modules without parameters; `repr` shows their options."""

    def extra_repr(self) -> str:
        """The options, as in the call that made the module."""
        options = [(name, getattr(self, name)) for name in self._options]
        return ", ".join(f"{name}={value!r}" for name, value in options if (name, value) != ("inplace", False))


class Tanh(Activation, function=F.tanh):
    """The hyperbolic tangent of each element, between -1 and 1.

    input: tensor of any shape; integers and bools are computed in the default float dtype. No options. Odd and
    centred at 0, unlike Sigmoid: Tanh()(x) is `2 * Sigmoid()(2 * x) - 1`.

    >>> import autograd_teach as torch
    >>> torch.nn.Tanh()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.7616,  0.0000,  0.7616])
    """

class Sigmoid(Activation, function=F.sigmoid):
    """`1 / (1 + exp(-x))` of each element, between 0 and 1.

    input: tensor of any shape; integers and bools are computed in the default float dtype. No options. To train
    on its result as a probability, prefer BCEWithLogitsLoss without it: a rounded 0 or 1 has no gradient.

    >>> import autograd_teach as torch
    >>> torch.nn.Sigmoid()(torch.tensor([-100.0, 0.0, 2.0]))
    tensor([0.0000, 0.5000, 0.8808])
    """

class ReLU(Activation, function=F.relu, inplace=False):
    """The rectified linear unit, `max(x, 0)` (Nair and Hinton, 2010).

    input: tensor of any shape; RuntimeError for bool. `inplace=True` writes over the input, which saves memory,
    with RuntimeError if the input is a leaf that requires grad. The gradient at 0 is 0.

    >>> import autograd_teach as torch
    >>> torch.nn.ReLU()(torch.tensor([-2.0, 0.0, 3.0]))
    tensor([0., 0., 3.])
    >>> torch.nn.ReLU(inplace=True)
    ReLU(inplace=True)
    """

class ReLU6(Activation, function=F.relu6, inplace=False):
    """`min(max(x, 0), 6)`, a ReLU with the upper bound 6 (Krizhevsky, 2010).

    input: tensor of any shape; RuntimeError for bool. `inplace=True` writes over the input. The gradient is 0
    at 0, at 6 and outside them.

    >>> import autograd_teach as torch
    >>> torch.nn.ReLU6()(torch.tensor([-2.0, 3.0, 60.0]))
    tensor([0., 3., 6.])
    """

class LeakyReLU(Activation, function=F.leaky_relu, negative_slope=0.01, inplace=False):
    """x if positive, else `negative_slope * x` (Maas et al., 2013).

    input: floating tensor of any shape; NotImplementedError for integers and bool. `inplace=True` writes over
    the input. Negative inputs get a gradient too, `negative_slope`, which is also the gradient at 0.

    >>> import autograd_teach as torch
    >>> torch.nn.LeakyReLU(0.1)(torch.tensor([-5.0, 0.0, 5.0]))
    tensor([-0.5000,  0.0000,  5.0000])
    """

class Threshold(Activation, function=F.threshold, threshold=REQUIRED, value=REQUIRED, inplace=False):
    """x if it is greater than `threshold`, else `value`.

    Both options are required. input: tensor of any shape, not bool (NotImplementedError); for integers `value`
    is truncated. `inplace=True` writes over the input. The gradient is 0 at the threshold and below.

    >>> import autograd_teach as torch
    >>> torch.nn.Threshold(threshold=1.0, value=20.0)(torch.tensor([0.0, 1.0, 1.5]))
    tensor([20.0000, 20.0000,  1.5000])
    """

class Hardtanh(Activation, function=F.hardtanh, min_val=-1.0, max_val=1.0, inplace=False):
    """x clipped to [`min_val`, `max_val`], by default [-1, 1].

    input: tensor of any shape; RuntimeError for bool. `inplace=True` writes over the input. The gradient is 0
    outside the bounds and at them. AssertionError if `max_val` is not greater than `min_val`.

    >>> import autograd_teach as torch
    >>> torch.nn.Hardtanh()(torch.tensor([-1.5, 0.3, 1.5]))
    tensor([-1.0000,  0.3000,  1.0000])
    """

    def _set_options(self, options: dict[str, Any]) -> None:
        super()._set_options(options)
        if self.max_val <= self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

class ELU(Activation, function=F.elu, alpha=1.0, inplace=False):
    """x if positive, else `alpha * (exp(x) - 1)` (Clevert et al., 2015).

    input: floating tensor of any shape; NotImplementedError for integers and bool. `inplace=True` writes over
    the input. Large negative inputs give `-alpha`. The gradient at 0 is `alpha`.

    >>> import autograd_teach as torch
    >>> torch.nn.ELU()(torch.tensor([-50.0, -1.0, 1.0]))
    tensor([-1.0000, -0.6321,  1.0000])
    """

class SELU(Activation, function=F.selu, inplace=False):
    """`scale * ELU(alpha)(x)` with alpha 1.6733 and scale 1.0507 (Klambauer et al., 2017).

    With these constants, inputs of mean 0 and variance 1 give outputs of mean 0 and variance 1, layer after
    layer.
    input: floating tensor of any shape; NotImplementedError for integers and bool. `inplace=True` writes over
    the input.

    >>> import autograd_teach as torch
    >>> torch.nn.SELU()(torch.tensor([-50.0, -1.0, 1.0]))
    tensor([-1.7581, -1.1113,  1.0507])
    """

class CELU(Activation, function=F.celu, alpha=1.0, inplace=False):
    """x if positive, else `alpha * (exp(x / alpha) - 1)` (Barron, 2017).

    Large negative inputs give `-alpha`, as in ELU, but the gradient at 0 is 1 for every `alpha`.
    input: floating tensor of any shape; NotImplementedError for integers and bool. `inplace=True` writes over
    the input. The call raises RuntimeError if `alpha` is 0.

    >>> import autograd_teach as torch
    >>> torch.nn.CELU(alpha=0.5)(torch.tensor([-50.0, -0.5, 1.0]))
    tensor([-0.5000, -0.3161,  1.0000])
    """

class SiLU(Activation, function=F.silu, inplace=False):
    """`x * sigmoid(x)`, also called swish (Elfwing et al., 2017).

    A smooth ReLU with a small dip below 0: the minimum is -0.2785, at -1.2785.
    input: floating tensor of any shape; NotImplementedError for integers and bool. `inplace=True` writes over
    the input.

    >>> import autograd_teach as torch
    >>> torch.nn.SiLU()(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.2689,  0.0000,  0.7311])
    """

class GELU(Activation, function=F.gelu, approximate="none"):
    """x times the probability that a standard normal variable is below x (Hendrycks and Gimpel, 2016).

    input: floating tensor of any shape; NotImplementedError for integers and bool. approximate: "none", or
    "tanh" for an approximation that differs by less than 0.001. The call raises RuntimeError for another word.

    >>> import autograd_teach as torch
    >>> torch.nn.GELU()(torch.tensor([-2.0, 0.0, 2.0]))
    tensor([-0.0455,  0.0000,  1.9545])
    >>> torch.nn.GELU("tanh")
    GELU(approximate='tanh')
    """

class Softplus(Activation, function=F.softplus, beta=1.0, threshold=20.0):
    """`log(1 + exp(beta * x)) / beta`, a smooth ReLU (Dugas et al., 2000).

    If `beta * x` is above `threshold`, the result is x itself. A greater `beta` is closer to ReLU.
    input: floating tensor of any shape; NotImplementedError for integers and bool. The result is never
    negative.

    >>> import autograd_teach as torch
    >>> torch.nn.Softplus()(torch.tensor([-3.0, 0.0, 3.0]))
    tensor([0.0486, 0.6931, 3.0486])
    """

class Softsign(Activation, function=F.softsign):
    """`x / (|x| + 1)`, between -1 and 1.

    It approaches these bounds more slowly than Tanh, so large inputs keep a larger gradient.
    input: tensor of any shape; integers are computed in the default float dtype. NotImplementedError for bool.

    >>> import autograd_teach as torch
    >>> torch.nn.Softsign()(torch.tensor([-3.0, 0.0, 99.0]))
    tensor([-0.7500,  0.0000,  0.9900])
    """

class Tanhshrink(Activation, function=F.tanhshrink):
    """`x - tanh(x)`: nearly 0 for small inputs, and 1 closer to 0 than large inputs.

    input: tensor of any shape; integers are computed in the default float dtype. RuntimeError for bool. The
    gradient is `tanh(x)²`, 0 at 0.

    >>> import autograd_teach as torch
    >>> torch.nn.Tanhshrink()(torch.tensor([-1.0, 0.0, 5.0]))
    tensor([-0.2384,  0.0000,  4.0001])
    """

class LogSigmoid(Activation, function=F.logsigmoid):
    """`log(sigmoid(x))`, also correct if the sigmoid underflows to 0.

    input: floating tensor of any shape; NotImplementedError for integers and bool. The result is never
    positive: about x for negative inputs, about 0 for large ones.

    >>> import autograd_teach as torch
    >>> torch.nn.LogSigmoid()(torch.tensor([-500.0, 0.0, 5.0]))
    tensor([-5.0000e+02, -6.9315e-01, -6.7153e-03])
    """

# The stack level lets a warning about a missing `dim` show the line that calls the module.
class Softmax(Activation, function=partial(F.softmax, _stacklevel=5), dim=None):
    """`exp(x)` divided by its sum along `dim`: positive numbers with the sum 1.

    input: floating tensor of any shape; NotImplementedError for integers and bool. IndexError if `dim` is out
    of range. Without `dim`, the call warns and uses 0 if the input has 0, 1 or 3 dimensions, else 1.

    >>> import autograd_teach as torch
    >>> torch.nn.Softmax(dim=1)(torch.tensor([[0.0, 0.0], [0.0, 2.0]]))
    tensor([[0.5000, 0.5000],
            [0.1192, 0.8808]])
    """

class Softmin(Activation, function=partial(F.softmin, _stacklevel=5), dim=None):
    """The softmax of `-x` along `dim`: the least element gets the greatest share.

    input: floating tensor of any shape; NotImplementedError for integers. IndexError if `dim` is out of range.
    Without `dim`, the call warns and uses 0 if the input has 0, 1 or 3 dimensions, else 1.

    >>> import autograd_teach as torch
    >>> torch.nn.Softmin(dim=0)(torch.tensor([0.0, 2.0]))
    tensor([0.8808, 0.1192])
    """

class LogSoftmax(Activation, function=partial(F.log_softmax, _stacklevel=5), dim=None):
    """The logarithm of the softmax along `dim`, also if that underflows to 0.

    input: floating tensor of any shape; NotImplementedError for integers and bool. IndexError if `dim` is out
    of range. Without `dim`, the call warns and uses 0 if the input has 0, 1 or 3 dimensions, else 1. The result
    is the input of NLLLoss; CrossEntropyLoss computes both.

    >>> import autograd_teach as torch
    >>> torch.nn.LogSoftmax(dim=0)(torch.tensor([0.0, 300.0]))
    tensor([-300.,    0.])
    """
