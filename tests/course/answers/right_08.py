"""Right answers to notebook 08, each written another way."""

import autograd_teach as torch

RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


@right("08.predict_in_place_errors")
def word_by_word():
    return {"A": "saved", "B": "fine", "C": "leaf", "D": "fine", "E": "saved", "F": "wrong", "G": "saved", "H": "saved"}


@right("08.predict_in_place_errors")
def by_exceptions():
    outcomes = dict.fromkeys("HGFEDCBA", "saved")
    outcomes.update(B="fine", D="fine", C="leaf", F="wrong")
    print(outcomes)
    return outcomes


@right("08.predict_in_place_errors")
def by_words():
    words = {"saved": "AEGH", "fine": "BD", "leaf": "C", "wrong": "F"}
    return {letter: word for word, letters in words.items() for letter in letters}


@right("08.repair_centre")
def one_expression(x):
    return (x - x.mean()) ** 2


@right("08.repair_centre")
def on_a_clone(x):
    copy = x.clone()
    copy -= x.mean()
    return copy * copy


@right("08.repair_centre")
def in_place_where_it_is_allowed(x):
    assert x.is_leaf
    y = x * 1
    y.sub_(x.sum() / len(x))
    return y.pow(2)


@right("08.repair_centre")
def multiplied_out(x):
    m = x.mean()
    print(m)
    return x * x - 2 * m * x + m * m


@right("08.repair_threshold")
def by_where(x):
    y = torch.tanh(x)
    return torch.where(y < 0.5, torch.zeros_like(y), y)


@right("08.repair_threshold")
def by_a_mask(x):
    y = x.tanh()
    return y * (y >= 0.5)


@right("08.repair_threshold")
def filled(x):
    y = x.tanh()
    return y.masked_fill(y < 0.5, 0.0)


@right("08.repair_threshold")
def into_zeros(x):
    y = x.tanh()
    result = torch.zeros(len(x), dtype=x.dtype)
    keep = y.detach() >= 0.5
    result[keep] = y[keep]
    return result


@right("08.repair_products")
def copies_saved(x):
    products = torch.zeros(len(x), dtype=x.dtype)
    products[0] = x[0]
    for i in range(1, len(x)):
        products[i] = products[i - 1].clone() * x[i]
    return products


@right("08.repair_products")
def running(x):
    product, products = torch.ones((), dtype=x.dtype), []
    for factor in x:
        product = product * factor
        products += [product]
    assert len(products) == len(x)
    return torch.stack(products)


@right("08.repair_products")
def joined(x):
    products = x[:1]
    for i in range(1, len(x)):
        products = torch.cat((products, products[-1:] * x[i : i + 1]))
    return products


@right("08.repair_products")
def each_by_itself(x):
    return torch.stack([x[: i + 1].prod() for i in range(len(x))])


@right("08.repair_step")
def in_one_go(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w.copy_(0.9 * w - 0.1 * w.grad)
    return loss


@right("08.repair_step")
def gradient_by_call(w):
    loss = w.pow(4).sub(w * w).sum()
    (slope,) = torch.autograd.grad(loss, w)
    with torch.no_grad():
        w.mul_(0.9).sub_(slope, alpha=0.1)
    print(loss.item())
    return loss.item()


@right("08.repair_step")
def through_detach(w):
    loss = (w**4).sum() - (w**2).sum()
    loss.backward()
    values = w.detach()
    values *= 0.9
    values -= w.grad / 10
    return loss.detach()


@right("08.repair_step")
def on_a_copy(w):
    copy = w.clone()
    loss = (copy**4 - copy**2).sum()
    with torch.no_grad():
        w *= 0.9
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    return loss


@right("08.repair_centre")
def by_a_matrix(x):
    n = len(x)
    centring = torch.eye(n, dtype=x.dtype) - torch.full((n, n), 1 / n, dtype=x.dtype)
    return torch.square(centring @ x)


@right("08.repair_centre")
def entry_by_entry(x):
    return torch.stack([(entry - x.mean()) ** 2 for entry in x])


@right("08.repair_threshold")
def compared_with_artanh(x):
    return torch.where(x >= 0.5493061443340549, x.tanh(), torch.zeros(len(x), dtype=x.dtype))


@right("08.repair_threshold")
def one_by_one(x):
    zero = torch.zeros((), dtype=x.dtype)
    return torch.stack([y if y.item() >= 0.5 else zero for y in x.tanh()])


@right("08.repair_products")
def ready_made(x):
    return torch.cumprod(x, dim=0)


@right("08.repair_products")
def by_a_triangle(x):
    below = torch.tril(torch.ones(len(x), len(x), dtype=x.dtype))
    return (below * x + (1 - below)).prod(dim=1)


@right("08.repair_step")
def gradient_by_hand(w):
    with torch.no_grad():
        loss = (w**4 - w**2).sum()
        w.copy_(0.9 * w - 0.1 * (4 * w**3 - 2 * w))
    return loss


@right("08.repair_step")
def decay_as_part_of_the_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * (w + w.grad)
    w.grad = None
    return loss.reshape(1)
