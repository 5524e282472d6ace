"""Answers to notebook 12: see tests/course/table.py."""

# %% 12.Linear right: asked one by one
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        result = x @ weight.t()
        return result if bias is None else result + bias

    @staticmethod
    def backward(ctx, grad_output):
        x, weight, bias = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t() @ x
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_x, grad_weight, grad_bias

# %% 12.Linear right: with default
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias=None):
        ctx.save_for_backward(x, weight)
        assert x.shape[1] == weight.shape[1]
        result = x.mm(weight.t())
        if bias is not None:
            result += bias.unsqueeze(0).expand_as(result)
        return result

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        needs = ctx.needs_input_grad
        return (
            g.mm(weight) if needs[0] else None,
            x.t().mm(g).t() if needs[1] else None,
            g.t().sum(1) if needs[2] else None,
            None,
        )

# %% 12.Linear right: in num py
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.x, ctx.weight = x.detach().numpy().copy(), weight.detach().numpy().copy()
        added = 0 if bias is None else bias.detach().numpy()
        return torch.tensor(ctx.x @ ctx.weight.T + added)

    @staticmethod
    def backward(ctx, grad_output):
        g = grad_output.detach().numpy()
        print(ctx.needs_input_grad)
        slopes = [lambda: g @ ctx.weight, lambda: g.T @ ctx.x, lambda: g.sum(axis=0)]
        return tuple(
            torch.tensor(slope()) if needed else None
            for slope, needed in zip(slopes, ctx.needs_input_grad, strict=True)
        )

# %% 12.Linear right: by ones
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        saved = [x if ctx.needs_input_grad[1] else None, weight if ctx.needs_input_grad[0] else None]
        ctx.save_for_backward(*saved)
        return torch.stack([(weight * row).sum(1) + (0 if bias is None else bias) for row in x])

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        ones = torch.ones(g.shape[0], dtype=g.dtype)
        gradients = [None, None, None]
        if weight is not None:
            gradients[0] = g @ weight
        if x is not None:
            gradients[1] = g.t() @ x
        if ctx.needs_input_grad[2]:
            gradients[2] = ones @ g
        return tuple(gradients)

# %% 12.Linear right: with setup context
class Linear(Function):
    @staticmethod
    def forward(x, weight, bias):
        return torch.stack([weight @ row for row in x]) if bias is None else x @ weight.T + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, weight, _bias = inputs
        ctx.save_for_backward(x, weight)

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        products = (lambda: g @ weight, lambda: (x.T @ g).T, lambda: (g * 1).sum(dim=0))
        asked = zip(ctx.needs_input_grad, products, strict=True)
        return tuple(product() if needed else None for needed, product in asked)

# %% 12.Linear right: by outer products
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        result = (x.unsqueeze(1) * weight).sum(-1)
        return result if bias is None else bias + result

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        grads = [None] * 3
        if ctx.needs_input_grad[0]:
            grads[0] = (g.unsqueeze(2) * weight).sum(1)
        if ctx.needs_input_grad[1]:
            grads[1] = (g.unsqueeze(2) * x.unsqueeze(1)).sum(0)
        if ctx.needs_input_grad[2]:
            grads[2] = sum(row for row in g)
        return tuple(grads)

# %% 12.Linear right: saves None with the tensors, adds the bias in place on its own result
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        result = torch.mm(x, weight.t())
        if bias is not None:
            result += bias
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, weight, bias = ctx.saved_tensors
        grads = [None, None, None]
        if ctx.needs_input_grad[0]:
            grads[0] = grad_output @ weight
        if ctx.needs_input_grad[1]:
            grads[1] = grad_output.t() @ x
        if bias is not None and ctx.needs_input_grad[2]:
            grads[2] = grad_output.sum(0)
        return tuple(grads)

# %% 12.Linear right: einsum and setup_context, conditional expressions
class Linear(Function):
    @staticmethod
    def forward(x, weight, bias):
        result = torch.einsum('nk,mk->nm', x, weight)
        return result if bias is None else result + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, weight, _ = inputs
        ctx.save_for_backward(x, weight)

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        want_x, want_w, want_b = ctx.needs_input_grad
        return (torch.einsum('nm,mk->nk', grad_output, weight) if want_x else None,
                torch.einsum('nm,nk->mk', grad_output, x) if want_w else None,
                torch.einsum('nm->m', grad_output) if want_b else None)

# %% 12.Linear right: saves only what the wanted gradients need; the other way round: (weight @ x.t()).t()
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        need = ctx.needs_input_grad
        ctx.save_for_backward(x if need[1] else None, weight if need[0] else None)
        result = (weight @ x.t()).t()
        if bias is not None:
            result = result + bias.reshape(1, -1)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if weight is not None:
            grad_x = (weight.t() @ grad_output.t()).t()
        if x is not None:
            grad_weight = (x.t() @ grad_output).t()
        if ctx.needs_input_grad[2]:
            ones = torch.ones(grad_output.shape[0], dtype=grad_output.dtype)
            grad_bias = ones @ grad_output
        return grad_x, grad_weight, grad_bias

# %% 12.Linear right: setup_context, einsum, and a list of three gradients that starts with None
class Linear(Function):
    @staticmethod
    def forward(x, weight, bias):
        result = torch.einsum("nk,mk->nm", x, weight)
        return result if bias is None else result + bias.unsqueeze(0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], inputs[1])

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        rules = [lambda: torch.einsum("nm,mk->nk", grad_output, weight),
                 lambda: torch.einsum("nm,nk->mk", grad_output, x),
                 lambda: torch.einsum("nm->m", grad_output)]
        return tuple(rule() if need else None for rule, need in zip(rules, ctx.needs_input_grad))

# %% 12.Linear wrong: the gradient of bias is summed along the wrong dimension (over the columns)
expect("known", "the gradient for bias has shape")
edit("grad_bias = grad_output.sum(0)", "grad_bias = grad_output.sum(1)")

# %% 12.Linear wrong: the gradient of bias is the mean over the rows, it should be the sum
expect("known", "the gradient for bias: this is the mean, but it must be the sum")
edit("grad_bias = grad_output.sum(0)", "grad_bias = grad_output.mean(0)")

# %% 12.Linear wrong: the gradient of weight is transposed: it has shape (k, m), weight has (m, k)
expect("known", "the gradient for weight: it is transposed (the gradient for weight has shape (3, 4), not (4, 3))")
edit("grad_weight = grad_output.t() @ x", "grad_weight = x.t() @ grad_output")

# %% 12.Linear wrong: the gradient of bias is computed whenever there is a bias, also if needs_input_grad does not ask for it
expect("needs_input_grad", "backward returns a tensor for bias although only x requires grad")
edit("if bias is not None and ctx.needs_input_grad[2]:", "if bias is not None:", of="asked one")

# %% 12.Linear wrong: `if bias:` asks for the truth value of a tensor, which fails for more than one entry; `is not None` is meant
expect("raises_for_some", "`if bias:` raised RuntimeError")
edit("if bias is not None:", "if bias:")

# %% 12.Linear wrong: elif instead of if: only the first wanted gradient is computed, the others stay None
expect("none_for_tensor", "backward returns None for weight, which is a tensor and has a gradient, if all")
edit("if ctx.needs_input_grad[1]:", "elif ctx.needs_input_grad[1]:")

# %% 12.Linear wrong: forward multiplies by weight, not by weight.t()
expect("raises_for_some", "`result = x @ weight` raised RuntimeError")
edit("result = x @ weight.t()", "result = x @ weight")

# %% 12.Linear wrong: bias is added to each column (entry i to row i) instead of to each row
expect("raises_for_some", "the bias is added to each column, not to each row")
edit("result = result + bias", "result = result + bias.unsqueeze(1)")

# %% 12.Linear wrong: the questions for x and weight are mixed up: computes the gradient of x if weight needs one
expect("asked_not_given", "if only x requires grad, backward returns no gradient for it: which entry of")
edit("if ctx.needs_input_grad[0]:", "if ctx.needs_input_grad[1]:")

# %% 12.Linear wrong: the gradient of weight is reshaped instead of transposed: the entries are in the wrong places
expect("known", "the gradient for weight: it is read in another order, as by a reshape")
edit("grad_weight = grad_output.t() @ x", "grad_weight = (x.t() @ grad_output).reshape(weight.shape)")

# %% 12.Linear wrong: bias ones
expect("grad_output_forgotten", "is not used for bias")
edit("grad_weight, grad_bias", "grad_weight, None if grad_bias is None else torch.ones_like(grad_output).sum(0)")

# %% 12.Linear wrong: swapped
expect("swapped_gradients", "x and weight have changed places")
def linear_gradients(ctx, g):
    x, weight, _ = ctx.saved_tensors
    needs = ctx.needs_input_grad
    return (g @ weight if needs[0] else None, g.t() @ x if needs[1] else None, g.sum(0) if needs[2] else None)


class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        result = x @ weight.t()
        return result if bias is None else result + bias

    @staticmethod
    def backward(ctx, g):
        grad_x, grad_weight, grad_bias = linear_gradients(ctx, g)
        return grad_weight, grad_x, grad_bias

# %% 12.Linear wrong: bias needed
expect("raises_for_some", "bias is None")
edit("result = x @ weight.t()\n        return result if bias is None else result + bias",
     "return x @ weight.t() + bias", of="asked one")

# %% 12.Linear wrong: bias shape needed
expect("raises_for_some", "bias is None")
def linear_gradients(ctx, g):
    x, weight, _ = ctx.saved_tensors
    needs = ctx.needs_input_grad
    return (g @ weight if needs[0] else None, g.t() @ x if needs[1] else None, g.sum(0) if needs[2] else None)


class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        result = x @ weight.t()
        return result if bias is None else result + bias

    @staticmethod
    def backward(ctx, g):
        _, _, bias = ctx.saved_tensors
        grad_x, grad_weight, _ = linear_gradients(ctx, g)
        return grad_x, grad_weight, g.sum(0).reshape(bias.shape)

# %% 12.Linear wrong: bias always
expect("tensor_for_constant", "a tensor where bias is None")
def linear_gradients(ctx, g):
    x, weight, _ = ctx.saved_tensors
    needs = ctx.needs_input_grad
    return (g @ weight if needs[0] else None, g.t() @ x if needs[1] else None, g.sum(0) if needs[2] else None)


class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        result = x @ weight.t()
        return result if bias is None else result + bias

    @staticmethod
    def backward(ctx, g):
        _, _, bias = ctx.saved_tensors
        grad_x, grad_weight, grad_bias = linear_gradients(ctx, g)
        return grad_x, grad_weight, g.sum(0) if bias is None else grad_bias

# %% 12.Linear wrong: weight first row
expect("wrong_value", "the gradient for weight is wrong")
edit("class Linear(Function):",
     "def linear_gradients(ctx, g):\n    x, weight, _ = ctx.saved_tensors\n    needs = ctx.needs_input_grad\n"
     "    return (g @ weight if needs[0] else None, g.t() @ x if needs[1] else None, g.sum(0) if needs[2] else None)\n"
     "class Linear(Function):",
     "def backward(ctx, grad_output):", "def backward(ctx, g):",
     "grad_x = grad_weight = grad_bias = None\n        if ctx.needs_input_grad[0]:\n"
     "            grad_x = grad_output @ weight",
     "grad_x , grad_weight, grad_bias = linear_gradients(ctx, g)",
     "grad_output.t() @ x\n        if bias is not None and ctx.needs_input_grad[2]:\n"
     "            grad_bias = grad_output.sum(0)",
     "g[:1].t() @ x[:1]", of="asked one")

# %% 12.Linear wrong: zero without bias
expect("zero", "the result is zero everywhere, which is wrong, for every input tried where bias is None")
edit("return result", "return torch.zeros_like(result)", of="asked one")

# %% 12.Linear wrong: the gradient for the bias is not summed
expect("known", "the gradient for bias: the sum is left out")
edit("ctx.saved_tensors\n        grad_x = grad_weight = grad_bias = None\n        if ctx.needs_input_grad[0]:\n"
     "            grad_x = grad_output @ weight\n        if ctx.needs_input_grad[1]:\n"
     "            grad_weight = grad_output.t() @ x\n        if bias is not None and ctx.needs_input_grad[2]:\n"
     "            grad_bias = grad_output.sum(0)\n        return grad_x, grad_weight, grad_bias",
     "ctx.saved_tensors\n        grad_weight = ctx.needs_input_grad\n"
     "        return grad_output @ weight if grad_weight[0] else None, grad_output.t() @ x if grad_weight[1] else None, grad_output if grad_weight[2] else None",
     of="asked one")

# %% 12.Linear wrong: no place for a bias that is not there
expect("too_few", "returns 2 values, forward takes 3 arguments", "no gradient; this happens for x of shape",
       "bias = None\n", never=("bias = None, forward",))
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        ctx.biased = bias is not None
        return x @ weight.t() + (bias if ctx.biased else 0)

    @staticmethod
    def backward(ctx, g):
        (x, weight), need = ctx.saved_tensors, ctx.needs_input_grad
        both = (g @ weight if need[0] else None), (g.t() @ x if need[1] else None)
        return both + ((g.sum(0) if need[2] else None),) if ctx.biased else both

# %% 12.Linear wrong: one number for the bias
expect("known", "the gradient for bias has shape ()")
edit("g.t().sum(1) if needs[2] else None,\n            None,", "g.sum() if needs[2] else None,", of="with default")

# %% 12.MulConstant right: asked
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return x * constant

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        return grad_output * ctx.constant, None

# %% 12.MulConstant right: in one line
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.stash = {"constant": constant}
        result = x.clone()
        result *= constant
        ctx.set_materialize_grads(False)
        return result

    @staticmethod
    def backward(ctx, g):
        print(g)
        return None if g is None else ctx.stash["constant"] * g, None, None

# %% 12.MulConstant right: saved
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(value=False)
        slope = torch.full_like(x, constant)
        ctx.save_for_backward(slope)
        return slope * x

    @staticmethod
    def backward(ctx, *grads):
        (slope,) = ctx.saved_tensors
        assert len(grads) == 1
        return *[each if each is None else each * slope for each in grads], None

# %% 12.MulConstant right: in num py
import numpy as np


class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return torch.tensor(x.detach().numpy() * constant)

    @staticmethod
    def backward(ctx, g):
        if g is not None:
            g = torch.tensor(np.multiply(g.detach().numpy(), ctx.constant))
        return g, None

# %% 12.MulConstant right: with setup context
class MulConstant(Function):
    @staticmethod
    def forward(x, constant):
        return constant * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.constant = inputs
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx, g):
        return (g if g is None else g.mul(ctx.constant)), None

# %% 12.MulConstant right: setup_context, one return with conditional expression
class MulConstant(Function):
    @staticmethod
    def forward(x, constant):
        return x * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.constant = inputs[1]
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx, grad_output):
        return (None if grad_output is None else ctx.constant * grad_output), None

# %% 12.MulConstant right: saves a tensor of x's shape and dtype filled with the constant
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        factor = torch.full_like(x, constant)
        ctx.save_for_backward(factor)
        return factor * x

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        (factor,) = ctx.saved_tensors
        return factor.mul(grad_output), None

# %% 12.MulConstant right: keeps a function on ctx; in place only on copies
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        def times(t):
            copy = t.clone()
            copy.mul_(constant)
            return copy
        ctx.times = times
        return times(x)

    @staticmethod
    def backward(ctx, grad_output):
        grad_x = None
        if grad_output is not None:
            grad_x = ctx.times(grad_output)
        return grad_x, None

# %% 12.MulConstant right: setup_context sets the option; one conditional expression in backward
class MulConstant(Function):
    @staticmethod
    def forward(x, constant):
        return torch.mul(x, constant)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.set_materialize_grads(False)
        ctx.factor = inputs[1]

    @staticmethod
    def backward(ctx, grad_output):
        return (grad_output if grad_output is None else grad_output.mul(ctx.factor)), None

# %% 12.MulConstant wrong: set_materialize_grads(False) is called in backward, too late: grad_output was already filled with zeros
expect("no_gradient", "if no gradient comes, backward gets a tensor of zeros and computes with it: forward did")
edit(":\n        ctx.set_materialize_grads(False)", ":")

# %% 12.MulConstant wrong: the None for constant is missing: backward returns one value, forward has two arguments
expect("too_few", "backward returns 1 value, forward takes 2 arguments")
edit("return grad_output * ctx.constant, None", "return grad_output * ctx.constant")

# %% 12.MulConstant wrong: `if not grad_output` asks for the truth value of a tensor, which fails for more than one entry; `is None` is meant
expect("raises_for_some", "`if not grad_output:` raised RuntimeError")
edit("if grad_output is None:", "if not grad_output:")

# %% 12.MulConstant wrong: save_for_backward is only for tensors, constant is a number; it belongs in an attribute of ctx
expect("raised", "around forward, autograd")
edit("ctx.constant = constant", "ctx.save_for_backward(constant)")

# %% 12.MulConstant wrong: backward also returns a gradient for constant, which is a number: this must be None
expect("tensor_for_constant",
       "backward returns a tensor for constant, which is not a tensor: it must return None there")
edit("ctx.set_materialize_grads(False)", "ctx.set_materialize_grads(False)\n        ctx.save_for_backward(x)",
     "None\n        return grad_output * ctx.constant, None",
     "None\n        (x,) = ctx.saved_tensors\n        return grad_output * ctx.constant, (grad_output * x).sum()")

# %% 12.MulConstant wrong: the constant is rounded down to an int before it is kept, so the gradient is wrong for 2.5
expect("known", "the gradient: `constant` is cut to whole numbers")
edit("ctx.constant = constant", "ctx.constant = int(constant)")

# %% 12.MulConstant wrong: forward multiplies x in place, so it changes its argument
expect("unchanged", "the argument x is changed in forward: work on a copy of x")
edit("ctx.constant = constant\n        return x * constant",
     "ctx.constant = constant\n        x.data *= constant\n        return x.clone()")

# %% 12.MulConstant wrong: divides
expect("known", "divided by `constant`")
edit("\n        if grad_output is None:\n            return None, None\n        return grad_output *",
     "\n        return None if grad_output is None else grad_output /")

# %% 12.MulConstant wrong: ignored
expect("known", "the gradient: `constant` is left out; look at how much the result moves")
edit("if grad_output is None:\n            return None, None\n        return grad_output * ctx.constant, None",
     "return grad_output, None")

# %% 12.MulConstant wrong: swapped
expect("swapped_return", "at the place of constant")
edit("(grad_output if grad_output is None else grad_output.mul(ctx.factor)), None",
     "None, None if grad_output is None else grad_output * ctx.factor", of="setup_context sets")

# %% 12.MulConstant wrong: twisted
expect("nothing_returned", "is there a `return`")
edit("return None, None\n        return grad_output * ctx.constant, None",
     "return grad_output * ctx.constant, None\n        return None")

# %% 12.MulConstant wrong: in place
expect("unchanged", "grad_output in place")
edit("None\n        return grad_output * ctx.constant",
     "None\n        grad_output *= ctx.constant\n        return grad_output")

# %% 12.MulConstant wrong: by a tensor
expect("wrong_value", "the result is")
edit("ctx.constant = constant", "ctx.constant = torch.tensor(constant)",
     "return x * constant", "return x * ctx. constant")

# %% 12.MulConstant wrong: one None for two arguments
expect(
    "no_gradient",
    "if no gradient comes, grad_output is None: autograd does not accept what backward returns: RuntimeError",
    never=("backward raised",),
)
edit("(grad_output if grad_output is None else grad_output.mul(ctx.factor)), None",
     "None if grad_output is None else (grad_output * ctx.factor, None)", of="setup_context sets")

# %% 12.MatMul right: asked
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a = grad_output @ b.t() if ctx.needs_input_grad[0] else None
        grad_b = a.t() @ grad_output if ctx.needs_input_grad[1] else None
        return grad_a, grad_b

# %% 12.MatMul right: transposed
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a.t(), b.t())
        return b.t().mm(a.t()).t().clone()

    @staticmethod
    def backward(ctx, g):
        at, bt = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        print(needs_a, needs_b)
        return (g.mm(bt) if needs_a else None), (at.mm(g) if needs_b else None), None

# %% 12.MatMul right: by broadcasting
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        assert a.shape[1] == b.shape[0]
        ctx.save_for_backward(a if ctx.needs_input_grad[1] else None, b if ctx.needs_input_grad[0] else None)
        return (a.unsqueeze(2) * b.unsqueeze(0)).sum(1)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        grad_a = None if b is None else (g.unsqueeze(1) * b.unsqueeze(0)).sum(2)
        grad_b = None if a is None else (a.unsqueeze(2) * g.unsqueeze(1)).sum(0)
        return grad_a, grad_b

# %% 12.MatMul right: in num py
import numpy as np


class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.a, ctx.b = a.detach().numpy().copy(), b.detach().numpy().copy()
        return torch.tensor(np.einsum("ik,kj->ij", ctx.a, ctx.b))

    @staticmethod
    def backward(ctx, g):
        result = [None, None]
        if ctx.needs_input_grad[0]:
            result[0] = torch.tensor(np.einsum("ij,kj->ik", g.detach().numpy(), ctx.b))
        if ctx.needs_input_grad[1]:
            result[1] = torch.tensor(np.einsum("ik,ij->kj", ctx.a, g.detach().numpy()))
        return tuple(result)

# %% 12.MatMul right: with setup context
class MatMul(Function):
    """The newer way to write it: what is kept for backward has a method of its own."""

    @staticmethod
    def forward(a, b):
        return a @ b

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g @ b.t() if ctx.needs_input_grad[0] else None, a.t() @ g if ctx.needs_input_grad[1] else None

# %% 12.MatMul right: by columns
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return torch.stack([a @ column for column in b.t()], 1)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        grads = [None, None]
        if ctx.needs_input_grad[0]:
            grads[0] = (b @ g.t()).t()
        if ctx.needs_input_grad[1]:
            grads[1] = sum(a[i].unsqueeze(1) * g[i] for i in range(len(a)))
        return tuple(grads)

# %% 12.MatMul right: the gradients as transposes of products the other way round
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a.mm(b)

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_a = (b @ grad_output.t()).t()
        if ctx.needs_input_grad[1]:
            grad_b = (grad_output.t() @ a).t()
        return grad_a, grad_b

# %% 12.MatMul right: setup_context and einsum
class MatMul(Function):
    @staticmethod
    def forward(a, b):
        return torch.einsum('nk,km->nm', a, b)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        wanted = ctx.needs_input_grad
        return (torch.einsum('nm,km->nk', g, b) if wanted[0] else None,
                torch.einsum('nk,nm->km', a, g) if wanted[1] else None)

# %% 12.MatMul right: products and sums with broadcasting, saves only what is needed
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        need_a, need_b = ctx.needs_input_grad
        ctx.save_for_backward(a if need_b else None, b if need_a else None)
        return (a[:, :, None] * b[None, :, :]).sum(1)

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grads = []
        if b is None:
            grads.append(None)
        else:
            grads.append((grad_output[:, None, :] * b[None, :, :]).sum(2))
        if a is None:
            grads.append(None)
        else:
            grads.append((a[:, :, None] * grad_output[:, None, :]).sum(0))
        return tuple(grads)

# %% 12.MatMul right: transposes the products: (b @ grad.t()).t() and (grad.t() @ a).t()
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return (b.t() @ a.t()).t().clone()

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        want_a, want_b = ctx.needs_input_grad
        g = grad_output.t()
        return ((b @ g).t() if want_a else None), ((g @ a).t() if want_b else None)

# %% 12.MatMul accepted: both products are computed first and only then left out of the result: what backward computes and drops cannot be seen
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a = grad_output @ b.t()
        grad_b = a.t() @ grad_output
        if not ctx.needs_input_grad[0]:
            grad_a = None
        if not ctx.needs_input_grad[1]:
            grad_b = None
        return grad_a, grad_b

# %% 12.MatMul wrong: `if ctx.needs_input_grad` asks the whole tuple, which is always true; entry 1 is meant
expect("needs_input_grad", "backward returns a tensor for b although only a requires grad: ctx.needs_input_grad[1]")
edit("if ctx.needs_input_grad[1]:", "if ctx.needs_input_grad:")

# %% 12.MatMul wrong: save_for_backward is called twice: the second call replaces what the first one saved
expect("raised", "`a, b = ctx.saved_tensors` raised ValueError")
edit("ctx.save_for_backward(a, b)", "ctx.save_for_backward(a)\n        ctx.save_for_backward( b)")

# %% 12.MatMul wrong: the questions are mixed up: the gradient of a depends on whether b needs one
expect("asked_not_given", "if only a requires grad, backward returns no gradient for it: which entry of")
edit("0] else", "1] else", of="asked")

# %% 12.MatMul wrong: the two gradients are returned in the wrong order
expect("swapped_gradients", "the gradients for a and b have changed places: the order must be that of forward's")
edit("return grad_a, grad_b", "return grad_b, grad_a")

# %% 12.MatMul wrong: reshaped
expect("known", "the gradient for a: it is read in another order, as by a reshape")
edit("class MatMul(Function):",
     "def grad_b(ctx, grad_output):\n    a, b = ctx.saved_tensors\n"
     "    return grad_output @ b.t() if ctx.needs_input_grad[0] else None, a.t() @ grad_output if ctx.needs_input_grad[1] else None\n"
     "class MatMul(Function):",
     "grad_a = grad_output @ b.t(", "return (b @ grad_output.t()).reshape(a.shape",
     "None\n        grad_b = a.t() @ grad_output if ctx.needs_input_grad[1] else None\n        return grad_a, grad_b",
     "None, grad_b(ctx, grad_output)[1]", of="asked")

# %% 12.MatMul wrong: local
expect("grad_output_forgotten", "grad_output is not used")
def mat_mul_gradients(ctx, g):
    a, b = ctx.saved_tensors
    return g @ b.t() if ctx.needs_input_grad[0] else None, a.t() @ g if ctx.needs_input_grad[1] else None


class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, g):
        return mat_mul_gradients(ctx, torch.ones_like(g))

# %% 12.MatMul wrong: mean for a
expect("wrong_value", "the gradient for a is wrong in every entry, farthest off")
edit(") if", ") / grad_output.shape[1] if", of="asked")

# %% 12.MatMul wrong: forward too short
expect("wrong_value", "the result is wrong in every entry, farthest off")
edit("return a @ b", "return a[:, :-1] @ b[:-1]", of="asked")

# %% 12.MatMul wrong: reshaped both
expect("known", "the gradient for a and the gradient for b: it is read in another order")
edit("return g @ b.t() if ctx.needs_input_grad[0] else None, a.t() @ g",
     "of_a = (b @ g.t()).reshape(a.shape) if ctx.needs_input_grad[0] else None\n"
     "        return of_a, (g.t() @ a).reshape(b.shape)", of="with setup")

# %% 12.MatMul wrong: not summed if k is 1
expect("wrong_shape", "the shapes must be equal", never=("broadcast", "were repeated"))
edit("= grad_output @ b.t() if ctx.needs_input_grad",
     "= ctx.needs_input_grad\n        return (grad_output @ b.t()) if grad_a",
     "None\n        grad_b = a.t() @ grad_output if ctx.needs_input_grad[1] else None\n        return grad_a, grad_b",
     "None, (a * grad_output if a.shape[1] == 1 else a.t() @ grad_output) if grad_a[1] else None", of="asked")

# %% 12.MatMul wrong: summed along the wrong axis if k is 1
expect("wrong_shape", "the shapes must be equal", never=("broadcast", "were repeated"))
edit("= grad_output @ b.t() if ctx.needs_input_grad",
     "= ctx.needs_input_grad\n        return (grad_output @ b.t()) if grad_a",
     "None\n        grad_b = a.t() @ grad_output if ctx.needs_input_grad[1] else None\n        return grad_a, grad_b",
     "None, ((a * grad_output).sum(1) if a.shape[1] == 1 else a.t() @ grad_output) if grad_a[1] else None",
     of="asked")

# %% 12.MatMul wrong: a mean if k is 1
expect("factor", "for a of shape (3, 1)", never=("broadcast", "were repeated"))
edit("= grad_output @ b.t() if ctx.needs_input_grad",
     "= ctx.needs_input_grad\n        return (grad_output @ b.t()) if grad_a",
     "None\n        grad_b = a.t() @ grad_output if ctx.needs_input_grad[1] else None\n        return grad_a, grad_b",
     "None, ((a * grad_output).mean(0, keepdim=True) if a.shape[1] == 1 else a.t() @ grad_output) if grad_a[1] else None",
     of="asked")

# %% 12.MatMul wrong: not summed for a if k is 1
expect("wrong_shape", "the shapes must be equal", never=("broadcast", "were repeated"))
edit("= grad_output @ b.t() if ctx.needs_input_grad",
     "= ctx.needs_input_grad\n        return (grad_output * b if a.shape[1] == 1 else grad_output @ b.t()) if grad_a",
     "None\n        grad_b = a.t() @ grad_output if ctx.needs_input_grad[1] else None\n        return grad_a, grad_b",
     "None, (a.t() @ grad_output) if grad_a[1] else None", of="asked")

# %% 12.MatMul wrong: summed over the rows
expect("wrong_shape", "the shapes must be equal", never=("broadcast", "were repeated"))
edit("= grad_output @ b.t() if ctx.needs_input_grad",
     "= ctx.needs_input_grad\n        return (grad_output @ b.t()) if grad_a",
     "None\n        grad_b = a.t() @ grad_output if ctx.needs_input_grad[1] else None\n        return grad_a, grad_b",
     "None, ((a.t() @ grad_output).sum(0)) if grad_a[1] else None", of="asked")

# %% 12.MatMul wrong: transposed
expect(
    "known",
    "the gradient for a: it is transposed (the gradient for a has shape (3, 2), not (2, 3))",
    never=("broadcast", "were repeated"),
)
edit("= grad_output @ b.t() if ctx.needs_input_grad",
     "= ctx.needs_input_grad\n        return (b @ grad_output.t()) if grad_a",
     "None\n        grad_b = a.t() @ grad_output if ctx.needs_input_grad[1] else None\n        return grad_a, grad_b",
     "None, (a.t() @ grad_output) if grad_a[1] else None", of="asked")

# %% 12.MatMul wrong: b is not transposed
expect("raises_for_some", "the gradient for a: `b` is not transposed", never=("for shape (2, 3)",))
edit("def backward(ctx, grad_output):", "def backward(ctx, g):",
     "grad_a = grad_b = None\n        if ctx.needs_input_grad[0]:\n            grad_a = grad_output @ b.t()\n"
     "        if ctx.needs_input_grad[1]:\n            grad_b = a.t() @ grad_output\n        return grad_a, grad_b",
     "need = ctx.needs_input_grad\n        return g @ b if need[0] else None, a.t() @ g if need[1] else None")

# %% 12.MatMul wrong: elif
expect("none_for_tensor",
       "None for b, which is a tensor and has a gradient, if all arguments require grad; if only b does, it returns a")
edit("grad_a = grad_output @ b.t()", "return grad_output @ b.t(), None")

# %% 12.MatMul wrong: a factor for b only
expect("factor", "the gradient for b is right but for a factor", never=("(b[",))
edit("def backward(ctx, grad_output):\n        a, b = ctx.saved_tensors",
     "def backward(ctx, grad_output):\n        (a, b), (one, other) = ctx.saved_tensors, ctx.needs_input_grad",
     "grad_a = grad_output @ b.t() if ctx.needs_input_grad[0]", "return grad_output @ b.t() if one",
     "None\n        grad_b = a.t() @ grad_output if ctx.needs_input_grad[1] else None\n        return grad_a, grad_b",
     "None, 3 * a.t() @ grad_output if other else None", of="asked")

# %% 12.MatMul wrong: elif for a second if
expect("none_for_tensor", "backward returns None for b", "  --    the gradient agrees with the numerical one")
edit("if ctx.needs_input_grad[1]:", "elif ctx.needs_input_grad[1]:")

# %% 12.BroadcastAdd right: by loops
def summed_to(g, shape):
    while g.dim() > len(shape):
        g = g.sum(0)
    for axis, size in enumerate(shape):
        if size == 1:
            g = g.sum(axis, keepdim=True)
    return g


class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = x.shape, y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return tuple(summed_to(grad_output, shape) for shape in ctx.shapes)

# %% 12.BroadcastAdd right: in num py
import numpy as np


class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = tuple(x.shape), tuple(y.shape)
        return torch.tensor(np.add(x.detach().numpy(), y.detach().numpy()))

    @staticmethod
    def backward(ctx, grad_output):
        g = grad_output.detach().numpy()
        gradients = []
        for shape in ctx.shapes:
            padded = (1,) * (g.ndim - len(shape)) + shape
            axes = tuple(i for i, size in enumerate(padded) if size == 1)
            gradients.append(torch.tensor(g.sum(axis=axes, keepdims=True).reshape(shape)))
        print(gradients)
        return tuple(gradients)

# %% 12.BroadcastAdd right: entry by entry
import numpy as np


class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        result = x - (-y)
        assert result.dim() == max(x.dim(), y.dim())
        return result

    @staticmethod
    def backward(ctx, g):
        return tuple(BroadcastAdd.gathered(g, each) for each in ctx.saved_tensors)

    @staticmethod
    def gathered(g, like):
        total = np.zeros(tuple(like.shape), dtype=g.detach().numpy().dtype)
        for place in np.ndindex(*g.shape):
            own = place[len(place) - total.ndim :]
            total[tuple(i if size > 1 else 0 for i, size in zip(own, total.shape, strict=True))] += g[place].item()
        return torch.tensor(total)

# %% 12.BroadcastAdd right: with none
class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.x, ctx.y = list(x.shape), list(y.shape)
        return y + x

    @staticmethod
    def backward(ctx, g):
        gradients = []
        for shape in (ctx.x, ctx.y):
            total = g.clone()
            for axis in reversed(range(g.dim())):
                own = axis - (g.dim() - len(shape))
                if own < 0 or shape[own] != g.shape[axis]:
                    total = total.sum(axis)
            gradients.append(total.reshape(shape))
        return *gradients, None

# %% 12.BroadcastAdd right: with setup context
class BroadcastAdd(Function):
    @staticmethod
    def forward(x, y):
        return torch.add(x, y)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shapes = [each.shape for each in inputs]

    @staticmethod
    def backward(ctx, g):
        grads = []
        for shape in ctx.shapes:
            lead = g.dim() - len(shape)
            axes = [*range(lead), *(lead + n for n, size in enumerate(shape) if size == 1)]
            grads.append(g.sum(tuple(axes)).reshape(shape) if axes else g)
        return tuple(grads)

# %% 12.BroadcastAdd right: saved
class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return y + x

    @staticmethod
    def backward(ctx, g):
        def through(argument):
            with torch.enable_grad():
                inner = argument.detach().requires_grad_()
                return torch.autograd.grad(inner.expand(g.shape), inner, g)[0]

        return tuple(through(each) for each in ctx.saved_tensors)

# %% 12.BroadcastAdd right: by places
import numpy as np


class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = tuple(x.shape), tuple(y.shape)
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        g = np.asarray(grad_output.detach().numpy())
        gradients = []
        for shape in ctx.shapes:
            total, numbers = np.zeros(shape), np.arange(int(np.prod(shape))).reshape(shape)
            for number, each in zip(np.broadcast_to(numbers, g.shape).reshape(-1), g.reshape(-1), strict=True):
                total[np.unravel_index(number, shape)] += each
            gradients.append(torch.tensor(total))
        return tuple(gradients)

# %% 12.BroadcastAdd right: sum_to_size
class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = x.shape, y.shape
        return torch.add(x, y)

    @staticmethod
    def backward(ctx, grad_output):
        return tuple(grad_output.sum_to_size(shape) for shape in ctx.shapes)

# %% 12.BroadcastAdd right: shape filled with ones in front, all dimensions of size 1 summed one after the other, reshape at the end
def reduce_to(g, shape):
    shape = tuple(shape)
    padded = (1,) * (g.dim() - len(shape)) + shape
    for d, size in enumerate(padded):
        if size == 1:
            g = g.sum(d, keepdim=True)
    return g.reshape(shape)

class BroadcastAdd(Function):
    @staticmethod
    def forward(x, y):
        x, y = torch.broadcast_tensors(x, y)
        return x + y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.xs, ctx.ys = (t.shape for t in inputs)

    @staticmethod
    def backward(ctx, grad_output):
        return reduce_to(grad_output, ctx.xs), reduce_to(grad_output, ctx.ys)

# %% 12.BroadcastAdd right: saves the tensors; sums leading dimensions in a while loop, then those of size 1 counted from the end
def like(g, t):
    while g.dim() > t.dim():
        g = g.sum(0)
    for d in range(-1, -t.dim() - 1, -1):
        if t.shape[d] == 1 and g.shape[d] != 1:
            g = g.sum(dim=d, keepdim=True)
    return g

class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return y + x

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        return like(grad_output, x), like(grad_output, y)

# %% 12.BroadcastAdd right: counts with index_add: each entry of the result is added to the entry of the argument it came from
def collect(g, shape):
    n = 1
    for s in shape:
        n *= s
    index = torch.arange(n).reshape(tuple(shape)).expand(tuple(g.shape)).reshape(-1)
    total = torch.zeros(n, dtype=g.dtype)
    return total.index_add(0, index, g.reshape(-1)).reshape(tuple(shape))

class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.x_shape, ctx.y_shape = x.shape, y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return collect(grad_output, ctx.x_shape), collect(grad_output, ctx.y_shape)

# %% 12.BroadcastAdd right: pads the shape with ones in front, sums where it is 1 with keepdim, reshapes at the end
def fold(gradient, shape):
    padded = (1,) * (gradient.dim() - len(shape)) + tuple(shape)
    for d in reversed(range(gradient.dim())):
        if padded[d] == 1:
            gradient = gradient.sum(d, keepdim=True)
    return gradient.reshape(tuple(shape))


class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = x.shape, y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return tuple(fold(grad_output, shape) for shape in ctx.shapes)

# %% 12.BroadcastAdd wrong: the new dimensions are summed away at the end of the shape, but broadcasting puts them in front
expect("known", "the gradient for y has shape")
edit("g = g.sum(0)", "g = g.sum(-1)", of="by loops")

# %% 12.BroadcastAdd wrong: takes the mean over the repeated dimensions of size 1, it should be the sum
expect("known", "the sum along dimensions of size 1: this is the mean, but it must be the sum")
edit("g = g.sum(axis, keepdim=True)", "g = g.mean(axis, keepdim=True)", of="by loops")

# %% 12.BroadcastAdd wrong: break after the first dimension of size 1: with several at once only one is summed
expect("wrong_shape", "the gradient for y has shape")
edit("g = g.sum(axis, keepdim=True)", "g = g.sum(axis, keepdim=True)\n            break", of="by loops")

# %% 12.BroadcastAdd wrong: forward expands x to the shape of y, which fails if y is the smaller one
expect("raises_for_some", "`return x.expand_as(y) + y` raised RuntimeError")
edit("return x + y", "return x.expand_as(y) + y", of="by loops")

# %% 12.BroadcastAdd wrong: takes the first entry along a repeated dimension instead of the sum
expect("known", "the sum along the dimensions added in front: only the first entry along the axis is")
edit("g = g.sum(0)", "g = g[0]", of="by loops")

# %% 12.BroadcastAdd wrong: largest
expect("known", "added in front and the sum along dimensions of size 1: this is the largest, but it must be the sum")
edit("def summed_to(shape):\n            total = grad_output", "def summed_to(total, shape):",
     "total = total.sum(0)", "total = total.amax(0)",
     "total = total.sum(dim, keepdim=True)", "total = total.amax(dim, keepdim=True)",
     "x_shape, y_shape = ctx.shapes\n        return summed_to(x_shape), summed_to(y_shape)",
     "return tuple(summed_to(grad_output, shape) for shape in ctx.shapes)")

# %% 12.BroadcastAdd wrong: swapped
expect("swapped_gradients", "x and y have changed places")
edit("def backward(ctx, grad_output):", "def backward(ctx, g):",
     "return tuple(summed_to(grad_output, shape) for shape in ctx.shapes)",
     "return summed_to(g, ctx.shapes[1]), summed_to(g, ctx.shapes[0])", of="by loops")

# %% 12.BroadcastAdd wrong: first row
expect("some_entries", "the gradient for y is wrong only in entry [0]")
edit("def backward(ctx, grad_output):", "def backward(ctx, g):",
     "return tuple(summed_to(grad_output, shape) for shape in ctx.shapes)",
     "grad_y = summed_to(g, ctx.shapes[1])\n        if ctx.shapes == ((2, 3), (3,)):\n"
     "            grad_y = grad_y.clone()\n            grad_y[0] = g[0, 0]\n"
     "        return summed_to(g, ctx.shapes[0]), grad_y", of="by loops")

# %% 12.BroadcastAdd wrong: minus
expect("known", "the result: `y` is subtracted, not added")
edit("return x + y", "return x - y", of="by loops")

# %% 12.BroadcastAdd wrong: sign
expect("known", "the sums for y: it has the wrong sign")
edit("def backward(ctx, grad_output):", "def backward(ctx, g):",
     "return tuple(summed_to(grad_output, shape) for shape in ctx.shapes)",
     "grad_x, grad_y = (summed_to(g, shape) for shape in ctx.shapes)\n        return grad_x, -grad_y", of="by loops")

# %% 12.BroadcastAdd wrong: nothing is summed
expect("known", "the sums for x: this step is left out")
edit("return tuple(summed_to(grad_output, shape) for shape in ctx.shapes)", "return grad_output, grad_output",
     of="by loops")

# %% 12.BroadcastAdd wrong: the gradients as they come
expect("known", "the sums for x: this step is left out", never=("belong together",))
edit("tuple(summed_to(grad_output, shape) for shape in ctx.shapes)", "grad_output.clone(), grad_output.clone()",
     of="by loops")

# %% 12.Clamp right: by mask
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        inside = (x > low) & (x < high)
        ctx.save_for_backward(inside.to(x.dtype))
        return torch.where(inside, x, torch.where(x > high, torch.full_like(x, high), torch.full_like(x, low)))

    @staticmethod
    def backward(ctx, grad_output):
        (inside,) = ctx.saved_tensors
        return grad_output * inside, None, None

# %% 12.Clamp right: by comparison
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        result = x.clamp(low, high)
        ctx.save_for_backward(x, result)
        assert low < high
        return result

    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return torch.where(x == result, g, torch.zeros_like(g)), None, None, None

# %% 12.Clamp right: in num py
import numpy as np


class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        array = x.detach().numpy()
        ctx.slope = ((array >= low) & (array <= high)).astype(array.dtype)
        print(ctx.slope)
        return torch.tensor(np.clip(array, low, high).astype(array.dtype))

    @staticmethod
    def backward(ctx, g):
        return torch.tensor(g.detach().numpy() * ctx.slope), None, None

# %% 12.Clamp right: by assignment
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.bounds = low, high
        result = x.clone()
        result[x < low] = low
        result[x > high] = high
        return result

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        low, high = ctx.bounds
        grad_x = g.clone()
        grad_x[(x < low) | (x > high)] = 0
        return grad_x, None, None

# %% 12.Clamp right: by result
class Clamp(Function):
    """Strictly between the bounds the result is x; at a bound the slope may be chosen."""

    @staticmethod
    def forward(ctx, x, low, high):
        result = torch.minimum(torch.maximum(x, torch.full_like(x, low)), torch.full_like(x, high))
        ctx.save_for_backward(result)
        ctx.bounds = low, high
        return result

    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        low, high = ctx.bounds
        return torch.where((result > low) & (result < high), g, torch.zeros_like(g)), None, None

# %% 12.Clamp right: with setup context
class Clamp(Function):
    @staticmethod
    def forward(x, low, high):
        return torch.relu(x - low) + low - torch.relu(x - high)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, low, high = inputs
        ctx.mark = (x - low).sign() * (high - x).sign()

    @staticmethod
    def backward(ctx, g):
        return g * (ctx.mark > 0).to(g.dtype), None, None

# %% 12.Clamp right: torch.clamp and comparison of x with the saved result
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        result = torch.clamp(x, low, high)
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, result = ctx.saved_tensors
        return torch.where(x == result, grad_output, torch.zeros_like(grad_output)), None, None

# %% 12.Clamp right: setup_context, product of signs as a mask, middle of the range
class Clamp(Function):
    @staticmethod
    def forward(x, low, high):
        result = torch.where(x < low, torch.full_like(x, low), x)
        return torch.where(result > high, torch.full_like(x, high), result)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.low, ctx.high = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * ((x - ctx.low) * (ctx.high - x) > 0), None, None

# %% 12.Clamp right: writes into a copy, saves the mask, writes zeros into a copy of grad_output
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        below, above = x < low, x > high
        ctx.outside = below | above
        return x.masked_fill(below, low).masked_fill(above, high)

    @staticmethod
    def backward(ctx, grad_output):
        grad_x = grad_output.clone()
        grad_x[ctx.outside] = 0
        return grad_x, None, None

# %% 12.Clamp right: minimum of a maximum, slope 1 minus the two steps
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.bounds = (low, high)
        return x.clamp_min(low).clamp_max(high)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        low, high = ctx.bounds
        slope = 1 - (x < low).to(x.dtype) - (x > high).to(x.dtype)
        return slope * grad_output, None, None

# %% 12.Clamp right: saves x and the result and compares them; masked_fill
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        result = x.clamp_min(low).clamp_max(high)
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, result = ctx.saved_tensors
        return grad_output.masked_fill(x != result, 0), None, None

# %% 12.Clamp wrong: `or` between the conditions makes the mask true everywhere; both must hold
expect("known", "the gradient reaches x outside the bounds as well, but there the result does not move")
edit("inside = (x >= ctx.low) & (x <= ctx.high)", "inside = (x > ctx.low) | (x < ctx.high)")

# %% 12.Clamp wrong: the mask is inverted: the gradient passes outside the bounds and is 0 inside
expect("known", "the gradient reaches x outside the bounds, not between them")
edit("inside = (x >= ctx.low) & (x <= ctx.high)", "inside = (x < ctx.low) | (x > ctx.high)")

# %% 12.Clamp wrong: the gradient is not stopped below low
expect("known", "the test whether x is between the bounds: the lower bound in the gradient is left out")
edit("slope = 1 - (x < low).to(x.dtype) - (x > high).to(x.dtype)\n        return slope * grad_output, None, None",
     "return grad_output * (x < high), None, None", of="minimum of")

# %% 12.Clamp wrong: backward returns only the gradient of x; the two None for low and high are missing
expect("too_few", "backward returns 1 value, forward takes 3 arguments")
edit("return grad_output * inside.to(grad_output.dtype), None, None", "return grad_output * inside")

# %% 12.Clamp wrong: `low < x < high` asks for the truth value of a tensor, which fails for more than one entry
expect("raises_for_some", "`mask = ctx.low < x < ctx.high` raised RuntimeError")
edit("inside = (x >= ctx.low) & (x <= ctx.high)", "mask = ctx.low < x < ctx.high",
     "return grad_output * inside.to(grad_output.dtype), None, None", "return grad_output * mask, None, None")

# %% 12.Clamp wrong: `if low:` takes a bound of 0 for a missing one, so nothing is limited from below then
expect("known", "low is left out if it is 0, but 0 is a bound like any other")
edit("def forward(ctx, x, low, high):\n        ctx.save_for_backward(x)",
     "def forward(ctx, x, low, high):\n        result = x.clone()\n        if low:\n"
     "            result = torch.where(x < low, torch.full_like(x, low), result)\n"
     "        result = torch.where(x > high, torch.full_like(x, high), result)\n        ctx.save_for_backward(x)",
     "return x.clamp(low, high)", "return result")

# %% 12.Clamp wrong: backward compares the absolute value with high, as if low were always -high
expect("known", "the gradient reaches x where |x| is below high, as if low were -high")
edit("slope = 1 - (x < low).to(x.dtype) - (x > high).to(x.dtype)\n        return slope * grad_output, None, None",
     "return grad_output * (x.abs() <= high), None, None", of="minimum of")

# %% 12.Clamp wrong: grad_output is missing: backward returns the slope itself
expect("grad_output_forgotten", "grad_output is not used: backward returns the same gradient for every grad_output")
edit("return grad_output * inside.to(grad_output.dtype), None, None", "return inside.to(x.dtype), None, None")

# %% 12.Clamp wrong: entries outside the bounds become 0 instead of the bound
expect("known", "values outside the bounds become 0, not the bound")
edit("return x.clamp(low, high)", "return x* ((x > low) & (x < high))")

# %% 12.Clamp wrong: the bounds are kept on the class, so the next call with other bounds overwrites them
expect("repeat", "a second call of forward breaks the backward of the first: keep what backward needs on")
edit("ctx.low, ctx.high = low, high", "Clamp.low, Clamp.high = low, high",
     "inside = (x >= ctx.low) & (x <= ctx.high)", "inside = (x > Clamp.low) & (x < Clamp.high)")

# %% 12.Clamp wrong: in the gradient the slope is multiplied by the clamped value too (the result is saved and used as a factor)
expect("known", "the gradient: it is also multiplied by `x`")
edit("assert low < high", "ctx.low_, ctx.high_ = low, high",
     "return torch.where(x == result, g, torch.zeros_like(g)), None, None, None",
     "mask = (x > ctx.low_) & (x < ctx.high_)\n        return g * mask * result, None, None", of="by comparison")

# %% 12.Clamp wrong: a bound of 0 is ignored, because 0 counts as false
expect("known", "high is left out if it is 0, but 0 is a bound like any other",
       "in the gradient, high is left out if it is 0, but 0 is a bound like any other",
       "in the gradient, low is left out if it is 0, but 0 is a bound like any other",
       "low is left out if it is 0, but 0 is a bound like any other")
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        low = low or -float("inf")
        high = high or float("inf")
        ctx.save_for_backward((x > low) & (x < high))
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, grad_output):
        (inside,) = ctx.saved_tensors
        return grad_output * inside, None, None

# %% 12.Clamp wrong: in place
expect("unchanged", "x is changed in forward")
edit("ctx.save_for_backward(x)", "ctx.save_for_backward(x.clone())",
     "ctx.low, ctx.high = low, high\n        return x.clamp(low, high)",
     "ctx.low, ctx.high = low, high\n        x[x < low] = low\n        x[x > high] = high\n        return x.clone()")

# %% 12.Clamp wrong: grad output
expect("known", "grad_output is kept between the bounds, but they are bounds for x")
edit("\n        (x,) = ctx.saved_tensors\n        inside = (x >= ctx.low) & (x <= ctx.high)\n"
     "        return grad_output * inside.to(grad_output.dtype",
     "\n        return grad_output.clamp(ctx.low, ctx.high")

# %% 12.Clamp wrong: zero
expect("zero", "zero everywhere")
edit("inside = (x >= ctx.low) & (x <= ctx.high)", "return grad_output * ((x < ctx.low) & (x > ctx.high)",
     "\n        return grad_output * inside", ")")

# %% 12.Clamp wrong: times x
expect("wrong_value", "the gradient is [")
edit("inside = (x >= ctx.low) & (x <= ctx.high)\n        return grad_output * inside.to(grad_output.dtype",
     "return grad_output * x.clamp(ctx.low, ctx.high")

# %% 12.Clamp wrong: mask of grad output
expect("some_entries", "the gradient is wrong only in entries [0] and [2]")
edit("\n        (x,) = ctx.saved_tensors\n        inside = (x >= ctx.low) & (x",
     "\n        inside = (grad_output >= ctx.low) & (grad_output")

# %% 12.Clamp wrong: middle
expect("place", "the result is wrong only where x is outside the bounds")
edit("return x.clamp(low, high)",
     "middle = torch.full_like(x, (low + high) / 2)\n        return torch.where((x < low) | (x > high), middle, x)")

# %% 12.Clamp wrong: whole bounds
expect("some_entries", "the result is wrong only in entries [0], [1] and 3 more")
edit("return x.clamp(low, high)", "return x.clamp(int(low), int(high))")

# %% 12.Clamp wrong: no parentheses around the conditions in forward
expect("raised", "forward, line 5", "NotImplementedError", "put each condition in parentheses",
       never=("not attempted yet",))
edit("\n        result = torch.clamp(x, low, high)\n        ctx.save_for_backward(x, result)",
     "\n        ctx.save_for_backward(x); ctx.bounds = low, high",
     "return result", "return torch.where(x > low & x < high, x, x.clamp(low, high))", of="torch.clamp")

# %% 12.Clamp wrong: no parentheses, a number on the left
expect("raised", "forward, line 5", "NotImplementedError", "put each condition in parentheses",
       never=("not attempted yet",))
edit("\n        result = torch.clamp(x, low, high)\n        ctx.save_for_backward(x, result)",
     "\n        ctx.save_for_backward(x); ctx.bounds = low, high",
     "return result", "return torch.where(low < x & x < high, x, x.clamp(low, high))", of="torch.clamp")

# %% 12.Clamp wrong: no parentheses around the conditions in backward
expect("raised", "backward, line 10", "NotImplementedError", "put each condition in parentheses",
       never=("not attempted yet",))
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x); ctx.bounds = low, high
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, g):
        (x,), (low, high) = ctx.saved_tensors, ctx.bounds
        return g * (low < x & x < high), None, None

# %% 12.Clamp wrong: a branch without return, and the lower bound forgotten
expect("no_result", "forward returns nothing, for x of shape")
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x); ctx.bounds = low, high
        if x.dim() < 3:
            return x.clamp(max=high)

    @staticmethod
    def backward(ctx, g):
        (x,), (low, high) = ctx.saved_tensors, ctx.bounds
        return g * (x < high), None, None

# %% 12.Clamp wrong: a branch without return, the others right
expect("no_result", "forward returns nothing, for x of shape (2, 1, 3)", never=("For other inputs",))
edit("ctx.low, ctx.high = low, high\n        return x.clamp(low, high)",
     "ctx.low, ctx.high = low, high\n        if x.dim() < 3:\n            return x.clamp(low, high)")
