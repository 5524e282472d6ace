"""Wrong answers to notebook 10, each with the diagnosis that must name it and words that its message must have."""

import autograd_teach as torch
from autograd_teach.autograd import Function

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


def directions(x):
    return [each.reshape(x.shape) for each in torch.eye(x.numel(), dtype=x.dtype)]


def table(columns):
    return torch.stack([column.reshape(-1) for column in columns], dim=1)


def central(f, x, eps):
    return table([(f(x + eps * d) - f(x - eps * d)) / (2 * eps) for d in directions(x)])


def slopes(f, x, eps=1e-6):
    return ((f(x) - f(x - eps)) / eps).item(), ((f(x + eps) - f(x)) / eps).item()


# numerical_jacobian


@wrong("10.numerical_jacobian", "some_entries", "wrong only in entries [0, 0] and [1, 1]: [0, 0]")
def other_side(f, x, eps):
    return table([(f(x) - f(x - eps * d)) / eps for d in directions(x)])


@wrong("10.numerical_jacobian", "wrong_shape", "the result has shape (2,), it must have (2, 2)")
def all_entries_at_once(f, x, eps):
    return (f(x + eps) - f(x - eps)) / (2 * eps)


@wrong("10.numerical_jacobian", "argument_changed", "the argument x is changed by the call")
def never_put_back(f, x, eps):
    jacobian = central(f, x, eps)
    x += eps
    return jacobian


@wrong("10.numerical_jacobian", "argument_changed", "in its last digits: adding and subtracting the same number")
def put_back_by_arithmetic(f, x, eps):
    entries, columns = x.view(-1), []
    for j in range(len(entries)):
        entries[j] += eps
        up = f(x).reshape(-1)
        entries[j] -= 2 * eps
        columns.append((up - f(x).reshape(-1)) / (2 * eps))
        entries[j] += eps
    return torch.stack(columns, dim=1)


@wrong("10.numerical_jacobian", "wrong_shape", "has shape (2,), it must have (2, 2)")
def diagonal_only(f, x, eps):
    return central(f, x, eps).diagonal()


@wrong("10.numerical_jacobian", "zero", "zero everywhere")
def never_moved(f, x, eps):
    return table([f(x) - f(x) for _ in directions(x)])


@wrong("10.numerical_jacobian", "relation", "the result")
def loop_ends_early(f, x, eps):
    jacobian = torch.zeros(f(x).numel(), x.numel(), dtype=x.dtype)
    for j, d in enumerate(directions(x)[:-1]):
        jacobian[:, j] = ((f(x + eps * d) - f(x - eps * d)) / (2 * eps)).reshape(-1)
    return jacobian


@wrong("10.numerical_jacobian", "dtype", "float32")
def filled_in_float32(f, x, eps):
    jacobian = torch.zeros(f(x).numel(), x.numel())
    jacobian[:] = central(f, x, eps)
    return jacobian


@wrong("10.numerical_jacobian", "type", "it must be a tensor")
def lists_of_numbers(f, x, eps):
    return central(f, x, eps).tolist()


# find_kinks


def the_smooth_ones(f, candidates):
    return [x.item() for x in candidates if abs(slopes(f, x)[0] - slopes(f, x)[1]) < 0.05]


@wrong("10.find_kinks", "length", "the result has 2 entries, it must have 1")
def found_twice(f, candidates):
    return [x.item() for x in candidates for side in (0, 1) if abs(slopes(f, x)[0] - slopes(f, x)[1]) > 0.05]


@wrong("10.find_kinks", "type", "it must be a list or tuple of 1 entry")
def first_kink_only(f, candidates):
    return next((x.item() for x in candidates if abs(slopes(f, x)[0] - slopes(f, x)[1]) > 0.05), [])


@wrong("10.find_kinks", "no_result", "return")
def printed_only(f, candidates):
    print(the_smooth_ones(f, candidates))


def is_kink(f, x):
    left, right = slopes(f, x)
    return abs(right - left) > 0.05


@wrong("10.find_kinks", "some_values", "the result is wrong at [0]: [0]")
def values_at_kinks(f, candidates):
    return [f(x).item() for x in candidates if is_kink(f, x)]


# RepairReciprocal


class ReciprocalForward(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x


@wrong("10.RepairReciprocal", "wrong_gradient", "the gradient is wrong")
class ReciprocalIntegrated(ReciprocalForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x.abs().log()


@wrong("10.RepairReciprocal", "grad_output_changed", "grad_output in place")
class ReciprocalInPlace(ReciprocalForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_output *= -1
        return grad_output / x**2


@wrong("10.RepairReciprocal", "backward_of_wrong_forward", "fix forward first")
class ReciprocalOfMinus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return -1 / x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / x**2


@wrong("10.RepairReciprocal", "known", "minus sign is missing")
class ReciprocalRising(ReciprocalForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / (x * x)


# RepairSquare


class SquareForward(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x


@wrong("10.RepairSquare", "too_many", "backward returns 2 values")
class SquareTwoGradients(SquareForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x, grad_output * x


# RepairTanh


class TanhForward(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh()
        ctx.save_for_backward(result)
        return result


# RepairMatVec


class MatVecForward(Function):
    @staticmethod
    def forward(ctx, matrix, x):
        ctx.save_for_backward(matrix, x)
        return matrix @ x


@wrong("10.RepairMatVec", "transposed", "it has shape (3, 2), matrix itself (2, 3)")
class MatVecAsGiven(MatVecForward):
    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        return x.unsqueeze(1) * grad_output, matrix.t() @ grad_output


@wrong("10.RepairMatVec", "grad_output_forgotten", "grad_output is not used for matrix")
class MatVecXOnly(MatVecForward):
    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        return x.expand_as(matrix).clone(), matrix.t() @ grad_output


@wrong("10.RepairMatVec", "raised", "matrix @ grad_output")
class MatVecNotTransposed(MatVecForward):
    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        return grad_output.unsqueeze(1) * x, matrix @ grad_output


@wrong("10.RepairMatVec", "swapped_gradients", "have changed places")
class MatVecSwapped(MatVecForward):
    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        return matrix.t() @ grad_output, grad_output.unsqueeze(1) * x


@wrong("10.RepairMatVec", "too_few", "backward returns 1 value")
class MatVecMatrixOnly(MatVecForward):
    @staticmethod
    def backward(ctx, grad_output):
        _, x = ctx.saved_tensors
        return grad_output.unsqueeze(1) * x


# RepairScaleColumns


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


columns("ColumnsAsGiven", "not_summed", "was broadcast", lambda g, x, scale: (g * scale, g * x))
columns(
    "ColumnsMean",
    "known",
    "the gradient for scale: this is the mean, but it must be the sum",
    lambda g, x, scale: (g * scale, (g * x).mean(0)),
)
columns("ColumnsApart", "known", "the sum of products", lambda g, x, scale: (g * scale, g.sum(0) * x.sum(0)))
columns("ColumnsWrongAxis", "summed_wrongly", "(2,)", lambda g, x, scale: (g * scale, (g * x).sum(1)))
columns("ColumnsOneNumber", "wrong_shape", "has shape ()", lambda g, x, scale: (g * scale, (g * x).sum()))
columns("ColumnsSwapped", "swapped_gradients", "changed places", lambda g, x, scale: ((g * x).sum(0), g * scale))


# Written later: the same slips in other places


@wrong("10.RepairTanh", "result_changed", "changes the result of forward in place")
class TanhWritesToSaved(TanhForward):
    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        result **= 2
        return grad_output * (1 - result)


@wrong("10.RepairSquare", "known", "2 is left out")
class SquareUsedOnce(SquareForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x


@wrong("10.RepairSquare", "known", "`grad_output` is left out")
class SquareAlone(SquareForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x + 0 * grad_output


@wrong("10.RepairSquare", "argument_changed", "x is changed in backward")
class SquareWritesToSaved(SquareForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        x *= 2
        return grad_output * x


@wrong("10.find_kinks", "one_shape", "more than one value is ambiguous")
def all_candidates_at_once(f, candidates):
    eps = 1e-6
    left, right = (f(candidates) - f(candidates - eps)) / eps, (f(candidates + eps) - f(candidates)) / eps
    return [x.item() for x, jump in zip(candidates, right - left) if abs(jump) > 0.05]


@wrong("10.RepairMatVec", "asked_not_given", "if only matrix requires grad")
class MatVecAsksForTheOther(MatVecForward):
    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        grad_matrix = grad_x = None
        if ctx.needs_input_grad[1]:
            grad_matrix = grad_output.unsqueeze(1) * x
        if ctx.needs_input_grad[0]:
            grad_x = matrix.t() @ grad_output
        return grad_matrix, grad_x
