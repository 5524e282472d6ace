"""SGD and Adam step as PyTorch's; recorded numbers are PyTorch 2.13.0's."""

import numpy as np
import pytest

import autograd_teach as torch
from autograd_teach import optim


def cubes(make, steps=3):
    """A parameter after some steps down the sum of its cubes from (1, -2)."""
    x = torch.tensor([1.0, -2.0], dtype=torch.float64, requires_grad=True)
    optimizer = make([x])
    for _ in range(steps):
        optimizer.zero_grad()
        (x**3).sum().backward()
        optimizer.step()
    return x, optimizer


STEPS = {
    "momentum": (
        lambda p: optim.SGD(p, 0.1, momentum=0.9), [-0.11632670000000009, -27.304371200000006],
    ),
    "nesterov": (
        lambda p: optim.SGD(p, 0.1, momentum=0.9, nesterov=True, weight_decay=0.1),
        [-0.21739634597108584, -155.0074773197165],
    ),
    "dampening": (
        lambda p: optim.SGD(p, 0.1, momentum=0.9, dampening=0.5, maximize=True),
        [2.7934228375, 1.4556064000000002],
    ),
    "Adam": (lambda p: optim.Adam(p, 0.1), [0.7041537958715121, -2.3004937905256657]),
    "amsgrad": (
        lambda p: optim.Adam(p, 0.1, weight_decay=0.1, amsgrad=True),
        [0.7040483301772104, -2.300494356748434],
    ),
    "decoupled": (
        lambda p: optim.Adam(p, 0.1, weight_decay=0.1, decoupled_weight_decay=True),
        [0.6780909260555341, -2.238070054353483],
    ),
    "AdamW": (lambda p: optim.AdamW(p, 0.1), [0.7015196728668404, -2.2941981615875195]),
    "RMSprop": (lambda p: optim.RMSprop(p, 0.01, alpha=0.9), [0.9278841180630741, -2.074563935521686]),
    "centered": (
        lambda p: optim.RMSprop(p, 0.1, momentum=0.9, centered=True, weight_decay=0.1),
        [-2.343921227405104, -7.411266762944384],
    ),
    "Adagrad": (
        lambda p: optim.Adagrad(p, 0.1, lr_decay=0.1, initial_accumulator_value=0.5),
        [0.8062404476166453, -2.21869303027928],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("make", "expected"), STEPS.values(), ids=STEPS.keys())
def test_steps_are_pytorchs(make, expected):
    x, _ = cubes(make)
    # Two units in the last place a step.
    np.testing.assert_array_max_ulp(x.detach().numpy(), np.array(expected), maxulp=6)


def test_sgd_by_hand():
    x = torch.tensor([1.0, -2.0], requires_grad=True)
    (x * torch.tensor([2.0, 4.0])).sum().backward()
    optim.SGD([x], lr=0.5).step()
    assert x.tolist() == [0.0, -4.0]
    assert x.requires_grad
    assert x.is_leaf
    assert x._version == 1


def test_tensors_without_gradient_stay():
    x, y = (torch.ones(1, requires_grad=True) for _ in range(2))
    (2 * x).sum().backward()
    optim.SGD([x, y], lr=0.5, weight_decay=0.5).step()
    assert (x.tolist(), y.tolist()) == ([-0.25], [1.0])


def test_groups_have_their_own_options():
    x, y = (torch.ones(1, requires_grad=True) for _ in range(2))
    optimizer = optim.SGD([{"params": x}, {"params": [y], "lr": 0.25}], lr=0.5)
    (x + y).sum().backward()
    optimizer.step()
    assert (x.tolist(), y.tolist()) == ([0.5], [0.75])


def test_closure_records_and_its_loss_is_returned():
    x = torch.tensor([2.0], requires_grad=True)
    optimizer = optim.SGD([x], lr=0.25)

    def closure():
        loss = (x * x).sum()
        loss.backward()
        return loss

    assert optimizer.step(closure).item() == 4.0
    assert x.tolist() == [1.0]


def test_zero_grad():
    x = torch.ones(2, requires_grad=True)
    x.sum().backward()
    optimizer = optim.SGD([x])
    optimizer.zero_grad(set_to_none=False)
    assert x.grad.tolist() == [0.0, 0.0]
    optimizer.zero_grad()
    assert x.grad is None


@pytest.mark.parametrize("name", ["momentum", "Adam", "centered", "Adagrad"])
def test_a_loaded_state_continues(name):
    make, expected = STEPS[name]
    x, optimizer = cubes(make, steps=2)
    other = make([x])
    other.load_state_dict(optimizer.state_dict())
    other.zero_grad()
    (x**3).sum().backward()
    other.step()
    np.testing.assert_array_max_ulp(x.detach().numpy(), np.array(expected), maxulp=6)


def test_text():
    x = torch.ones(1, requires_grad=True)
    assert repr(optim.SGD([x], lr=0.1)) == (
        "SGD (\nParameter Group 0\n    dampening: 0\n    differentiable: False\n    foreach: None\n"
        "    fused: None\n    lr: 0.1\n    maximize: False\n    momentum: 0\n    nesterov: False\n"
        "    weight_decay: 0\n)"
    )


P = [torch.ones(1)]
ERRORS = {
    "no parameters": (lambda: optim.SGD([]), ValueError, "optimizer got an empty parameter list"),
    "one tensor": (
        lambda: optim.SGD(torch.ones(1)), TypeError,
        ("params argument given to the optimizer should be an iterable of Tensors or dicts, "
        "but got torch.FloatTensor"),
    ),
    "numbers": (
        lambda: optim.SGD([3]), TypeError,
        "optimizer can only optimize Tensors, but one of the params is int",
    ),
    "no leaf": (
        lambda: optim.SGD([torch.ones(1, requires_grad=True) * 2]), ValueError,
        "can't optimize a non-leaf Tensor",
    ),
    "twice": (
        lambda: optim.SGD([{"params": P}, {"params": P}]), ValueError,
        "some parameters appear in more than one parameter group",
    ),
    "lr": (lambda: optim.SGD(P, lr=-0.1), ValueError, "Invalid learning rate: -0.1"),
    "momentum": (lambda: optim.SGD(P, momentum=-1), ValueError, "Invalid momentum value: -1"),
    "decay": (lambda: optim.SGD(P, weight_decay=-1), ValueError, "Invalid weight_decay value: -1"),
    "nesterov": (
        lambda: optim.SGD(P, nesterov=True), ValueError,
        "Nesterov momentum requires a momentum and zero dampening",
    ),
    "Adam lr": (lambda: optim.Adam(P, lr=-1), ValueError, "Invalid learning rate: -1"),
    "Adam eps": (lambda: optim.Adam(P, eps=-1), ValueError, "Invalid epsilon value: -1"),
    "Adam beta": (
        lambda: optim.Adam(P, betas=(0.5, 1.0)), ValueError, "Invalid beta parameter at index 1: 1.0",
    ),
    "RMSprop alpha": (lambda: optim.RMSprop(P, alpha=-1), ValueError, "Invalid alpha value: -1"),
    "RMSprop unsupported": (
        lambda: optim.RMSprop(P, capturable=True), NotImplementedError,
        "autograd_teach's optimizers do not support capturable=True",
    ),
    "Adagrad decay": (lambda: optim.Adagrad(P, lr_decay=-1), ValueError, "Invalid lr_decay value: -1"),
    "unsupported": (
        lambda: optim.Adam(P, fused=True), NotImplementedError,
        "autograd_teach's optimizers do not support fused=True",
    ),
    "other groups": (
        lambda: optim.SGD(P).load_state_dict({"state": {}, "param_groups": []}), ValueError,
        "loaded state dict has a different number of parameter groups",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "message"), ERRORS.values(), ids=ERRORS.keys())
def test_misuse_is_named(call, kind, message):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == message


def test_amsgrad_keeps_the_largest_square():
    x = torch.ones(1, requires_grad=True)
    optimizer = optim.Adam([x], betas=(0.5, 0.5), amsgrad=True)
    for factor in (4.0, 0.0):
        optimizer.zero_grad()
        (factor * x).sum().backward()
        optimizer.step()
    state = optimizer.state[x]
    assert (state["exp_avg_sq"].item(), state["max_exp_avg_sq"].item()) == (4.0, 8.0)


def test_a_tensor_that_retains_its_gradient_may_be_optimized():
    y = torch.ones(1, requires_grad=True) * 2
    y.retain_grad()
    assert optim.SGD([y]).param_groups[0]["params"] == [y]


def test_a_loaded_count_of_steps_keeps_its_dtype():
    x, y = (torch.ones(1, dtype=d, requires_grad=True) for d in (torch.float32, torch.float64))
    x.sum().backward()
    one, other = optim.Adam([x]), optim.Adam([y])
    one.step()
    other.load_state_dict(one.state_dict())
    assert other.state[y]["step"].dtype == torch.float32
    assert other.state[y]["exp_avg"].dtype == torch.float64
