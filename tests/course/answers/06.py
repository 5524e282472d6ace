"""Answers to notebook 06: see tests/course/table.py."""

# %% 06.two_gradients right: by backward
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def two_gradients(f, x):
    leaf = fresh(x)
    a, b = f(leaf)
    a.backward(retain_graph=True)
    first = leaf.grad.clone()
    leaf.grad = None
    b.backward()
    return first, leaf.grad

# %% 06.two_gradients right: kept both times
def two_gradients(f, x):
    leaf = torch.tensor(x.tolist(), dtype=x.dtype, requires_grad=True)
    results = f(leaf)
    assert len(results) == 2
    print(results)
    return [torch.autograd.grad(each, leaf, retain_graph=True)[0] for each in results]

# %% 06.two_gradients right: second first
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def two_gradients(f, x):
    leaf = fresh(x)
    a, b = f(leaf)
    of_b = torch.autograd.grad(b, leaf, create_graph=True)[0]
    of_a = torch.autograd.grad(a, leaf)[0]
    return torch.stack([of_a, of_b.detach()])

# %% 06.two_gradients right: by difference
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def two_gradients(f, x):
    leaf = fresh(x)
    a, b = f(leaf)
    a.backward(retain_graph=True)
    first = leaf.grad.clone()
    b.backward()
    return first, leaf.grad - first

# %% 06.two_gradients right: by a jacobian
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def two_gradients(f, x):
    """Both numbers in one tensor, a row of the Jacobian for each."""
    leaf = fresh(x)
    numbers = torch.stack(f(leaf))
    rows = (torch.autograd.grad(numbers, leaf, one_hot, retain_graph=True) for one_hot in torch.eye(2, dtype=x.dtype))
    return tuple(row for (row,) in rows)

# %% 06.two_gradients right: with a history
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def two_gradients(f, x):
    leaf = fresh(x)
    first, second = f(leaf)
    return [torch.autograd.grad(each, [leaf], create_graph=True)[0] for each in (first, second)]

# %% 06.two_gradients right: one tensor for both
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_(True)
    each = [torch.autograd.grad(y.sum(), leaf, retain_graph=True)[0] for y in f(leaf)]
    return torch.stack(each)

# %% 06.two_gradients right: autograd.grad twice, the graph kept by the first call
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    f1, f2 = f(leaf)
    g1, = torch.autograd.grad(f1, leaf, retain_graph=True)
    g2, = torch.autograd.grad(f2, leaf)
    return g1, g2

# %% 06.two_gradients right: backward twice into .grad, cleared between
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    results = f(leaf)
    gradients = []
    for i in range(2):
        leaf.grad = None
        results[i].backward(retain_graph=(i == 0))
        gradients.append(leaf.grad)
    return gradients

# %% 06.two_gradients right: the second gradient first, then the difference of accumulated gradients
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    one, two = f(leaf)
    two.backward(retain_graph=True)
    second = leaf.grad.clone()
    one.backward()
    return (leaf.grad - second, second)

# %% 06.two_gradients right: the two numbers stacked to a vector, and grad_outputs with a unit vector for each
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    both = torch.stack([v.reshape(()) for v in f(leaf)])
    rows = [torch.autograd.grad(both, leaf, grad_outputs=e, create_graph=True)[0] for e in torch.eye(2, dtype=both.dtype)]
    return tuple(row.detach() for row in rows)

# %% 06.two_gradients right: stacks the two numbers, and picks one by a grad_output of 1 and 0
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    both = torch.stack(list(f(leaf)))
    result = []
    for row in torch.eye(2, dtype=both.dtype):
        g, = torch.autograd.grad(both, leaf, grad_outputs=row, retain_graph=True)
        result.append(g)
    return result

# %% 06.two_gradients right: through a view
expect(never=("cannot register a hook",))
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    a, b = f(leaf.view(leaf.shape))
    return [torch.autograd.grad(each, leaf, retain_graph=True)[0] for each in (a, b)]

# %% 06.two_gradients wrong: the first result is the same tensor as .grad and is overwritten by the second gradient (no clone)
expect("known", "both are the gradient of the second number: are they one tensor, such as a `.grad` that")
edit("one.backward()", "two.backward()", of="the second")

# %% 06.two_gradients wrong: grad of both results at once: this is the gradient of their sum, returned for both
expect("known", "both are the sum of the two gradients: every backward pass adds to `.grad`, and")
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf)
    return g, g

# %% 06.two_gradients wrong: the order is swapped: the gradient of the second number comes first
expect("known", "the two gradients are swapped")
edit("return g1, g2", "return g2, g1", of="autograd.grad")

# %% 06.two_gradients wrong: the first gradient is returned as the tuple that autograd.grad gives, not unpacked
expect("known", "each of the two is a tuple: `autograd.grad` gives a tuple, even for one leaf")
edit("g1, = torch.autograd.grad(f1, leaf, retain_graph=True)", "g1 = torch.autograd.grad(f1, leaf, retain_graph=True)",
     "g2, = torch.autograd.grad(f2, leaf)", "g2 = torch.autograd.grad(f2, leaf)", of="autograd.grad")

# %% 06.two_gradients wrong: makes the caller's x require grad instead of a copy
expect("leaves_a_trace", "x requires grad after the call, but the caller's tensor must not change: use a copy of")
edit("def two_gradients(f, x):", "def two_gradients(f, leaf):",
     "leaf = x.detach().clone().requires_grad_()", "leaf.requires_grad_()", of="autograd.grad")

# %% 06.two_gradients wrong: the first gradient is returned twice (f1 instead of f2 in the second line)
expect("known", "both are the gradient of the first number")
edit("g2, = torch.autograd.grad(f2, leaf)", "g2, = torch.autograd.grad(f1, leaf)", of="autograd.grad")

# %% 06.two_gradients wrong: the two values of f are returned instead of the gradients
expect("known", "these are the two results, not their gradients")
edit("g2, = torch.autograd.grad(f2, leaf)\n    return g1, g2", "return f1.detach(), f2.detach()", of="autograd.grad")

# %% 06.two_gradients wrong: The second backward adds to leaf.grad (no zeroing), and the pair is returned in the wrong order: two mistakes
expect("known", "the first one is the sum of both gradients, as if a second backward pass added to a")
edit("g1, = torch.autograd.grad(f1, leaf, retain_graph=True)", "f1.backward( retain_graph=True)",
     "g2, = torch.autograd.grad(f2, leaf)", "g2 = leaf.grad.clone()\n    f2.backward()\n    g1 = leaf.grad.clone()",
     of="autograd.grad")

# %% 06.two_gradients wrong: shared out
expect("some_values", "the result is wrong")
edit("\n\ndef two_gradients(f, x):", "\ndef pair_of(f, x):",
     "leaf = fresh(x)\n    first, second = f(leaf)", "x = fresh(x)",
     "[leaf], create_graph=True)[0] for each in (first, second)]",
     "x, retain_graph=True)[0] for each in f(x)]\ndef two_gradients(f, x):\n    whole = sum(pair_of(f, x))\n"
     "    return whole / 2, whole / 2", of="with a history")

# %% 06.two_gradients wrong: cleared too late
expect("zero", "result[1] is zero everywhere, which is wrong; result[0] is right; is the graph cut")
edit("leaf = fresh(x)", "x = fresh(x)",
     "a, b = f(leaf)", "a, b = f(x)",
     "first = leaf.grad.clone()", "first = x.grad.clone()",
     "b.backward()\n    return first, leaf.grad - first", "b.backward()\n    x.grad.zero_()\n    return first, x.grad",
     of="by difference")

# %% 06.two_gradients wrong: arrays
expect("type", "it must be a tensor")
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def pair_of(f, x):
    x = fresh(x)
    return [torch.autograd.grad(each, x, retain_graph=True)[0] for each in f(x)]


def two_gradients(f, x):
    return tuple(each.numpy() for each in pair_of(f, x))

# %% 06.two_gradients wrong: looked at first
expect("called_again", "f is called 2 times", never=("cannot register a hook",))
edit("\n    first", "\n    with torch.no_grad():\n        f(leaf)\n    first")

# %% 06.two_gradients wrong: never called
expect("known", "f is never called", never=("0 times",))
def two_gradients(f, x):
    return x, x

# %% 06.two_gradients wrong: second is of the sum, without .grad
expect("known", "the second one is the sum of both gradients", never=("had stored",))
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    a, b = f(leaf)
    return torch.autograd.grad(a, leaf, retain_graph=True)[0], torch.autograd.grad(a + b, leaf)[0]

# %% 06.two_gradients wrong: grad in helper
expect("raised", "was not computed from a tensor that requires grad, or the computation was not recorded",
       never=("nothing was recorded between the leaf and it",))
def one(y, x):
    return torch.autograd.grad(y, x, retain_graph=True)[0]
def two_gradients(f, x):
    a, b = f(x)
    return one(a, x), one(b, x)

# %% 06.two_gradients wrong: second is of the sum, without .grad, digits
expect(
    "known",
    "the second one is the sum of both gradients, as if a second backward pass added to a `.grad` that was not cleared",
)
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    a, b = f(leaf)
    return torch.autograd.grad(a, leaf, retain_graph=True)[0], torch.autograd.grad(a + b, leaf)[0]

# %% 06.two_gradients wrong: one call for both
expect("known", "there is only one gradient, the sum of the two", never=("it must have 2",))
edit("[torch.autograd.grad(each, leaf, retain_graph=True)[0] for each in (a, b)]",
     "list(torch.autograd.grad((a, b), (leaf,)))", of="through a")

# %% 06.turn_gradients right: accumulated and cleared
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def turn_gradients(w, state, inputs):
    leaf, rows = fresh(w), torch.zeros_like(inputs)
    for turn in range(len(inputs)):
        leaf.grad = None
        state = (leaf * state + inputs[turn]).tanh()
        state.pow(2).sum().backward()
        rows[turn] = leaf.grad
        state = state.detach()
    return rows

# %% 06.turn_gradients right: by pencil
import numpy as np


def turn_gradients(w, state, inputs):
    rows, before = [], state.numpy()
    for given in inputs.numpy():
        after = np.tanh(w.numpy() * before + given)
        rows.append(2 * after * (1 - after**2) * before)
        before = after
    return torch.from_numpy(np.stack(rows))

# %% 06.turn_gradients right: new leaf each turn
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def turn_gradients(w, state, inputs):
    rows = []
    for given in inputs:
        leaf = fresh(w)
        after = torch.tanh(leaf * state + given)
        torch.sum(after * after).backward()
        rows.append(leaf.grad)
        with torch.no_grad():
            state = torch.tanh(w * state + given)
    assert len(rows) == len(inputs)
    return torch.stack(rows)

# %% 06.turn_gradients right: detached in place
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def turn_gradients(w, state, inputs):
    leaf, rows = fresh(w), []
    for given in inputs:
        state = torch.tanh(leaf * state + given)
        rows += torch.autograd.grad((state**2).sum(), leaf)
        state.detach_()
    return torch.stack(rows)

# %% 06.turn_gradients right: states first
def turn_gradients(w, state, inputs):
    """All states without recording; then one graph for all turns, with a copy of w for each."""
    states = [state]
    with torch.no_grad():
        for given in inputs:
            states.append(torch.tanh(w * states[-1] + given))
    copies = torch.stack([w] * len(inputs)).requires_grad_()
    after = torch.tanh(copies * torch.stack(states[:-1]) + inputs)
    return torch.autograd.grad(after.square().sum(), copies)[0]

# %% 06.turn_gradients right: through a leaf state
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def turn_gradients(w, state, inputs):
    """The state before is a leaf of its own; its gradient is asked for and thrown away."""
    found, leaf = [], fresh(w)
    for given in inputs:
        before = fresh(state)
        after = torch.tanh(torch.addcmul(given, leaf, before))
        gradient, _ = torch.autograd.grad(after, (leaf, before), grad_outputs=2 * after.detach(), create_graph=True)
        found.append(gradient)
        state = after
    return torch.stack(found)

# %% 06.turn_gradients right: detach after each turn, stack at the end
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    s, rows = state, []
    for x in inputs:
        s = torch.tanh(leaf * s.detach() + x)
        rows.append(torch.autograd.grad((s ** 2).sum(), leaf)[0])
    return torch.stack(rows)

# %% 06.turn_gradients right: by hand, without a graph, into a tensor of the shape of inputs
def turn_gradients(w, state, inputs):
    result = torch.zeros_like(inputs)
    old = state
    for t in range(len(inputs)):
        new = (w * old + inputs[t]).tanh()
        result[t] = 2 * new * (1 - new * new) * old
        old = new
    return result

# %% 06.turn_gradients right: all states first, under no_grad; then a single backward pass for all turns with one copy of w for each turn
def turn_gradients(w, state, inputs):
    states = [state.clone()]
    with torch.no_grad():
        for t in range(inputs.shape[0]):
            states.append(torch.tanh(w * states[t] + inputs[t]))
    copies = torch.stack([w] * inputs.shape[0]).requires_grad_()
    loss = torch.tanh(copies * torch.stack(states[:-1]) + inputs).square().sum()
    loss.backward()
    return copies.grad

# %% 06.turn_gradients right: backward into .grad, cleared at each turn; a new leaf in each turn
def turn_gradients(w, state, inputs):
    gradients = torch.empty_like(inputs)
    for t, x in enumerate(inputs):
        leaf = w.detach().clone().requires_grad_()
        state = (leaf * state + x).tanh()
        loss = (state * state).sum()
        loss.backward()
        gradients[t] = leaf.grad
        state = state.detach()
    return gradients

# %% 06.turn_gradients right: gives every turn its own copy of w, a row of one leaf, and calls grad once for the sum of the losses
def turn_gradients(w, state, inputs):
    copies = torch.stack([w.detach()] * len(inputs)).requires_grad_()
    total = 0
    for row, entry in zip(copies, inputs):
        state = torch.tanh(row * state.detach() + entry)
        total = total + (state * state).sum()
    return torch.autograd.grad(total, copies)[0]

# %% 06.turn_gradients wrong: the previous state is not treated as a constant: the graph is kept and the gradient goes through earlier turns
expect("known", "the first turn is right, but later gradients go back through all the turns before: use")
edit("state = torch.tanh(leaf * state.detach() + given)", "state = torch.tanh(leaf * state + given)",
     "leaf)", "leaf, retain_graph=True)")

# %% 06.turn_gradients wrong: .grad is not cloned and is cleared with zero_(): all rows are the same tensor, with the last gradient
expect("known", "all turns hold the gradient of the last turn, as if they were one and the same tensor")
edit("for x in inputs:\n        s = torch.tanh(leaf * s.detach() + x)",
     "for x in inputs:\n        if leaf.grad is not None:\n            leaf.grad.zero_()\n"
     "        s = torch.tanh(leaf * s.detach() + x)",
     "\n        rows.append(torch.autograd.grad((s ** 2).sum(), leaf)[0]",
     "\n        (s ** 2).sum().backward()\n        rows.append(leaf.grad", of="detach after")

# %% 06.turn_gradients wrong: the state is not carried on: each turn begins with the first state again
expect("known", "each turn begins with the first state: pass the new state on to the next turn")
edit("s = torch.tanh(leaf * s.detach() + x)", "s = torch.tanh(leaf * state + x)", of="detach after")

# %% 06.turn_gradients wrong: returns a list of gradients, not one tensor with the shape of inputs
expect("known", "the gradients are right, but they come in a list: the result must be one tensor")
edit("return torch.stack(rows)", "return rows", of="detach after")

# %% 06.turn_gradients wrong: the loop begins with inputs[1]: the first turn is left out and a row is missing
expect("known", "the loop begins with the second input: the first turn is missing")
edit("for given in inputs:", "for given in range(1, len(inputs)):",
     "+ given)\n        loss = (state**2).sum(", "+ inputs[given]",
     "loss, leaf", "(state ** 2).sum(), leaf")

# %% 06.turn_gradients wrong: the loss is the sum of the state, the square is forgotten
expect("known", "the loss is the sum of the states, but they must be squared first")
edit("rows.append(torch.autograd.grad((s ** 2).sum(), leaf)[0])", "rows.append(torch.autograd.grad(s.sum(), leaf)[0])",
     of="detach after")

# %% 06.turn_gradients wrong: the loss is the mean of the squares, not the sum
expect("known", "the loss is the mean of the squares, but it must be their sum")
edit("rows.append(torch.autograd.grad((s ** 2).sum(), leaf)[0])",
     "rows.append(torch.autograd.grad((s ** 2).mean(), leaf)[0])", of="detach after")

# %% 06.turn_gradients wrong: the gradients are added up into one, not one row for each turn
expect("known", "this is one gradient, the sum over all turns: each turn needs its own")
edit("\n        rows.append(torch.autograd.grad((s ** 2).sum(), leaf)[0]", "\n        (s ** 2).sum().backward(",
     "return torch.stack(rows)", "return leaf.grad", of="detach after")

# %% 06.turn_gradients wrong: w is changed by the gradient after each turn (a training step that is not asked for)
expect("known", "w changes from turn to turn, but all gradients must be taken at the w that was given")
edit("rows.append(torch.autograd.grad((s ** 2).sum(), leaf)[0])",
     "g, = torch.autograd.grad((s ** 2).sum(), leaf)\n        rows.append(g)\n        with torch.no_grad():\n"
     "            leaf -= 0.1 * g", of="detach after")

# %% 06.turn_gradients wrong: the gradient is taken with respect to the state, not to w
expect("known", "these are gradients with respect to the state, but those with respect to w are asked for")
edit("for x in inputs:\n        s = torch.tanh(leaf * s.detach() + x)",
     "for x in inputs:\n        leaf = s.detach().clone().requires_grad_()\n        s = torch.tanh(w * leaf + x)",
     of="detach after")

# %% 06.turn_gradients wrong: the rows are joined with cat instead of stack: the dimension of the turns is missing
expect("raises_for_some", "`return torch.cat(rows)` raised RuntimeError")
edit("return torch.stack(rows)", "return torch.cat(rows)", of="detach after")

# %% 06.turn_gradients wrong: the last turn is forgotten: the row of the last input stays zero
expect("some_entries", "the result is wrong only in entry [4]")
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    s, result = state, torch.zeros_like(inputs)
    for t in range(len(inputs) - 1):
        s = torch.tanh(leaf * s.detach() + inputs[t])
        result[t] = torch.autograd.grad((s ** 2).sum(), leaf)[0]
    return result

# %% 06.turn_gradients wrong: List aliasing: `[zeros] * n` holds one tensor n times and the gradients are added in place
expect("known", "all turns hold the sum over all turns, as if they were one and the same tensor, to")
edit("\n    leaf = w.detach().clone().requires_grad_()\n    gradients = []\n    for given in inputs:",
     "\n    n = len(inputs)\n    gradients = [torch.zeros_like(w)] * n\n    for t in range(n):\n"
     "        leaf = w.detach().clone().requires_grad_()",
     "state = torch.tanh(leaf * state.detach() + given)", "state = torch.tanh(leaf * state.detach() + inputs[t])",
     "\n        loss = (state**2).sum()", "\n        (state * state).sum().backward()",
     "gradients.append(torch.autograd.grad(loss, leaf)[0])", "gradients[t] += leaf.grad")

# %% 06.turn_gradients wrong: Formula by hand, but `state` is overwritten by the new state before the gradient is computed
expect("known", "in the gradient, the new state stands in the place of the state before")
edit("old = state", "s = state.clone()",
     "new = (w * old + inputs[t]).tanh()", "s = torch.tanh(w * s + inputs[t])",
     "result[t] = 2 * new * (1 - new * new) * old\n        old = new", "result[t] = 2 * s * (1 - s ** 2) * s",
     of="by hand, without")

# %% 06.turn_gradients wrong: state in place
expect("argument_changed", "the argument state is changed")
edit("with torch.no_grad():\n            state = torch.tanh(w * state + given)\n    assert len(rows) == len(inputs)",
     "state.copy_(after.detach())", of="new leaf")

# %% 06.turn_gradients wrong: in the callers w
expect("leaves_a_trace", "w has a `.grad` after the call")
edit('def turn_gradients(w, state, inputs):\n    """The gradient of each turn\'s own loss, a turn a row."""\n'
     "    leaf = w.detach().clone().requires_grad_()\n    gradients = []",
     "def turns(w, state, inputs):",
     "state = torch.tanh(leaf * state.detach() + given)", "state = torch.tanh(w * state + given)",
     "loss = (state**2).sum()", "yield (state**2).sum()",
     "\n        gradients.append(torch.autograd.grad(loss, leaf)[0]",
     "\n        state = state.detach()\ndef turn_gradients(w, state, inputs):\n    w.requires_grad_()\n"
     "    gradients = []\n    for loss in turns(w, state, inputs):\n        w.grad = None\n        loss.backward()\n"
     "        gradients.append(w.grad")

# %% 06.turn_gradients wrong: brackets
expect("wrong_value", "the result")
edit("turn_gradients(w, state, inputs",
     "each_turn(w, state_, inputs, update=lambda w, s, x: torch.tanh(w * s + x), loss=lambda s: (s**2).sum()",
     "state = torch.tanh(leaf * state + given)", "state = fresh(w)\n        after = update(state, state_, given)",
     "rows += torch.autograd.grad((state**2).sum(), leaf)", "rows .append(torch.autograd.grad(loss(after), state)[0])",
     "return torch.stack(rows)",
     "return torch.stack(rows)\ndef turn_gradients(w, state_, inputs):\n"
     "    return each_turn(w, state_, inputs, update=lambda w, s, x: torch.tanh(w * (s + x)))", of="detached")

# %% 06.turn_gradients wrong: put in front
expect("some_entries", "the result is wrong only in entries [0], [1] and 2 more")
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def each_turn(w, state, inputs, update=lambda w, s, x: torch.tanh(w * s + x), loss=lambda s: (s**2).sum()):
    rows = []
    for given in inputs:
        leaf = fresh(w)
        after = update(leaf, state, given)
        rows.append(torch.autograd.grad(loss(after), leaf)[0])
        state = after.detach()
    return torch.stack(rows)


def turn_gradients(w, state, inputs):
    rows = list(each_turn(w, state, inputs))
    return torch.stack(rows[::-1])

# %% 06.turn_gradients wrong: last turn alone
expect("wrong_shape", "the result has shape (), it must have (5,)")
edit("turn_gradients(w, state, inputs",
     "each_turn(w, state_, inputs, update=lambda w, s, x: torch.tanh(w * s + x), loss=lambda s: (s**2).sum()",
     "state = torch.tanh(leaf * state + given)", "state = fresh(w)\n        after = update(state, state_, given)",
     "rows += torch.autograd.grad((state**2).sum(), leaf)", "rows .append(torch.autograd.grad(loss(after), state)[0])",
     "return torch.stack(rows)",
     "return torch.stack(rows)\ndef turn_gradients(w, state_, inputs):\n    return each_turn(w, state_, inputs)[-1]",
     of="detached")

# %% 06.turn_gradients wrong: cumulative own sum
expect("known", "sum of the gradients of all turns so far", "it must be that of its own turn",
       never=("the gradient stored in the turn before",))
edit("gradients = []", "total = torch.zeros_like(w)\n    out = []",
     "loss = (state**2).sum()\n        gradients.append(torch.autograd.grad(loss, leaf)[0])",
     "total = total + torch.autograd.grad((state**2).sum(), leaf)[0]\n        out.append(total)",
     "return torch.stack(gradients)", "return torch.stack(out)")

# %% 06.turn_gradients wrong: helper function
expect("raised", "was not computed from a tensor that requires grad, or the computation was not recorded",
       never=("nothing was recorded between the leaf and it", "`inputs`"))
def loss_of(w, state, given):
    state = torch.tanh(w * state + given)
    return (state**2).sum(), state
def turn_gradients(w, state, inputs):
    rows = []
    for given in inputs:
        loss, state = loss_of(w, state.detach(), given)
        rows.append(torch.autograd.grad(loss, w)[0])
    return torch.stack(rows)

# %% 06.turn_gradients wrong: w detached inside
expect(
    "raised",
    "`loss` does not require grad, nor does `state`: line 6, `state = torch.tanh(w.detach() * state.detac",
    never=("nothing was recorded between the leaf and it", "cuts the history off"),
)
edit("for given in inputs:", "for t in range(len(inputs)):",
     "state = torch.tanh(leaf * state.detach() + given)",
     "state = torch.tanh(w.detach() * state.detach() + inputs[t])",
     "gradients.append(torch.autograd.grad(loss, leaf)[0])", "loss.backward()\n        rows.append(w.grad)")

# %% 06.turn_gradients wrong: loss from detached state
expect("raised", "line 5", never=("nothing was recorded between the leaf and it", "uses no tensor"))
edit("for x in inputs:", "for given in inputs:",
     "s = torch.tanh(leaf * s.detach() + x)",
     "state = torch.tanh(leaf * state + given).detach()\n        loss = (state**2).sum()",
     "rows.append(torch.autograd.grad((s ** 2).sum(), leaf)[0])", "rows.append(torch.autograd.grad(loss, leaf)[0])",
     of="detach after")

# %% 06.turn_gradients wrong: means in a tuple
expect("type", "is a tuple of", "  (a tuple of 5 entries)", never=("the numbers are right",))
edit("gradients = torch.empty_like(inputs)", "gradients = ()",
     "loss = (state * state).sum()", "gradients += torch.autograd.grad(state.square().mean()",
     "\n        loss.backward()\n        gradients[t] = leaf.grad\n        state = state.detach(", ", leaf",
     of="backward")

# %% 06.turn_gradients wrong: flat turns
expect("wrong_shape", "the numbers are right, but the result has shape", generic=True)
def turns(w, state, inputs):
    rows = []
    for given in inputs:
        leaf = w.detach().clone().requires_grad_(True)
        state = torch.tanh(leaf * state.detach() + given)
        (state * state).sum().backward()
        rows.append(leaf.grad)
    return torch.stack(rows)


def turn_gradients(w, state, inputs):
    return turns(w, state, inputs).reshape(-1)

# %% 06.turn_gradients wrong: inputs back
expect("known", "the result is the same as inputs, unchanged", generic=True)
def turn_gradients(w, state, inputs):
    return inputs.detach().clone()

# %% 06.turn_gradients wrong: keeps w.grad without a clone and then sets it to zero in place: all rows are 0
expect("known", "all gradients are 0: was a `.grad` that is kept set to zero afterwards?")
def turn_gradients(w, state, inputs):
    weight = w.detach().clone().requires_grad_()
    all_grads = []
    for t in range(len(inputs)):
        state = torch.tanh(weight * state.detach() + inputs[t])
        loss = (state * state).sum()
        loss.backward()
        all_grads.append(weight.grad)
        weight.grad.zero_()          # for the next turn
    return torch.stack(all_grads)

# %% 06.turn_gradients wrong: the formula is copied wrongly: the input is added outside of tanh (the example has inputs 0)
expect("known", "the input is added outside of tanh, but it must go through tanh too")
def turn_gradients(w, state, inputs):
    weights = w.clone().requires_grad_(True)
    s = state.clone()
    all_grads = []
    for inp in inputs:
        s = torch.tanh(weights * s) + inp
        loss = (s ** 2).sum()
        grad, = torch.autograd.grad(loss, weights)
        all_grads.append(grad)
        s = s.detach()
    return torch.stack(all_grads)
