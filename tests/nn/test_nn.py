"""Modules, parameters, layers and losses behave as PyTorch's; numbers are PyTorch 2.13.0's or exact."""

import copy
import pickle
from collections import OrderedDict

import numpy as np
import pytest

import autograd_teach as torch
from autograd_teach import nn
from autograd_teach.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.again = self.first
        self.body = nn.Sequential(nn.Tanh(), nn.Linear(3, 1, bias=False))
        self.register_buffer("steps", torch.zeros(1))
        self.register_buffer("scratch", torch.zeros(1), persistent=False)

    def forward(self, x):
        return self.body(self.again(x))


NAMES = {
    "parameters": ("named_parameters", {}, ["first.weight", "first.bias", "body.1.weight"]),
    "own parameters": ("named_parameters", {"recurse": False}, []),
    "prefixed": ("named_buffers", {"prefix": "net"}, ["net.steps", "net.scratch"]),
    "children": ("named_children", {}, ["first", "body"]),
    "modules": ("named_modules", {}, ["", "first", "body", "body.0", "body.1"]),
}


@pytest.mark.parametrize(("method", "options", "expected"), NAMES.values(), ids=NAMES.keys())
def test_names_of_members_each_once(method, options, expected):
    assert [name for name, _ in getattr(Net(), method)(**options)] == expected


def test_a_tied_parameter_is_one():
    one, other = nn.Linear(2, 2, bias=False), nn.Linear(2, 2, bias=False)
    other.weight = one.weight
    model = nn.Sequential(one, other)
    assert [name for name, _ in model.named_parameters()] == ["0.weight"]
    assert len(list(model.named_parameters(remove_duplicate=False))) == 2


def test_state_holds_shared_names_and_no_scratch():
    state = Net().state_dict()
    assert list(state) == [
        "steps", "first.weight", "first.bias", "again.weight", "again.bias", "body.1.weight",
    ]  # fmt: skip
    assert not any(value.requires_grad for value in state.values())


def test_state_is_loaded_in_place():
    one, other = Net(), Net()
    weight = other.first.weight
    assert repr(other.load_state_dict(one.state_dict())) == "<All keys matched successfully>"
    assert other.first.weight is weight
    assert weight.tolist() == one.first.weight.tolist()


LOADS = {
    "missing": ({"weight": torch.ones(1, 1)}, 'Missing key(s) in state_dict: "bias". '),
    "unexpected": (
        {"weight": torch.ones(1, 1), "bias": torch.ones(1), "a.b": 1, "c": 2},
        'Unexpected key(s) in state_dict: "a.b", "c". ',
    ),
    "size": (
        {"weight": torch.ones(1, 2), "bias": torch.ones(1)},
        (
            "size mismatch for weight: copying a param with shape torch.Size([1, 2]) from checkpoint, "
            "the shape in current model is torch.Size([1, 1])."
        ),
    ),
}


@pytest.mark.parametrize(("state", "message"), LOADS.values(), ids=LOADS.keys())
def test_state_that_does_not_fit_is_refused(state, message):
    with pytest.raises(RuntimeError) as caught:
        nn.Linear(1, 1).load_state_dict(state)
    assert str(caught.value) == f"Error(s) in loading state_dict for Linear:\n\t{message}"


def test_state_that_does_not_fit_may_be_allowed():
    found = nn.Linear(1, 1).load_state_dict({"c": torch.ones(1)}, strict=False)
    assert found == (["weight", "bias"], ["c"])
    assert repr(found) == ("_IncompatibleKeys(missing_keys=['weight', 'bias'], unexpected_keys=['c'])")


def test_text():
    assert repr(Net()) == (
        "Net(\n"
        "  (first): Linear(in_features=2, out_features=3, bias=True)\n"
        "  (again): Linear(in_features=2, out_features=3, bias=True)\n"
        "  (body): Sequential(\n"
        "    (0): Tanh()\n"
        "    (1): Linear(in_features=3, out_features=1, bias=False)\n"
        "  )\n"
        ")"
    )
    assert repr(nn.Parameter(torch.ones(2))) == ("Parameter containing:\ntensor([1., 1.], requires_grad=True)")


def test_default_initialisation_is_pytorchs():
    torch.manual_seed(0)
    layer = nn.Linear(3, 2)
    assert layer.weight.tolist() == [
        [-0.004322517663240433, 0.3097158372402191, -0.4751853346824646],
        [-0.4248946011066437, -0.2223689705133438, 0.15482072532176971],
    ]
    assert layer.bias.tolist() == [-0.011439144611358643, 0.45777493715286255]
    torch.manual_seed(0)
    layer = nn.Linear(3, 2, dtype=torch.float64)
    assert layer.bias.tolist() == [-0.3711136225274598, -0.17192610627289664]


def test_a_parameter_shares_memory_and_is_a_leaf():
    source = torch.tensor([1.0, 2.0])
    with torch.no_grad():
        parameter = nn.Parameter(source)
        parameter += 1
    assert source.tolist() == [2.0, 3.0]
    assert parameter.is_leaf
    assert parameter.requires_grad
    assert type(parameter * 1) is torch.Tensor
    assert not nn.Parameter(source, requires_grad=False).requires_grad


def test_copies_of_a_parameter_have_no_gradient():
    parameter = nn.Parameter(torch.tensor([1.0, 2.0]))
    parameter.sum().backward()
    for twin in (copy.deepcopy(parameter), pickle.loads(pickle.dumps(parameter))):
        assert type(twin) is nn.Parameter
        assert twin.grad is None
        assert twin.tolist() == [1.0, 2.0]
        assert twin.requires_grad
    parameter.note = "kept"
    assert pickle.loads(pickle.dumps(parameter)).note == "kept"
    assert not pickle.loads(pickle.dumps(nn.Parameter(torch.ones(1), requires_grad=False))).requires_grad


def test_a_copied_model_is_independent():
    net = Net()
    twin = copy.deepcopy(net)
    with torch.no_grad():
        twin.first.weight.zero_()
    assert twin.again is twin.first
    assert net.first.weight.abs().sum() > 0


def test_hooks_see_and_replace():
    layer, seen = nn.ReLU(), []
    before = layer.register_forward_pre_hook(lambda module, args: args[0] + 1)
    after = layer.register_forward_hook(lambda module, args, out: seen.append(args[0].item()))
    last = layer.register_forward_hook(lambda module, args, out: out * 10)
    assert layer(torch.tensor(1.0)).item() == 20
    assert seen == [2.0]
    for handle in (before, after, last):
        handle.remove()
    assert layer(torch.tensor(1.0)).item() == 1


def test_backward_hooks_see_and_replace():
    layer, seen = nn.Tanh(), []
    layer.register_full_backward_pre_hook(lambda module, outer: (outer[0] * 3,))
    layer.register_full_backward_hook(lambda module, inner, outer: seen.append((inner[0].item(), outer[0].item())))
    layer.register_full_backward_hook(lambda module, inner, outer: (inner[0] + 1,))
    x = torch.zeros(1, requires_grad=True)
    layer(x).sum().backward()
    assert seen == [(3.0, 3.0)]
    assert x.grad.tolist() == [4.0]


def test_hooks_take_keywords_and_see_errors():
    class Power(nn.Module):
        def forward(self, x, exponent=1):
            return x**exponent

    layer, seen = Power(), []
    layer.register_forward_hook(lambda module, args, out: seen.append(out), always_call=True)
    layer.register_forward_hook(lambda module, args, kwargs, out: seen.append(kwargs), with_kwargs=True, prepend=True)
    assert layer(torch.tensor(3.0), exponent=2).item() == 9.0
    assert seen == [{"exponent": 2}, torch.tensor(9.0)]
    with pytest.raises(TypeError):
        layer()
    assert seen[2:] == [None]


def test_dropout_draws_pytorchs_numbers_in_training_only():
    torch.manual_seed(0)
    layer = nn.Dropout(0.5)
    assert layer(torch.ones(8)).tolist() == [0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0, 2.0]
    assert layer.eval()(X) is X
    assert F.dropout(X, 1.0).abs().sum().item() == 0.0


def test_initialisers_draw_pytorchs_numbers():
    torch.manual_seed(0)
    assert nn.init.xavier_uniform_(torch.empty(2, 2)).tolist() == [
        [-0.009169445373117924, 0.657006561756134], [-1.0080204010009766, -0.9013375639915466],
    ]  # fmt: skip
    assert nn.init.kaiming_normal_(torch.empty(1, 2)).tolist() == [[-2.1787893772125244, 0.5684312582015991]]


def test_an_embedding_draws_pytorchs_numbers_and_leaves_its_padding():
    torch.manual_seed(0)
    layer = nn.Embedding(3, 2, padding_idx=0)
    assert layer.weight.tolist() == [
        [0.0, 0.0], [-2.1787893772125244, 0.5684312582015991], [-1.0845223665237427, -1.3985954523086548],
    ]  # fmt: skip
    layer(torch.tensor([0, 1, 1])).sum().backward()
    assert layer.weight.grad.tolist() == [[0.0, 0.0], [2.0, 2.0], [0.0, 0.0]]
    assert nn.Embedding.from_pretrained(layer.weight.detach())(torch.tensor(2)).requires_grad is False


def test_batch_norm_keeps_moments_of_its_batches():
    layer, x = nn.BatchNorm1d(1, momentum=None, affine=False), torch.tensor([[1.0], [3.0]])
    layer(x), layer(x + 4)
    assert (layer.running_mean.item(), layer.running_var.item(), layer.num_batches_tracked.item()) == (4.0, 2.0, 2)
    assert layer.eval()(torch.tensor([[4.0]])).item() == 0.0
    assert layer.num_batches_tracked.item() == 2
    layer.reset_running_stats()
    assert [value.item() for value in layer.buffers()] == [0.0, 1.0, 0]


def test_rows_of_an_orthogonal_matrix_are_orthogonal():
    w = nn.init.orthogonal_(torch.empty(3, 2, 2, dtype=torch.float64), gain=2.0).view(3, 4)
    np.testing.assert_allclose((w @ w.t()).numpy(), 4 * np.eye(3), atol=1e-14)
    w = nn.init.trunc_normal_(torch.empty(1000), 1.0, 2.0, 0.5, 3.0)
    assert 0.5 <= w.min().item() < w.max().item() <= 3.0


def test_lists_and_dictionaries_hold_modules_and_parameters():
    modules = nn.ModuleList([nn.Tanh(), nn.Tanh(), nn.Linear(1, 1)])
    assert repr(modules) == (
        "ModuleList(\n  (0-1): 2 x Tanh()\n  (2): Linear(in_features=1, out_features=1, bias=True)\n)"
    )
    del modules[:2]
    assert [name for name, _ in modules.named_parameters()] == ["0.weight", "0.bias"]
    assert list(nn.ModuleDict({"a": nn.Linear(1, 1)}).state_dict()) == ["a.weight", "a.bias"]
    values = nn.ParameterList([torch.ones(1), 3])
    assert [type(value).__name__ for value in values] == ["Parameter", "int"]
    assert [name for name, _ in values.named_parameters()] == ["0"]


def test_gradients_are_clipped_together():
    x, y = (torch.zeros(1, requires_grad=True) for _ in range(2))
    (3 * x + 4 * y).sum().backward()
    assert nn.utils.clip_grad_norm_([x, y], 2.5).item() == 5.0
    # PyTorch divides by a millionth more than the norm.
    assert (x.grad.item(), y.grad.item()) == (pytest.approx(1.5, rel=1e-6), pytest.approx(2.0, rel=1e-6))
    nn.utils.clip_grad_value_([x, y], 1.25)
    assert (x.grad.item(), y.grad.item()) == (1.25, 1.25)


def test_parameters_as_a_vector():
    model = nn.Linear(2, 1)
    nn.utils.vector_to_parameters(torch.tensor([1.0, 2.0, 3.0]), model.parameters())
    assert (model.weight.tolist(), model.bias.tolist()) == ([[1.0, 2.0]], [3.0])
    assert nn.utils.parameters_to_vector(model.parameters()).tolist() == [1.0, 2.0, 3.0]


def test_modes_and_conversions_reach_all():
    net = Net()
    assert net.eval() is net
    assert not net.body[0].training
    assert net.train().body[0].training
    assert not any(p.requires_grad for p in net.requires_grad_(False).parameters())
    net.requires_grad_()(torch.ones(1, 2)).sum().backward()
    net.double()
    members = [*net.parameters(), *net.buffers(), *(p.grad for p in net.parameters())]
    assert {str(member.dtype) for member in members} == {"torch.float64"}
    net.zero_grad(set_to_none=False)
    assert net.first.bias.grad.tolist() == [0.0, 0.0, 0.0]
    net.zero_grad()
    assert all(p.grad is None for p in net.parameters())


def test_names_change_their_kind():
    module = nn.Module()
    module.a = 3
    module.a = nn.Parameter(torch.ones(1))
    assert [name for name, _ in module.named_parameters()] == ["a"]
    module.b = nn.Linear(1, 1)
    module.b = None
    assert module.b is None
    module.register_buffer("c", torch.ones(1))
    module.c = torch.zeros(1)
    assert module.state_dict()["c"].tolist() == [0.0]
    del module.a
    assert not hasattr(module, "a")


def _with_buffer():
    module = nn.Module()
    module.register_buffer("c", torch.ones(1))
    return module


def _before_init(value):
    class Lazy(nn.Module):
        def __init__(self):
            self.a = value

    return Lazy


ERRORS = {
    "no init, parameter": (
        _before_init(nn.Parameter(torch.ones(1))),
        AttributeError, "cannot assign parameters before Module.__init__() call",
    ),
    "no init, module": (
        _before_init(nn.Tanh()), AttributeError, "cannot assign module before Module.__init__() call",
    ),
    "no forward": (
        lambda: nn.Module()(1), NotImplementedError,
        'Module [Module] is missing the required "forward" function',
    ),
    "no such attribute": (
        lambda: nn.Tanh().depth, AttributeError, "'Tanh' object has no attribute 'depth'"
    ),
    "tensor for a parameter": (
        lambda: setattr(nn.Linear(1, 1), "weight", torch.ones(1)), TypeError,
        "cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected)",
    ),
    "number for a buffer": (
        lambda: setattr(_with_buffer(), "c", 3), TypeError,
        "cannot assign 'int' as buffer 'c' (torch.nn.Buffer, torch.Tensor or None expected)",
    ),
    "number for a layer": (lambda: nn.Sequential(3), TypeError, "int is not a Module subclass"),
    "no such layer": (lambda: nn.Sequential(nn.Tanh())[1], IndexError, "index 1 is out of range"),
    "integer parameter": (
        lambda: nn.Parameter(torch.tensor([1])), RuntimeError,
        "Only Tensors of floating point and complex dtype can require gradients",
    ),
    "wrong width": (
        lambda: nn.Linear(3, 2)(torch.ones(4, 5)), RuntimeError,
        "mat1 and mat2 shapes cannot be multiplied (4x5 and 3x2)",
    ),
    "unknown reduction": (
        lambda: F.mse_loss(torch.ones(1), torch.ones(1), reduction="foo"), ValueError,
        "foo is not a valid value for reduction",
    ),
    "class out of range": (
        lambda: F.cross_entropy(torch.ones(1, 2), torch.tensor([2])), IndexError, "Target 2 is out of bounds.",
    ),
    "no probabilities": (
        lambda: F.binary_cross_entropy(2 * torch.ones(1), torch.ones(1)), RuntimeError,
        "all elements of input should be between 0 and 1",
    ),
    "integers": (
        lambda: F.gelu(torch.tensor([1])), NotImplementedError, "\"GeluKernelImpl\" not implemented for 'Long'",
    ),
    "no such parameter": (
        lambda: nn.Linear(1, 1).get_parameter("gain"), AttributeError, "Linear has no attribute `gain`",
    ),
    "max_norm": (
        lambda: nn.Embedding(3, 2, max_norm=1.0), NotImplementedError,
        "autograd_teach does not support max_norm=1.0 of an embedding",
    ),
    "one value per channel": (
        lambda: nn.BatchNorm1d(3)(torch.ones(1, 3)), ValueError,
        "Expected more than 1 value per channel when training, got input size torch.Size([1, 3])",
    ),
    "row out of range": (lambda: nn.Embedding(3, 2)(torch.tensor([3])), IndexError, "index out of range in self"),
    "unknown gain": (
        lambda: nn.init.calculate_gain("foo"), ValueError, "Unsupported nonlinearity foo"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "message"), ERRORS.values(), ids=ERRORS.keys())
def test_misuse_is_named(call, kind, message):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value) == message


X, Y = torch.tensor([[1.0, -2.0], [0.5, 3.0]]), torch.tensor([[0.0, 1.0], [0.5, -1.0]])
Z = torch.tensor([[0.0, 0.0], [2.0, 0.0]], dtype=torch.float64)
V = torch.tensor([-1.0, 0.0, 2.0], dtype=torch.float64)
VALUES = {
    "mse": (nn.MSELoss(), (X, Y), 6.5),
    "mse sum": (nn.MSELoss(reduction="sum"), (X, Y), 26.0),
    "mse none": (nn.MSELoss(reduction="none"), (X, Y), [[1.0, 9.0], [0.0, 16.0]]),
    "l1": (nn.L1Loss(), (X, Y), 2.0),
    "l1 sum": (nn.L1Loss(reduction="sum"), (X, Y), 8.0),
    "l1 none": (nn.L1Loss(reduction="none"), (X, Y), [[1.0, 3.0], [0.0, 4.0]]),
    "huber": (nn.HuberLoss(delta=2.0), (X, Y), (0.5 + 4.0 + 0.0 + 6.0) / 4),
    "smooth l1": (nn.SmoothL1Loss(beta=2.0, reduction="none"), (X, Y), [[0.25, 2.0], [0.0, 3.0]]),
    "bce": (nn.BCELoss(reduction="none"), (torch.tensor([0.0, 1.0]), torch.tensor([1.0, 1.0])), [100.0, 0.0]),
    "bce with logits": (nn.BCEWithLogitsLoss(), (torch.tensor([100.0, -100.0]), torch.tensor([0.0, 0.0])), 50.0),
    "nll": (nn.NLLLoss(torch.tensor([1.0, 3.0])), (X, torch.tensor([0, 1])), (-1.0 - 9.0) / 4),
    "nll, all but one ignored": (nn.NLLLoss(ignore_index=0), (X, torch.tensor([0, 1])), -3.0),
    "nll of an image": (
        nn.NLLLoss(reduction="none"), (X.view(1, 2, 1, 2), torch.tensor([[[0, 1]]])), [[[-1.0, -3.0]]],
    ),
    "cross entropy": (nn.CrossEntropyLoss(), (Z, torch.tensor([0, 1])), 1.410037595801459),
    "smoothed labels": (nn.CrossEntropyLoss(label_smoothing=0.5), (Z, torch.tensor([0, 1])), 1.160037595801459),
    "probabilities of classes": (
        nn.CrossEntropyLoss(reduction="none"), (Z, torch.tensor([[0.5, 0.5], [1.0, 0.0]])),
        [0.6931471805599453, 0.1269280110429726],
    ),
    "gelu": (nn.GELU(), (V,), [-0.15865525393145702, 0.0, 1.9544997361036416]),
    "silu": (nn.SiLU(), (V,), [-0.2689414213699951, 0.0, 1.7615941559557646]),
    "softplus": (nn.Softplus(), (V,), [0.31326168751822286, 0.6931471805599453, 2.1269280110429727]),
    "log sigmoid": (nn.LogSigmoid(), (V,), [-1.3132616875182228, -0.6931471805599453, -0.1269280110429725]),
    "elu": (nn.ELU(), (V,), [-0.6321205588285577, 0.0, 2.0]),
    "selu": (nn.SELU(), (V,), [-1.1113307378125625, 0.0, 2.101401974710961]),
    "leaky relu": (nn.LeakyReLU(0.5), (V,), [-0.5, 0.0, 2.0]),
    "hardtanh": (nn.Hardtanh(-0.5, 1.5), (V,), [-0.5, 0.0, 1.5]),
    "threshold": (nn.Threshold(0.0, 9.0), (V,), [9.0, 9.0, 2.0]),
    "softmax": (nn.Softmax(1), (torch.zeros(1, 4),), [[0.25, 0.25, 0.25, 0.25]]),
    "relu": (nn.ReLU(), (X,), [[1.0, 0.0], [0.5, 3.0]]),
    "cosine similarity": (
        nn.CosineSimilarity(0), (torch.tensor([3.0, 4.0]).double(), torch.tensor([4.0, 3.0]).double()), 0.96,
    ),
    "pairwise distance": (nn.PairwiseDistance(1.0, eps=0.0), (X, Y), [4.0, 4.0]),
    "kl": (nn.KLDivLoss(reduction="batchmean"), (V[None] * 0, torch.tensor([[0.0, 1.0, 2.0]])), 1.3862943649291992),
    "normalize": (F.normalize, (torch.tensor([[3.0, 4.0], [0.0, 0.0]]).double(),), [[0.6, 0.8], [0.0, 0.0]]),
    "one hot": (F.one_hot, (torch.tensor([1, 0]),), [[0, 1], [1, 0]]),
    "embedding": (F.embedding, (torch.tensor([1, 0, 1]), X), [[0.5, 3.0], [1.0, -2.0], [0.5, 3.0]]),
    "layer norm": (nn.LayerNorm(2, eps=0.0), (torch.tensor([[1.0, 3.0], [2.0, -2.0]]),), [[-1.0, 1.0], [1.0, -1.0]]),
    "batch norm": (nn.BatchNorm1d(2, eps=0.0), (torch.tensor([[1.0, 3.0], [5.0, -1.0]]),), [[-1.0, 1.0], [1.0, -1.0]]),
    "identity": (nn.Identity(1, key=2), (X,), X.tolist()),
    "tanh": (nn.Tanh(), (torch.zeros(2),), [0.0, 0.0]),
    "sigmoid": (nn.Sigmoid(), (torch.zeros(2),), [0.5, 0.5]),
    "flatten": (nn.Flatten(), (X.view(1, 2, 2),), [[1.0, -2.0, 0.5, 3.0]]),
    "linear": (F.linear, (X, torch.tensor([[1.0, 2.0]]), torch.tensor([0.5])), [[-2.5], [7.0]]),
    "linear of a vector": (F.linear, (X[0], torch.tensor([[1.0, 2.0]]), torch.tensor([0.5])), [-2.5]),
    "linear without bias": (F.linear, (X, torch.tensor([[1.0, 2.0]])), [[-3.0], [6.5]]),
    "linear of a batch": (
        F.linear, (X.view(2, 1, 2), torch.tensor([[1.0, 2.0]]), torch.tensor([0.5])), [[[-2.5]], [[7.0]]],
    ),
    "linear of transposed memory": (
        F.linear, (X.t(), torch.tensor([[1.0, 2.0]]), torch.tensor([0.5])), [[2.5], [4.5]],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("layer", "inputs", "expected"), VALUES.values(), ids=VALUES.keys())
def test_values(layer, inputs, expected):
    np.testing.assert_allclose(layer(*inputs).detach().numpy(), expected, rtol=1e-15, atol=0)


def test_linear_is_one_addmm():
    layer = nn.Linear(2, 1)
    node = layer(X).grad_fn
    assert node.name() == layer(X.t()).grad_fn.name() == "AddmmBackward0"
    assert [following and following.name() for following, _ in node.next_functions] == [
        "torch::autograd::AccumulateGrad", None, "TBackward0",
    ]  # fmt: skip


def test_sizes_that_differ_are_warned_of():
    with pytest.warns(UserWarning) as caught:
        loss = F.mse_loss(torch.tensor([1.0, 2.0]), torch.zeros(3, 2))
    assert loss.item() == 2.5
    assert [str(warning.message) for warning in caught] == [
        (
            "Using a target size (torch.Size([3, 2])) that is different to the input size "
            "(torch.Size([2])). This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size."
        )
    ]


def test_old_words_for_reductions_warn():
    with pytest.warns(UserWarning, match="please use reduction='sum' instead"):
        assert nn.MSELoss(size_average=False)(X, Y).item() == 26.0


def test_sequential_is_a_sequence():
    tanh, relu = nn.Tanh(), nn.ReLU()
    both = nn.Sequential(OrderedDict(a=tanh, b=relu))
    assert list(both) == [tanh, relu]
    assert both[-1] is both.b is relu
    assert list(both[1:].named_children()) == [("b", relu)]
    both[0] = relu
    assert both.a is relu
    assert len(both.append(tanh)) == 3
