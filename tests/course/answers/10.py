"""Answers to notebook 10: see tests/course/table.py."""

# %% 10.numerical_jacobian right: rows of an identity
def numerical_jacobian(f, x, eps):
    columns = []
    for direction in torch.eye(x.numel(), dtype=x.dtype):
        nudge = eps * direction.view(x.shape)
        columns.append(((f(x + nudge) - f(x - nudge)) / (2 * eps)).flatten())
    return torch.stack(columns).t()

# %% 10.numerical_jacobian right: filled column by column
def numerical_jacobian(f, x, eps):
    rows = f(x).numel()
    jacobian = torch.empty(rows, x.numel(), dtype=torch.float64)
    for j in range(x.numel()):
        up, down = x.clone(), x.clone()
        up.reshape(-1)[j] += eps
        down.reshape(-1)[j] -= eps
        jacobian[:, j] = (f(up) - f(down)).reshape(-1) / (2 * eps)
        print(j, jacobian[:, j])
    return jacobian

# %% 10.numerical_jacobian right: in numpy
import numpy as np


def numerical_jacobian(f, x, eps):
    values = x.numpy().reshape(-1)
    columns = []
    for j in range(len(values)):
        ends = []
        for side in (1, -1):
            moved = values.copy()
            moved[j] += side * eps
            ends.append(np.ravel(f(torch.tensor(moved.reshape(tuple(x.shape)))).numpy()))
        assert len(ends) == 2
        columns.append((ends[0] - ends[1]) / (2 * eps))
    return torch.tensor(np.stack(columns, axis=1))

# %% 10.numerical_jacobian right: moved and put back
def numerical_jacobian(f, x, eps):
    moved = x.clone()
    entries = moved.reshape(-1)
    columns = []
    for j in range(x.numel()):
        was = entries[j].item()
        entries[j] = was + eps
        up = f(moved).clone()
        entries[j] = was - eps
        columns.append((up - f(moved)).flatten() / (2 * eps))
        entries[j] = was
    return torch.stack(columns).T

# %% 10.numerical_jacobian right: with a history
def numerical_jacobian(f, x, eps):
    leaf = x.clone().requires_grad_()
    steps = [eps * each.reshape(x.shape) for each in torch.eye(x.numel(), dtype=x.dtype)]
    return torch.stack([((f(leaf + step) - f(leaf - step)) / (2 * eps)).reshape(-1) for step in steps], dim=1)

# %% 10.numerical_jacobian right: results copied at once
RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


def numerical_jacobian(f, x, eps):
    moved = x.clone()
    flat = moved.view(-1)
    columns = []
    for j in range(x.numel()):
        flat[j] += eps
        right = f(moved).clone()
        flat[j] -= 2 * eps
        columns.append((right - f(moved)).reshape(-1) / (2 * eps))
        flat[j] = x.reshape(-1)[j]
    return torch.stack(columns, dim=1)

# %% 10.numerical_jacobian right: columns stacked along dim 1, moved by a unit vector reshaped to x's shape
def numerical_jacobian(f, x, eps):
    columns = []
    for j in range(x.numel()):
        e = torch.zeros(x.numel(), dtype=torch.float64)
        e[j] = eps
        e = e.reshape(x.shape)
        columns.append(((f(x + e) - f(x - e)) / (2 * eps)).reshape(-1))
    return torch.stack(columns, dim=1)

# %% 10.numerical_jacobian right: moves the entries of x in place and puts back the old value exactly; numpy.ndindex goes through the entries
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

# %% 10.numerical_jacobian right: fills the matrix entry by entry in two loops
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

# %% 10.numerical_jacobian right: rows of eye, works out slopes with NumPy and converts at the end
import numpy as np

def numerical_jacobian(f, x, eps):
    steps = (eps * torch.eye(x.numel(), dtype=x.dtype)).reshape(-1, *x.shape)
    plus = np.stack([f(x + s).detach().numpy().ravel() for s in steps], axis=-1)
    minus = np.stack([f(x - s).detach().numpy().ravel() for s in steps], axis=-1)
    return torch.tensor((plus - minus) / eps / 2)

# %% 10.numerical_jacobian right: moves a flat copy by the rows of eps * eye and stacks the columns
def numerical_jacobian(f, x, eps):
    start = x.detach().reshape(-1)
    def at(flat):
        return f(flat.reshape(x.shape)).detach().reshape(-1)
    steps = eps * torch.eye(x.numel(), dtype=torch.float64)
    return torch.stack([at(start + steps[j]) - at(start - steps[j]) for j in range(x.numel())], dim=1) / (2 * eps)

# %% 10.numerical_jacobian wrong: one-sided differences: f(x + eps e) - f(x), divided by eps
expect("known", "this measures from x to x + eps only, but it must step to both sides")
edit("e = torch.zeros(x.numel(), dtype=torch.float64)",
     "e = x.clone().reshape(-1)\n        left = x.clone().reshape(-1)",
     "e[j] = eps", "e[j] += eps",
     "e = e.reshape(x.shape)", "difference = f(e.reshape(x.shape)) - f(left.reshape(x.shape))",
     "columns.append(((f(x + e) - f(x - e)) / (2 * eps)).reshape(-1))",
     "columns.append((difference / eps).reshape(-1))", of="columns stacked")

# %% 10.numerical_jacobian wrong: divides by eps and not by 2 eps
expect("known", "the distance of the two points: 2 is left out")
edit("columns.append(difference.reshape(-1) / (2 * eps))", "columns.append((difference / eps).reshape(-1))")

# %% 10.numerical_jacobian wrong: the brackets are missing: / 2 * eps multiplies by eps
expect("known", "f(x + eps) - f(x - eps) is divided by 2 and then multiplied by eps")
edit("columns.append(difference.reshape(-1) / (2 * eps))", "columns.append((difference / 2 * eps).reshape(-1))")

# %% 10.numerical_jacobian wrong: the matrix is transposed: rows belong to the entries of x
expect("known", "the matrix is transposed: rows and columns have changed places")
edit("return torch.stack(columns, dim=1)", "return torch.stack(columns, dim=0)", of="columns stacked")

# %% 10.numerical_jacobian wrong: eps is ignored, a step of 1e-6 is used
expect("known", "these slopes are exact or come from a very small step, but the step asked for is eps")
edit("def numerical_jacobian(f, x, eps):", "def numerical_jacobian(f, x, eps):\n    eps = 1e-6")

# %% 10.numerical_jacobian wrong: f gets the flattened x in place of one with x's shape
expect("known", "f is called with the entries of x in one row, but it must get a tensor with the shape")
edit("e = torch.zeros(x.numel(), dtype=torch.float64)", "right = x.clone().reshape(-1)",
     "e[j] = eps", "left = x.clone().reshape(-1)\n        right[j] += eps",
     "e = e.reshape(x.shape)", "left[j] -= eps\n        difference = f(right) - f(left)",
     "columns.append(((f(x + e) - f(x - e)) / (2 * eps)).reshape(-1))",
     "columns.append((difference / (2 * eps)).reshape(-1))", of="columns stacked")

# %% 10.numerical_jacobian wrong: loops over x.shape[0]: for a matrix x only the first entries are moved, and an x without dimensions fails
expect("raises_for_some", "`for j in range(x.shape[0]):` raised IndexError")
edit("for j in range(x.numel()):", "for j in range(x.shape[0]):", of="columns stacked")

# %% 10.numerical_jacobian wrong: the result of f is not flattened, so a scalar or matrix f(x) does not give a matrix with a row per entry
expect("raises_for_some", "`return torch.stack(columns, dim=1)` raised IndexError")
edit("columns.append(difference.reshape(-1) / (2 * eps))", "columns.append(difference / (2 * eps))")

# %% 10.numerical_jacobian wrong: entries of x are counted column by column
expect("some_entries", "the result is wrong only in entries [1, 1], [1, 2] and 2 more")
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

# %% 10.numerical_jacobian wrong: all entries move together, because the whole of x is moved and not entry j only
expect("known", "all entries of x are moved at the same time for every column: only entry j moves for")
edit("e[j] = eps", "e+= eps", of="columns stacked")

# %% 10.numerical_jacobian wrong: the copy is made once before the loop, so that entries moved before stay moved
expect("known", "an entry that was moved is not put back before the next one moves: only one entry may")
edit("columns = []\n    for j in range(x.numel()):",
     "columns = []\n    e = x.clone().reshape(-1)\n    left = x.clone().reshape(-1)\n    for j in range(x.numel()):",
     "e = torch.zeros(x.numel(), dtype=torch.float64)\n        e[j] = eps", "e[j] += eps",
     "e = e.reshape(x.shape)", "left[j] -= eps\n        difference = f(e.reshape(x.shape)) - f(left.reshape(x.shape))",
     "columns.append(((f(x + e) - f(x - e)) / (2 * eps)).reshape(-1))",
     "columns.append((difference / (2 * eps)).reshape(-1))", of="columns stacked")

# %% 10.numerical_jacobian wrong: x itself is moved by +eps, -2 eps, +eps: rounding leaves it changed in the last digits
expect("argument_changed", "the argument x is changed by the call in its last digits: adding and subtracting the")
edit("with torch.no_grad():\n        for index in np.ndindex(*x.shape):",
     "with torch.no_grad():\n        old = x.view(-1)\n        for index in range(old.numel()):",
     "old = x[index].item()\n            x[index] = old + eps", "old[index] += eps",
     "x[index] = old - eps", "old[index] -= 2 * eps",
     "left = f(x).clone().flatten()\n            x[index] = old",
     "left = f(x).clone().flatten()\n            old[index] += eps", of="moves the")

# %% 10.numerical_jacobian wrong: returns a list of lists, not a tensor
expect("type", "the numbers are right, but the result is a list of 2 entries, it must be a tensor of")
edit("return torch.stack(columns).t()", "return torch.stack(columns, dim=1).tolist()", of="rows of an")

# %% 10.numerical_jacobian wrong: the slope is minus the right one: left minus right
expect("known", "the difference of the two results: the difference is the wrong way round")
edit("+ nudge) - f(x - nudge)) / (2 * eps)).flatten(", "- nudge) - f(x + nudge)) / (2 * eps)).reshape(-1",
     of="rows of an")

# %% 10.numerical_jacobian wrong: Moves all entries of x at the same time and puts the differences on the diagonal, as fits the example x**3
expect("known", "all entries of x are moved at the same time, and the results are put on the diagonal")
edit("leaf = x.clone().requires_grad_()\n"
     "    steps = [eps * each.reshape(x.shape) for each in torch.eye(x.numel(), dtype=x.dtype)]\n"
     "    return torch.stack([((f(leaf + step) - f(leaf - step)) / (2 * eps)).reshape(-1) for step in steps], dim=1)",
     "up = f(x + eps).reshape(-1)\n    down = f(x - eps).reshape(-1)\n    slopes = (up - down) / (2 * eps)\n"
     "    n = slopes.shape[0]\n    J = torch.zeros(n, n, dtype=torch.float64)\n    for i in range(n):\n"
     "        J[i, i] = slopes[i]\n    return J", of="with a history")

# %% 10.numerical_jacobian wrong: in single precision
expect("dtype", "the numbers are right, but the result has dtype float32, it must have float64")
edit("return torch.stack(columns, dim=1)", "return torch.stack(columns, dim=1).float()")

# %% 10.numerical_jacobian wrong: all entries at once
expect("wrong_shape", "the result has shape (2,), it must have (2, 2)")
def numerical_jacobian(f, x, eps):
    return (f(x + eps) - f(x - eps)) / (2 * eps)

# %% 10.numerical_jacobian wrong: other side
expect("known", "this measures from x - eps to x only, but it must step to both sides")
WRONG: list[tuple[str, object, str, str]] = []


def directions(x):
    return [each.reshape(x.shape) for each in torch.eye(x.numel(), dtype=x.dtype)]


def table(columns):
    return torch.stack([column.reshape(-1) for column in columns], dim=1)


class ColumnsForward(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale


def columns(name, diagnosis, words, grads):
    """A wrong backward, from (grad_output, x, scale) to the two gradients."""

    def backward(ctx, grad_output):
        return grads(grad_output, *ctx.saved_tensors)

    answer = type(name, (ColumnsForward,), {"backward": staticmethod(backward)})
    WRONG.append(("10.RepairScaleColumns", answer, diagnosis, words))


def numerical_jacobian(f, x, eps):
    return table([(f(x) - f(x - eps * d)) / eps for d in directions(x)])

# %% 10.numerical_jacobian wrong: put back by arithmetic
expect("argument_changed", "in its last digits: adding and subtracting the same number",
       "the slopes are 0 where f gives a view of its argument: both results change with the one")
WRONG: list[tuple[str, object, str, str]] = []


class ColumnsForward(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale


def columns(name, diagnosis, words, grads):
    """A wrong backward, from (grad_output, x, scale) to the two gradients."""

    def backward(ctx, grad_output):
        return grads(grad_output, *ctx.saved_tensors)

    answer = type(name, (ColumnsForward,), {"backward": staticmethod(backward)})
    WRONG.append(("10.RepairScaleColumns", answer, diagnosis, words))


def numerical_jacobian(f, x, eps):
    entries, columns = x.view(-1), []
    for j in range(len(entries)):
        entries[j] += eps
        up = f(x).reshape(-1)
        entries[j] -= 2 * eps
        columns.append((up - f(x).reshape(-1)) / (2 * eps))
        entries[j] += eps
    return torch.stack(columns, dim=1)

# %% 10.numerical_jacobian wrong: never moved
expect("zero", "zero everywhere")
WRONG: list[tuple[str, object, str, str]] = []


def directions(x):
    return [each.reshape(x.shape) for each in torch.eye(x.numel(), dtype=x.dtype)]


def table(columns):
    return torch.stack([column.reshape(-1) for column in columns], dim=1)


class ColumnsForward(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale


def columns(name, diagnosis, words, grads):
    """A wrong backward, from (grad_output, x, scale) to the two gradients."""

    def backward(ctx, grad_output):
        return grads(grad_output, *ctx.saved_tensors)

    answer = type(name, (ColumnsForward,), {"backward": staticmethod(backward)})
    WRONG.append(("10.RepairScaleColumns", answer, diagnosis, words))


def numerical_jacobian(f, x, eps):
    return table([f(x) - f(x) for _ in directions(x)])

# %% 10.numerical_jacobian wrong: loop ends early
expect("some_entries", "the result")
def directions(x):
    return [each.reshape(x.shape) for each in torch.eye(x.numel(), dtype=x.dtype)]


def numerical_jacobian(f, x, eps):
    jacobian = torch.zeros(f(x).numel(), x.numel(), dtype=x.dtype)
    for j, d in enumerate(directions(x)[:-1]):
        jacobian[:, j] = ((f(x + eps * d) - f(x - eps * d)) / (2 * eps)).reshape(-1)
    return jacobian

# %% 10.find_kinks right: by both slopes
def find_kinks(f, candidates):
    found = []
    for place in candidates.tolist():
        x = torch.tensor(place, dtype=torch.float64)
        slopes = [((f(x + step) - f(x)) / step).item() for step in (1e-5, -1e-5)]
        if abs(slopes[0] - slopes[1]) > 0.05:
            found.append(place)
    return found

# %% 10.find_kinks right: by a second difference
def find_kinks(f, candidates):
    eps = 1e-7
    bend = torch.stack([(f(x + eps) - 2 * f(x) + f(x - eps)).abs() / eps for x in candidates])
    return candidates[bend > 0.02]

# %% 10.find_kinks right: tensors in a tuple
def find_kinks(f, candidates):
    def slope(a, b):
        return (f(b) - f(a)) / (b - a)

    assert candidates.dtype == torch.float64
    return tuple(x for x in candidates if not torch.allclose(slope(x - 1e-6, x), slope(x, x + 1e-6), rtol=0, atol=0.03))

# %% 10.find_kinks right: in float32
def find_kinks(f, candidates):
    mask = [abs((f(x + 1e-6) - f(x)) - (f(x) - f(x - 1e-6))).item() > 3e-8 for x in candidates]
    return candidates[torch.tensor(mask)].to(torch.float32)

# %% 10.find_kinks right: by autograd at both sides
def find_kinks(f, candidates):
    found = []
    for x in candidates.tolist():
        sides = torch.tensor([x - 1e-6, x + 1e-6], dtype=torch.float64, requires_grad=True)
        slopes = [torch.autograd.grad(f(side), sides, retain_graph=True)[0].sum() for side in sides]
        if (slopes[0] - slopes[1]).abs() > 0.01:
            found.append(x)
    return found

# %% 10.find_kinks right: a large threshold and a small step
def find_kinks(f, candidates):
    def bend(x, eps=1e-9):
        return abs((f(x + eps) - f(x)) - (f(x) - f(x - eps))).item() / eps

    return [x for x in candidates.tolist() if bend(torch.tensor(x, dtype=torch.float64)) >= 0.09]

# %% 10.find_kinks right: a large step and a fitting threshold
import numpy as np


def find_kinks(f, candidates):
    eps = 4e-4
    return np.array([x.item() for x in candidates if (f(x + eps) - 2 * f(x) + f(x - eps)).abs() / eps > 0.06])

# %% 10.find_kinks right: one number at a time
def find_kinks(f, candidates):
    def jump(x, eps=1e-6):
        at = f(x)
        return abs(f(x + eps) + f(x - eps) - 2 * at) / eps

    return [x for x in candidates if jump(x) > 0.05]

# %% 10.find_kinks right: second difference divided by eps; a list of Python numbers
def find_kinks(f, candidates):
    eps, kinks = 1e-5, []
    for x in candidates:
        jump = (f(x + eps) - 2 * f(x) + f(x - eps)) / eps
        if abs(jump.item()) > 0.05:
            kinks.append(x.item())
    return kinks

# %% 10.find_kinks right: collects truth values and returns a vector by a mask
def find_kinks(f, candidates):
    h = 2.0 ** -16

    def jumps(x):
        return (((f(x + h) - f(x)) - (f(x) - f(x - h))).abs() >= 0.06 * h).item()

    return candidates[torch.tensor([jumps(x) for x in candidates], dtype=torch.bool)]

# %% 10.find_kinks right: a list of tensors without dimensions; two steps, and the jump extrapolated to step 0
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

# %% 10.find_kinks right: a generator with filter, a step that grows with the size of x
def find_kinks(f, candidates):
    def is_kink(value):
        x = torch.tensor(value, dtype=torch.float64)
        eps = 1e-6 * max(1.0, abs(value))
        y = f(x)
        return not -0.03 < float(f(x + eps) - y - (y - f(x - eps))) / eps < 0.03

    return list(filter(is_kink, candidates.tolist()))

# %% 10.find_kinks right: second difference divided by eps, as a mask on the vector of candidates
def find_kinks(f, candidates):
    eps = 2e-5
    def jump(x):
        return float(f(x + eps) - 2 * f(x) + f(x - eps)) / eps
    mask = torch.tensor([abs(jump(x)) > 0.04 for x in candidates.detach().unbind()], dtype=torch.bool)
    return candidates.detach()[mask]

# %% 10.find_kinks wrong: no absolute value: a slope that jumps down is not found
expect("known", "only kinks at which the slope gets larger are found: it can jump down too")
edit("if abs(right - left) > 0.01:", "if (right - left).item() > 0.05:")

# %% 10.find_kinks wrong: the limit of 1 is too large: kinks whose slopes differ by less than 1 are missed
expect("known", "kinks are missed where the slopes differ by 1 or less")
edit("if abs(right - left) > 0.01:", "if abs((right - left).item()) > 1.0:")

# %% 10.find_kinks wrong: the test looks for a change of the slope's sign: finds only kinks that are turning points, and finds smooth extrema
expect("known", "only the signs of the slopes are compared: those of one sign can differ too")
edit("if abs(right - left) > 0.01:", "if left * right < 0:")

# %% 10.find_kinks wrong: the difference is compared with the size of the slopes: small kinks of a steep function are missed
expect("known", "the difference of the slopes is compared with their size, so that kinks of steep")
edit("if abs(right - left) > 0.01:", "if (right - left).abs() > 0.05 * (left.abs() + right.abs()):")

# %% 10.find_kinks wrong: returns the positions in candidates and not the candidates
expect("known", "these are the positions of the kinks in the list of candidates, but the result must be")
edit("for x in candidates:", "for i, x in enumerate(candidates):", "kinks.append(x.item())", "kinks.append(i)")

# %% 10.find_kinks wrong: the return is inside the loop: only the first kink is found
expect("known", "only the first kink is in the result: f can have several")
edit("kinks.append(x.item())", "kinks.append(x.item())\n            return kinks")

# %% 10.find_kinks wrong: returns the kinks sorted by size, not in the order of candidates
expect("known", "the kinks are sorted by size, but their order must be that of the candidates")
edit("return kinks", "return sorted(kinks)")

# %% 10.find_kinks wrong: fails if no candidate is a kink, because stack gets an empty list
expect("raises_for_some", "`return torch.stack(kinks)` raised RuntimeError")
edit("kinks.append(x.item())", "kinks.append(x)", "return kinks", "return torch.stack(kinks)")

# %% 10.find_kinks wrong: the last candidate is left out
expect("known", "the last candidate is never looked at")
edit("for x in candidates:", "for x in candidates[:-1]:")

# %% 10.find_kinks wrong: x is moved in place, so candidates changes
expect("argument_changed", "the argument candidates is changed by the call in its last digits: adding and")
edit("jump = (f(x + eps) - 2 * f(x) + f(x - eps)) / eps",
     "jump = f(x).clone()\n        x -= eps\n        left = (jump - f(x)) / eps",
     "eps\n        if abs(jump.item()",
     "eps\n        x += 2 * eps\n        right = (f(x) - jump) / eps\n        x -= eps\n"
     "        if (right - left).abs(", of="second difference divided by eps; a")

# %% 10.find_kinks wrong: the candidate is turned to float32, so the rounding error divided by eps hides kinks or looks like one
expect("known", "the numbers go through float32, which keeps 7 digits: divided by a small step, rounding")
edit("eps = 1e-6", "eps = 1e-5",
     "for x in candidates:", "for x in candidates:\n        x = torch.tensor(x.item())",
     "if abs(right - left) > 0.01:", "if (right - left).abs() > 0.05:")

# %% 10.find_kinks wrong: returns a list of truth values, one for each candidate
expect("known", "this says True or False for each candidate, but the result must be the kinks themselves")
edit("if abs(right - left) > 0.01:\n            kinks.append(x.item())",
     "kinks.append(bool((right - left).abs() > 0.05))")

# %% 10.find_kinks wrong: the differences are not divided by eps, so no difference reaches the threshold
expect("known", "nothing is found where there is a kink: do the numbers that you compare differ by as")
edit("jump = (f(x + eps) - 2 * f(x) + f(x - eps)) / eps",
     "jump = f(x) - f(x - eps)\n        right = f(x + eps) - f(x)", of="second difference divided by eps; a")

# %% 10.find_kinks wrong: found twice
expect("length", "the result has 2 entries, it must have 1")
def slopes(f, x, eps=1e-6):
    return ((f(x) - f(x - eps)) / eps).item(), ((f(x + eps) - f(x)) / eps).item()


def find_kinks(f, candidates):
    return [x.item() for x in candidates for side in (0, 1) if abs(slopes(f, x)[0] - slopes(f, x)[1]) > 0.05]

# %% 10.find_kinks wrong: first kink only
expect("type", "it must be a list or tuple of 1 entry")
def slopes(f, x, eps=1e-6):
    return ((f(x) - f(x - eps)) / eps).item(), ((f(x + eps) - f(x)) / eps).item()


def find_kinks(f, candidates):
    return next((x.item() for x in candidates if abs(slopes(f, x)[0] - slopes(f, x)[1]) > 0.05), [])

# %% 10.find_kinks wrong: printed only
expect("no_result", "return")
def slopes(f, x, eps=1e-6):
    return ((f(x) - f(x - eps)) / eps).item(), ((f(x + eps) - f(x)) / eps).item()


def the_smooth_ones(f, candidates):
    return [x.item() for x in candidates if abs(slopes(f, x)[0] - slopes(f, x)[1]) < 0.05]


def find_kinks(f, candidates):
    print(the_smooth_ones(f, candidates))

# %% 10.find_kinks wrong: values at kinks
expect("wrong_value", "result[0] is")
def slopes(f, x, eps=1e-6):
    return ((f(x) - f(x - eps)) / eps).item(), ((f(x + eps) - f(x)) / eps).item()


def is_kink(f, x):
    left, right = slopes(f, x)
    return abs(right - left) > 0.05


def find_kinks(f, candidates):
    return [f(x).item() for x in candidates if is_kink(f, x)]

# %% 10.find_kinks wrong: a step of 0.001
expect("known", "points without a kink are in the result, at which f only bends")
edit("eps = 1e-6", "eps = 1e-3")

# %% 10.find_kinks wrong: a step of 1e-12
expect("known", "rounding makes the slopes",
       "the step is so small that x + eps and f(x + eps) keep hardly any digit of it: rounding")
edit("eps = 1e-6", "eps = 1e-12")

# %% 10.find_kinks wrong: compares the sizes of the slopes, so a kink such as that of abs (-1 and 1) is missed
expect("known", "the sizes of the slopes are compared: slopes of the same size and opposite signs make a kink too")
def find_kinks(f, candidates):
    h = 1e-6
    kinks = []
    for c in candidates:
        left = ((f(c) - f(c - h)) / h).abs()
        right = ((f(c + h) - f(c)) / h).abs()
        if (left - right).abs() > 0.05:
            kinks.append(c)
    return kinks

# %% 10.RepairReciprocal right: of argument
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return -(grad_output / (x * x))

# %% 10.RepairReciprocal right: of result
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.reciprocal()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        print(result)
        return (-(result**2) * grad_output,)

# %% 10.RepairReciprocal right: by power
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        assert g.shape == x.shape
        return g * -1 * x ** (-2)

# %% 10.RepairReciprocal right: in num py
import numpy as np


class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return torch.tensor(-g.detach().numpy() / np.square(x.detach().numpy()))

# %% 10.RepairReciprocal right: saves the result and uses it
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

# %% 10.RepairReciprocal right: the minus stands in the denominator (a power binds tighter than the minus)
class RepairReciprocal(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / -x**2

# %% 10.RepairReciprocal right: setup_context, power of minus two
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

# %% 10.RepairReciprocal right: saves the result and uses its square
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

# %% 10.RepairReciprocal wrong: unchanged: the minus is missing
expect("known", "the slope of 1/x: the minus sign is missing")
edit("return grad_output / -x**2", "return grad_output /x**2", of="the minus")

# %% 10.RepairReciprocal wrong: the square is missing
expect("known", "the square of x: the exponent is left out")
edit("return -grad_output / x**2", "return -grad_output / x")

# %% 10.RepairReciprocal wrong: grad_output is missing
expect("known", "the gradient: `grad_output` is left out")
edit("return -grad_output / x**2", "return -1 / x**2")

# %% 10.RepairReciprocal wrong: the result is saved, but backward treats it as x
expect("known", "the slope is minus the square of x: was the result saved in the place of x?")
edit("def forward(ctx, x):\n        ctx.save_for_backward(x)",
     "def forward(ctx, x):\n        result = 1 / x\n        ctx.save_for_backward(result)")

# %% 10.RepairReciprocal wrong: changes grad_output in place
expect("unchanged", "backward changes grad_output in place")
edit("return -grad_output / x**2", "grad_output /= -x**2\n        return grad_output")

# %% 10.RepairReciprocal wrong: the saved x is squared in place, so the argument changes
expect("unchanged", "the argument x is changed in backward: work on a copy of x")
edit("(x,) = ctx.saved_tensors\n        return -grad_output / x**2",
     "(x,) = ctx.saved_tensors\n        x *= x\n        return -grad_output / x")

# %% 10.RepairReciprocal wrong: keeps x on the class instead of ctx: a second call overwrites it
expect("repeat", "a second call of forward breaks the backward of the first: keep what backward needs on")
edit("ctx.save_for_backward(x)", "RepairReciprocal.x = x",
     "def backward(ctx, grad_output):\n        (x,) = ctx.saved_tensors",
     "def backward(ctx, grad_output):\n        x = RepairReciprocal.x")

# %% 10.RepairReciprocal wrong: the ones in the numerator are float64: a float32 x gives a float64 result
expect("dtype", "the result has dtype float64, it must have float32: keep the dtype of the argument")
edit("return 1 / x", "return torch.ones(x.shape, dtype=torch.float64) / x")

# %% 10.RepairReciprocal wrong: the derivative of the power is taken wrong: the exponent goes down to -3
expect("known", "the square of x: the exponent is 3 in yours")
edit("return -grad_output / x**2", "return -grad_output * x**-3")

# %% 10.RepairReciprocal wrong: brackets missing: -grad_output / x * x is -grad_output
expect("known", "the slope used is -1: a division by x * x needs parentheses, `a / x * x` is `a`")
edit("return -grad_output / x**2", "return -grad_output / x* x")

# %% 10.RepairReciprocal wrong: integrated
expect("wrong_value", "the gradient is [")
edit("return grad_output / -x**2", "return grad_output * x.abs().log()", of="the minus")

# %% 10.RepairReciprocal wrong: of minus
expect("backward_of_wrong_forward", "fix forward first")
edit("return 1 / x", "return - 1 / x", "return grad_output / -x**2", "return grad_output /x**2", of="the minus")

# %% 10.RepairReciprocal wrong: two values for one argument
expect("too_many", "backward returns 2 values, forward takes 1 argument (x): one for each; ctx gets no value",
       never=("none for ctx",))
edit("return -grad_output / x**2", "return -grad_output / x**2, x")

# %% 10.RepairSquare right: two x
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output

# %% 10.RepairSquare right: both factors
RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        left = grad_output * x
        right = x * grad_output
        return left + right

# %% 10.RepairSquare right: attribute
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, number):
        ctx.slope = number + number
        return number.pow(2)

    @staticmethod
    def backward(ctx, g):
        return ctx.slope.mul(g)

# %% 10.RepairSquare right: the product rule: twice the same term added
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x + x * grad_output

# %% 10.RepairSquare right: keeps the doubled x
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(2 * x)
        return x.square()

    @staticmethod
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        return slope * grad_output

# %% 10.RepairSquare right: setup_context; backward builds the gradient with autograd
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

# %% 10.RepairSquare right: product rule: the sum of two equal terms
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

# %% 10.RepairSquare accepted: the gradient goes through float32: half of the digits are lost: right to seven digits: measured slopes have not many more
class RepairSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return (2 * grad_output.float() * x.float())

# %% 10.RepairSquare wrong: unchanged: the factor 2 is missing
expect("known", "the slope of the square: 2 is left out")
edit("return grad_output * 2 * x", "return grad_output * x")

# %% 10.RepairSquare wrong: x is missing: the gradient is 2 * grad_output
expect("known", "the slope of the square: `x` is left out")
edit("return 2 * x * grad_output", "return 2 * grad_output", of="two x")

# %% 10.RepairSquare wrong: grad_output is missing
expect("known", "the gradient: `grad_output` is left out")
edit("return grad_output * 2 * x", "return 2 * x")

# %% 10.RepairSquare wrong: the exponent did not go down: 2 * x**2
expect("known", "the slope contains the square of x: was the result saved in the place of x?")
edit("return 2 * x * grad_output", "return 2 * grad_output * x**2", of="two x")

# %% 10.RepairSquare wrong: the saved x is doubled in place: the argument changes, and a second backward is wrong
expect("unchanged", "the argument x is changed in backward: work on a copy of x")
edit("(x,) = ctx.saved_tensors\n        return grad_output * 2 * x",
     "(x,) = ctx.saved_tensors\n        x *= 2\n        return grad_output * x")

# %% 10.RepairSquare wrong: x is computed back from the result with a root, which loses the sign of negative entries
expect("known", "the slope of the square: `x` has lost its sign")
edit("def forward(ctx, x):", "def forward(ctx, x_):\n        x = x_ * x_",
     "return x * x", "return x",
     "return 2 * x * grad_output", "return 2 * grad_output * x.sqrt()", of="two x")

# %% 10.RepairSquare wrong: adds where it should multiply: 2 * x + grad_output
expect("known", "the gradient: the slope of the square is added, but it must multiply")
edit("return 2 * x * grad_output", "return 2 * x + grad_output", of="two x")

# %% 10.RepairSquare wrong: forward computes the dot product and not the squares
expect("forward_shape", "the result has shape")
edit("return x * x", "return (x * x).sum()")

# %% 10.RepairSquare wrong: changes grad_output in place
expect("unchanged", "backward changes grad_output in place")
edit("return grad_output * 2 * x", "return grad_output .mul_(2 * x)")

# %% 10.RepairSquare wrong: forward squares x in place, so the argument changes
expect("unchanged", "the argument x is changed in forward: the result shares the memory of x, work on a copy")
edit("ctx.save_for_backward(x)\n        return x * x",
     "ctx.save_for_backward(x)\n        x = x.detach()\n        x *= x\n        return x",
     "def forward(ctx, x):\n        ctx.save_for_backward(x)",
     "def forward(ctx, x):\n        old = x.clone()\n        ctx.save_for_backward(old)")

# %% 10.RepairSquare wrong: x is kept in a global variable
expect("repeat", "a second call of forward breaks the backward of the first: keep what backward needs on")
edit("ctx.slope = number + number", "global kept\n        kept = number",
     "return ctx.slope.mul(g)", "return 2 * g * kept", of="attribute")

# %% 10.RepairSquare wrong: takes x off a list with pop, so backward cannot run a second time
expect("repeat", "`x = ctx.tensors.pop()` raised IndexError")
edit("ctx.save_for_backward(x)", "ctx.tensors = [x]",
     "def backward(ctx, grad_output):\n        (x,) = ctx.saved_tensors",
     "def backward(ctx, grad_output):\n        x = ctx.tensors.pop()")

# %% 10.RepairSquare wrong: uses the sum of grad_output for all entries
expect("known", "the gradient: the sum of `grad_output` is used in each place")
edit("return grad_output * 2 * x", "return grad_output.sum() * 2 * x")

# %% 10.RepairSquare wrong: two gradients
expect("too_many", "backward returns 2 values")
edit("return grad_output * 2 * x", "return grad_output * x, grad_output * x")

# %% 10.RepairSquare wrong: not static: forward
expect("not_static", "-> forward must be static: put @staticmethod in the line before its `def`",
       never=("-> backward must", "each `def`"))
edit("class RepairSquare(Function):\n    @staticmethod", "class RepairSquare(Function):", of="two x")

# %% 10.RepairSquare wrong: not static: backward
expect("not_static", "-> backward must be static: put @staticmethod in the line before its `def`",
       never=("-> forward", "each `def`"))
edit("\n    @staticmethod\n    def backward(ctx, grad_output):", "\n    def backward(ctx, grad_output):", of="two x")

# %% 10.RepairSquare wrong: not static: forward and backward
expect("not_static", "-> forward and backward must be static: put @staticmethod in the line before each `def`",
       never=("its `def`",))
edit("class RepairSquare(Function):\n    @staticmethod", "class RepairSquare(Function):",
     "\n    @staticmethod\n    def backward(ctx, grad_output):", "\n    def backward(ctx, grad_output):", of="two x")

# %% 10.RepairTanh right: from result
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return (1 - result * result) * grad_output

# %% 10.RepairTanh right: from argument
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.tanh(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / x.cosh() ** 2

# %% 10.RepairTanh right: factored
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g - g * y**2

# %% 10.RepairTanh right: by exponentials
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        up, down = x.exp(), (-x).exp()
        ctx.save_for_backward(up, down)
        return (up - down) / (up + down)

    @staticmethod
    def backward(ctx, g):
        up, down = ctx.saved_tensors
        return 4 * g / (up + down) ** 2

# %% 10.RepairTanh right: set up
class RepairTanh(Function):
    @staticmethod
    def forward(x):
        return x.tanh()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * (1 + y) * (1 - y)

# %% 10.RepairTanh right: by exponentials, again
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        up, down = x.exp(), (-x).exp()
        ctx.save_for_backward(up + down)
        return (up - down) / (up + down)

    @staticmethod
    def backward(ctx, grad_output):
        (both,) = ctx.saved_tensors
        return grad_output * 4 / both**2

# %% 10.RepairTanh right: third binomial formula
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

# %% 10.RepairTanh right: saves x and computes the tanh again
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.tanh(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (1 - torch.tanh(x) ** 2)

# %% 10.RepairTanh right: grad_output multiplied out
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

# %% 10.RepairTanh right: setup_context; tanh from a sigmoid
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

# %% 10.RepairTanh right: saves x and divides by the square of cosh
class RepairTanh(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.tanh(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / x.cosh().square()

# %% 10.RepairTanh accepted: forward divides exponentials, which overflow for large x: nan: the statement says that entries are between -2 and 2
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

# %% 10.RepairTanh wrong: unchanged: grad_output is missing
expect("known", "the gradient: `grad_output` is left out")
edit("(y,) = ctx.saved_tensors", "(result,) = ctx.saved_tensors",
     "return g - g * y**2", "return 1 - result**2", of="factored")

# %% 10.RepairTanh wrong: brackets missing: grad_output multiplies only result**2
expect("known", "only the square is multiplied by grad_output: parentheses are missing around the slope")
edit("return (1 - result * result) * grad_output", "return 1 - result**2 * grad_output", of="from result")

# %% 10.RepairTanh wrong: brackets forgotten: only the 1 is multiplied by grad_output
expect("known", "only the 1 is multiplied by grad_output: parentheses are missing around the slope")
edit("return grad_output * (1 - result**2)", "return grad_output * 1 - result**2")

# %% 10.RepairTanh wrong: the square is missing
expect("known", "the square of the result: the exponent is left out")
edit("return grad_output * (1 - result**2)", "return grad_output * (1 - result)")

# %% 10.RepairTanh wrong: x is saved, but backward uses it as if it were the result
expect("known", "the slope is computed from x, but 1 minus the square holds for the result, tanh x")
edit("result = x.tanh()\n        ctx.save_for_backward(result)\n        return result",
     "ctx.save_for_backward(x)\n        return x.tanh()")

# %% 10.RepairTanh wrong: the tanh is taken twice
expect("known", "tanh is taken twice before the slope is computed")
edit("return grad_output * (1 - result**2)", "return grad_output * (1 - result.tanh()**2)")

# %% 10.RepairTanh wrong: the sign: 1 + result**2 (derivative of tan)
expect("known", "the slope of tanh: the square of the result is added, not subtracted")
edit("return grad_output * (1 - result**2)", "return grad_output * (1 + result**2)")

# %% 10.RepairTanh wrong: the derivative of the sigmoid, result * (1 - result)
expect("known", "the slope used is result *")
edit("return grad_output * (1 - result**2)", "return grad_output * result * (1 - result)")

# %% 10.RepairTanh wrong: the saved result is squared in place
expect("unchanged", "backward changes the result of forward in place, but the caller still uses that tensor")
edit("return grad_output * (1 - result**2)", "return grad_output * (1 - result.pow_(2))")

# %% 10.RepairTanh wrong: grad_output is multiplied in place
expect("unchanged", "backward changes grad_output in place")
edit("return (1 - result * result) * grad_output", "grad_output *= 1 - result**2\n        return grad_output",
     of="from result")

# %% 10.RepairTanh wrong: the sum of grad_output enters, not each entry
expect("known", "the gradient: the sum of `grad_output` is used in each place")
edit("return grad_output * (1 - result**2)", "return grad_output.sum() * (1 - result**2)")

# %% 10.RepairTanh wrong: the result is kept on the class
expect("repeat", "a second call of forward breaks the backward of the first: keep what backward needs on")
edit("def forward(ctx, x):\n        result = x.tanh()", "def forward(ctx, x):\n        RepairTanh.result = x.tanh()",
     "ctx.save_for_backward(result)\n        return result", "return RepairTanh. result",
     "\n        (y,) = ctx.saved_tensors\n        return g - g * y**2",
     "\n        return g * (1 - RepairTanh.result**2)", of="factored")

# %% 10.RepairTanh wrong: squares the difference: (1 - result)**2 instead of 1 - result**2
expect("known", "the slope used is the square of")
edit("return grad_output * (1 - result**2)", "return grad_output * (1 - result)**2")

# %% 10.RepairTanh wrong: forward changes x in place
expect("unchanged", "the argument x is changed in forward: work on a copy of x")
edit("result = x.tanh()", "result = x.tanh_()", "return result", "return result.clone()")

# %% 10.RepairTanh wrong: is sigmoid
expect("after_forward", "fix forward first")
edit("result = x.tanh()", "result = 1 / (1 + (-x).exp())")

# %% 10.RepairTanh wrong: is itself
expect("known", "the result that the slope is computed from: half of `x` is used")
edit("result = x.tanh()", "result = 1 - 2 / (x.exp() + 1)")

# %% 10.RepairTanh wrong: strange part
expect("wrong_value", "the gradient is [")
edit("* (1 - result**2)", "* result.cos() - (result**2 + 0.3).sqrt() * result.sin()")

# %% 10.RepairMatVec right: by unsqueeze
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        return x * grad_output.unsqueeze(1), matrix.t().mv(grad_output)

# %% 10.RepairMatVec right: by outer
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, g):
        matrix, x = ctx.saved_tensors
        return torch.outer(g, x), g @ matrix

# %% 10.RepairMatVec right: turned back
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, g):
        matrix, x = ctx.saved_tensors
        turned = x.unsqueeze(1) * g
        return turned.t(), (matrix * g.reshape(-1, 1)).sum(0)

# %% 10.RepairMatVec right: by sums
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.matrix, ctx.x = matrix.clone(), x.clone()
        return (matrix * x).sum(dim=1)

    @staticmethod
    def backward(ctx, g):
        rows = [entry * ctx.x for entry in g]
        assert len(rows) == len(ctx.matrix)
        return torch.stack(rows), sum(entry * row for entry, row in zip(g, ctx.matrix, strict=True))

# %% 10.RepairMatVec right: by broadcast
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, g):
        matrix, x = ctx.saved_tensors
        return g[:, None] * x[None, :], torch.sum(matrix * g[:, None], dim=0)

# %% 10.RepairMatVec right: outer product, and grad_output times the matrix from the left
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        return torch.outer(grad_output, x), grad_output @ matrix

# %% 10.RepairMatVec right: the table transposed
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

# %% 10.RepairMatVec right: setup_context; matrix products of a column and a row
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

# %% 10.RepairMatVec right: einsum, and only the gradients that the engine asks for (needs_input_grad)
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

# %% 10.RepairMatVec right: einsum for both gradients
class RepairMatVec(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x

    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        return torch.einsum("i,j->ij", grad_output, x), torch.einsum("ij,i->j", matrix, grad_output)

# %% 10.RepairMatVec wrong: unchanged: the table of products is transposed
expect("known", "the gradient for matrix: it is transposed")
edit("grad_matrix = grad_output.unsqueeze(1) * x", "grad_matrix = x.unsqueeze(1) * grad_output")

# %% 10.RepairMatVec wrong: transposes only if the shape does not fit, so square matrices stay wrong
expect("known", "for 2 of 6 inputs it is as if this were so: the gradient for matrix: it is transposed")
edit("grad_matrix = grad_output.unsqueeze(1) * x", "grad_matrix = x.unsqueeze(1) * grad_output\n"
     "        if grad_matrix.shape != matrix.shape:\n            grad_matrix = grad_matrix.t()")

# %% 10.RepairMatVec wrong: the transposed table is reshaped to the matrix's shape in place of transposed: shape right, entries in wrong places
expect("known", "the gradient for matrix: it is read in another order, as by a reshape")
edit("grad_output.unsqueeze(1) * x", "(x.unsqueeze(1) * grad_output).reshape(matrix.shape)")

# %% 10.RepairMatVec wrong: grad_x is the product with the matrix, not with its transpose
expect("raises_for_some", "`grad_x = matrix @ grad_output` raised RuntimeError", "`matrix` is not transposed")
edit("grad_x = matrix.t() @ grad_output", "grad_x = matrix @ grad_output")

# %% 10.RepairMatVec wrong: the two gradients are returned in the wrong order
expect("swapped_gradients", "the gradients for matrix and x have changed places: the order must be that of forward's")
edit("return grad_matrix, grad_x", "return grad_x, grad_matrix")

# %% 10.RepairMatVec wrong: the gradient of the matrix is not multiplied by grad_output
expect("grad_output_forgotten", "grad_output is not used for matrix: backward returns the same gradient for every")
edit("grad_matrix = grad_output.unsqueeze(1) * x", "grad_matrix = torch.ones_like(grad_output).unsqueeze(1) * x")

# %% 10.RepairMatVec wrong: grad_x has no grad_output: it is the sum of the matrix's columns
expect("known", "the gradient for x: `grad_output` is left out")
edit("grad_x = matrix.t() @ grad_output", "grad_x = matrix.sum(0)")

# %% 10.RepairMatVec wrong: grad_x is a matrix with one column, not a vector
expect("wrong_shape", "the gradient for x has shape")
edit("grad_x = matrix.t() @ grad_output", "grad_x = matrix.t() @ grad_output.unsqueeze(1)")

# %% 10.RepairMatVec wrong: needs_input_grad is asked with the indices swapped: if only one argument requires grad, it gets None
expect("asked_not_given", "if only matrix requires grad, backward returns no gradient for it: which entry of")
edit("if ctx.needs_input_grad[0]:", "if ctx.needs_input_grad[1]:", of="einsum, and")

# %% 10.RepairMatVec wrong: the matrix is transposed in place, so the argument changes
expect("unchanged", "the argument matrix is changed in backward: work on a copy of matrix")
edit("grad_x = matrix.t() @ grad_output", "grad_x = matrix.t_() @ grad_output")

# %% 10.RepairMatVec wrong: grad_output is turned into a column in place: its shape changes
expect("unchanged", "backward changes grad_output in place")
edit("grad_output\n        return", "grad_output\n        grad_matrix = grad_output.unsqueeze_(1) * x\n        return")

# %% 10.RepairMatVec wrong: the sum over rows is a mean: grad_x is too small by the number of rows
expect("known", "the gradient for x: this is the mean, but it must be the sum")
edit("grad_x = matrix.t() @ grad_output", "grad_x = (matrix * grad_output.unsqueeze(1)).mean(0)")

# %% 10.RepairMatVec wrong: grad_matrix contains the matrix in place of x
expect("known", "the gradient for matrix: `matrix` stands in the place of `x`")
edit("grad_matrix = grad_output.unsqueeze(1) * x", "grad_matrix = grad_output.unsqueeze(1) * matrix")

# %% 10.RepairMatVec wrong: grad_x is the sum of each column times the sum of grad_output
expect("known", "the gradient for x: the sum of `grad_output` is used in each place")
edit("grad_x = matrix.t() @ grad_output", "grad_x = matrix.sum(0) * grad_output.sum()")

# %% 10.RepairMatVec wrong: returns None for x, which needs a gradient too
expect("none_for_tensor", "backward returns None for x, which is a tensor and has a gradient")
edit("x\n        grad_x = matrix.t() @ grad_output\n        return grad_matrix, grad_x",
     "x\n        return grad_matrix, None")

# %% 10.RepairMatVec wrong: matrix only
expect("too_few", "backward returns 1 value")
edit("return torch.outer(g, x), g @ matrix", "return g.unsqueeze(1) * x", of="by outer")

# %% 10.RepairMatVec wrong: saves the result in the place of x and multiplies with it
expect("known", "the gradient for matrix is made of the result, but it needs x: was the result saved in its place?")
edit("def forward(ctx, matrix, x):\n", "def forward(ctx, matrix, x):\n        x = matrix @ x\n", "return matrix @ x", "return x")

# %% 10.RepairScaleColumns right: summed
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        return grad_output * scale, (grad_output * x).sum(0)

# %% 10.RepairScaleColumns right: row by row
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        total = torch.zeros_like(scale)
        for g, row in zip(grad_output, x, strict=True):
            total += g * row
        return scale * grad_output, total

# %% 10.RepairScaleColumns right: by product
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, g):
        x, scale = ctx.saved_tensors
        grad_x = g @ (torch.eye(len(scale), dtype=scale.dtype) * scale)
        return grad_x, torch.stack([g[:, j].dot(x[:, j]) for j in range(len(scale))])

# %% 10.RepairScaleColumns right: by einsum
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, g):
        x, scale = ctx.saved_tensors
        return torch.einsum("ij,j->ij", g, scale), torch.einsum("ij,ij->j", g, x)

# %% 10.RepairScaleColumns right: sum over dim 0
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

# %% 10.RepairScaleColumns right: einsum
class RepairScaleColumns(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        return torch.einsum('ij,j->ij', grad_output, scale), torch.einsum('ij,ij->j', grad_output, x)

# %% 10.RepairScaleColumns right: a loop over the columns, each a dot product
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

# %% 10.RepairScaleColumns right: setup_context; a diagonal matrix in forward; sum_to_size in backward
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

# %% 10.RepairScaleColumns right: the diagonal of a matrix product gives the sums; grad_x with a diagonal matrix
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

# %% 10.RepairScaleColumns wrong: unchanged: grad_scale has the shape of x
expect("known", "the gradient for scale: the sum is left out")
edit("grad_scale = (grad_output * x).sum(dim=0)", "grad_scale = grad_output * x")

# %% 10.RepairScaleColumns wrong: sums along the rows (dimension 1) instead of down the columns
expect("known", "the gradient for scale has shape")
edit("grad_scale = (grad_output * x).sum(dim=0)", "grad_scale = (grad_output * x).sum(1)")

# %% 10.RepairScaleColumns wrong: keepdim=True: grad_scale is a matrix with one row, not a vector
expect("wrong_shape", "the gradient for scale has shape")
edit("grad_scale = (grad_output * x).sum(dim=0)", "grad_scale = (grad_output * x).sum(0, keepdim=True)")

# %% 10.RepairScaleColumns wrong: a mean in place of a sum
expect("known", "the gradient for scale: this is the mean, but it must be the sum")
edit("grad_scale = (grad_output * x).sum(dim=0)", "grad_scale = (grad_output * x).mean(0)")

# %% 10.RepairScaleColumns wrong: grad_scale has no x
expect("known", "the product that is added up for scale: `x` is left out")
edit("grad_scale = (grad_output * x).sum(dim=0)", "grad_scale = grad_output.sum(0)")

# %% 10.RepairScaleColumns wrong: grad_scale has no grad_output
expect("known", "the product that is added up for scale: `grad_output` is left out")
edit("grad_scale = (grad_output * x).sum(dim=0)", "grad_scale = x.sum(0)")

# %% 10.RepairScaleColumns wrong: multiplies the column sums, instead of summing the products
expect("known", "grad_output and x are each added up and then multiplied, but the sum of products is")
edit("grad_scale = (grad_output * x).sum(dim=0)", "grad_scale = grad_output.sum(0) * x.sum(0)")

# %% 10.RepairScaleColumns wrong: the gradients are returned in the wrong order
expect("swapped_gradients", "the gradients for x and scale have changed places: the order must be that of forward's")
edit("return grad_x, grad_scale", "return grad_scale, grad_x")

# %% 10.RepairScaleColumns wrong: grad_output is multiplied in place: it changes, and grad_scale contains scale too
expect("known", "the gradient for scale contains scale, but the result is linear in scale")
edit("ctx.saved_tensors\n        grad_x = grad_output *", "ctx.saved_tensors\n        grad_output *=",
     "return grad_x, grad_scale", "return grad_output, grad_scale")

# %% 10.RepairScaleColumns wrong: grad_x has no scale
expect("known", "the gradient for x: `scale` is left out")
edit("grad_x = grad_output * scale", "grad_x = grad_output .clone()")

# %% 10.RepairScaleColumns wrong: the result is saved and used as x: grad_scale contains scale once too often
expect("known", "the gradient for scale contains scale, but the result is linear in scale")
edit("\n        ctx.save_for_backward(x", "\n        result = x * scale\n        ctx.save_for_backward(result")

# %% 10.RepairScaleColumns wrong: x is computed back as result / scale: nan where scale is 0
expect("known", "the gradient for scale is NaN where scale is 0: result / scale is x only where scale is")
edit("def forward(ctx, x, scale):", "def forward(ctx, x_, scale):\n        x = x_ * scale",
     "return x * scale", "return x",
     "grad_scale = (grad_output * x).sum(dim=0)", "grad_scale = (grad_output * x / scale).sum(0)")

# %% 10.RepairScaleColumns wrong: the loop over the rows starts at 1: the first row is forgotten
expect("known", "the gradient for scale leaves out the first row of x")
edit("grad_scale = (grad_output * x).sum(dim=0)",
     "grad_scale = torch.zeros_like(scale)\n        for i in range(1, x.shape[0]):\n"
     "            grad_scale += grad_output[i] * x[i]")

# %% 10.RepairScaleColumns wrong: the sum is kept on ctx and grows with each backward: the second run is wrong
expect("repeat", "a second backward pass through the same graph gives another gradient")
edit("ctx.save_for_backward(x, scale)",
     "ctx.save_for_backward(x, scale)\n        ctx.total = torch.zeros_like( scale)",
     "grad_scale = (grad_output * x).sum(dim=0)", "ctx.total = ctx.total + (grad_output * x).sum(0)",
     "return grad_x, grad_scale", "return grad_x, ctx.total")

# %% 10.RepairScaleColumns wrong: smallest
expect("known", "the gradient for scale: this is the smallest, but it must be the sum")
edit("return grad_output * scale, (grad_output * x).sum(0)",
     "return grad_output * scale, (grad_output * x).min(0).values", of="summed")

# %% 10.RepairScaleColumns wrong: the loop over the rows leaves out the last row (off by one)
expect("known", "the gradient for scale leaves out the last row of x")
edit("zip(grad_output, x, strict=True)", "zip(grad_output[:-1], x[:-1], strict=True)", of="row by row")
