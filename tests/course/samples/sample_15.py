"""Answers to notebook 15 by people who saw the statements alone: right ones and wrong ones with what is wrong."""

ANSWERS = [
    (
        "15.NewtonSqrt",
        "right",
        "begins with the Python number 1.0, takes 50 steps, setup_context saves the result",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(a):
        x = 1.0
        for _ in range(50):
            x = 0.5 * (x + a / x)
        return x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return 0.5 * grad_output * x.reciprocal()
""",
    ),
    (
        "15.NewtonSqrt",
        "right",
        "one number at a time with Python floats, then reshaped",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        roots = []
        for number in a.flatten().tolist():
            x = 1.0
            for _ in range(30):
                x = (x + number / x) / 2
            roots.append(x)
        result = torch.tensor(roots, dtype=a.dtype).reshape(a.shape)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        return (grad_output / ctx.saved_tensors[0] / 2,)
""",
    ),
    (
        "15.NewtonSqrt",
        "right",
        "in place on a tensor of its own",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones(a.shape, dtype=a.dtype)
        for _ in range(25):
            x += a / x
            x /= 2
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        (root,) = ctx.saved_tensors
        slope = 1 / (root + root)
        return torch.mul(slope, grad_output)
""",
    ),
    (
        "15.NewtonSqrt",
        "right",
        "the step of Newton's method written as x - f / f', with NumPy",
        """
import numpy as np

class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        numbers = a.detach().numpy().astype(np.float64)
        x = np.ones(numbers.shape)
        for _ in range(24):
            x = x - (x * x - numbers) / (2 * x)
        result = torch.tensor(x, dtype=a.dtype)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * (2 * x) ** -1
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "too few steps: 10 are not enough for large and small numbers",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(10):
            x = (x + a / x) / 2
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output / (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "the factor 2 is missing in the slope",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = (x + a / x) / 2
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output / x
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "parentheses: only a / x is halved, not the sum",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = x + a / x / 2
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output / (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "the slope is upside down: 2x is how a changes with x",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = (x + a / x) / 2
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "backward works from a, not from the saved result: it is wrong if a is changed after forward",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = (x + a / x) / 2
        ctx.a = a
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x = torch.sqrt(ctx.a)
        return grad_output / (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "a is saved instead of the result: backward fails if a is changed after forward",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = (x + a / x) / 2
        ctx.save_for_backward(a)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x = torch.sqrt(ctx.saved_tensors[0])
        return grad_output / (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "a copy of the result is kept, which has no connection to a: the second derivative is wrong",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = (x + a / x) / 2
        ctx.x = x.clone()
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x = ctx.x
        return grad_output / (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "backward computes with NumPy, so it cannot be differentiated once more",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = (x + a / x) / 2
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return torch.tensor(grad_output.detach().numpy() / (2 * x.detach().numpy()))
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "stops as soon as a step changes x by less than 0.001: not accurate to nine digits",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        while True:
            old = x
            x = (x + a / x) / 2
            if (x - old).abs().max() < 1e-3:
                break
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output / (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "a list of numbers is made into a tensor without a dtype: the result is always float32",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        roots = []
        for number in a.flatten().tolist():
            x = 1.0
            for _ in range(20):
                x = (x + number / x) / 2
            roots.append(x)
        result = torch.tensor(roots).reshape(a.shape)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output / (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "x = a is no copy: the steps in place change the argument",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        number = a.clone()
        x = a
        for _ in range(20):
            x += number / x
            x /= 2
        x = x.clone()
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output / (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "grad_output is forgotten",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = (x + a / x) / 2
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return 1 / (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "the return is inside the loop: only one step",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = (x + a / x) / 2
            ctx.save_for_backward(x)
            return x

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output / (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "loops over the entries of a vector: wrong or failing for matrices and for a tensor with no dimensions",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for i in range(len(a)):
            number = a[i].item()
            root = 1.0
            for _ in range(20):
                root = (root + number / root) / 2
            x[i] = root
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output / (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "the result is kept on the class, so a second call disturbs the first",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = (x + a / x) / 2
        NewtonSqrt.x = x
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x = NewtonSqrt.x
        return grad_output / (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "backward changes grad_output in place",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = (x + a / x) / 2
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        grad_output /= 2 * x
        return grad_output
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "the saved x is the one before the last steps (saved too early, after 5 of the 20)",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for step in range(20):
            x = (x + a / x) / 2
            if step == 4:
                ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output / (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "the same root for all entries: the mean of a / x is used in the step",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = (x + (a / x).mean()) / 2
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output / (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "x is detached in backward, so the second derivative is wrong",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = (x + a / x) / 2
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x = ctx.saved_tensors[0].detach()
        return grad_output / (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "the sign of the gradient is wrong (minus, as if the equation were x * x + a = 0)",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = (x + a / x) / 2
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return -grad_output / (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "right",
        "Newton's loop for each entry with numbers of Python, started at a itself; setup_context saves the result",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(a):
        roots = []
        for number in a.detach().reshape(-1).tolist():
            x = number
            for _ in range(40):
                x -= (x * x - number) / (x + x)
            roots.append(x)
        return torch.tensor(roots, dtype=a.dtype).reshape(a.shape)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        root = ctx.saved_tensors[0]
        return 0.5 * grad_output * root ** -1
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "only 8 steps, too few for numbers far from 1 such as 10,000 or 0.0002",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(8):
            x = (x + a / x) / 2
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output / (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "backward multiplies by 2x, the slope of a for x, instead of dividing by it",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = (x + a / x) / 2
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "backward takes the root of a again from ctx.a instead of the saved result, so it is wrong if a is changed after forward",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = (x + a / x) / 2
        ctx.a = a
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output / (2 * torch.sqrt(ctx.a))
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "backward computes with detached numbers, so it cannot be differentiated once more",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = (x + a / x) / 2
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x = torch.tensor(ctx.saved_tensors[0].detach().numpy())
        return grad_output / (2 * x)
""",
    ),
    (
        "15.NewtonSqrt",
        "wrong",
        "the start is always float64, so a float32 argument gives a float64 result",
        """
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones(a.shape, dtype=torch.float64)
        for _ in range(20):
            x = (x + a / x) / 2
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output / (2 * x)
""",
    ),
    (
        "15.FixedPoint",
        "right",
        "divides the equation by the slope of tanh: solves (diag(1/d) - W^T) v = g",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.tanh(b)
        for _ in range(200):
            x = (W.mv(x) + b).tanh()
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        v = torch.linalg.solve(torch.diag(1 / (1 - x ** 2)) - W.T, g)
        grads = [None, None]
        if ctx.needs_input_grad[0]:
            grads[0] = v.unsqueeze(1) * x.unsqueeze(0)
        if ctx.needs_input_grad[1]:
            grads[1] = v
        return tuple(grads)
""",
    ),
    (
        "15.FixedPoint",
        "right",
        "backward is a fixed point too: repeats v <- d * (g + W^T v)",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(W, b):
        x = 0 * b
        for _ in range(120):
            x = torch.tanh((W * x).sum(dim=1) + b)
        return x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], output)

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        v = torch.zeros_like(x)
        for _ in range(120):
            v = (1 - x.square()) * (grad_output + v @ W)
        need_W, need_b = ctx.needs_input_grad
        return (torch.outer(v, x) if need_W else None), (v if need_b else None)
""",
    ),
    (
        "15.FixedPoint",
        "right",
        "NumPy with the inverse matrix; rows scaled by broadcasting",
        """
import numpy as np

class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        w, c = W.detach().numpy().copy(), b.detach().numpy()
        x = np.zeros_like(c)
        for _ in range(100):
            x = np.tanh(w.dot(x) + c)
        ctx.w, ctx.x = w, x.copy()
        return torch.tensor(x, dtype=b.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        w, x = ctx.w, ctx.x
        d = 1 - x ** 2
        inverse = np.linalg.inv(np.eye(len(x), dtype=x.dtype) - d[:, None] * w)
        v = (grad_output.detach().numpy() @ inverse) * d
        grad_W = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_W = torch.tensor(np.outer(v, x))
        if ctx.needs_input_grad[1]:
            grad_b = torch.tensor(v)
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "right",
        "Newton's method in forward, and the gradient from the matrix of slopes dx/db",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        n = b.shape[0]
        x = torch.zeros(n, dtype=b.dtype)
        for _ in range(5):
            x = torch.tanh(W @ x + b)
        for _ in range(95):
            t = torch.tanh(W @ x + b)
            x = x - torch.linalg.solve(torch.eye(n, dtype=b.dtype) - (1 - t * t).reshape(n, 1) * W, x - t)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        D = torch.diag(1 - x * x)
        slopes = torch.linalg.solve(torch.eye(len(x), dtype=x.dtype) - D @ W, D)      # slopes[i, j] = dx_i / db_j
        v = slopes.T @ grad_output
        grad_W = v.reshape(-1, 1) @ x.reshape(1, -1) if ctx.needs_input_grad[0] else None
        return grad_W, v if ctx.needs_input_grad[1] else None
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "the matrix is not transposed in the system of equations",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        d = 1 - x * x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - torch.diag(d) @ W
        v = d * torch.linalg.solve(J, grad_output)
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "the slope of tanh is missing after solving (v = solution, not d times the solution)",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        d = 1 - x * x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - torch.diag(d) @ W
        v = torch.linalg.solve(J.T, grad_output)
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "the gradient of W is transposed: outer(x, v) instead of outer(v, x)",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        d = 1 - x * x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - torch.diag(d) @ W
        v = d * torch.linalg.solve(J.T, grad_output)
        grad_W = torch.outer(x, v) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "tanh is applied once more: the slope is 1 - x², since x is already the tanh",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        d = 1 - torch.tanh(x) ** 2
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - torch.diag(d) @ W
        v = d * torch.linalg.solve(J.T, grad_output)
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "only the last step is differentiated: the x inside tanh is treated as a constant",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        d = 1 - x * x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - torch.diag(d) @ W
        v = d * grad_output
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "needs_input_grad is ignored: both gradients are always computed",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        d = 1 - x * x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - torch.diag(d) @ W
        v = d * torch.linalg.solve(J.T, grad_output)
        grad_W = torch.outer(v, x)
        grad_b = v
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "the two entries of needs_input_grad are mixed up",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        d = 1 - x * x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - torch.diag(d) @ W
        v = d * torch.linalg.solve(J.T, grad_output)
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[1] else None
        grad_b = v if ctx.needs_input_grad[0] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "returns None for both arguments if one of them needs no gradient",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        if not all(ctx.needs_input_grad):
            return None, None
        W, x = ctx.saved_tensors
        d = 1 - x * x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - torch.diag(d) @ W
        v = d * torch.linalg.solve(J.T, grad_output)
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "too few steps: 10 are not enough for nine digits",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(10):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        d = 1 - x * x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - torch.diag(d) @ W
        v = d * torch.linalg.solve(J.T, grad_output)
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "wrong sign in the matrix: I + D W instead of I - D W",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        d = 1 - x * x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) + torch.diag(d) @ W
        v = d * torch.linalg.solve(J.T, grad_output)
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "b is added outside of tanh in forward",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x) + b
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        d = 1 - x * x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - torch.diag(d) @ W
        v = d * torch.linalg.solve(J.T, grad_output)
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "forward multiplies from the wrong side: x @ W uses the columns of W",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(x @ W + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        d = 1 - x * x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - torch.diag(d) @ W
        v = d * torch.linalg.solve(J.T, grad_output)
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "the slopes scale the columns of W instead of its rows (d * W is W D, not D W)",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        d = 1 - x * x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - d * W
        v = d * torch.linalg.solve(J.T, grad_output)
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "the gradient of W is built with b instead of x",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x, b)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x, b = ctx.saved_tensors
        d = 1 - x * x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - torch.diag(d) @ W
        v = d * torch.linalg.solve(J.T, grad_output)
        grad_W = torch.outer(v, b) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "the zeros at the beginning have the default dtype float32: float64 arguments do not work",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros(b.shape[0])
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        d = 1 - x * x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - torch.diag(d) @ W
        v = d * torch.linalg.solve(J.T, grad_output)
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "W and x are kept on the class, so a second call disturbs the first",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        FixedPoint.saved = (W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = FixedPoint.saved
        d = 1 - x * x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - torch.diag(d) @ W
        v = d * torch.linalg.solve(J.T, grad_output)
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "the return is inside the loop: only one step",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
            ctx.save_for_backward(W, x)
            return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        d = 1 - x * x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - torch.diag(d) @ W
        v = d * torch.linalg.solve(J.T, grad_output)
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "the gradients are returned in the wrong order (b first)",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        d = 1 - x * x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - torch.diag(d) @ W
        v = d * torch.linalg.solve(J.T, grad_output)
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_b, grad_W
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "forward changes b in place",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        start = b.clone()
        for _ in range(100):
            b.copy_(W @ x + start)
            x = torch.tanh(b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        d = 1 - x * x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - torch.diag(d) @ W
        v = d * torch.linalg.solve(J.T, grad_output)
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "the slope is 1 - x instead of 1 - x²",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        d = 1 - x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - torch.diag(d) @ W
        v = d * torch.linalg.solve(J.T, grad_output)
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "an argument that needs no gradient gets zeros instead of None",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        d = 1 - x * x
        n = x.shape[0]
        J = torch.eye(n, dtype=x.dtype) - torch.diag(d) @ W
        v = d * torch.linalg.solve(J.T, grad_output)
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else torch.zeros_like(W)
        grad_b = v if ctx.needs_input_grad[1] else torch.zeros_like(v)
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "right",
        "backward finds v from v = slope * (g + W^T v) by a loop of its own, instead of solving a system",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = b * 0
        for _ in range(150):
            x = (W * x).sum(dim=1).add(b).tanh()
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        slope = (1 - x) * (1 + x)
        v = slope * grad_output
        for _ in range(150):
            v = slope * (grad_output + v @ W)
        answers = [None, None]
        if ctx.needs_input_grad[1]:
            answers[1] = v
        if ctx.needs_input_grad[0]:
            answers[0] = v[:, None] * x[None, :]
        return tuple(answers)
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "the system is solved with the matrix itself instead of its transpose",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        jacobian = torch.eye(len(x), dtype=x.dtype) - slope.unsqueeze(1) * W
        v = slope * torch.linalg.solve(jacobian, grad_output)
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "the gradient of W is transposed: outer(x, v) instead of outer(v, x)",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        jacobian = torch.eye(len(x), dtype=x.dtype) - slope.unsqueeze(1) * W
        v = slope * torch.linalg.solve(jacobian.T, grad_output)
        grad_W = torch.outer(x, v) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "both gradients are always computed; needs_input_grad is ignored",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        jacobian = torch.eye(len(x), dtype=x.dtype) - slope.unsqueeze(1) * W
        v = slope * torch.linalg.solve(jacobian.T, grad_output)
        grad_W = torch.outer(v, x)
        grad_b = v
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "only the last step of the loop is differentiated: the way through x on the right side of the equation (the solve with I - D W) is missing",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        jacobian = torch.eye(len(x), dtype=x.dtype) - slope.unsqueeze(1) * W
        v = slope * grad_output
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.FixedPoint",
        "wrong",
        "the loop stops after 10 steps, before x has settled",
        """
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(10):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        jacobian = torch.eye(len(x), dtype=x.dtype) - slope.unsqueeze(1) * W
        v = slope * torch.linalg.solve(jacobian.T, grad_output)
        grad_W = torch.outer(v, x) if ctx.needs_input_grad[0] else None
        grad_b = v if ctx.needs_input_grad[1] else None
        return grad_W, grad_b
""",
    ),
    (
        "15.CholeskyFactor",
        "right",
        "the loop in forward, with A's two entries averaged one at a time; solve in backward",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        n = A.shape[0]
        L = torch.zeros(n, n, dtype=A.dtype)
        for i in range(n):
            for j in range(i + 1):
                rest = (A[i, j] + A[j, i]) / 2
                for k in range(j):
                    rest = rest - L[i, k] * L[j, k]
                if i == j:
                    L[i, i] = torch.sqrt(rest)
                else:
                    L[i, j] = rest / L[j, j]
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        S = torch.linalg.solve(L.T, P) @ torch.linalg.inv(L)
        return 0.5 * (S + S.T)
""",
    ),
    (
        "15.CholeskyFactor",
        "right",
        "NumPy; the triangle is a table of 1, 1/2 and 0; two calls of solve",
        """
import numpy as np

class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        a = A.detach().numpy()
        ctx.L = np.linalg.cholesky((a + a.T) / 2)
        return torch.tensor(ctx.L, dtype=A.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        L = ctx.L
        n = len(L)
        phi = np.tril(np.ones((n, n))) - 0.5 * np.eye(n)
        P = phi * (L.T @ grad_output.detach().numpy())
        T = np.linalg.solve(L.T, P)            # L^-T P
        S = np.linalg.solve(L.T, T.T).T        # ... L^-1
        return torch.tensor((S + S.T) / 2, dtype=grad_output.dtype)
""",
    ),
    (
        "15.CholeskyFactor",
        "right",
        "makes P symmetric first: half of the gradient for a symmetric P is the same; setup_context",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(A):
        return torch.linalg.cholesky(A.add(A.transpose(0, 1)).mul(0.5))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        L, = ctx.saved_tensors
        Q = L.T @ torch.tril(grad_output)
        low = torch.tril(Q, -1)
        P = (low + low.T + torch.diag(torch.diag(Q))) / 2          # P + P^T, halves of the diagonal added
        T = torch.linalg.solve_triangular(L.T, P, upper=True)
        return torch.linalg.solve_triangular(L.T, T.T, upper=True) / 2 + torch.linalg.solve_triangular(L.T, T.T, upper=True).T / 2
""",
    ),
    (
        "15.CholeskyFactor",
        "right",
        "triangle and diagonal in loops over the entries, einsum for S",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        L = torch.linalg.cholesky(0.5 * A + 0.5 * A.T)
        ctx.save_for_backward(L)
        return L.clone()

    @staticmethod
    def backward(ctx, grad_output):
        L, = ctx.saved_tensors
        n = L.shape[0]
        P = L.T @ grad_output
        for i in range(n):
            P[i, i] = P[i, i] / 2
            for j in range(i + 1, n):
                P[i, j] = 0
        back = torch.linalg.inv(L)
        S = torch.einsum("ki,kl,lj->ij", back, P, back)
        grad = torch.zeros_like(S)
        for i in range(n):
            for j in range(n):
                grad[i, j] = (S[i, j] + S[j, i]) / 2
        return grad
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "the last step from M to A is missing: S is returned as it is",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = (A + A.T) / 2
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return S
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "the factor 1/2 is missing in the last step",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = (A + A.T) / 2
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return S + S.T
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "the diagonal of P is not halved",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = (A + A.T) / 2
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G)
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return (S + S.T) / 2
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "P keeps the upper triangle instead of the lower one",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = (A + A.T) / 2
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.triu(L.T @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return (S + S.T) / 2
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "A is not made symmetric in forward: only its lower triangle counts",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = torch.tril(A) + torch.tril(A, -1).T
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return (S + S.T) / 2
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "M = A + A^T without the factor 1/2 (backward fits that)",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = A + A.T
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return S + S.T
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "the upper factor is returned instead of the lower one (backward fits that)",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = (A + A.T) / 2
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L.T.clone()

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G.T)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return (S + S.T) / 2
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "L is not transposed in P: Φ(L G) instead of Φ(L^T G)",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = (A + A.T) / 2
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return (S + S.T) / 2
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "the transposes are mixed up in S: L^-1 P L^-T instead of L^-T P L^-1",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = (A + A.T) / 2
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse @ P @ inverse.T
        return (S + S.T) / 2
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "the last factor is L instead of its inverse",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = (A + A.T) / 2
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ L
        return (S + S.T) / 2
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "only the lower triangle gets a gradient; entries above the diagonal have gradient 0",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = (A + A.T) / 2
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return torch.tril(S + S.T) - torch.diag(torch.diagonal(S))
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "entries beside the diagonal count twice: S + S^T minus the diagonal, without the half",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = (A + A.T) / 2
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return S + S.T - torch.diag(torch.diagonal(S))
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "the result is always float64",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = ((A + A.T) / 2).double()
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        G = G.double()
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return (S + S.T) / 2
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "A itself is made symmetric in place",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = A.copy_((A + A.T) / 2)
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return (S + S.T) / 2
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "L is kept on the class, so a second call disturbs the first",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = (A + A.T) / 2
        L = torch.linalg.cholesky(M)
        CholeskyFactor.L = L
        return L

    @staticmethod
    def backward(ctx, G):
        L = CholeskyFactor.L
        P = torch.tril(L.T @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return (S + S.T) / 2
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "the inner loop ends one term early: the last product is not subtracted",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        n = A.shape[0]
        L = torch.zeros(n, n, dtype=A.dtype)
        for i in range(n):
            for j in range(i + 1):
                rest = (A[i, j] + A[j, i]) / 2
                for k in range(j - 1):
                    rest = rest - L[i, k] * L[j, k]
                if i == j:
                    L[i, i] = torch.sqrt(rest)
                else:
                    L[i, j] = rest / L[j, j]
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        S = torch.linalg.solve(L.T, P) @ torch.linalg.inv(L)
        return 0.5 * (S + S.T)
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "the square root on the diagonal is forgotten",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        n = A.shape[0]
        L = torch.zeros(n, n, dtype=A.dtype)
        for i in range(n):
            for j in range(i + 1):
                rest = (A[i, j] + A[j, i]) / 2
                for k in range(j):
                    rest = rest - L[i, k] * L[j, k]
                if i == j:
                    L[i, i] = rest
                else:
                    L[i, j] = rest / L[j, j]
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        S = torch.linalg.solve(L.T, P) @ torch.linalg.inv(L)
        return 0.5 * (S + S.T)
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "the sign is wrong: the negative gradient is returned",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = (A + A.T) / 2
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return -(S + S.T) / 2
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "the whole P is halved, not only its diagonal",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = (A + A.T) / 2
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G)
        P = P / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return (S + S.T) / 2
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "backward changes grad_output in place",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = (A + A.T) / 2
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        G.copy_(L.T @ G)
        P = torch.tril(G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return (S + S.T) / 2
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "the triangle is taken without the diagonal (tril with -1)",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = (A + A.T) / 2
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G, -1)
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return (S + S.T) / 2
""",
    ),
    (
        "15.CholeskyFactor",
        "right",
        "NumPy for everything: the loop of Cholesky over columns, Phi as a table of weights, and two solves instead of the inverse",
        """
import numpy as np

class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        a = A.detach().numpy().astype(np.float64)
        M = (a + a.T) / 2
        n = len(M)
        L = np.zeros((n, n))
        for j in range(n):
            L[j, j] = np.sqrt(M[j, j] - L[j, :j] @ L[j, :j])
            L[j + 1:, j] = (M[j + 1:, j] - L[j + 1:, :j] @ L[j, :j]) / L[j, j]
        ctx.L = L
        return torch.tensor(L).to(A.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        L = ctx.L
        n = len(L)
        weights = np.tril(np.ones((n, n)), -1) + 0.5 * np.eye(n)
        P = weights * (L.T @ grad_output.detach().numpy())
        half = np.linalg.solve(L.T, P)                 # L^-T P
        S = np.linalg.solve(L.T, half.T).T             # (L^-T half^T)^T = half L^-1
        return torch.tensor(0.5 * (S + S.T)).to(grad_output.dtype)
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "the last step from M to A is missing: S itself is returned, and it is not made symmetric",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        L = torch.linalg.cholesky((A + A.T) / 2)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, grad_output):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ grad_output)
        P = P - torch.diag(torch.diag(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return S
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "Phi does not halve the diagonal",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        L = torch.linalg.cholesky((A + A.T) / 2)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, grad_output):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ grad_output)
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return (S + S.T) / 2
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "the factor 1/2 of the last step is missing: S + S^T is twice the gradient",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        L = torch.linalg.cholesky((A + A.T) / 2)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, grad_output):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ grad_output)
        P = P - torch.diag(torch.diag(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return S + S.T
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "P is computed from L G instead of from L^T G",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        L = torch.linalg.cholesky((A + A.T) / 2)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, grad_output):
        L, = ctx.saved_tensors
        P = torch.tril(L @ grad_output)
        P = P - torch.diag(torch.diag(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return (S + S.T) / 2
""",
    ),
    (
        "15.CholeskyFactor",
        "wrong",
        "forward takes the lower triangle of A as if A were symmetric, instead of (A + A^T) / 2",
        """
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        L = torch.linalg.cholesky(torch.tril(A) + torch.tril(A, -1).T)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, grad_output):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ grad_output)
        P = P - torch.diag(torch.diag(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return (S + S.T) / 2
""",
    ),
]
