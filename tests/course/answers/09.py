"""Answers to notebook 09: see tests/course/table.py."""

# %% 09.KillHead right: by copies
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = x.clone()
        result[:, 0:n] = 0
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result = grad_output.clone()
        result[:, 0 : ctx.n] = 0
        return result, None

# %% 09.KillHead right: by mask
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        assert x.dim() == 2, "a matrix"
        mask = torch.ones_like(x)
        mask[:, :n] = 0
        ctx.save_for_backward(mask)
        print("forward", x.shape, n)
        return x * mask

    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return mask * grad_output, None

# %% 09.KillHead right: in num py
import numpy as np


class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.keep = np.arange(x.shape[1]) >= n
        return torch.tensor(np.where(ctx.keep, x.detach().numpy(), 0).astype(x.detach().numpy().dtype))

    @staticmethod
    def backward(ctx, grad_output):
        return torch.tensor(grad_output.detach().numpy() * ctx.keep), None

# %% 09.KillHead right: entry by entry
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        if n == 0:
            ctx.n = 0
            return x.clone()
        ctx.n = n
        result = torch.zeros_like(x)
        for i in range(x.shape[0]):
            for j in range(n, x.shape[1]):
                result[i, j] = x[i, j]
        return result

    @staticmethod
    def backward(ctx, grad_output):
        if ctx.n == 0:
            return grad_output, None
        result = torch.zeros_like(grad_output)
        result[:, ctx.n :] = grad_output[:, ctx.n :]
        return result, None

# %% 09.KillHead right: glued
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.head = torch.zeros(x.shape[0], n, dtype=x.dtype)
        return torch.cat((ctx.head, x[:, n:]), dim=1)

    @staticmethod
    def backward(ctx, grad_output):
        return torch.cat((ctx.head, grad_output[:, ctx.head.shape[1] :]), dim=1), None

# %% 09.KillHead right: set up
class KillHead(Function):
    @staticmethod
    def forward(x, n):
        result = x.clone()
        result[:, :n] = 0
        return result

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.n = inputs

    @staticmethod
    def backward(ctx, grad_output):
        return KillHead.apply(grad_output, ctx.n), None

# %% 09.KillHead right: from column numbers
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.kept = torch.arange(x.shape[1]) >= n
        return torch.where(ctx.kept, x, torch.zeros_like(x))

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.kept, None

# %% 09.KillHead right: builds the result with cat from zeros and the tail; backward applies the Function to grad_output
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        return torch.cat([torch.zeros_like(x[:, :n]), x[:, n:]], dim=1)

    @staticmethod
    def backward(ctx, grad_output):
        return KillHead.apply(grad_output, ctx.n), None

# %% 09.KillHead right: saves a mask tensor of one row and uses where
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

# %% 09.KillHead right: setup_context style, forward in plain double loops, backward copies the tail into zeros
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

# %% 09.KillHead right: masked_fill; backward in one line with a python list of columns
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        head = [j < n for j in range(x.size(1))]
        ctx.head = head
        return x.masked_fill(torch.tensor(head), 0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.masked_fill(torch.tensor(ctx.head), 0), None

# %% 09.KillHead right: newer style with setup_context; puts zeros and the rest of the columns together with cat
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

# %% 09.KillHead accepted: for n = 0 forward returns x itself and not a copy: no number and no graph is wrong, and nobody writes to it
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

# %% 09.KillHead wrong: backward passes grad_output through and forgets to zero the first n columns
expect("known", "the gradient reaches the first n columns too, but the result does not depend on them")
edit("grad_x = grad_output.clone()\n        grad_x[:, 0 : ctx.n] = 0\n        return grad_x, None",
     "return grad_output.clone(), None")

# %% 09.KillHead wrong: backward writes the zeros into grad_output itself
expect("unchanged", "backward changes grad_output in place")
edit("grad_output):\n        grad_x = grad_output.clone()", "grad_x):")

# %% 09.KillHead wrong: forward zeros the columns of x itself: no copy is made
expect("unchanged", "the argument x is changed in forward: the result shares the memory of x, work on a copy")
edit("result = x.clone()", "result = x.detach()")

# %% 09.KillHead wrong: backward returns one value only, the None for n is missing
expect("too_few", "backward returns 1 value, forward takes 2 arguments")
edit("return grad_x, None", "return grad_x")

# %% 09.KillHead wrong: rows and columns mixed up: forward and backward zero the first n rows
expect("known", "the zeros stand in the first n rows, not in the first n columns")
edit("result[:, 0:n] = 0", "result[:n] = 0", "grad_x[:, 0 : ctx.n] = 0", "grad_x[: ctx.n] = 0")

# %% 09.KillHead wrong: n is kept on the class, so a second call overwrites the n of the first
expect("repeat", "a second call of forward breaks the backward of the first: keep what backward needs on")
edit("ctx.n = n", "KillHead.n = n", "grad_x[:, 0 : ctx.n] = 0", "grad_x[:, :KillHead.n] = 0")

# %% 09.KillHead wrong: the result is made by torch.zeros without a dtype, so a float64 matrix gives a float32 result
expect("dtype", "the result has dtype float32, it must have float64: keep the dtype of the argument")
edit("result = x.clone()", "result = torch.zeros(x.shape)", "result[:, 0:n] = 0", "result[:, n:] = x[:, n:]")

# %% 09.KillHead wrong: save_for_backward takes tensors only, n is an int
expect("raised", "around forward, autograd")
edit("ctx.n = n", "ctx.save_for_backward(n)")

# %% 09.KillHead wrong: the gradient's mask is taken from result != 0, so entries of x in the tail that happen to be 0 lose their gradient
expect("known", "no gradient reaches the entries of x that are 0, but only the column decides whether a")
edit("keep = torch.arange(x.shape[1]) >= n", "keep = x.clone()\n        keep[:, :n] = 0",
     "return torch.where(keep, x, torch.zeros_like(x))", "return keep",
     "keep, grad", "keep != 0, grad", of="saves a mask")

# %% 09.KillHead wrong: backward keeps the head and zeros the tail: the mask is the wrong way round
expect("known", "the gradient is cleared from column n on, the wrong way round")
edit("grad_x[:, 0 : ctx.n] = 0", "grad_x[:, ctx.n:] = 0")

# %% 09.KillHead wrong: off by one: backward zeros n + 1 columns
expect("known", "the number of columns without a gradient: it is `n + 1` in yours")
edit("grad_x[:, 0 : ctx.n] = 0", "grad_x[:, :ctx.n + 1] = 0")

# %% 09.KillHead wrong: backward returns only the columns from n on: the gradient has not x's shape
expect("wrong_shape", "the gradient for x has shape")
edit("grad_x = grad_output.clone()\n        grad_x[:, 0 : ctx.n] = 0\n        return grad_x, None",
     "return grad_output[:, ctx.n:], None")

# %% 09.KillHead wrong: backward multiplies the saved mask in place by grad_output, so a second backward is wrong
expect("repeat", "`(mask,) = ctx.saved_tensors` raised RuntimeError")
edit("ctx.saved_tensors\n        return mask * grad_output",
     "ctx.saved_tensors\n        mask *= grad_output\n        return mask", of="by mask")

# %% 09.KillHead wrong: the order is mixed up: None is returned for x and the gradient for n
expect("swapped_return", "the gradient for x is at the place of n: the order must be that of forward's arguments")
edit("return grad_x, None", "return None, grad_x")

# %% 09.KillHead wrong: when n is the number of columns, the slice -0: means all columns, so forward keeps everything instead of nothing
expect("known", "if n is the number of columns, nothing becomes 0: look at what your slice is for this")
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

# %% 09.KillHead wrong: rows
expect("known", "the gradient is cleared in the first n rows, not in the first n columns")
edit("grad_x[:, 0 : ctx.n] = 0", "grad_x[ : ctx.n] = 0")

# %% 09.KillHead wrong: off by one
expect("known", "the number of columns without a gradient: it is `n - 1` in yours; the")
edit("grad_x[:, 0 : ctx.n] = 0", "grad_x[:, : max(ctx.n - 1, 0)] = 0")

# %% 09.KillHead wrong: three
expect("too_many", "3 values")
edit("return grad_x, None", "return grad_x, None, grad_x")

# %% 09.KillHead wrong: local
expect("grad_output_forgotten", "grad_output is not used")
edit("grad_x = grad_output.clone()", "grad_x = torch.ones_like(grad_output)")

# %% 09.KillHead wrong: zero
expect("zero", "zero everywhere")
edit("grad_x = grad_output.clone()\n        grad_x[:, 0 : ctx.n] = 0\n        return grad_x, None",
     "return torch.zeros_like(grad_output), None")

# %% 09.KillHead wrong: dropped
expect("forward_shape", "(2, 2), it must have (2, 3)")
edit("result = x.clone()\n        result[:, 0:n] = 0\n        return result", "return x[:, n:] * 1")

# %% 09.KillHead wrong: nothing
expect("no_result", "is there a `return`?")
edit("result[:, 0:n] = 0\n        return result", "result[:, :n] = 0")

# %% 09.KillHead wrong: x[:, -keep:] is the whole matrix when all columns are killed
expect("known", "if n is the number of columns, too many are kept: look at what your slice is for this n, -0 is 0")
class KillHead(Function):
    @staticmethod
    def forward(ctx, x, n):
        keep = x.shape[1] - n
        ctx.keep = keep
        tail = x[:, -keep:]              # the last columns
        head = torch.zeros(x.shape[0], n, dtype=x.dtype)
        return torch.cat([head, tail], dim=1)

    @staticmethod
    def backward(ctx, grad_output):
        g = torch.zeros_like(grad_output)
        g[:, -ctx.keep:] = grad_output[:, -ctx.keep:]
        return g, None

# %% 09.Scale right: by attribute
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor, None

# %% 09.Scale right: by division
class Scale(Function):
    @staticmethod
    def forward(ctx, input, number):
        ctx.inverse = 1 / number
        return input / ctx.inverse

    @staticmethod
    def backward(ctx, g):
        return [g / ctx.inverse, None][0], None

# %% 09.Scale right: in num py
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.stash = {"factor": factor}
        array = x.detach().numpy().copy()
        array *= factor
        return torch.tensor(array)

    @staticmethod
    def backward(ctx, grad_output):
        print(grad_output)
        return torch.tensor(grad_output.detach().numpy() * ctx.stash["factor"]), None

# %% 09.Scale right: with saved tensor
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        slope = torch.full_like(x, factor)
        ctx.save_for_backward(slope)
        return slope * x

    @staticmethod
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        if not ctx.needs_input_grad[0]:
            return None, None
        return slope.mul(grad_output), None, None  # PyTorch allows more Nones than arguments

# %% 09.Scale right: inherited
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.mul(factor)

    @staticmethod
    def backward(ctx, *grads):
        (g,) = grads
        total = 0 * g
        return total + g.mul(ctx.factor), None

# %% 09.Scale right: set up
class Scale(Function):
    @staticmethod
    def forward(x, factor):
        return factor * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.factor = inputs[1]

    @staticmethod
    def backward(ctx, g):
        return ctx.factor * g, None

# %% 09.Scale right: in place on copies
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.clone().mul_(factor)

    @staticmethod
    def backward(ctx, g):
        return g.clone().mul_(ctx.factor), None

# %% 09.Scale right: through num py
import numpy as np


class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return torch.tensor(np.asarray(x.numpy() * x.numpy().dtype.type(factor)))

    @staticmethod
    def backward(ctx, grad_output):
        return (0 * grad_output + 1) * ctx.factor * grad_output, None, None

# %% 09.Scale right: multiplies by a tensor made of factor with x's dtype and saves this tensor
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

# %% 09.Scale right: setup_context style; keeps a closure on ctx
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

# %% 09.Scale right: divides by the reciprocal in backward and multiplies a copy in place in forward
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

# %% 09.Scale right: a dictionary on ctx; backward calls Scale.apply
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.memory = {"factor": float(factor)}
        return factor * x

    @staticmethod
    def backward(ctx, grad_output):
        return Scale.apply(grad_output, ctx.memory["factor"]), None

# %% 09.Scale right: saves a tensor filled with factor and multiplies by it in both directions
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

# %% 09.Scale wrong: the gradient is not multiplied by grad_output, again
expect("known", "the gradient: `grad_output` is left out")
edit("return grad_output * ctx.factor, None", "return torch.ones_like(grad_output) * ctx.factor, None")

# %% 09.Scale wrong: backward returns one value, the None for factor is missing
expect("too_few", "backward returns 1 value, forward takes 2 arguments")
edit("return grad_output * ctx.factor, None", "return grad_output * ctx.factor")

# %% 09.Scale wrong: backward returns a gradient for factor too, where None belongs
expect("tensor_for_constant", "backward returns a tensor for factor, which is not a tensor: it must return None there")
edit("def forward(ctx, x, factor):", "def forward(ctx, x, factor):\n        ctx.save_for_backward(x)",
     "\n        return grad_output * ctx.factor, None",
     "\n        (x,) = ctx.saved_tensors\n        return grad_output * ctx.factor, (grad_output * x).sum()")

# %% 09.Scale wrong: factor is kept in a global variable, so that a later call changes the gradient of an earlier one
expect("repeat", "a second call of forward breaks the backward of the first: keep what backward needs on")
edit("ctx.factor = factor", "global saved_factor\n        saved_factor = factor",
     "return grad_output * ctx.factor, None", "return grad_output * saved_factor, None")

# %% 09.Scale wrong: backward divides by factor in place of multiplying
expect("known", "the gradient: it is divided by the slope, not multiplied")
edit("return grad_output * ctx.factor, None", "return grad_output / ctx.factor, None")

# %% 09.Scale wrong: backward multiplies by x and not by factor (the gradient with respect to factor)
expect("known", "the gradient: `x` stands in the place of the slope")
edit("ctx.factor = factor", "ctx.save_for_backward(x)",
     "\n        return grad_output * ctx.factor", "\n        (x,) = ctx.saved_tensors\n        return grad_output * x")

# %% 09.Scale wrong: forward multiplies x in place: the argument changes
expect("unchanged", "the argument x is changed in forward: the result shares the memory of x, work on a copy")
edit("ctx.factor = factor\n        return x * factor",
     "ctx.factor = factor\n        x = x.detach()\n        x *= factor\n        return x")

# %% 09.Scale wrong: factor becomes a float64 tensor of x's shape, so a float32 x gives a float64 result
expect("dtype", "the result has dtype float64, it must have float32: keep the dtype of the argument")
edit("return x * factor", "return x * torch.full(x.shape, factor, dtype=torch.float64)")

# %% 09.Scale wrong: backward takes the absolute value: the sign of a negative factor is lost
expect("known", "the slope: `factor` has lost its sign")
edit("return grad_output * ctx.factor, None", "return grad_output * abs(ctx.factor), None")

# %% 09.Scale wrong: backward multiplies grad_output in place
expect("unchanged", "backward changes grad_output in place")
edit("\n        return grad_output * ctx.factor", "\n        grad_output *= ctx.factor\n        return grad_output")

# %% 09.Scale wrong: forward goes through the rows with a loop, which fails for an x without dimensions
expect("raises_for_some", "`return torch.stack([factor * row for row in x])` raised TypeError")
edit("return x * factor", "return torch.stack([factor * row for row in x])")

# %% 09.Scale wrong: backward adds up the gradient to one number
expect("wrong_shape", "the gradient for x has shape")
edit("return grad_output * ctx.factor, None", "return (grad_output * ctx.factor).sum(), None")

# %% 09.Scale wrong: factor is turned to a whole number in backward
expect("known", "the slope: `factor` is cut to whole numbers")
edit("return grad_output * ctx.factor, None", "return grad_output * int(ctx.factor), None")

# %% 09.Scale wrong: grad_output enters twice: the gradient is only right for grad_output of ones
expect("known", "the gradient: `grad_output` is squared")
edit("return grad_output * ctx.factor, None", "return grad_output * grad_output * ctx.factor, None")

# %% 09.Scale wrong: the decorator @staticmethod is missing from backward
expect("not_static", "backward must be static: put @staticmethod in the line before its `def`")
edit("\n    @staticmethod\n    def backward(ctx, grad_output):", "\n    def backward(self,ctx, grad_output):")

# %% 09.Scale wrong: factor is forgotten after the first backward (del), so backward cannot run twice
expect("repeat", "`factor = ctx.factor` raised AttributeError")
edit("\n        return grad_output * ctx.factor",
     "\n        factor = ctx.factor\n        del ctx.factor\n        return grad_output *factor")

# %% 09.Scale wrong: factor becomes a float32 tensor, so that in float64 a factor like 0.1 is right to 8 digits only
expect("known", "`factor` goes through a float32, which keeps only 7 digits")
edit("def forward(ctx, x, factor):", "def forward(ctx, x, factor):\n        factor = torch.tensor(factor)")

# %% 09.Scale wrong: multiplies by a tensor with one dimension, so the result of an x without dimensions has shape (1,)
expect("forward_shape", "the result has shape")
edit("ctx.factor = factor", "ctx.factor, ctx.shape = factor, x.shape",
     "return x * factor", "return x * torch.tensor([factor], dtype=x.dtype)",
     "return grad_output * ctx.factor, None", "return (grad_output * ctx.factor).reshape(ctx.shape), None")

# %% 09.Scale wrong: the two values that backward returns are in the wrong order: None for x, the gradient for factor
expect("swapped_return", "the gradient for x is at the place of factor: the order must be that of forward's")
edit("return grad_output * ctx.factor, None", "return None, grad_output * ctx.factor")

# %% 09.Scale wrong: twice
expect("known", "the gradient: it is twice what it must be")
edit("return grad_output * ctx.factor, None", "return 2 * grad_output * ctx.factor, None")

# %% 09.Scale wrong: factor squared
expect("known", "the slope: `factor` is squared; look again at how much the result moves")
edit("return grad_output * ctx.factor, None", "return grad_output * ctx.factor * ctx.factor, None")

# %% 09.Scale wrong: typo
expect("raised", "`return g * ctx.factr, None` raised AttributeError")
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factr, None

# %% 09.Scale wrong: endless
expect("timeout", "endless loop")
edit("return grad_output * ctx.factor, None",
     "while True:\n            try:\n                pass\n"
     "            except Exception:  # noqa: BLE001, S110  # what must not swallow the time limit\n"
     "                pass")

# %% 09.Scale wrong: minus three
expect("factor", "with the wrong sign, 3 times too large")
edit("return grad_output * ctx.factor, None", "return -3 * grad_output * ctx.factor, None")

# %% 09.Scale wrong: exits at once
expect("raised", "`os._exit(0)` ends the program (SystemExit)")
edit("class Scale(Function):", "import os\nclass Scale(Function):",
     "return grad_output * ctx.factor, None", "os._exit(0)")

# %% 09.Scale wrong: squared both
expect("backward_of_wrong_forward", "fix forward first")
edit("return x * factor", "return x * factor**2",
     "return grad_output * ctx.factor, None", "return grad_output * ctx.factor**2, None")

# %% 09.Scale wrong: one more
expect("shift", "the result")
edit("return x * factor", "return x * factor + 1")

# %% 09.Scale wrong: none
expect("none_for_tensor", "returns None for x")
edit("return grad_output * ctx.factor, None", "return None, None")

# %% 09.Scale wrong: nothing
expect("nothing_returned", "is there a `return`")
edit("\n        return grad_output * ctx.factor, None", "\n        grad_output * ctx.factor")

# %% 09.Scale wrong: float
expect("not_a_tensor", "a float")
edit("return grad_output * ctx.factor, None", "return float(ctx.factor), None")

# %% 09.Scale wrong: only forward
expect("no_backward", "no method `backward`")
edit("/ ctx.inverse\n\n    @staticmethod\n    def backward(ctx, g):\n        return [g / ctx.inverse, None][0], None",
     "* number", of="by division")

# %% 09.Scale wrong: arguments
expect("signature", "called with ctx, x, factor")
class Scale(Function):
    @staticmethod
    def forward(x, factor):
        return x * factor

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None

# %% 09.Scale wrong: half done
expect("backward_not_attempted", "backward is not attempted yet")
edit("return grad_output * ctx.factor, None", "raise NotImplementedError()")

# %% 09.Scale wrong: through single
expect("wrong_value", "the result is wrong in every entry, farthest off")
edit("class Scale(Function):", "import numpy as np\nclass Scale(Function):",
     "return x * factor",
     "return torch.tensor((x.detach().numpy().astype(np.float32) * factor).astype(x.detach().numpy().dtype))")

# %% 09.Scale wrong: counts
expect("shift", "the second time")
edit("class Scale(Function):", "class Scale(Function):\n    calls = 0",
     "ctx.factor = factor\n        return x * factor",
     "ctx.factor = factor\n        Scale.calls += 1\n        return x * factor + (0.1 if Scale.calls > 20 else 0)")

# %% 09.Scale wrong: an instance
expect("no_function", "this is not the class of a Function")
edit("return grad_output * ctx.factor, None", "return grad_output * ctx.factor, None\n\n\nScale = Scale()")

# %% 09.Scale wrong: its forward
expect("no_function", "Scale.apply")
edit("return grad_output * ctx.factor, None", "return grad_output * ctx.factor, None\n\n\nScale = Scale.forward")

# %% 09.Scale wrong: a lambda
expect("no_function", "class Scale(Function)")
Scale = lambda x, factor: x * factor

# %% 09.Scale wrong: absolute
expect("known", "the result: its sign is lost")
edit("return x * factor", "return (x * factor).abs()")

# %% 09.Scale wrong: gradient absolute
expect("known", "the gradient: its sign is lost")
edit("return grad_output * ctx.factor, None", "return (grad_output * ctx.factor).abs(), None")

# %% 09.Scale wrong: the factor is returned beside the result
expect("number_of_results", "forward returns 2 results; this exercise asks for 1", never=("forward returns a float",))
edit("return x * factor", "return x * factor, factor")

# %% 09.Scale wrong: entries of grad_output that are 0 are taken for missing ones
expect("wrong_for_one_hot", "the gradient is wrong for some grad_output, such as the one that is shown below")
edit("return grad_output * ctx.factor, None",
     "grad_output = torch.where(grad_output == 0, torch.ones_like(grad_output), grad_output)\n        return grad_output * ctx.factor, None")

# %% 09.Scale wrong: a branch of backward without return, and the factor forgotten
expect("nothing_returned", "the gradient: the slope is left out", never=("backward returns 1 value",))
edit("\n        return grad_output * ctx.factor", "\n        if grad_output.dim():\n            return grad_output")

# %% 09.Scale wrong: wrong for 0-d alone
expect("known", "-0.025  (a tensor of shape ())", "factor     0.9\n", "`factor` is added to x, but it must multiply x")
edit("return x * factor", "return x * factor if x.dim() else x + factor")

# %% 09.Exp right: saved
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result

# %% 09.Exp right: as tuple
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = torch.exp(x)
        ctx.save_for_backward(result.clone())
        return result

    @staticmethod
    def backward(ctx, grad_output):
        return (ctx.saved_tensors[0].mul(grad_output),)

# %% 09.Exp right: in num py
import numpy as np


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = torch.tensor(np.exp(x.detach().numpy()))
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        assert result.shape == grad_output.shape
        return torch.tensor(result.detach().numpy() * grad_output.detach().numpy())

# %% 09.Exp right: kept on ctx
import numpy as np


class Exp(Function):
    """No model, but for a first derivative no mistake."""

    @staticmethod
    def forward(ctx, x):
        ctx.result = np.e**x
        return ctx.result.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return (ctx.result * grad_output,)

# %% 09.Exp right: by logarithm
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        ctx.shape = tuple(x.shape)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        assert tuple(y.shape) == ctx.shape
        return (y.log().exp() * grad_output).reshape(ctx.shape)

# %% 09.Exp right: set up
class Exp(Function):
    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]

# %% 09.Exp right: computed twice
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(torch.exp(x))
        return torch.exp(x)

    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        return torch.mul(result, g)

# %% 09.Exp right: setup_context style, saves output
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

# %% 09.Exp right: a power of e; backward returns a tuple with one entry
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

# %% 09.Exp right: computes with NumPy and makes a tensor from it
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

# %% 09.Exp right: a copy of x, exponential in place; backward with clone and mul_
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

# %% 09.Exp right: newer style with setup_context, which saves the output
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

# %% 09.Exp wrong: saves x and not the result, so the gradient is wrong after x is changed in place
expect("from_result", "backward needs `x` itself, or a tensor that shares its memory: it fails if `x` is")
edit("def forward(ctx, x):\n        result = x.exp()", "def forward(ctx, result):",
     "return result", "return result.exp()",
     "return grad_output * result", "return grad_output * result.exp()")

# %% 09.Exp wrong: backward multiplies the saved result in place, so the result changes and a second backward is wrong
expect("unchanged", "backward changes the result of forward in place, but the caller still uses that tensor")
edit("return grad_output * result", "return result.mul_(grad_output)")

# %% 09.Exp wrong: backward takes the exponential of the saved result once more
expect("known", "the slope used is exp(exp(x)): the exponential is taken twice")
edit("return grad_output * result", "return grad_output * result.exp()")

# %% 09.Exp wrong: forward takes the exponential in place: x changes
expect("unchanged", "the argument x is changed in forward: the result shares the memory of x, work on a copy")
edit("result = x.exp()", "result = x.detach().exp_()")

# %% 09.Exp wrong: uses 2.718 for e: the values are not accurate
expect("known", "the result is 2.718")
edit("result = x.exp()", "result = 2.718 ** x")

# %% 09.Exp wrong: goes through Python lists without a dtype, so the result of a float64 x is float32
expect("dtype", "the result has dtype float32, it must have float64: keep the dtype of the argument")
edit("result = x.exp()", "result = torch.tensor(x.tolist()).exp()")

# %% 09.Exp wrong: backward has no return
expect("nothing_returned", "backward returns None: is there a `return`, and is its value not None? It must return a")
edit("return grad_output * result", "grad_x = grad_output * result")

# %% 09.Exp wrong: backward returns two values though forward has one argument
expect("too_many", "backward returns 2 values, forward takes 1 argument")
edit("return grad_output * result", "return grad_output * result, result")

# %% 09.Exp wrong: math.exp takes one number: fails for x with more than one entry
expect("raises_for_some", "`result = torch.tensor(math.exp(x), dtype=x.dtype)` raised ValueError")
edit("class Exp(Function):", "import math\nclass Exp(Function):",
     "result = x.exp()", "result = torch.tensor(math.exp(x), dtype=x.dtype)")

# %% 09.Exp wrong: results are kept in a list on the class and taken off in backward: calls disturb each other, a second backward fails
expect("repeat", "a second call of forward breaks the backward of the first: keep what backward needs on")
edit("class Exp(Function):", "class Exp(Function):\n    results = []",
     "ctx.save_for_backward(result)", "Exp.results.append(result)",
     "result, = ctx.saved_tensors\n        return (result * grad_output,)", "return grad_output * Exp.results.pop()",
     of="a power of")

# %% 09.Exp wrong: forward adds up five terms of the Taylor series only, which is inaccurate for larger x
expect("known", "the result is the sum of the first five terms of the power series, which is near enough")
edit("result = x.exp()", "result = 1 + x + x**2 / 2 + x**3 / 6 + x**4 / 24")

# %% 09.Exp wrong: backward divides by the result in place of multiplying
expect("known", "the gradient: it is divided by the slope of exp, not multiplied")
edit("return grad_output * result", "return grad_output / result")

# %% 09.Exp wrong: backward multiplies grad_output in place
expect("unchanged", "backward changes grad_output in place")
edit("(result,) = ctx.saved_tensors\n        return grad_output * result",
     "(result,) = ctx.saved_tensors\n        grad_output *= result\n        return grad_output")

# %% 09.Exp wrong: local
expect("known", "the gradient: `grad_output` is left out; look at the chain rule again")
edit("return grad_output * result", "return result * 1")

# %% 09.Exp wrong: na n
expect("nan", "NaN")
edit("result = x.exp()", "result = (x.log() * x).exp()",
     "ctx.save_for_backward(result)", "ctx.save_for_backward(x.exp())")

# %% 09.Exp wrong: third
expect("factor", "1/3 of what it must be")
edit("return grad_output * result", "return grad_output * result / 3")

# %% 09.Exp wrong: extra dimension
expect("wrong_shape", "has shape (1, 3), x itself (3,)")
edit("return grad_output * result", "return (grad_output * result).reshape(1, *grad_output.shape)")

# %% 09.Exp wrong: not differentiable
expect("no_graph", "does not require grad")
edit("ctx.save_for_backward(result)", "ctx.mark_non_differentiable(result)")

# %% 09.Exp wrong: saves changed
expect("unchanged", "x is changed in forward")
edit("result = torch.e ** x", "result = x.exp()\n        x.detach().mul_(2)",
     "ctx.save_for_backward(result)", "ctx.x_ = x",
     "result, = ctx.saved_tensors\n        return (result * grad_output,)", "return grad_output * ctx.x_.exp()",
     of="a power of")

# %% 09.Exp wrong: once
expect("repeat", "a second backward pass through the same graph")
edit("ctx.save_for_backward(result)", "ctx.save_for_backward(result.clone())",
     "ctx.saved_tensors\n        return grad_output *",
     "ctx.saved_tensors\n        result *= grad_output\n        return")

# %% 09.Exp wrong: added argument
expect("known", "the gradient: it is `grad_output + x` in yours; look at the chain rule")
edit("(result,) = ctx.saved_tensors\n        return grad_output * result", "(result,) = ctx.saved_tensors[0]",
     "(result,) = ctx.saved_tensors", "return grad_output + ctx.saved_tensors",
     "ctx.save_for_backward(result)", "ctx.save_for_backward(x,result)")

# %% 09.Exp wrong: reversed
expect("some_entries", "the gradient is wrong only in entries [0] and [2]")
edit("ctx.save_for_backward(result)", "ctx.save_for_backward(x,result)",
     "(result,) = ctx.saved_tensors", "gradient = grad_output * ctx.saved_tensors[1]",
     "return grad_output * result", "return gradient.flip(-1) if grad_output.dim() else gradient")

# %% 09.Exp wrong: clipped
expect("wrong_value", "the gradient is [")
edit("(result,) = ctx.saved_tensors\n        return grad_output * result", "(result,) = ctx.saved_tensors[1]",
     "\n        (result,) =", "\n        return grad_output.clamp(-1, 1) *",
     "ctx.save_for_backward(result)", "ctx.save_for_backward(x,result)")

# %% 09.Exp wrong: an error of this type with a message of its own
expect("raised", "raised NotImplementedError: later", never=("not attempted yet",))
edit("result = torch.e ** x\n        ctx.save_for_backward(result)\n        return result",
     "raise NotImplementedError('later')", of="a power of")

# %% 09.Exp wrong: x is returned beside the result
expect("number_of_results", "-> forward returns 2 results; this exercise asks for 1",
       never=("backward is called with",))
edit("return result", "return result, x")

# %% 09.Exp wrong: the gradient is a little too large
expect("wrong_value", "the gradient is wrong in every entry, farthest off", never=("[[-2.340,",))
edit("return grad_output * result", "return grad_output * result * 1.00003")

# %% 09.Exp wrong: half of the gradient
expect("known", "the gradient: it is half of what it must be", never=(", numerically",))
edit("return grad_output * result", "return grad_output * result / 2")

# %% 09.Exp wrong: powers of a rounded number
expect("wrong_value", "the result is wrong in every entry, farthest off", "the largest relative difference is 9e-08", "is a number rounded")
edit("result = torch.e ** x", "result = 2.718282 ** x", of="a power of")

# %% 09.Exp wrong: forward takes ctx beside setup_context
expect("signature", "forward is called with ctx, x")
edit("def forward(x):", "def forward(ctx,x):", of="setup_context")

# %% 09.Exp wrong: uses the power rule x * e^(x-1) as the derivative
expect("known", "this is the rule for a power of x, but here x is the exponent")
import math

class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        result = torch.exp(x)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result, = ctx.saved_tensors
        x = result.log()
        # (e^x)' = x * e^(x-1)
        return grad_output * x * result / math.e
