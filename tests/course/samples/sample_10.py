"""Answers to notebook 10 by people who saw the statements alone: right ones and wrong ones with what is wrong."""

ANSWERS = [
    (
        "10.numerical_jacobian",
        "right",
        "columns stacked along dim 1, moved by a unit vector reshaped to x's shape",
        """
def numerical_jacobian(f, x, eps):
    columns = []
    for j in range(x.numel()):
        e = torch.zeros(x.numel(), dtype=torch.float64)
        e[j] = eps
        e = e.reshape(x.shape)
        columns.append(((f(x + e) - f(x - e)) / (2 * eps)).reshape(-1))
    return torch.stack(columns, dim=1)
""",
    ),
    (
        "10.numerical_jacobian",
        "right",
        "moves the entries of x in place and puts back the old value exactly; numpy.ndindex goes through the entries",
        """
import numpy as np

def numerical_jacobian(f, x, eps):
    columns = []
    with torch.no_grad():
        for index in np.ndindex(*x.shape):
            old = x[index].item()
            x[index] = old + eps
            right = f(x).clone().flatten()
            x[index] = old - eps
            left = f(x).clone().flatten()
            x[index] = old
            columns.append((right - left) / (2 * eps))
    return torch.stack(columns).t()
""",
    ),
    (
        "10.numerical_jacobian",
        "right",
        "fills the matrix entry by entry in two loops",
        """
def numerical_jacobian(f, x, eps):
    start = x.detach().reshape(-1).tolist()
    m, n = f(x).numel(), x.numel()
    J = torch.zeros(m, n, dtype=torch.float64)

    def at(j, step):
        moved = list(start)
        moved[j] += step
        return f(torch.tensor(moved, dtype=torch.float64).reshape(x.shape)).reshape(-1)

    for j in range(n):
        hi, lo = at(j, eps), at(j, -eps)
        for i in range(m):
            J[i, j] = (hi[i] - lo[i]).item() / (2 * eps)
    return J
""",
    ),
    (
        "10.numerical_jacobian",
        "right",
        "rows of eye, works out slopes with NumPy and converts at the end",
        """
import numpy as np

def numerical_jacobian(f, x, eps):
    steps = (eps * torch.eye(x.numel(), dtype=x.dtype)).reshape(-1, *x.shape)
    plus = np.stack([f(x + s).detach().numpy().ravel() for s in steps], axis=-1)
    minus = np.stack([f(x - s).detach().numpy().ravel() for s in steps], axis=-1)
    return torch.tensor((plus - minus) / eps / 2)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "one-sided differences: f(x + eps e) - f(x), divided by eps",
        """
def numerical_jacobian(f, x, eps):
    columns = []
    for j in range(x.numel()):
        right = x.clone().reshape(-1)
        left = x.clone().reshape(-1)
        right[j] += eps
        difference = f(right.reshape(x.shape)) - f(left.reshape(x.shape))
        columns.append((difference / eps).reshape(-1))
    return torch.stack(columns, dim=1)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "divides by eps and not by 2 eps",
        """
def numerical_jacobian(f, x, eps):
    columns = []
    for j in range(x.numel()):
        right = x.clone().reshape(-1)
        left = x.clone().reshape(-1)
        right[j] += eps
        left[j] -= eps
        difference = f(right.reshape(x.shape)) - f(left.reshape(x.shape))
        columns.append((difference / eps).reshape(-1))
    return torch.stack(columns, dim=1)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "the brackets are missing: / 2 * eps multiplies by eps",
        """
def numerical_jacobian(f, x, eps):
    columns = []
    for j in range(x.numel()):
        right = x.clone().reshape(-1)
        left = x.clone().reshape(-1)
        right[j] += eps
        left[j] -= eps
        difference = f(right.reshape(x.shape)) - f(left.reshape(x.shape))
        columns.append((difference / 2 * eps).reshape(-1))
    return torch.stack(columns, dim=1)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "the matrix is transposed: rows belong to the entries of x",
        """
def numerical_jacobian(f, x, eps):
    columns = []
    for j in range(x.numel()):
        right = x.clone().reshape(-1)
        left = x.clone().reshape(-1)
        right[j] += eps
        left[j] -= eps
        difference = f(right.reshape(x.shape)) - f(left.reshape(x.shape))
        columns.append((difference / (2 * eps)).reshape(-1))
    return torch.stack(columns, dim=0)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "eps is ignored, a step of 1e-6 is used",
        """
def numerical_jacobian(f, x, eps):
    eps = 1e-6
    columns = []
    for j in range(x.numel()):
        right = x.clone().reshape(-1)
        left = x.clone().reshape(-1)
        right[j] += eps
        left[j] -= eps
        difference = f(right.reshape(x.shape)) - f(left.reshape(x.shape))
        columns.append((difference / (2 * eps)).reshape(-1))
    return torch.stack(columns, dim=1)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "f gets the flattened x in place of one with x's shape",
        """
def numerical_jacobian(f, x, eps):
    columns = []
    for j in range(x.numel()):
        right = x.clone().reshape(-1)
        left = x.clone().reshape(-1)
        right[j] += eps
        left[j] -= eps
        difference = f(right) - f(left)
        columns.append((difference / (2 * eps)).reshape(-1))
    return torch.stack(columns, dim=1)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "loops over x.shape[0]: for a matrix x only the first entries are moved, and an x without dimensions fails",
        """
def numerical_jacobian(f, x, eps):
    columns = []
    for j in range(x.shape[0]):
        right = x.clone().reshape(-1)
        left = x.clone().reshape(-1)
        right[j] += eps
        left[j] -= eps
        difference = f(right.reshape(x.shape)) - f(left.reshape(x.shape))
        columns.append((difference / (2 * eps)).reshape(-1))
    return torch.stack(columns, dim=1)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "loops over len(x.reshape(-1)) - 1: the last column is missing",
        """
def numerical_jacobian(f, x, eps):
    columns = []
    for j in range(x.numel() - 1):
        right = x.clone().reshape(-1)
        left = x.clone().reshape(-1)
        right[j] += eps
        left[j] -= eps
        difference = f(right.reshape(x.shape)) - f(left.reshape(x.shape))
        columns.append((difference / (2 * eps)).reshape(-1))
    return torch.stack(columns, dim=1)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "the result of f is not flattened, so a scalar or matrix f(x) does not give a matrix with a row per entry",
        """
def numerical_jacobian(f, x, eps):
    columns = []
    for j in range(x.numel()):
        right = x.clone().reshape(-1)
        left = x.clone().reshape(-1)
        right[j] += eps
        left[j] -= eps
        difference = f(right.reshape(x.shape)) - f(left.reshape(x.shape))
        columns.append(difference / (2 * eps))
    return torch.stack(columns, dim=1)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "entries of x are counted column by column",
        """
def numerical_jacobian(f, x, eps):
    def back(flat):
        if x.dim() == 2:
            return flat.reshape(x.shape[1], x.shape[0]).t()
        return flat

    columns = []
    for j in range(x.numel()):
        right = x.t().clone().reshape(-1) if x.dim() == 2 else x.clone()
        left = x.t().clone().reshape(-1) if x.dim() == 2 else x.clone()
        right.view(-1)[j] += eps
        left.view(-1)[j] -= eps
        difference = f(back(right)) - f(back(left))
        columns.append((difference / (2 * eps)).reshape(-1))
    return torch.stack(columns, dim=1)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "all entries move together, because the whole of x is moved and not entry j only",
        """
def numerical_jacobian(f, x, eps):
    columns = []
    for j in range(x.numel()):
        right = x.clone().reshape(-1)
        left = x.clone().reshape(-1)
        right += eps
        left -= eps
        difference = f(right.reshape(x.shape)) - f(left.reshape(x.shape))
        columns.append((difference / (2 * eps)).reshape(-1))
    return torch.stack(columns, dim=1)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "the copy is made once before the loop, so that entries moved before stay moved",
        """
def numerical_jacobian(f, x, eps):
    columns = []
    right = x.clone().reshape(-1)
    left = x.clone().reshape(-1)
    for j in range(x.numel()):
        right[j] += eps
        left[j] -= eps
        difference = f(right.reshape(x.shape)) - f(left.reshape(x.shape))
        columns.append((difference / (2 * eps)).reshape(-1))
    return torch.stack(columns, dim=1)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "moves x in place and goes back by adding eps again: rounding leaves x changed in the last digit",
        """
def numerical_jacobian(f, x, eps):
    flat = x.view(-1)
    columns = []
    for j in range(flat.numel()):
        flat[j] += eps
        right = f(x).clone()
        flat[j] -= 2 * eps
        left = f(x).clone()
        flat[j] += eps
        columns.append(((right - left) / (2 * eps)).reshape(-1))
    return torch.stack(columns, dim=1)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "torch.zeros without dtype: the matrix is float32",
        """
def numerical_jacobian(f, x, eps):
    J = torch.zeros(f(x).numel(), x.numel())
    for j in range(x.numel()):
        e = torch.zeros_like(x)
        e.view(-1)[j] = eps
        J[:, j] = ((f(x + e) - f(x - e)) / (2 * eps)).reshape(-1)
    return J
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "the matrix is made square (n by n), which is wrong if f has fewer results than arguments",
        """
def numerical_jacobian(f, x, eps):
    n = x.numel()
    J = torch.zeros(n, n, dtype=torch.float64)
    for j in range(n):
        e = torch.zeros_like(x)
        e.view(-1)[j] = eps
        slope = ((f(x + e) - f(x - e)) / (2 * eps)).reshape(-1)
        J[:slope.numel(), j] = slope
    return J
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "the exact Jacobian by autograd, not the measured one (without the eps**2 error)",
        """
def numerical_jacobian(f, x, eps):
    x = x.detach().clone().requires_grad_()
    y = f(x).reshape(-1)
    rows = []
    for i in range(y.numel()):
        (row,) = torch.autograd.grad(y[i], x, retain_graph=True, allow_unused=True)
        rows.append(torch.zeros(x.numel(), dtype=x.dtype) if row is None else row.reshape(-1))
    return torch.stack(rows)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "returns a list of lists, not a tensor",
        """
def numerical_jacobian(f, x, eps):
    columns = []
    for j in range(x.numel()):
        e = torch.zeros_like(x)
        e.view(-1)[j] = eps
        columns.append(((f(x + e) - f(x - e)) / (2 * eps)).reshape(-1))
    return torch.stack(columns, dim=1).tolist()
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "one copy is moved forth and back: if f returns a view of its argument, both results share the memory and the slope is 0",
        """
def numerical_jacobian(f, x, eps):
    columns = []
    for j in range(x.numel()):
        moved = x.clone()
        flat = moved.view(-1)
        flat[j] = x.reshape(-1)[j] + eps
        right = f(moved)
        flat[j] = x.reshape(-1)[j] - eps
        left = f(moved)
        columns.append(((right - left) / (2 * eps)).reshape(-1))
    return torch.stack(columns, dim=1)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "the slope is minus the right one: left minus right",
        """
def numerical_jacobian(f, x, eps):
    columns = []
    for j in range(x.numel()):
        e = torch.zeros_like(x)
        e.view(-1)[j] = eps
        columns.append(((f(x - e) - f(x + e)) / (2 * eps)).reshape(-1))
    return torch.stack(columns, dim=1)
""",
    ),
    (
        "10.numerical_jacobian",
        "right",
        "moves a flat copy by the rows of eps * eye and stacks the columns",
        """
def numerical_jacobian(f, x, eps):
    start = x.detach().reshape(-1)
    def at(flat):
        return f(flat.reshape(x.shape)).detach().reshape(-1)
    steps = eps * torch.eye(x.numel(), dtype=torch.float64)
    return torch.stack([at(start + steps[j]) - at(start - steps[j]) for j in range(x.numel())], dim=1) / (2 * eps)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "the matrix is transposed: a row for each entry of x instead of a column",
        """
def numerical_jacobian(f, x, eps):
    rows = []
    for j in range(x.numel()):
        up = x.detach().clone().reshape(-1)
        down = x.detach().clone().reshape(-1)
        up[j] += eps
        down[j] -= eps
        difference = f(up.reshape(x.shape)) - f(down.reshape(x.shape))
        rows.append(difference.reshape(-1) / (2 * eps))
    return torch.stack(rows)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "the result is float32: torch.zeros was called without a dtype",
        """
def numerical_jacobian(f, x, eps):
    flat = x.detach().reshape(-1)
    rows = f(x).numel()
    jacobian = torch.zeros(rows, flat.numel())
    for j in range(flat.numel()):
        step = torch.zeros_like(flat)
        step[j] = eps
        plus = f((flat + step).reshape(x.shape)).detach().reshape(-1)
        minus = f((flat - step).reshape(x.shape)).detach().reshape(-1)
        jacobian[:, j] = (plus - minus) / (2 * eps)
    return jacobian
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "x itself is moved by +eps, -2 eps, +eps: rounding leaves it changed in the last digits",
        """
def numerical_jacobian(f, x, eps):
    columns = []
    with torch.no_grad():
        flat = x.view(-1)
        for j in range(flat.numel()):
            flat[j] += eps
            plus = f(x).clone().reshape(-1)
            flat[j] -= 2 * eps
            minus = f(x).clone().reshape(-1)
            flat[j] += eps
            columns.append((plus - minus) / (2 * eps))
    return torch.stack(columns, dim=1)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "x is treated as a vector: x[j] moves a whole row of a matrix, and a tensor without dimensions fails",
        """
def numerical_jacobian(f, x, eps):
    columns = []
    for j in range(len(x)):
        up = x.detach().clone()
        down = x.detach().clone()
        up[j] += eps
        down[j] -= eps
        columns.append((f(up) - f(down)).reshape(-1) / (2 * eps))
    return torch.stack(columns, dim=1)
""",
    ),
    (
        "10.numerical_jacobian",
        "wrong",
        "the copies are made once before the loop, so earlier entries stay moved when the next one is",
        """
def numerical_jacobian(f, x, eps):
    up = x.detach().clone().reshape(-1)
    down = x.detach().clone().reshape(-1)
    columns = []
    for j in range(x.numel()):
        up[j] += eps
        down[j] -= eps
        plus = f(up.clone().reshape(x.shape)).reshape(-1)
        minus = f(down.clone().reshape(x.shape)).reshape(-1)
        columns.append((plus - minus) / (2 * eps))
    return torch.stack(columns, dim=1)
""",
    ),
    (
        "10.find_kinks",
        "right",
        "second difference divided by eps; a list of Python numbers",
        """
def find_kinks(f, candidates):
    eps, kinks = 1e-5, []
    for x in candidates:
        jump = (f(x + eps) - 2 * f(x) + f(x - eps)) / eps
        if abs(jump.item()) > 0.05:
            kinks.append(x.item())
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "right",
        "collects truth values and returns a vector by a mask",
        """
def find_kinks(f, candidates):
    h = 2.0 ** -16

    def jumps(x):
        return (((f(x + h) - f(x)) - (f(x) - f(x - h))).abs() >= 0.06 * h).item()

    return candidates[torch.tensor([jumps(x) for x in candidates], dtype=torch.bool)]
""",
    ),
    (
        "10.find_kinks",
        "right",
        "a list of tensors without dimensions; two steps, and the jump extrapolated to step 0",
        """
def find_kinks(f, candidates):
    def jump(x, eps):
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        return right - left

    found = []
    for x in candidates.clone().unbind():
        a, b = jump(x, 1e-4), jump(x, 5e-5)
        if torch.abs(2 * b - a) > 0.05:
            found.append(x)
    return found
""",
    ),
    (
        "10.find_kinks",
        "right",
        "a generator with filter, a step that grows with the size of x",
        """
def find_kinks(f, candidates):
    def is_kink(value):
        x = torch.tensor(value, dtype=torch.float64)
        eps = 1e-6 * max(1.0, abs(value))
        y = f(x)
        return not -0.03 < float(f(x + eps) - y - (y - f(x - eps))) / eps < 0.03

    return list(filter(is_kink, candidates.tolist()))
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "no absolute value: kinks at which the slope jumps down are missed",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for x in candidates:
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if right - left > 0.05:
            kinks.append(x.item())
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "the step 0.01 is too large: a smooth function that bends can change its slope by 1.2",
        """
def find_kinks(f, candidates):
    eps = 0.01
    kinks = []
    for x in candidates:
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if (right - left).abs() > 0.05:
            kinks.append(x.item())
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "the step 1e-13 is too small: the rounding of f, divided by eps, looks like a kink",
        """
def find_kinks(f, candidates):
    eps = 1e-13
    kinks = []
    for x in candidates:
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if (right - left).abs() > 0.05:
            kinks.append(x.item())
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "the threshold 0.5 is too large: small kinks (0.1) are missed",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for x in candidates:
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if (right - left).abs() > 0.5:
            kinks.append(x.item())
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "the threshold is too small for the step: a bend of 120 eps already counts",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for x in candidates:
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if (right - left).abs() > 1e-6:
            kinks.append(x.item())
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "the test looks for a change of the slope's sign: finds only kinks that are turning points, and finds smooth extrema",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for x in candidates:
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if left * right < 0:
            kinks.append(x.item())
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "the difference is compared with the size of the slopes: small kinks of a steep function are missed",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for x in candidates:
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if (right - left).abs() > 0.05 * (left.abs() + right.abs()):
            kinks.append(x.item())
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "returns the positions in candidates and not the candidates",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for i, x in enumerate(candidates):
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if (right - left).abs() > 0.05:
            kinks.append(i)
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "the return is inside the loop: only the first kink is found",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for x in candidates:
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if (right - left).abs() > 0.05:
            kinks.append(x.item())
            return kinks
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "returns the kinks sorted by size, not in the order of candidates",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for x in candidates:
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if (right - left).abs() > 0.05:
            kinks.append(x.item())
    return sorted(kinks)
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "f gets plain Python numbers, but takes tensors without dimensions",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for x in candidates.tolist():
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if abs(right - left) > 0.05:
            kinks.append(x)
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "the last candidate is left out",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for x in candidates[:-1]:
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if (right - left).abs() > 0.05:
            kinks.append(x.item())
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "fails if no candidate is a kink, because stack gets an empty list",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for x in candidates:
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if (right - left).abs() > 0.05:
            kinks.append(x)
    return torch.stack(kinks)
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "x is moved in place, so candidates changes",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for x in candidates:
        middle = f(x).clone()
        x -= eps
        left = (middle - f(x)) / eps
        x += 2 * eps
        right = (f(x) - middle) / eps
        x -= eps
        if (right - left).abs() > 0.05:
            kinks.append(x.item())
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "the candidate is turned to float32, so the rounding error divided by eps hides kinks or looks like one",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for x in candidates:
        x = torch.tensor(x.item())
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if (right - left).abs() > 0.05:
            kinks.append(x.item())
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "returns a list of truth values, one for each candidate",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for x in candidates:
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        kinks.append(bool((right - left).abs() > 0.05))
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "the differences are not divided by eps, so no difference reaches the threshold",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for x in candidates:
        left = f(x) - f(x - eps)
        right = f(x + eps) - f(x)
        if (right - left).abs() > 0.05:
            kinks.append(x.item())
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "the right slope is a central difference: the jump is only half as large, kinks between 0.1 and 0.12 are missed",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for x in candidates:
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x - eps)) / (2 * eps)
        if (right - left).abs() > 0.06:
            kinks.append(x.item())
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "f is called with the whole vector of candidates, but takes one number",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    left = (f(candidates) - f(candidates - eps)) / eps
    right = (f(candidates + eps) - f(candidates)) / eps
    for i in range(len(candidates)):
        if (right[i] - left[i]).abs() > 0.05:
            kinks.append(candidates[i].item())
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "right",
        "second difference divided by eps, as a mask on the vector of candidates",
        """
def find_kinks(f, candidates):
    eps = 2e-5
    def jump(x):
        return float(f(x + eps) - 2 * f(x) + f(x - eps)) / eps
    mask = torch.tensor([abs(jump(x)) > 0.04 for x in candidates.detach().unbind()], dtype=torch.bool)
    return candidates.detach()[mask]
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "no absolute value: a slope that jumps down is not found",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for x in candidates:
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if (right - left).item() > 0.05:
            kinks.append(x.item())
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "the limit of 1 is too large: kinks whose slopes differ by less than 1 are missed",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for x in candidates:
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if abs((right - left).item()) > 1.0:
            kinks.append(x.item())
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "divides by eps twice: that is the second derivative, so every place where f bends counts as a kink",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for x in candidates:
        bend = (f(x + eps) - 2 * f(x) + f(x - eps)) / eps**2
        if abs(bend.item()) > 0.05:
            kinks.append(x.item())
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "makes float32 tensors of the candidates: the step is lost in rounding errors",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for value in candidates.tolist():
        x = torch.tensor(value)
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if abs((right - left).item()) > 0.05:
            kinks.append(value)
    return kinks
""",
    ),
    (
        "10.find_kinks",
        "wrong",
        "the return is inside the loop: it stops at the first kink and misses the second",
        """
def find_kinks(f, candidates):
    eps = 1e-5
    kinks = []
    for x in candidates:
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if abs((right - left).item()) > 0.05:
            kinks.append(x.item())
            return kinks
    return kinks
""",
    ),
    (
        "10.RepairReciprocal",
        "right",
        "saves the result and uses it",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.reciprocal()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return -grad_output * result * result
""",
    ),
    (
        "10.RepairReciprocal",
        "right",
        "the minus stands in the denominator (a power binds tighter than the minus)",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / -x**2
""",
    ),
    (
        "10.RepairReciprocal",
        "right",
        "setup_context, power of minus two",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(x):
        return x**-1

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        slope = torch.neg(x.pow(-2))
        return (slope * grad_output,)
""",
    ),
    (
        "10.RepairReciprocal",
        "wrong",
        "unchanged: the minus is missing",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / x**2
""",
    ),
    (
        "10.RepairReciprocal",
        "wrong",
        "the minus is squared too: (-x)**2 is x**2, so the sign is wrong",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / (-x)**2
""",
    ),
    (
        "10.RepairReciprocal",
        "wrong",
        "the square is missing",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return -grad_output / x
""",
    ),
    (
        "10.RepairReciprocal",
        "wrong",
        "grad_output is missing",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return -1 / x**2
""",
    ),
    (
        "10.RepairReciprocal",
        "wrong",
        "the result is saved, but backward treats it as x",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        result = 1 / x
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return -grad_output / x**2
""",
    ),
    (
        "10.RepairReciprocal",
        "wrong",
        "grad_output's sign is changed in place",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output.neg_() / x**2
""",
    ),
    (
        "10.RepairReciprocal",
        "wrong",
        "the saved x is squared in place, so the argument changes",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        x *= x
        return -grad_output / x
""",
    ),
    (
        "10.RepairReciprocal",
        "wrong",
        "x is kept on the class, so calls disturb each other",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        RepairReciprocal.x = x
        return 1 / x

    @staticmethod
    def backward(ctx, grad_output):
        return -grad_output / RepairReciprocal.x**2
""",
    ),
    (
        "10.RepairReciprocal",
        "wrong",
        "the ones in the numerator are float64: a float32 x gives a float64 result",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.ones(x.shape, dtype=torch.float64) / x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return -grad_output / x**2
""",
    ),
    (
        "10.RepairReciprocal",
        "wrong",
        "the derivative of the power is taken wrong: the exponent goes down to -3",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return -grad_output * x**-3
""",
    ),
    (
        "10.RepairReciprocal",
        "wrong",
        "brackets missing: -grad_output / x * x is -grad_output",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return -grad_output / x * x
""",
    ),
    (
        "10.RepairReciprocal",
        "wrong",
        "backward returns two values, though forward has one argument",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return -grad_output / x**2, grad_output
""",
    ),
    (
        "10.RepairReciprocal",
        "right",
        "saves the result and uses its square",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.reciprocal()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return grad_output.neg() * y.square()
""",
    ),
    (
        "10.RepairReciprocal",
        "wrong",
        "divides by x instead of the square of x",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return -grad_output / x
""",
    ),
    (
        "10.RepairReciprocal",
        "wrong",
        "saves the result instead of x but still divides by its square",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        result = 1 / x
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return -grad_output / x**2
""",
    ),
    (
        "10.RepairReciprocal",
        "wrong",
        "the local slope is not multiplied by grad_output",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return -1 / x**2
""",
    ),
    (
        "10.RepairReciprocal",
        "wrong",
        "changes grad_output in place",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_output /= -x**2
        return grad_output
""",
    ),
    (
        "10.RepairReciprocal",
        "wrong",
        "keeps x on the class instead of ctx: a second call overwrites it",
        """
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        RepairReciprocal.x = x
        return 1 / x

    @staticmethod
    def backward(ctx, grad_output):
        x = RepairReciprocal.x
        return -grad_output / x**2
""",
    ),
    (
        "10.RepairSquare",
        "right",
        "the product rule: twice the same term added",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x + x * grad_output
""",
    ),
    (
        "10.RepairSquare",
        "right",
        "keeps the doubled x",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(2 * x)
        return x.square()

    @staticmethod
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        return slope * grad_output
""",
    ),
    (
        "10.RepairSquare",
        "right",
        "setup_context; backward builds the gradient with autograd",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(x):
        return x**2

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, grad_output):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with torch.enable_grad():
            y = x * x
        (grad_x,) = torch.autograd.grad(y, x, grad_output)
        return grad_x
""",
    ),
    (
        "10.RepairSquare",
        "wrong",
        "unchanged: the factor 2 is missing",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x
""",
    ),
    (
        "10.RepairSquare",
        "wrong",
        "x is missing: the gradient is 2 * grad_output",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * grad_output
""",
    ),
    (
        "10.RepairSquare",
        "wrong",
        "grad_output is missing",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x
""",
    ),
    (
        "10.RepairSquare",
        "wrong",
        "the exponent did not go down: 2 * x**2",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * grad_output * x**2
""",
    ),
    (
        "10.RepairSquare",
        "wrong",
        "the saved x is doubled in place: the argument changes, and a second backward is wrong",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        x *= 2
        return grad_output * x
""",
    ),
    (
        "10.RepairSquare",
        "wrong",
        "x is computed back from the result with a root, which loses the sign of negative entries",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        result = x * x
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return 2 * grad_output * result.sqrt()
""",
    ),
    (
        "10.RepairSquare",
        "wrong",
        "saves the result and takes it for x",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        result = x * x
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * grad_output * x
""",
    ),
    (
        "10.RepairSquare",
        "wrong",
        "adds where it should multiply: 2 * x + grad_output",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x + grad_output
""",
    ),
    (
        "10.RepairSquare",
        "wrong",
        "forward computes the dot product and not the squares",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x * x).sum()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * grad_output * x
""",
    ),
    (
        "10.RepairSquare",
        "wrong",
        "grad_output is doubled in place",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_output += grad_output
        return grad_output * x
""",
    ),
    (
        "10.RepairSquare",
        "wrong",
        "the gradient goes through float32: half of the digits are lost",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return (2 * grad_output.float() * x.float())
""",
    ),
    (
        "10.RepairSquare",
        "wrong",
        "forward squares x in place, so the argument changes",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        old = x.clone()
        ctx.save_for_backward(old)
        x = x.detach()
        x *= x
        return x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * grad_output * x
""",
    ),
    (
        "10.RepairSquare",
        "wrong",
        "x is kept in a global variable",
        """
kept = None

class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        global kept
        kept = x
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output * kept
""",
    ),
    (
        "10.RepairSquare",
        "right",
        "product rule: the sum of two equal terms",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        term = x.mul(grad_output)
        return term + term
""",
    ),
    (
        "10.RepairSquare",
        "wrong",
        "grad_output is not used",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x
""",
    ),
    (
        "10.RepairSquare",
        "wrong",
        "saves the result, so the slope is 2 x**2 instead of 2 x",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        result = x * x
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 2 * x
""",
    ),
    (
        "10.RepairSquare",
        "wrong",
        "takes x off a list with pop, so backward cannot run a second time",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.tensors = [x]
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        x = ctx.tensors.pop()
        return grad_output * 2 * x
""",
    ),
    (
        "10.RepairSquare",
        "wrong",
        "changes grad_output in place",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output.mul_(2 * x)
""",
    ),
    (
        "10.RepairSquare",
        "wrong",
        "uses the sum of grad_output for all entries",
        """
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output.sum() * 2 * x
""",
    ),
    (
        "10.RepairTanh",
        "right",
        "third binomial formula",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * (1 - result) * (1 + result)
""",
    ),
    (
        "10.RepairTanh",
        "right",
        "saves x and computes the tanh again",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.tanh(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (1 - torch.tanh(x) ** 2)
""",
    ),
    (
        "10.RepairTanh",
        "right",
        "grad_output multiplied out",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output - grad_output * result.square()
""",
    ),
    (
        "10.RepairTanh",
        "right",
        "setup_context; tanh from a sigmoid",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(x):
        return 2 * torch.sigmoid(2 * x) - 1

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        t, = ctx.saved_tensors
        return torch.addcmul(grad_output, grad_output * t, t, value=-1)
""",
    ),
    (
        "10.RepairTanh",
        "wrong",
        "unchanged: grad_output is missing",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return 1 - result**2
""",
    ),
    (
        "10.RepairTanh",
        "wrong",
        "brackets missing: grad_output multiplies only result**2",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return 1 - result**2 * grad_output
""",
    ),
    (
        "10.RepairTanh",
        "wrong",
        "brackets missing: grad_output multiplies only the 1",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * 1 - result**2
""",
    ),
    (
        "10.RepairTanh",
        "wrong",
        "the square is missing",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * (1 - result)
""",
    ),
    (
        "10.RepairTanh",
        "wrong",
        "x is saved, but backward uses it as if it were the result",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.tanh()

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * (1 - result**2)
""",
    ),
    (
        "10.RepairTanh",
        "wrong",
        "the tanh is taken twice",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * (1 - result.tanh() ** 2)
""",
    ),
    (
        "10.RepairTanh",
        "wrong",
        "the sign: 1 + result**2 (derivative of tan)",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * (1 + result**2)
""",
    ),
    (
        "10.RepairTanh",
        "wrong",
        "the derivative of the sigmoid, result * (1 - result)",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result * (1 - result)
""",
    ),
    (
        "10.RepairTanh",
        "wrong",
        "the saved result is squared in place",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * (1 - result.pow_(2))
""",
    ),
    (
        "10.RepairTanh",
        "wrong",
        "grad_output is multiplied in place",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        grad_output *= 1 - result**2
        return grad_output
""",
    ),
    (
        "10.RepairTanh",
        "wrong",
        "the sum of grad_output enters, not each entry",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output.sum() * (1 - result**2)
""",
    ),
    (
        "10.RepairTanh",
        "wrong",
        "forward divides exponentials, which overflow for large x: nan",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        result = (x.exp() - (-x).exp()) / (x.exp() + (-x).exp())
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * (1 - result**2)
""",
    ),
    (
        "10.RepairTanh",
        "wrong",
        "the result is kept on the class",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        RepairTanh.result = x.tanh()
        return RepairTanh.result

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * (1 - RepairTanh.result**2)
""",
    ),
    (
        "10.RepairTanh",
        "right",
        "saves x and divides by the square of cosh",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.tanh(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / x.cosh().square()
""",
    ),
    (
        "10.RepairTanh",
        "wrong",
        "saves x instead of the result: the slope is 1 - x**2",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.tanh()

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * (1 - result**2)
""",
    ),
    (
        "10.RepairTanh",
        "wrong",
        "squares the difference: (1 - result)**2 instead of 1 - result**2",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * (1 - result)**2
""",
    ),
    (
        "10.RepairTanh",
        "wrong",
        "brackets forgotten: only the 1 is multiplied by grad_output",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * 1 - result**2
""",
    ),
    (
        "10.RepairTanh",
        "wrong",
        "forward changes x in place",
        """
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh_()
        ctx.save_for_backward(result.clone())
        return result.clone()

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * (1 - result**2)
""",
    ),
    (
        "10.RepairTanh",
        "wrong",
        "keeps the result in a global variable, so a second call overwrites it",
        """
memory = {}


class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        memory['result'] = x.tanh()
        return memory['result'].clone()

    @staticmethod
    def backward(ctx, grad_output):
        result = memory['result']
        return grad_output * (1 - result**2)
""",
    ),
    (
        "10.RepairMatVec",
        "right",
        "outer product, and grad_output times the matrix from the left",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        return torch.outer(grad_output, x), grad_output @ matrix
""",
    ),
    (
        "10.RepairMatVec",
        "right",
        "the table transposed",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = (x.unsqueeze(1) * grad_output).t()
        grad_x = (matrix * grad_output.unsqueeze(1)).sum(0)
        return grad_matrix, grad_x
""",
    ),
    (
        "10.RepairMatVec",
        "right",
        "setup_context; matrix products of a column and a row",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(matrix, x):
        return (matrix * x).sum(dim=1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        column = grad_output.reshape(-1, 1)
        row = x.reshape(1, -1)
        return column @ row, (column.t() @ matrix).reshape(-1)
""",
    ),
    (
        "10.RepairMatVec",
        "right",
        "einsum, and only the gradients that the engine asks for (needs_input_grad)",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = grad_x = None
        if ctx.needs_input_grad[0]:
            grad_matrix = torch.einsum("i,j->ij", grad_output, x)
        if ctx.needs_input_grad[1]:
            grad_x = torch.einsum("ij,i->j", matrix, grad_output)
        return grad_matrix, grad_x
""",
    ),
    (
        "10.RepairMatVec",
        "wrong",
        "unchanged: the table of products is transposed",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = x.unsqueeze(1) * grad_output
        grad_x = matrix.t() @ grad_output
        return grad_matrix, grad_x
""",
    ),
    (
        "10.RepairMatVec",
        "wrong",
        "the transposed table is reshaped to the matrix's shape in place of transposed: shape right, entries in wrong places",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = (x.unsqueeze(1) * grad_output).reshape(matrix.shape)
        grad_x = matrix.t() @ grad_output
        return grad_matrix, grad_x
""",
    ),
    (
        "10.RepairMatVec",
        "wrong",
        "the transpose is missing in grad_x: matrix @ grad_output",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = grad_output.unsqueeze(1) * x
        grad_x = matrix @ grad_output
        return grad_matrix, grad_x
""",
    ),
    (
        "10.RepairMatVec",
        "wrong",
        "the two gradients are returned in the wrong order",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = grad_output.unsqueeze(1) * x
        grad_x = matrix.t() @ grad_output
        return grad_x, grad_matrix
""",
    ),
    (
        "10.RepairMatVec",
        "wrong",
        "grad_matrix has no grad_output: each row is just x",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = x.expand(matrix.shape).clone()
        grad_x = matrix.t() @ grad_output
        return grad_matrix, grad_x
""",
    ),
    (
        "10.RepairMatVec",
        "wrong",
        "grad_x has no grad_output: it is the sum of the matrix's columns",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = grad_output.unsqueeze(1) * x
        grad_x = matrix.sum(0)
        return grad_matrix, grad_x
""",
    ),
    (
        "10.RepairMatVec",
        "wrong",
        "grad_x is a matrix with one column, not a vector",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = grad_output.unsqueeze(1) * x
        grad_x = matrix.t() @ grad_output.unsqueeze(1)
        return grad_matrix, grad_x
""",
    ),
    (
        "10.RepairMatVec",
        "wrong",
        "only grad_matrix is returned",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = grad_output.unsqueeze(1) * x
        return grad_matrix
""",
    ),
    (
        "10.RepairMatVec",
        "wrong",
        "needs_input_grad is asked with the indices swapped: if only one argument requires grad, it gets None",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = grad_x = None
        if ctx.needs_input_grad[1]:
            grad_matrix = grad_output.unsqueeze(1) * x
        if ctx.needs_input_grad[0]:
            grad_x = matrix.t() @ grad_output
        return grad_matrix, grad_x
""",
    ),
    (
        "10.RepairMatVec",
        "wrong",
        "the matrix is transposed in place, so the argument changes",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = grad_output.unsqueeze(1) * x
        grad_x = matrix.t_() @ grad_output
        return grad_matrix, grad_x
""",
    ),
    (
        "10.RepairMatVec",
        "wrong",
        "grad_output is turned into a column in place: its shape changes",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_x = matrix.t() @ grad_output
        grad_matrix = grad_output.unsqueeze_(1) * x
        return grad_matrix, grad_x
""",
    ),
    (
        "10.RepairMatVec",
        "wrong",
        "the sum over rows is a mean: grad_x is too small by the number of rows",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = grad_output.unsqueeze(1) * x
        grad_x = (matrix * grad_output.unsqueeze(1)).mean(0)
        return grad_matrix, grad_x
""",
    ),
    (
        "10.RepairMatVec",
        "wrong",
        "grad_matrix contains the matrix in place of x",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = grad_output.unsqueeze(1) * matrix
        grad_x = matrix.t() @ grad_output
        return grad_matrix, grad_x
""",
    ),
    (
        "10.RepairMatVec",
        "wrong",
        "saved in the wrong order: x and matrix change roles",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(x, matrix)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = grad_output.unsqueeze(1) * x
        grad_x = matrix.t() @ grad_output
        return grad_matrix, grad_x
""",
    ),
    (
        "10.RepairMatVec",
        "right",
        "einsum for both gradients",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        return torch.einsum("i,j->ij", grad_output, x), torch.einsum("ij,i->j", matrix, grad_output)
""",
    ),
    (
        "10.RepairMatVec",
        "wrong",
        "grad_x is the product with the matrix, not with its transpose",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = grad_output.unsqueeze(1) * x
        grad_x = matrix @ grad_output
        return grad_matrix, grad_x
""",
    ),
    (
        "10.RepairMatVec",
        "wrong",
        "the table is reshaped to the matrix's shape instead of transposed: the entries are in the wrong places",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = (x.unsqueeze(1) * grad_output).reshape(matrix.shape)
        grad_x = matrix.t() @ grad_output
        return grad_matrix, grad_x
""",
    ),
    (
        "10.RepairMatVec",
        "wrong",
        "the gradient of the matrix is not multiplied by grad_output",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = torch.ones_like(grad_output).unsqueeze(1) * x
        grad_x = matrix.t() @ grad_output
        return grad_matrix, grad_x
""",
    ),
    (
        "10.RepairMatVec",
        "wrong",
        "grad_x is the sum of each column times the sum of grad_output, instead of the product of the transposed matrix with grad_output",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = grad_output.unsqueeze(1) * x
        grad_x = matrix.sum(0) * grad_output.sum()
        return grad_matrix, grad_x
""",
    ),
    (
        "10.RepairMatVec",
        "wrong",
        "returns None for x, which needs a gradient too",
        """
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = grad_output.unsqueeze(1) * x
        return grad_matrix, None
""",
    ),
    (
        "10.RepairScaleColumns",
        "right",
        "sum over dim 0",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output * scale
        grad_scale = (grad_output * x).sum(dim=0)
        return grad_x, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "right",
        "einsum",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        return torch.einsum('ij,j->ij', grad_output, scale), torch.einsum('ij,ij->j', grad_output, x)
""",
    ),
    (
        "10.RepairScaleColumns",
        "right",
        "a loop over the columns, each a dot product",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output * scale
        grad_scale = torch.stack([grad_output[:, j].dot(x[:, j]) for j in range(x.shape[1])])
        return grad_x, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "right",
        "setup_context; a diagonal matrix in forward; sum_to_size in backward",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(x, scale):
        return x @ torch.diag(scale)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        return grad_output * scale, (grad_output * x).sum_to_size(scale.shape)
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "unchanged: grad_scale has the shape of x",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output * scale
        grad_scale = grad_output * x
        return grad_x, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "the sum runs over the columns (dim 1) and not over the rows",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output * scale
        grad_scale = (grad_output * x).sum(1)
        return grad_x, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "everything is added up to one number",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output * scale
        grad_scale = (grad_output * x).sum()
        return grad_x, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "a mean in place of a sum",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output * scale
        grad_scale = (grad_output * x).mean(0)
        return grad_x, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "keepdim=True: grad_scale is a matrix with one row, not a vector",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output * scale
        grad_scale = (grad_output * x).sum(0, keepdim=True)
        return grad_x, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "grad_scale has no x",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output * scale
        grad_scale = grad_output.sum(0)
        return grad_x, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "grad_scale has no grad_output",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output * scale
        grad_scale = x.sum(0)
        return grad_x, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "the product of the sums, not the sum of the products",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output * scale
        grad_scale = grad_output.sum(0) * x.sum(0)
        return grad_x, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "the gradients are returned in the wrong order",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output * scale
        grad_scale = (grad_output * x).sum(0)
        return grad_scale, grad_x
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "grad_output is multiplied in place: it changes, and grad_scale contains scale too",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_output *= scale
        grad_scale = (grad_output * x).sum(0)
        return grad_output, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "grad_x has no scale",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output.clone()
        grad_scale = (grad_output * x).sum(0)
        return grad_x, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "the result is saved and used as x: grad_scale contains scale once too often",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        result = x * scale
        ctx.save_for_backward(result, scale)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output * scale
        grad_scale = (grad_output * x).sum(0)
        return grad_x, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "x is computed back as result / scale: nan where scale is 0",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        result = x * scale
        ctx.save_for_backward(result, scale)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result, scale = ctx.saved_tensors
        grad_x = grad_output * scale
        grad_scale = (grad_output * result / scale).sum(0)
        return grad_x, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "the loop over the rows starts at 1: the first row is forgotten",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output * scale
        grad_scale = torch.zeros_like(scale)
        for i in range(1, x.shape[0]):
            grad_scale += grad_output[i] * x[i]
        return grad_x, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "the sum is kept on ctx and grows with each backward: the second run is wrong",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        ctx.total = torch.zeros_like(scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output * scale
        ctx.total = ctx.total + (grad_output * x).sum(0)
        return grad_x, ctx.total
""",
    ),
    (
        "10.RepairScaleColumns",
        "right",
        "the diagonal of a matrix product gives the sums; grad_x with a diagonal matrix",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output @ torch.diag(scale)
        grad_scale = (x.t() @ grad_output).diagonal().clone()
        return grad_x, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "sums along the rows (dimension 1) instead of down the columns",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output * scale
        grad_scale = (grad_output * x).sum(1)
        return grad_x, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "takes the mean over the rows instead of the sum",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output * scale
        grad_scale = (grad_output * x).mean(0)
        return grad_x, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "keepdim leaves the gradient of scale as a matrix with one row",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output * scale
        grad_scale = (grad_output * x).sum(0, keepdim=True)
        return grad_x, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "multiplies the column sums, instead of summing the products",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output * scale
        grad_scale = grad_output.sum(0) * x.sum(0)
        return grad_x, grad_scale
""",
    ),
    (
        "10.RepairScaleColumns",
        "wrong",
        "the gradient of x is not multiplied by scale",
        """
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        grad_x = grad_output.clone()
        grad_scale = (grad_output * x).sum(0)
        return grad_x, grad_scale
""",
    ),
]
