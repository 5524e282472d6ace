"""What the fuzzer's random programs are made of: the table of their statements, and the names they may use.

A line of the table is a statement with holes. `<a|b|c>` is one of these texts. `{x}` is a tensor; what the other holes are filled
with is in `MACROS` below, in `fuzz_writer._TENSORS` and in the methods of `fuzz_writer.Writer` (`hole_d` and so on). A hole fits
the tensor that was chosen before it on the line: `{y}` combines with it, `{d}` is one of its dimensions, `{_}` is it once more.

What is left out, because it says nothing of the engine that a program would rely on:
- The composite functions of PyTorch that have no gradient (`isinf`, `isfinite`, `argsort`) of a tensor whose graph may not be read.
- The product along a dimension in which there is a zero: the graph of its gradient is made of other operations here.
- Another shape of a result that is not contiguous: where the operands lie in memory in two orders, PyTorch's result takes the
  order of the first, NumPy's the usual one.
- Writing into a view what the same memory holds elsewhere: that depends on the order in which elements are written.
- Writing into an expanded tensor (`meshgrid`), into an empty one by index (`index_fill_`), and which of equal elements `topk` names.
- A matrix that is nearly singular: `definite` makes one that is not.
- The graph, when it is differentiated again, of `linalg.solve` by its matrix, of `atan2` by both and of `gradient`; and products
  of `tensordot` and `inner` that have one element: PyTorch has nodes there that hold the same numbers.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

# Groups of statements by name, with their weights. A line of an upper group is an expression that becomes a new variable.
EXPRESSIONS: dict[str, tuple[int, str]] = {
    "pointwise": (
        22,
        """
        {x} <+|-|*> {y}
        {x} <+|-|*> {y}
        {x} <+|-|*|/> {_}
        {x} / {nonzero}
        {k} <+|-|*> {x}
        {k} / {p}
        {x} ** <0|1|2|3>
        {p} ** <-1|0.5|-0.5|2.5|-2>
        {p} ** {z}
        <2|0.5> ** {z}
        torch.<add|sub|rsub>({z}, {y}, alpha=<2|0.5|-1>)
        torch.<add|sub|mul|maximum|minimum>({x}, {y})
        {x}.<maximum|minimum>({other})
        {x}.<neg|abs|sign|relu|sigmoid|tanh|sin|cos|atan|square|clone|floor|ceil|round>()
        {x}.<signbit|isnan|logical_not>()
        {x}.detach().<isinf|isfinite>()
        {z}.<exp|expm1|sinh|cosh|sin|cos|tanh|sigmoid>()
        {p}.<log|log1p|sqrt|rsqrt|reciprocal>()
        ({z} / 5).<asin|acos|tan|atan>()
        ({p} + 1).acosh()
        {x}.clamp(<-1, 1|min=0|max=1.5|0.5, None|0, -1>)
        torch.threshold({x}, 0.1, 2.0)
        torch.where({x} > {k}, {same}, {y})
        torch.where({x} > {k}, {k}, {same})
        {x}.masked_fill({mask}, {k})
        {x} {compare} {y}
        {x}.<eq|ne|lt|le|gt|ge>({y})
        torch.<logical_and|logical_or|logical_xor>({x}, {other})
        ~({x} > {k})
        ({x} > {k}) <&|^> {mask}
        <abs|round|-|+>({x})
        {x}.to(torch.<float32|float64|float16|int64>)
        {x}.<double|float|half|long|int|bool>()
        {x}.to({any})
        torch.nn.functional.<mse_loss|l1_loss>({z}, {_} * 2)
        torch.nn.functional.huber_loss({z}, {_} * 2)
        torch.nn.functional.<relu|leaky_relu|tanh|sigmoid>({x})
        torch.<zeros_like|ones_like>({x})
        torch.<zeros_like|ones_like>({x}, requires_grad=True)
        {x}.<new_zeros|new_ones>(2)
        {x}.new_tensor([1, 2])
        {x}.<deg2rad|rad2deg|sinc|asinh|erf|erfc|trunc|fix|frac|sgn|nan_to_num>()
        {p}.<log10|log2>()
        {z}.<exp2|negative|absolute>()
        ({z} / 5).<atanh|arcsin|arccos|arctanh|arctan|arcsinh>()
        ({p} + 1).arccosh()
        {x}.nan_to_num(0.5, posinf=<2.0|None>)
        torch.<remainder|fmod>({x}, {nonzero})
        torch.<remainder|fmod|floor_divide>({x}, <2|1.5|-0.75>)
        torch.div({x}, {nonzero}<|, rounding_mode="floor"|, rounding_mode="trunc">)
        torch.<div|divide|true_divide>({x}, {nonzero})
        torch.<multiply|subtract>({x}, {y})
        torch.<atan2|arctan2>({p}, {other}.detach())
        torch.hypot({p}, {other})
        torch.<logaddexp|logaddexp2>({z}, {same})
        torch.<fmax|fmin>({x}, {other})
        torch.xlogy({z}, {same}.abs() + 0.5)
        torch.pow({p}, <{z}|2|-0.5>)
        {p}.float_power(<2|0.5|{same}>)
        {z}.lerp({same}, <0|0.25|0.75|2|{_}.sigmoid()>)
        torch.addcmul({x}, {same}, {other}<|, value=2|, value=-0.5>)
        torch.addcdiv({x}, {same}, {same}.abs() + 0.5<|, value=2|, value=-0.5>)
        {x}.<clamp_min|clamp_max>(<0.5|{same}>)
        torch.<clamp|clip>({x}, <min={same}|max={same}|{same}, {same} + 1>)
        {x}.detach().<isposinf|isneginf>()
        torch.isclose({x}.detach(), {same}.detach())
        torch.isin({x}.detach(), torch.tensor([1.0, -0.5]))
        torch.<bitwise_and|bitwise_or|bitwise_xor|bitwise_left_shift|bitwise_right_shift>(({x} > {k}).long(), {mask})
        torch.bitwise_not({x} > {k})
        {x}.<greater|greater_equal|less|less_equal|not_equal>({y})
        torch.bernoulli({z}.detach().sigmoid())
        {x}.new_full((2,), <1|0.5>)
        {x}.type_as({any})
        """,
    ),
    "reductions": (
        10,
        """
        {x}.<sum|sum|mean|prod|max|min|amax|amin|var|std|norm>()
        {z}.<median|nanmedian>()
        {x}.<all|any|argmax|argmin|count_nonzero>()
        {x}.<sum|mean|amax|amin|var|std|argmax|argmin|count_nonzero|all|any>({d})
        {x}.<sum|mean|amax|amin|argmax|all>({d}, keepdim=True)
        {p}.prod({d}<|, keepdim=True>)
        {x}.<sum|mean|amax|amin|var|logsumexp>({dims})
        {z}.<max|min|median|nanmedian>({d})[0]
        {z}.<max|min|median>({d}, keepdim=True).values
        {z}.<max|min|median>({d}).indices
        {z}.<softmax|log_softmax|logsumexp|cumsum>({d})
        {x}.norm(<1|2|3|0.5|float("inf")|"fro">)
        {x}.norm(<1|2|3>, {d})
        torch.linalg.norm({x}, <None|2|1>, {d})
        torch.var_mean({x}, {d})[<0|1>]
        {x}.<var|std>({d}, <unbiased=False|correction=0>)
        {x}.sum(dtype=torch.<float32|float64|int64>)
        ({x} * {_}).sum()
        {x}.<nansum|nanmean>(<|{d}|{dims}>)
        {x}.aminmax(dim={d})<.min|.max>
        torch.aminmax({x})[<0|1>]
        {p}.cumprod({d})
        {z}.logcumsumexp({d})
        {z}.<cummax|cummin>(<0|-1>)[<0|1>]
        torch.std_mean({x}<|, {d}>)[<0|1>]
        torch.dist({x} * 1.0, {same} * 1.0, <1|2|3|0.5|float("inf")>)
        torch.linalg.vector_norm({x}, <2|3>, {d})
        """,
    ),
    "matrices": (
        9,
        """
        {m} @ {n}
        {m}.<mm|matmul>({n})
        {x} @ {same}
        {m}.mv({m}[0])
        {u}.dot({same})
        {u}.outer({same})
        {u} @ {same}
        torch.addmm({m}[0], {_}.mT, {_})
        torch.stack([{m}, {_}]) @ {n}
        torch.stack([{m}, {_}]).bmm(torch.stack([{n}, {_}]))
        {m}.<trace|tril|triu|diagonal>()
        {m}.<tril|triu|diagonal>(<1|-1>)
        ({m} + 0).<tril_|triu_>()
        torch.stack([torch.linalg.cholesky({m} @ {_}.mT + 4 * torch.eye(len({_}), dtype={_}.dtype))])
        torch.linalg.<inv|det>(definite({m}))
        definite({m}).<det|logdet|inverse>()
        torch.<slogdet|linalg.slogdet>(definite({m}))[1]
        torch.linalg.solve(definite({m}).detach(), {_})
        torch.linalg.solve_triangular(definite({m}).double().triu(), {_}.double(), upper=True)
        torch.linalg.matrix_norm({m}<|, 1|, float("inf")>)
        torch.<vdot|inner>({u}, {same})
        torch.inner({m}.repeat(2, 2), {_}.repeat(1, 2))
        torch.kron({c}, {u}.clone())
        torch.addmv({m}[:, 0], {_}, {_}[0], beta=<1|0.5>, alpha=<1|2>)
        torch.addr({m}, {_}[:, 0], {_}[0]<|, beta=2, alpha=0.5>)
        torch.stack([{m}, {_}]).baddbmm(torch.stack([{_} @ {_}.mT, {_} @ {_}.mT]), torch.stack([{_}, {_}])<|, beta=0.5>)
        torch.chain_matmul({m}, {_}.mT)
        torch.linalg.multi_dot([{m}, {_}.mT, {_}])
        torch.einsum("ij,jk->ik", {m}.contiguous(), {_}.mT.contiguous())
        torch.einsum(<"ij->ji"|"ij->i"|"ij->">, {m})
        torch.einsum(<"ij,ij->j"|"ij,kj->ik">, {m}.contiguous(), {_}.contiguous())
        torch.einsum(<"i,i->"|"i,j->ij"|"i,i->i">, {m}[0], {_}[-1])
        torch.tensordot({m}, {_}.mT.repeat(1, 2), 1)
        torch.tensordot({c}, {_}.clone(), {_}.dim())
        torch.tensordot({m}[0].repeat(2), {_}[0].repeat(2), 0)
        """,
    ),
    "shapes": (
        16,
        """
        {view}
        {view}
        {view}
        {x}.expand(2, *{_}.shape) * 1
        torch.stack([{x}, {same}])
        torch.stack([{x}, {same}], -1)
        torch.cat([{x}, {other}])
        torch.cat([{x}, {same}], {d})
        {x}.repeat(2, *[1] * {_}.dim())
        {x}.flip({d})
        {x}.gather(0, torch.zeros({_}.shape, dtype=torch.int64))
        torch.zeros_like({x}).scatter_add(0, torch.zeros({_}.shape, dtype=torch.int64), {_})
        {x}.sort({d})[<0|1>]
        {x}.detach().argsort(stable=True)
        {x}.detach().long().unique()
        torch.bucketize({x}.contiguous(), torch.tensor([-1.0, 0.0, 1.5]))
        {x}[{mask}]
        {x}[[0, 0]]
        {x}[torch.tensor([0, -1])]
        {x}[..., [0]]
        {x}[{i}]
        {c}.reshape({size})
        {c}.ravel()
        torch.as_tensor({x})
        {x}.clone().requires_grad_()
        {x}.detach()
        {x}.data
        torch.nn.Parameter({x}.detach())
        {x}.roll(<1|-1|2>, {d})
        {x}.roll(1)
        torch.atleast_1d({u}).unflatten(0, (1, -1))
        torch.diff({x}<|, dim={d}|, n=2>)
        torch.gradient({u}.detach())[0]
        {m}.<rot90|fliplr|flipud|diag|diagflat|diag_embed>()
        {m}.rot90(<2|-1>)
        torch.diagonal_copy({m}<|, 1>)
        {u}.<diag|diagflat|diag_embed>()
        {u}.<diag|diag_embed>(<1|-1>)
        torch.index_select({x} * 1, {d}, torch.tensor([0, 0])[:{_}.numel()])
        {x}.<index_add|index_copy>(0, torch.arange(len({_})), {_}.clone())
        {x}.index_add(0, torch.tensor([0, 0]), torch.stack([{_}.select(0, 0)] * 2), alpha=<1|2>)
        {x}.index_fill({d}, torch.tensor([0])[:{_}.numel()], <2|-0.5>)
        {x}.index_put((torch.tensor([0, 0]),), torch.tensor(2.0, dtype={_}.dtype), accumulate=<True|False>)
        {x}.scatter(0, torch.zeros({_}.shape, dtype=torch.int64)[:1], <2.0|-1.5>)
        {m}.take_along_dim(torch.zeros({_}.shape, dtype=torch.int64), {d})
        {x}.masked_select({mask})
        {x}.masked_scatter({mask}, {_}.clone())
        {p}.topk(1, <0|-1><|, largest=False>)[0]
        {x}.msort()
        {x}.detach().<argwhere|unique_consecutive>()
        torch.searchsorted(torch.tensor([-1.0, 0.0, 1.5], dtype={x}.dtype), {_}.contiguous())
        torch.meshgrid({m}[0], {_}[:, 0], indexing=<"ij"|"xy">)[<0|1>] * 1
        {x}.tile(<2|(2, 1)>)
        {x}.repeat_interleave(2<|, {d}>)
        torch.<hstack|vstack|dstack|column_stack>([{x}, {same}])
        torch.<concat|concatenate|row_stack>([{x}, {same}])
        torch.<atleast_1d|atleast_2d|atleast_3d>({x})
        torch.broadcast_to({x}, (2, *{_}.shape)) * 1
        torch.broadcast_tensors({x}, {other})[0] * 1
        torch.sum({x}, 0).<movedim|moveaxis>(0, -1)
        {x}.sum_to_size({_}.shape)
        """,
    ),
    "functions": (
        6,
        """
        Scale.apply({x}, 3)
        Product.apply({x}, {other})
        Product.apply({x}, {_})
        Exponential.apply({x})
        AddOne.apply({x})
        Same.apply({x})
        Flat.apply({c})
        Once.apply({x})
        Constant.apply({x})
        Nothing.apply({x})
        TooMany.apply({x})
        WrongShape.apply({x})
        Setup.apply({x}, {same})
        Failing.apply({x})
        """,
    ),
    "derivatives": (
        4,
        """
        copied(torch.autograd.grad(({result} * {_}).sum(), {leaf}<||, create_graph=True|, allow_unused=True>)[0])
        copied(torch.autograd.grad({result}, grad_outputs={_}.detach().clone(), inputs={w}, create_graph=True, allow_unused=True)[0])
        copied(torch.autograd.grad({result}.sum(), {edge}, allow_unused=True)[0])
        torch.autograd.functional.<jacobian|hessian>(lambda t: (t * t * t).sum(), {x})
        torch.autograd.functional.<vjp|jvp>(lambda t: t * t, {x}, {same})[1]
        {w}.grad
        {leaf}.grad
        """,
    ),
}

STATEMENTS: dict[str, tuple[int, str]] = {
    "leaves": (5, "{new} = {tensor}"),
    "several results": (
        4,
        """
        {new}, {new} = {x}.<chunk(2)|split(1)|unbind(0)|unbind(-1)|sort(0)|max(0)>
        {new}, {new} = torch.var_mean({x})
        {new}, {new} = Two.apply({x}, {other})
        {new}, {new} = TwoLazy.apply({x}, {other})
        {new}, {new} = Mask.apply({x})
        {new}, {new} = MultiplyInPlace.apply({x} * 1, {same})
        {new}, {new} = map(copied, torch.autograd.grad({result}.sum(), [{leaf}, {w}]<|, allow_unused=True|, materialize_grads=True>))
        {new}, {new} = map(copied, torch.autograd.grad([{one}, {w}], grad_outputs=[None, {_}.detach().clone()], inputs=[{w}, {leaf}]<|, create_graph=True, allow_unused=True>))
        """,
    ),
    "writes": (
        20,
        """
        {target}.<add_|sub_|mul_>({into})
        {target}.<add_|sub_|mul_>({into})
        {target}.<add_|sub_>({into}, alpha=<2|-1>)
        {target}.div_({nonzero})
        {target}.<sin_|cos_|tanh_|sigmoid_|relu_|abs_|neg_|square_|zero_|sign_|floor_|round_|atan_>()
        {p}.<log_|log1p_|sqrt_|rsqrt_|reciprocal_>()
        {z}.<exp_|expm1_|sinh_>()
        {target}.fill_({k})
        {z}.fill_({value})
        {target}.copy_({into})
        {z}.clamp_(<-1, 1|min=0>)
        {target}.pow_(<2|3|0>)
        {o}.masked_fill_({mask}, {k})
        {o} <+|-|*>= {into}
        {o} /= {nonzero}
        {o} **= 2
        {o}[{i}] = {k}
        {o}[{i}] = {value} * 1
        {o}[{mask}] = {k}
        {o}[[0]] = {k}
        {o}[...] = {into}
        {result}.<t_|squeeze_>()
        {result}.unsqueeze_(<0|-1>)
        {result}.transpose_(0, {d})
        {o}.scatter_add_(0, torch.zeros({_}.shape, dtype=torch.int64), {_}.clone())
        {target}.<trunc_|frac_|sgn_|erf_|erfc_|asinh_|sinc_|deg2rad_|nan_to_num_>()
        {target}.<fmod_|remainder_>(<2|1.5|-0.75>)
        {x}.detach().floor_divide_(<2|1.5|-0.75>)
        {target}.<fmod_|remainder_>({nonzero})
        {target}.div_(<2|-1.5>, rounding_mode=<"floor"|"trunc"|None>)
        {p}.<clamp_min_|clamp_max_>(<0.5|-1>)
        {p}.<log2_|log10_>()
        {p}.<atan2_|xlogy_|hypot_>({_}.detach() * 2)
        {o}.lerp_({_}.clone(), <0.25|2>)
        {o}.<addcmul_|addcdiv_>({_}.clone(), ({_} * 0 + 2), value=<1|-0.5>)
        {o}.index_add_(0, torch.tensor([0]), {_}.select(0, 0).unsqueeze(0).clone())
        {o}.index_fill_({d}, torch.tensor([0])[:{_}.numel()], {k})
        {o}.index_copy_(0, torch.tensor([0]), {_}.select(0, 0).unsqueeze(0).clone())
        {o}.index_put_((torch.tensor([0]),), torch.tensor(0.5, dtype={_}.dtype))
        {o}.scatter_({d}, torch.zeros({_}.shape, dtype=torch.int64)[:1], 0.5)
        {o}.masked_scatter_({mask}, {_}.clone())
        {p}.<cumsum_|cumprod_>({d})
        """,
    ),
    "flags": (
        5,
        """
        {leaf}.requires_grad_()
        {leaf}.requires_grad = True
        {kept}.retain_grad()
        {kept}.retain_grad()
        {x}.data.<mul_|add_>(2)
        {x}.detach().mul_(2)
        {leaf}.grad = <None|{same}.detach().clone()>
        {leaf}.grad.zero_()
        {leaf}.grad.data.zero_()
        torch.set_grad_enabled(<True|True|False>)
        del {x}
        """,
    ),
    "hooks": (
        8,
        """
        {handle} = {seen}.register_hook({hook})
        {handle} = {seen}.register_hook({hook})
        {handle} = {seen}.register_hook(<lambda g: g.sum()|lambda g: g.float()|lambda g: 3|lambda g: 1 / 0>)
        {handle} = {result}.grad_fn.register_hook({hook})
        {handle} = {result}.grad_fn.register_prehook({hook})
        {handle} = {leaf}.register_post_accumulate_grad_hook(after({number}))
        {old_handle}.remove()
        """,
    ),
    "passes": (
        10,
        """
        {w}.sum().backward()
        {w}.sum().backward(retain_graph=True)
        ({w} * {_}).sum().backward(<|retain_graph=True|create_graph=True>)
        {w}.backward({_}.detach().clone()<|, retain_graph=True|, create_graph=True|, inputs=[{kept}]>)
        {one}.backward(<|retain_graph=True>)
        {w}.sum().backward(inputs=<{leaf}|[{kept}]|[{leaf}, {kept}]|[{edge}]|[]>)
        torch.autograd.backward([{w}.sum(), {w}.sum()]<|, retain_graph=True>)
        torch.autograd.backward([{one}, {w}], [None, {_}.detach().clone()])
        note(torch.autograd.grad({result}.sum(), [{leaf}, {w}]<|, retain_graph=True|, allow_unused=True>))
        """,
    ),
    "looks": (
        7,
        """
        show({x})
        show({any})
        show({view})
        note({x}.<item|tolist|dim|numel|size|element_size>())
        note(<float|int|bool|len|list>({x}))
        note({x}.numpy())
        note({result}.grad_fn.next_functions)
        note({w}.<grad_fn|is_leaf|names|T|mT|ndim|dtype|_base|requires_grad|itemsize|nbytes>)
        note(torch.<equal|allclose>({x}, {same}))
        note(torch.is_grad_enabled())
        note(copy.deepcopy({x}))
        look()
        look()
        """,
    ),
}

# Holes that are filled with a text that has choices and holes of its own.
MACROS = {
    "y": "<{k}|{other}|{other}>",
    "into": "<{k}|{source}|{source}>",
    "k": "<2|0.5|-1.5|3|-2|1|0|True>",
    "view": "{x}{look}",
    "mask": "({_} > {k})",
    "size": "<-1|{_}.shape|(1, -1)|(-1, 1)|(2, -1)|{_}.shape[::-1]|(3, -1)>",
    "edge": "torch.autograd.graph.get_gradient_edge({w})",
    # PyTorch 2.13 crashes when a hook is put on a view whose base was written to since, unless its node was looked at.
    "seen": "seen({w})",
    "hook": "noting({number}<||, lambda g: g * 2|, lambda g: g + 1|, lambda g: g.detach()|, lambda g: g.clone()>)",
}

# What a statement may stand under.
MODES = [
    "with torch.no_grad(): ",
    "with torch.no_grad(): ",
    "with torch.no_grad(): ",
    "with torch.enable_grad(): ",
    "with torch.set_grad_enabled(False): ",
    "with torch.no_grad(), torch.enable_grad(): ",
    "with torch.autograd.graph.saved_tensors_hooks(pack, unpack): ",
    "with torch.autograd.detect_anomaly(): ",
]

# Where views begin: `{_}` stands for the tensor.
VIEWS: dict[int | None, str] = {
    None: """
        [...]
        [None]
        .view(-1)
        .view({_}.shape)
        .view_as({_})
        .reshape(-1)
        .flatten()
        .unsqueeze(<0|-1>)
        .squeeze()
        .expand_as({_})
        .detach()
        .data
        .T
        [{i}]
        """,
    1: """
        [<0|-1>]
        [<1:|:-1|::2|:1>]
        .narrow({d}, 0, 1)
        .select({d}, 0)
        .squeeze({d})
        .transpose(0, {d})
        .<split|chunk>(1)[0]
        .unbind({d})[<0|-1>]
        .split([1, {_}.shape[0] - 1])[<0|1>]
        .split_with_sizes([1, {_}.shape[0] - 1])[<0|1>]
        .tensor_split(2)[<0|1>]
        .<movedim|moveaxis>({d}, 0)
        """,
    2: """
        .t()
        .mT
        .<swapaxes|transpose>(0, 1)
        .permute(1, 0)
        .diagonal()
        [:, 0]
        [0, <0|-1>]
        [1:, :2]
        .<hsplit|tensor_split>(1)[0]
        .vsplit([1])[<0|1>]
        .as_strided({_}.shape[::-1], {_}.stride()[::-1])
        """,
    3: """
        .permute(2, 0, 1)
        .mT
        [0, :, 0]
        [..., 0]
        """,
}


def names(torch: Any, note: Callable[[Any], None]) -> dict[str, Any]:
    """The functions that programs of `torch` may use besides its own; the hooks note what they are given."""

    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            return x * factor

        @staticmethod
        def backward(ctx, g):
            return g * ctx.factor, None

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx, g):
            note(ctx.needs_input_grad)
            a, b = ctx.saved_tensors
            return g * b, g * a

    class Exponential(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            result = (x * 0.25).exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, g):
            (result,) = ctx.saved_tensors
            return g * result * 0.25

    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a * 2, b * a

        @staticmethod
        def backward(ctx, g, h):
            note((g, h))
            a, b = ctx.saved_tensors
            return g * 2 + h * b, h * a

    class TwoLazy(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.set_materialize_grads(False)
            return a * 2, b * 3

        @staticmethod
        def backward(ctx, g, h):
            note((g, h))
            return (None if g is None else g * 2), (None if h is None else h * 3)

    class AddOne(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.add_(1)

        @staticmethod
        def backward(ctx, g):
            return g

    class MultiplyInPlace(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a.clone(), b)
            ctx.mark_dirty(a)
            return a.mul_(b), b * 2

        @staticmethod
        def backward(ctx, g, h):
            a, b = ctx.saved_tensors
            return g * b, g * a + h * 2

    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 3

    class Flat(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.shape = x.shape
            return x.view(-1)

        @staticmethod
        def backward(ctx, g):
            return g.view(ctx.shape) * 2

    class Mask(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            mask = x > 0
            ctx.mark_non_differentiable(mask)
            ctx.save_for_backward(mask)
            return x * 2, mask

        @staticmethod
        def backward(ctx, g, _):
            (mask,) = ctx.saved_tensors
            return g * mask

    class Once(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * x * g

    class Constant(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            result = x * 2
            ctx.mark_non_differentiable(result)
            return result

        @staticmethod
        def backward(ctx, g):
            return g

    class Setup(torch.autograd.Function):
        @staticmethod
        def forward(a, b):
            return a * b

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs, output)

        @staticmethod
        def backward(ctx, g):
            a, b, _ = ctx.saved_tensors
            return g * b, g * a

    class Nothing(Scale):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return None

    class TooMany(Nothing):
        @staticmethod
        def backward(ctx, g):
            return g, g

    class WrongShape(Nothing):
        @staticmethod
        def backward(ctx, g):
            return g.new_ones(7)

    class Failing(Nothing):
        @staticmethod
        def backward(ctx, g):
            raise ValueError("no gradient here")

    def noting(number: int, change: Callable[[Any], Any] | None = None) -> Callable[..., Any]:
        """A hook that notes all it is given, and changes the gradients."""

        def hook(*given: Any) -> Any:
            note((number, given))
            if change is None:
                return None
            first = given[0]
            return tuple(g if g is None else change(g) for g in first) if isinstance(first, tuple) else change(first)

        return hook

    def after(number: int) -> Callable[[Any], None]:
        return lambda tensor: note((number, tensor.grad))

    def seen(tensor: Any) -> Any:
        """The tensor, after its node was looked at, which brings it up to date."""
        tensor.grad_fn  # noqa: B018
        return tensor

    def copied(gradient: Any) -> Any:
        """A gradient in memory of its own: in which other gradient's it lies, and whether as a view, is not to be relied upon."""
        return None if gradient is None else gradient.clone()

    def definite(matrix: Any) -> Any:
        """A symmetric matrix far from a singular one."""
        small = matrix.sin()
        return small @ small.mT + 4 * torch.eye(len(matrix), dtype=small.dtype)

    def pack(tensor: Any) -> Any:
        return SimpleNamespace(kept=tensor.detach().clone())

    def unpack(packed: Any) -> Any:
        return packed.kept

    known = locals()
    return {name: known[name] for name in known if name not in ("note", "known")}
