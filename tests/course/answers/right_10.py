"""Right answers to notebook 10, each written another way."""

import numpy as np

import autograd_teach as torch
from autograd_teach.autograd import Function

RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


@right("10.numerical_jacobian")
def rows_of_an_identity(f, x, eps):
    columns = []
    for direction in torch.eye(x.numel(), dtype=x.dtype):
        nudge = eps * direction.view(x.shape)
        columns.append(((f(x + nudge) - f(x - nudge)) / (2 * eps)).flatten())
    return torch.stack(columns).t()


@right("10.numerical_jacobian")
def filled_column_by_column(f, x, eps):
    rows = f(x).numel()
    jacobian = torch.empty(rows, x.numel(), dtype=torch.float64)
    for j in range(x.numel()):
        up, down = x.clone(), x.clone()
        up.reshape(-1)[j] += eps
        down.reshape(-1)[j] -= eps
        jacobian[:, j] = (f(up) - f(down)).reshape(-1) / (2 * eps)
        print(j, jacobian[:, j])
    return jacobian


@right("10.numerical_jacobian")
def in_numpy(f, x, eps):
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


@right("10.find_kinks")
def by_both_slopes(f, candidates):
    found = []
    for place in candidates.tolist():
        x = torch.tensor(place, dtype=torch.float64)
        slopes = [((f(x + step) - f(x)) / step).item() for step in (1e-5, -1e-5)]
        if abs(slopes[0] - slopes[1]) > 0.05:
            found.append(place)
    return found


@right("10.find_kinks")
def by_a_second_difference(f, candidates):
    eps = 1e-7
    bend = torch.stack([(f(x + eps) - 2 * f(x) + f(x - eps)).abs() / eps for x in candidates])
    return candidates[bend > 0.02]


@right("10.find_kinks")
def tensors_in_a_tuple(f, candidates):
    def slope(a, b):
        return (f(b) - f(a)) / (b - a)

    assert candidates.dtype == torch.float64
    return tuple(x for x in candidates if not torch.allclose(slope(x - 1e-6, x), slope(x, x + 1e-6), rtol=0, atol=0.03))


@right("10.find_kinks")
def in_float32(f, candidates):
    mask = [abs((f(x + 1e-6) - f(x)) - (f(x) - f(x - 1e-6))).item() > 3e-8 for x in candidates]
    return candidates[torch.tensor(mask)].to(torch.float32)


@right("10.find_kinks")
def by_autograd_at_both_sides(f, candidates):
    found = []
    for x in candidates.tolist():
        sides = torch.tensor([x - 1e-6, x + 1e-6], dtype=torch.float64, requires_grad=True)
        slopes = [torch.autograd.grad(f(side), sides, retain_graph=True)[0].sum() for side in sides]
        if (slopes[0] - slopes[1]).abs() > 0.01:
            found.append(x)
    return found


class SavesArgument(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x


@right("10.RepairReciprocal")
class ReciprocalOfArgument(SavesArgument):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return -(grad_output / (x * x))


@right("10.RepairReciprocal")
class ReciprocalOfResult(Function):
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


@right("10.RepairReciprocal")
class ReciprocalByPower(SavesArgument):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        assert g.shape == x.shape
        return g * -1 * x ** (-2)


@right("10.RepairReciprocal")
class ReciprocalInNumPy(SavesArgument):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return torch.tensor(-g.detach().numpy() / np.square(x.detach().numpy()))


class SquareForward(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x


@right("10.RepairSquare")
class SquareTwoX(SquareForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output


@right("10.RepairSquare")
class SquareBothFactors(SquareForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        left = grad_output * x
        right = x * grad_output
        return left + right


@right("10.RepairSquare")
class SquareAttribute(Function):
    @staticmethod
    def forward(ctx, number):
        ctx.slope = number + number
        return number.pow(2)

    @staticmethod
    def backward(ctx, g):
        return ctx.slope.mul(g)


class TanhForward(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh()
        ctx.save_for_backward(result)
        return result


@right("10.RepairTanh")
class TanhFromResult(TanhForward):
    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return (1 - result * result) * grad_output


@right("10.RepairTanh")
class TanhFromArgument(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.tanh(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / x.cosh() ** 2


@right("10.RepairTanh")
class TanhFactored(TanhForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g - g * y**2


@right("10.RepairTanh")
class TanhByExponentials(Function):
    @staticmethod
    def forward(ctx, x):
        up, down = x.exp(), (-x).exp()
        ctx.save_for_backward(up, down)
        return (up - down) / (up + down)

    @staticmethod
    def backward(ctx, g):
        up, down = ctx.saved_tensors
        return 4 * g / (up + down) ** 2


class MatVecForward(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x


@right("10.RepairMatVec")
class MatVecByUnsqueeze(MatVecForward):
    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        return x * grad_output.unsqueeze(1), matrix.t().mv(grad_output)


@right("10.RepairMatVec")
class MatVecByOuter(MatVecForward):
    @staticmethod
    def backward(ctx, g):
        matrix, x = ctx.saved_tensors
        return torch.outer(g, x), g @ matrix


@right("10.RepairMatVec")
class MatVecTurnedBack(MatVecForward):
    @staticmethod
    def backward(ctx, g):
        matrix, x = ctx.saved_tensors
        turned = x.unsqueeze(1) * g
        return turned.t(), (matrix * g.reshape(-1, 1)).sum(0)


@right("10.RepairMatVec")
class MatVecBySums(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.matrix, ctx.x = matrix.clone(), x.clone()
        return (matrix * x).sum(dim=1)

    @staticmethod
    def backward(ctx, g):
        rows = [entry * ctx.x for entry in g]
        assert len(rows) == len(ctx.matrix)
        return torch.stack(rows), sum(entry * row for entry, row in zip(g, ctx.matrix, strict=True))


class ColumnsForward(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale


@right("10.RepairScaleColumns")
class ColumnsSummed(ColumnsForward):
    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        return grad_output * scale, (grad_output * x).sum(0)


@right("10.RepairScaleColumns")
class ColumnsRowByRow(ColumnsForward):
    @staticmethod
    def backward(ctx, grad_output):
        x, scale = ctx.saved_tensors
        total = torch.zeros_like(scale)
        for g, row in zip(grad_output, x, strict=True):
            total += g * row
        return scale * grad_output, total


@right("10.RepairScaleColumns")
class ColumnsByProduct(ColumnsForward):
    @staticmethod
    def backward(ctx, g):
        x, scale = ctx.saved_tensors
        grad_x = g @ (torch.eye(len(scale), dtype=scale.dtype) * scale)
        return grad_x, torch.stack([g[:, j].dot(x[:, j]) for j in range(len(scale))])


@right("10.numerical_jacobian")
def moved_and_put_back(f, x, eps):
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


@right("10.numerical_jacobian")
def with_a_history(f, x, eps):
    leaf = x.clone().requires_grad_()
    steps = [eps * each.reshape(x.shape) for each in torch.eye(x.numel(), dtype=x.dtype)]
    return torch.stack([((f(leaf + step) - f(leaf - step)) / (2 * eps)).reshape(-1) for step in steps], dim=1)


@right("10.find_kinks")
def a_large_threshold_and_a_small_step(f, candidates):
    def bend(x, eps=1e-9):
        return abs((f(x + eps) - f(x)) - (f(x) - f(x - eps))).item() / eps

    return [x for x in candidates.tolist() if bend(torch.tensor(x, dtype=torch.float64)) >= 0.09]


@right("10.find_kinks")
def a_large_step_and_a_fitting_threshold(f, candidates):
    eps = 4e-4
    return np.array([x.item() for x in candidates if (f(x + eps) - 2 * f(x) + f(x - eps)).abs() / eps > 0.06])


@right("10.RepairTanh")
class TanhSetUp(Function):
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


@right("10.RepairMatVec")
class MatVecByBroadcast(MatVecForward):
    @staticmethod
    def backward(ctx, g):
        matrix, x = ctx.saved_tensors
        return g[:, None] * x[None, :], torch.sum(matrix * g[:, None], dim=0)


@right("10.RepairScaleColumns")
class ColumnsByEinsum(ColumnsForward):
    @staticmethod
    def backward(ctx, g):
        x, scale = ctx.saved_tensors
        return torch.einsum("ij,j->ij", g, scale), torch.einsum("ij,ij->j", g, x)


@right("10.numerical_jacobian")
def results_copied_at_once(f, x, eps):
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


@right("10.find_kinks")
def one_number_at_a_time(f, candidates):
    def jump(x, eps=1e-6):
        at = f(x)
        return abs(f(x + eps) + f(x - eps) - 2 * at) / eps

    return [x for x in candidates if jump(x) > 0.05]
