"""gradcheck and gradgradcheck under autograd_teach and under PyTorch: the same verdicts, texts and warnings."""

import pytest

from tests.parity.agree import agree, parameters

pytest.importorskip("torch")


def double(T, *values, requires_grad=True):
    return T.tensor(values, dtype=T.float64, requires_grad=requires_grad)


def make(T, forward, backward, **also):
    """A Function class of this forward and backward."""
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward), **also}
    return type("Made", (T.autograd.Function,), body).apply


def check(function, *values, **options):
    """gradcheck of `function(T)` at a float64 vector."""
    return lambda T: T.autograd.gradcheck(function(T), (double(T, *values or (0.5, -1.5)),), **options)


def check_twice(function, *values, **options):
    return lambda T: T.autograd.gradgradcheck(function(T), (double(T, *values or (0.5, -1.5)),), **options)


def saving(ctx, x):
    ctx.save_for_backward(x)
    return x * x


def off_by_factor(T):
    return make(T, lambda ctx, x: x * 2, lambda ctx, g: g * 3)


def forgets_grad_output(T):
    return make(T, saving, lambda ctx, g: 2 * ctx.saved_tensors[0])


def ignores_undefined(T):
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    return make(T, forward, lambda ctx, g: g * 2)


def runtime_error_on_undefined(T):
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    def backward(ctx, g):
        if g is None:
            raise RuntimeError("no gradient")
        return g * 2

    return make(T, forward, backward)


def answers_undefined_with_ones(T):
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    return make(T, forward, lambda ctx, g: T.ones(2, dtype=T.float64) if g is None else g * 2)


def fails_on_a_zero_alone(T):
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    def backward(ctx, g, h):
        if h is None and g is not None and not g.abs().sum().item():
            raise RuntimeError("a zero alone")
        terms = [gradient * n for gradient, n in ((g, 2), (h, 3)) if gradient is not None]
        return sum(terms) if terms else None

    return make(T, forward, backward)


def not_reentrant(T):
    calls = iter(range(1000))
    return make(T, lambda ctx, x: x * 2, lambda ctx, g: g * (2 + 1e-7 * next(calls)))


def zero_only_in_the_jacobian(T):
    # Adds a term that vanishes for unit vectors but not for zeros.
    return make(T, lambda ctx, x: x * 2, lambda ctx, g: g * 2 + (g.abs().sum() - 1) * (g == 0))


def no_gradient(T):
    return make(T, lambda ctx, x: x * 2, lambda ctx, g: None)


def once(T):
    from_where = T.autograd.function.once_differentiable
    return make(T, saving, from_where(lambda ctx, g: g * 2 * ctx.saved_tensors[0]))


def cut_second_order(T):
    return make(T, saving, lambda ctx, g: g * 2 * ctx.saved_tensors[0].detach())


def several_outputs(T):
    return lambda x: (x * 2, x[:1].sin(), x.sum())


def wrong_second_output(T):
    wrong = off_by_factor(T)
    return lambda x: (x * x, wrong(x))


def shape_depends_on_value(T):
    return lambda x: x[:1] if x.detach().numpy()[0] > 0.5 else x * 1.0


CASES = {
    "right": check(lambda T: lambda x: x.sin() * x.exp()),
    "several outputs": check(several_outputs),
    "second output wrong": check(wrong_second_output),
    "wrong by a factor": check(off_by_factor),
    "wrong, not raised": check(off_by_factor, raise_exception=False),
    "wrong, within a tolerance": check(off_by_factor, atol=2.0),
    "wrong, within a relative tolerance": check(off_by_factor, rtol=0.6),
    "grad_output forgotten": check(forgets_grad_output),
    "no gradient at all": check(no_gradient),
    "kink of abs at zero": check(lambda T: lambda x: x.abs(), 0.0, 1.0),
    "kink of relu at zero": check(lambda T: lambda x: x.relu(), 0.0, 1.0),
    "large eps": check(lambda T: lambda x: x**3, 1.0, 2.0, eps=0.1),
    "nan": check(lambda T: lambda x: x.log(), -1.0, 1.0),
    "undefined gradient raises TypeError": check(ignores_undefined),
    "undefined gradient raises RuntimeError": check(runtime_error_on_undefined),
    "undefined gradient is not checked": check(runtime_error_on_undefined, check_undefined_grad=False),
    "undefined gradient becomes ones": check(answers_undefined_with_ones),
    "one of two gradients undefined": check(fails_on_a_zero_alone),
    "not reentrant": check(not_reentrant),
    "not reentrant, tolerated": check(not_reentrant, nondet_tol=1e-3),
    "backward not multiplied": check(zero_only_in_the_jacobian, 0.5),
    "output detached": check(lambda T: lambda x: x.detach() * 2),
    "constant output": check(lambda T: lambda x: T.ones(3)),
    "integer output": check(lambda T: lambda x: (x * 2).long()),
    "differentiable and constant output": check(lambda T: lambda x: (x * 2, T.ones(3))),
    "differentiable and integer output": check(lambda T: lambda x: (x * 2, x.long())),
    "shape depends on the value": check(shape_depends_on_value, 0.5, 1.0),
    "no dimension": lambda T: T.autograd.gradcheck(lambda x: x * x, T.tensor(2.0, dtype=T.float64, requires_grad=True)),
    "no elements": lambda T: T.autograd.gradcheck(lambda x: x * x, T.zeros(0, 3, dtype=T.float64, requires_grad=True)),
    "transposed input": lambda T: T.autograd.gradcheck(
        lambda x: x * x.sum(),
        T.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=T.float64).t().requires_grad_(),
    ),
    "several inputs of which one is fixed": lambda T: T.autograd.gradcheck(
        lambda x, y, n: x * y**n,
        (double(T, 1.0, 2.0), double(T, 3.0, 4.0, requires_grad=False), 2),
    ),
    "second input wrong": lambda T: T.autograd.gradcheck(
        make(T, lambda ctx, x, y: x + y, lambda ctx, g: (g, 2 * g)),
        (double(T, 1.0), double(T, 3.0)),
    ),
    "list of inputs": lambda T: T.autograd.gradcheck(lambda x, y: x * y, [double(T, 1.0)] * 2),
    "float32": lambda T: T.autograd.gradcheck(
        lambda x: x * 2, (T.tensor([[1.0, 0.25], [0.5, 0.75]], requires_grad=True),)
    ),
    "float32 with a large eps": lambda T: T.autograd.gradcheck(
        lambda x: x * 2, (T.ones(2, requires_grad=True),), eps=1e-2
    ),
    "expanded input": lambda T: T.autograd.gradcheck(lambda x: x * 2, double(T, 1.0).expand(3)),
    "no input requires grad": lambda T: T.autograd.gradcheck(lambda x: x * 2, double(T, 1.0, requires_grad=False)),
    "output that is no tensor": check(lambda T: lambda x: 3.0),
    "no output": check(lambda T: lambda x: None),
    "no mode": check(several_outputs, check_backward_ad=False),
    "batched without backward": check(
        several_outputs, check_batched_grad=True, check_backward_ad=False, check_forward_ad=True
    ),
    "batched without forward": check(several_outputs, check_batched_forward_grad=True),
    "error in the backward": check(lambda T: make(T, lambda ctx, x: x * 2, lambda ctx, g: g[:1])),
    "a linear layer": lambda T: T.autograd.gradcheck(
        T.nn.functional.linear,
        tuple(
            T.linspace(-1, 1, n * m, dtype=T.float64).reshape(n, m).requires_grad_()
            for n, m in ((4, 3), (2, 3), (1, 2))
        )[:2]
        + (double(T, 0.1, 0.2),),
    ),
    "second order": check_twice(lambda T: lambda x: x.sin() * x.exp()),
    "second order of several outputs": check_twice(several_outputs),
    "second order, no contiguous grad_outputs": check_twice(lambda T: lambda x: x**3, gen_non_contig_grad_outputs=True),
    "second order, forward wrong": check_twice(off_by_factor),
    "second order cut": check_twice(cut_second_order, grad_outputs=None),
    "second order cut, not raised": check_twice(cut_second_order, raise_exception=False),
    "once differentiable": check_twice(once),
    "no second-order mode": check_twice(several_outputs, check_rev_over_rev=False),
    "undefined without second-order backward": check_twice(
        several_outputs, check_rev_over_rev=False, check_fwd_over_rev=True
    ),
    "second order of what is no tensor": check_twice(lambda T: lambda x: 3.0),
    "second order of a tensor and what is none": check_twice(lambda T: lambda x: (x * x, 3.0)),
    "second order by a list of inputs": lambda T: T.autograd.gradgradcheck(
        lambda x, y, n: (x * y**n).sum(), [double(T, 1.0, 2.0), double(T, 3.0, 4.0, requires_grad=False), 2]
    ),
    "second order with a wrong number of grad_outputs": lambda T: T.autograd.gradgradcheck(
        several_outputs(T), double(T, 1.0, 2.0), double(T, 1.0, 2.0)
    ),
    "second order, wrong second output, options": check_twice(wrong_second_output, eps=1e-3, atol=1e-2, rtol=0.1),
    "masked": check(several_outputs, masked=True),
    "dtypes checked": check(several_outputs, check_grad_dtypes=True),
    "given grad_outputs": lambda T: T.autograd.gradgradcheck(
        lambda x: x**3, (double(T, 1.0, 2.0),), (double(T, 0.5, -1.0),)
    ),
    "given grad_output that is fixed": lambda T: T.autograd.gradgradcheck(
        lambda x: x**3, double(T, 1.0, 2.0), double(T, 0.5, -1.0, requires_grad=False)
    ),
}


@pytest.mark.parametrize("program", CASES.values(), ids=CASES.keys())
def test_same_as_pytorch(program):
    def seeded(T):
        T.manual_seed(5)
        return program(T)

    agree(seeded)


@pytest.mark.parametrize("name", ["gradcheck", "gradgradcheck"])
def test_the_arguments_are_pytorchs(name):
    import torch

    import autograd_teach

    assert parameters(getattr(autograd_teach.autograd, name)) == parameters(getattr(torch.autograd, name))
