"""gradcheck tells right derivatives from wrong ones, and says what is wrong as PyTorch does."""

import re

import numpy as np
import pytest

import autograd_teach as torch
from autograd_teach.autograd import Function, gradcheck, gradgradcheck
from autograd_teach.autograd.gradcheck import GradcheckError


def double(*values, requires_grad=True):
    return torch.tensor(values, dtype=torch.float64, requires_grad=requires_grad)


class WrongSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        return g * 3 * ctx.saved_tensors[0]


class ForgetsGradOutput(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x * x).sum()

    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0]


class CutsSecondOrder(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x.detach()
        return x * x

    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.x


class NeedsAGradient(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        if g is None:
            raise RuntimeError("no gradient")
        return g * 2


class AnswersWithOnes(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return torch.ones(1, dtype=torch.float64) if g is None else g * 2


class NeedsTheSecondGradient(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, g, h):
        if h is None and g is not None and g.item() == 0:
            raise RuntimeError("a zero alone")
        terms = [gradient * n for gradient, n in ((g, 2), (h, 3)) if gradient is not None]
        return sum(terms) if terms else None


class GrowsAtEachCall(Function):
    calls = 0

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        GrowsAtEachCall.calls += 1
        return g * (2 + 1e-7 * GrowsAtEachCall.calls)


RIGHT = {
    "elementwise": (lambda x: x.sin() * x.exp(), (double(0.5, -1.5),)),
    "several inputs and outputs": (
        lambda x, y: (x * y.sum(), x.dot(y)),
        (double(1, 2), double(3, 4)),
    ),
    "a tensor for a tuple": (lambda x: x * x, double(3.0)),
    "an input that needs no gradient": (lambda x, n: x**n, (double(1.0, 2.0), 3)),
    "0-d": (lambda x: x * x, torch.tensor(2.0, dtype=torch.float64, requires_grad=True)),
    "no elements": (lambda x: x * x, torch.zeros(0, 3, dtype=torch.float64, requires_grad=True)),
    "no differentiable output": (lambda x: torch.ones(2), (double(1.0),)),
    "transposed memory": (
        lambda x: x * x.sum(),
        torch.ones(2, 3, dtype=torch.float64).t().requires_grad_(),
    ),
}


@pytest.mark.parametrize(("function", "inputs"), RIGHT.values(), ids=RIGHT.keys())
def test_right_derivatives_pass(function, inputs):
    assert gradcheck(function, inputs) is True


WRONG = {
    "a factor": (
        WrongSquare.apply,
        {},
        ("Jacobian mismatch for output 0 with respect to input 0,\n"
        "numerical:tensor([[2.0000, 0.0000],\n        [0.0000, 4.0000]], dtype=torch.float64)\n"
        "analytical:tensor([[3., 0.],\n        [0., 6.]], dtype=torch.float64)\n"),
    ),
    "grad_output forgotten": (ForgetsGradOutput.apply, {}, "backward not multiplied by grad_output"),
    "detached": (lambda x: x.detach() * 2, {}, "Numerical gradient for function expected to be zero"),
    "not reentrant": (GrowsAtEachCall.apply, {}, "Backward is not reentrant, i.e., running backward with same"),
    "kink": (lambda x: (x - 1).relu(), {}, "Jacobian mismatch for output 0"),
    "too small an eps": (lambda x: x.sin(), {"eps": 1e-15}, "Jacobian mismatch for output 0"),
}  # fmt: skip


@pytest.mark.parametrize(("function", "options", "message"), WRONG.values(), ids=WRONG.keys())
def test_wrong_derivatives_are_named(function, options, message):
    x = double(1.0, 2.0)
    with pytest.raises(GradcheckError, match="^" + re.escape(message)):
        gradcheck(function, x, **options)
    assert gradcheck(function, x, raise_exception=False, **options) is False


def test_tolerances_decide():
    assert gradcheck(WrongSquare.apply, double(1.0), atol=1.01, rtol=0)
    assert gradcheck(WrongSquare.apply, double(1.0), atol=0, rtol=0.51)
    assert not gradcheck(WrongSquare.apply, double(1.0), atol=0.99, rtol=0, raise_exception=False)
    assert gradcheck(GrowsAtEachCall.apply, double(1.0), nondet_tol=1e-3)


@pytest.mark.parametrize("function", [NeedsAGradient, AnswersWithOnes])
def test_backward_must_cope_with_an_undefined_gradient(function):
    with (
        pytest.warns(UserWarning, match="check_undefined_grad=False"),
        pytest.raises(GradcheckError, match="undefined"),
    ):
        gradcheck(function.apply, double(1.0))
    assert gradcheck(function.apply, double(1.0), check_undefined_grad=False)


def test_each_output_alone_may_have_no_gradient():
    with (
        pytest.warns(UserWarning, match="check_undefined_grad=False"),
        pytest.raises(GradcheckError, match="to handle undefined output grads"),
    ):
        gradcheck(NeedsTheSecondGradient.apply, double(1.0))


def test_the_input_is_left_as_it_was():
    x = double(0.1, 0.7)
    before = x.detach().numpy().copy()

    def explodes_when_perturbed(x):
        if not np.array_equal(x.detach().numpy(), before):
            raise ZeroDivisionError
        return x * 2

    assert gradcheck(lambda x: x.exp(), x)
    with pytest.raises(ZeroDivisionError):
        gradcheck(explodes_when_perturbed, x)
    assert np.array_equal(x.detach().numpy(), before)
    assert x._version == 0
    assert x.grad is None


INVALID = {
    "no input requires grad": (
        double(1.0, requires_grad=False), {}, ValueError, "none of them have requires_grad=True"
    ),
    "expanded": (double(1.0).expand(3), {}, RuntimeError, "The 0th input has a dimension with stride 0"),
    "no mode": (double(1.0), {"check_backward_ad": False}, AssertionError, "at least one of check_forward_ad"),
    "forward mode": (double(1.0), {"check_forward_ad": True}, NotImplementedError, "forward mode"),
    "batched": (double(1.0), {"check_batched_grad": True}, NotImplementedError, "vmap"),
    "fast mode": (double(1.0), {"fast_mode": True}, NotImplementedError, "fast_mode"),
}  # fmt: skip


@pytest.mark.parametrize(("x", "options", "kind", "message"), INVALID.values(), ids=INVALID.keys())
def test_invalid_calls_are_refused(x, options, kind, message):
    with pytest.raises(kind, match=message):
        gradcheck(lambda x: x * 2, x, raise_exception=False, **options)


def test_single_precision_is_warned_of_and_fails():
    x = torch.tensor([0.3, 0.7], requires_grad=True)
    with (
        pytest.warns(UserWarning, match="Input #0 requires gradient and is not a double precision"),
        pytest.raises(GradcheckError, match="Jacobian mismatch"),
    ):
        gradcheck(lambda x: x.sin(), x)


def test_second_order():
    assert gradgradcheck(lambda x: x.sin() * x.exp(), double(0.5, -1.5))
    assert gradgradcheck(lambda x: x**3, double(1.0), double(0.5))
    assert gradgradcheck(lambda x: x**3, double(1.0, 2.0), gen_non_contig_grad_outputs=True)
    assert gradcheck(CutsSecondOrder.apply, double(1.0, 2.0))
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
        gradgradcheck(CutsSecondOrder.apply, double(1.0, 2.0))
    with pytest.raises(ValueError, match="an output that requires grad"):
        gradgradcheck(lambda x: x.detach(), double(1.0))
