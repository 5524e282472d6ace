"""Wrong answers to exercises that are called, each for a diagnosis that goes by how a result depends on the right one.

They are named without the mistakes that the exercises declare: those come first, and may name them more exactly.
"""

import autograd_teach as torch

GENERIC: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: GENERIC.append((exercise, answer, diagnosis, words)) or answer


def gradient(f, x):
    leaf = x.detach().clone().requires_grad_(True)
    return torch.autograd.grad(f(leaf), leaf)[0]


def turns(w, state, inputs):
    rows = []
    for given in inputs:
        leaf = w.detach().clone().requires_grad_(True)
        state = torch.tanh(leaf * state.detach() + given)
        (state * state).sum().backward()
        rows.append(leaf.grad)
    return torch.stack(rows)


def rows_of(f, x):
    leaf = x.detach().clone().requires_grad_(True)
    y = f(leaf)
    return [torch.autograd.grad(each, leaf, retain_graph=True)[0] for each in y]


@wrong("02.full_jacobian", "wrong_shape", "its sum over dimension 0 is right")
def one_dimension_more(f, x):
    whole = torch.stack(rows_of(f, x))
    return torch.stack([whole / 2, whole / 2])


@wrong("06.turn_gradients", "wrong_shape", "the numbers are right, but the result has shape")
def flat_turns(w, state, inputs):
    return turns(w, state, inputs).reshape(-1)


@wrong("02.full_jacobian", "wrong_shape", "the first row is missing")
def without_the_first_row(f, x):
    rows = rows_of(f, x)
    return torch.stack(rows[1:] or rows)


@wrong("02.full_jacobian", "factor", "is right but for its sign")
def minus_all(f, x):
    return -torch.stack(rows_of(f, x))


@wrong("02.full_jacobian", "mean_for_sum", "right, but divided by the number of entries of x")
def averaged(f, x):
    return torch.stack(rows_of(f, x)) / x.numel()


@wrong("02.full_jacobian", "mean_for_sum", "right, but multiplied by the number of entries of x")
def summed(f, x):
    return torch.stack(rows_of(f, x)) * x.numel()


@wrong("02.full_jacobian", "factor_differs", "right but for a factor, which is not the same for every input")
def normalised(f, x):
    whole = torch.stack(rows_of(f, x))
    return whole / whole.norm()


@wrong("06.turn_gradients", "known", "the result is the same as inputs, unchanged")
def inputs_back(w, state, inputs):
    return inputs.detach().clone()


@wrong("03.count_nodes", "shift", "the result is 1 too large")
def one_more(y):
    seen, waiting = set(), [y.grad_fn] if y.grad_fn is not None else []
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += [each for each, _ in node.next_functions if each is not None]
    return len(seen) + 1


@wrong(
    "02.full_jacobian", "rows", "each row contains those before it: they add up, as in a `.grad` that is not set back"
)
def accumulated(f, x):
    leaf = x.detach().clone().requires_grad_(True)
    rows = []
    for each in f(leaf):
        each.backward(retain_graph=True)
        rows.append(leaf.grad.clone())
    return torch.stack(rows)


@wrong("02.full_jacobian", "rows", "every row is the sum of all")
def one_grad_for_all(f, x):
    leaf = x.detach().clone().requires_grad_(True)
    rows = []
    for each in f(leaf):
        each.backward(retain_graph=True)
        rows.append(leaf.grad)
    return torch.stack(rows)


@wrong("02.full_jacobian", "rows", "every row is what only the last must be")
def last_row_everywhere(f, x):
    rows = rows_of(f, x)
    return torch.stack([rows[-1]] * len(rows))


@wrong("02.full_jacobian", "relation", "order of the rows is reversed")
def from_the_last_row(f, x):
    return torch.stack(rows_of(f, x)[::-1])


@wrong("02.gradient_of", "relation", "absolute value")
def without_signs(f, x):
    return gradient(f, x).abs()


@wrong("02.full_jacobian", "another_order", "the right numbers, but some are at the wrong places")
def first_row_sorted(f, x):
    whole = torch.stack(rows_of(f, x))
    whole[0] = whole[0].flip(0)
    return whole


@wrong("02.jacobian_row", "known", "that of i = 0, whatever it is given")
def always_the_first(f, x, i):
    return rows_of(f, x)[0]


@wrong("02.full_jacobian", "some_entries", "the last row")
def last_row_doubled(f, x):
    whole = torch.stack(rows_of(f, x))
    whole[-1] += 0.3
    return whole


@wrong("02.full_jacobian", "some_entries", "the diagonal")
def diagonal_moved(f, x):
    whole = torch.stack(rows_of(f, x))
    for i in range(min(whole.shape)):
        whole[i, i] += 0.3 + i
    return whole


@wrong("02.gradient_of", "not_in_package", "only PyTorch has `torch.lu`, this package does not")
def of_pytorch_alone(f, x):
    return gradient(f, x) + torch.lu(x)
