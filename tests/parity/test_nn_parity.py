"""nn under autograd_teach and under PyTorch: the same values, graphs, text and errors."""

import copy
import pickle
from collections import OrderedDict

import numpy as np
import pytest

import autograd_teach
from tests.parity.agree import Programs, agree, nodes, observed

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
        T.nn.init.eye_(w).clone(),
        T.nn.init.calculate_gain("conv2d"),
        w.is_leaf,
    ]


@programs
def initialisers_of_all_shapes(T):
    T.manual_seed(1)
    init, found = T.nn.init, []
    for shape in ((4, 5), (3, 4, 2, 2), (2, 3)):
        generator = T.Generator().manual_seed(5) if shape == (2, 3) else None
        for fill in (
            init.uniform_,
            init.normal_,
            init.xavier_uniform_,
            init.xavier_normal_,
            init.kaiming_uniform_,
            init.kaiming_normal_,
        ):
            found.append(fill(T.empty(shape), generator=generator))
        found.append(init.xavier_uniform_(T.empty(shape), gain=2.0))
        found.append(init.kaiming_normal_(T.empty(shape), a=0.3, mode="FAN_OUT"))
    return [*found, init.kaiming_normal_(T.empty(0, 2)), init.kaiming_uniform_(T.empty(0, 2))]


@programs
def initialisers_of_orthogonal_and_truncated_values(T):
    T.manual_seed(2)
    init, found = T.nn.init, []
    for shape in ((3, 3), (2, 5), (5, 2), (1, 4), (3, 2, 4)):
        found.append(init.orthogonal_(T.empty(shape, dtype=T.float64), gain=1.5).numpy().round(12) + 0.0)
    found.append((init.orthogonal_(T.empty(3, 3), generator=T.Generator().manual_seed(5)) * 1e5).round())
    for options in ({}, {"mean": 1.0, "std": 2.0, "a": -3.0, "b": 3.0}, {"a": 1.5, "b": 2.5}, {"mean": 9.0}):
        found.append(init.trunc_normal_(T.empty(20, dtype=T.float64), **options))
    generator = T.Generator().manual_seed(5)
    return [*found, init.trunc_normal_(T.empty(4, 5), generator=generator), T.rand(1), init.orthogonal_(T.empty(0, 2))]


@programs
def embeddings(T):
    T.manual_seed(0)
    layers = [T.nn.Embedding(4, 3), T.nn.Embedding(4, 2, padding_idx=-1), T.nn.Embedding(3, 2, dtype=T.float64)]
    layers += [T.nn.Embedding.from_pretrained(T.ones(2, 3)), T.nn.Embedding.from_pretrained(T.ones(2, 3), freeze=False)]
    indices, found = T.tensor([[0, 1], [1, 1]]), []
    for layer in layers:
        output = layer(indices)
        found += [repr(layer), layer.weight, output, nodes(output), list(layer.state_dict())]
        if output.requires_grad:
            output.sum().backward()
            found.append(layer.weight.grad)
    return [*found, layers[1](T.tensor([3]))]


@programs
def norms_as_modules(T):
    x = T.tensor([[0.5, 0.1, 0.4], [0.2, 0.75, 0.0], [1.5, -1.0, 0.25]], dtype=T.float64)
    found = []
    for options in (
        {},
        {"affine": False},
        {"track_running_stats": False},
        {"momentum": None},
        {"eps": 0.5, "bias": False},
    ):
        layer = T.nn.BatchNorm1d(3, dtype=T.float64, **options)
        outputs = [layer(x), layer(2 * x), layer.eval()(x)]
        state = layer.state_dict()
        found += [repr(layer), [(y * 1e10).round() for y in outputs], [nodes(y) for y in outputs], list(state)]
        found += [(value * 1e10).round() for value in state.values()]
        layer.reset_running_stats()
        found += [list(layer.buffers()), dict(state._metadata)]
    layer = T.nn.BatchNorm1d(3)
    found.append(repr(layer.load_state_dict({k: v + 1 for k, v in layer.state_dict().items() if "num" not in k})))
    for options in ({}, {"elementwise_affine": False}, {"bias": False, "eps": 0.5}):
        layer = T.nn.LayerNorm(3, dtype=T.float64, **options)
        found += [repr(layer), (layer(x) * 1e10).round(), nodes(layer(x)), list(layer.state_dict())]
    return [*found, repr(T.nn.LayerNorm([2, 3])), layer.normalized_shape]


@programs
def running_statistics_are_no_writes(T):
    layer = T.nn.BatchNorm1d(2)
    before = [b._version for b in layer.buffers()]
    y = layer(T.tensor([[1.0, 2.0], [3.0, 5.0]], requires_grad=True))
    layer(T.tensor([[1.0, 0.0], [0.0, 5.0]]))
    y.sum().backward()
    return [before, [b._version for b in layer.buffers()], [b.grad_fn for b in layer.buffers()]]


@programs
def distances_as_modules(T):
    x, y = T.tensor([[0.5, 0.1, 0.4], [0.2, 0.75, 0.0]], dtype=T.float64), T.tensor([[1.0, 2.0, 3.0]], dtype=T.float64)
    N = T.nn
    modules = [
        N.CosineSimilarity(),
        N.CosineSimilarity(0, 1e-3),
        N.PairwiseDistance(),
        N.PairwiseDistance(1.0, keepdim=True),
    ]
    return [
        *map(repr, modules),
        *((m(x, y) * 1e10).round() for m in modules),
        N.KLDivLoss(reduction="sum")(x, y.expand(2, 3)),
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
    N = T.nn
    parts = [
        N.ReLU(), N.ReLU(inplace=True), N.Sigmoid(), N.Identity(4, a=1), N.ReLU6(), N.LeakyReLU(0.1, True), N.ELU(), N.ELU(2, True),
        N.SELU(), N.SELU(True), N.CELU(), N.SiLU(), N.SiLU(True), N.GELU(), N.GELU("tanh"), N.Softplus(), N.Softplus(2, 3),
        N.Softsign(), N.Tanhshrink(), N.LogSigmoid(), N.Hardtanh(), N.Hardtanh(-2, 2, True), N.Threshold(0.1, 20),
        N.Threshold(0.1, 20, True), N.Softmax(1), N.Softmax(), N.LogSoftmax(dim=0), N.Softmin(1), N.Dropout(), N.Dropout(0.2, True),
        N.CosineSimilarity(), N.PairwiseDistance(1.0), N.KLDivLoss(), N.Embedding(3, 2, 0), N.LayerNorm((2, 3)), N.BatchNorm1d(2),
        N.CrossEntropyLoss(T.ones(2)), N.NLLLoss(), N.HuberLoss(), N.SmoothL1Loss(), N.BCELoss(), N.BCEWithLogitsLoss(),
    ]  # fmt: skip
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
    of_view, of_result = T.nn.Parameter(source[1:]), T.nn.Parameter((p * 2).double())
    places = [(v.is_leaf, v._base is None, v._version) for v in (p, q, of_view, of_result)]
    whole = T.nn.Parameter(T.tensor([1, 2]), requires_grad=False)
    return [
        p,
        source,
        q,
        frozen,
        repr(frozen),
        repr(p),
        kinds,
        p.is_leaf,
        (p * 2).sum(),
        places,
        repr(whole),
        T.nn.Parameter(),
    ]


@programs
def parameter_is_copied(T):
    p = T.nn.Parameter(T.tensor([1.0, 2.0]))
    p.sum().backward()
    twin = copy.deepcopy(p)
    p.note = "kept"
    loaded, copied = pickle.loads(pickle.dumps(p)), copy.copy(p)
    frozen = T.nn.Parameter(T.ones(1, dtype=T.int64), requires_grad=False)
    return [
        twin, twin.grad, type(twin).__name__, loaded, type(loaded).__name__, loaded.note, loaded.grad, copied.note,
        hasattr(copy.deepcopy(p), "note"), copied, pickle.loads(pickle.dumps(frozen)), copy.deepcopy(frozen), loaded._version,
    ]  # fmt: skip


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
def conversions(T):
    model = T.nn.Linear(2, 2)
    model.register_buffer("count", T.zeros(1, dtype=T.int64))
    found = []
    for arguments in ((T.float64,), ("cpu",), ("cpu", T.float16), (T.ones(1),)):
        found.append([str(value.dtype) for value in model.to(*arguments).state_dict().values()])
    model.weight.requires_grad_(False)
    model.half().to(dtype=T.float64)
    found.append([str(model.weight.dtype), model.weight.requires_grad, model.cpu() is model])
    return [*found, [str(value.dtype) for value in model.type(T.float32).state_dict().values()]]


@programs
def members_by_name(T):
    model = T.nn.Sequential(OrderedDict(a=T.nn.Linear(1, 1), b=T.nn.Sequential(T.nn.ReLU())))
    model.register_module("c", T.nn.Tanh())
    model.register_buffer("d", T.ones(1))
    found = [model.get_submodule("") is model, model.get_submodule("b.0") is model.b[0], repr(model)]
    return [
        *found,
        model.get_parameter("a.weight") is model.a.weight,
        model.get_buffer("d"),
        [name in dir(model) for name in ("a", "c", "d", "0", "forward")],
    ]


@programs
def state_is_assigned(T):
    model = _model(T)
    state = {key: T.ones_like(value) for key, value in model.state_dict().items()}
    model.load_state_dict(state, assign=True)
    same = model[0].weight.data_ptr() == state["0.weight"].data_ptr()
    module = T.nn.Module()
    module.register_buffer("x", T.tensor(3.0))
    module.load_state_dict({"x": T.tensor([5.0])})
    return [same, model[0].weight, module.x, dict(model.state_dict()._metadata), list(model.state_dict(prefix="p."))]


@programs
def state_has_more_in_a_subclass(T):
    class Counted(T.nn.Linear):
        _version = 3

        def _save_to_state_dict(self, destination, prefix, keep_vars):
            super()._save_to_state_dict(destination, prefix, keep_vars)
            destination[prefix + "count"] = T.ones(1)

        def _load_from_state_dict(self, state_dict, prefix, local_metadata, *others):
            self.seen = state_dict.pop(prefix + "count"), local_metadata["version"]
            super()._load_from_state_dict(state_dict, prefix, local_metadata, *others)

    model = T.nn.Sequential(Counted(1, 1))
    result = model.load_state_dict(model.state_dict())
    return [list(model.state_dict()), repr(result), model[0].seen]


@programs
def forward_hooks_with_keywords(T):
    class Scaled(T.nn.Module):
        def forward(self, x, k=1):
            return x * k

    model, seen = Scaled(), []
    model.register_forward_hook(lambda m, args, kwargs, out: seen.append((kwargs, out)), with_kwargs=True)
    model.register_forward_hook(lambda m, args, out: seen.append("first"), prepend=True)
    model.register_forward_pre_hook(lambda m, args, kwargs: (args, {"k": 5}), with_kwargs=True)
    with model.register_forward_pre_hook(lambda m, args: seen.append("before all"), prepend=True):
        results = [model(T.tensor(2.0), k=3)]
    return [*results, model(T.tensor(2.0)), seen]


@programs
def forward_hooks_called_after_errors(T):
    seen = []
    model = T.nn.Linear(2, 1)
    model.register_forward_hook(lambda m, args, out: seen.append(out), always_call=True)
    model.register_forward_hook(lambda m, args, out: seen.append("never"))
    try:
        model(T.ones(3))
    except RuntimeError as error:
        return [str(error), seen]


@programs
def backward_hooks(T):
    T.manual_seed(0)
    seen, x = [], T.ones(3, 2, requires_grad=True)
    model = T.nn.Linear(2, 1)
    T.nn.init.ones_(model.weight)
    model.register_full_backward_hook(lambda m, inner, outer: seen.append(("after", inner, outer)))
    model.register_full_backward_pre_hook(lambda m, outer: seen.append(("before", outer)))
    graphs = [nodes(model(x)), nodes(model(T.ones(3, 2)))]
    model(x).sum().backward()
    model(T.ones(3, 2)).sum().backward()
    model.register_full_backward_hook(lambda m, inner, outer: (inner[0] * 10,))
    model.register_full_backward_pre_hook(lambda m, outer: (outer[0] * 2,))
    model(x).sum().backward()
    with T.no_grad():
        return [graphs, seen, x.grad, model.weight.grad, model(x)]


@programs
def backward_hooks_of_many_arguments(T):
    class Two(T.nn.Module):
        def forward(self, x, n, y):
            return x * n, y.sum(), "text"

    model, seen = Two(), []
    model.register_full_backward_hook(lambda m, inner, outer: seen.append((inner, outer)))
    x = T.ones(2, requires_grad=True)
    a, b, text = model(x, 3, T.ones(2))
    (gradient,) = T.autograd.grad((a**2).sum(), x, create_graph=True)
    return [nodes(a), b, text, gradient, nodes(gradient), seen]


@programs
def backward_hooks_layer_by_layer(T):
    model, order = _model(T), []
    for i, layer in enumerate(model):
        layer.register_full_backward_hook(
            lambda m, inner, outer, i=i: order.append((i, inner[0].shape, outer[0].shape))
        )
    out = model(T.ones(2, 3, requires_grad=True))
    out.sum().backward()
    return [nodes(out), order]


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
def module_lists(T):
    N = T.nn
    found = []
    modules = N.ModuleList([N.Linear(1, 2), N.Linear(1, 2), N.ReLU(), N.Sequential(N.Tanh()), N.Sequential(N.Tanh())])
    found += [repr(modules), repr(modules[1:3]), repr(modules[-1]), [name for name, _ in modules.named_parameters()]]
    modules.append(N.Tanh())
    modules.insert(1, N.Sigmoid())
    del modules[0]
    found += [repr(modules.pop(0)), repr(modules), repr(modules + [N.Tanh()]), repr(N.ModuleList())]
    modules += [N.ReLU()]
    modules[0] = N.ELU()
    del modules[1:3]
    return [*found, repr(modules), list(modules._modules), len(list(modules))]


@programs
def sequential_is_changed(T):
    N = T.nn
    layers = N.Sequential(N.Linear(1, 2), N.ReLU())
    found = [repr(layers + layers), repr(layers.pop(0))]
    layers.insert(0, N.Tanh()).extend([N.ELU()])
    found.append(repr(layers))
    del layers[1]
    layers += N.Sequential(N.SiLU())
    named = N.Sequential(OrderedDict(a=N.ReLU(), b=N.Tanh()))
    return [*found, repr(layers), repr(named[1:]), [name in dir(layers) for name in ("0", "append")]]


@programs
def module_dictionaries(T):
    N = T.nn
    modules = N.ModuleDict({"a": N.Linear(1, 1), "b": N.ReLU()})
    found = [repr(modules), list(modules), list(modules.keys()), len(modules), "a" in modules, repr(modules["b"])]
    modules["c"] = N.Tanh()
    modules.update([("d", N.Tanh())])
    del modules["a"]
    found += [
        repr(modules),
        repr(modules.pop("b")),
        [(k, repr(v)) for k, v in modules.items()],
        len(list(modules.values())),
    ]
    modules.clear()
    return [*found, repr(modules), repr(N.ModuleDict(N.ModuleDict({"x": N.ReLU()})))]


@programs
def parameter_lists(T):
    values = T.nn.ParameterList([T.ones(2, 3), T.nn.Parameter(T.ones(1)), "a", 3.5])
    found = [
        repr(values),
        [name for name, _ in values.named_parameters()],
        list(values.state_dict()),
        values[2],
        repr(values[1:]),
    ]
    values.append(T.zeros(()))
    values += [T.ones(0)]
    values[0] = T.zeros(1)
    return [
        *found,
        repr(values),
        len(values),
        [type(v).__name__ for v in values],
        repr(T.nn.ParameterList()),
        values[-2],
    ]


@programs
def dropout(T):
    T.manual_seed(0)
    F, x, found = T.nn.functional, T.ones(5, 4, requires_grad=True), []
    for options in ({}, {"p": 0.2}, {"p": 1.0}, {"p": 0.0}, {"training": False}):
        result = F.dropout(x, **options)
        found += [result, nodes(result)]
    y, layer = T.ones(20), T.nn.Dropout(0.3)
    return [
        found,
        F.dropout(y, inplace=True) is y,
        y,
        layer(T.ones(3, 4).t()),
        layer(T.ones(4, dtype=T.float64)),
        layer(T.ones(2, 3)[:, ::2]),
        layer(T.ones(0)),
        layer.eval()(y) is y,
    ]


@programs
def gradients_are_clipped(T):
    U, found = T.nn.utils, []
    for options in ({}, {"norm_type": 1}, {"norm_type": float("inf")}, {"max_norm": 100.0}):
        a = T.tensor([3.0, 4.0], requires_grad=True)
        b = T.tensor([[1.0, 2.0]], requires_grad=True)
        ((a * a).sum() + (b**3).sum()).backward()
        found += [U.clip_grad_norm_([a, b, T.ones(1)], **{"max_norm": 1.0, **options}), a.grad, b.grad]
    U.clip_grad_value_([a, b], 2.5)
    found += [a.grad, b.grad, U.clip_grad_norm_(a, 0.5), a.grad, U.clip_grad_norm_([], 1.0)]
    return [*found, U.clip_grad_norm_((p for p in ()), 1.0)]


@programs
def parameters_as_a_vector(T):
    U, model = T.nn.utils, _model(T)
    vector = U.parameters_to_vector(model.parameters())
    U.vector_to_parameters(T.arange(24.0), model.parameters())
    return [vector, nodes(vector), model.state_dict()]


@programs
def implicit_dimensions(T):
    F = T.nn.functional
    found = [f(T.ones(shape)) for f in (F.softmax, F.log_softmax, F.softmin) for shape in ((2,), (2, 3), (1, 2, 3))]
    return [*found, T.nn.Softmax()(T.ones(2)), F.softmax(T.ones(2), 0, dtype=T.float64)]


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
def layers_without_parameters(T):
    N, x = T.nn, T.tensor([-1.5, 0.0, 2.0], dtype=T.float64)
    layers = [
        N.ReLU(), N.Tanh(), N.Sigmoid(), N.ReLU6(), N.LeakyReLU(0.1), N.ELU(0.5), N.SELU(), N.CELU(2.0), N.SiLU(), N.GELU(),
        N.Softplus(2.0), N.Softsign(), N.Tanhshrink(), N.LogSigmoid(), N.Hardtanh(-1, 1), N.Threshold(0.5, 9), N.Softmax(0),
        N.Softmin(0), N.LogSoftmax(0),
    ]  # fmt: skip
    return [layer(x) for layer in layers]


@programs
def losses_as_modules(T):
    N, x = T.nn, T.tensor([[0.5, 0.1, 0.4], [0.2, 0.7, 0.1]], dtype=T.float64)
    weight, classes, target = T.tensor([1.0, 2.0, 3.0], dtype=T.float64), T.tensor([0, 2]), x.flip(0)
    return [
        N.SmoothL1Loss(beta=0.1)(x, target), N.HuberLoss("sum", 0.1)(x, target), N.BCELoss(weight)(x, target),
        N.BCEWithLogitsLoss(weight, pos_weight=weight)(x, target), N.NLLLoss(weight, ignore_index=2)(x, classes),
        N.CrossEntropyLoss(weight, label_smoothing=0.1)(x, classes), N.CrossEntropyLoss()(x, target),
        list(N.CrossEntropyLoss(weight).state_dict()), list(N.BCELoss().state_dict()),
    ]  # fmt: skip


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
    "xavier of a vector": lambda T: T.nn.init.xavier_normal_(T.ones(2)),
    "identity of a vector": lambda T: T.nn.init.eye_(T.ones(2)),
    "slope that is no number": lambda T: T.nn.init.calculate_gain("leaky_relu", True),
    "no argument": lambda T: T.nn.Module(3),
    "no keyword": lambda T: T.nn.Module(a=3),
    "too many options": lambda T: T.nn.ReLU(1, 2),
    "unknown option": lambda T: T.nn.ReLU(slope=1),
    "missing options": lambda T: T.nn.Threshold(),
    "module name taken": lambda T: T.nn.Linear(1, 1).add_module("weight", T.nn.ReLU()),
    "module name that is no string": lambda T: T.nn.Module().add_module(3, None),
    "no such submodule": lambda T: T.nn.Sequential(T.nn.ReLU()).get_submodule("0.x"),
    "submodule that is none": lambda T: T.nn.Linear(1, 1).get_submodule("weight"),
    "no such parameter": lambda T: T.nn.Linear(1, 1).get_parameter("x"),
    "parameter that is none": lambda T: T.nn.Sequential(T.nn.ReLU()).get_parameter("0"),
    "no such buffer": lambda T: T.nn.Linear(1, 1).get_buffer("x"),
    "buffer that is none": lambda T: T.nn.Linear(1, 1).get_buffer("weight"),
    "keyword hook's answer": lambda T: _with_hook(T, "forward_pre", lambda *_: 3, with_kwargs=True),
    "backward hook's answer": lambda T: _with_hook(T, "full_backward", lambda *_: (1, 2)),
    "backward pre-hook's answer": lambda T: _with_hook(T, "full_backward_pre", lambda *_: (1, 2)),
    "backward hook's answer without inputs": lambda T: _with_hook(T, "full_backward", lambda *_: (T.ones(1),), of=None),
    "list of numbers": lambda T: T.nn.ModuleList([3]),
    "list is called": lambda T: T.nn.ModuleList()(1),
    "list's index": lambda T: T.nn.ModuleList()[0],
    "list is extended by a number": lambda T: T.nn.ModuleList().extend(3),
    "dictionary's key": lambda T: T.nn.ModuleDict()["a"],
    "dictionary of a number": lambda T: T.nn.ModuleDict().update(3),
    "dictionary of numbers": lambda T: T.nn.ModuleDict([3]),
    "dictionary of triples": lambda T: T.nn.ModuleDict([(1, 2, 3)]),
    "parameter list's index": lambda T: T.nn.ParameterList()[0],
    "parameter list is called": lambda T: T.nn.ParameterList()(),
    "parameter list is extended by a tensor": lambda T: T.nn.ParameterList(T.ones(2)),
    "sequential and number": lambda T: T.nn.Sequential() + 3,
    "sequential's insert": lambda T: T.nn.Sequential().insert(9, T.nn.ReLU()),
    "norm that is not finite": lambda T: T.nn.utils.clip_grad_norm_(_with_grad(T, "nan"), 1.0, error_if_nonfinite=True),
    "vector that is none": lambda T: T.nn.utils.vector_to_parameters(3, []),
    "bounds in the wrong order": lambda T: T.nn.Hardtanh(2, 1),
    "padding that is no row": lambda T: T.nn.Embedding(3, 2, padding_idx=3),
    "padding that is no row, from the end": lambda T: T.nn.Embedding(3, 2, padding_idx=-4),
    "embedding's weight": lambda T: T.nn.Embedding(3, 2, _weight=T.ones(2, 2)),
    "pretrained vector": lambda T: T.nn.Embedding.from_pretrained(T.ones(2)),
    "batch norm of four dimensions": lambda T: T.nn.BatchNorm1d(3)(T.ones(2, 3, 4, 5)),
    "batch norm of other features": lambda T: T.nn.BatchNorm1d(3)(T.ones(2, 4)),
    "batch norm of one value": lambda T: T.nn.BatchNorm1d(3)(T.ones(1, 3)),
    "orthogonal vector": lambda T: T.nn.init.orthogonal_(T.ones(3)),
    "truncated integers": lambda T: T.nn.init.trunc_normal_(T.ones(2).long()),
    "chance of a dropout": lambda T: T.nn.Dropout(2),
}

# What functions refuse, or what they make of dtypes and sizes that differ: expressions of F, x (two floats) and i (two integers).
CALLS = [
    *(f"F.{name}({x})" for x in ("i", "i > 1") for name in (
        "silu", "gelu", "elu", "softplus", "logsigmoid", "leaky_relu", "hardtanh", "relu6", "selu", "celu")),
    "F.gelu(x, approximate='foo')", "F.hardtanh(x, 2, 1)", "F.celu(x, 0.0)", "F.dropout(x, 2.0)", "F.dropout(i)",
    "F.softmax(i, 0)",
    *(f"F.{name}({arguments})" for name in (
        "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits")
      for arguments in ("i, i", "x, i", "i, x", "x / 3, x / 3, reduction='foo'", "x, T.ones(3)", "x, T.ones(1)", "x, 1.0",
                        "T.ones(0), T.ones(0)")),
    *(f"F.{name}(x, x.double())" for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")),
    "F.binary_cross_entropy(x / 3, x.double())", "F.mse_loss(x.half(), x.half() / 3)", "F.huber_loss(x, x, delta=0.0)",
    "F.smooth_l1_loss(x, x, beta=-1.0)", "F.smooth_l1_loss(x, -x, beta=0.0)", "F.mse_loss(x, x, weight=T.ones(1))",
    "F.mse_loss(x, x, weight=x, reduction='foo')", "F.mse_loss(x, x, size_average=False)", "F.binary_cross_entropy(x, x)",
    "F.binary_cross_entropy(x / 3, x / 3, size_average=False)", "F.binary_cross_entropy(x / 3, x / 3, weight=T.ones(1))",
    "F.binary_cross_entropy(x / 3, x / 3, weight=T.ones(2, requires_grad=True))",
    "F.binary_cross_entropy_with_logits(x, x, weight=T.ones(2, requires_grad=True))",
    "F.binary_cross_entropy_with_logits(x, x, pos_weight=T.ones(2, requires_grad=True))",
    *(f"F.{name}({arguments})" for name in ("nll_loss", "cross_entropy") for arguments in (
        "T.ones(2, 3), T.tensor([0, 3])", "T.ones(2, 3), T.tensor([0, -1])", "T.ones(2, 3), T.tensor([0])",
        "T.ones(2, 3), T.tensor([0.0, 1.0])", "T.ones(2, 3), i.int()", "T.ones(2, 3), i.byte()",
        "T.ones(2, 3), i, weight=T.ones(2)", "T.ones(2, 3), i, weight=T.ones(3).double()", "T.tensor(1.0), T.tensor(0)",
        "T.ones(2, 3).long(), i", "T.ones(2, 3), i, ignore_index=1, reduction='none'", "T.ones(2, 3), i * 0, ignore_index=0",
        "T.ones(2, 3), i * 0, ignore_index=0, reduction='sum'", "T.ones(0, 3), T.ones(0).long()",
        "T.ones(3), T.tensor(1), reduction='none'", "T.ones(3), T.tensor([1]), reduction='none'", "T.ones(3), i",
        "T.ones(2, 3), i, reduction='foo'", "T.ones(2, 3), i, size_average=False", "T.ones(2, 3), T.tensor(1)",
        "T.ones(2, 3, 4), T.ones(2, 5).long()", "T.ones(2, 3, 4, 1), T.ones(2, 5, 1).long()", "T.ones(2, 3), T.ones(2, 1).long()",
        "T.ones(2, 3, 4), T.ones(2).long()", "T.ones(2, 3, 4, 4), T.ones(2).long()", "T.ones(2, 3, 0), T.ones(2, 0).long()",
        "T.ones(2, 3), i, weight=T.ones(3, requires_grad=True)", "T.ones(2, 3), i * 0 + 1, T.tensor([1.0, 0.0, 1.0])")),
    *(f"F.one_hot({a})" for a in (
        "i", "i, 4", "i, 2", "-i", "x", "i[:0]", "i[:0], 3", "i[0]", "i, 0", "i.int()", "i, num_classes=-2", "i.view(2, 1)")),
    *(f"F.embedding({a}, T.ones(3, 2))" for a in ("i", "i.int()", "i.byte()", "x", "-i", "i + 1", "i[0]", "i[:0]", "[0]")),
    "F.embedding(i, x)", "F.embedding(i, T.ones(3, 2, 2))", "F.embedding(i, T.ones(3, 2), padding_idx=3)",
    "F.embedding(i, T.ones(3, 2), padding_idx=-4)", "F.embedding(i, T.ones(3, 2).long())",
    *(f"F.layer_norm(T.ones(2, 3), {a})" for a in (
        "(2,)", "()", "[3], T.ones(2)", "[3], T.ones(3), T.ones(2)", "3", "[3], T.ones(3).double()", "[1, 2, 3]", "T.Size([3])")),
    "F.layer_norm(T.ones(2, 3).long(), [3])", "F.layer_norm(T.ones(2, 3).half(), [3], T.ones(3))",
    "F.layer_norm(T.ones(2, 3).double(), [3], T.ones(3))", "F.layer_norm(T.ones(0, 3), [3])", "F.layer_norm(T.ones(2, 0), [0])",
    *(f"F.batch_norm(T.ones(2, 3), {a})" for a in (
        "None, None", "None, None, training=True", "T.ones(3), T.ones(2), training=True", "T.ones(3), T.ones(3), weight=x",
        "T.ones(3), T.ones(3), bias=x", "T.ones(3, requires_grad=True), T.ones(3)", "T.ones(3), None",
        "T.ones(3).double(), T.ones(3).double(), T.ones(3).double()", "T.ones(3).double(), T.ones(3).double()")),
    "F.batch_norm(T.ones(2, 3).long(), T.ones(3), T.ones(3))", "F.batch_norm(T.ones(1, 3, 1), None, None, training=True)",
    "F.batch_norm(T.ones(0, 3), T.ones(3), T.ones(3), T.ones(3), training=True)",
    *(f"F.normalize({a})" for a in ("i", "x", "T.ones(2, 3), dim=2", "x, dim=0", "T.zeros(2, 3)")),
    *(f"F.cosine_similarity({a})" for a in ("i, i, 0", "x, x", "x, i, 0", "T.ones(2, 2), T.ones(3, 3)", "x, 0 * x, 0")),
    *(f"F.pairwise_distance({a})" for a in ("x, T.ones(3)", "x, x", "i, i", "T.ones(2, 2), x", "x, x.double()")),
    *(f"F.kl_div({a})" for a in (
        "x, x", "x, T.ones(3)", "x, i", "i, x", "x, x, reduction='foo'", "x, 0 * x, reduction='sum'", "x, x, size_average=False",
        "x[0], x[0], reduction='batchmean'", "x, -x, reduction='none'")),
    "F.cross_entropy(T.ones(2, 3), i, label_smoothing=2.0)", "F.cross_entropy(T.ones(2, 3), T.ones(2, 3), ignore_index=1)",
    "F.cross_entropy(T.ones(2, 3), T.ones(2, 3), weight=T.ones(2))", "F.cross_entropy(T.ones(2, 3), T.ones(2, 3).long())",
]  # fmt: skip


def _with_grad(T, value):
    tensor = T.ones(1, requires_grad=True)
    tensor.grad = T.tensor([float(value)])
    return tensor


def _with_hook(T, kind, hook, of=1.0, **options):
    module = T.nn.Linear(1, 1)
    getattr(module, f"register_{kind}_hook")(hook, **options)
    module(T.ones(2, 1, requires_grad=of is not None)).sum().backward()


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


# Values, both orders of gradients and graphs of functions of `x`, (3,), and `m`, (2, 3) made of it.
TARGET = "T.tensor([0.2, 0.4, 0.9]).double()"
WEIGHT = "T.tensor([1.0, 2.0, 3.0]).double()"
CLASSES = "T.tensor([0, 2])"
CHANCES = "T.tensor([[0.2, 0.3, 0.5]] * 2).double()"
NUMBERS = "T.tensor([[0, 2], [2, 1]])"
RUNNING = "T.tensor([0.1, 0.2, 0.3]).double(), T.tensor([1.0, 2.0, 3.0]).double()"
FUNCTIONS = [
    *(f"F.{name}(x)" for name in (
        "relu", "relu6", "leaky_relu", "hardtanh", "elu", "selu", "celu", "silu", "gelu", "softplus", "softsign", "logsigmoid",
        "tanhshrink", "tanh", "sigmoid")),
    "F.threshold(x, 0.1, 20.0)", "F.elu(x, 2.0)", "F.celu(x, 0.7)", "F.softplus(x, 2.0, 3.0)", "F.gelu(x, approximate='tanh')",
    "F.softmax(x, 0)", "F.softmin(x, 0)", "F.log_softmax(m, 1)",
    *(f"F.embedding({NUMBERS}, m.T{padding})" for padding in ("", ", padding_idx=2", ", -3")),
    "F.normalize(m)", "F.normalize(m, 1.0, 0)", "F.normalize(x, 3.0, dim=0)", "F.normalize(m * 0 + x, 2.0, 1, 10.0)",
    "F.cosine_similarity(m, m.exp())", "F.cosine_similarity(m, x.exp())", "F.cosine_similarity(m, m.flip(0), 0, 10.0)",
    "F.pairwise_distance(m, m.exp())", "F.pairwise_distance(m, x, 1.0, keepdim=True)", "F.pairwise_distance(x, x.exp(), 3.0)",
    *(f"F.{call}, reduction={how!r})" for how in ("mean", "sum", "none") for call in (
        *(f"{name}({pair}" for pair in (f"x, {TARGET}", f"{TARGET}, x", "x, x.exp()")
          for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy_with_logits")),
        *(f"{name}(x, {TARGET}, weight={WEIGHT}" for name in ("mse_loss", "l1_loss", "huber_loss")),
        *(f"kl_div({pair}" for pair in ("m, m.exp()", f"x, {TARGET}", "x, x.exp(), log_target=True", "m, x.exp()")),
        f"smooth_l1_loss(x, {TARGET}, beta=0.5", f"huber_loss(x, {TARGET}, delta=0.5",
        f"binary_cross_entropy(x.sigmoid(), {TARGET}", f"binary_cross_entropy(x.sigmoid(), {TARGET}, {WEIGHT}",
        f"binary_cross_entropy_with_logits(x, {TARGET}, {WEIGHT}, pos_weight={WEIGHT}",
        *(f"{name}(m, {CLASSES}" for name in ("nll_loss", "cross_entropy")),
        *(f"{name}(m, {CLASSES}, {WEIGHT}, ignore_index=2" for name in ("nll_loss", "cross_entropy")),
        *(f"{name}(x, T.tensor(1), {WEIGHT}" for name in ("nll_loss", "cross_entropy")),
        f"cross_entropy(m, {CHANCES}", f"cross_entropy(m, {CHANCES}, {WEIGHT}, label_smoothing=0.1",
        f"cross_entropy(x, {CHANCES}[0], {WEIGHT}", f"cross_entropy(x, T.tensor(1), {WEIGHT}, label_smoothing=0.2",
        f"cross_entropy(m, {CLASSES}, label_smoothing=0.1", f"cross_entropy(m, {CLASSES}, {WEIGHT}, ignore_index=0, label_smoothing=0.1",
        *(f"{name}(m.view(2, 3, 1).expand(2, 3, 4), T.tensor([[0, 1, 2, 2], [0, 0, 1, 2]]), {WEIGHT}"
          for name in ("nll_loss", "cross_entropy")),
        "nll_loss(m.view(2, 3, 1, 1).expand(2, 3, 2, 2), T.tensor([[[0, 1], [2, 0]]] * 2), ignore_index=1",
        "nll_loss(m.view(2, 3, 1, 1, 1).expand(2, 3, 2, 2, 1), T.tensor([[[[0], [1]], [[2], [0]]]] * 2)",
    )),
]  # fmt: skip
# An operation that writes over its input: the node is another, and PyTorch's graph of a gradient shows the clone that it saved.
IN_PLACE = [
    f"F.{call}"
    for call in (
        "relu(x * 1, True)", "leaky_relu(x * 1, 0.1, True)", "elu(x * 1, 0.5, True)", "selu(x * 1, True)", "celu(x * 1, 0.5, True)",
        "silu(x * 1, True)", "hardtanh(x * 1, -1, 1, True)", "relu6(x * 1, True)",
    )
]  # fmt: skip
# One node's gradient, which here has several: the graph of a gradient is another.
COMPOSED = [
    *(f"F.layer_norm({call})" for call in (
        "m, (3,), T.ones(3).double(), x", "m, (3,), x, x.exp()", "m, (2, 3), m.exp(), m.detach()", "m.detach(), (3,), x, x")),
    *(f"F.batch_norm({call})" for call in (
        *(f"v, {running}, {rest}, True" for running in (RUNNING, "None, None") for rest in ("x, x.exp()", "x, None")),
        f"v.view(2, 3, 2, 2), {RUNNING}, x, x, True", f"v, {RUNNING}, x, x, False", f"m, {RUNNING}, x, x.exp()",
        f"m, {RUNNING}", f"m.detach(), {RUNNING}, x, x")),
]  # fmt: skip


def calculus(T, expression, graph_of_gradient):
    """Numbers and graphs: of the result, of its gradient with and without a graph, and the second gradient."""
    x = T.tensor([-1.5, 0.3, 2.0], dtype=T.float64, requires_grad=True)
    rows = T.tensor([[1.0, 1.0, 1.0], [2.0, -1.0, 0.5]], dtype=T.float64)
    volume = T.linspace(-1, 2, 24, dtype=T.float64).view(2, 3, 4).sin() * x[:, None]
    result = eval(expression, {"T": T, "F": T.nn.functional, "x": x, "m": x * rows, "v": volume})
    (plain,) = T.autograd.grad((result * result).sum(), x, retain_graph=True)
    (gradient,) = T.autograd.grad((result * result).sum(), x, create_graph=True)
    (second,) = T.autograd.grad((gradient * gradient).sum(), x)
    numbers = [t.detach().numpy() for t in (result, plain, gradient, second)]
    return numbers, [nodes(result), nodes(gradient) if graph_of_gradient else None]


@pytest.mark.parametrize("expression", FUNCTIONS + IN_PLACE + COMPOSED, ids=str)
def test_functions_agree_in_numbers_and_graphs(expression):
    import torch

    ours, theirs = (
        observed(lambda T: calculus(T, expression, expression in FUNCTIONS), T) for T in (autograd_teach, torch)
    )
    (numbers, graphs), warnings = theirs
    assert ours[0][1] == graphs
    assert ours[1] == warnings
    for mine, yours in zip(ours[0][0], numbers, strict=True):
        # The order of a sum may move the last bits of the largest terms.
        np.testing.assert_allclose(mine, yours, rtol=2e-15, atol=2e-15 * np.abs(yours).max())


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_what_functions_refuse(call):
    def program(T):
        return eval(call, {"T": T, "F": T.nn.functional, "x": T.tensor([1.0, 2.0]), "i": T.tensor([1, 2])})

    agree(program)


@pytest.mark.filterwarnings("ignore")  # they are compared
@pytest.mark.parametrize("program", programs.values(), ids=programs.keys())
def test_same_as_pytorch(program):
    program(pytest.importorskip("torch"))  # without an error, which might be the same in both
    agree(program)


@pytest.mark.parametrize("program", ERRORS.values(), ids=ERRORS.keys())
def test_same_error_as_pytorch(program):
    agree(program)
