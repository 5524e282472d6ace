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


@wrong("08.predict_in_place_errors", "known", "8 of 8 are not right yet")
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


@wrong("08.predict_in_place_errors", "known", "it is not a leaf")
def every_change_raises_at_once():
    return OUTCOMES | {"A": "leaf"}


@wrong("08.predict_in_place_errors", "known", "does not raise")
def a_detached_leaf_is_still_a_leaf():
    return OUTCOMES | {"H": "leaf"}


@wrong("08.predict_in_place_errors", "known", "does backward run through")
def what_shares_memory_gives_a_wrong_gradient():
    return OUTCOMES | {"G": "wrong"}


@wrong("08.predict_in_place_errors", "known", "as far as `backward`")
def the_view_spoils_the_gradient():
    return OUTCOMES | {"C": "wrong"}


@wrong("08.predict_in_place_errors", "known", "no value changes after it was saved")
def no_grad_spoils_the_gradient():
    return OUTCOMES | {"D": "wrong"}


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


@wrong("08.repair_centre", "known", "the distances themselves")
def centre_not_squared(x):
    return x - x.mean()


@wrong("08.repair_centre", "no_result", "return")
def centre_nothing(x):
    y = x - x.mean()
    y *= y.clone()


@wrong("08.repair_centre", "known", "the sizes of the distances")
def centre_sizes(x):
    return (x - x.mean()).abs()


@wrong("08.repair_centre", "known", "the sum divided by n - 1 is subtracted")
def centre_unbiased(x):
    return (x - x.sum() / (len(x) - 1)) ** 2


@wrong("08.repair_centre", "known", "the median is subtracted")
def centre_median(x):
    return (x - x.median()) ** 2


@wrong("08.repair_centre", "known", "first comes the distance, then the square")
def centre_after_the_square(x):
    return x * x - x.mean() ** 2


@wrong("08.repair_centre", "known", "this is one number, the mean of the squared distances")
def centre_variance(x):
    return ((x - x.mean()) ** 2).mean()


@wrong("08.repair_centre", "known", "is divided by n, the number of entries")
def centre_divided(x):
    centred = x - x.mean()
    return centred * centred / len(x)


@wrong("08.repair_centre", "known", "one of the two factors as a constant")
def centre_one_factor_detached(x):
    centred = x - x.mean()
    return centred * centred.detach()


@wrong("08.repair_centre", "known", "as a constant in one of the two factors")
def centre_one_mean_detached(x):
    return (x - x.mean()) * (x - x.mean().detach())


@wrong("08.repair_centre", "type", "it must be a tensor")
def centre_as_a_list(x):
    return [(entry - x.mean()) ** 2 for entry in x]


@wrong("08.repair_centre", "known", "no gradient reaches x")
def centre_a_new_leaf(x):
    centred = (x - x.mean()).detach().requires_grad_()
    return centred**2


# repair_threshold


@wrong("08.repair_threshold", "saved_changed", "it needs a tensor of shape [3] that was changed in place")
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


@wrong("08.repair_threshold", "known", "every tanh above 0.5 is replaced")
def threshold_turned_round(x):
    y = x.tanh()
    return torch.where(y < 0.5, y, torch.zeros_like(y))


@wrong("08.repair_threshold", "known", "every tanh below 0 is replaced")
def threshold_relu(x):
    return torch.relu(x.tanh())


@wrong("08.repair_threshold", "known", "are replaced by 0.5")
def threshold_clamped(x):
    return x.tanh().clamp(min=0.5)


@wrong("08.repair_threshold", "known", "tanh x - 0.5")
def threshold_shifted(x):
    return torch.relu(x.tanh() - 0.5)


@wrong("08.repair_threshold", "known", "those of x, but")
def threshold_keeps_x(x):
    return torch.where(x.tanh() < 0.5, torch.zeros_like(x), x)


@wrong("08.repair_threshold", "known", "tanh is never taken")
def threshold_without_tanh(x):
    result = x.clone()
    result[x < 0.5] = 0
    return result


@wrong("08.repair_threshold", "known", "they get a gradient as if they did")
def threshold_straight_through(x):
    y = x.tanh()
    cut = torch.where(y < 0.5, torch.zeros_like(y), y)
    return y + (cut - y).detach()


@wrong("08.repair_threshold", "known", "get the slope 1")
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


@wrong("08.repair_products", "known", "the first product is missing")
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


@wrong("08.repair_products", "known", "the last product is missing")
def products_loop_ends_early(x):
    products = [x[0]]
    for i in range(1, len(x) - 1):
        products.append(products[-1] * x[i])
    return torch.stack(products)


@wrong("08.repair_products", "known", "the 1 before the first entry")
def products_from_one(x):
    products = [torch.ones((), dtype=x.dtype)]
    for entry in x:
        products.append(products[-1] * entry)
    return torch.stack(products)


@wrong("08.repair_products", "known", "the first entry is multiplied in twice")
def products_first_twice(x):
    product, products = x[0], []
    for entry in x:
        product = product * entry
        products.append(product)
    return torch.stack(products)


@wrong("08.repair_products", "known", "from the last entry backwards")
def products_backwards(x):
    return x.flip(0).cumprod(0).flip(0)


@wrong("08.repair_products", "known", "the product of all entries stands everywhere")
def products_complete(x):
    return x.prod() * torch.ones_like(x)


@wrong("08.repair_products", "known", "treats its new factor as a constant")
def products_factors_detached(x):
    products = torch.zeros(len(x), dtype=x.dtype)
    products[0] = x[0]
    for i in range(1, len(x)):
        products[i] = products[i - 1].clone() * x[i].detach()
    return products


@wrong("08.repair_products", "known", "written past autograd")
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


@wrong("08.repair_step", "known", "the gradient at the smaller weights")
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


@wrong("08.repair_step", "known", "together with the weights")
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


@wrong("08.repair_step", "known", "nothing was written into it")
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


def loss_of(w):
    return (w**4 - w**2).sum()


@wrong("08.repair_step", "known", "the loss of the weights after the step")
def step_loss_computed_afterwards(w):
    loss_of(w).backward()
    with torch.no_grad():
        w *= 0.9
        w -= 0.1 * w.grad
        return loss_of(w)


@wrong("08.repair_step", "known", "along the gradient, not against it")
def step_upwards(w):
    loss = loss_of(w)
    loss.backward()
    with torch.no_grad():
        w *= 0.9
        w += 0.1 * w.grad
    return loss


@wrong("08.repair_step", "known", "to a tenth, not by a tenth")
def step_decayed_to_a_tenth(w):
    loss = loss_of(w)
    loss.backward()
    with torch.no_grad():
        w.mul_(0.1).sub_(w.grad, alpha=0.1)
    return loss


@wrong("08.repair_step", "known", "has size 1, not 0.1")
def step_too_long(w):
    loss = loss_of(w)
    loss.backward()
    with torch.no_grad():
        w.copy_(0.9 * w - w.grad)
    return loss


@wrong("08.repair_step", "known", "the mean over the entries")
def step_mean_loss(w):
    loss = (w**4 - w**2).mean()
    loss.backward()
    with torch.no_grad():
        w.copy_(0.9 * w - 0.1 * w.grad)
    return loss


@wrong("08.repair_step", "known", "the gradient is counted twice")
def step_two_backwards(w):
    loss = loss_of(w)
    loss.backward(retain_graph=True)
    loss.backward()
    with torch.no_grad():
        w.copy_(0.9 * w - 0.1 * w.grad)
    return loss


@wrong("08.repair_step", "known", "the gradient at the smaller weights")
def step_gradient_of_a_second_loss(w):
    loss = loss_of(w).item()
    with torch.no_grad():
        w *= 0.9
    loss_of(w).backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    return loss


@wrong("08.repair_step", "known", "nothing was written into it")
def step_on_a_clone(w):
    loss = loss_of(w)
    loss.backward()
    with torch.no_grad():
        weights = w.clone()
        weights *= 0.9
        weights -= 0.1 * w.grad
    return loss


@wrong("08.repair_step", "known", "these are the new weights")
def step_returns_weights(w):
    loss = loss_of(w)
    loss.backward()
    with torch.no_grad():
        w.copy_(0.9 * w - 0.1 * w.grad)
    return w.detach()


@wrong("08.repair_centre", "known", "the other is x itself")
def one_distance(x):
    return x * (x - x.mean())


@wrong("08.repair_centre", "known", "the sum divided by 3")
def mean_of_the_example(x):
    return (x - x.sum() / 3) ** 2


@wrong("08.repair_threshold", "known", "these are 1 where tanh x is kept")
def mask_alone(x):
    return (x.tanh() >= 0.5).to(x.dtype)


@wrong("08.repair_threshold", "known", "every entry after it is 0 too")
def ends_below_the_threshold(x):
    y, kept = x.tanh(), []
    for each in y:
        if each < 0.5:
            break
        kept.append(each)
    return torch.stack(kept + [torch.zeros_like(y[0])] * (len(x) - len(kept)))


@wrong("08.repair_products", "known", "these are powers of each entry alone")
def powers_of_an_entry(x):
    return torch.stack([each ** (number + 1) for number, each in enumerate(x)])


@wrong("08.repair_step", "known", "the 2 of the slope of w**2 is missing")
def slope_without_the_two(w):
    with torch.no_grad():
        loss = (w**4 - w**2).sum()
        w.copy_(0.9 * w - 0.1 * (4 * w**3 - w))
    return loss


@wrong("08.repair_step", "known", "as if the decay were a part of the loss")
def decay_in_the_loss(w):
    loss = (w**4 - w**2 + w**2 / 2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    return loss
