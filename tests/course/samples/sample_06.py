"""Answers to notebook 06 by people who saw the statements alone: right ones and wrong ones with what is wrong."""

ANSWERS = [
    (
        "06.two_gradients",
        "right",
        "autograd.grad twice, the graph kept by the first call",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    f1, f2 = f(leaf)
    g1, = torch.autograd.grad(f1, leaf, retain_graph=True)
    g2, = torch.autograd.grad(f2, leaf)
    return g1, g2
""",
    ),
    (
        "06.two_gradients",
        "right",
        "backward twice into .grad, cleared between",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    results = f(leaf)
    gradients = []
    for i in range(2):
        leaf.grad = None
        results[i].backward(retain_graph=(i == 0))
        gradients.append(leaf.grad)
    return gradients
""",
    ),
    (
        "06.two_gradients",
        "right",
        "the second gradient first, then the difference of accumulated gradients",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    one, two = f(leaf)
    two.backward(retain_graph=True)
    second = leaf.grad.clone()
    one.backward()
    return (leaf.grad - second, second)
""",
    ),
    (
        "06.two_gradients",
        "right",
        "the two numbers stacked to a vector, and grad_outputs with a unit vector for each",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    both = torch.stack([v.reshape(()) for v in f(leaf)])
    rows = [torch.autograd.grad(both, leaf, grad_outputs=e, create_graph=True)[0] for e in torch.eye(2, dtype=both.dtype)]
    return tuple(row.detach() for row in rows)
""",
    ),
    (
        "06.two_gradients",
        "wrong",
        "the graph is not kept: the second backward pass meets freed nodes",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    f1, f2 = f(leaf)
    g1, = torch.autograd.grad(f1, leaf)
    g2, = torch.autograd.grad(f2, leaf)
    return g1, g2
""",
    ),
    (
        "06.two_gradients",
        "wrong",
        "f is called twice",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    g1, = torch.autograd.grad(f(leaf)[0], leaf)
    g2, = torch.autograd.grad(f(leaf)[1], leaf)
    return g1, g2
""",
    ),
    (
        "06.two_gradients",
        "wrong",
        ".grad is not cleared between the two backward calls: the second gradient is the sum of both",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    f1, f2 = f(leaf)
    f1.backward(retain_graph=True)
    g1 = leaf.grad.clone()
    f2.backward()
    return g1, leaf.grad
""",
    ),
    (
        "06.two_gradients",
        "wrong",
        "the first .grad is not cloned, and zero_() and the second backward change it: both entries are the same tensor",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    f1, f2 = f(leaf)
    f1.backward(retain_graph=True)
    g1 = leaf.grad
    leaf.grad.zero_()
    f2.backward()
    return g1, leaf.grad
""",
    ),
    (
        "06.two_gradients",
        "wrong",
        "grad of both results at once: this is the gradient of their sum, returned for both",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf)
    return g, g
""",
    ),
    (
        "06.two_gradients",
        "wrong",
        "the order is swapped: the gradient of the second number comes first",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    f1, f2 = f(leaf)
    g2, = torch.autograd.grad(f2, leaf, retain_graph=True)
    g1, = torch.autograd.grad(f1, leaf)
    return g2, g1
""",
    ),
    (
        "06.two_gradients",
        "wrong",
        "the first gradient is returned as the tuple that autograd.grad gives, not unpacked",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    f1, f2 = f(leaf)
    g1 = torch.autograd.grad(f1, leaf, retain_graph=True)
    g2 = torch.autograd.grad(f2, leaf)
    return g1, g2
""",
    ),
    (
        "06.two_gradients",
        "wrong",
        "x itself is made to require grad, and stays so",
        """
def two_gradients(f, x):
    x.requires_grad_()
    f1, f2 = f(x)
    g1, = torch.autograd.grad(f1, x, retain_graph=True)
    g2, = torch.autograd.grad(f2, x)
    return g1, g2
""",
    ),
    (
        "06.two_gradients",
        "wrong",
        "the gradient is asked for a clone made after f was called: it is not in the graph",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    f1, f2 = f(leaf)
    leaf = x.detach().clone().requires_grad_()
    g1, = torch.autograd.grad(f1, leaf, retain_graph=True)
    g2, = torch.autograd.grad(f2, leaf)
    return g1, g2
""",
    ),
    (
        "06.two_gradients",
        "wrong",
        "f is called with a detached x that does not require grad",
        """
def two_gradients(f, x):
    leaf = x.detach().clone()
    f1, f2 = f(leaf)
    g1, = torch.autograd.grad(f1, leaf, retain_graph=True)
    g2, = torch.autograd.grad(f2, leaf)
    return g1, g2
""",
    ),
    (
        "06.two_gradients",
        "wrong",
        "the first gradient is returned twice (f1 instead of f2 in the second line)",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    f1, f2 = f(leaf)
    g1, = torch.autograd.grad(f1, leaf, retain_graph=True)
    g2, = torch.autograd.grad(f1, leaf)
    return g1, g2
""",
    ),
    (
        "06.two_gradients",
        "wrong",
        "the two values of f are returned instead of the gradients",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    f1, f2 = f(leaf)
    f1.backward(retain_graph=True)
    return f1.detach(), f2.detach()
""",
    ),
    (
        "06.two_gradients",
        "wrong",
        "retain_graph stands in the second call, not in the first",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    f1, f2 = f(leaf)
    f1.backward()
    g1, leaf.grad = leaf.grad, None
    f2.backward(retain_graph=True)
    return g1, leaf.grad
""",
    ),
    (
        "06.two_gradients",
        "wrong",
        "f is called a second time, only to count its results",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    n = len(f(x))
    results = f(leaf)
    return tuple(torch.autograd.grad(results[i], leaf, retain_graph=True)[0] for i in range(n))
""",
    ),
    (
        "06.two_gradients",
        "right",
        "stacks the two numbers, and picks one by a grad_output of 1 and 0",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    both = torch.stack(list(f(leaf)))
    result = []
    for row in torch.eye(2, dtype=both.dtype):
        g, = torch.autograd.grad(both, leaf, grad_outputs=row, retain_graph=True)
        result.append(g)
    return result
""",
    ),
    (
        "06.two_gradients",
        "wrong",
        "the first call frees the shared graph, because retain_graph=True is missing",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    f1, f2 = f(leaf)
    g1, = torch.autograd.grad(f1, leaf)
    g2, = torch.autograd.grad(f2, leaf)
    return g1, g2
""",
    ),
    (
        "06.two_gradients",
        "wrong",
        "the second gradient is added to the first in .grad, so the second result is the sum of both",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    f1, f2 = f(leaf)
    f1.backward(retain_graph=True)
    g1 = leaf.grad.clone()
    f2.backward()
    g2 = leaf.grad.clone()
    return g1, g2
""",
    ),
    (
        "06.two_gradients",
        "wrong",
        "the first result is the same tensor as .grad and is overwritten by the second gradient (no clone)",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    f1, f2 = f(leaf)
    f1.backward(retain_graph=True)
    g1 = leaf.grad
    leaf.grad.zero_()
    f2.backward()
    g2 = leaf.grad
    return g1, g2
""",
    ),
    (
        "06.two_gradients",
        "wrong",
        "calls f twice, once for each gradient",
        """
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    g1, = torch.autograd.grad(f(leaf)[0], leaf)
    g2, = torch.autograd.grad(f(leaf)[1], leaf)
    return g1, g2
""",
    ),
    (
        "06.two_gradients",
        "wrong",
        "makes the caller's x require grad instead of a copy",
        """
def two_gradients(f, x):
    x.requires_grad_()
    f1, f2 = f(x)
    g1, = torch.autograd.grad(f1, x, retain_graph=True)
    g2, = torch.autograd.grad(f2, x)
    return g1, g2
""",
    ),
    (
        "06.turn_gradients",
        "right",
        "detach after each turn, stack at the end",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    s, rows = state, []
    for x in inputs:
        s = torch.tanh(leaf * s.detach() + x)
        rows.append(torch.autograd.grad((s ** 2).sum(), leaf)[0])
    return torch.stack(rows)
""",
    ),
    (
        "06.turn_gradients",
        "right",
        "by hand, without a graph, into a tensor of the shape of inputs",
        """
def turn_gradients(w, state, inputs):
    result = torch.zeros_like(inputs)
    old = state
    for t in range(len(inputs)):
        new = (w * old + inputs[t]).tanh()
        result[t] = 2 * new * (1 - new * new) * old
        old = new
    return result
""",
    ),
    (
        "06.turn_gradients",
        "right",
        "all states first, under no_grad; then a single backward pass for all turns with one copy of w for each turn",
        """
def turn_gradients(w, state, inputs):
    states = [state.clone()]
    with torch.no_grad():
        for t in range(inputs.shape[0]):
            states.append(torch.tanh(w * states[t] + inputs[t]))
    copies = torch.stack([w] * inputs.shape[0]).requires_grad_()
    loss = torch.tanh(copies * torch.stack(states[:-1]) + inputs).square().sum()
    loss.backward()
    return copies.grad
""",
    ),
    (
        "06.turn_gradients",
        "right",
        "backward into .grad, cleared at each turn; a new leaf in each turn",
        """
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
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "the state is not detached: the second turn goes back into a freed graph and raises an error",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    s, rows = state, []
    for x in inputs:
        s = torch.tanh(leaf * s + x)
        rows.append(torch.autograd.grad((s ** 2).sum(), leaf)[0])
    return torch.stack(rows)
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "retain_graph=True instead of detach: the gradient goes back through all turns before",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    s, rows = state, []
    for x in inputs:
        s = torch.tanh(leaf * s + x)
        rows.append(torch.autograd.grad((s ** 2).sum(), leaf, retain_graph=True)[0])
    return torch.stack(rows)
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        ".grad is not cleared: each row is the sum of the gradients so far",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    s, rows = state, []
    for x in inputs:
        s = torch.tanh(leaf * s.detach() + x)
        (s ** 2).sum().backward()
        rows.append(leaf.grad.clone())
    return torch.stack(rows)
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        ".grad is not cloned and is cleared with zero_(): all rows are the same tensor, with the last gradient",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    s, rows = state, []
    for x in inputs:
        if leaf.grad is not None:
            leaf.grad.zero_()
        s = torch.tanh(leaf * s.detach() + x)
        (s ** 2).sum().backward()
        rows.append(leaf.grad)
    return torch.stack(rows)
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "the state is not carried on: every turn starts from the first state",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    rows = []
    for x in inputs:
        s = torch.tanh(leaf * state + x)
        rows.append(torch.autograd.grad((s ** 2).sum(), leaf)[0])
    return torch.stack(rows)
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "a list of gradients is returned, not one tensor",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    s, rows = state, []
    for x in inputs:
        s = torch.tanh(leaf * s.detach() + x)
        rows.append(torch.autograd.grad((s ** 2).sum(), leaf)[0])
    return rows
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "the first input is left out (inputs[t] for t from 1): one row is missing",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    s, rows = state, []
    for t in range(1, len(inputs)):
        s = torch.tanh(leaf * s.detach() + inputs[t])
        rows.append(torch.autograd.grad((s ** 2).sum(), leaf)[0])
    return torch.stack(rows)
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "the loss is the sum of the state, the square is forgotten",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    s, rows = state, []
    for x in inputs:
        s = torch.tanh(leaf * s.detach() + x)
        rows.append(torch.autograd.grad(s.sum(), leaf)[0])
    return torch.stack(rows)
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "the loss is the mean of the squares, not the sum",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    s, rows = state, []
    for x in inputs:
        s = torch.tanh(leaf * s.detach() + x)
        rows.append(torch.autograd.grad((s ** 2).mean(), leaf)[0])
    return torch.stack(rows)
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "the gradients are added up into one, not one row for each turn",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    s = state
    for x in inputs:
        s = torch.tanh(leaf * s.detach() + x)
        (s ** 2).sum().backward()
    return leaf.grad
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "detach() is called but its result is thrown away, and the graph is kept: earlier turns count too",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    s, rows = state, []
    for x in inputs:
        s.detach()
        s = torch.tanh(leaf * s + x)
        rows.append(torch.autograd.grad((s ** 2).sum(), leaf, retain_graph=True)[0])
    return torch.stack(rows)
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "w is changed by the gradient after each turn (a training step that is not asked for)",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    s, rows = state, []
    for x in inputs:
        s = torch.tanh(leaf * s.detach() + x)
        g, = torch.autograd.grad((s ** 2).sum(), leaf)
        rows.append(g)
        with torch.no_grad():
            leaf -= 0.1 * g
    return torch.stack(rows)
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "the state is overwritten in place, so the argument state is changed",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    rows = []
    for x in inputs:
        s = torch.tanh(leaf * state.clone() + x)
        rows.append(torch.autograd.grad((s ** 2).sum(), leaf)[0])
        state.copy_(s.detach())
    return torch.stack(rows)
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "the gradient is taken with respect to the state, not to w",
        """
def turn_gradients(w, state, inputs):
    s, rows = state, []
    for x in inputs:
        old = s.detach().clone().requires_grad_()
        s = torch.tanh(w * old + x)
        rows.append(torch.autograd.grad((s ** 2).sum(), old)[0])
    return torch.stack(rows)
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "the rows are joined with cat instead of stack: the dimension of the turns is missing",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    s, rows = state, []
    for x in inputs:
        s = torch.tanh(leaf * s.detach() + x)
        rows.append(torch.autograd.grad((s ** 2).sum(), leaf)[0])
    return torch.cat(rows)
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "the last turn is forgotten: the row of the last input stays zero",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    s, result = state, torch.zeros_like(inputs)
    for t in range(len(inputs) - 1):
        s = torch.tanh(leaf * s.detach() + inputs[t])
        result[t] = torch.autograd.grad((s ** 2).sum(), leaf)[0]
    return result
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "the whole new state is detached before the loss: the loss has no graph",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    s, rows = state, []
    for x in inputs:
        s = torch.tanh(leaf * s + x).detach()
        rows.append(torch.autograd.grad((s ** 2).sum(), leaf)[0])
    return torch.stack(rows)
""",
    ),
    (
        "06.turn_gradients",
        "right",
        "gives every turn its own copy of w, a row of one leaf, and calls grad once for the sum of the losses",
        """
def turn_gradients(w, state, inputs):
    copies = torch.stack([w.detach()] * len(inputs)).requires_grad_()
    total = 0
    for row, entry in zip(copies, inputs):
        state = torch.tanh(row * state.detach() + entry)
        total = total + (state * state).sum()
    return torch.autograd.grad(total, copies)[0]
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "the previous state is not treated as a constant: the graph is kept and the gradient goes through earlier turns",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    rows = []
    for entry in inputs:
        state = torch.tanh(leaf * state + entry)
        loss = (state ** 2).sum()
        rows.append(torch.autograd.grad(loss, leaf, retain_graph=True)[0])
    return torch.stack(rows)
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "the gradients add up in .grad: each row holds the sum of the gradients of all turns so far",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    rows = []
    for entry in inputs:
        state = torch.tanh(leaf * state.detach() + entry)
        (state ** 2).sum().backward()
        rows.append(leaf.grad.clone())
    return torch.stack(rows)
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "returns a list of gradients, not one tensor with the shape of inputs",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    rows = []
    for entry in inputs:
        state = torch.tanh(leaf * state.detach() + entry)
        rows.append(torch.autograd.grad((state ** 2).sum(), leaf)[0])
    return rows
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "the state is not carried on: each turn begins with the first state again",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    rows = []
    for entry in inputs:
        new = torch.tanh(leaf * state + entry)
        rows.append(torch.autograd.grad((new ** 2).sum(), leaf)[0])
    return torch.stack(rows)
""",
    ),
    (
        "06.turn_gradients",
        "wrong",
        "the loop begins with inputs[1]: the first turn is left out and a row is missing",
        """
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    rows = []
    for t in range(1, len(inputs)):
        state = torch.tanh(leaf * state.detach() + inputs[t])
        rows.append(torch.autograd.grad((state ** 2).sum(), leaf)[0])
    return torch.stack(rows)
""",
    ),
]
