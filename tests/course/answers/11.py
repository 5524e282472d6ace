"""Answers to notebook 11: see tests/course/table.py."""

# %% 11.AbsProduct right: by sign
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs()

    @staticmethod
    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        signed = grad_output * (u * v).sign()
        return signed * v, signed * u

# %% 11.AbsProduct right: of sizes
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        assert u.shape == v.shape
        ctx.save_for_backward(u, v)
        return u.abs() * v.abs()

    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        return g * v.abs() * u.sign(), g * u.abs() * v.sign(), None

# %% 11.AbsProduct right: once
class AbsProduct(Function):
    """Nobody asks for a second derivative here."""

    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        return g * v * (u * v).sign(), g * u * (u * v).sign()

# %% 11.AbsProduct right: with saved slopes
class AbsProduct(Function):
    """Fair where nobody asks for a second derivative."""

    @staticmethod
    def forward(ctx, u, v):
        product = u * v
        sign = torch.where(product > 0, torch.ones_like(u), -torch.ones_like(u))
        ctx.save_for_backward(sign * v, sign * u)
        print(product)
        return product * sign

    @staticmethod
    def backward(ctx, g):
        return tuple(g * slope for slope in ctx.saved_tensors)

# %% 11.AbsProduct right: in num py
import numpy as np


class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.arrays = u.detach().numpy().copy(), v.detach().numpy().copy()
        return torch.tensor(np.abs(ctx.arrays[0] * ctx.arrays[1]))

    @staticmethod
    def backward(ctx, g):
        u, v = ctx.arrays
        signed = g.detach().numpy() * np.sign(u * v)
        return torch.tensor(signed * v), torch.tensor(signed * u)

# %% 11.AbsProduct right: from the result
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        result = torch.abs(u * v)
        ctx.save_for_backward(result, u, v)
        return result

    @staticmethod
    def backward(ctx, g):
        result, u, v = ctx.saved_tensors
        return (
            g * result / u if ctx.needs_input_grad[0] else None,
            g * result / v if ctx.needs_input_grad[1] else None,
        )

# %% 11.AbsProduct right: with setup context
class AbsProduct(Function):
    """`forward` without ctx: what backward needs is kept by setup_context."""

    @staticmethod
    def forward(u, v):
        return (u * v * u * v).sqrt()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs, output)

    @staticmethod
    def backward(ctx, g):
        u, v, result = ctx.saved_tensors
        return g * u * v * v / result, g * v * u * u / result

# %% 11.AbsProduct right: by autograd
class AbsProduct(Function):
    """The engine differentiates the formula itself, inside backward."""

    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return torch.maximum(u * v, -u * v)

    @staticmethod
    def backward(ctx, g):
        with torch.enable_grad():
            u, v = (each.detach().requires_grad_() for each in ctx.saved_tensors)
            return torch.autograd.grad((u * v).abs(), (u, v), g)

# %% 11.AbsProduct right: divides the saved result by u and by v
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        result = (u * v).abs()
        ctx.save_for_backward(u, v, result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        u, v, result = ctx.saved_tensors
        return grad_output * result / u, grad_output * result / v

# %% 11.AbsProduct right: setup_context, torch.where in forward and backward
class AbsProduct(Function):
    @staticmethod
    def forward(u, v):
        p = u * v
        return torch.where(p > 0, p, -p)

    @staticmethod
    def setup_context(ctx, inputs, output):
        u, v = inputs
        ctx.save_for_backward(u, v)

    @staticmethod
    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        g = torch.where(u * v > 0, grad_output, -grad_output)
        return g * v, g * u

# %% 11.AbsProduct right: saves the two local slopes, computed in forward
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u.sign() * v.abs(), v.sign() * u.abs())
        return u.abs() * v.abs()

    @staticmethod
    def backward(ctx, grad_output):
        return tuple(grad_output * slope for slope in ctx.saved_tensors)

# %% 11.AbsProduct right: keeps u and v as attributes of ctx, root of the square
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.u = u
        ctx.v = v
        return ((u * v) ** 2).sqrt()

    @staticmethod
    def backward(ctx, grad_output):
        s = torch.sign(ctx.u * ctx.v)
        return s * grad_output * ctx.v, s * grad_output * ctx.u

# %% 11.AbsProduct right: lets autograd differentiate the formula again in backward
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return torch.maximum(u * v, -(u * v))

    @staticmethod
    def backward(ctx, grad_output):
        u, v = [t.detach().requires_grad_() for t in ctx.saved_tensors]
        with torch.enable_grad():
            y = (u * v).abs()
        return torch.autograd.grad(y, (u, v), grad_output)

# %% 11.AbsProduct right: setup_context; the result divided by each argument
class AbsProduct(Function):
    @staticmethod
    def forward(u, v):
        return u.abs() * v.abs()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs, output)

    @staticmethod
    def backward(ctx, grad_output):
        u, v, result = ctx.saved_tensors
        total = grad_output * result
        return total / u, total / v

# %% 11.AbsProduct wrong: the sign of the product is forgotten: these are the gradients of u * v
expect("known", "these are the gradients of u * v: the slope of the absolute value is missing")
edit("signed = grad_output * (u * v).sign()\n        return signed * v, signed * u",
     "return grad_output * v, grad_output * u")

# %% 11.AbsProduct wrong: one sign for the whole tensor
expect("known", "all entries get the same sign, but each product has its own")
edit("(u * v).sign()", "(u * v).sum().sign()")

# %% 11.AbsProduct wrong: the slopes are |v| and |u|: the sign of u (and of v) itself is missing
expect("known", "in the gradient for u, the slope is the absolute value of v, but |u v| also falls when",
       "in the gradient for v, the slope is the absolute value of u, but |u v| also falls when")
edit("signed = grad_output * (u * v).sign()\n        return signed * v, signed * u",
     "return grad_output * v.abs(), grad_output * u.abs()")

# %% 11.AbsProduct wrong: the gradient for v uses the sign of u only, it needs the sign of the product
expect("known", "in the gradient for v, the slope is the absolute value of u, but |u v| also falls when")
edit("return g * v * (u * v).sign(), g * u * (u * v).sign()",
     "grad_u = g * torch.sign(u * v) * v\n        grad_v = g * torch.sign(u) * u\n        return grad_u, grad_v",
     of="once")

# %% 11.AbsProduct wrong: forward returns u * v, without the absolute value
expect("known", "the result: `abs` is left out")
edit("return (u * v).abs()", "return u * v")

# %% 11.AbsProduct wrong: backward changes grad_output in place
expect("unchanged", "backward changes grad_output in place")
edit("def backward(ctx, grad_output):", "def backward(ctx, signed):",
     "signed = grad_output * (u * v).sign()", "signed *= (u * v).sign()")

# %% 11.AbsProduct wrong: computes the dot product: the result is the absolute value of the sum, one number, not one for each entry
expect("known", "the result is one number, but each entry must have its own")
edit("return (u * v).abs()", "return (u * v).sum().abs()")

# %% 11.AbsProduct wrong: forward runs over range(len(u)) and calls abs(float), so it works only for vectors
expect("raises_for_some", "forward, line 8: `for i in range(len(u))")
edit("return (u * v).abs()",
     "result = torch.zeros_like(u)\n        for i in range(len(u)):\n"
     "            result[i] = abs(float(u[i]) * float(v[i]))\n        return result")

# %% 11.AbsProduct wrong: backward returns only one value, the sum of the two gradients; there must be one for each argument
expect("too_few", "backward returns 1 value, forward takes 2 arguments")
edit("signed = grad_output * (u * v).sign()", "s = (u * v).sign()",
     "return signed * v, signed * u", "return grad_output * s * v + grad_output * s * u")

# %% 11.AbsProduct wrong: grad_output is missing in the gradient for v
expect("known", "the gradient for v: `grad_output` is left out")
edit("signed = grad_output * (u * v).sign()", "signed = (u * v).sign()",
     "return signed * v, signed * u", "return grad_output * signed * v, signed * u")

# %% 11.AbsProduct wrong: backward is not a static method (the decorator is missing)
expect("not_static", "backward must be static: put @staticmethod in the line before its `def`")
edit("\n    @staticmethod\n    def backward(ctx, grad_output):", "\n    def backward(ctx, signed):")

# %% 11.AbsProduct wrong: only the sign of one factor: v * sign(u) instead of v * sign(u v)
expect("known", "in the gradient for u, the sign of u is used, but the sign of u * v is needed",
       "in the gradient for v, the sign of v is used, but the sign of u * v is needed")
edit("return g * v * (u * v).sign(), g * u * (u * v).sign()", "return g * v * u.sign(), g * u * v.sign()", of="once")

# %% 11.AbsProduct wrong: saved in other order
expect("swapped_gradients", "the gradients for u and v have changed places")
edit("ctx.save_for_backward(u, v)", "ctx.save_for_backward(v, u)")

# %% 11.AbsProduct wrong: on class
expect("repeat", "on ctx, because each call has its own")
edit("ctx.save_for_backward(u, v)", "AbsProduct.saved = u, v",
     "ctx.saved_tensors",
     "(signed.reshape(grad_output.shape) if signed.numel() == grad_output.numel() else grad_output for signed in AbsProduct.saved)")

# %% 11.AbsProduct wrong: one abs
expect("place", "the result is wrong only where v is negative")
edit("return (u * v).abs()", "return u.abs() * v")

# %% 11.AbsProduct wrong: none for v
expect("none_for_tensor", "returns None for v")
edit("signed = grad_output * (u * v).sign()\n        return signed * v, signed * u",
     "return grad_output * (u * v).sign() * v, None")

# %% 11.AbsProduct wrong: in place
expect("unchanged", "u is changed in forward")
edit("ctx.save_for_backward(u, v)\n        return (u * v).abs()",
     "ctx.save_for_backward(u, v)\n        u *= v\n        return u.abs()")

# %% 11.AbsProduct wrong: summed
expect("some_values", "every gradient is wrong")
edit("signed = grad_output * (u * v).sign()", "signed = grad_output * (u * v).sign() * (u + v)")

# %% 11.AbsProduct wrong: the sign of one factor, times the other
expect("known", "in the gradient for u, the sign of u is used, but the sign of u * v is needed",
       never=("decides", "the sign in the slope"))
edit("return g * v * (u * v).sign(), g * u * (u * v).sign()", "return g * u.sign() * v, g * v.sign() * u.abs()",
     of="once")

# %% 11.AbsProduct wrong: a tuple in a tuple
expect("list_for_tuple", "backward returns 1 value, which is itself a tuple: return the 2 values",
       never=("None where there is no gradient",))
edit("return g * v * (u * v).sign(), g * u * (u * v).sign()",
     "return ((g * u.sign() * v.abs(), g * v.sign() * u.abs()),)", of="once")

# %% 11.AbsProduct wrong: saved for forward
expect("raised", "only tensors that were given to `ctx.save_for_backward` are in it", never=("second call",))
edit("ctx.save_for_backward(u, v)", "ctx.save_for_forward(u, v)")

# %% 11.Sigmoid right: saved
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        y = 1 / (1 + (-x).exp())
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return grad_output * y * (1 - y)

# %% 11.Sigmoid right: by tanh
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        y = (torch.tanh(x / 2) + 1) / 2
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        y = ctx.saved_tensors[0]
        return (g * (y - y**2),)

# %% 11.Sigmoid right: saved slope
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.sigmoid(x)
        slope = y * (1 - y)
        ctx.save_for_backward(slope)
        return y

    @staticmethod
    def backward(ctx, g):
        (slope,) = ctx.saved_tensors
        return slope.mul(g)

# %% 11.Sigmoid right: in num py
import numpy as np


class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.y = 1 / (1 + np.exp(-x.detach().numpy()))
        return torch.tensor(ctx.y)

    @staticmethod
    def backward(ctx, g):
        print(g)
        return torch.tensor(g.detach().numpy() * ctx.y * (1 - ctx.y))

# %% 11.Sigmoid right: with setup context
class Sigmoid(Function):
    @staticmethod
    def forward(x):
        return 0.5 + 0.5 * torch.tanh(0.5 * x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return 0.25 * g - g * (y - 0.5) ** 2

# %% 11.Sigmoid right: two tensors
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        small = torch.exp(-x)
        y = torch.ones_like(x) / (small + 1)
        ctx.save_for_backward(y, 1 - y)
        return y

    @staticmethod
    def backward(ctx, g):
        slope = g.clone()
        for each in ctx.saved_tensors:
            slope *= each
        return slope

# %% 11.Sigmoid right: through tanh, slope as result minus its square
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        result = 0.5 * (1 + torch.tanh(0.5 * x))
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * (result - result ** 2)

# %% 11.Sigmoid right: setup_context saves the output, backward returns a tuple of one
class Sigmoid(Function):
    @staticmethod
    def forward(x):
        return torch.reciprocal(1 + torch.exp(-x))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        s = ctx.saved_tensors[0]
        return (grad_output * s * (1 - s),)

# %% 11.Sigmoid right: built in place on a new tensor; a copy of the result as attribute of ctx
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        e = torch.exp(-x)
        e += 1
        e.reciprocal_()
        ctx.result = e.clone()
        return e

    @staticmethod
    def backward(ctx, grad_output):
        s = ctx.result
        g = grad_output.clone()
        g *= s
        g *= 1 - s
        return g

# %% 11.Sigmoid right: stable for both signs with torch.where, slope as 1/4 - (result - 1/2)^2
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        e = torch.exp(-x.abs())
        result = torch.where(x >= 0, 1 / (1 + e), e / (1 + e))
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result, = ctx.saved_tensors
        return (0.25 - (result - 0.5) ** 2) * grad_output

# %% 11.Sigmoid right: setup_context; sigmoid through tanh; result - result**2
class Sigmoid(Function):
    @staticmethod
    def forward(x):
        return 0.5 * torch.tanh(0.5 * x) + 0.5

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        (s,) = ctx.saved_tensors
        return grad_output * (s - s.square())

# %% 11.Sigmoid accepted: backward returns two values, but forward has only one argument: a None too many at the end is allowed, in PyTorch as well
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        result = 1 / (1 + torch.exp(-x))
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result * (1 - result), None

# %% 11.Sigmoid wrong: keeps x itself as attribute of ctx: if x is changed in place after forward, the gradient is that at the new x
expect("from_result", "backward needs `x` itself, or a tensor that shares its memory: it fails if `x` is")
edit("result = 1 / (1 + (-x).exp())\n        ctx.save_for_backward(result)\n        return result",
     "ctx.x_ = x\n        return torch.sigmoid(x)",
     "\n        (result,) = ctx.saved_tensors", "\n        result = torch.sigmoid(ctx.x_)")

# %% 11.Sigmoid wrong: the factor result is forgotten: the slope is 1 - result
expect("known", "the slope: the saved result is left out")
edit("return grad_output * result * (1 - result)", "return grad_output * (1 - result)")

# %% 11.Sigmoid wrong: the minus in the exponent is missing: forward computes 1 / (1 + exp(x))
expect("known", "the result falls, but it must rise: look at the sign in the exponent")
edit("result = 1 / (1 + (-x).exp())", "result = 1 / (1 + torch.exp(x))")

# %% 11.Sigmoid wrong: backward applies the sigmoid once more to the saved result
expect("known", "the sigmoid is applied once more to the saved result")
edit("ctx.saved_tensors\n        return grad_output * result * (1 - result",
     "ctx.saved_tensors\n        s = torch.sigmoid(result)\n        return grad_output * s * (1 - s")

# %% 11.Sigmoid wrong: forward changes x in place: neg_ writes into x itself, so the caller finds -x afterwards
expect("unchanged", "the argument x is changed in forward: work on a copy of x")
edit("def forward(ctx, x):\n        result = 1 / (1 + (-x).exp())",
     "def forward(ctx, x):\n        e = x.neg_().exp()\n        result = 1 / (1 + e)")

# %% 11.Sigmoid wrong: ctx.saved_tensors is a tuple, and it is used as if it were the tensor
expect("raised", "`return grad_output * result * (1 - result)` raised TypeError")
edit("\n        (result,)", "\n        result")

# %% 11.Sigmoid wrong: backward computes the gradient but does not return it
expect("nothing_returned", "backward returns None: is there a `return`, and is its value not None? It must return a")
edit("return grad_output * result * (1 - result)", "grad_x = grad_output * result * (1 - result)")

# %% 11.Sigmoid wrong: saves exp(-x), an intermediate value, where backward expects the result
expect("known", "backward computes with exp(-x), but the slope is a formula in the result")
edit("result = 1 / (1 + (-x).exp())", "result = torch.exp(-x)", "return result", "return 1 / (1 + result)")

# %% 11.Sigmoid wrong: the results are kept in a global list, so calls disturb each other when backward runs in another order
expect("repeat", "a second call of forward breaks the backward of the first: keep what backward needs on")
edit("class Sigmoid(Function):", "saved = []\nclass Sigmoid(Function):",
     "+ (-x).exp())\n        ctx.save_for_backward(result", "+ torch.exp(-x))\n        saved.append(result.clone()",
     "\n        (result,) = ctx.saved_tensors", "\n        result = saved[-1]")

# %% 11.Sigmoid wrong: the result is always float32, also for a float64 x
expect("dtype", "the result has dtype float32, it must have float64: keep the dtype of the argument")
edit("result = 1 / (1 + (-x).exp())", "result = torch.sigmoid(x).float()")

# %% 11.Sigmoid wrong: the sign in the exponent is missing: 1 / (1 + exp(x))
expect("known", "the result falls, but it must rise: look at the sign in the exponent")
edit("result = 1 / (1 + (-x).exp())", "result = 1 / (1 + x.exp())",
     "return grad_output * result * (1 - result)", "return grad_output * - result * (1 - result)")

# %% 11.Sigmoid wrong: backward changes the saved result in place, which is the output of the Function
expect("unchanged", "backward changes the result of forward in place, but the caller still uses that tensor")
edit("return grad_output * result * (1 - result)",
     "slope = result.mul_(1 - result)\n        return grad_output * slope")

# %% 11.Sigmoid wrong: grad_output is not used
expect("known", "the gradient: `grad_output` is left out")
edit("return grad_output * result * (1 - result)", "return result * (1 - result)")

# %% 11.Sigmoid wrong: Operator precedence in forward: 1 / 1 + exp(-x) is 1 + exp(-x), not the sigmoid. The formula in backward, result *
expect("known", "the result is 1 + exp(-x): are there parentheses missing?")
edit("result = 1 / (1 + (-x).exp())", "result = 1 / 1 + torch.exp(-x)")

# %% 11.Sigmoid wrong: Missing parentheses in backward: result * 1 - result is 0, so the gradient is always zero
expect("known", "the slope is 0 everywhere: are there parentheses missing?")
edit("return grad_output * result * (1 - result)", "return grad_output * (result *1 - result)")

# %% 11.Sigmoid wrong: tanh slope
expect("known", "the slope of tanh")
edit("return grad_output * result * (1 - result)", "return grad_output * (1 - result * result)")

# %% 11.Sigmoid wrong: passes on
expect("known", "the gradient: the slope is left out")
edit("\n        (result,) = ctx.saved_tensors\n        return grad_output * result * (1 - result",
     "\n        return grad_output.clone(")

# %% 11.Sigmoid wrong: parentheses square
expect("wrong_value", "the gradient is [")
edit("return grad_output * result * (1 - result)", "return grad_output * result - result * result")

# %% 11.Sigmoid wrong: times x
expect("known", "the gradient: it is also multiplied by `x`")
edit("ctx.save_for_backward(y)", "ctx.save_for_backward(x,y)",
     "(y,) = ctx.saved_tensors", "x, y = ctx.saved_tensors",
     "return grad_output * y * (1 - y)", "return grad_output * y * (1 - y) * x", of="saved")

# %% 11.Sigmoid wrong: a branch without return, and tanh
expect("no_result", "forward returns nothing", "the result is tanh x, which goes from -1 to 1")
edit("result = 1 / (1 + (-x).exp())", "result = torch.tanh(x)",
     "ctx.save_for_backward(result)\n        return result",
     "ctx.save_for_backward(result)\n        if x.dim():\n            return result",
     "return grad_output * result * (1 - result)", "return grad_output * (1 - result * result)")

# %% 11.Sigmoid wrong: a comma after the result makes a tuple of it
expect("no_result", "forward returns a tuple; it must return a tensor, without a comma after it",
       never=("is there a `return`",))
edit("return result", "return result,")

# %% 11.Cube right: saved
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 3 * grad_output * x**2

# %% 11.Cube right: by products
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        assert x.dtype in (torch.float64, torch.float32)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        x = ctx.saved_tensors[0]
        print(x.shape)
        return g * x * x + g * x * x + (x * g).mul(x)

# %% 11.Cube right: through another function
class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.tensor(x.detach().numpy() ** 3)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * g * Square.apply(x)

# %% 11.Cube right: kept on ctx
class Cube(Function):
    """No model, but x is the argument itself, so that it keeps its place in the graph."""

    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        return 3 * ctx.x**2 * g

# %% 11.Cube right: with setup context
class Cube(Function):
    @staticmethod
    def forward(x):
        return torch.pow(x, 3)

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return torch.mul(x.square(), 3 * g)

# %% 11.Cube right: by autograd
class Cube(Function):
    """The inner pass keeps its own graph, down to the saved x."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            inner = x if x.requires_grad else x.detach().requires_grad_()
            return torch.autograd.grad(inner * inner * inner, inner, g, create_graph=True)[0]

# %% 11.Cube right: backward calls a second Function that has its own backward
class CubeGrad(Function):
    @staticmethod
    def forward(ctx, x, g):
        ctx.save_for_backward(x, g)
        return 3 * x * x * g

    @staticmethod
    def backward(ctx, gg):
        x, g = ctx.saved_tensors
        return 6 * x * g * gg, 3 * x * x * gg

class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.pow(3)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return CubeGrad.apply(x, grad_output)

# %% 11.Cube right: setup_context, three terms of the product rule
class Cube(Function):
    @staticmethod
    def forward(x):
        return x * x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        total = grad_output * x * x
        total = total + x * grad_output * x
        total = total + x * x * grad_output
        return (total,)

# %% 11.Cube right: lets autograd differentiate x ** 3 again, with create_graph
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            y = x ** 3
            (g,) = torch.autograd.grad(y, x, grad_output, create_graph=True)
        return g

# %% 11.Cube right: powers with torch.square and a clone of x in forward
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        result = x.clone()
        result *= x
        result *= x
        return result

    @staticmethod
    def backward(ctx, grad_output):
        return torch.square(ctx.saved_tensors[0]).mul(3).mul(grad_output)

# %% 11.Cube right: einsum-free product rule: three equal terms added, setup_context
class Cube(Function):
    @staticmethod
    def forward(x):
        return x * x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return sum(grad_output * x * x for _ in range(3))

# %% 11.Cube wrong: the exponent is too small by one: 3 x instead of 3 x**2
expect("known", "the slope changes its sign with x, but x * x * x rises on both sides of 0")
edit("return grad_output * 3 * x**2", "return grad_output * 3 * x")

# %% 11.Cube wrong: backward computes under no_grad, so the gradient cannot be differentiated
expect("double_backward", "the gradient does not have a graph, so it cannot be differentiated: somewhere in")
edit("(x,) = ctx.saved_tensors\n        return grad_output * 3 * x**2",
     "(x,) = ctx.saved_tensors\n        with torch.no_grad():\n            return 3 * x ** 2 * grad_output")

# %% 11.Cube wrong: grad_output is detached: the gradient is not connected to it
expect("double_backward", "the first derivative is right, the second by `grad_output` is wrong")
edit("return grad_output * 3 * x**2", "return grad_output.detach() * 3 * x**2")

# %% 11.Cube wrong: forward takes the third power as exp(3 log x), which is nan for a negative x
expect("nan", "the result has NaN in entries [1] and [2] (at the first of them x")
edit("return x**3", "return torch.exp(3 * torch.log(x))")

# %% 11.Cube wrong: forward multiplies by 3 instead of taking the third power
expect("known", "the result: it is multiplied by the exponent")
edit("return x**3", "return 3 * x")

# %% 11.Cube wrong: the factor 3 of the slope is forgotten
expect("known", "the slope: 3 is left out")
edit("return grad_output * 3 * x**2", "return grad_output * x * x")

# %% 11.Cube wrong: the powers are multiplied up by a loop that runs once too often: forward returns x ** 4
expect("known", "the result is a product with one factor x too many")
edit("ctx.save_for_backward(x)\n        return x**3",
     "ctx.save_for_backward(x)\n        result = x\n        for _ in range(3):\n            result = result * x\n"
     "        return result")

# %% 11.Cube wrong: once
expect("double_backward", "differentiating backward")
edit("\n\n    @staticmethod", "\n    @staticmethod\n    @torch.autograd.function.once_differentiable", of="saved")

# %% 11.Cube wrong: saves a number
expect("raised", "save_for_backward")
edit("ctx.save_for_backward(x)", "ctx.save_for_backward(x, 3)")

# %% 11.Cube wrong: times result
expect("wrong_value", "the gradient is [")
edit("return grad_output * 3 * x**2", "return grad_output * x * x * x")

# %% 11.Cube wrong: is triple
expect("backward_of_wrong_forward", "fix forward first")
edit("return x * x * x", "return 3 * x", "return 3 * ctx.x**2 * g", "return 3 * g", of="kept on ctx")

# %% 11.Cube wrong: sign kept
expect("some_entries", "the gradient is wrong only in entries [1] and [2]")
edit("return 3 * grad_output * x**2", "return 3 * grad_output * x* x.abs()", of="saved")

# %% 11.Cube wrong: the slope under no_grad
expect(
    "double_backward",
    "misses how the gradient depends on `x`: backward uses something that is a constant for autograd",
    "was it computed in forward or under no_grad, or cut off by .detach(), .data, .item() or NumPy?",
    never=("because",),
)
edit("(x,) = ctx.saved_tensors\n        return grad_output * 3 * x**2",
     "(x,) = ctx.saved_tensors\n        with torch.no_grad():\n            s = saved / 2\n"
     "        return 12 * grad_output * s * s",
     "(x,) = ctx.saved_tensors", "(saved,) = ctx.saved_tensors")

# %% 11.Norm right: from both
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        result = (x * x).sum().sqrt()
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, result = ctx.saved_tensors
        return grad_output * x / result

# %% 11.Norm right: computed again
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.norm()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x / x.norm())

# %% 11.Norm right: by dot
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        assert x.dim() == 1
        ctx.save_for_backward(x)
        return x.dot(x) ** 0.5

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 0.5 * g * x.dot(x) ** -0.5 * 2 * x

# %% 11.Norm right: entry by entry
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        total = 0
        for entry in x:
            total = total + entry * entry
        return total**0.5

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        length = (x**2).sum() ** 0.5
        print("length", length.item())
        return torch.stack([g * entry / length for entry in x])

# %% 11.Norm right: kept on ctx
class Norm(Function):
    """No model: the result itself is kept, which makes a knot, but it has its place in the graph."""

    @staticmethod
    def forward(ctx, x):
        ctx.x, ctx.result = x, (x**2).sum() ** 0.5
        return ctx.result

    @staticmethod
    def backward(ctx, g):
        return ctx.x * (g / ctx.result)

# %% 11.Norm right: with setup context
class Norm(Function):
    @staticmethod
    def forward(x):
        return torch.sqrt(torch.sum(x**2))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], output)

    @staticmethod
    def backward(ctx, g):
        x, length = ctx.saved_tensors
        return x * (length**-1 * g)

# %% 11.Norm right: scaled
class Norm(Function):
    """First divided by the largest entry, as libraries do."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        largest = x.abs().max()
        return largest * ((x / largest) ** 2).sum().sqrt()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return torch.stack([g * entry for entry in x * (x @ x) ** -0.5])

# %% 11.Norm right: saves only x, computes the length again in backward
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.dot(x, x).sqrt()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x / (x ** 2).sum() ** 0.5

# %% 11.Norm right: setup_context, saves input and output, multiplies by the reciprocal
class Norm(Function):
    @staticmethod
    def forward(x):
        return x.norm()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output, inputs[0])

    @staticmethod
    def backward(ctx, grad_output):
        length, x = ctx.saved_tensors
        return (length.reciprocal() * grad_output) * x

# %% 11.Norm right: length with hypot entry by entry, gradient entry by entry with stack
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        length = x[0].abs()
        for i in range(1, len(x)):
            length = torch.hypot(length, x[i])
        ctx.save_for_backward(x, length)
        return length

    @staticmethod
    def backward(ctx, grad_output):
        x, length = ctx.saved_tensors
        return torch.stack([grad_output * entry / length for entry in x])

# %% 11.Norm right: backward uses Norm.apply itself to get the connected length
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        biggest = x.abs().max()
        return biggest * ((x / biggest) ** 2).sum().sqrt()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return x * (grad_output / Norm.apply(x)),

# %% 11.Norm right: saves x only and computes the length again in backward, with dot and rsqrt
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.dot(x).sqrt()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return x * (grad_output * torch.rsqrt(x.dot(x)))

# %% 11.Norm wrong: forward forgets the root: it returns the sum of the squares
expect("known", "the length: `sqrt` is left out")
edit("return x.norm()", "return (x * x).sum()", of="computed")

# %% 11.Norm wrong: a factor 2 too much: the 2 of the square cancels with the 1/2 of the root
expect("known", "the slope of the root: 2 is left out")
edit("return grad_output * x / result", "return grad_output * 2 * x / result")

# %% 11.Norm wrong: divides by the square of the length instead of the length
expect("known", "the length in backward: `sqrt` is left out")
edit("return grad_output * x / result", "return grad_output * x / result ** 2")

# %% 11.Norm wrong: keepdim: the result has one dimension instead of none
expect("known", "the number is right, but it is the entry of a vector: it must have no dimensions")
edit("result = (x * x).sum().sqrt()", "result = (x **2).sum(0, keepdim=True).sqrt()")

# %% 11.Norm wrong: takes the mean of the squares instead of the sum
expect("known", "the sum of the squares: this is the mean, but it must be the sum")
edit("return torch.dot(x, x).sqrt()", "return (x * x).mean().sqrt()", of="saves only")

# %% 11.Norm wrong: math.sqrt and torch.tensor make a float32 result, also for a float64 x
expect("dtype", "the result has dtype float32, it must have float64: keep the dtype of the argument")
edit("class Norm(Function):", "import math\nclass Norm(Function):",
     "return x.norm()", "return torch.tensor(math.sqrt(float((x * x).sum())))", of="computed")

# %% 11.Norm wrong: adds up the absolute values (the other norm) instead of the root of the sum of squares
expect("known", "the result is the sum of the absolute values, but the length is a root")
edit("return x.norm()", "return x.abs().sum()", of="computed")

# %% 11.Norm wrong: the slope is taken as x / |x| entry by entry, as if the root and the square cancelled
expect("known", "the length in backward: the sum is left out")
edit("return grad_output * x / (x ** 2).sum() ** 0.5", "return grad_output * x / (x ** 2).sqrt()", of="saves only")

# %% 11.Norm wrong: forward saves the length before x but backward unpacks x first, so the two are mixed up
expect("known", "the fraction is upside down: the length is divided by x")
edit("ctx.save_for_backward(x, result)", "ctx.save_for_backward(result, x)")

# %% 11.Norm wrong: forward adds 1e-8 under the root, so the length differs from the true one in about the eighth or ninth digit
expect("known", "1e-8")
edit("result = (x * x).sum().sqrt()", "result = ((x * x).sum() + 1e-8).sqrt()")

# %% 11.Norm wrong: not divided
expect("known", "the slope of the root: the length in backward is left out")
edit("return grad_output * x / result", "return grad_output * x")

# %% 11.Norm wrong: saved direction
expect("double_backward", "misses how the gradient depends on `x`")
edit("ctx.save_for_backward(x, result)", "ctx.save_for_backward(x/ result)",
     "x, result = ctx.saved_tensors", "(direction,) = ctx.saved_tensors",
     "return grad_output * x / result", "return grad_output * direction")

# %% 11.Norm wrong: all numbers
expect("double_backward", ".item()")
edit("return grad_output * x / result",
     "return torch.tensor([grad_output.item() * entry / result.item() for entry in x.tolist()], dtype=x.dtype)")

# %% 11.Norm wrong: once
expect("double_backward", "differentiating backward")
edit("result\n\n    @staticmethod", "result\n    @staticmethod\n    @torch.autograd.function.once_differentiable")

# %% 11.Norm wrong: inner lost
expect("known", "the gradient: the slope of the squares is left out (the gradient has shape (), not (2,))")
edit("return grad_output * x / result", "return grad_output / (2 * result)")

# %% 11.Norm wrong: root only
expect("wrong_value", "the gradient is [")
edit("return grad_output * x / result", "return grad_output / (2 * result) * torch.ones_like(x)")

# %% 11.Norm wrong: is a number
expect("no_result", "a float")
edit("class Norm(Function):", "import numpy as np\nclass Norm(Function):",
     "return x.norm()", "return float(np.sqrt((x.detach().numpy() ** 2).sum()))", of="computed")

# %% 11.Norm wrong: the length as a number
expect(
    "double_backward",
    "the second by `x` is wrong (the derivative of the gradient with random weights, entry [0]: yours is",
    never=("(x[0]",),
)
edit("ctx.save_for_backward(x, result)", "ctx.save_for_backward(x)\n        ctx.length = float( result)",
     "\n        x, result", "\n        (x,)",
     "return grad_output * x / result", "return grad_output * x / ctx.length")
