"""optim under autograd_teach and under PyTorch: the same steps, states, text and errors."""

import pytest

from tests.parity.agree import Programs, agree

pytest.importorskip("torch")

# PyTorch's square root of float32 is not always the nearest number; all else agrees to the last bit.
ULP = 2


def parameters(T, dtype="float32"):
    dtype = getattr(T, dtype)
    a = T.tensor([[1.0, -2.0], [0.5, 3.0]], dtype=dtype, requires_grad=True)
    return [a, T.tensor([0.25, 4.0], dtype=dtype, requires_grad=True)]


def run(T, make, steps=1, dtype="float32"):
    """Parameters and state after some steps of an optimizer made by `make(T, params)`."""
    a, b = params = parameters(T, dtype)
    optimizer = make(T, params)
    for _ in range(steps):
        optimizer.zero_grad()
        ((a * a).sum() + (b * b * b).sum()).mul(0.25).backward()
        optimizer.step()
    return [a, b, optimizer.state_dict()]


OPTIMIZERS = {
    "SGD": lambda T, p: T.optim.SGD(p),
    "SGD lr": lambda T, p: T.optim.SGD(p, 0.1),
    "SGD lr tensor": lambda T, p: T.optim.SGD(p, T.tensor(0.1)),
    "SGD lr of one element": lambda T, p: T.optim.SGD(p, T.tensor([0.1])),
    "SGD integer lr": lambda T, p: T.optim.SGD(p, lr=1),
    "SGD weight decay": lambda T, p: T.optim.SGD(p, lr=0.1, weight_decay=0.5),
    "SGD maximize": lambda T, p: T.optim.SGD(p, lr=0.01, weight_decay=0.5, maximize=True),
    "SGD momentum": lambda T, p: T.optim.SGD(p, lr=0.01, momentum=0.9),
    "SGD dampening": lambda T, p: T.optim.SGD(p, lr=0.01, momentum=0.9, dampening=0.5),
    "SGD nesterov": lambda T, p: T.optim.SGD(p, lr=0.01, momentum=0.9, nesterov=True, weight_decay=0.1),
    "SGD groups": lambda T, p: T.optim.SGD([{"params": p[0], "lr": 0.5}, {"params": [p[1]], "momentum": 0.5}], lr=0.01),
    "SGD names": lambda T, p: T.optim.SGD([("a", p[0]), ("b", p[1])], lr=0.01, momentum=0.5),
    "SGD generator": lambda T, p: T.optim.SGD((q for q in p), lr=0.01, foreach=False),
    "Adam": lambda T, p: T.optim.Adam(p),
    "Adam lr": lambda T, p: T.optim.Adam(p, lr=0.1, betas=(0.8, 0.95), eps=1e-4),
    "Adam weight decay": lambda T, p: T.optim.Adam(p, lr=0.1, weight_decay=0.5),
    "Adam decoupled": lambda T, p: T.optim.Adam(p, lr=0.1, weight_decay=0.5, decoupled_weight_decay=True),
    "Adam amsgrad": lambda T, p: T.optim.Adam(p, lr=0.1, amsgrad=True, maximize=True),
    "Adam of one step's memory": lambda T, p: T.optim.Adam(p, lr=0.1, betas=(0.3, 0.0)),
    "AdamW": lambda T, p: T.optim.AdamW(p, lr=0.1, maximize=True),
    "RMSprop": lambda T, p: T.optim.RMSprop(p),
    "RMSprop lr tensor": lambda T, p: T.optim.RMSprop(p, T.tensor(0.1), alpha=0.9, eps=1e-4),
    "RMSprop momentum": lambda T, p: T.optim.RMSprop(p, lr=0.01, momentum=0.9, weight_decay=0.5),
    "RMSprop centered": lambda T, p: T.optim.RMSprop(p, lr=0.01, alpha=0.9, centered=True),
    "RMSprop of one step's memory": lambda T, p: T.optim.RMSprop(p, lr=0.01, alpha=0.3, maximize=True),
    "RMSprop groups": lambda T, p: T.optim.RMSprop(
        [{"params": p[0], "momentum": 0.5}, {"params": [p[1]], "centered": True}]
    ),
    "Adagrad": lambda T, p: T.optim.Adagrad(p),
    "Adagrad lr decay": lambda T, p: T.optim.Adagrad(p, lr=T.tensor(0.1), lr_decay=0.1, weight_decay=0.5),
    "Adagrad start": lambda T, p: T.optim.Adagrad(p, lr=0.1, initial_accumulator_value=0.5, eps=1e-4, maximize=True),
    "Adam groups": lambda T, p: T.optim.Adam([{"params": p[:1], "eps": 0.1}, {"params": p[1:]}]),
}


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS.keys())
def test_first_step(make):
    agree(lambda T: run(T, make), ULP)


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS.keys())
def test_twenty_steps_in_double(make):
    agree(lambda T: run(T, make, steps=20, dtype="float64"), ULP)


@pytest.mark.parametrize("name", [name for name in OPTIMIZERS if name.startswith("SGD")])
def test_twenty_steps(name):
    agree(lambda T: run(T, OPTIMIZERS[name], steps=20), ulp=0)


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS.keys())
def test_text(make):
    agree(lambda T: [repr(make(T, parameters(T))), make(T, parameters(T)).state_dict()])


programs = Programs()


@programs
def parameters_of_one_number(T):
    found = []
    for make in OPTIMIZERS.values():
        for dtype in (T.float32, T.float64):
            x = T.tensor(1.0, dtype=dtype, requires_grad=True)
            optimizer = make(T, [x])
            for _ in range(2):
                optimizer.zero_grad()
                (3 * x).backward()
                optimizer.step()
            found.append(x)
    return found


@programs
def closure_is_called_with_recording_on(T):
    x = T.tensor([2.0], requires_grad=True)
    optimizer = T.optim.SGD([x], lr=0.25)

    def closure():
        optimizer.zero_grad()
        loss = (x * x).sum()
        loss.backward()
        return loss

    with T.no_grad():
        return [optimizer.step(closure), x, optimizer.step(), x]


@programs
def zero_grad(T):
    x = T.tensor([2.0], requires_grad=True)
    optimizer = T.optim.SGD([x], lr=0.25)
    (x * x).sum().backward()
    optimizer.zero_grad(set_to_none=False)
    zeros = x.grad.clone()
    optimizer.zero_grad()
    return [zeros, x.grad]


@programs
def no_gradient_no_step(T):
    a, b = parameters(T)
    optimizer = T.optim.Adam([a, b], weight_decay=0.5)
    (a * a).sum().backward()
    optimizer.step()
    return [b, list(optimizer.state_dict()["state"])]


@programs
def step_changes_the_version(T):
    a, _ = parameters(T)
    (a * a).sum().backward()
    versions = [a._version]
    for make in (T.optim.SGD, T.optim.Adam):
        make([a]).step()
        versions.append(a._version)
    return versions


@programs
def retained_tensor(T):
    x = T.tensor([2.0], requires_grad=True)
    y = x * 2
    y.retain_grad()
    return len(T.optim.SGD([y]).param_groups)


@programs
def state_moves_to_another_optimizer(T):
    found = []
    for name in ("SGD momentum", "Adam amsgrad", "Adagrad"):
        make = OPTIMIZERS[name]
        a, b = parameters(T)
        (a.sum() * b[0] * b[1]).backward()
        one = make(T, [a, b])
        one.step()
        c, d = parameters(T, "float64")
        (c.sum() * d[0] * d[1]).backward()
        other = make(T, [c, d])
        other.load_state_dict(one.state_dict())
        found += [other.state_dict(), list(other.param_groups[0])]
        other.step()
        found += [c, d]
    return found


@programs
def twice_the_same(T):
    a, b = parameters(T)
    return T.optim.SGD([a, b, a]).state_dict(), T.optim.SGD([{"params": [a, a]}, {"params": b}]).state_dict()  # fmt: skip


@programs
def own_optimizer(T):
    class Sign(T.optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr})

        @T.no_grad()
        def step(self):
            for group in self.param_groups:
                for p in group["params"]:
                    p -= group["lr"] * p.grad.sign()

    a, b = parameters(T)
    (a.sum() - b.sum()).backward()
    optimizer = Sign([a, b], lr=0.5)
    optimizer.step()
    optimizer.add_param_group({"params": T.ones(1, requires_grad=True)})
    return [a, b, repr(optimizer), optimizer.state_dict()]


@programs
def training_by_the_book(T):
    T.manual_seed(0)
    model = T.nn.Sequential(T.nn.Linear(2, 3), T.nn.ReLU(), T.nn.Linear(3, 1))
    x = T.tensor([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = T.tensor([[1.0], [1.0], [0.0]])
    optimizer = T.optim.SGD(model.parameters(), lr=0.125)
    for _ in range(3):
        optimizer.zero_grad()
        loss = T.nn.MSELoss()(model(x), y)
        loss.backward()
        optimizer.step()
    return round(loss.item(), 5)


ERRORS = {
    "no parameters": lambda T: T.optim.SGD([]),
    "one tensor": lambda T: T.optim.SGD(T.ones(1, requires_grad=True)),
    "one double tensor": lambda T: T.optim.SGD(T.ones(1, dtype=T.float64)),
    "a number": lambda T: T.optim.SGD(3),
    "numbers": lambda T: T.optim.SGD([3]),
    "a module": lambda T: T.optim.SGD(["a"]),
    "no leaf": lambda T: T.optim.SGD([T.ones(1, requires_grad=True) * 2]),
    "a set": lambda T: T.optim.SGD([{"params": {T.ones(1)}}]),
    "dict and tensor": lambda T: T.optim.SGD([{"params": T.ones(1)}, 3]),
    "group without params": lambda T: T.optim.SGD([{"lr": 1}]),
    "some names": lambda T: T.optim.SGD([("a", T.ones(1)), T.ones(1)]),
    "some named groups": lambda T: T.optim.SGD([{"params": [("a", T.ones(1))]}, {"params": [T.ones(1)]}]),
    "in two groups": lambda T: T.optim.SGD([{"params": [p]} for p in [T.ones(1)] * 2]),
    "negative lr": lambda T: T.optim.SGD([T.ones(1)], lr=-0.1),
    "negative lr tensor": lambda T: T.optim.SGD([T.ones(1)], lr=T.tensor(-0.5)),
    "lr of two elements": lambda T: T.optim.SGD([T.ones(1)], lr=T.ones(2)),
    "negative momentum": lambda T: T.optim.SGD([T.ones(1)], momentum=-1),
    "negative decay": lambda T: T.optim.SGD([T.ones(1)], weight_decay=-1),
    "nesterov alone": lambda T: T.optim.SGD([T.ones(1)], nesterov=True),
    "Adam negative lr": lambda T: T.optim.Adam([T.ones(1)], lr=-1),
    "Adam negative eps": lambda T: T.optim.Adam([T.ones(1)], eps=-1),
    "Adam beta 0": lambda T: T.optim.Adam([T.ones(1)], betas=(1.0, 0.5)),
    "Adam beta 1": lambda T: T.optim.Adam([T.ones(1)], betas=(0.5, -0.5)),
    "Adam betas of two kinds": lambda T: T.optim.Adam([T.ones(1)], betas=(0.5, T.tensor(0.5))),
    "Adam integer beta": lambda T: T.optim.Adam([T.ones(1)], betas=(0, 0.5)),
    "Adam negative decay": lambda T: T.optim.Adam([T.ones(1)], weight_decay=-1),
    **{
        f"{name} {option}": lambda T, name=name, option=option: getattr(T.optim, name)([T.ones(1)], **{option: -1})
        for name, options in {
            "RMSprop": ("lr", "alpha", "eps", "weight_decay", "momentum"),
            "Adagrad": ("lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps"),
        }.items()
        for option in options
    },
    "RMSprop lr of two elements": lambda T: T.optim.RMSprop([T.ones(1)], T.ones(2)),
    "base class": lambda T: T.optim.Optimizer([T.ones(1)], {}).step(),
    "other number of groups": lambda T: T.optim.SGD([T.ones(1)]).load_state_dict({"state": {}, "param_groups": []}),
    "other sizes of groups": lambda T: T.optim.SGD([T.ones(1)]).load_state_dict(
        T.optim.SGD([T.ones(1), T.ones(1)]).state_dict()
    ),
    "group that is no dict": lambda T: T.optim.SGD([T.ones(1)]).add_param_group([T.ones(1)]),
}


@pytest.mark.parametrize("program", programs.values(), ids=programs.keys())
def test_same_as_pytorch(program):
    agree(program)


@pytest.mark.parametrize("program", ERRORS.values(), ids=ERRORS.keys())
def test_same_error_as_pytorch(program):
    def raised(T):
        program(T)
        pytest.fail("no error")

    agree(raised)
