"""Answers to notebook 11 by people who saw the statements alone: right ones and wrong ones with what is wrong."""

ANSWERS = [
    (
        "11.AbsProduct",
        "right",
        "divides the saved result by u and by v",
        """
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
""",
    ),
    (
        "11.AbsProduct",
        "right",
        "setup_context, torch.where in forward and backward",
        """
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
""",
    ),
    (
        "11.AbsProduct",
        "right",
        "saves the two local slopes, computed in forward",
        """
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u.sign() * v.abs(), v.sign() * u.abs())
        return u.abs() * v.abs()

    @staticmethod
    def backward(ctx, grad_output):
        return tuple(grad_output * slope for slope in ctx.saved_tensors)
""",
    ),
    (
        "11.AbsProduct",
        "right",
        "keeps u and v as attributes of ctx, root of the square",
        """
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
""",
    ),
    (
        "11.AbsProduct",
        "right",
        "lets autograd differentiate the formula again in backward",
        """
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
""",
    ),
    (
        "11.AbsProduct",
        "wrong",
        "the two gradients are swapped: the one for v comes first",
        """
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs()

    @staticmethod
    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        s = (u * v).sign()
        return grad_output * s * u, grad_output * s * v
""",
    ),
    (
        "11.AbsProduct",
        "wrong",
        "backward forgets the absolute value: it returns the gradients of u * v, without the sign of the product",
        """
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs()

    @staticmethod
    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        return grad_output * v, grad_output * u
""",
    ),
    (
        "11.AbsProduct",
        "wrong",
        "the slopes are |v| and |u|: the sign of u (and of v) itself is missing, so the gradient is wrong where the argument is negative",
        """
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs()

    @staticmethod
    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        return grad_output * v.abs(), grad_output * u.abs()
""",
    ),
    (
        "11.AbsProduct",
        "wrong",
        "the gradient for v uses the sign of u only, it needs the sign of the product",
        """
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs()

    @staticmethod
    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        grad_u = grad_output * torch.sign(u * v) * v
        grad_v = grad_output * torch.sign(u) * u
        return grad_u, grad_v
""",
    ),
    (
        "11.AbsProduct",
        "wrong",
        "forward returns u * v, without the absolute value",
        """
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return u * v

    @staticmethod
    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        s = torch.sign(u * v)
        return grad_output * s * v, grad_output * s * u
""",
    ),
    (
        "11.AbsProduct",
        "wrong",
        "backward changes grad_output in place",
        """
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs()

    @staticmethod
    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        grad_output *= (u * v).sign()
        return grad_output * v, grad_output * u
""",
    ),
    (
        "11.AbsProduct",
        "wrong",
        "u and v are kept on the class, so a second call overwrites them",
        """
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        AbsProduct.u, AbsProduct.v = u, v
        return (u * v).abs()

    @staticmethod
    def backward(ctx, grad_output):
        u, v = AbsProduct.u, AbsProduct.v
        s = (u * v).sign()
        return grad_output * s * v, grad_output * s * u
""",
    ),
    (
        "11.AbsProduct",
        "wrong",
        "computes the dot product: the result is the absolute value of the sum, one number, not one for each entry",
        """
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).sum().abs()

    @staticmethod
    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        s = (u * v).sum().sign()
        return grad_output * s * v, grad_output * s * u
""",
    ),
    (
        "11.AbsProduct",
        "wrong",
        "forward runs over range(len(u)) and calls abs(float), so it works only for vectors",
        """
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        result = torch.zeros_like(u)
        for i in range(len(u)):
            result[i] = abs(float(u[i]) * float(v[i]))
        return result

    @staticmethod
    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        s = (u * v).sign()
        return grad_output * s * v, grad_output * s * u
""",
    ),
    (
        "11.AbsProduct",
        "wrong",
        "backward returns only one value, the sum of the two gradients; there must be one for each argument",
        """
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs()

    @staticmethod
    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        s = (u * v).sign()
        return grad_output * s * v + grad_output * s * u
""",
    ),
    (
        "11.AbsProduct",
        "wrong",
        "grad_output is missing in the gradient for v",
        """
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs()

    @staticmethod
    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        s = (u * v).sign()
        return grad_output * s * v, s * u
""",
    ),
    (
        "11.AbsProduct",
        "wrong",
        "backward is not a static method (the decorator is missing)",
        """
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs()

    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        s = (u * v).sign()
        return grad_output * s * v, grad_output * s * u
""",
    ),
    (
        "11.AbsProduct",
        "right",
        "setup_context; the result divided by each argument",
        """
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
""",
    ),
    (
        "11.AbsProduct",
        "wrong",
        "the sign of the product is forgotten: these are the gradients of u * v",
        """
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs()

    @staticmethod
    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        return grad_output * v, grad_output * u
""",
    ),
    (
        "11.AbsProduct",
        "wrong",
        "only the sign of one factor: v * sign(u) instead of v * sign(u v)",
        """
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs()

    @staticmethod
    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        return grad_output * v * u.sign(), grad_output * u * v.sign()
""",
    ),
    (
        "11.AbsProduct",
        "wrong",
        "the two gradients are returned in the wrong order",
        """
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs()

    @staticmethod
    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        sign = (u * v).sign()
        return grad_output * sign * u, grad_output * sign * v
""",
    ),
    (
        "11.AbsProduct",
        "wrong",
        "keeps u and v on the class instead of ctx, so a second call overwrites them",
        """
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        AbsProduct.saved = (u, v)
        return (u * v).abs()

    @staticmethod
    def backward(ctx, grad_output):
        u, v = AbsProduct.saved
        sign = torch.sign(u * v)
        return grad_output * sign * v, grad_output * sign * u
""",
    ),
    (
        "11.AbsProduct",
        "wrong",
        "the gradient of v is not multiplied by grad_output",
        """
class AbsProduct(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs()

    @staticmethod
    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        sign = torch.sign(u * v)
        return grad_output * sign * v, sign * u
""",
    ),
    (
        "11.Sigmoid",
        "right",
        "through tanh, slope as result minus its square",
        """
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
""",
    ),
    (
        "11.Sigmoid",
        "right",
        "setup_context saves the output, backward returns a tuple of one",
        """
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
""",
    ),
    (
        "11.Sigmoid",
        "right",
        "built in place on a new tensor; a copy of the result as attribute of ctx",
        """
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
""",
    ),
    (
        "11.Sigmoid",
        "right",
        "stable for both signs with torch.where, slope as 1/4 - (result - 1/2)^2",
        """
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
""",
    ),
    (
        "11.Sigmoid",
        "wrong",
        "saves x instead of the result: if x is changed in place after forward, backward fails",
        """
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / (1 + torch.exp(-x))

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        s = 1 / (1 + torch.exp(-x))
        return grad_output * s * (1 - s)
""",
    ),
    (
        "11.Sigmoid",
        "wrong",
        "keeps x itself as attribute of ctx: if x is changed in place after forward, the gradient is that at the new x",
        """
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad_output):
        s = torch.sigmoid(ctx.x)
        return grad_output * s * (1 - s)
""",
    ),
    (
        "11.Sigmoid",
        "wrong",
        "the slope is result * (1 - result), the factor result is forgotten",
        """
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        result = 1 / (1 + torch.exp(-x))
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * (1 - result)
""",
    ),
    (
        "11.Sigmoid",
        "wrong",
        "the minus in the exponent is missing: forward computes 1 / (1 + exp(x))",
        """
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        result = 1 / (1 + torch.exp(x))
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result * (1 - result)
""",
    ),
    (
        "11.Sigmoid",
        "wrong",
        "backward applies the sigmoid once more to the saved result",
        """
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        result = torch.sigmoid(x)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        s = torch.sigmoid(result)
        return grad_output * s * (1 - s)
""",
    ),
    (
        "11.Sigmoid",
        "wrong",
        "forward changes x in place: neg_ writes into x itself, so the caller finds -x afterwards",
        """
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        e = x.neg_().exp()
        result = 1 / (1 + e)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result * (1 - result)
""",
    ),
    (
        "11.Sigmoid",
        "wrong",
        "ctx.saved_tensors is a tuple, and it is used as if it were the tensor",
        """
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        result = 1 / (1 + torch.exp(-x))
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result = ctx.saved_tensors
        return grad_output * result * (1 - result)
""",
    ),
    (
        "11.Sigmoid",
        "wrong",
        "backward computes the gradient but does not return it",
        """
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        result = 1 / (1 + torch.exp(-x))
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        grad_x = grad_output * result * (1 - result)
""",
    ),
    (
        "11.Sigmoid",
        "wrong",
        "saves exp(-x), an intermediate value, where backward expects the result",
        """
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        result = torch.exp(-x)
        ctx.save_for_backward(result)
        return 1 / (1 + result)

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result * (1 - result)
""",
    ),
    (
        "11.Sigmoid",
        "wrong",
        "the results are kept in a global list, so calls disturb each other when backward runs in another order",
        """
saved = []

class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        result = 1 / (1 + torch.exp(-x))
        saved.append(result.clone())
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result = saved[-1]
        return grad_output * result * (1 - result)
""",
    ),
    (
        "11.Sigmoid",
        "wrong",
        "backward returns two values, but forward has only one argument",
        """
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
""",
    ),
    (
        "11.Sigmoid",
        "wrong",
        "the result is always float32, also for a float64 x",
        """
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        result = torch.sigmoid(x).float()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result * (1 - result)
""",
    ),
    (
        "11.Sigmoid",
        "right",
        "setup_context; sigmoid through tanh; result - result**2",
        """
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
""",
    ),
    (
        "11.Sigmoid",
        "wrong",
        "keeps x instead of the result: the gradient is wrong if x is changed after the forward pass",
        """
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return 1 / (1 + torch.exp(-x))

    @staticmethod
    def backward(ctx, grad_output):
        result = 1 / (1 + torch.exp(-ctx.x))
        return grad_output * result * (1 - result)
""",
    ),
    (
        "11.Sigmoid",
        "wrong",
        "the sign in the exponent is missing: 1 / (1 + exp(x))",
        """
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        result = 1 / (1 + x.exp())
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * -result * (1 - result)
""",
    ),
    (
        "11.Sigmoid",
        "wrong",
        "backward changes the saved result in place, which is the output of the Function",
        """
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        result = 1 / (1 + (-x).exp())
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        slope = result.mul_(1 - result)
        return grad_output * slope
""",
    ),
    (
        "11.Sigmoid",
        "wrong",
        "the factor result is forgotten: the slope is 1 - result",
        """
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        result = 1 / (1 + (-x).exp())
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * (1 - result)
""",
    ),
    (
        "11.Sigmoid",
        "wrong",
        "grad_output is not used",
        """
class Sigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        result = 1 / (1 + (-x).exp())
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return result * (1 - result)
""",
    ),
    (
        "11.Cube",
        "right",
        "backward calls a second Function that has its own backward",
        """
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
""",
    ),
    (
        "11.Cube",
        "right",
        "setup_context, three terms of the product rule",
        """
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
""",
    ),
    (
        "11.Cube",
        "right",
        "lets autograd differentiate x ** 3 again, with create_graph",
        """
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
""",
    ),
    (
        "11.Cube",
        "right",
        "powers with torch.square and a clone of x in forward",
        """
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
""",
    ),
    (
        "11.Cube",
        "wrong",
        "the slope is 3 * x ** 2, not 3 * x",
        """
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x
""",
    ),
    (
        "11.Cube",
        "wrong",
        "backward detaches x: the gradient is right, but it is not connected to x, so the second derivative is wrong",
        """
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        x = x.detach()
        return grad_output * 3 * x ** 2
""",
    ),
    (
        "11.Cube",
        "wrong",
        "saves the slope computed in forward, where nothing is recorded: the gradient is not connected to x",
        """
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        slope = 3 * x ** 2
        ctx.save_for_backward(slope)
        return x ** 3

    @staticmethod
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        return grad_output * slope
""",
    ),
    (
        "11.Cube",
        "wrong",
        "backward computes under no_grad, so the gradient cannot be differentiated",
        """
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        with torch.no_grad():
            return 3 * x ** 2 * grad_output
""",
    ),
    (
        "11.Cube",
        "wrong",
        "grad_output is detached: the gradient is not connected to grad_output",
        """
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 3 * x * x * grad_output.detach()
""",
    ),
    (
        "11.Cube",
        "wrong",
        "the slope is computed as 3 * result / x, which is nan where x is 0",
        """
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        result = x ** 3
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, result = ctx.saved_tensors
        return grad_output * 3 * result / x
""",
    ),
    (
        "11.Cube",
        "wrong",
        "forward multiplies by 3 instead of taking the third power",
        """
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 3 * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x ** 2
""",
    ),
    (
        "11.Cube",
        "wrong",
        "forward takes the third power as exp(3 log x), which is nan for a negative x",
        """
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.exp(3 * torch.log(x))

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x ** 2
""",
    ),
    (
        "11.Cube",
        "wrong",
        "backward goes through NumPy, which cuts the connection to x in the graph",
        """
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        slope = torch.tensor(3 * x.detach().numpy() ** 2)
        return grad_output * slope
""",
    ),
    (
        "11.Cube",
        "wrong",
        "the factor 3 of the slope is forgotten",
        """
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x * x
""",
    ),
    (
        "11.Cube",
        "wrong",
        "the powers are multiplied up by a loop that runs once too often: forward returns x ** 4",
        """
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        result = x
        for _ in range(3):
            result = result * x
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x ** 2
""",
    ),
    (
        "11.Cube",
        "wrong",
        "forward saves a copy of x, which is not connected to x, so the second derivative is wrong",
        """
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.clone())
        return x ** 3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x ** 2
""",
    ),
    (
        "11.Cube",
        "right",
        "einsum-free product rule: three equal terms added, setup_context",
        """
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
""",
    ),
    (
        "11.Cube",
        "wrong",
        "the slope is computed in forward and saved: it is not connected to x, so the second derivative is wrong",
        """
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(3 * x**2)
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        return grad_output * slope
""",
    ),
    (
        "11.Cube",
        "wrong",
        "divides the result by x: not a number where x is 0",
        """
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        result = x**3
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, result = ctx.saved_tensors
        return grad_output * 3 * result / x
""",
    ),
    (
        "11.Cube",
        "wrong",
        "grad_output is detached: the gradient is not connected to it",
        """
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output.detach() * 3 * x**2
""",
    ),
    (
        "11.Cube",
        "wrong",
        "the exponent is too small by one: 3 x instead of 3 x**2",
        """
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x
""",
    ),
    (
        "11.Cube",
        "wrong",
        "backward computes under no_grad: it cannot be differentiated",
        """
class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        with torch.no_grad():
            return grad_output * 3 * x**2
""",
    ),
    (
        "11.Norm",
        "right",
        "saves only x, computes the length again in backward",
        """
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.dot(x, x).sqrt()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x / (x ** 2).sum() ** 0.5
""",
    ),
    (
        "11.Norm",
        "right",
        "setup_context, saves input and output, multiplies by the reciprocal",
        """
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
""",
    ),
    (
        "11.Norm",
        "right",
        "length with hypot entry by entry, gradient entry by entry with stack",
        """
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
""",
    ),
    (
        "11.Norm",
        "right",
        "backward uses Norm.apply itself to get the connected length",
        """
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
""",
    ),
    (
        "11.Norm",
        "wrong",
        "the length is kept as a number with item(), so it is not connected to x and the second derivative is wrong",
        """
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        length = (x * x).sum().sqrt()
        ctx.save_for_backward(x)
        ctx.length = length.item()
        return length

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x / ctx.length
""",
    ),
    (
        "11.Norm",
        "wrong",
        "saves the sum of the squares, an intermediate tensor that is not connected to x, so the second derivative is wrong",
        """
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        total = (x * x).sum()
        ctx.save_for_backward(x, total)
        return total.sqrt()

    @staticmethod
    def backward(ctx, grad_output):
        x, total = ctx.saved_tensors
        return grad_output * x / total.sqrt()
""",
    ),
    (
        "11.Norm",
        "wrong",
        "forward forgets the root: it returns the sum of the squares",
        """
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x * x).sum()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x / (x * x).sum().sqrt()
""",
    ),
    (
        "11.Norm",
        "wrong",
        "the gradient is not divided by the length",
        """
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x * x).sum().sqrt()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x
""",
    ),
    (
        "11.Norm",
        "wrong",
        "a factor 2 too much: the 2 of the square cancels with the 1/2 of the root",
        """
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        length = (x * x).sum().sqrt()
        ctx.save_for_backward(x, length)
        return length

    @staticmethod
    def backward(ctx, grad_output):
        x, length = ctx.saved_tensors
        return grad_output * 2 * x / length
""",
    ),
    (
        "11.Norm",
        "wrong",
        "divides by the square of the length instead of the length",
        """
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        length = (x * x).sum().sqrt()
        ctx.save_for_backward(x, length)
        return length

    @staticmethod
    def backward(ctx, grad_output):
        x, length = ctx.saved_tensors
        return grad_output * x / length ** 2
""",
    ),
    (
        "11.Norm",
        "wrong",
        "the result has shape (1,), it should have no dimensions",
        """
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        length = (x * x).sum(0, keepdim=True).sqrt()
        ctx.save_for_backward(x, length)
        return length

    @staticmethod
    def backward(ctx, grad_output):
        x, length = ctx.saved_tensors
        return grad_output * x / length
""",
    ),
    (
        "11.Norm",
        "wrong",
        "takes the mean of the squares instead of the sum",
        """
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x * x).mean().sqrt()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x / (x * x).sum().sqrt()
""",
    ),
    (
        "11.Norm",
        "wrong",
        "math.sqrt and torch.tensor make a float32 result, also for a float64 x",
        """
import math

class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.tensor(math.sqrt(float((x * x).sum())))

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x / (x * x).sum().sqrt()
""",
    ),
    (
        "11.Norm",
        "wrong",
        "adds up the absolute values (the other norm) instead of the root of the sum of squares",
        """
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.abs().sum()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x / (x * x).sum().sqrt()
""",
    ),
    (
        "11.Norm",
        "wrong",
        "saves a detached copy of the length: the gradient is right, the second derivative is not",
        """
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        length = (x * x).sum().sqrt()
        ctx.save_for_backward(x, length.detach().clone())
        return length

    @staticmethod
    def backward(ctx, grad_output):
        x, length = ctx.saved_tensors
        return grad_output * x / length
""",
    ),
    (
        "11.Norm",
        "wrong",
        "the slope is taken as x / |x| entry by entry, as if the root and the square cancelled",
        """
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x ** 2).sum().sqrt()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x / (x ** 2).sqrt()
""",
    ),
    (
        "11.Norm",
        "wrong",
        "forward saves the length before x but backward unpacks x first, so the two are mixed up",
        """
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        length = (x * x).sum().sqrt()
        ctx.save_for_backward(length, x)
        return length

    @staticmethod
    def backward(ctx, grad_output):
        x, length = ctx.saved_tensors
        return grad_output * x / length
""",
    ),
    (
        "11.Norm",
        "right",
        "saves x only and computes the length again in backward, with dot and rsqrt",
        """
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.dot(x).sqrt()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return x * (grad_output * torch.rsqrt(x.dot(x)))
""",
    ),
    (
        "11.Norm",
        "wrong",
        "keeps the length as a number: the second derivative lacks the part through the length",
        """
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        length = (x**2).sum().sqrt()
        ctx.save_for_backward(x)
        ctx.length = length.item()
        return length

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x / ctx.length
""",
    ),
    (
        "11.Norm",
        "wrong",
        "saves the sum of squares, which is neither an argument nor the result: it is not connected to x, so the second derivative is wrong",
        """
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        total = (x * x).sum()
        ctx.save_for_backward(x, total)
        return total.sqrt()

    @staticmethod
    def backward(ctx, grad_output):
        x, total = ctx.saved_tensors
        return grad_output * x / total.sqrt()
""",
    ),
    (
        "11.Norm",
        "wrong",
        "the factor 1/2 of the root is forgotten: the gradient is twice as large",
        """
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        length = (x**2).sum().sqrt()
        ctx.save_for_backward(x, length)
        return length

    @staticmethod
    def backward(ctx, grad_output):
        x, length = ctx.saved_tensors
        return grad_output * 2 * x / length
""",
    ),
    (
        "11.Norm",
        "wrong",
        "keepdim: the result has one dimension instead of none",
        """
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        length = (x**2).sum(0, keepdim=True).sqrt()
        ctx.save_for_backward(x, length)
        return length

    @staticmethod
    def backward(ctx, grad_output):
        x, length = ctx.saved_tensors
        return grad_output * x / length
""",
    ),
    (
        "11.Norm",
        "wrong",
        "x is detached in backward: the second derivative lacks the part through the numerator",
        """
class Norm(Function):
    @staticmethod
    def forward(ctx, x):
        length = (x**2).sum().sqrt()
        ctx.save_for_backward(x, length)
        return length

    @staticmethod
    def backward(ctx, grad_output):
        x, length = ctx.saved_tensors
        return grad_output * x.detach() / length
""",
    ),
]
