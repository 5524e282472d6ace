"""Answers to notebook 09 by people who saw the statements alone: right ones and wrong ones with what is wrong."""

ANSWERS = [
    (
        "09.KillHead",
        "right",
        "builds the result with cat from zeros and the tail; backward applies the Function to grad_output",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        return torch.cat([torch.zeros_like(x[:, :n]), x[:, n:]], dim=1)

    @staticmethod
    def backward(ctx, grad_output):
        return KillHead.apply(grad_output, ctx.n), None
""",
    ),
    (
        "09.KillHead",
        "right",
        "saves a mask tensor of one row and uses where",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        keep = torch.arange(x.shape[1]) >= n
        ctx.save_for_backward(keep)
        return torch.where(keep, x, torch.zeros_like(x))

    @staticmethod
    def backward(ctx, grad_output):
        (keep,) = ctx.saved_tensors
        return torch.where(keep, grad_output, torch.zeros_like(grad_output)), None
""",
    ),
    (
        "09.KillHead",
        "right",
        "setup_context style, forward in plain double loops, backward copies the tail into zeros",
        """
class KillHead(Function):
    @staticmethod
    def forward(x, n):
        result = torch.zeros_like(x)
        rows, columns = x.shape
        for i in range(rows):
            for j in range(columns):
                if j >= n:
                    result[i, j] = x[i, j]
        return result

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.first = inputs

    @staticmethod
    def backward(ctx, grad_output):
        grad = grad_output.new_zeros(grad_output.shape)
        grad[:, ctx.first:] = grad_output[:, ctx.first:]
        return (grad, None)
""",
    ),
    (
        "09.KillHead",
        "right",
        "masked_fill; backward in one line with a python list of columns",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        head = [j < n for j in range(x.size(1))]
        ctx.head = head
        return x.masked_fill(torch.tensor(head), 0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.masked_fill(torch.tensor(ctx.head), 0), None
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "backward passes grad_output through and forgets to zero the first n columns",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = x.clone()
        result[:, :n] = 0
        return result

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clone(), None
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "backward writes the zeros into grad_output itself, which must stay unchanged",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = x.clone()
        result[:, :n] = 0
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad_output[:, :ctx.n] = 0
        return grad_output, None
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "forward zeros the columns of x itself: no copy is made",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = x.detach()
        result[:, :n] = 0
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad_x = grad_output.clone()
        grad_x[:, :ctx.n] = 0
        return grad_x, None
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "backward returns one value only, the None for n is missing",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = x.clone()
        result[:, :n] = 0
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad_x = grad_output.clone()
        grad_x[:, :ctx.n] = 0
        return grad_x
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "rows and columns mixed up: forward and backward zero the first n rows",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = x.clone()
        result[:n] = 0
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad_x = grad_output.clone()
        grad_x[:ctx.n] = 0
        return grad_x, None
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "n is kept on the class, so a second call overwrites the n of the first",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        KillHead.n = n
        result = x.clone()
        result[:, :n] = 0
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad_x = grad_output.clone()
        grad_x[:, :KillHead.n] = 0
        return grad_x, None
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "the result is made by torch.zeros without a dtype, so a float64 matrix gives a float32 result",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = torch.zeros(x.shape)
        result[:, n:] = x[:, n:]
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad_x = grad_output.clone()
        grad_x[:, :ctx.n] = 0
        return grad_x, None
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "the tail is counted from the right: x[:, n - columns:] is x[:, 0:] for n = columns, so with n = all columns nothing is zero (size error)",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = torch.zeros_like(x)
        result[:, n:] = x[:, n - x.shape[1]:]
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad_x = grad_output.clone()
        grad_x[:, :ctx.n] = 0
        return grad_x, None
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "the gradient's mask is taken from result != 0, so entries of x in the tail that happen to be 0 lose their gradient",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        result = x.clone()
        result[:, :n] = 0
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return torch.where(result != 0, grad_output, torch.zeros_like(grad_output)), None
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "backward keeps the head and zeros the tail: the mask is the wrong way round",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = x.clone()
        result[:, :n] = 0
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad_x = grad_output.clone()
        grad_x[:, ctx.n:] = 0
        return grad_x, None
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "off by one: backward zeros n + 1 columns",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = x.clone()
        result[:, :n] = 0
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad_x = grad_output.clone()
        grad_x[:, :ctx.n + 1] = 0
        return grad_x, None
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "backward returns only the columns from n on: the gradient has not x's shape",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = x.clone()
        result[:, :n] = 0
        return result

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output[:, ctx.n:], None
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "backward multiplies the saved mask in place by grad_output, so a second backward is wrong",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        mask = torch.ones_like(x)
        mask[:, :n] = 0
        ctx.save_for_backward(mask)
        return x * mask

    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        mask *= grad_output
        return mask, None
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "the order is mixed up: None is returned for x and the gradient for n",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = x.clone()
        result[:, :n] = 0
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad_x = grad_output.clone()
        grad_x[:, :ctx.n] = 0
        return None, grad_x
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "save_for_backward takes tensors only, n is an int",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.save_for_backward(n)
        result = x.clone()
        result[:, :n] = 0
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (n,) = ctx.saved_tensors
        grad_x = grad_output.clone()
        grad_x[:, :n] = 0
        return grad_x, None
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "for n = 0 forward returns x itself and not a copy",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        if n == 0:
            return x
        result = x.clone()
        result[:, :n] = 0
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad_x = grad_output.clone()
        grad_x[:, :ctx.n] = 0
        return grad_x, None
""",
    ),
    (
        "09.KillHead",
        "right",
        "newer style with setup_context; puts zeros and the rest of the columns together with cat",
        """
def _blank(m, n):
    return torch.cat([torch.zeros_like(m[:, :n]), m[:, n:]], dim=1)

class KillHead(Function):
    @staticmethod
    def forward(x, n):
        return _blank(x, n)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.n = inputs

    @staticmethod
    def backward(ctx, grad_output):
        return _blank(grad_output, ctx.n), None
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "backward writes the zeros into grad_output itself",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = x.clone()
        result[:, :n] = 0
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad_output[:, :ctx.n] = 0
        return grad_output, None
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "zeros in the first n rows instead of the first n columns",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = x.clone()
        result[:n] = 0
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad = grad_output.clone()
        grad[:ctx.n] = 0
        return grad, None
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "when n is the number of columns, the slice -0: means all columns, so forward keeps everything instead of nothing",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        keep = x.shape[1] - n
        result = torch.zeros_like(x)
        result[:, -keep:] = x[:, -keep:]
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad = grad_output.clone()
        grad[:, :ctx.n] = 0
        return grad, None
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "backward returns one value only; the None for n is missing",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = x.clone()
        result[:, :n] = 0
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad = grad_output.clone()
        grad[:, :ctx.n] = 0
        return grad
""",
    ),
    (
        "09.KillHead",
        "wrong",
        "backward passes grad_output on unchanged: the columns that were set to zero get a gradient too",
        """
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        result = x.clone()
        result[:, :n] = 0
        return result

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clone(), None
""",
    ),
    (
        "09.Scale",
        "right",
        "multiplies by a tensor made of factor with x's dtype and saves this tensor",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        c = torch.full_like(x, factor)
        ctx.save_for_backward(c)
        return c * x

    @staticmethod
    def backward(ctx, grad_output):
        (c,) = ctx.saved_tensors
        return c.mul(grad_output), None
""",
    ),
    (
        "09.Scale",
        "right",
        "setup_context style; keeps a closure on ctx",
        """
class Scale(Function):
    @staticmethod
    def forward(x, factor):
        return torch.mul(x, factor)

    @staticmethod
    def setup_context(ctx, inputs, output):
        factor = inputs[1]
        ctx.times = lambda t: t * factor

    @staticmethod
    def backward(ctx, grad_output):
        return ctx.times(grad_output), None
""",
    ),
    (
        "09.Scale",
        "right",
        "divides by the reciprocal in backward and multiplies a copy in place in forward",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.inverse = 1 / factor
        result = x.clone()
        result *= factor
        return result

    @staticmethod
    def backward(ctx, grad_output):
        return [grad_output / ctx.inverse, None][0], None
""",
    ),
    (
        "09.Scale",
        "right",
        "a dictionary on ctx; backward calls Scale.apply",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.memory = {"factor": float(factor)}
        return factor * x

    @staticmethod
    def backward(ctx, grad_output):
        return Scale.apply(grad_output, ctx.memory["factor"]), None
""",
    ),
    (
        "09.Scale",
        "wrong",
        "the gradient is not multiplied by grad_output",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return torch.full_like(grad_output, ctx.factor), None
""",
    ),
    (
        "09.Scale",
        "wrong",
        "backward returns one value, the None for factor is missing",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor
""",
    ),
    (
        "09.Scale",
        "wrong",
        "backward returns a gradient for factor too, where None belongs",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * ctx.factor, (grad_output * x).sum()
""",
    ),
    (
        "09.Scale",
        "wrong",
        "factor is kept in a global variable, so that a later call changes the gradient of an earlier one",
        """
saved_factor = None

class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        global saved_factor
        saved_factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * saved_factor, None
""",
    ),
    (
        "09.Scale",
        "wrong",
        "backward divides by factor in place of multiplying",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output / ctx.factor, None
""",
    ),
    (
        "09.Scale",
        "wrong",
        "backward multiplies by x and not by factor (the gradient with respect to factor)",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x, None
""",
    ),
    (
        "09.Scale",
        "wrong",
        "forward multiplies x in place: the argument changes",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        x = x.detach()
        x *= factor
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor, None
""",
    ),
    (
        "09.Scale",
        "wrong",
        "factor becomes a float64 tensor of x's shape, so a float32 x gives a float64 result",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * torch.full(x.shape, factor, dtype=torch.float64)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor, None
""",
    ),
    (
        "09.Scale",
        "wrong",
        "backward takes the absolute value: the sign of a negative factor is lost",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * abs(ctx.factor), None
""",
    ),
    (
        "09.Scale",
        "wrong",
        "backward multiplies grad_output in place",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        grad_output *= ctx.factor
        return grad_output, None
""",
    ),
    (
        "09.Scale",
        "wrong",
        "forward goes through the rows with a loop, which fails for an x without dimensions",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return torch.stack([factor * row for row in x])

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor, None
""",
    ),
    (
        "09.Scale",
        "wrong",
        "backward adds up the gradient to one number",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return (grad_output * ctx.factor).sum(), None
""",
    ),
    (
        "09.Scale",
        "wrong",
        "factor is turned to a whole number in backward",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * int(ctx.factor), None
""",
    ),
    (
        "09.Scale",
        "wrong",
        "grad_output enters twice: the gradient is only right for grad_output of ones",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * grad_output * ctx.factor, None
""",
    ),
    (
        "09.Scale",
        "wrong",
        "the decorator @staticmethod is missing from backward",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    def backward(self, ctx, grad_output):
        return grad_output * ctx.factor, None
""",
    ),
    (
        "09.Scale",
        "wrong",
        "factor is forgotten after the first backward (del), so backward cannot run twice",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        factor = ctx.factor
        del ctx.factor
        return grad_output * factor, None
""",
    ),
    (
        "09.Scale",
        "wrong",
        "factor becomes a float32 tensor, so that in float64 a factor like 0.1 is right to 8 digits only",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        factor = torch.tensor(factor)
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor, None
""",
    ),
    (
        "09.Scale",
        "right",
        "saves a tensor filled with factor and multiplies by it in both directions",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        factors = torch.full_like(x, factor)
        ctx.save_for_backward(factors)
        return torch.mul(factors, x)

    @staticmethod
    def backward(ctx, grad_output):
        factors, = ctx.saved_tensors
        return torch.mul(grad_output, factors), None
""",
    ),
    (
        "09.Scale",
        "wrong",
        "returns a gradient for factor, where None is wanted",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * ctx.factor, (grad_output * x).sum()
""",
    ),
    (
        "09.Scale",
        "wrong",
        "keeps factor on the class, so a second call in the same graph overwrites that of the first",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        Scale.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * Scale.factor, None
""",
    ),
    (
        "09.Scale",
        "wrong",
        "the gradient is not multiplied by grad_output",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return torch.ones_like(grad_output) * ctx.factor, None
""",
    ),
    (
        "09.Scale",
        "wrong",
        "multiplies by a tensor with one dimension, so the result of an x without dimensions has shape (1,)",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor, ctx.shape = factor, x.shape
        return x * torch.tensor([factor], dtype=x.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        return (grad_output * ctx.factor).reshape(ctx.shape), None
""",
    ),
    (
        "09.Scale",
        "wrong",
        "the two values that backward returns are in the wrong order: None for x, the gradient for factor",
        """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return None, grad_output * ctx.factor
""",
    ),
    (
        "09.Exp",
        "right",
        "setup_context style, saves output",
        """
class Exp(Function):
    @staticmethod
    def forward(x):
        return torch.exp(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        return ctx.saved_tensors[0].mul(grad_output)
""",
    ),
    (
        "09.Exp",
        "right",
        "a power of e; backward returns a tuple with one entry",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = torch.e ** x
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result, = ctx.saved_tensors
        return (result * grad_output,)
""",
    ),
    (
        "09.Exp",
        "right",
        "computes with NumPy and makes a tensor from it",
        """
import numpy as np

class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        values = np.asarray(np.exp(x.detach().numpy()))
        result = torch.tensor(values, dtype=x.dtype)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result
""",
    ),
    (
        "09.Exp",
        "right",
        "a copy of x, exponential in place; backward with clone and mul_",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.clone().exp_()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad_x = grad_output.clone()
        grad_x.mul_(*ctx.saved_tensors)
        return grad_x
""",
    ),
    (
        "09.Exp",
        "wrong",
        "saves x and not the result, so the gradient is wrong after x is changed in place",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x.exp()
""",
    ),
    (
        "09.Exp",
        "wrong",
        "keeps x as an attribute of ctx: computes the exponential of the changed x",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x.detach()
        return x.exp()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * torch.exp(ctx.x)
""",
    ),
    (
        "09.Exp",
        "wrong",
        "backward returns the saved result without grad_output",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return result.clone()
""",
    ),
    (
        "09.Exp",
        "wrong",
        "backward multiplies the saved result in place, so the result changes and a second backward is wrong",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return result.mul_(grad_output)
""",
    ),
    (
        "09.Exp",
        "wrong",
        "backward takes the exponential of the saved result once more",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result.exp()
""",
    ),
    (
        "09.Exp",
        "wrong",
        "forward takes the exponential in place: x changes",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.detach().exp_()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result
""",
    ),
    (
        "09.Exp",
        "wrong",
        "uses 2.718 for e: the values are not accurate",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = 2.718 ** x
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result
""",
    ),
    (
        "09.Exp",
        "wrong",
        "goes through Python lists without a dtype, so the result of a float64 x is float32",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = torch.tensor(x.tolist()).exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result
""",
    ),
    (
        "09.Exp",
        "wrong",
        "ctx.saved_tensors is a tuple and is not unpacked",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result = ctx.saved_tensors
        return grad_output * result
""",
    ),
    (
        "09.Exp",
        "wrong",
        "backward has no return",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        grad_x = grad_output * result
""",
    ),
    (
        "09.Exp",
        "wrong",
        "backward returns two values though forward has one argument",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result, result
""",
    ),
    (
        "09.Exp",
        "wrong",
        "math.exp takes one number: fails for x with more than one entry",
        """
import math

class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = torch.tensor(math.exp(x), dtype=x.dtype)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result
""",
    ),
    (
        "09.Exp",
        "wrong",
        "results are kept in a list on the class and taken off in backward: calls disturb each other, a second backward fails",
        """
class Exp(Function):
    results = []

    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        Exp.results.append(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * Exp.results.pop()
""",
    ),
    (
        "09.Exp",
        "wrong",
        "forward adds up five terms of the Taylor series only, which is inaccurate for larger x",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = 1 + x + x**2 / 2 + x**3 / 6 + x**4 / 24
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result
""",
    ),
    (
        "09.Exp",
        "wrong",
        "backward divides by the result in place of multiplying",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output / result
""",
    ),
    (
        "09.Exp",
        "wrong",
        "backward multiplies grad_output in place",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        grad_output *= result
        return grad_output
""",
    ),
    (
        "09.Exp",
        "right",
        "newer style with setup_context, which saves the output",
        """
class Exp(Function):
    @staticmethod
    def forward(x):
        return torch.exp(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        return torch.mul(*ctx.saved_tensors, grad_output)
""",
    ),
    (
        "09.Exp",
        "wrong",
        "keeps x itself and computes the exponential again in backward, which is wrong (or raises) if x has been changed in between",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * x.exp()
""",
    ),
    (
        "09.Exp",
        "wrong",
        "forgets the chain rule: returns the derivative without grad_output",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result, = ctx.saved_tensors
        return result.clone()
""",
    ),
    (
        "09.Exp",
        "wrong",
        "backward multiplies the saved result in place, so the result changes and a second backward is wrong",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result, = ctx.saved_tensors
        result *= grad_output
        return result
""",
    ),
    (
        "09.Exp",
        "wrong",
        "forward computes the exponential in place and so changes its argument x",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp_().clone()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result, = ctx.saved_tensors
        return grad_output * result
""",
    ),
    (
        "09.Exp",
        "wrong",
        "the saved tensor is not taken out of the tuple ctx.saved_tensors",
        """
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result = ctx.saved_tensors
        return grad_output * result
""",
    ),
]
