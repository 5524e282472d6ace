"""Wrong answers to notebook 08, each with the diagnosis that must name it and words that its message must have."""

import autograd_teach as torch
from autograd_teach.course.exercises.e08_in_place import OUTCOMES

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


@wrong("08.predict_in_place_errors", "known", "writing to it writes to x itself")
def a_view_is_no_leaf():
    return OUTCOMES | {"C": "fine"}


@wrong("08.predict_in_place_errors", "known", "whose memory is it?")
def a_view_of_a_leaf_is_saved():
    return OUTCOMES | {"C": "saved"}


@wrong("08.predict_in_place_errors", "known", "the change is not recorded")
def a_leaf_is_never_changed():
    return OUTCOMES | {"D": "leaf"}


@wrong("08.predict_in_place_errors", "known", "after the change")
def order_does_not_matter():
    return OUTCOMES | {"D": "saved"}


@wrong("08.predict_in_place_errors", "known", "still counts it: look again at E")
def no_grad_makes_it_safe():
    return OUTCOMES | {"E": "fine"}


@wrong("08.predict_in_place_errors", "known", "backward cannot notice it")
def data_is_like_detach():
    return OUTCOMES | {"F": "saved"}


@wrong("08.predict_in_place_errors", "known", "is it still the x of the loss?")
def nothing_raised_nothing_wrong():
    return OUTCOMES | {"F": "fine"}


@wrong("08.predict_in_place_errors", "known", "it shares its memory and its version counter with y")
def a_slice_is_a_copy():
    return OUTCOMES | {"G": "fine"}


@wrong("08.predict_in_place_errors", "known", "the same memory and the same version counter")
def detach_is_a_copy():
    return OUTCOMES | {"H": "fine"}


@wrong("08.predict_in_place_errors", "known", "only one of them shares the version counter")
def detach_is_like_data():
    return OUTCOMES | {"H": "wrong"}


@wrong("08.predict_in_place_errors", "some_values", "8 of 8 are not right yet")
def nothing_right():
    return {name: "wrong" if outcome == "leaf" else "leaf" for name, outcome in OUTCOMES.items()} | {"D": "wrong"}


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


@wrong("08.repair_centre", "known", "treats the mean as a constant")
def centre_under_no_grad(x):
    with torch.no_grad():
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


@wrong("08.repair_centre", "known", "treats the mean as a constant")
def centre_mean_by_item(x):
    y = x - x.mean().item()
    return y * y


@wrong("08.repair_centre", "known", "no gradient reaches x")
def centre_detached(x):
    y = x.detach().clone()
    y -= y.mean()
    return y * y


@wrong("08.repair_centre", "known", "the mean is not subtracted")
def centre_forgotten(x):
    return x * x


@wrong("08.repair_centre", "some_values", "['value'] is")
def centre_not_squared(x):
    return x - x.mean()


@wrong("08.repair_centre", "no_result", "return")
def centre_nothing(x):
    y = x - x.mean()
    y *= y.clone()


# repair_threshold


@wrong("08.repair_threshold", "saved_changed", "it needs a tensor of shape [3] that was saved for it")
def threshold_as_given(x):
    y = x.tanh()
    y[y < 0.5] = 0
    return y


@wrong("08.repair_threshold", "known", "the change was hidden from autograd")
def threshold_by_data(x):
    y = x.tanh()
    y.data[y < 0.5] = 0
    return y


@wrong("08.repair_threshold", "saved_changed", "changed in place")
def threshold_under_no_grad(x):
    y = x.tanh()
    with torch.no_grad():
        y[y < 0.5] = 0
    return y


@wrong("08.repair_threshold", "saved_changed", "changed in place")
def threshold_times_mask(x):
    y = x.tanh()
    y *= y >= 0.5
    return y


@wrong("08.repair_threshold", "known", "but they get a gradient as if they did")
def threshold_of_detached(x):
    y = x.tanh()
    return y - torch.where(y < 0.5, y, 0 * y).detach()


@wrong("08.repair_threshold", "known", "no gradient reaches x")
def threshold_in_numpy(x):
    y = x.detach().tanh().clone()
    y[y < 0.5] = 0
    return y


@wrong("08.repair_threshold", "known", "x is compared with 0.5")
def threshold_of_x(x):
    return torch.where(x < 0.5, 0 * x, x.tanh())


@wrong("08.repair_threshold", "known", "large negative entries are kept")
def threshold_of_size(x):
    y = x.tanh()
    return torch.where(y.abs() < 0.5, 0 * y, y)


@wrong("08.repair_threshold", "wrong_shape", "has shape")
def threshold_kept_alone(x):
    y = x.tanh()
    return y[y >= 0.5]


# repair_products


@wrong("08.repair_products", "saved_changed", "it needs a tensor of shape [] that was saved for it")
def products_as_given(x):
    products = torch.zeros(len(x), dtype=x.dtype)
    products[0] = x[0]
    for i in range(1, len(x)):
        products[i] = products[i - 1] * x[i]
    return products


@wrong("08.repair_products", "known", "treats the product before it as a constant")
def products_detached(x):
    products = torch.zeros(len(x), dtype=x.dtype)
    products[0] = x[0]
    for i in range(1, len(x)):
        products[i] = products[i - 1].detach().clone() * x[i]
    return products


@wrong("08.repair_products", "known", "treats the product before it as a constant")
def products_by_item(x):
    products = [x[0]]
    for i in range(1, len(x)):
        products.append(products[i - 1].item() * x[i])
    return torch.stack(products)


@wrong("08.repair_products", "known", "no gradient reaches x")
def products_made_anew(x):
    products = [x[0]]
    for i in range(1, len(x)):
        products.append(products[i - 1] * x[i])
    return torch.tensor([each.item() for each in products], dtype=x.dtype)


@wrong("08.repair_products", "raised", "a leaf Variable")
def products_into_x(x):
    for i in range(1, len(x)):
        x[i] *= x[i - 1]
    return x


@wrong("08.repair_products", "known", "only the last product is there")
def products_last(x):
    product = x[0]
    for factor in x[1:]:
        product = product * factor
    return product


@wrong("08.repair_products", "wrong_shape", "has shape (1,), it must have (2,)")
def products_without_first(x):
    products = [x[0]]
    for i in range(1, len(x)):
        products.append(products[i - 1] * x[i])
    return torch.stack(products[1:])


@wrong("08.repair_products", "some_values", "wrong at ['value']")
def products_of_neighbours(x):
    return torch.stack([x[0], *[x[i - 1] * x[i] for i in range(1, len(x))]]) + 0 * x[0]


@wrong("08.repair_products", "known", "it is not a tensor")
def products_as_a_list(x):
    products = [x[0]]
    for entry in x[1:]:
        products.append(products[-1] * entry)
    return products


# repair_step


@wrong("08.repair_step", "saved_changed", "that was saved for it, and changed in place after that")
def step_as_given(w):
    loss = (w**4 - w**2).sum()
    with torch.no_grad():
        w *= 0.9
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    return loss


@wrong("08.repair_step", "known", "the change was hidden from autograd")
def step_by_data(w):
    loss = (w**4 - w**2).sum()
    w.data *= 0.9
    loss.backward()
    w.data -= 0.1 * w.grad
    return loss


@wrong("08.repair_step", "known", "the loss of the weights after they were made smaller")
def step_decayed_first(w):
    with torch.no_grad():
        w *= 0.9
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    return loss


@wrong("08.repair_step", "known", "made smaller with them")
def step_decayed_last(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w *= 0.9
    return loss


@wrong("08.repair_step", "known", "not made smaller")
def step_without_decay(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    return loss


@wrong("08.repair_step", "known", "the step against the gradient is missing")
def step_decay_alone(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w *= 0.9
    return loss


@wrong("08.repair_step", "known", "the name w was given to another tensor")
def step_on_a_new_tensor(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    w = 0.9 * w - 0.1 * w.grad
    return loss


@wrong("08.repair_step", "raised", "writes to a leaf while autograd takes notes")
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
