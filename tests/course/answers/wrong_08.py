"""Wrong answers to notebook 08, each with the diagnosis that must name it and words that its message must have."""

import autograd_teach as torch
from autograd_teach.course.specs.e08_in_place import OUTCOMES

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


# predict_in_place_errors


@wrong("08.predict_in_place_errors", "known", "its node saves the result: look again at A")
def tanh_is_harmless():
    return OUTCOMES | {"A": "fine"}


@wrong("08.predict_in_place_errors", "known", "Look again at B")
def all_in_place_is_forbidden():
    return OUTCOMES | {"B": "saved", "D": "leaf"}


@wrong("08.predict_in_place_errors", "other_word", "the entry of A is 'error'; use one of these words: 'fine', 'leaf'")
def another_word():
    return {name: outcome.replace("saved", "error") for name, outcome in OUTCOMES.items()}


@wrong("08.predict_in_place_errors", "keys", "no entry for 'H'")
def one_missing():
    return {name: outcome for name, outcome in OUTCOMES.items() if name != "H"}


@wrong("08.predict_in_place_errors", "type", "a list of 8 entries, it must be a dict")
def words_alone():
    return list(OUTCOMES.values())


# repair_centre


@wrong("08.repair_centre", "raised", "a leaf Variable that requires grad")
def centre_as_given(x):
    x -= x.mean()
    return x * x


@wrong("08.repair_centre", "argument_changed", "the argument x is changed")
def centre_through_detach(x):
    values = x.detach()
    values -= x.mean().detach()
    return x * x


@wrong("08.repair_centre", "known", "treats the mean as a constant")
def centre_mean_detached(x):
    return (x - x.detach().mean()) ** 2


@wrong("08.repair_centre", "known", "the distances from the mean: the mean is left out")
def centre_forgotten(x):
    return x * x


@wrong("08.repair_centre", "no_result", "return")
def centre_nothing(x):
    y = x - x.mean()
    y *= y.clone()


@wrong("08.repair_centre", "factor", "the gradient that x gets is right but for a factor: half of what it")
def centre_one_factor_detached(x):
    centred = x - x.mean()
    return centred * centred.detach()


@wrong("08.repair_centre", "some_values", "the result is wrong at the gradient that x gets, right at the result")
def centre_one_mean_detached(x):
    return (x - x.mean()) * (x - x.mean().detach())


@wrong("08.repair_centre", "type", "it must be a tensor")
def centre_as_a_list(x):
    return [(entry - x.mean()) ** 2 for entry in x]


# repair_threshold


@wrong("08.repair_threshold", "saved_changed", "it needs a tensor of shape [3] that was changed in place")
def threshold_as_given(x):
    y = x.tanh()
    y[y < 0.5] = 0
    return y


@wrong("08.repair_threshold", "saved_changed", "changed in place")
def threshold_times_mask(x):
    y = x.tanh()
    y *= y >= 0.5
    return y


@wrong("08.repair_threshold", "known", "the test whether an entry is replaced: `x` stands in the place of tanh")
def threshold_of_x(x):
    return torch.where(x < 0.5, 0 * x, x.tanh())


@wrong("08.repair_threshold", "wrong_shape", "has shape")
def threshold_kept_alone(x):
    y = x.tanh()
    return y[y >= 0.5]


@wrong("08.repair_threshold", "known", "each tanh below 0 is replaced by 0: use the threshold of the statement")
def threshold_relu(x):
    return torch.relu(x.tanh())


@wrong("08.repair_threshold", "some_values", "the result is wrong at the gradient that x gets, right at the result")
def threshold_of_detached_tanh(x):
    y = x.detach().tanh()
    return torch.where(y < 0.5, 0 * x, x + (y - x.detach()))


# repair_products


@wrong("08.repair_products", "saved_changed", "it needs a tensor of shape [] that was changed in place")
def products_as_given(x):
    products = torch.zeros(len(x), dtype=x.dtype)
    products[0] = x[0]
    for i in range(1, len(x)):
        products[i] = products[i - 1] * x[i]
    return products


@wrong("08.repair_products", "raised", "a leaf Variable")
def products_into_x(x):
    for i in range(1, len(x)):
        x[i] *= x[i - 1]
    return x


@wrong("08.repair_products", "wrong_shape", "the result has shape (1,), it must have (2,)")
def products_without_first(x):
    products = [x[0]]
    for i in range(1, len(x)):
        products.append(products[i - 1] * x[i])
    return torch.stack(products[1:])


@wrong("08.repair_products", "known", "the products of two neighbours")
def products_of_neighbours(x):
    return torch.stack([x[0], *[x[i - 1] * x[i] for i in range(1, len(x))]]) + 0 * x[0]


@wrong("08.repair_products", "type", "it must be a tensor")
def products_as_a_list(x):
    products = [x[0]]
    for entry in x[1:]:
        products.append(products[-1] * entry)
    return products


@wrong("08.repair_products", "known", "these are running sums")
def products_added(x):
    return x.cumsum(0)


@wrong("08.repair_products", "some_values", "both parts of the result are wrong: the result")
def products_backwards(x):
    return x.flip(0).cumprod(0).flip(0)


@wrong("08.repair_products", "relation", "the gradient that x gets is right in the first entry only, and 0 in the")
def products_factors_detached(x):
    products = torch.zeros(len(x), dtype=x.dtype)
    products[0] = x[0]
    for i in range(1, len(x)):
        products[i] = products[i - 1].clone() * x[i].detach()
    return products


@wrong("08.repair_products", "some_values", "the result is wrong at the gradient that x gets, right at the result")
def products_through_data(x):
    products = torch.zeros(len(x), dtype=x.dtype)
    products[0] = x[0]
    for i in range(1, len(x)):
        products.data[i] = (products[i - 1] * x[i]).data
    return products


# repair_step


@wrong("08.repair_step", "saved_changed", "that was changed in place after it was saved")
def step_as_given(w):
    loss = (w**4 - w**2).sum()
    with torch.no_grad():
        w *= 0.9
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    return loss


@wrong("08.repair_step", "known", "the caller's w has not changed (`w = ...` only gives the name w to")
def step_on_a_new_tensor(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    w = 0.9 * w - 0.1 * w.grad
    return loss


@wrong("08.repair_step", "raised", "writes to a leaf while autograd records")
def step_without_no_grad(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    w *= 0.9
    w -= 0.1 * w.grad
    return loss


@wrong("08.repair_step", "no_result", "return")
def step_nothing(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w *= 0.9
        w -= 0.1 * w.grad


@wrong("08.repair_step", "known", "the gradient of the loss: 2 is left out")
def slope_without_the_two(w):
    with torch.no_grad():
        loss = (w**4 - w**2).sum()
        w.copy_(0.9 * w - 0.1 * (4 * w**3 - w))
    return loss
