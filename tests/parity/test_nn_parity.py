"""nn under autograd_teach and under PyTorch: the same values, graphs, text and errors."""

import copy
import pickle

import pytest

from tests.parity.agree import Programs, agree, nodes

pytest.importorskip("torch")
programs = Programs()


def _model(T):
    T.manual_seed(3)
    return T.nn.Sequential(T.nn.Linear(3, 4), T.nn.Tanh(), T.nn.Linear(4, 2, bias=False))


@programs
def default_initialisation(T):
    T.manual_seed(0)
    layers = [T.nn.Linear(10, 20), T.nn.Linear(1, 1), T.nn.Linear(3, 5, dtype=T.float64)]
    return [(layer.weight, layer.bias) for layer in layers]


@programs
def a_layer_without_inputs(T):
    layer = T.nn.Linear(0, 3)
    return layer.weight, layer.bias, layer(T.zeros(2, 0))


@programs
def initialisers(T):
    T.manual_seed(1)
    w = T.nn.Parameter(T.empty(4, 6))
    names = ("relu", "tanh", "linear", "sigmoid", "selu")
    return [
        *(T.nn.init.calculate_gain(name) for name in names),
        T.nn.init.calculate_gain("leaky_relu", 0.2),
        T.nn.init.kaiming_uniform_(w, mode="fan_out", nonlinearity="relu").clone(),
        T.nn.init.uniform_(w, -2, 3).clone(),
        T.nn.init.normal_(w, 1.0, 0.5).sum().isfinite(),
        T.nn.init.constant_(w, 0.5).clone(),
        T.nn.init.ones_(w).clone(),
        T.nn.init.zeros_(w).clone(),
    ]


@programs
def model_and_its_gradients(T):
    model = _model(T)
    x = T.tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]], requires_grad=True)
    y = T.tensor([[1.0, 0.0], [0.5, -0.5]])
    loss = T.nn.MSELoss()(model(x), y)
    loss.backward()
    return [nodes(loss), [p.grad.shape for p in model.parameters()], x.grad.shape, loss > 0]


@programs
def text(T):
    parts = [T.nn.ReLU(), T.nn.ReLU(inplace=True), T.nn.Sigmoid(), T.nn.Identity(4, a=1)]
    deep = T.nn.Sequential(_model(T), T.nn.Flatten(), *parts, T.nn.MSELoss(), T.nn.L1Loss())
    return [repr(deep), repr(T.nn.Sequential()), str(T.nn.Module()), repr(_model(T)[0].weight)]


@programs
def text_of_an_own_module(T):
    class Block(T.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = _model(T)

        def extra_repr(self):
            return "a=1,\nb=2"

    return repr(Block()), repr(T.nn.Sequential(Block()))


@programs
def parameter(T):
    source = T.tensor([1.0, 2.0])
    p = T.nn.Parameter(source)
    with T.no_grad():
        p[0] = 5
        q = T.nn.Parameter(T.ones(2))
    frozen = T.nn.Parameter(T.ones(2), requires_grad=False)
    kinds = [type(v).__name__ for v in (p, p * 1, p.detach(), p.data, p.clone())]
    return [p, source, q, frozen, repr(frozen), repr(p), kinds, p.is_leaf, (p * 2).sum()]


@programs
def parameter_is_copied(T):
    p = T.nn.Parameter(T.tensor([1.0, 2.0]))
    p.sum().backward()
    twin = copy.deepcopy(p)
    loaded = pickle.loads(pickle.dumps(p))
    return [twin, twin.grad, type(twin).__name__, loaded, type(loaded).__name__]


@programs
def model_is_copied(T):
    model = _model(T)
    twin = copy.deepcopy(model)
    with T.no_grad():
        model[0].weight.zero_()
    return [repr(twin), twin[0].weight.abs().sum() > 0, list(twin.state_dict())]


@programs
def names_and_walks(T):
    model = _model(T)
    model.shared = model[0]
    model.register_buffer("steps", T.zeros(1))
    model.register_buffer("scratch", T.zeros(1), persistent=False)
    return [
        [name for name, _ in model.named_parameters()],
        [name for name, _ in model.named_parameters("top", remove_duplicate=False)],
        [name for name, _ in model.named_parameters(recurse=False)],
        [name for name, _ in model.named_modules()],
        [name for name, _ in model.named_modules(remove_duplicate=False)],
        [name for name, _ in model.named_children()],
        [name for name, _ in model.named_buffers()],
        len(list(model.modules())),
        len(list(model.children())),
        len(list(model.buffers())),
        list(model.state_dict()),
        len(model),
        repr(model[-2]),
        repr(model[:2]),
    ]


@programs
def state_is_saved_and_loaded(T):
    model, other = _model(T), _model(T)
    other[0].weight.data.zero_()
    before = other[0].weight
    result = other.load_state_dict(model.state_dict())
    state = model.state_dict()
    return [repr(result), (other[0].weight == model[0].weight).all(), before is other[0].weight,
            [type(v).__name__ for v in state.values()], type(state).__name__,
            model.state_dict(keep_vars=True)["0.bias"] is model[0].bias]  # fmt: skip


@programs
def train_and_eval(T):
    model = _model(T)
    flags = [model.training, model.eval() is model, model.training, model[0].training]
    return [*flags, model.train()[0].training, model.requires_grad_(False)[0].weight.requires_grad]


@programs
def zero_grad(T):
    model = T.nn.Linear(2, 1)
    model(T.ones(1, 2)).sum().backward()
    model.zero_grad(set_to_none=False)
    zeros = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    return [zeros, [p.grad for p in model.parameters()]]


@programs
def double(T):
    model = T.nn.Linear(2, 2)
    before = model.weight
    model(T.ones(1, 2)).sum().backward()
    model.double()
    return [model.weight.dtype == T.float64, model.weight is before, model.weight.grad]


@programs
def forward_hooks(T):
    seen = []
    model = T.nn.ReLU()
    pre = model.register_forward_pre_hook(lambda m, args: seen.append(args[0].item()) or (args[0] + 1,))
    post = model.register_forward_hook(lambda m, args, out: out * 10)
    one = model(T.tensor(1.0))
    pre.remove(), post.remove()
    return [one, seen, model(T.tensor(1.0))]


@programs
def attributes_change_their_kind(T):
    m = T.nn.Module()
    m.a = T.nn.Linear(1, 1)
    m.a = T.nn.Parameter(T.ones(1))
    kinds = [list(m._parameters), list(m._modules)]
    m.a = None
    m.register_buffer("b", T.ones(1))
    m.b = T.zeros(2)
    m.c = 3
    m.c = T.nn.Identity()
    del m.a
    return [
        kinds,
        list(m._parameters),
        m.state_dict(),
        list(m._modules),
        m.b,
        hasattr(m, "a"),
        m.c(4),
    ]


@programs
def one_addmm_for_linear(T):
    w = T.ones(2, 3, requires_grad=True)
    b = T.ones(2, requires_grad=True)
    F, graphs = T.nn.functional, []
    for shape in ((3,), (4, 3), (5, 4, 3), (0, 3), (2, 5, 4, 3)):
        x = T.ones(shape, requires_grad=True)
        graphs.append((nodes(F.linear(x, w, b)), F.linear(x, w, b)))
        if len(shape) <= 2:
            graphs.append((nodes(F.linear(x, w)), F.linear(x, w)))
    return [*graphs, nodes(F.linear(T.ones(3, 4).t(), w, b))]


@programs
def tied_parameters(T):
    one, other = T.nn.Linear(2, 2), T.nn.Linear(2, 2)
    other.weight = one.weight
    model = T.nn.Sequential(one, other)
    return [
        [name for name, _ in model.named_parameters()],
        [name for name, _ in model.named_parameters(remove_duplicate=False)],
        list(model.state_dict()),
    ]


@programs
def losses(T):
    x = T.tensor([[1.0, -2.0], [0.5, 3.0]], requires_grad=True)
    y = T.tensor([[0.0, 1.0], [0.5, -1.0]])
    found = []
    for Loss in (T.nn.MSELoss, T.nn.L1Loss):
        for reduction in ("mean", "sum", "none"):
            loss = Loss(reduction=reduction)(x, y)
            found += [loss, nodes(loss), T.autograd.grad(loss.sum(), x)]
    return found


@programs
def losses_warn_of_sizes(T):
    x = T.tensor([1.0, 2.0], requires_grad=True)
    loss = T.nn.functional.mse_loss(x, T.zeros(3, 2))
    return [loss, nodes(loss), T.nn.functional.l1_loss(x, T.zeros(2, 1))]


@programs
def old_words_for_reductions(T):
    return [
        T.nn.MSELoss(size_average=False).reduction,
        T.nn.MSELoss(reduce=False).reduction,
        T.nn.functional.mse_loss(T.ones(3), T.zeros(3), size_average=False),
    ]


@programs
def activations(T):
    x = T.tensor([-1.5, 0.0, 2.0])
    F = T.nn.functional
    return [f(x) for f in (F.relu, F.tanh, F.sigmoid, T.nn.ReLU(), T.nn.Tanh(), T.nn.Sigmoid())]


@programs
def relu_in_place(T):
    x = T.tensor([-1.5, 2.0])
    return [T.nn.ReLU(inplace=True)(x) is x, x, T.nn.Flatten()(T.ones(2, 3, 4)).shape]


ERRORS = {
    "no forward": lambda T: T.nn.Module()(1),
    "unknown attribute": lambda T: T.nn.Linear(1, 1).nothing,
    "unknown attribute deleted": lambda T: delattr(T.nn.Linear(1, 1), "nothing"),
    "layer that is none": lambda T: T.nn.Sequential(3),
    "class for a layer": lambda T: T.nn.Sequential(T.nn.Module(), int),
    "index out of range": lambda T: T.nn.Sequential()[0],
    "tensor for a parameter": lambda T: setattr(T.nn.Linear(2, 2), "weight", T.ones(2)),
    "number for a module": lambda T: setattr(T.nn.Sequential(T.nn.ReLU()), "0", 3),
    "number for a buffer": lambda T: T.nn.Module().register_buffer("a", 3),
    "number assigned to a buffer": lambda T: _assigned_to_a_buffer(T, 3),
    "name taken": lambda T: T.nn.Linear(2, 2).register_buffer("weight", T.ones(2)),
    "name with a dot": lambda T: T.nn.Module().add_module("a.b", T.nn.ReLU()),
    "parameter name with a dot": lambda T: T.nn.Module().register_parameter("a.b", None),
    "empty name": lambda T: T.nn.Module().register_parameter("", None),
    "name that is no string": lambda T: T.nn.Module().register_buffer(3, None),
    "tensor registered": lambda T: T.nn.Module().register_parameter("a", T.ones(2)),
    "integer parameter": lambda T: T.nn.Parameter(T.tensor([1])),
    "list for a parameter": lambda T: T.nn.Parameter([1.0]),
    "mode that is no bool": lambda T: T.nn.Linear(2, 2).train(3),
    "integer dtype": lambda T: T.nn.Linear(2, 2).to(T.int64),
    "state that is no dict": lambda T: T.nn.Linear(2, 2).load_state_dict(3),
    "missing and unexpected keys": lambda T: T.nn.Sequential(T.nn.Linear(2, 2)).load_state_dict(
        {"0.weight": T.ones(2, 2), "0.x": T.ones(1), "7.y": T.ones(1), "z": 3}
    ),
    "keys in another order": lambda T: T.nn.Linear(2, 2).load_state_dict({"a": 1, "weight": 5}),
    "sizes differ": lambda T: T.nn.Linear(2, 2).load_state_dict(T.nn.Linear(3, 2).state_dict()),
    "not strict": lambda T: repr(T.nn.Linear(2, 2).load_state_dict({"a": T.ones(1)}, strict=False)),
    "shapes do not fit": lambda T: T.nn.Linear(3, 2)(T.ones(4, 5)),
    "shapes do not fit in three dimensions": lambda T: T.nn.Linear(3, 2)(T.ones(4, 5, 6)),
    "dtypes do not fit": lambda T: T.nn.Linear(3, 2)(T.ones(4, 3, dtype=T.float64)),
    "unknown reduction": lambda T: T.nn.MSELoss(reduction="foo")(T.ones(1), T.ones(1)),
    "number as target": lambda T: T.nn.MSELoss()(T.ones(1), 1.0),
    "sizes that do not broadcast": lambda T: T.nn.MSELoss()(T.ones(3), T.ones(2)),
    "unknown gain": lambda T: T.nn.init.calculate_gain("foo"),
    "unknown fan": lambda T: T.nn.init.kaiming_uniform_(T.ones(2, 2), mode="foo"),
    "fan of a vector": lambda T: T.nn.init.kaiming_uniform_(T.ones(2)),
}


def _assigned_to_a_buffer(T, value):
    module = T.nn.Module()
    module.register_buffer("a", T.ones(1))
    module.a = value


def _without_init(T):
    class Lazy(T.nn.Module):
        def __init__(self, name, value):
            setattr(self, name, value)

    return Lazy


for _kind, _make in {
    "parameter": lambda T: T.nn.Parameter(T.ones(1)),
    "module": lambda T: T.nn.ReLU(),
}.items():
    ERRORS[f"{_kind} before init"] = lambda T, make=_make: _without_init(T)("a", make(T))


@pytest.mark.parametrize("program", programs.values(), ids=programs.keys())
def test_same_as_pytorch(program):
    agree(program)


@pytest.mark.parametrize("program", ERRORS.values(), ids=ERRORS.keys())
def test_same_error_as_pytorch(program):
    agree(program)
