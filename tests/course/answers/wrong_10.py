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


@wrong("10.numerical_jacobian", "known", "from x to x + eps")
def one_side(f, x, eps):
    return table([(f(x + eps * d) - f(x)) / eps for d in directions(x)])


@wrong("10.numerical_jacobian", "known", "from x - eps to x")
def other_side(f, x, eps):
    return table([(f(x) - f(x - eps * d)) / eps for d in directions(x)])


@wrong("10.numerical_jacobian", "known", "the step asked for is eps")
def by_autograd(f, x, eps):
    result = torch.autograd.functional.jacobian(f, x)
    return result.reshape(-1, x.numel())


@wrong("10.numerical_jacobian", "known", "the step asked for is eps")
def eps_of_its_own(f, x, eps):
    return central(f, x, 1e-5)


@wrong("10.numerical_jacobian", "known", "moved by eps / 2")
def half_a_step(f, x, eps):
    return central(f, x, eps / 2)


@wrong("10.numerical_jacobian", "known", "is divided by eps, but")
def divided_by_eps(f, x, eps):
    return 2 * central(f, x, eps)


@wrong("10.numerical_jacobian", "factor", "minus")
def turned_round(f, x, eps):
    return -central(f, x, eps)


@wrong("10.numerical_jacobian", "transposed", "rows and columns")
def columns_as_rows(f, x, eps):
    return central(f, x, eps).t()


@wrong("10.numerical_jacobian", "known", "at the same time")
def all_entries_at_once(f, x, eps):
    return (f(x + eps) - f(x - eps)) / (2 * eps)


@wrong("10.numerical_jacobian", "wrong_shape", "* x.sum(), x of shape (2, 2)")
def vectors_only(f, x, eps):
    if x.dim() == 0:
        x = x.reshape(1)
    steps = eps * torch.eye(len(x), dtype=x.dtype)
    return torch.cat([((f(x + s) - f(x - s)) / (2 * eps)).reshape(-1, 1) for s in steps], 1)


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


def columns_by(column, number):
    """An answer that is right but for how it computes the column of one direction."""

    def answer(f, x, eps):
        return table([column(f, x, d, eps) for d in directions(x)])

    answer.__name__ = f"column_{number}"
    return answer


def difference(f, x, step):
    return f(x + step) - f(x - step)


COLUMNS = {
    "is not divided by anything": lambda f, x, d, eps: difference(f, x, eps * d),
    "divided by 2 and then multiplied by eps": lambda f, x, d, eps: difference(f, x, eps * d) / 2 * eps,
    "a division is done before a difference": lambda f, x, d, eps: f(x + eps * d) - f(x - eps * d) / (2 * eps),
    "and divides by the distance of two sides": lambda f, x, d, eps: (f(x + eps * d) - f(x)) / (2 * eps),
    "moved by eps squared": lambda f, x, d, eps: difference(f, x, eps**2 * d) / (2 * eps**2),
    "moved by 2 * eps": lambda f, x, d, eps: difference(f, x, 2 * eps * d) / (4 * eps),
    "eps times its own value": lambda f, x, d, eps: difference(f, x, eps * d * x) / (2 * eps * (d * x).sum()),
}
for number, (words, column) in enumerate(COLUMNS.items()):
    wrong("10.numerical_jacobian", "known", words)(columns_by(column, number))


@wrong("10.numerical_jacobian", "known", "is not put back before the next one moves")
def moved_for_good(f, x, eps):
    up, down, columns = x.clone(), x.clone(), []
    for j in range(x.numel()):
        up.reshape(-1)[j] += eps
        down.reshape(-1)[j] -= eps
        columns.append((f(up) - f(down)) / (2 * eps))
    return table(columns)


@wrong("10.numerical_jacobian", "known", "the last entry of x are 0")
def loop_ends_early(f, x, eps):
    jacobian = torch.zeros(f(x).numel(), x.numel(), dtype=x.dtype)
    for j, d in enumerate(directions(x)[:-1]):
        jacobian[:, j] = ((f(x + eps * d) - f(x - eps * d)) / (2 * eps)).reshape(-1)
    return jacobian


@wrong("10.numerical_jacobian", "known", "added up, in the shape of x")
def gradient_of_the_sum(f, x, eps):
    return torch.stack([((f(x + eps * d) - f(x - eps * d)) / (2 * eps)).sum() for d in directions(x)]).reshape(x.shape)


@wrong("10.numerical_jacobian", "known", "of the first result alone")
def first_row_only(f, x, eps):
    return central(f, x, eps)[0]


@wrong("10.numerical_jacobian", "known", "keeps the shape of f(x)")
def results_not_flattened(f, x, eps):
    return torch.stack([(f(x + eps * d) - f(x - eps * d)) / (2 * eps) for d in directions(x)], dim=-1)


@wrong("10.numerical_jacobian", "dtype", "float32")
def filled_in_float32(f, x, eps):
    jacobian = torch.zeros(f(x).numel(), x.numel())
    jacobian[:] = central(f, x, eps)
    return jacobian


@wrong("10.numerical_jacobian", "type", "it must be a tensor")
def lists_of_numbers(f, x, eps):
    return central(f, x, eps).tolist()


# find_kinks


@wrong("10.find_kinks", "known", "there is no kink")
def the_smooth_ones(f, candidates):
    return [x.item() for x in candidates if abs(slopes(f, x)[0] - slopes(f, x)[1]) < 0.05]


@wrong("10.find_kinks", "known", "such kinks are missed")
def signs_lost(f, candidates):
    return [x for x in candidates if abs(abs(slopes(f, x)[0]) - abs(slopes(f, x)[1])) > 0.05]


@wrong("10.find_kinks", "known", "True or False for each candidate")
def yes_and_no(f, candidates):
    return [abs(slopes(f, x)[0] - slopes(f, x)[1]) > 0.05 for x in candidates]


@wrong("10.find_kinks", "known", "the result must be the kinks themselves")
def yes_and_no_as_tensor(f, candidates):
    return torch.tensor(yes_and_no(f, candidates))


@wrong("10.find_kinks", "known", "the positions of the kinks in the list")
def their_numbers(f, candidates):
    return [n for n, is_kink in enumerate(yes_and_no(f, candidates)) if is_kink]


@wrong("10.find_kinks", "known", "kinks like that of |x| are missed")
def by_gradcheck(f, candidates):
    found = []
    for place in candidates.tolist():
        x = torch.tensor(place, dtype=torch.float64, requires_grad=True)
        if not torch.autograd.gradcheck(f, (x,), raise_exception=False):
            found.append(place)
    return found


@wrong("10.find_kinks", "known", "at which f only bends")
def steps_too_large(f, candidates):
    return [x.item() for x in candidates if abs(slopes(f, x, 0.1)[0] - slopes(f, x, 0.1)[1]) > 0.05]


@wrong("10.find_kinks", "known", "at which f only bends")
def compared_exactly(f, candidates):
    return [x.item() for x in candidates if slopes(f, x)[0] != slopes(f, x)[1]]


@wrong("10.find_kinks", "known", "kinks are missed where the slopes differ by 0.4 or less")
def large_jumps_only(f, candidates):
    return [x.item() for x in candidates if abs(slopes(f, x)[0] - slopes(f, x)[1]) > 0.5]


@wrong("10.find_kinks", "selection", "in the result, but not asked for: ")
def zeros_of_the_slope(f, candidates):
    return [x.item() for x in candidates if abs(sum(slopes(f, x))) < 1e-3]


@wrong("10.find_kinks", "length", "the result has 2 entries, it must have 1")
def found_twice(f, candidates):
    return [x.item() for x in candidates for side in (0, 1) if abs(slopes(f, x)[0] - slopes(f, x)[1]) > 0.05]


@wrong("10.find_kinks", "type", "it must be a list or tuple of 1 entry")
def first_kink_only(f, candidates):
    return next((x.item() for x in candidates if abs(slopes(f, x)[0] - slopes(f, x)[1]) > 0.05), [])


@wrong("10.find_kinks", "no_result", "return")
def printed_only(f, candidates):
    print(the_smooth_ones(f, candidates))


def kinks_by(name, rule, eps=1e-6):
    """An answer that takes a candidate for a kink where `rule` says so of the two slopes."""

    def answer(f, candidates):
        return [x.item() for x in candidates if rule(*slopes(f, x, eps))]

    answer.__name__ = name
    return answer


for name, words, rule in (
    ("no_abs", "the slope gets larger", lambda left, right: right - left > 0.05),
    ("no_abs_turned_round", "the slope gets smaller", lambda left, right: left - right > 0.01),
    ("threshold_of_one_fifth", "differ by 0.11 or less", lambda left, right: abs(right - left) > 0.2),
    ("threshold_just_too_large", "differ by 0.11 or less", lambda left, right: abs(right - left) > 0.12),
    ("threshold_of_one", "differ by 1 or less", lambda left, right: abs(right - left) > 1),
    ("threshold_too_small", "at which f only bends", lambda left, right: abs(right - left) > 1e-5),
    ("a_tenth_of_the_slope", "compared with their size", lambda a, b: abs(a - b) > 0.1 * max(abs(a), abs(b))),
    ("turning_points", "only the signs of the two slopes", lambda left, right: left * right < 0),
):
    wrong("10.find_kinks", "known", words)(kinks_by(name, rule))

for name, words, eps in (
    ("step_of_a_hundredth", "at which f only bends", 0.01),
    ("step_of_a_thousandth", "at which f only bends", 0.001),
    ("step_of_1e_14", "rounding makes the slopes", 1e-14),
    ("step_of_1e_18", "x + eps is x", 1e-18),
):
    wrong("10.find_kinks", "known", words)(kinks_by(name, lambda left, right: abs(right - left) > 0.05, eps))


def is_kink(f, x):
    left, right = slopes(f, x)
    return abs(right - left) > 0.05


@wrong("10.find_kinks", "known", "are they slopes?")
def never_divided(f, candidates):
    bend = [(f(x + 1e-6) - 2 * f(x) + f(x - 1e-6)).abs() for x in candidates]
    return [x.item() for x, size in zip(candidates, bend, strict=True) if size > 0.05]


@wrong("10.find_kinks", "known", "no candidate but the first")
def returns_inside_the_loop(f, candidates):
    found = []
    for x in candidates:
        if is_kink(f, x):
            found.append(x.item())
        return found


@wrong("10.find_kinks", "known", "the first candidate and the last one are never")
def ends_left_out(f, candidates):
    return [x.item() for x in candidates[1:-1] if is_kink(f, x)]


@wrong("10.find_kinks", "known", "only the last kink")
def overwritten(f, candidates):
    found = []
    for x in candidates:
        if is_kink(f, x):
            found = [x.item()]
    return found


@wrong("10.find_kinks", "known", "their order must be that of the candidates")
def put_in_front(f, candidates):
    found = []
    for x in candidates:
        if is_kink(f, x):
            found.insert(0, x.item())
    return found


@wrong("10.find_kinks", "known", "the values of f at the kinks")
def values_at_kinks(f, candidates):
    return [f(x).item() for x in candidates if is_kink(f, x)]


@wrong("10.find_kinks", "known", "at the candidate before it")
def compared_with_the_neighbour(f, candidates):
    right = [slopes(f, x)[1] for x in candidates]
    return [candidates[n].item() for n in range(1, len(right)) if abs(right[n] - right[n - 1]) > 0.05]


# RepairReciprocal


class ReciprocalForward(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / x


@wrong("10.RepairReciprocal", "sign", "the sign is flipped")
class ReciprocalAsGiven(ReciprocalForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / x**2


@wrong("10.RepairReciprocal", "known", "it is positive for negative x")
class ReciprocalOnce(ReciprocalForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return -grad_output / x


@wrong("10.RepairReciprocal", "known", "1/x gets flatter")
class ReciprocalTimes(ReciprocalForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return -grad_output * x**2


@wrong("10.RepairReciprocal", "known", "the logarithm")
class ReciprocalIntegrated(ReciprocalForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x.abs().log()


@wrong("10.RepairReciprocal", "grad_output_forgotten", "grad_output is not used")
class ReciprocalLocal(ReciprocalForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return -1 / x**2


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


# RepairSquare


class SquareForward(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x


@wrong("10.RepairSquare", "factor", "half of what it must be")
class SquareAsGiven(SquareForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x


@wrong("10.RepairSquare", "known", "2 everywhere")
class SquareSlopeTwo(SquareForward):
    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


@wrong("10.RepairSquare", "known", "like the slope of the cube")
class SquareTwoSquares(SquareForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 2 * x**2


@wrong("10.RepairSquare", "known", "has lost the sign of x")
class SquareOfSize(SquareForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 2 * x.abs()


@wrong("10.RepairSquare", "grad_output_forgotten", "grad_output is not used")
class SquareLocal(SquareForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x


@wrong("10.RepairSquare", "not_linear", "right where grad_output is 1")
class SquareOfGradOutput(SquareForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output**2


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


@wrong("10.RepairTanh", "grad_output_forgotten", "for every grad_output")
class TanhAsGiven(TanhForward):
    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return 1 - result**2


@wrong("10.RepairTanh", "known", "it needs the square of the result")
class TanhOfArgument(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.tanh()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * (1 - x**2)


@wrong("10.RepairTanh", "known", "grad_output is added")
class TanhAdded(TanhForward):
    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output + 1 - result**2


@wrong("10.RepairTanh", "known", "tanh is taken twice")
class TanhTwice(TanhForward):
    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * (1 - result.tanh() ** 2)


@wrong("10.RepairTanh", "known", "grad_output is squared")
class TanhSquaredInside(TanhForward):
    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return 1 - (grad_output * result) ** 2


@wrong("10.RepairTanh", "known", "1 minus the result")
class TanhNotSquared(TanhForward):
    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * (1 - result)


@wrong("10.RepairTanh", "mixed_up", "the same sum of grad_output")
class TanhSummed(TanhForward):
    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output.sum() * (1 - result**2)


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


@wrong("10.RepairMatVec", "known", "leaves the numbers in their order")
class MatVecReshaped(MatVecForward):
    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        return (x.unsqueeze(1) * grad_output).reshape(matrix.shape), matrix.t() @ grad_output


@wrong("10.RepairMatVec", "known", "x does not appear in it")
class MatVecGradOutputOnly(MatVecForward):
    @staticmethod
    def backward(ctx, grad_output):
        matrix, _ = ctx.saved_tensors
        return grad_output.unsqueeze(1).expand_as(matrix).clone(), matrix.t() @ grad_output


@wrong("10.RepairMatVec", "grad_output_forgotten", "grad_output is not used for matrix")
class MatVecXOnly(MatVecForward):
    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        return x.expand_as(matrix).clone(), matrix.t() @ grad_output


@wrong("10.RepairMatVec", "known", "only on the sum of grad_output")
class MatVecSums(MatVecForward):
    @staticmethod
    def backward(ctx, grad_output):
        matrix, x = ctx.saved_tensors
        return grad_output.unsqueeze(1) * x, grad_output.sum() * matrix.sum(0)


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
columns("ColumnsMean", "known", "the mean over the rows", lambda g, x, scale: (g * scale, (g * x).mean(0)))
columns("ColumnsFirst", "known", "the first row alone", lambda g, x, scale: (g * scale, (g * x)[0]))
columns("ColumnsLast", "known", "the last row alone", lambda g, x, scale: (g * scale, (g * x)[-1]))
columns("ColumnsApart", "known", "the sum of products", lambda g, x, scale: (g * scale, g.sum(0) * x.sum(0)))
columns("ColumnsNoX", "known", "as if scale were added", lambda g, x, scale: (g * scale, g.sum(0)))
columns("ColumnsNoScale", "known", "whatever `scale` is", lambda g, x, scale: (g, (g * x).sum(0)))
columns("ColumnsWrongAxis", "summed_wrongly", "(2,)", lambda g, x, scale: (g * scale, (g * x).sum(1)))
columns("ColumnsOneNumber", "wrong_shape", "has shape ()", lambda g, x, scale: (g * scale, (g * x).sum()))
columns("ColumnsSwapped", "swapped_gradients", "changed places", lambda g, x, scale: ((g * x).sum(0), g * scale))


# Written later: the same slips in other places


def repaired(forward, backward, name):
    methods = {
        "forward": staticmethod(forward),
        "backward": staticmethod(lambda ctx, g: backward(g, *ctx.saved_tensors)),
    }
    return type(name, (Function,), methods)


def tanh_of_argument(ctx, x):
    ctx.save_for_backward(x)
    return x.tanh()


for exercise, forward, mistakes in (
    (
        "10.RepairReciprocal",
        ReciprocalForward.forward,
        {
            "-1 divided by the cube of x": lambda g, x: -g / x**3,
            "-1 / (x * |x|)": lambda g, x: -g / (x * x.abs()),
            "grad_output is added to the slope": lambda g, x: g - 1 / x**2,
            "only 1/x belongs into the square": lambda g, x: -((g / x) ** 2),
            "the slope is divided by grad_output": lambda g, x: -1 / (g * x**2),
        },
    ),
    (
        "10.RepairSquare",
        SquareForward.forward,
        {
            "3 times the square of x": lambda g, x: 3 * g * x**2,
            "the slope used is 2 / x": lambda g, x: 2 * g / x,
            "the slope used is 2 + x": lambda g, x: g * (2 + x),
            "grad_output is added to the slope": lambda g, x: g + 2 * x,
        },
    ),
    (
        "10.RepairTanh",
        TanhForward.forward,
        {
            "the slope of tanh is forgotten": lambda g, y: 1 * g,
            "only the 1 is multiplied by grad_output": lambda g, y: g - y**2,
            "only the square is multiplied by grad_output": lambda g, y: 1 - g * y**2,
            "as for the sigmoid": lambda g, y: g * y * (1 - y),
            "the square of (1 - result)": lambda g, y: g * (1 - y) ** 2,
            "the slope used is the result": lambda g, y: g * y,
            "1 plus the square of the result": lambda g, y: g * (1 + y**2),
            "the slope of tanh at grad_output": lambda g, y: 1 - g.tanh() ** 2,
        },
    ),
    (
        "10.RepairTanh",
        tanh_of_argument,
        {
            "1 / cosh x without the square": lambda g, x: g / x.cosh(),
            "as for the tangent": lambda g, x: g / x.cos() ** 2,
            "1 / (1 + x * x)": lambda g, x: g / (1 + x * x),
        },
    ),
    (
        "10.RepairMatVec",
        MatVecForward.forward,
        {
            "the matrix itself in the place of x": lambda g, m, x: (g.unsqueeze(1) * m, m.t() @ g),
            "each column belongs to one entry of x": lambda g, m, x: (torch.outer(g, 0 * x + x.sum()), m.t() @ g),
            "each row belongs to one entry of it": lambda g, m, x: (torch.outer(0 * g + g.sum(), x), m.t() @ g),
            "it must be their products": lambda g, m, x: (g.unsqueeze(1) + x, m.t() @ g),
            "made with a reshaped matrix": lambda g, m, x: (torch.outer(g, x), m.reshape(m.shape[1], -1) @ g),
            "the result is linear in x": lambda g, m, x: (torch.outer(g, x), x * (m.t() @ g)),
        },
    ),
    (
        "10.RepairScaleColumns",
        lambda ctx, x, scale: ctx.save_for_backward(x, scale) or x * scale,
        {
            "leaves out the first row": lambda g, x, scale: (g * scale, (g * x)[1:].sum(0)),
            "the sum over the whole matrix": lambda g, x, scale: (g * scale, 0 * scale + (g * x).sum()),
            "the largest of the rows": lambda g, x, scale: (g * scale, (g * x).max(0).values),
            "the first row of x": lambda g, x, scale: (g * scale, g.sum(0) * x[0]),
            "the sum of products is another number": lambda g, x, scale: (g * scale, g.mean(0) * x.sum(0)),
            "the result is linear in scale": lambda g, x, scale: (g * scale, (g * x * scale).sum(0)),
            "each column has its own factor": lambda g, x, scale: (g * scale.sum(), (g * x).sum(0)),
            "is divided by scale": lambda g, x, scale: (g / scale, (g * x).sum(0)),
        },
    ),
):
    for number, (words, backward) in enumerate(mistakes.items()):
        entry = exercise.partition(".")[2]
        wrong(exercise, "known", words)(repaired(forward, backward, f"{entry}{forward.__name__.strip('<>')}{number}"))


@wrong("10.RepairTanh", "result_changed", "changes the result of forward in place")
class TanhWritesToSaved(TanhForward):
    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        result **= 2
        return grad_output * (1 - result)


@wrong("10.RepairSquare", "argument_changed", "x is changed in backward")
class SquareWritesToSaved(SquareForward):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        x *= 2
        return grad_output * x


@wrong("10.numerical_jacobian", "known", "in one row")
def f_of_a_row(f, x, eps):
    columns = []
    for j in range(x.numel()):
        right, left = x.clone().reshape(-1), x.clone().reshape(-1)
        right[j] += eps
        left[j] -= eps
        columns.append((f(right) - f(left)) / (2 * eps))
    return table(columns)


@wrong("10.numerical_jacobian", "known", "where f gives a view of its argument")
def one_copy_that_moves(f, x, eps):
    columns = []
    for j in range(x.numel()):
        moved = x.clone()
        flat = moved.view(-1)
        flat[j] += eps
        right = f(moved)
        flat[j] -= 2 * eps
        columns.append((right - f(moved)) / (2 * eps))
    return table(columns)


@wrong("10.find_kinks", "known", "sorted by their size")
def sorted_kinks(f, candidates):
    found = [x.item() for x in candidates if abs(slopes(f, x)[0] - slopes(f, x)[1]) > 0.05]
    return sorted(found)


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


@wrong("10.RepairScaleColumns", "known", "NaN where scale is 0")
class ColumnsDividedAgain(Function):
    @staticmethod
    def forward(ctx, x, scale):
        result = x * scale
        ctx.save_for_backward(result, scale)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result, scale = ctx.saved_tensors
        return grad_output * scale, (grad_output * result / scale).sum(0)


@wrong("10.numerical_jacobian", "known", "moved at the same time for every column")
def all_moved_for_each_column(f, x, eps):
    return table([(f(x + eps) - f(x - eps)) / (2 * eps) for _ in range(x.numel())])


@wrong("10.find_kinks", "known", "or the difference that you ask for too large")
def slope_across(f, candidates):
    eps = 1e-5
    found = []
    for x in candidates:
        left, across = (f(x) - f(x - eps)) / eps, (f(x + eps) - f(x - eps)) / (2 * eps)
        if (across - left).abs() > 0.06:
            found.append(x.item())
    return found
