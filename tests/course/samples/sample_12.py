"""Answers to notebook 12 by people who saw the statements alone: right ones and wrong ones with what is wrong."""

ANSWERS = [
    (
        "12.Linear",
        "right",
        "saves None with the tensors, adds the bias in place on its own result",
        """
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
""",
    ),
    (
        "12.Linear",
        "right",
        "einsum and setup_context, conditional expressions",
        """
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
""",
    ),
    (
        "12.Linear",
        "right",
        "saves only what the wanted gradients need; the other way round: (weight @ x.t()).t()",
        """
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
""",
    ),
    (
        "12.Linear",
        "wrong",
        "the gradient of bias is not summed over the rows, so it has shape (n, m)",
        """
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        result = x @ weight.t()
        if bias is not None:
            result = result + bias
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t() @ x
        if ctx.needs_input_grad[2]:
            grad_bias = grad_output
        return grad_x, grad_weight, grad_bias
""",
    ),
    (
        "12.Linear",
        "wrong",
        "the gradient of bias is summed along the wrong dimension (over the columns)",
        """
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        result = x @ weight.t()
        if bias is not None:
            result = result + bias
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t() @ x
        if ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(1)
        return grad_x, grad_weight, grad_bias
""",
    ),
    (
        "12.Linear",
        "wrong",
        "the gradient of bias is the mean over the rows, it should be the sum",
        """
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        result = x @ weight.t()
        if bias is not None:
            result = result + bias
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t() @ x
        if ctx.needs_input_grad[2]:
            grad_bias = grad_output.mean(0)
        return grad_x, grad_weight, grad_bias
""",
    ),
    (
        "12.Linear",
        "wrong",
        "the gradient of weight is transposed: it has shape (k, m), weight has (m, k)",
        """
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        result = x @ weight.t()
        if bias is not None:
            result = result + bias
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = x.t() @ grad_output
        if ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_x, grad_weight, grad_bias
""",
    ),
    (
        "12.Linear",
        "wrong",
        "if bias is None, backward returns only two values; there must be three",
        """
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        ctx.has_bias = bias is not None
        result = x @ weight.t()
        if bias is not None:
            result = result + bias
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t() @ x
        if not ctx.has_bias:
            return grad_x, grad_weight
        if ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_x, grad_weight, grad_bias
""",
    ),
    (
        "12.Linear",
        "wrong",
        "needs_input_grad is not asked for x and weight: both gradients are always computed",
        """
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        result = x @ weight.t()
        if bias is not None:
            result = result + bias
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_bias = None
        if ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_output @ weight, grad_output.t() @ x, grad_bias
""",
    ),
    (
        "12.Linear",
        "wrong",
        "the gradient of bias is computed whenever there is a bias, also if needs_input_grad does not ask for it",
        """
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        result = x @ weight.t()
        if bias is not None:
            result = result + bias
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, weight, bias = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t() @ x
        if bias is not None:
            grad_bias = grad_output.sum(0)
        return grad_x, grad_weight, grad_bias
""",
    ),
    (
        "12.Linear",
        "wrong",
        "`if bias:` asks for the truth value of a tensor, which fails for more than one entry; `is not None` is meant",
        """
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        result = x @ weight.t()
        if bias:
            result = result + bias
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t() @ x
        if ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_x, grad_weight, grad_bias
""",
    ),
    (
        "12.Linear",
        "wrong",
        "elif instead of if: only the first wanted gradient is computed, the others stay None",
        """
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        result = x @ weight.t()
        if bias is not None:
            result = result + bias
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output @ weight
        elif ctx.needs_input_grad[1]:
            grad_weight = grad_output.t() @ x
        elif ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_x, grad_weight, grad_bias
""",
    ),
    (
        "12.Linear",
        "wrong",
        "arguments that need no gradient get a tensor of zeros instead of None",
        """
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        result = x @ weight.t()
        if bias is not None:
            result = result + bias
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, weight, bias = ctx.saved_tensors
        grad_x = torch.zeros_like(x)
        grad_weight = torch.zeros_like(weight)
        grad_bias = None if bias is None else torch.zeros_like(bias)
        if ctx.needs_input_grad[0]:
            grad_x = grad_output @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t() @ x
        if ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_x, grad_weight, grad_bias
""",
    ),
    (
        "12.Linear",
        "wrong",
        "forward multiplies by weight, not by weight.t()",
        """
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        result = x @ weight
        if bias is not None:
            result = result + bias
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t() @ x
        if ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_x, grad_weight, grad_bias
""",
    ),
    (
        "12.Linear",
        "wrong",
        "bias is added to each column (entry i to row i) instead of to each row",
        """
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        result = x @ weight.t()
        if bias is not None:
            result = result + bias.unsqueeze(1)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t() @ x
        if ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_x, grad_weight, grad_bias
""",
    ),
    (
        "12.Linear",
        "right",
        "setup_context, einsum, and a list of three gradients that starts with None",
        """
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
""",
    ),
    (
        "12.Linear",
        "wrong",
        "returns two values instead of three if bias is None",
        """
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        ctx.has_bias = bias is not None
        result = x @ weight.t()
        if bias is not None:
            result = result + bias
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t() @ x
        if not ctx.has_bias:
            return grad_x, grad_weight
        if ctx.has_bias and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_x, grad_weight, grad_bias
""",
    ),
    (
        "12.Linear",
        "wrong",
        "takes the mean of grad_output over the rows for bias instead of the sum",
        """
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        ctx.has_bias = bias is not None
        result = x @ weight.t()
        if bias is not None:
            result = result + bias
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t() @ x
        if ctx.has_bias and ctx.needs_input_grad[2]:
            grad_bias = grad_output.mean(0)
        return grad_x, grad_weight, grad_bias
""",
    ),
    (
        "12.Linear",
        "wrong",
        "computes the gradient of bias even if it is not wanted",
        """
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        ctx.has_bias = bias is not None
        result = x @ weight.t()
        if bias is not None:
            result = result + bias
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t() @ x
        if ctx.has_bias:
            grad_bias = grad_output.sum(0)
        return grad_x, grad_weight, grad_bias
""",
    ),
    (
        "12.Linear",
        "wrong",
        "the questions for x and weight are mixed up: computes the gradient of x if weight needs one",
        """
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        ctx.has_bias = bias is not None
        result = x @ weight.t()
        if bias is not None:
            result = result + bias
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[1]:
            grad_x = grad_output @ weight
        if ctx.needs_input_grad[0]:
            grad_weight = grad_output.t() @ x
        if ctx.has_bias and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_x, grad_weight, grad_bias
""",
    ),
    (
        "12.Linear",
        "wrong",
        "the gradient of weight is reshaped instead of transposed: the entries are in the wrong places",
        """
class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        ctx.has_bias = bias is not None
        result = x @ weight.t()
        if bias is not None:
            result = result + bias
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = (x.t() @ grad_output).reshape(weight.shape)
        if ctx.has_bias and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_x, grad_weight, grad_bias
""",
    ),
    (
        "12.MulConstant",
        "right",
        "setup_context, one return with conditional expression",
        """
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
""",
    ),
    (
        "12.MulConstant",
        "right",
        "saves a tensor of x's shape and dtype filled with the constant",
        """
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
""",
    ),
    (
        "12.MulConstant",
        "right",
        "keeps a function on ctx; in place only on copies",
        """
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
""",
    ),
    (
        "12.MulConstant",
        "wrong",
        "set_materialize_grads(False) is not called, so backward gets zeros instead of None",
        """
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.constant = constant
        return x * constant

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        return grad_output * ctx.constant, None
""",
    ),
    (
        "12.MulConstant",
        "wrong",
        "backward does not look whether grad_output is None and multiplies None",
        """
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return x * constant

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant, None
""",
    ),
    (
        "12.MulConstant",
        "wrong",
        "the None for constant is missing: backward returns one value, forward has two arguments",
        """
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
        return grad_output * ctx.constant
""",
    ),
    (
        "12.MulConstant",
        "wrong",
        "if no gradient comes, backward returns a single None; it must return one for each of the two arguments",
        """
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return x * constant

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None
        return grad_output * ctx.constant, None
""",
    ),
    (
        "12.MulConstant",
        "wrong",
        "if no gradient comes, backward makes a tensor of zeros for x instead of returning None",
        """
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        ctx.constant = constant
        return x * constant

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        if grad_output is None:
            return torch.zeros_like(x), None
        return grad_output * ctx.constant, None
""",
    ),
    (
        "12.MulConstant",
        "wrong",
        "set_materialize_grads(False) is called in backward, too late: grad_output was already filled with zeros",
        """
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.constant = constant
        return x * constant

    @staticmethod
    def backward(ctx, grad_output):
        ctx.set_materialize_grads(False)
        if grad_output is None:
            return None, None
        return grad_output * ctx.constant, None
""",
    ),
    (
        "12.MulConstant",
        "wrong",
        "`if not grad_output` asks for the truth value of a tensor, which fails for more than one entry; `is None` is meant",
        """
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return x * constant

    @staticmethod
    def backward(ctx, grad_output):
        if not grad_output:
            return None, None
        return grad_output * ctx.constant, None
""",
    ),
    (
        "12.MulConstant",
        "wrong",
        "save_for_backward is only for tensors, constant is a number; it belongs in an attribute of ctx",
        """
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(constant)
        return x * constant

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        (constant,) = ctx.saved_tensors
        return grad_output * constant, None
""",
    ),
    (
        "12.MulConstant",
        "wrong",
        "backward also returns a gradient for constant, which is a number: this must be None",
        """
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        ctx.constant = constant
        return x * constant

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        (x,) = ctx.saved_tensors
        return grad_output * ctx.constant, (grad_output * x).sum()
""",
    ),
    (
        "12.MulConstant",
        "wrong",
        "the constant is rounded down to an int before it is kept, so the gradient is wrong for 2.5",
        """
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = int(constant)
        return x * constant

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        return grad_output * ctx.constant, None
""",
    ),
    (
        "12.MulConstant",
        "wrong",
        "forward multiplies x in place, so it changes its argument",
        """
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        x.data *= constant
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        return grad_output * ctx.constant, None
""",
    ),
    (
        "12.MulConstant",
        "right",
        "setup_context sets the option; one conditional expression in backward",
        """
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
""",
    ),
    (
        "12.MulConstant",
        "wrong",
        "asks for None, but backward multiplies None by the constant",
        """
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return x * constant

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant, None
""",
    ),
    (
        "12.MulConstant",
        "wrong",
        "set_materialize_grads is called in backward, too late: it gets zeros instead of None",
        """
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.constant = constant
        return x * constant

    @staticmethod
    def backward(ctx, grad_output):
        ctx.set_materialize_grads(False)
        if grad_output is None:
            return None, None
        return grad_output * ctx.constant, None
""",
    ),
    (
        "12.MulConstant",
        "wrong",
        "returns zeros instead of None when no gradient arrives",
        """
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.shape, ctx.dtype = x.shape, x.dtype
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return x * constant

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return torch.zeros(ctx.shape, dtype=ctx.dtype), None
        return grad_output * ctx.constant, None
""",
    ),
    (
        "12.MulConstant",
        "wrong",
        "returns a single None for two arguments when no gradient arrives",
        """
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return x * constant

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None
        return grad_output * ctx.constant, None
""",
    ),
    (
        "12.MulConstant",
        "wrong",
        "returns a gradient for the number constant, which must get None",
        """
class MulConstant(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.save_for_backward(x)
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return x * constant

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        (x,) = ctx.saved_tensors
        return grad_output * ctx.constant, (grad_output * x).sum()
""",
    ),
    (
        "12.MatMul",
        "right",
        "the gradients as transposes of products the other way round",
        """
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
""",
    ),
    (
        "12.MatMul",
        "right",
        "setup_context and einsum",
        """
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
""",
    ),
    (
        "12.MatMul",
        "right",
        "products and sums with broadcasting, saves only what is needed",
        """
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
""",
    ),
    (
        "12.MatMul",
        "wrong",
        "both gradients are always computed, needs_input_grad is not asked",
        """
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output @ b.t(), a.t() @ grad_output
""",
    ),
    (
        "12.MatMul",
        "wrong",
        "both products are computed first and only then left out of the result; needs_input_grad must be asked before the product",
        """
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
""",
    ),
    (
        "12.MatMul",
        "wrong",
        "b is not transposed in the gradient of a",
        """
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_a = grad_output @ b
        if ctx.needs_input_grad[1]:
            grad_b = a.t() @ grad_output
        return grad_a, grad_b
""",
    ),
    (
        "12.MatMul",
        "wrong",
        "the factors of the gradient of b are in the wrong order",
        """
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_a = grad_output @ b.t()
        if ctx.needs_input_grad[1]:
            grad_b = grad_output @ a.t()
        return grad_a, grad_b
""",
    ),
    (
        "12.MatMul",
        "wrong",
        "`if ctx.needs_input_grad` asks the whole tuple, which is always true; entry 1 is meant",
        """
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_a = grad_output @ b.t()
        if ctx.needs_input_grad:
            grad_b = a.t() @ grad_output
        return grad_a, grad_b
""",
    ),
    (
        "12.MatMul",
        "wrong",
        "needs_input_grad does not count ctx: its entries are 0 and 1, here 1 and 2 are asked",
        """
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a = grad_b = None
        if ctx.needs_input_grad[1]:
            grad_a = grad_output @ b.t()
        if ctx.needs_input_grad[2]:
            grad_b = a.t() @ grad_output
        return grad_a, grad_b
""",
    ),
    (
        "12.MatMul",
        "wrong",
        "the conditions are exchanged: the gradient of a is computed if b needs one, and the other way round",
        """
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        need_b, need_a = ctx.needs_input_grad
        grad_a = grad_output @ b.t() if need_a else None
        grad_b = a.t() @ grad_output if need_b else None
        return grad_a, grad_b
""",
    ),
    (
        "12.MatMul",
        "wrong",
        "save_for_backward is called twice: the second call replaces what the first one saved",
        """
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a)
        ctx.save_for_backward(b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_a = grad_output @ b.t()
        if ctx.needs_input_grad[1]:
            grad_b = a.t() @ grad_output
        return grad_a, grad_b
""",
    ),
    (
        "12.MatMul",
        "wrong",
        "the two gradients are returned in the wrong order",
        """
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_a = grad_output @ b.t()
        if ctx.needs_input_grad[1]:
            grad_b = a.t() @ grad_output
        return grad_b, grad_a
""",
    ),
    (
        "12.MatMul",
        "wrong",
        "`*` multiplies entry by entry, the matrix product is `@`",
        """
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_a = grad_output @ b.t()
        if ctx.needs_input_grad[1]:
            grad_b = a.t() @ grad_output
        return grad_a, grad_b
""",
    ),
    (
        "12.MatMul",
        "wrong",
        "early return after the gradient of a: if both are wanted, the gradient of b is None",
        """
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        if ctx.needs_input_grad[0]:
            return grad_output @ b.t(), None
        return None, a.t() @ grad_output
""",
    ),
    (
        "12.MatMul",
        "wrong",
        "if only one gradient is wanted, only that one value is returned; there must always be two",
        """
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grads = []
        if ctx.needs_input_grad[0]:
            grads.append(grad_output @ b.t())
        if ctx.needs_input_grad[1]:
            grads.append(a.t() @ grad_output)
        return tuple(grads)
""",
    ),
    (
        "12.MatMul",
        "right",
        "transposes the products: (b @ grad.t()).t() and (grad.t() @ a).t()",
        """
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
""",
    ),
    (
        "12.MatMul",
        "wrong",
        "the questions are mixed up: the gradient of a depends on whether b needs one",
        """
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a = grad_output @ b.t() if ctx.needs_input_grad[1] else None
        grad_b = a.t() @ grad_output if ctx.needs_input_grad[0] else None
        return grad_a, grad_b
""",
    ),
    (
        "12.MatMul",
        "wrong",
        "elif instead of if: b gets no gradient when both need one",
        """
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_a = grad_output @ b.t()
        elif ctx.needs_input_grad[1]:
            grad_b = a.t() @ grad_output
        return grad_a, grad_b
""",
    ),
    (
        "12.MatMul",
        "wrong",
        "returns only the gradients that are needed, without None for the other argument",
        """
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        gradients = []
        if ctx.needs_input_grad[0]:
            gradients.append(grad_output @ b.t())
        if ctx.needs_input_grad[1]:
            gradients.append(a.t() @ grad_output)
        return tuple(gradients)
""",
    ),
    (
        "12.MatMul",
        "wrong",
        "b is not transposed in the gradient of a",
        """
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_a = grad_output @ b
        if ctx.needs_input_grad[1]:
            grad_b = a.t() @ grad_output
        return grad_a, grad_b
""",
    ),
    (
        "12.MatMul",
        "wrong",
        "returns zeros instead of None for an argument that needs no gradient",
        """
class MatMul(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a, grad_b = torch.zeros_like(a), torch.zeros_like(b)
        if ctx.needs_input_grad[0]:
            grad_a = grad_output @ b.t()
        if ctx.needs_input_grad[1]:
            grad_b = a.t() @ grad_output
        return grad_a, grad_b
""",
    ),
    (
        "12.BroadcastAdd",
        "right",
        "sum_to_size",
        """
class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = x.shape, y.shape
        return torch.add(x, y)

    @staticmethod
    def backward(ctx, grad_output):
        return tuple(grad_output.sum_to_size(shape) for shape in ctx.shapes)
""",
    ),
    (
        "12.BroadcastAdd",
        "right",
        "shape filled with ones in front, all dimensions of size 1 summed one after the other, reshape at the end; setup_context",
        """
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
""",
    ),
    (
        "12.BroadcastAdd",
        "right",
        "saves the tensors; sums leading dimensions in a while loop, then those of size 1 counted from the end",
        """
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
""",
    ),
    (
        "12.BroadcastAdd",
        "right",
        "counts with index_add: each entry of the result is added to the entry of the argument it came from",
        """
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
""",
    ),
    (
        "12.BroadcastAdd",
        "wrong",
        "the gradients are not summed at all: both have the shape of the result",
        """
class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output
""",
    ),
    (
        "12.BroadcastAdd",
        "wrong",
        "only the new dimensions in front are summed, not those where the argument has size 1",
        """
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g.sum(0)
    return g

class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.x_shape, ctx.y_shape = x.shape, y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return unbroadcast(grad_output, ctx.x_shape), unbroadcast(grad_output, ctx.y_shape)
""",
    ),
    (
        "12.BroadcastAdd",
        "wrong",
        "only dimensions of size 1 are summed, the new dimensions in front are not summed away",
        """
def unbroadcast(g, shape):
    for d in range(1, len(shape) + 1):
        if shape[-d] == 1:
            g = g.sum(-d, keepdim=True)
    return g

class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.x_shape, ctx.y_shape = x.shape, y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return unbroadcast(grad_output, ctx.x_shape), unbroadcast(grad_output, ctx.y_shape)
""",
    ),
    (
        "12.BroadcastAdd",
        "wrong",
        "keepdim=True is missing: the dimensions of size 1 disappear from the gradient",
        """
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g.sum(0)
    ones = [d for d in range(len(shape)) if shape[d] == 1]
    if ones:
        g = g.sum(ones)
    return g

class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.x_shape, ctx.y_shape = x.shape, y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return unbroadcast(grad_output, ctx.x_shape), unbroadcast(grad_output, ctx.y_shape)
""",
    ),
    (
        "12.BroadcastAdd",
        "wrong",
        "takes the mean over the repeated dimensions of size 1, it should be the sum",
        """
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g.sum(0)
    for d in range(len(shape)):
        if shape[d] == 1:
            g = g.mean(d, keepdim=True)
    return g

class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.x_shape, ctx.y_shape = x.shape, y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return unbroadcast(grad_output, ctx.x_shape), unbroadcast(grad_output, ctx.y_shape)
""",
    ),
    (
        "12.BroadcastAdd",
        "wrong",
        "if instead of while: only one of several new dimensions in front is summed",
        """
def unbroadcast(g, shape):
    if g.dim() > len(shape):
        g = g.sum(0)
    for d in range(1, len(shape) + 1):
        if shape[-d] == 1:
            g = g.sum(-d, keepdim=True)
    return g

class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.x_shape, ctx.y_shape = x.shape, y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return unbroadcast(grad_output, ctx.x_shape), unbroadcast(grad_output, ctx.y_shape)
""",
    ),
    (
        "12.BroadcastAdd",
        "wrong",
        "only the gradient of y is summed; x can be the smaller one too",
        """
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g.sum(0)
    for d in range(len(shape)):
        if shape[d] == 1:
            g = g.sum(d, keepdim=True)
    return g

class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.y_shape = y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, unbroadcast(grad_output, ctx.y_shape)
""",
    ),
    (
        "12.BroadcastAdd",
        "wrong",
        "the loop over the dimensions of size 1 begins at 1, so dimension 0 is left out",
        """
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g.sum(0)
    for d in range(1, len(shape)):
        if shape[d] == 1:
            g = g.sum(d, keepdim=True)
    return g

class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.x_shape, ctx.y_shape = x.shape, y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return unbroadcast(grad_output, ctx.x_shape), unbroadcast(grad_output, ctx.y_shape)
""",
    ),
    (
        "12.BroadcastAdd",
        "wrong",
        "the new dimensions are summed away at the end of the shape, but broadcasting puts them in front",
        """
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g.sum(-1)
    for d in range(len(shape)):
        if shape[d] == 1:
            g = g.sum(d, keepdim=True)
    return g

class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.x_shape, ctx.y_shape = x.shape, y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return unbroadcast(grad_output, ctx.x_shape), unbroadcast(grad_output, ctx.y_shape)
""",
    ),
    (
        "12.BroadcastAdd",
        "wrong",
        "forward expands x to the shape of y, which fails if y is the smaller one",
        """
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g.sum(0)
    for d in range(len(shape)):
        if shape[d] == 1:
            g = g.sum(d, keepdim=True)
    return g

class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.x_shape, ctx.y_shape = x.shape, y.shape
        return x.expand_as(y) + y

    @staticmethod
    def backward(ctx, grad_output):
        return unbroadcast(grad_output, ctx.x_shape), unbroadcast(grad_output, ctx.y_shape)
""",
    ),
    (
        "12.BroadcastAdd",
        "wrong",
        "takes the first entry along a repeated dimension instead of the sum",
        """
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g[0]
    for d in range(len(shape)):
        if shape[d] == 1:
            g = g.sum(d, keepdim=True)
    return g

class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.x_shape, ctx.y_shape = x.shape, y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return unbroadcast(grad_output, ctx.x_shape), unbroadcast(grad_output, ctx.y_shape)
""",
    ),
    (
        "12.BroadcastAdd",
        "wrong",
        "break after the first dimension of size 1: with several at once only one is summed",
        """
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g.sum(0)
    for d in range(len(shape)):
        if shape[d] == 1 and g.shape[d] > 1:
            g = g.sum(d, keepdim=True)
            break
    return g

class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.x_shape, ctx.y_shape = x.shape, y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return unbroadcast(grad_output, ctx.x_shape), unbroadcast(grad_output, ctx.y_shape)
""",
    ),
    (
        "12.BroadcastAdd",
        "wrong",
        "fails for a tensor without dimensions: shape[0] is asked",
        """
def unbroadcast(g, shape):
    while g.dim() > len(shape):
        g = g.sum(0)
    if shape[0] == 1:
        g = g.sum(0, keepdim=True)
    for d in range(1, len(shape)):
        if shape[d] == 1:
            g = g.sum(d, keepdim=True)
    return g

class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.x_shape, ctx.y_shape = x.shape, y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return unbroadcast(grad_output, ctx.x_shape), unbroadcast(grad_output, ctx.y_shape)
""",
    ),
    (
        "12.BroadcastAdd",
        "right",
        "pads the shape with ones in front, sums where it is 1 with keepdim, reshapes at the end",
        """
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
""",
    ),
    (
        "12.BroadcastAdd",
        "wrong",
        "sums only the new dimensions in front, not those where the argument has size 1",
        """
def unbroadcast(gradient, shape):
    while gradient.dim() > len(shape):
        gradient = gradient.sum(0)
    return gradient


class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = x.shape, y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return unbroadcast(grad_output, ctx.shapes[0]), unbroadcast(grad_output, ctx.shapes[1])
""",
    ),
    (
        "12.BroadcastAdd",
        "wrong",
        "only the gradient of y is summed: x is taken to be the larger one",
        """
def unbroadcast(gradient, shape):
    while gradient.dim() > len(shape):
        gradient = gradient.sum(0)
    for d in range(len(shape)):
        if shape[d] == 1 and gradient.shape[d] != 1:
            gradient = gradient.sum(d, keepdim=True)
    return gradient


class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = x.shape, y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, unbroadcast(grad_output, ctx.shapes[1])
""",
    ),
    (
        "12.BroadcastAdd",
        "wrong",
        "if instead of while: only one of several new dimensions in front is summed",
        """
def unbroadcast(gradient, shape):
    if gradient.dim() > len(shape):
        gradient = gradient.sum(0)
    for d in range(min(len(shape), gradient.dim())):
        if shape[d] == 1 and gradient.shape[d] != 1:
            gradient = gradient.sum(d, keepdim=True)
    return gradient


class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = x.shape, y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return unbroadcast(grad_output, ctx.shapes[0]), unbroadcast(grad_output, ctx.shapes[1])
""",
    ),
    (
        "12.BroadcastAdd",
        "wrong",
        "takes the mean instead of the sum over dimensions where the argument has size 1",
        """
def unbroadcast(gradient, shape):
    while gradient.dim() > len(shape):
        gradient = gradient.sum(0)
    for d in range(len(shape)):
        if shape[d] == 1 and gradient.shape[d] != 1:
            gradient = gradient.mean(d, keepdim=True)
    return gradient


class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = x.shape, y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return unbroadcast(grad_output, ctx.shapes[0]), unbroadcast(grad_output, ctx.shapes[1])
""",
    ),
    (
        "12.BroadcastAdd",
        "wrong",
        "the list of dimensions may be empty, and a sum over an empty list of dimensions is a sum over all",
        """
def unbroadcast(gradient, shape):
    extra = gradient.dim() - len(shape)
    dims = list(range(extra))
    for d in range(len(shape)):
        if shape[d] == 1 and gradient.shape[extra + d] != 1:
            dims.append(extra + d)
    gradient = gradient.sum(dim=dims, keepdim=True)
    for _ in range(extra):
        gradient = gradient.squeeze(0)
    return gradient


class BroadcastAdd(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = x.shape, y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return unbroadcast(grad_output, ctx.shapes[0]), unbroadcast(grad_output, ctx.shapes[1])
""",
    ),
    (
        "12.Clamp",
        "right",
        "torch.clamp and comparison of x with the saved result",
        """
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
""",
    ),
    (
        "12.Clamp",
        "right",
        "setup_context, product of signs as a mask, middle of the range",
        """
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
""",
    ),
    (
        "12.Clamp",
        "right",
        "writes into a copy, saves the mask, writes zeros into a copy of grad_output",
        """
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
""",
    ),
    (
        "12.Clamp",
        "right",
        "minimum of a maximum, slope 1 minus the two steps",
        """
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
""",
    ),
    (
        "12.Clamp",
        "wrong",
        "the slope is taken as 1 everywhere, outside the bounds it is 0",
        """
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, None, None
""",
    ),
    (
        "12.Clamp",
        "wrong",
        "the mask is inverted: the gradient passes outside the bounds and is 0 inside",
        """
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        mask = (x < ctx.low) | (x > ctx.high)
        return grad_output * mask, None, None
""",
    ),
    (
        "12.Clamp",
        "wrong",
        "`or` between the conditions makes the mask true everywhere; both must hold",
        """
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        mask = (x > ctx.low) | (x < ctx.high)
        return grad_output * mask, None, None
""",
    ),
    (
        "12.Clamp",
        "wrong",
        "backward looks only at the upper bound: below low the slope must be 0 too",
        """
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.high = high
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (x < ctx.high), None, None
""",
    ),
    (
        "12.Clamp",
        "wrong",
        "backward returns only the gradient of x; the two None for low and high are missing",
        """
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        mask = (x > ctx.low) & (x < ctx.high)
        return grad_output * mask
""",
    ),
    (
        "12.Clamp",
        "wrong",
        "forward writes the bounds into x itself, so it changes its argument",
        """
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.mask = (x > low) & (x < high)
        result = x.detach()
        result[result < low] = low
        result[result > high] = high
        return result.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.mask, None, None
""",
    ),
    (
        "12.Clamp",
        "wrong",
        "`low < x < high` asks for the truth value of a tensor, which fails for more than one entry",
        """
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        mask = ctx.low < x < ctx.high
        return grad_output * mask, None, None
""",
    ),
    (
        "12.Clamp",
        "wrong",
        "`if low:` takes a bound of 0 for a missing one, so nothing is limited from below then",
        """
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        result = x.clone()
        if low:
            result = torch.where(x < low, torch.full_like(x, low), result)
        result = torch.where(x > high, torch.full_like(x, high), result)
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        mask = (x > ctx.low) & (x < ctx.high)
        return grad_output * mask, None, None
""",
    ),
    (
        "12.Clamp",
        "wrong",
        "backward compares |x| with high, as if low were always -high",
        """
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.high = high
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (x.abs() < ctx.high), None, None
""",
    ),
    (
        "12.Clamp",
        "wrong",
        "grad_output is missing: backward returns the slope itself",
        """
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        mask = (x > ctx.low) & (x < ctx.high)
        return mask.to(x.dtype), None, None
""",
    ),
    (
        "12.Clamp",
        "wrong",
        "entries outside the bounds become 0 instead of the bound",
        """
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        return x * ((x > low) & (x < high))

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        mask = (x > ctx.low) & (x < ctx.high)
        return grad_output * mask, None, None
""",
    ),
    (
        "12.Clamp",
        "wrong",
        "the bounds are kept on the class, so the next call with other bounds overwrites them",
        """
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        Clamp.low, Clamp.high = low, high
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        mask = (x > Clamp.low) & (x < Clamp.high)
        return grad_output * mask, None, None
""",
    ),
    (
        "12.Clamp",
        "wrong",
        "in the gradient the slope is multiplied by the clamped value too (the result is saved and used as a factor)",
        """
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        result = x.clamp(low, high)
        ctx.save_for_backward(x, result)
        ctx.low, ctx.high = low, high
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, result = ctx.saved_tensors
        mask = (x > ctx.low) & (x < ctx.high)
        return grad_output * mask * result, None, None
""",
    ),
    (
        "12.Clamp",
        "right",
        "saves x and the result and compares them; masked_fill",
        """
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
""",
    ),
    (
        "12.Clamp",
        "wrong",
        "the gradient is not stopped below low",
        """
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.bounds = low, high
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        low, high = ctx.bounds
        return grad_output * (x < high), None, None
""",
    ),
    (
        "12.Clamp",
        "wrong",
        "forward writes the bounds into x itself",
        """
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward((x >= low) & (x <= high))
        x[x < low] = low
        x[x > high] = high
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        (inside,) = ctx.saved_tensors
        return grad_output * inside, None, None
""",
    ),
    (
        "12.Clamp",
        "wrong",
        "backward compares the absolute value with high, as if low were always -high",
        """
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.bounds = low, high
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        low, high = ctx.bounds
        return grad_output * (x.abs() <= high), None, None
""",
    ),
    (
        "12.Clamp",
        "wrong",
        "a bound of 0 is ignored, because 0 counts as false",
        """
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
""",
    ),
    (
        "12.Clamp",
        "wrong",
        "returns one value instead of three: None for low and high is missing",
        """
class Clamp(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.bounds = low, high
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        low, high = ctx.bounds
        return grad_output * ((x > low) & (x < high))
""",
    ),
]
