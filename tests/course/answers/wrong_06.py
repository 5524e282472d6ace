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


@wrong("06.two_gradients", "raised", "already been freed); an earlier backward pass has freed")
def freed(f, x):
    x = fresh(x)
    a, b = f(x)
    return torch.autograd.grad(a, x)[0], torch.autograd.grad(b, x)[0]


@wrong("06.two_gradients", "called_again", "f is called 2 times")
def built_anew(f, x):
    x = fresh(x)
    return torch.autograd.grad(f(x)[0], x)[0], torch.autograd.grad(f(x)[1], x)[0]


@wrong("06.two_gradients", "known", "the two gradients are swapped")
def swapped(f, x):
    return pair_of(f, x)[::-1]


@wrong("06.two_gradients", "known", "both are the gradient of the first")
def first_twice(f, x):
    return [pair_of(f, x)[0]] * 2


@wrong("06.two_gradients", "leaves_a_trace", "x requires grad")
def callers_tensor(f, x):
    a, b = f(x.requires_grad_())
    return torch.autograd.grad(a, x, retain_graph=True)[0], torch.autograd.grad(b, x)[0]


# turn_gradients


@wrong("06.turn_gradients", "raised", "Trying to backward through the graph a second time")
def freed_in_the_second_turn(w, state, inputs):
    w = fresh(w)
    return torch.stack([torch.autograd.grad(loss, w)[0] for loss in turns_with_history(w, state, inputs)])


@wrong("06.turn_gradients", "some_entries", "wrong only in entries [1], [2] and 2 more: [4]")
def kept_and_not_zeroed(w, state, inputs):
    w, rows = fresh(w), []
    for loss in turns_with_history(w, state, inputs):
        loss.backward(retain_graph=True)
        rows.append(w.grad.clone())
    return torch.stack(rows)


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


# More slips: two_gradients


@wrong("06.two_gradients", "some_values", "the result is wrong at [1], right at [0]: [1]")
def less_the_first(f, x):
    a, b = pair_of(f, x)
    return a, b - a


@wrong("06.two_gradients", "zero", "result[1] is zero everywhere, which is wrong; is the graph cut")
def cleared_too_late(f, x):
    x = fresh(x)
    a, b = f(x)
    a.backward(retain_graph=True)
    first = x.grad.clone()
    b.backward()
    x.grad.zero_()
    return first, x.grad


@wrong("06.two_gradients", "some_values", "both entries of the result are wrong: [0]")
def shared_out(f, x):
    whole = sum(pair_of(f, x))
    return whole / 2, whole / 2


@wrong("06.two_gradients", "called_again", "f is called 2 times")
def one_call_each(f, x):
    found = []
    for number in range(2):
        leaf = fresh(x)
        f(leaf)[number].backward()
        found.append(leaf.grad)
    return tuple(found)


@wrong("06.two_gradients", "type", "it must be a tensor")
def arrays(f, x):
    return tuple(each.numpy() for each in pair_of(f, x))


# More slips: turn_gradients


def each_turn(w, state, inputs, update=lambda w, s, x: torch.tanh(w * s + x), loss=lambda s: (s**2).sum()):
    rows = []
    for given in inputs:
        leaf = fresh(w)
        after = update(leaf, state, given)
        rows.append(torch.autograd.grad(loss(after), leaf)[0])
        state = after.detach()
    return torch.stack(rows)


@wrong("06.turn_gradients", "known", "they come in a list")
def left_in_a_list(w, state, inputs):
    return list(each_turn(w, state, inputs))


@wrong("06.turn_gradients", "known", "the mean of the squares")
def mean_for_sum(w, state, inputs):
    return each_turn(w, state, inputs, loss=lambda s: (s**2).mean())


@wrong("06.turn_gradients", "wrong_value", "the result")
def input_outside(w, state, inputs):
    return each_turn(w, state, inputs, update=lambda w, s, x: torch.tanh(w * s) + x)


@wrong("06.turn_gradients", "wrong_value", "the result")
def brackets(w, state, inputs):
    return each_turn(w, state, inputs, update=lambda w, s, x: torch.tanh(w * (s + x)))


@wrong("06.turn_gradients", "some_entries", "wrong only in entries [1], [2] and 2 more: [4]")
def first_input_always(w, state, inputs):
    return each_turn(w, state, [inputs[0]] * len(inputs))


@wrong("06.turn_gradients", "another_order", "the result is made of the right numbers, but some are at the wrong")
def put_in_front(w, state, inputs):
    rows = list(each_turn(w, state, inputs))
    return torch.stack(rows[::-1])


@wrong("06.turn_gradients", "wrong_shape", "the result has shape (), it must have (5,)")
def last_turn_alone(w, state, inputs):
    return each_turn(w, state, inputs)[-1]


@wrong("06.turn_gradients", "argument_changed", "the argument state is changed")
def state_in_place(w, state, inputs):
    rows, leaf = [], fresh(w)
    for given in inputs:
        after = torch.tanh(leaf * state.clone() + given)
        rows.append(torch.autograd.grad((after**2).sum(), leaf)[0])
        state.copy_(after.detach())
    return torch.stack(rows)
