"""Wrong answers to notebook 06, each with the diagnosis that must name it and words that its message must have."""

import autograd_teach as torch

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


def fresh(x):
    return x.detach().clone().requires_grad_(True)


def pair_of(f, x):
    x = fresh(x)
    return [torch.autograd.grad(each, x, retain_graph=True)[0] for each in f(x)]


def turns(w, state, inputs):
    for given in inputs:
        state = torch.tanh(w * state + given)
        yield (state**2).sum()
        state = state.detach()


def turns_with_history(w, state, inputs):
    for given in inputs:
        state = torch.tanh(w * state + given)
        yield (state**2).sum()


# two_gradients


@wrong("06.two_gradients", "raised", "already been freed); the first way back has freed")
def freed(f, x):
    x = fresh(x)
    a, b = f(x)
    return torch.autograd.grad(a, x)[0], torch.autograd.grad(b, x)[0]


@wrong("06.two_gradients", "called_again", "f is called 2 times")
def built_anew(f, x):
    x = fresh(x)
    return torch.autograd.grad(f(x)[0], x)[0], torch.autograd.grad(f(x)[1], x)[0]


@wrong("06.two_gradients", "known", "the second one is the sum of both")
def accumulated(f, x):
    x = fresh(x)
    a, b = f(x)
    a.backward(retain_graph=True)
    first = x.grad.clone()
    b.backward()
    return first, x.grad


@wrong("06.two_gradients", "known", "both are the sum of the two gradients")
def same_tensor(f, x):
    x = fresh(x)
    a, b = f(x)
    a.backward(retain_graph=True)
    first = x.grad
    b.backward()
    return first, x.grad


@wrong("06.two_gradients", "length", "has 1 entry, it must have 2")
def grad_of_the_pair(f, x):
    x = fresh(x)
    return torch.autograd.grad(f(x), x)


@wrong("06.two_gradients", "known", "the two gradients are swapped")
def swapped(f, x):
    return pair_of(f, x)[::-1]


@wrong("06.two_gradients", "known", "both are the gradient of the first")
def first_twice(f, x):
    return [pair_of(f, x)[0]] * 2


@wrong("06.two_gradients", "known", "not their gradients")
def values(f, x):
    return f(x)


@wrong("06.two_gradients", "leaves_a_trace", "x requires grad")
def callers_tensor(f, x):
    a, b = f(x.requires_grad_())
    return torch.autograd.grad(a, x, retain_graph=True)[0], torch.autograd.grad(b, x)[0]


@wrong("06.two_gradients", "known", "gives a tuple")
def tuples(f, x):
    x = fresh(x)
    a, b = f(x)
    return torch.autograd.grad(a, x, retain_graph=True), torch.autograd.grad(b, x)


@wrong("06.two_gradients", "known", "every backward pass adds to `.grad`")
def one_grad_by_two_names(f, x):
    x = fresh(x)
    a, b = f(x)
    a.backward(retain_graph=True)
    first = x.grad
    b.backward()
    return first, x.grad


# turn_gradients


@wrong("06.turn_gradients", "raised", "Trying to backward through the graph a second time")
def freed_in_the_second_turn(w, state, inputs):
    w = fresh(w)
    return torch.stack([torch.autograd.grad(loss, w)[0] for loss in turns_with_history(w, state, inputs)])


@wrong("06.turn_gradients", "known", "go back through all the turns before")
def kept(w, state, inputs):
    w = fresh(w)
    losses = turns_with_history(w, state, inputs)
    return torch.stack([torch.autograd.grad(loss, w, retain_graph=True)[0] for loss in losses])


@wrong("06.turn_gradients", "known", "the gradient stored in the turn before is still there")
def not_zeroed(w, state, inputs):
    w, rows = fresh(w), []
    for loss in turns(w, state, inputs):
        loss.backward()
        rows.append(w.grad.clone())
    return torch.stack(rows)


@wrong("06.turn_gradients", "known", "one and the same tensor for each turn")
def same_grad_each_time(w, state, inputs):
    w, rows = fresh(w), []
    for loss in turns(w, state, inputs):
        loss.backward()
        rows.append(w.grad)
    return torch.stack(rows)


@wrong("06.turn_gradients", "known", "the earlier turns twice")
def kept_and_not_zeroed(w, state, inputs):
    w, rows = fresh(w), []
    for loss in turns_with_history(w, state, inputs):
        loss.backward(retain_graph=True)
        rows.append(w.grad.clone())
    return torch.stack(rows)


@wrong("06.turn_gradients", "known", "begins with the first state")
def not_carried(w, state, inputs):
    w = fresh(w)
    losses = [(torch.tanh(w * state + given) ** 2).sum() for given in inputs]
    return torch.stack([torch.autograd.grad(loss, w)[0] for loss in losses])


@wrong("06.turn_gradients", "known", "each turn needs its own")
def one_sum(w, state, inputs):
    w = fresh(w)
    sum(turns(w, state, inputs)).backward()
    return w.grad


@wrong("06.turn_gradients", "raised", "does not require grad")
def detached_too_late(w, state, inputs):
    w, rows = fresh(w), []
    for given in inputs:
        state = torch.tanh(w * state + given).detach()
        rows.append(torch.autograd.grad((state**2).sum(), w)[0])
    return torch.stack(rows)


@wrong("06.turn_gradients", "leaves_a_trace", "w has a `.grad` after the call")
def in_the_callers_w(w, state, inputs):
    w.requires_grad_()
    rows = []
    for loss in turns(w, state, inputs):
        w.grad = None
        loss.backward()
        rows.append(w.grad)
    return torch.stack(rows)


@wrong("06.turn_gradients", "factor", "half")
def without_the_two(w, state, inputs):
    w = fresh(w)
    return torch.stack([torch.autograd.grad(loss / 2, w)[0] for loss in turns(w, state, inputs)])
