"""Rows for test_told.py: (exercise, what is wrong, words that must come, words that must not, the answer's cell)."""

from textwrap import dedent, indent

TOLD: list[tuple[str, str, tuple[str, ...], tuple[str, ...], str]] = []


def told(
    exercise: str,
    what: str,
    arguments: str,
    forward: str,
    backward: str,
    must: tuple[str, ...],
    never: tuple[str, ...] = (),
    gradients: str = "g",
) -> None:
    """Add a row whose cell is a Function with these two methods."""
    bodies = [indent(dedent(each).strip(), " " * 8) for each in (forward, backward)]
    cell = (
        f"class {exercise.partition('.')[2]}(Function):\n"
        f"    @staticmethod\n    def forward(ctx, {arguments}):\n{bodies[0]}\n\n"
        f"    @staticmethod\n    def backward(ctx, {gradients}):\n{bodies[1]}\n"
    )
    TOLD.append((exercise, what, must, never, cell))


# An engine's NotImplementedError is not the one of a stub

STUB = ("not attempted yet",)
PARENTHESES = ("NotImplementedError", "put each condition in parentheses")
CLAMP = "ctx.save_for_backward(x); ctx.bounds = low, high\n"
CLAMP_BACK = "(x,), (low, high) = ctx.saved_tensors, ctx.bounds\nreturn g * {inside}, None, None"
SOFTPLUS_BACK = "(x,) = ctx.saved_tensors\nreturn g * torch.sigmoid(x)"

told(
    "12.Clamp",
    "no parentheses around the conditions in forward",
    "x, low, high",
    CLAMP + "return torch.where(x > low & x < high, x, x.clamp(low, high))",
    CLAMP_BACK.format(inside="((x > low) & (x < high))"),
    ("forward, line 5", *PARENTHESES),
    STUB,
)
told(
    "12.Clamp",
    "no parentheses, a number on the left",
    "x, low, high",
    CLAMP + "return torch.where(low < x & x < high, x, x.clamp(low, high))",
    CLAMP_BACK.format(inside="((x > low) & (x < high))"),
    ("forward, line 5", *PARENTHESES),
    STUB,
)
told(
    "12.Clamp",
    "no parentheses around the conditions in backward",
    "x, low, high",
    CLAMP + "return x.clamp(low, high)",
    CLAMP_BACK.format(inside="(low < x & x < high)"),
    ("backward, line 10", *PARENTHESES),
    STUB,
)
told(
    "14.Softplus",
    "no parentheses around two conditions joined by |",
    "x",
    "ctx.save_for_backward(x)\nreturn torch.where(x > 20 | x < -20, x.clamp(min=0), torch.log1p(x.exp()))",
    SOFTPLUS_BACK,
    PARENTHESES,
    STUB,
)
told(
    "14.Softplus",
    "& of two tensors of floats, in parentheses",
    "x",
    "ctx.save_for_backward(x)\nreturn torch.where((x > 0) & (x - 20), x, torch.log1p(x.exp()))",
    SOFTPLUS_BACK,
    ("\"bitwise_and_cpu\" not implemented for 'Double'",),
    (*STUB, "in parentheses"),
)
told(
    "14.HuberLoss",
    "no parentheses in backward, beside a minus",
    "input, target, delta",
    """
    e = input - target
    ctx.save_for_backward(e)
    ctx.delta = delta
    return torch.where(e.abs() <= delta, e**2 / 2, delta * (e.abs() - delta / 2)).mean()
    """,
    """
    (e,) = ctx.saved_tensors
    inside = -ctx.delta < e & e < ctx.delta
    slope = g * torch.where(inside, e, e.sign() * ctx.delta) / e.numel()
    return slope, -slope, None
    """,
    PARENTHESES,
    STUB,
)
told(
    "09.Exp",
    "an error of this type with a message of its own",
    "x",
    "raise NotImplementedError('later')",
    "raise NotImplementedError('later')",
    ("raised NotImplementedError: later",),
    STUB,
)


# needs_input_grad

SETTLED = ("settled",)
SETTLE = """
x = torch.zeros_like(b)
for _ in range(100):
    x = torch.tanh(W @ x + b)
ctx.save_for_backward(W, x)
return x
"""
SOLVED = """
W, x = ctx.saved_tensors
slope = 1 - x * x
v = slope * torch.linalg.solve((torch.eye(len(x), dtype=x.dtype) - slope.unsqueeze(1) * W).t(), g)
need = ctx.needs_input_grad
"""
NO_GRADIENT = "backward returns no gradient for it"
for slip, end, words in (
    (
        "the indices are off by one",
        "return (torch.outer(v, x) if ctx.needs_input_grad[1] else None), (v if ctx.needs_input_grad[2] else None)",
        ("tuple index out of range", "has one entry for each argument of forward, counted from 0"),
    ),
    (
        "entry 0 decides on both",
        "return (torch.outer(v, x) if need[0] else None), (v if need[0] else None)",
        (f"if only b requires grad, {NO_GRADIENT}",),
    ),
    (
        "the entries are swapped",
        "return (torch.outer(v, x) if need[1] else None), (v if need[0] else None)",
        (f"if only W requires grad, {NO_GRADIENT}",),
    ),
    (
        "both or nothing",
        "return (torch.outer(v, x), v) if all(need) else (None, None)",
        (f"if only W requires grad, {NO_GRADIENT}",),
    ),
    (
        "b only together with W",
        "return (torch.outer(v, x) if need[0] else None), (v if all(need) else None)",
        (f"if only b requires grad, {NO_GRADIENT}",),
    ),
    (
        "always both",
        "return torch.outer(v, x), v",
        ("backward returns a tensor for b although only W requires grad",),
    ),
    ("never W", "return None, v", ("backward returns None for W",)),
    (
        "the question is turned round",
        "return (None if need[0] else torch.outer(v, x)), (None if need[1] else v)",
        ("backward returns None for W",),
    ),
    (
        "the gradients in the wrong order",
        "return (v if need[1] else None), (torch.outer(v, x) if need[0] else None)",
        ("the gradients for W and b have changed places",),
    ),
    (
        "no place for what is not needed",
        "return tuple(each for each, wanted in ((torch.outer(v, x), need[0]), (v, need[1])) if wanted)",
        ("if only b requires grad, backward returns 1 of 2 values",),
    ),
    (
        "called instead of indexed",
        "return (torch.outer(v, x) if ctx.needs_input_grad(0) else None), v",
        ("`ctx.needs_input_grad` is a tuple",),
    ),
):
    never = (*SETTLED, "`ctx.saved_tensors` is one") if "called" in slip else SETTLED
    told("15.FixedPoint", slip, "W, b", SETTLE, SOLVED + end, words, never)


# mark_non_differentiable

MARKED = "result 2 requires grad, but does not have a gradient: forward must call ctx.mark_non_differentiable, once, with the tensor itself that it returns as result 2"
for slip, mark, results in (
    ("nothing is marked", "", "values, positions"),
    ("the indices are marked, not their copy", "ctx.mark_non_differentiable(indices)", "values, positions"),
    ("a copy of the positions is marked", "ctx.mark_non_differentiable(positions.clone())", "values, positions"),
    ("the argument is marked", "ctx.mark_non_differentiable(x)", "values, positions"),
    ("a copy is returned", "ctx.mark_non_differentiable(positions)", "values, indices.to(x.dtype)"),
    (
        "a second call replaces the first",
        "ctx.mark_non_differentiable(positions); ctx.mark_non_differentiable(indices)",
        "values, positions",
    ),
    ("detached instead", "", "values, positions.detach()"),
):
    told(
        "13.SortDescending",
        slip,
        "x",
        f"""
        values, indices = torch.sort(x, descending=True)
        positions = indices.to(x.dtype)
        ctx.save_for_backward(indices)
        {mark or "pass"}
        return {results}
        """,
        "(indices,) = ctx.saved_tensors\nback = torch.zeros_like(g)\nback[indices] = g\nreturn back",
        (MARKED,),
        (": call ctx.mark_non_differentiable in forward",),
        gradients="g, h",
    )
told(
    "13.SortDescending",
    "a tuple is marked",
    "x",
    """
    values, indices = torch.sort(x, descending=True)
    positions = indices.to(x.dtype)
    ctx.save_for_backward(indices)
    ctx.mark_non_differentiable((positions,))
    return values, positions
    """,
    "(indices,) = ctx.saved_tensors\nback = torch.zeros_like(g)\nback[indices] = g\nreturn back",
    ("its arguments are tensors: no tuple or list of them",),
    gradients="g, h",
)


# The number of results, and of what backward returns

SIN_COS = "(x,) = ctx.saved_tensors\nreturn g * x.cos() - h * x.sin()"
OF_BACKWARD = ("backward is called with",)
told(
    "13.SinCos",
    "one result, backward of two",
    "x",
    "ctx.save_for_backward(x)\nreturn x.sin()",
    SIN_COS,
    ("-> forward returns 1 result; this exercise asks for 2",),
    OF_BACKWARD,
    gradients="g, h",
)
told(
    "13.SinCos",
    "three results, backward of two",
    "x",
    "ctx.save_for_backward(x)\nreturn x.sin(), x.cos(), x.tan()",
    SIN_COS,
    ("-> forward returns 3 results; this exercise asks for 2",),
    OF_BACKWARD,
    gradients="g, h",
)
told(
    "13.SortDescending",
    "the values alone, backward of two",
    "x",
    "values, indices = torch.sort(x, descending=True)\nctx.save_for_backward(indices)\nreturn values",
    "(indices,) = ctx.saved_tensors\nback = torch.zeros_like(g)\nback[indices] = g\nreturn back",
    ("-> forward returns 1 result; this exercise asks for 2",),
    OF_BACKWARD,
    gradients="g, h",
)
told(
    "09.Exp",
    "x is returned beside the result",
    "x",
    "y = x.exp()\nctx.save_for_backward(y)\nreturn y, x",
    "(y,) = ctx.saved_tensors\nreturn g * y",
    ("-> forward returns 2 results; this exercise asks for 1",),
    OF_BACKWARD,
)
told(
    "09.Scale",
    "the factor is returned beside the result",
    "x, factor",
    "ctx.factor = factor\nreturn x * factor, factor",
    "return g * ctx.factor, None",
    ("forward returns 2 results; this exercise asks for 1",),
    ("forward returns a float",),
)
told(
    "13.SinCos",
    "None in place of the second result",
    "x",
    "ctx.save_for_backward(x)\nreturn x.sin(), None",
    SIN_COS,
    ("one of the 2 results of forward is None; each must be a tensor",),
    ("is there a `return`",),
    gradients="g, h",
)
told(
    "13.SinCos",
    "a list of two results",
    "x",
    "ctx.save_for_backward(x)\nreturn [x.sin(), x.cos()]",
    SIN_COS,
    ("forward returns a list; it must return a tuple of 2 tensors",),
    ("1 result",),
    gradients="g, h",
)
told(
    "13.SinCos",
    "backward has one parameter too few, forward is right",
    "x",
    "ctx.save_for_backward(x)\nreturn x.sin(), x.cos()",
    "(x,) = ctx.saved_tensors\nreturn g * x.cos()",
    OF_BACKWARD,
    ("this exercise asks for",),
)
told(
    "13.SinCos",
    "three results, and backward returns two gradients",
    "x",
    "ctx.save_for_backward(x)\nreturn x.sin(), x.cos(), x.tan()",
    "(x,) = ctx.saved_tensors\nreturn g * x.cos(), -h * x.sin()",
    ("-> forward returns 3 results", "backward returns 2 values, forward takes 1 argument"),
    ("as many as forward has results",),
    gradients="g, h, i",
)


# Only what was broadcast is said to be

BROADCAST = ("broadcast", "were repeated")
for slip, of_a, of_b, words in (
    ("not summed if k is 1", "g @ b.t()", "a * g if a.shape[1] == 1 else a.t() @ g", "the shapes must be equal"),
    (
        "summed along the wrong axis if k is 1",
        "g @ b.t()",
        "(a * g).sum(1) if a.shape[1] == 1 else a.t() @ g",
        "the shapes must be equal",
    ),
    (
        "a mean if k is 1",
        "g @ b.t()",
        "(a * g).mean(0, keepdim=True) if a.shape[1] == 1 else a.t() @ g",
        "for a of shape (3, 1)",
    ),
    ("not summed for a if k is 1", "g * b if a.shape[1] == 1 else g @ b.t()", "a.t() @ g", "the shapes must be equal"),
    ("summed over the rows", "g @ b.t()", "(a.t() @ g).sum(0)", "the shapes must be equal"),
    ("transposed", "b @ g.t()", "a.t() @ g", "the gradient for a is transposed"),
):
    told(
        "12.MatMul",
        slip,
        "a, b",
        "ctx.save_for_backward(a, b)\nreturn a @ b",
        f"""
        a, b = ctx.saved_tensors
        need = ctx.needs_input_grad
        return ({of_a}) if need[0] else None, ({of_b}) if need[1] else None
        """,
        (words,),
        BROADCAST,
    )
told(
    "12.BroadcastAdd",
    "nothing is summed",
    "x, y",
    "return x + y",
    "return g, g",
    ("y has shape (3,) and was broadcast",),
)
told(
    "12.Linear",
    "the gradient for the bias is not summed",
    "x, weight, bias",
    "ctx.save_for_backward(x, weight)\ny = x @ weight.t()\nreturn y if bias is None else y + bias",
    """
    x, weight = ctx.saved_tensors
    need = ctx.needs_input_grad
    return g @ weight if need[0] else None, g.t() @ x if need[1] else None, g if need[2] else None
    """,
    ("bias has shape (4,) and was broadcast",),
)


# None for some inputs, and a known mistake for the others

told(
    "12.Clamp",
    "a branch without return, and the lower bound forgotten",
    "x, low, high",
    CLAMP + "if x.dim() < 3:\n    return x.clamp(max=high)",
    CLAMP_BACK.format(inside="(x < high)"),
    ("For other inputs, the lower bound: this step is left out",),
)
told(
    "11.Sigmoid",
    "a branch without return, and tanh",
    "x",
    "y = torch.tanh(x)\nctx.save_for_backward(y)\nif x.dim():\n    return y",
    "(y,) = ctx.saved_tensors\nreturn g * (1 - y * y)",
    ("For other inputs, the result is tanh x, which goes from -1 to 1",),
)
told(
    "12.Clamp",
    "a branch without return, the others right",
    "x, low, high",
    CLAMP + "if x.dim() < 3:\n    return x.clamp(low, high)",
    CLAMP_BACK.format(inside="((x > low) & (x < high))"),
    ("forward returns nothing, for x of shape (2, 1, 3)",),
    ("For other inputs",),
)
told(
    "09.Scale",
    "a branch of backward without return, and the factor forgotten",
    "x, factor",
    "return x * factor",
    "if g.dim():\n    return g, None",
    ("the gradient: the slope is left out",),
    ("backward returns 1 value",),
)


# Numbers, shapes and dtypes

told(
    "09.Exp",
    "the gradient is a little too large",
    "x",
    "y = x.exp()\nctx.save_for_backward(y)\nreturn y",
    "(y,) = ctx.saved_tensors\nreturn g * y * 1.00003",
    ("numerical    [[-2.340394,", "yours        [[-2.340464,", "yours is 2.448, it must be 2.4479"),
    ("[[-2.340,",),
)
told(
    "14.Softplus",
    "a short cut that begins too early",
    "x",
    "ctx.save_for_backward(x)\nreturn torch.where(x > 15, x, torch.log1p(x.clamp(max=15).exp()))",
    SOFTPLUS_BACK,
    ("16.150497938", "16.150497841"),
    ("1.000000000e-09",),
)
told(
    "09.Scale",
    "wrong for 0-d alone",
    "x, factor",
    "ctx.factor = factor\nreturn x * factor if x.dim() else x + factor",
    "return g * ctx.factor, None",
    ("-0.025  (a tensor of shape ())", "factor     0.9\n"),
)
told(
    "14.SoftmaxCrossEntropy",
    "the gradient leaves out the target",
    "logits, target",
    """
    shifted = logits - logits.amax(dim=1, keepdim=True)
    log_p = shifted - shifted.exp().sum(dim=1, keepdim=True).log()
    ctx.save_for_backward(log_p, target)
    return -log_p[torch.arange(len(target)), target].mean()
    """,
    "log_p, target = ctx.saved_tensors\nreturn g * log_p.exp() / len(target), None",
    ("target       [2]  (a tensor of dtype int64)",),
)
told(
    "09.Exp",
    "half of the gradient",
    "x",
    "y = x.exp()\nctx.save_for_backward(y)\nreturn y",
    "(y,) = ctx.saved_tensors\nreturn g * y / 2",
    ("the gradient: it is half of what it must be",),
    (", numerically",),
)
told(
    "14.GradientReversal",
    "the strength is squared",
    "x, strength",
    "ctx.strength = strength\nreturn x.view_as(x)",
    "return -ctx.strength * abs(ctx.strength) * g, None",
    ("yours is ", "it must be "),
    (", declared ",),
)


# Words that can be read the other way round

told(
    "13.SinCos",
    "the results in the wrong order",
    "x",
    "ctx.save_for_backward(x)\nreturn x.cos(), x.sin()",
    "(x,) = ctx.saved_tensors\nreturn h * x.cos() - g * x.sin()",
    ("the parts stand in another order; the sine must come first",),
    gradients="g, h",
)
told(
    "13.SinCos",
    "the second derivative is wrong",
    "x",
    "ctx.save_for_backward(x)\nctx.sin = x.sin()\nreturn x.sin(), x.cos()",
    "(x,) = ctx.saved_tensors\nreturn g * x.cos() - h * ctx.sin.detach()",
    ("the first derivative is right, the second by `x` is wrong",),
    (", numerically",),
    gradients="g, h",
)
told(
    "13.SortDescending",
    "sorted from small to large",
    "x",
    """
    values, indices = torch.sort(x)
    positions = indices.to(x.dtype)
    ctx.mark_non_differentiable(positions)
    ctx.save_for_backward(indices)
    return values, positions
    """,
    "(indices,) = ctx.saved_tensors\nback = torch.zeros_like(g)\nback[indices] = g\nreturn back",
    ("the values are sorted from small to large, not from large to small",),
    gradients="g, h",
)
told(
    "14.Interpolate",
    "the weights are exchanged in backward",
    "a, b, t",
    "ctx.save_for_backward(a, b, t)\nreturn (1 - t) * a + t * b",
    """
    a, b, t = ctx.saved_tensors
    for_t = g * (b - a)
    return g * t, g * (1 - t), for_t if t.dim() else for_t.sum()
    """,
    (
        "the gradient for a: `t` stands in the place of the factor for a",
        "the gradient for b: the factor for a stands in the place of `t`",
    ),
)
told(
    "12.MatMul",
    "b is not transposed",
    "a, b",
    "ctx.save_for_backward(a, b)\nreturn a @ b",
    """
    a, b = ctx.saved_tensors
    need = ctx.needs_input_grad
    return g @ b if need[0] else None, a.t() @ g if need[1] else None
    """,
    ("the gradient for a: `b` is not transposed",),
    ("for shape (2, 3)",),
)
told(
    "15.NewtonSqrt",
    "an early x is saved, the result is right",
    "a",
    """
    x = torch.ones_like(a)
    for step in range(20):
        x = (x + a / x) / 2
        if step == 4:
            early = x
    ctx.save_for_backward(early)
    return x
    """,
    "(x,) = ctx.saved_tensors\nreturn g / (2 * x)",
    ("-> in the gradient, x is taken after 5 steps from x = 1",),
    ("-> x is taken",),
)
told(
    "14.LogSumExp",
    "backward raises an error for matrices",
    "x",
    "ctx.save_for_backward(x)\nreturn torch.logsumexp(x, -1)",
    "(x,) = ctx.saved_tensors\nreturn g * torch.softmax(x, dim=-1)",
    ("raises an error for shape (2, 3)", "The size of tensor a (2) must match"),
    ("differentiating backward",),
)


# The student's own engine

TAPE = """
class Tape:
    def __init__(self, value, parents=()):
        self.value, self.grad, self.parents = value, BEGIN, parents

    def of(self, other):
        return other if isinstance(other, Tape) else Tape(other)

    def __add__(self, other):
        other = self.of(other)
        return Tape(self.value + other.value, ((self, 1.0), (other, 1.0)))

    def __mul__(self, other):
        other = self.of(other)
        return Tape(self.value * other.value, ((self, other.value), (other, self.value)))

    def __pow__(self, other):
        if isinstance(other, Tape):
            return (other * self.log()).exp()
        return Tape(self.value**other, ((self, other * self.value ** (other - 1)),))

    def exp(self):
        value = math.exp(self.value)
        return Tape(value, ((self, value),))

    def log(self):
        return Tape(math.log(self.value), ((self, 1 / self.value),))

    def tanh(self):
        value = math.tanh(self.value)
        return Tape(value, ((self, 1 - value**2),))

    __radd__, __rmul__ = __add__, __mul__
    __neg__ = lambda self: self * -1
    __sub__ = lambda self, other: self + -self.of(other)
    __rsub__ = lambda self, other: -self + other
    __truediv__ = lambda self, other: self * self.of(other) ** -1
    __rtruediv__ = lambda self, other: self**-1 * other
    __rpow__ = lambda self, other: Tape(other) ** self

    def backward(self):
        order, seen = [], set()

        def visit(tape):
            if id(tape) not in seen:
                seen.add(id(tape))
                VISIT
                order.append(tape)

        visit(self)
        arrived = {id(self): 1.0}
        for tape in reversed(order):
            gradient = arrived[id(tape)]
            ADD
            for parent, slope in tape.parents:
                arrived[id(parent)] = arrived.get(id(parent), 0.0) + gradient * slope
"""
LOOP = "[visit(parent) for parent, _ in tape.parents]"
ADDED, TORCHS = "tape.grad += gradient", ("leaf", "requires grad")


def tape(what: str, must: tuple[str, ...], never: tuple[str, ...] = (), first: str = "", **parts: str) -> None:
    text = first + TAPE
    for name, part in {"BEGIN": "0.0", "VISIT": LOOP, "ADD": ADDED, **parts}.items():
        text = text.replace(name, part)
    TOLD.append(("16.Tape", what, must, never, text))


NONE = "the .grad of one of your objects is None, and None is not a number"
tape("grad begins as None", (NONE, ADDED), TORCHS, BEGIN="None")
tape("grad begins as None, added by hand", (NONE,), TORCHS, BEGIN="None", ADD="tape.grad = tape.grad + gradient")
DEEP = "calls are nested more deeply than Python allows"
RAISED = "setrecursionlimit(10**6)\n"
tape("recursive", (DEEP,))
tape("recursive, with a higher limit", (DEEP,), first=f"import sys\nsys.{RAISED}")
tape("recursive, with a limit raised in backward", (DEEP,), VISIT=f"import sys; sys.{RAISED}                {LOOP}")
tape(
    "recursive, with a limit raised by its own name",
    (DEEP,),
    first="from sys import setrecursionlimit\n",
    VISIT=f"{RAISED}                {LOOP}",
)
tape(
    "recursive through C code, which could end the kernel",
    (DEEP,),
    first=f"import sys\nsys.{RAISED}",
    VISIT="list(map(visit, [parent for parent, _ in tape.parents]))",
)
TOLD.append(
    (
        "11.Sigmoid",
        "a comma after the result makes a tuple of it",
        ("forward returns a tuple; it must return a tensor, without a comma after it",),
        ("is there a `return`",),
        """
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        y = 1 / (1 + torch.exp(-x))
        ctx.save_for_backward(y)
        return y,

    @staticmethod
    def backward(ctx, grad_output):
        y, = ctx.saved_tensors
        return grad_output * y * (1 - y)
""",
    )
)


# The second derivative: each cause that cuts the gradient off

NORM = "length = (x * x).sum().sqrt()\n"
for slip, kept, slope in (
    ("under no_grad", "x", "with torch.no_grad():\n    s = saved / 2\n"),
    ("detached", "x", "s = saved.detach() / 2\n"),
    ("through NumPy", "x", "s = torch.tensor(saved.detach().numpy() / 2)\n"),
    ("through .data", "x", "s = saved.data / 2\n"),
    ("computed in forward", "x / 2", "s = saved\n"),
):
    told(
        "11.Cube",
        f"the slope {slip}",
        "x",
        f"ctx.save_for_backward({kept})\nreturn x**3",
        f"(saved,) = ctx.saved_tensors\n{slope}return 12 * g * s * s",
        (
            "misses how the gradient depends on `x`: backward uses something that is a constant for autograd",
            "was it computed in forward or under no_grad, or cut off by .detach(), .data, .item() or NumPy?",
        ),
        ("because",),
    )
told(
    "11.Norm",
    "the length as a number",
    "x",
    f"{NORM}ctx.save_for_backward(x)\nctx.length = float(length)\nreturn length",
    "(x,) = ctx.saved_tensors\nreturn g * x / ctx.length",
    ("the second by `x` is wrong (the derivative of the gradient with random weights, entry [0]: yours is",),
    ("(x[0]",),
)
told(
    "15.NewtonSqrt",
    "the argument kept, not the result",
    "a",
    "ctx.a = a\nr = 1 + 0 * a\nfor _ in range(60):\n    r = (r + a / r) / 2\nreturn r",
    "return g / (2 * ctx.a.sqrt())",
    ("backward needs `a` itself",),
    ("needs a itself",),
)


# Which methods, which values, which gradient, which input

STATIC = "    @staticmethod\n"
for methods, first, second, each, never in (
    ("forward", "", STATIC, "its", ("backward must", "each")),
    ("backward", STATIC, "", "its", ("forward", "each")),
    ("forward and backward", "", "", "each", ("its",)),
):
    TOLD.append(
        (
            "10.RepairSquare",
            f"not static: {methods}",
            (f"-> {methods} must be static: put @staticmethod in the line before {each} `def`",),
            tuple(f"{words} `def`" if words in ("each", "its") else f"-> {words}" for words in never),
            f"""
class RepairSquare(Function):
{first}    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

{second}    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g
""",
        )
    )
told(
    "13.SortDescending",
    "a gradient for the places too",
    "x",
    """
    values, places = torch.sort(x, descending=True)
    ctx.save_for_backward(places)
    where = places.to(x.dtype)
    ctx.mark_non_differentiable(where)
    return values, where
    """,
    "(places,) = ctx.saved_tensors\nout = torch.zeros_like(g)\nout[places] = g\nreturn out, h",
    ("as many as forward has results; it must return one for each argument of forward (x)",),
    ("all the results contribute",),
    gradients="g, h",
)
told(
    "13.SinCos",
    "one gradient for each result",
    "x",
    "ctx.save_for_backward(x)\nreturn x.sin(), x.cos()",
    "(x,) = ctx.saved_tensors\nreturn g * x.cos() + 1, -h * x.sin()",
    ("(x), to which all the results contribute", "numerical             ", "yours (value 1 of 2)  "),
    gradients="g, h",
)
told(
    "12.Linear",
    "no place for a bias that is not there",
    "x, weight, bias",
    """
    ctx.save_for_backward(x, weight)
    ctx.biased = bias is not None
    return x @ weight.t() + (bias if ctx.biased else 0)
    """,
    """
    (x, weight), need = ctx.saved_tensors, ctx.needs_input_grad
    both = (g @ weight if need[0] else None), (g.t() @ x if need[1] else None)
    return both + ((g.sum(0) if need[2] else None),) if ctx.biased else both
    """,
    ("returns 2 values, forward takes 3 arguments", "no gradient; this happens for x of shape", "bias = None\n"),
    ("bias = None, forward",),
)
told(
    "12.MulConstant",
    "one None for two arguments",
    "x, constant",
    "ctx.set_materialize_grads(False)\nctx.constant = constant\nreturn x * constant",
    "return None if g is None else (g * ctx.constant, None)",
    ("if no gradient comes, grad_output is None: autograd does not accept what backward returns: RuntimeError",),
    ("backward raised",),
)
MATMUL = "ctx.save_for_backward(a, b)\nreturn a @ b"
MATMUL_BACK = "(a, b), (one, other) = ctx.saved_tensors, ctx.needs_input_grad\n"
told(
    "12.MatMul",
    "elif",
    "a, b",
    MATMUL,
    f"{MATMUL_BACK}if one:\n    return g @ b.t(), None\nelif other:\n    return None, a.t() @ g\nreturn None, None",
    ("None for b, which is a tensor and has a gradient, if all arguments require grad; if only b does, it returns a",),
)
told(
    "12.MatMul",
    "a factor for b only",
    "a, b",
    MATMUL,
    f"{MATMUL_BACK}return g @ b.t() if one else None, 3 * a.t() @ g if other else None",
    ("of the gradient for b: yours is", "numerical for b  ", "yours for b      "),
    ("(b[",),
)
told(
    "15.FixedPoint",
    "both gradients without the slope",
    "W, b",
    SETTLE,
    SOLVED + "v = v / slope\nreturn (torch.outer(v, x) if need[0] else None), (v + x if need[1] else None)",
    (" of the gradient for W: yours is", "; wrong for b too"),
    ("(W[",),
)
told(
    "12.BroadcastAdd",
    "the gradients as they come",
    "x, y",
    "return x + y",
    "return g.clone(), g.clone()",
    (
        "and was broadcast, so its numbers were used several times: the gradients of all uses of a number must be added up",
    ),
    ("belong together",),
)
POOL = """
n = x.shape[-1] // k
values, where = x[..., : n * k].reshape(*x.shape[:-1], n, k).max(-1)
ctx.save_for_backward(x, where)
ctx.k = k
return values
"""
told(
    "13.MaxPool1d",
    "the rest of the row is cut off",
    "x, k",
    POOL,
    """
    (x, where), k = ctx.saved_tensors, ctx.k
    n = where.shape[-1]
    out = torch.zeros_like(x[..., : n * k])
    return out.scatter(-1, where + k * torch.arange(n), g), None
    """,
    ("the shapes must be equal; this happens for x of shape (7,), k = 3",),
)
told(
    "13.MaxPool1d",
    "the places in the windows",
    "x, k",
    POOL,
    "x, where = ctx.saved_tensors\nreturn torch.zeros_like(x).scatter_(-1, where, g), None",
    ("the place in the row that gets the gradient: the beginning of its window is left out",),
    ("arrives later",),
)
told(
    "13.AddInPlace",
    "the other argument is marked",
    "x, y",
    "x += y\nctx.mark_dirty(y)\nreturn x",
    "return g, g",
    ("change x itself, mark it as dirty and return it: no other argument",),
)


# Known mistakes, in other words

told(
    "15.FixedPoint",
    "the system of a change",
    "W, b",
    SETTLE,
    """
    (W, x), need = ctx.saved_tensors, ctx.needs_input_grad
    slope = 1 - x * x
    v = slope * torch.linalg.solve(torch.eye(len(x), dtype=x.dtype) - slope.unsqueeze(1) * W, g)
    return (torch.outer(v, x) if need[0] else None), (v if need[1] else None)
    """,
    ("the system of equations: the Jacobian of a step is not transposed",),
)
told(
    "15.CholeskyFactor",
    "S as it is",
    "A",
    "L = torch.linalg.cholesky((A + A.t()) / 2)\nctx.save_for_backward(L)\nreturn L",
    """
    (L,) = ctx.saved_tensors
    P = torch.tril(L.t() @ g)
    i = torch.linalg.inv(L)
    return i.t() @ (P - torch.diag(torch.diag(P)) / 2) @ i
    """,
    ("the last step, from M to A, is missing: S itself is returned",),
)
told(
    "14.LayerNorm",
    "no eps, and only the mean on the way back",
    "x",
    """
    c = x - x.mean(-1).unsqueeze(-1)
    s = 3 * (c * c).mean(-1).unsqueeze(-1).sqrt() + 1
    ctx.save_for_backward(s)
    return c / s
    """,
    "(s,) = ctx.saved_tensors\nreturn (g - g.mean(-1).unsqueeze(-1)) / s",
    ("the gradient is wrong too, which may follow from what forward computes, or not",),
)
told(
    "14.SoftmaxCrossEntropy",
    "a small number in the logarithm",
    "logits, target",
    """
    p = (logits - logits.amax(-1).unsqueeze(-1)).exp()
    p = p / p.sum(-1).unsqueeze(-1)
    ctx.save_for_backward(p, target)
    return -(p[torch.arange(len(p)), target] + 1e-11).log().mean()
    """,
    """
    p, target = ctx.saved_tensors
    out = p.clone()
    out[torch.arange(len(p)), target] -= 1
    return g * out / len(p), None
    """,
    ("a small number under the logarithm keeps it from 0",),
    ("wanted",),
)
TOLD.append(
    (
        "16.Tape",
        "the last gradient replaces the others",
        ("its gradient is the sum of the gradients of all its uses, each of them once",),
        ("sent theirs",),
        TAPE.replace("BEGIN", "0.0").partition("    def backward")[0]
        + """    def backward(self):
        order, seen, waiting = [], set(), [(self, False)]
        while waiting:
            tape, done = waiting.pop()
            if done:
                order.append(tape)
            elif id(tape) not in seen:
                seen.add(id(tape))
                waiting += [(tape, True), *((parent, False) for parent, _ in tape.parents)]
        arrived = {id(self): 1.0}
        for tape in reversed(order):
            gradient = arrived[id(tape)]
            tape.grad += gradient
            for parent, slope in tape.parents:
                arrived[id(parent)] = gradient * slope
""",
    )
)


# Digits: those of the input suffice to compute the result that is shown

told(
    "09.Exp",
    "powers of a rounded number",
    "x",
    "y = 2.718282**x\nctx.save_for_backward(y)\nreturn y",
    "return g * ctx.saved_tensors[0]",
    ("the gradient is right, as far as it is compared, but forward is wrong", "x          [[ 0.2687001944403"),
    ("0.269",),
)
told(
    "15.FixedPoint",
    "in float32",
    "W, b",
    SETTLE.replace("zeros_like(b)", "zeros_like(b).float()")
    .replace("W @ x + b", "W.float() @ x + b.float()")
    .replace("ctx.save", "x = x.double()\nctx.save"),
    SOLVED + "return (torch.outer(v, x) if need[0] else None), (v if need[1] else None)",
    ("some values are right to only", "specified  [ 0.697404490,", "yours      [ 0.6974045", "b          [ 0.90912452"),
    ("0.909,", "0.697405,"),
)


# What is not whole is not judged: a gradient that is missing somewhere, and the second derivative after it

NOT_WHOLE = "  --    the gradient agrees with the numerical one"
SECOND = ("the second derivative misses", "FAIL  backward can be differentiated")
told(
    "14.LogSumExp",
    "grad_output does not fit the rows",
    "x",
    "ctx.save_for_backward(x)\nreturn torch.logsumexp(x, -1)",
    "(x,) = ctx.saved_tensors\nreturn g * (x - torch.logsumexp(x, -1).unsqueeze(-1)).exp()",
    ("raises an error for shape", NOT_WHOLE, "  --    backward can be differentiated"),
    SECOND,
)
told(
    "14.LogSumExp",
    "the gradient of rows has lost a dimension",
    "x",
    "ctx.save_for_backward(x)\nreturn torch.logsumexp(x, -1)",
    """
    (x,) = ctx.saved_tensors
    slope = x.softmax(-1)
    return g * slope if x.dim() == 1 else (g.unsqueeze(-1) * slope).reshape(-1)
    """,
    ("the shapes must be equal", NOT_WHOLE, "  --    backward can be differentiated"),
    SECOND,
)
told(
    "12.Linear",
    "one number for the bias",
    "x, weight, bias",
    "ctx.save_for_backward(x, weight)\nreturn x @ weight.t() + (0 if bias is None else bias)",
    """
    (x, weight), need = ctx.saved_tensors, ctx.needs_input_grad
    return (g @ weight if need[0] else None), (g.t() @ x if need[1] else None), (g.sum() if need[2] else None)
    """,
    ("the gradient for bias has shape ()", NOT_WHOLE),
)
told(
    "12.MatMul",
    "elif for a second if",
    "a, b",
    "ctx.save_for_backward(a, b)\nreturn a @ b",
    """
    (a, b), one, other = ctx.saved_tensors, None, None
    if ctx.needs_input_grad[0]:
        one = g @ b.t()
    elif ctx.needs_input_grad[1]:
        other = a.t() @ g
    return one, other
    """,
    ("backward returns None for b", NOT_WHOLE),
)


# Where one number for all rows is subtracted: backward may only read what forward has saved

BACKWARD_SUBTRACTS = ("backward subtracts", "in backward,")
SHARES = """
shifted = logits - logits.max()
e = shifted.exp()
p = e / e.sum(1).unsqueeze(1)
ctx.save_for_backward(p, target)
rows = torch.arange(len(target))
"""
SHARES_BACK = """
p, target = ctx.saved_tensors
out = p.clone()
out[torch.arange(len(target)), target] -= 1
return g * out / len(target), None
"""
told(
    "14.SoftmaxCrossEntropy",
    "one maximum, in forward alone",
    "logits, target",
    SHARES + "return -(shifted - e.sum(1).log().unsqueeze(1))[rows, target].mean()",
    SHARES_BACK,
    ("one number is subtracted from the logits of all rows",),
    (*BACKWARD_SUBTRACTS, "the gradient is what"),
)
told(
    "14.SoftmaxCrossEntropy",
    "one maximum, in what forward saves",
    "logits, target",
    SHARES + "return -logits.log_softmax(1)[rows, target].mean()",
    SHARES_BACK,
    ("in the gradient, one number is subtracted from the logits of all rows",),
    (*BACKWARD_SUBTRACTS, "forward subtracts"),
)
told(
    "14.SoftmaxCrossEntropy",
    "one maximum in what forward saves, and no mean on the way back",
    "logits, target",
    SHARES + "return -logits.log_softmax(1)[rows, target].mean()",
    SHARES_BACK.replace(" / len(target)", ""),
    (
        "in the gradient, one number is subtracted from the logits of all rows",
        "the gradient is not divided by the number of rows",
    ),
    BACKWARD_SUBTRACTS,
)
for label, result, must, never in (
    (
        "in forward alone",
        "(e.sum(-1).log() + x.max())",
        "-> one number is subtracted from the entries of all rows",
        "the gradient is what",
    ),
    (
        "in what forward saves",
        "torch.logsumexp(x, -1)",
        "-> in the gradient, one number is subtracted from the entries of all rows",
        "forward subtracts",
    ),
):
    told(
        "14.LogSumExp",
        f"one maximum, {label}",
        "x",
        f"e = (x - x.max()).exp()\nctx.save_for_backward(e)\nreturn {result}",
        "(e,) = ctx.saved_tensors\nreturn g.unsqueeze(-1) * e / e.sum(-1).unsqueeze(-1)",
        (must,),
        (*BACKWARD_SUBTRACTS, never),
    )
told(
    "14.LayerNorm",
    "another eps in what forward saves",
    "x",
    """
    c = x - x.mean(-1).unsqueeze(-1)
    variance = (c * c).mean(-1).unsqueeze(-1)
    ctx.save_for_backward(c / (variance + 0.01).sqrt(), (variance + 0.01).sqrt())
    return c / (variance + 1e-5).sqrt()
    """,
    """
    y, s = ctx.saved_tensors
    return (g - g.mean(-1).unsqueeze(-1) - y * (g * y).mean(-1).unsqueeze(-1)) / s
    """,
    ("what is added to the variance is not the eps of the statement",),
    ("backward adds",),
)
told(
    "11.AbsProduct",
    "the sign of one factor, times the other",
    "u, v",
    "ctx.save_for_backward(u, v)\nreturn (u * v).abs()",
    "u, v = ctx.saved_tensors\nreturn g * u.sign() * v, g * v.sign() * u.abs()",
    ("in the gradient for u, the sign of u is used, but the sign of u * v is needed",),
    ("decides", "the sign in the slope"),
)


# What backward returns, and what forward must return

told(
    "11.AbsProduct",
    "a tuple in a tuple",
    "u, v",
    "ctx.save_for_backward(u, v)\nreturn (u * v).abs()",
    "u, v = ctx.saved_tensors\nreturn ((g * u.sign() * v.abs(), g * v.sign() * u.abs()),)",
    ("backward returns 1 value, which is itself a tuple: return the 2 values",),
    ("None where there is no gradient",),
)
told(
    "10.RepairReciprocal",
    "two values for one argument",
    "x",
    "ctx.save_for_backward(x)\nreturn 1 / x",
    "(x,) = ctx.saved_tensors\nreturn -g / x**2, x",
    ("backward returns 2 values, forward takes 1 argument (x): one for each; ctx gets no value",),
    ("none for ctx",),
)
told(
    "15.FixedPoint",
    "a single None if W needs no gradient",
    "W, b",
    SETTLE,
    "if not ctx.needs_input_grad[0]:\n    return None\n"
    + SOLVED
    + "return torch.outer(v, x), (v if ctx.needs_input_grad[1] else None)",
    ("if only b requires grad, backward returns 1 of 2 values, and none at the place of b",),
    ("return None for arguments",),
)
told(
    "13.AddInPlace",
    "a new sum",
    "x, y",
    "ctx.mark_dirty(x)\nx = x + y\nreturn x",
    "return g, g",
    ("return it: no other argument and no new tensor",),
)


# Of a third sample

TOLD.append(
    (
        "11.AbsProduct",
        "saved for forward",
        ("only tensors that were given to `ctx.save_for_backward` are in it",),
        ("second call",),
        """\
class AbsProduct(Function):

    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_forward(u, v)
        return (u * v).abs()

    @staticmethod
    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        sign = (u * v).sign()
        return grad_output * sign * v, grad_output * sign * u
""",
    )
)
TOLD.append(
    (
        "15.FixedPoint",
        "stops after four digits",
        ("the loop ends too early for some inputs",),
        (),
        """\
class FixedPoint(Function):

    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for step in range(100):
            new = torch.tanh(W @ x + b)
            if (new - x).abs().max().item() < 1e-4:
                break
            x = new
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        d = 1 - x ** 2
        eye = torch.eye(x.shape[0], dtype=x.dtype)
        v = torch.linalg.solve((eye - d.unsqueeze(1) * W).t(), grad_output)
        grad_W = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_W = torch.outer(v * d, x)
        if ctx.needs_input_grad[1]:
            grad_b = v * d
        return grad_W, grad_b
""",
    )
)
TOLD.append(
    (
        "09.Exp",
        "forward takes ctx beside setup_context",
        ("without ctx where there is a method `setup_context`",),
        (),
        """\
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.exp(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result
""",
    )
)
