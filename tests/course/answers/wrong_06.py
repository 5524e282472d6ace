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


@wrong("06.two_gradients", "known", "there is only one gradient, the sum of the two")
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


@wrong("06.turn_gradients", "known", "something adds up from turn to turn")
def not_zeroed(w, state, inputs):
    w, rows = fresh(w), []
    for loss in turns(w, state, inputs):
        loss.backward()
        rows.append(w.grad.clone())
    return torch.stack(rows)


@wrong("06.turn_gradients", "known", "as if they were one and the same tensor")
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


# More slips: two_gradients


@wrong("06.two_gradients", "known", "the first is right, the second is the difference of the two gradients")
def less_the_first(f, x):
    a, b = pair_of(f, x)
    return a, b - a


@wrong("06.two_gradients", "known", "the first is the gradient of the second number, the second is right")
def second_twice(f, x):
    _, b = pair_of(f, x)
    return b, b


@wrong("06.two_gradients", "known", "the first is the sum of the two gradients, the second is right")
def second_first_and_accumulated(f, x):
    x = fresh(x)
    a, b = f(x)
    b.backward(retain_graph=True)
    second = x.grad.clone()
    a.backward()
    return x.grad, second


@wrong("06.two_gradients", "known", "the first is right, the second is all zeros")
def cleared_too_late(f, x):
    x = fresh(x)
    a, b = f(x)
    a.backward(retain_graph=True)
    first = x.grad.clone()
    b.backward()
    x.grad.zero_()
    return first, x.grad


@wrong("06.two_gradients", "known", "the first is half the sum of the two gradients, the second is half the sum")
def shared_out(f, x):
    whole = sum(pair_of(f, x))
    return whole / 2, whole / 2


@wrong("06.two_gradients", "known", "every backward pass adds to `.grad`")
def gradient_of_the_sum(f, x):
    x = fresh(x)
    (whole,) = torch.autograd.grad(sum(f(x)), x)
    return whole, whole.clone()


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


@wrong("06.turn_gradients", "known", "the gradient of the last turn, as if they were one and the same tensor")
def zeroed_in_place(w, state, inputs):
    w, rows = fresh(w), []
    for loss in turns(w, state, inputs):
        if w.grad is not None:
            w.grad.zero_()
        loss.backward()
        rows.append(w.grad)
    return torch.stack(rows)


@wrong("06.turn_gradients", "known", "the mean of the squares")
def mean_for_sum(w, state, inputs):
    return each_turn(w, state, inputs, loss=lambda s: (s**2).mean())


@wrong("06.turn_gradients", "known", "the sum of the states, not squared")
def not_squared(w, state, inputs):
    return each_turn(w, state, inputs, loss=lambda s: s.sum())


@wrong("06.turn_gradients", "known", "the tanh is missing")
def without_tanh(w, state, inputs):
    return each_turn(w, state, inputs, update=lambda w, s, x: w * s + x)


@wrong("06.turn_gradients", "known", "the input is added after the tanh")
def input_outside(w, state, inputs):
    return each_turn(w, state, inputs, update=lambda w, s, x: torch.tanh(w * s) + x)


@wrong("06.turn_gradients", "known", "w multiplies the input too")
def brackets(w, state, inputs):
    return each_turn(w, state, inputs, update=lambda w, s, x: torch.tanh(w * (s + x)))


@wrong("06.turn_gradients", "known", "the first turn uses the last input")
def off_by_one(w, state, inputs):
    return each_turn(w, state, [inputs[t - 1] for t in range(len(inputs))])


@wrong("06.turn_gradients", "known", "each turn uses the first input")
def first_input_always(w, state, inputs):
    return each_turn(w, state, [inputs[0]] * len(inputs))


@wrong("06.turn_gradients", "known", "the slope of tanh is missing")
def by_hand_without_slope(w, state, inputs):
    rows = []
    for given in inputs:
        before, state = state, torch.tanh(w * state + given)
        rows.append(2 * state * before)
    return torch.stack(rows)


@wrong("06.turn_gradients", "known", "the new state stands for the state before")
def by_hand_with_the_new_state(w, state, inputs):
    rows = []
    for given in inputs:
        state = torch.tanh(w * state + given)
        rows.append(2 * state * (1 - state**2) * state)
    return torch.stack(rows)


@wrong("06.turn_gradients", "known", "goes back through the turn before it too")
def detached_every_second_time(w, state, inputs):
    rows, leaf, history = [], fresh(w), None
    for given in inputs:
        start = state.detach() if history is None else torch.tanh(leaf * history[0] + history[1])
        after = torch.tanh(leaf * start + given)
        rows.append(torch.autograd.grad((after**2).sum(), leaf)[0])
        history, state = (start.detach(), given), after.detach()
    return torch.stack(rows)


@wrong("06.turn_gradients", "known", "in reverse order")
def put_in_front(w, state, inputs):
    rows = list(each_turn(w, state, inputs))
    return torch.stack(rows[::-1])


@wrong("06.turn_gradients", "known", "the gradient of the last turn alone")
def last_turn_alone(w, state, inputs):
    return each_turn(w, state, inputs)[-1]


@wrong("06.turn_gradients", "known", "as in the gradient of the state")
def of_the_state(w, state, inputs):
    rows = []
    for given in inputs:
        leaf = fresh(state)
        after = torch.tanh(w * leaf + given)
        rows.append(torch.autograd.grad((after**2).sum(), leaf)[0])
        state = after.detach()
    return torch.stack(rows)


@wrong("06.turn_gradients", "argument_changed", "the argument state is changed")
def state_in_place(w, state, inputs):
    rows, leaf = [], fresh(w)
    for given in inputs:
        after = torch.tanh(leaf * state.clone() + given)
        rows.append(torch.autograd.grad((after**2).sum(), leaf)[0])
        state.copy_(after.detach())
    return torch.stack(rows)


@wrong("06.turn_gradients", "known", "w changes from turn to turn")
def trained_on_the_way(w, state, inputs):
    leaf, rows = fresh(w), []
    for given in inputs:
        state = torch.tanh(leaf * state + given)
        (gradient,) = torch.autograd.grad((state**2).sum(), leaf)
        rows.append(gradient)
        state = state.detach()
        with torch.no_grad():
            leaf -= 0.1 * gradient
    return torch.stack(rows)
