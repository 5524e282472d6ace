"""Programs as people ask about them in public, each with an answer that `viz.why` must give; the programs are our own.

The line that the answer must name ends in the comment `# here`. Each program asks in its last line.
"""

from autograd_teach.viz.why import why

PROGRAMS = {}


NEVER = {}
"""By program: phrases that its answer must not have, because they would be false."""


def program(kind, *phrases, never=()):
    """Put a program into the table, with the kind of its answer and phrases that its sentence must, and must not, have."""

    def keep(function):
        PROGRAMS[function.__name__] = (function, kind, phrases)
        NEVER[function.__name__] = never
        return function

    return keep


@program("detach", "takes h out of the graph", "Remove `.detach()`")
def detached_between(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    h = w * 3
    h = h.detach()  # here
    loss = (h * 2).sum() * lib.ones(1, requires_grad=True).sum()
    loss.backward()
    return why(loss, w)


@program("detach", "takes w out of the graph", never=("unused",))
def one_of_a_pair(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    h, k = w.detach(), w * 2  # here
    h, k = k, h
    loss = (k * lib.ones(2, requires_grad=True)).sum()
    return why(loss, w)


@program("detach", ".data")
def read_through_data(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    h = w.data * 3  # here
    loss = (h * 2).sum()
    return why(loss, w)


@program("detach", "takes fake out of the graph", "if generator.weight should learn")
def a_generator_behind_a_detached_picture(lib):
    generator, judge = lib.nn.Linear(2, 2), lib.nn.Linear(2, 1)
    fake = generator(lib.ones(3, 2))
    loss = judge(fake.detach()).mean()  # here
    loss.backward()
    return why(loss, generator.weight)


@program("detach", "takes h out of the graph")
def detached_in_place(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    v = lib.tensor([1.0, 2.0], requires_grad=True)
    h = w.exp()
    h.detach_()  # here
    loss = (h * v).sum()
    return why(loss, w)


@program("number", "total")
def losses_added_up_as_numbers(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    total = 0.0
    for factor in (1.0, 2.0):
        loss = (w * factor).sum()
        total += loss.item()  # here
    return why(total, w)


@program("no_grad", "self.w gets no gradient")
def a_value_of_an_object(lib):
    class Model:
        def __init__(self):
            self.w = lib.tensor([1.0, 2.0], requires_grad=True)

        def scaled(self):
            with lib.no_grad():
                return self.w / self.w.max()  # here

        def ask(self):
            loss = self.scaled().sum()
            return why(loss, self.w)

    return Model().ask()


@program("no_grad", "under no_grad", "no operation is recorded")
def computed_without_recording(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    with lib.no_grad():
        h = w * 3  # here
    loss = (h * 2).sum()
    return why(loss, w)


@program("no_grad", "under inference_mode")
def computed_in_inference_mode(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    with lib.inference_mode():
        features = w.exp()  # here
    loss = features.sum()
    return why(loss, w)


@program("no_grad")
def switched_off_and_forgotten(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    with lib.set_grad_enabled(False):
        h = w.exp()  # here
    loss = h.sum()
    return why(loss, w)


@program("number", "makes a plain number", "Keep the tensor")
def a_number_made_a_tensor_again(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    total = (w * w).sum().item()  # here
    loss = lib.tensor(total, requires_grad=True)
    return why(loss, w)


@program("number")
def the_loss_is_a_number(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    out = (w * w).sum()
    loss = out.item() / 2  # here
    return why(loss, w)


@program("numpy", "goes through NumPy")
def through_numpy(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    array = w.detach().numpy()  # here
    loss = lib.tensor((array**2).sum().item(), requires_grad=True) * 2
    return why(loss, w)


@program("integers", "integers or booleans", "softmax")
def the_best_class(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    best = (w * 2).argmax()  # here
    loss = (best - 1.0) ** 2
    return why(loss, w)


@program("integers", "sigmoid for a comparison")
def accuracy_as_loss(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    out = w * 2
    right = out > 3  # here
    loss = 1 - right.float().mean()
    return why(loss, w)


@program("integers")
def cast_to_integers(lib):
    w = lib.tensor([1.5, 2.5], requires_grad=True)
    h = w.long()  # here
    loss = (h * 2.0).sum()
    return why(loss, w)


@program("new leaf", "without their history")
def a_parameter_made_of_a_result(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    scale = lib.nn.Parameter(w * 2)  # here
    loss = (scale * 3).sum()
    loss.backward()
    return why(loss, w)


@program("new leaf")
def copied_by_tensor(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    h = w * 2
    copy = lib.tensor(h, requires_grad=True)  # here
    loss = copy.sum()
    return why(loss, w)


@program("not a leaf", "only leaves keep a gradient", "Make the leaf last")
def a_leaf_that_was_scaled(lib):
    w = lib.ones(3, requires_grad=True) * 0.1  # here
    loss = (w * w).sum()
    loss.backward()
    return why(loss, w)


@program("not a leaf", "made a new tensor w that is not a leaf", "in place")
def stepped_by_rebinding(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    (w * w).sum().backward()
    w = w - 0.1 * w.grad  # here
    loss = (w * w).sum()
    loss.backward()
    return why(loss, w)


@program("rebound", "does not require grad", "no_grad(): w -=")
def stepped_by_rebinding_without_recording(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum()
    loss.backward()
    with lib.no_grad():
        w = w - 0.1 * w.grad  # here
    return why(loss, w)


@program("rebound", "made a new tensor", "called w before")
def the_loss_of_the_tensor_before(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum()
    loss.backward()
    w = (w - 0.1 * w.grad).detach().requires_grad_()  # here
    return why(loss, w)


@program("cancels", "add up to 0")
def contributions_that_cancel_on_the_way(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    h = w.exp()  # here
    loss = (h + 3).sum() - h.sum()
    return why(loss, w)


@program("requires_grad", "does not require grad", "w.requires_grad_()")
def never_asked_for(lib):
    w = lib.tensor([1.0, 2.0])  # here
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * x).sum()
    loss.backward()
    return why(loss, w)


@program("requires_grad", "switched its requires_grad off")
def a_frozen_model(lib):
    model = lib.nn.Linear(2, 1)
    head = lib.nn.Linear(1, 1)
    for p in model.parameters():
        p.requires_grad = False  # here
    loss = head(model(lib.ones(1, 2))).sum()
    loss.backward()
    return why(loss, model.weight)


@program("requires_grad", "holds integers")
def a_leaf_of_integers(lib):
    w = lib.tensor([1, 2])  # here
    loss = (w * 2.0).sum()
    return why(loss, w)


@program("unused", "does not depend on w")
def another_variable_was_used(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    v = lib.tensor([1.0, 2.0], requires_grad=True)
    loss = (v * v).sum() + w.shape[0]
    loss.backward()
    return why(loss, w)


@program("unused", "does not depend on model.skipped.weight")
def a_layer_that_forward_forgets(lib):
    class Net(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.used = lib.nn.Linear(2, 2)
            self.skipped = lib.nn.Linear(2, 2)

        def forward(self, x):
            return self.used(x).tanh()

    model = Net()
    loss = model(lib.ones(1, 2)).sum()
    loss.backward()
    return why(loss, model.skipped.weight)


@program("detach", "model.first.weight gets no gradient")
def detached_inside_a_module(lib):
    class Net(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = lib.nn.Linear(2, 2)
            self.second = lib.nn.Linear(2, 1)

        def forward(self, x):
            h = self.first(x).tanh()
            h = h.detach()  # here
            return self.second(h)

    model = Net()
    loss = model(lib.ones(1, 2)).sum()
    loss.backward()
    return why(loss, model.first.weight)


@program("no_grad")
def a_decorated_function(lib):
    @lib.no_grad()
    def features(x):
        return x * 2  # here

    w = lib.tensor([1.0, 2.0], requires_grad=True)
    h = features(w)
    loss = h.sum()
    return why(loss, w)


@program("no backward", "backward has not been called yet", "3 parts", "sum [4, 6]")
def backward_was_not_called(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum() + (w * 2).sum()
    return why(loss, w)


@program("arrives", "w gets its gradient", "2 parts", "from MulBackward0 (line ", "sum 7")
def all_is_well(lib):
    w = lib.tensor(2.0, requires_grad=True)
    y = w * 5
    loss = y + w * 2
    loss.backward(retain_graph=True)
    return why(loss, w)


@program("accumulated", "3 times the gradient of this loss", "zero_grad")
def backward_called_again_and_again(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum()
    for _ in range(3):
        loss.backward(retain_graph=True)  # here
    return why(loss, w)


@program("cleared", "zero_grad()`, cleared it", "Read w.grad between")
def cleared_before_it_was_read(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    optimizer = lib.optim.SGD([w], lr=0.1)
    loss = (w * w).sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()  # here
    return why(loss, w)


@program("freed", "was freed by backward", "[2, 4]")
def asked_after_backward(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum()
    loss.backward()
    return why(loss, w)


@program("inf", "SqrtBackward0", "slope there is infinite", "sqrt(x + 1e-12)")
def a_root_at_zero(lib):
    w = lib.tensor([0.0, 4.0], requires_grad=True)
    loss = w.sqrt().sum()  # here
    return why(loss, w)


@program("nan", "0 by an infinite slope", "where leaves out", "where(ok")
def a_bad_value_behind_where(lib):
    w = lib.tensor([0.0, 4.0], requires_grad=True)
    root = w.sqrt()  # here
    loss = lib.where(w > 0, root, lib.zeros(2)).sum()
    return why(loss, w)


@program("inf", "LogBackward0", "is the first that gives infinity", "log of 0")
def a_log_of_zero(lib):
    w = lib.tensor([0.0, 1.0], requires_grad=True)
    entropy = w.log()  # here
    loss = -(w * entropy).sum()
    return why(loss, w)


@program("nan", "DivBackward0")
def a_division_of_zero_by_zero(lib):
    w = lib.tensor([0.0, 0.0], requires_grad=True)
    share = w / w.sum()  # here
    loss = share[0]
    return why(loss, w)


@program("dead", "ReluBackward0", "slope is 0", "leaky_relu")
def a_dead_unit(lib):
    w = lib.tensor([-1.0, -2.0], requires_grad=True)
    h = lib.relu(w * 3)  # here
    loss = h.sum()
    return why(loss, w)


@program("dead", "ClampBackward")
def clamped(lib):
    w = lib.tensor([3.0, 4.0], requires_grad=True)
    h = w.clamp(0.0, 1.0)  # here
    loss = h.sum()
    return why(loss, w)


@program("saturated", "SigmoidBackward0", "so far from 0")
def a_saturated_sigmoid(lib):
    w = lib.tensor([40.0, -40.0], requires_grad=True)
    p = lib.sigmoid(w * 5)  # here
    loss = p.sum()
    return why(loss, w)


@program("saturated", "almost 0", "TanhBackward0")
def an_almost_saturated_tanh(lib):
    w = lib.tensor([8.0], requires_grad=True)
    h = lib.tanh(w)  # here
    loss = (h * 0.5).sum()
    return why(loss, w)


@program("no slope", "RoundBackward0", "slope is 0 everywhere")
def rounded(lib):
    w = lib.tensor([1.4, 2.6], requires_grad=True)
    h = lib.round(w * 2)  # here
    loss = (h - 1).sum()
    return why(loss, w)


@program("not chosen", "other elements")
def not_the_largest(lib):
    w = lib.tensor(1.0, requires_grad=True)
    v = lib.tensor(2.0, requires_grad=True)
    loss = lib.maximum(w, v) * 3  # here
    return why(loss, w)


@program("zero factor", "factor", "other than 0")
def weights_that_start_at_zero(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    v = lib.zeros(2, requires_grad=True)
    h = w.tanh() * v  # here
    loss = h.sum()
    return why(loss, w)


@program("cancels", "add up to 0")
def contributions_that_cancel(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * 3).sum() - (w * 3).sum()
    return why(loss, w)


@program("vanishing", "SigmoidBackward0", "shrinks from 1", "12 operations of this kind")
def many_sigmoids(lib):
    w = lib.tensor(0.5, requires_grad=True)
    h = w
    for _ in range(12):
        h = lib.sigmoid(h)  # here
    loss = h * 1
    return why(loss, w)


@program("exploding", "grows from 1", "MulBackward0", "Clip")
def a_factor_again_and_again(lib):
    w = lib.tensor(1.0, requires_grad=True)
    h = w
    for _ in range(10):
        h = h * 20.0  # here
    loss = h.sum()
    return why(loss, w)


@program("overwritten", "cannot get its gradient", "ExpBackward0", "needs in backward")
def a_saved_value_changed(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    y = w.exp()
    loss = y.sum()
    y += 1  # here
    return why(loss, w)


@program("overwritten", "overwritten")
def a_result_written_over(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    v = lib.tensor([5.0, 6.0], requires_grad=True)
    y = w * 2
    y.copy_(v)  # here
    loss = y.sum()
    return why(loss, w)


@program("hook", "changed by a hook", "[3, 3] arrives", "[0, 0] is kept")
def a_hook_that_stops_it(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    w.register_hook(lambda g: g * 0)  # here
    loss = (w * 3).sum()
    return why(loss, w)


@program("returns None", "backward returns None", "DoubleBackward")
def a_function_that_returns_nothing(lib):
    class Double(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return None

    w = lib.tensor([1.0, 2.0], requires_grad=True)
    y = Double.apply(w)  # here
    loss = y.sum()
    return why(loss, w)


@program("nan", "is not usable: x contains NaN")
def a_leaf_with_nan(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    x = lib.tensor([float("nan"), 1.0], requires_grad=True)
    loss = (w * x).sum()
    return why(loss, w)


@program("create_graph", "a gradient computed without create_graph=True", "retain_graph=True is not enough")
def a_penalty_without_create_graph(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    loss = (w**3).sum()
    g = lib.autograd.grad(loss, w, retain_graph=True)[0]  # here
    penalty = (g**2).sum()
    return why(penalty, w)


@program("create_graph", "uses `w.grad` computed without create_graph=True")
def a_penalty_on_the_grad_attribute(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    (w**3).sum().backward()
    penalty = (w.grad**2).sum()  # here
    return why(penalty, w)


@program("no backward", "would arrive")
def a_penalty_with_create_graph(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    (g,) = lib.autograd.grad((w**3).sum(), [w], create_graph=True)
    penalty = (g**2).sum()
    return why(penalty, w)


@program("unused", "does not depend on w[2]")
def one_of_a_list_of_weights(lib):
    w = [lib.ones(2, 2, requires_grad=True) for _ in range(3)]

    def layer(k, x):
        return lib.tanh(x @ w[k])

    u = layer(0, lib.ones(1, 2))
    q = layer(1, u).sum()
    return why(q, w[2])


@program("unused", "does not depend on w[2]")
def one_that_a_loop_leaves_out(lib):
    w = [lib.ones(2, 2, requires_grad=True) for _ in range(3)]
    h = lib.ones(1, 2)
    for k in range(2):
        h = h @ w[k]
    loss = h.sum()
    return why(loss, w[2])


@program("requires_grad", "switches requires_grad on, but what was computed before has no graph")
def switched_on_after_the_loss(lib):
    w = lib.tensor([1.0, 2.0])
    loss = (w * lib.ones(2, requires_grad=True)).sum()
    w.requires_grad_()  # here
    return why(loss, w)


@program("overwritten", "changed h in place", "Make a new tensor instead: `h = h * h`.")
def multiplied_in_place(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    h = lib.sigmoid(w)
    loss = h.sum()
    h *= h  # here
    return why(loss, w)


@program("integers", "makes integers")
def an_index_made_of_a_value(lib):
    theta = lib.tensor([1.0, 0.0], requires_grad=True)
    table = lib.ones(3, 2)
    place = theta.long()  # here
    loss = table[place].sum()
    return why(loss, theta)


@program("new leaf", "without their history")
def losses_collected_and_copied(lib):
    w = lib.ones(3, requires_grad=True)
    losses = []
    for i in range(3):
        losses.append((w * i).sum())
    loss = lib.tensor(losses, requires_grad=True)  # here
    return why(loss, w)


@program("integers", "k = h.argmax()")
def a_cut_in_the_branch_that_did_not_run(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    h = w * 2
    if not w.requires_grad:
        h = h.detach()
    k = h.argmax()  # here
    loss = k.float() * 3
    return why(loss, w)


@program("not a leaf", "made a new tensor w that is not a leaf")
def stepped_below_the_question_in_its_loop(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    for step in range(2):
        loss = ((w - 3) ** 2).sum()
        if step == 1:
            return why(loss, w)
        loss.backward()
        w = w - 0.1 * w.grad  # here
    return None


@program("detach", "`.detach()`")
def a_result_kept_in_a_dictionary(lib):
    cache = {}
    w = lib.ones(2, requires_grad=True)

    def encode(x):
        if "code" not in cache:
            cache["code"] = (w * x).detach()  # here
        return cache["code"]

    loss = (encode(lib.ones(2)) * lib.ones(2, requires_grad=True)).sum()
    return why(loss, w)


@program("detach", "self.code = self.first(x).detach()")
def a_result_kept_as_an_attribute(lib):
    class Net(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = lib.nn.Linear(2, 2)
            self.second = lib.nn.Linear(2, 1)

        def forward(self, x):
            self.code = self.first(x).detach()  # here
            return self.second(self.code)

    model = Net()
    loss = model(lib.ones(1, 2)).sum()
    return why(loss, model.first.weight)


@program("integers", "makes integers")
def a_layer_of_ones_own_in_a_sequence(lib):
    class Quantize(lib.nn.Module):
        def forward(self, x):
            return (x > 0).float()  # here

    net = lib.nn.Sequential(lib.nn.Linear(2, 3), Quantize(), lib.nn.Linear(3, 1))
    loss = net(lib.ones(1, 2)).sum()
    return why(loss, net[0].weight)


@program("no_grad", "under no_grad")
def asked_by_a_method_after_another(lib):
    class Trainer:
        def __init__(self):
            self.w = lib.ones(2, requires_grad=True)

        def step(self, x):
            with lib.no_grad():
                self.out = self.w * x  # here
            self.loss = (self.out * lib.ones(2, requires_grad=True)).sum()

        def explain(self):
            return why(self.loss, self.w)

    trainer = Trainer()
    trainer.step(lib.ones(2))
    return trainer.explain()


@program("detach", "takes the value out of the graph")
def asked_by_a_helper(lib):
    def explain(loss, parameter):
        return why(loss, parameter)

    w = lib.tensor([1.0, 2.0], requires_grad=True)
    h = (w * 2).detach()  # here
    loss = (h * lib.ones(2, requires_grad=True)).sum()
    return explain(loss, w)


@program("detach", "takes t out of the graph")
def detached_in_place_by_a_helper(lib):
    def stop(t):
        t.detach_()  # here
        return t

    w = lib.tensor([1.0, 2.0], requires_grad=True)
    h = w * 2
    kept = stop(h)
    loss = (kept * lib.ones(2, requires_grad=True)).sum()
    return why(loss, w)


@program("no slope", "its results always sum to 1", "sigmoid for a single output")
def a_softmax_of_one_output(lib):
    w = lib.tensor([[1.0], [2.0]], requires_grad=True)
    p = lib.softmax(w, dim=1)  # here
    loss = ((p - 0.5) ** 2).sum()
    return why(loss, w)


@program("cancels", "the parts that it adds up cancel", "right at a minimum")
def a_scale_of_centred_data(lib):
    scale = lib.tensor(2.0, requires_grad=True)
    h = scale * lib.tensor([-1.0, 0.0, 1.0])  # here
    loss = h.sum()
    return why(loss, scale)


@program("dead", "ReluBackward0")
def a_dead_unit_used_twice(lib):
    w = lib.tensor([-1.0, -2.0], requires_grad=True)
    h = lib.relu(w)  # here
    loss = (h**2).sum() + h.sum()
    return why(loss, w)


# Why a gradient is 0


@program(
    "minimum",
    "the slope of a square is 0 where its base w - 3 is 0",
    "Nothing is left to learn from this square",
    never=("factor", "Start"),
)
def at_the_minimum_of_a_square(lib):
    w = lib.tensor([3.0, 3.0], requires_grad=True)
    loss = ((w - 3) ** 2).sum()  # here
    return why(loss, w)


@program("minimum", "where its base d is 0", "square: it is at its minimum", never=("the loss is", "Start"))
def at_the_maximum_of_a_loss_with_a_square(lib):
    w = lib.tensor([3.0, 3.0], requires_grad=True)
    d = w - 3
    loss = -d.pow(2).mean()  # here
    return why(loss, w)


@program("minimum", "where its base x @ w - y is 0", never=("factor", "Start"))
def at_the_exact_solution(lib):
    x = lib.tensor([[1.0, 2.0], [3.0, 4.0]])
    w = lib.tensor([1.0, 1.0], requires_grad=True)
    y = lib.tensor([3.0, 7.0])
    loss = ((x @ w - y) ** 2).mean()  # here
    return why(loss, w)


@program("minimum", "the slope of abs is taken as 0 where its input w - 3 is 0", never=("factor", "Start"))
def at_the_corner_of_abs(lib):
    w = lib.tensor([3.0, 3.0], requires_grad=True)
    loss = (w - 3).abs().sum()  # here
    return why(loss, w)


@program("minimum", "the slope of the norm is taken as 0 where its input d is 0", never=("smooth",))
def at_the_corner_of_a_norm(lib):
    w = lib.tensor([3.0, 3.0], requires_grad=True)
    d = w - 3
    loss = d.norm()  # here
    return why(loss, w)


@program("minimum", "the slope of a square is 0 where its base w is 0", never=("factor", "Start", "; and"))
def a_value_times_itself_at_zero(lib):
    w = lib.tensor([0.0, 0.0], requires_grad=True)
    loss = (w * w).sum()  # here
    return why(loss, w)


@program("no slope", "the slope of a power is 0 where its base w is 0", never=("minimum", "factor"))
def at_the_flat_point_of_a_cube(lib):
    w = lib.tensor([0.0, 0.0], requires_grad=True)
    loss = (w**3).sum()  # here
    return why(loss, w)


@program("no slope", "its exponent is 0, so its result is always 1", never=("base",))
def a_power_of_zero(lib):
    w = lib.tensor([2.0, 3.0], requires_grad=True)
    loss = (w**0).sum()  # here
    return why(loss, w)


@program("minimum", "its input equals its target", never=("the loss is",))
def a_negative_loss_at_its_target(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    loss = -lib.nn.functional.mse_loss(w, lib.tensor([1.0, 2.0]))  # here
    return why(loss, w)


@program("zero factor", "because its factor v is 0.", "Start v from values other than 0")
def a_weight_that_starts_at_zero(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    v = lib.zeros(2, requires_grad=True)
    loss = (w * v).sum()  # here
    return why(loss, w)


@program(
    "zero factor",
    "because its factor x is 0.",
    "if it is data or a state, other values of it may give a gradient",
    never=("Start",),
)
def data_that_is_zero(lib):
    w = lib.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    x = lib.zeros(3, 2)
    loss = (x @ w).sum()  # here
    return why(loss, w)


@program(
    "zero factor", "MulBackward0 (line", "because its other factor is 0.", "if this factor is a mask", never=("Start",)
)
def a_mask_without_a_name(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    ok = lib.zeros(2)
    loss = (w.exp() * (ok * 1)).sum()  # here
    return why(loss, w)


@program("zero factor", "its other factor is 0", "how this factor is computed", never=("Start",))
def a_factor_that_another_operation_made_zero(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    v = lib.tensor([-1.0, -2.0], requires_grad=True)
    loss = (w * v.relu()).sum()  # here
    return why(loss, w)


@program("zero factor", "Use a number other than 0", never=("Start", "mask"))
def a_penalty_with_weight_zero(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    loss = 0.0 * (w**2).sum()  # here
    return why(loss, w)


@program("zero factor", "its factor last.weight is 0", "Start last.weight")
def a_last_layer_that_starts_at_zero(lib):
    first, last = lib.nn.Linear(2, 3), lib.nn.Linear(3, 1)
    lib.nn.init.zeros_(last.weight)
    loss = last(first(lib.ones(4, 2)).tanh()).sum()
    return why(loss, first.weight)


@program("zero factor", "its dividend n is 0", never=("factor n",))
def zero_divided_by_a_value(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    n = lib.zeros(2, requires_grad=True)
    loss = (n / w).sum()  # here
    return why(loss, w)


@program("zero factor", "other elements of the product are 0", never=("Start",))
def a_product_with_zeros(lib):
    w = lib.tensor([0.0, 0.0, 3.0], requires_grad=True)
    loss = w.prod()  # here
    return why(loss, w)


@program(
    "zero factor",
    "Entry [0]: MulBackward0 (line",
    "because its factor m is 0 there. Entry [1]: ReluBackward0 (line",
    "because the slope is 0 at its input.",
)
def another_reason_for_each_entry(lib):
    x = lib.tensor([1.0, -1.0], requires_grad=True)
    m = lib.tensor([0.0, 1.0])
    loss = (x.relu() * m).sum()  # here
    return why(loss, x)


@program(
    "zero factor",
    "Entries [0] and [3]: MulBackward0",
    "Entry [1]: ReluBackward0",
    "Entry [2]: ClampBackward1",
    "outside the limits",
)
def three_reasons(lib):
    x = lib.tensor([1.0, -1.0, 5.0, 2.0], requires_grad=True)
    h = x.clamp(-10, 3)
    h = h.relu()
    loss = (h * lib.tensor([0.0, 1.0, 1.0, 0.0])).sum()  # here
    return why(loss, x)


@program("zero factor", "100 entries: MulBackward0", "100 entries: ReluBackward0")
def another_reason_for_each_half(lib):
    x = lib.tensor([1.0, -1.0] * 100, requires_grad=True)
    m = lib.tensor([0.0, 1.0] * 100)
    h = x.relu()
    loss = (h * m).sum()
    return why(loss, x)


@program("not chosen", "Entries [0] and [2]: SelectBackward0", "Entry [1]: ReluBackward0")
def one_entry_is_used_and_dead(lib):
    x = lib.tensor([1.0, -1.0, 2.0], requires_grad=True)
    h = x.relu()
    loss = h[1]
    return why(loss, x)


@program("zero factor", "because its factor v is 0; and ReluBackward0")
def two_paths_that_send_nothing(lib):
    w = lib.tensor([-1.0, -2.0], requires_grad=True)
    v = lib.zeros(2)
    loss = w.relu().sum() + (w * v).sum()  # here
    return why(loss, w)


@program("not chosen", "SelectBackward0", never=("CatBackward0",))
def a_part_of_a_joined_tensor_that_is_not_used(lib):
    a, b = lib.tensor([1.0, 2.0], requires_grad=True), lib.tensor([3.0], requires_grad=True)
    joined = lib.cat([a, b])
    loss = joined[2] * 2  # here
    return why(loss, a)


@program(
    "no slope",
    "up to rounding",
    "always have mean 0, and they get the same gradient",
    never=("shrinks", "smooth", "residual"),
)
def the_sum_of_a_layer_norm(lib):
    x = lib.tensor([[1.0, 2.0, 4.0], [0.5, 0.25, -1.0]], requires_grad=True)
    loss = lib.nn.functional.layer_norm(x, (3,)).sum()
    return why(loss, x)


@program("no slope", "always have mean 0, and they get the same gradient", never=("the slope", "smooth"))
def the_sum_of_a_batch_norm(lib):
    norm = lib.nn.BatchNorm1d(3)
    x = lib.tensor([[1.0, 2.0, 4.0], [0.5, 0.25, -1.0]], requires_grad=True)
    loss = norm(x).sum()
    return why(loss, x)


@program("zero factor", "its weight norm.weight is 0", "Start norm.weight", never=("mean 0",))
def a_layer_norm_whose_weight_is_zero(lib):
    norm = lib.nn.LayerNorm(3)
    lib.nn.init.zeros_(norm.weight)
    x = lib.tensor([[1.0, 2.0, 4.0]], requires_grad=True)
    loss = (norm(x) * lib.tensor([1.0, 2.0, 5.0])).sum()
    return why(loss, x)


@program("cancels", "add up to 0 ([1, 1, 1] + [-1, -1, -1])")
def a_sum_of_centred_values(lib):
    x = lib.tensor([1.0, 2.0, 4.0], requires_grad=True)
    loss = (x - x.mean()).sum()
    return why(loss, x)


@program("cancels", "0 up to rounding", "add up to 0", never=("shrinks", "residual"))
def the_squares_of_a_unit_vector(lib):
    x = lib.tensor([1.0, 2.0, 4.0, 0.1, 0.2, 0.3, 0.7], requires_grad=True)
    unit = x / x.norm()
    loss = (unit**2).sum()
    return why(loss, x)


@program("cancels", "0 up to rounding", "contributions that arrive add up to 0", never=("shrinks",))
def contributions_that_cancel_up_to_rounding(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * 0.1).sum() + (w * 0.2).sum() - (w * 0.3).sum()
    return why(loss, w)


@program("no slope", "it has one class only, so its result is always 0", never=("sum to 1",))
def cross_entropy_of_one_class(lib):
    w = lib.tensor([[1.0], [2.0]], requires_grad=True)
    loss = lib.nn.functional.cross_entropy(w, lib.tensor([0, 0]))  # here
    return why(loss, w)


@program(
    "saturated",
    "its prediction is so certain that the slope is 0",
    "If the prediction is right",
    never=("only to other",),
)
def cross_entropy_of_a_certain_prediction(lib):
    w = lib.tensor([[200.0, -200.0]], requires_grad=True)
    loss = lib.nn.functional.cross_entropy(w, lib.tensor([0]))  # here
    return why(loss, w)


@program("not chosen", "it ignores all its targets", never=("minimum",))
def cross_entropy_of_ignored_targets(lib):
    w = lib.tensor([[2.0, -2.0]], requires_grad=True)
    loss = lib.nn.functional.cross_entropy(w, lib.tensor([-100]), reduction="sum")  # here
    return why(loss, w)


@program("cancels", "LogSoftmaxBackward0", "the parts that it adds up cancel", never=("sum to 1", "smooth"))
def log_softmax_of_equal_logits(lib):
    w = lib.tensor([1.0, 1.0], requires_grad=True)
    loss = w.log_softmax(0).sum()  # here
    return why(loss, w)


@program("cancels", "ExpandBackward0", "the parts that it adds up cancel")
def copies_that_cancel(lib):
    w = lib.tensor([2.0], requires_grad=True)
    h = w.expand(2)  # here
    loss = (h * lib.tensor([1.0, -1.0])).sum()
    return why(loss, w)


@program("vanishing", "too small for this dtype", never=("its factor", "other factor", "add up"))
def a_product_below_the_smallest_number(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    h = w * 1e-30  # here
    loss = (h.exp() * 1e-30).sum()
    return why(loss, w)


@program("no slope", "RemainderBackward", "its slope is 0 there", never=("everywhere",))
def the_divisor_of_a_remainder(lib):
    w = lib.tensor([7.0], requires_grad=True)
    x = lib.tensor([2.5])
    loss = (x % w).sum()  # here
    return why(loss, w)


@program("saturated", "ExpBackward0", "so far from 0", never=("smooth",))
def an_exponential_that_underflows(lib):
    w = lib.tensor([-200.0], requires_grad=True)
    loss = w.exp().sum()  # here
    return why(loss, w)


@program("no slope", "ZeroBackward (line", "its backward returns 0", never=("overwritten", "slope is 0"))
def a_function_of_ones_own_that_returns_zero(lib):
    class Zero(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 0

    w = lib.tensor([1.0, 2.0], requires_grad=True)
    h = Zero.apply(w)  # here
    loss = h.sum()
    return why(loss, w)


@program("no slope", "Entry [0]: UnbindBackward0", "the loss does not use this result", "Entry [1]: MulBackward0")
def one_of_two_results_is_used(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    _, second = w.unbind()
    loss = second * 0.0
    return why(loss, w)


# Hooks

ATTRIBUTED = "sends nothing", "slope", "add up", "backward starts with it"


@program("hook", "changed by a hook at MulBackward0 (line", "[3, 3] is computed, [0, 0] is sent on", never=ATTRIBUTED)
def a_hook_of_a_node_that_stops_it(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    h = w * 3
    h.grad_fn.register_hook(lambda sent, came: tuple(None if g is None else g * 0 for g in sent))  # here
    loss = h.sum()
    return why(loss, w)


@program("hook", "[3, 3] is computed, [6, 6] is sent on", "In the end, with all hooks, w gets [6, 6]", never=ATTRIBUTED)
def a_hook_of_a_node_that_doubles_it(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    h = w * 3
    h.grad_fn.register_hook(lambda sent, came: tuple(None if g is None else g * 2 for g in sent))
    loss = h.sum()
    return why(loss, w)


@program(
    "hook", "at SumBackward0", "1 arrives, 10 is used", "In the end, with all hooks, w gets [30, 30]", never=ATTRIBUTED
)
def a_hook_before_the_first_node(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * 3).sum()
    loss.grad_fn.register_prehook(lambda came: (came[0] * 10,))  # here
    return why(loss, w)


@program("hook", "at MulBackward0 (line", "[2, 2] arrives, [0, 0] is used", never=ATTRIBUTED)
def a_hook_of_a_result_that_stops_it(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    h = w * 3
    h.register_hook(lambda g: g * 0)  # here
    loss = (h * 2).sum()
    return why(loss, w)


@program("hook", "[2, 2] arrives, [nan, nan] is used", never=ATTRIBUTED)
def a_hook_that_makes_nan(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    h = w * 3
    h.register_hook(lambda g: g * float("nan"))
    loss = (h * 2).sum()
    return why(loss, w)


@program("no backward", "[6, 6]", never=("hook",))
def hooks_that_only_look(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    kept = []
    h = w * 3
    h.register_hook(kept.append)
    h.grad_fn.register_hook(lambda sent, came: None)
    loss = (h * 2).sum()
    return why(loss, w)


@program(
    "hook",
    "w.grad is [0, 0]",
    "a hook that runs after backward has added",
    "gives [3, 3]",
    never=("has not been called",),
)
def a_hook_after_accumulation(lib):
    def clear(tensor):
        tensor.grad = tensor.grad * 0

    w = lib.tensor([1.0, 2.0], requires_grad=True)
    w.register_post_accumulate_grad_hook(clear)
    loss = (w * 3).sum()
    loss.backward(retain_graph=True)
    return why(loss, w)


@program("no backward", "has not been called for this loss, or .grad was cleared since", never=("called yet",))
def cleared_although_the_graph_was_kept(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    w.grad = None
    return why(loss, w)


# NaN and infinity


@program(
    "cancels",
    "AddBackward0 (line",
    "sends nothing but rounding errors on towards shift",
    never=("rounding errors on, because", "residual connections"),
)
def a_shift_before_normalising(lib):
    x = lib.tensor([[1.0, 2.0, 4.0, 9.0]])
    scale = lib.tensor([1.0, 0.5, 2.0, 1.0], requires_grad=True)
    shift = lib.tensor(0.3, requires_grad=True)
    h = x * scale + shift  # here
    y = lib.nn.functional.layer_norm(h, (4,))
    loss = (y * lib.tensor([1.0, -2.0, 3.0, 0.5])).sum()
    return why(loss, shift)


@program("cleared", "the hook that runs after backward has written it", "in that hook", never=("zero_grad",))
def a_hook_that_steps_and_clears(lib):
    def step(p):
        with lib.no_grad():
            p -= 0.1 * p.grad
        p.grad = None

    w = lib.tensor([1.0, -2.0], requires_grad=True)
    w.register_post_accumulate_grad_hook(step)
    loss = (w * w).sum()
    loss.backward()
    return why(loss, w)


@program("exploding", "2 operations of this kind make it larger", never=("3 operations of this kind",))
def a_loop_that_starts_from_ones(lib):
    w = lib.tensor([0.5, 2000.0], requires_grad=True)
    h = lib.ones(2)
    for _ in range(3):
        h = h * w  # here
    loss = h.sum()
    return why(loss, w)


@program("number", "makes plain numbers, which have no graph", never=("a plain number",))
def a_leaf_made_from_a_list(lib):
    w = lib.tensor([0.5, 2.0], requires_grad=True)
    h = w * 2
    v = lib.tensor(h.tolist(), requires_grad=True)  # here
    loss = (v**2).sum()
    return why(loss, w)


@program("inf", "has entries that are infinite", "unless the exponent is an integer", never=("no real root",))
def powers_of_zero(lib):
    w = lib.tensor([0.0, 0.0, 2.0], requires_grad=True)
    powers = w ** lib.tensor([2.0, 0.5, 0.0])  # here
    loss = powers.sum()
    return why(loss, w)


@program("hook", "is changed by a hook", "[0, 0] is sent on. In the end", never=("sent on (line",))
def two_hooks_of_nodes(lib):
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    h = w**2
    loss = (h * 3).sum()
    h.grad_fn.register_hook(lambda sent, came: tuple(None if g is None else g * 0 for g in sent))
    loss.grad_fn.register_hook(lambda sent, came: None)
    return why(loss, w)


@program("nan", "the root of a negative number", "where(ok", never=("sqrt(x + 1e-12)",))
def a_root_that_where_leaves_out(lib):
    w = lib.tensor([0.0, 4.0, -1.0], requires_grad=True)
    root = lib.sqrt(w)  # here
    loss = lib.where(w > 0, root, lib.zeros(3)).sum()
    return why(loss, w)


@program("dead", "outside the limits", "relu", "a square is 0", "its factor off is 0")
def four_reasons(lib):
    w = lib.tensor([2.0, 3.0, -1.0, 5.0], requires_grad=True)
    off = lib.tensor(0.0)
    loss = w[0] * off + (w[1] - 3) ** 2 + lib.relu(w[2]) * 7 + w[3].clamp(max=4.0) * 2
    return why(loss, w)


@program("nan", "The gradient of w is NaN", "is the first that sends infinity", never=("w is infinity",))
def a_distance_of_nothing(lib):
    target = lib.tensor([1.0, 2.0])
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    distance = ((w - target) ** 2).sum().sqrt()  # here
    loss = distance * 3
    return why(loss, w)


@program("nan", "a gradient of 0 by an infinite slope", "Keep the argument of sqrt above 0", never=("where",))
def a_where_that_is_no_cause(lib):
    x = lib.tensor([0.0, 4.0], requires_grad=True)
    root = x.sqrt()  # here
    loss = lib.where(lib.tensor([True, True]), root * lib.tensor([0.0, 1.0]), lib.zeros(2)).sum()
    return why(loss, x)


@program("inf", "MulBackward0", "is too large for this dtype", never=("its slope there is infinite",))
def a_gradient_that_overflows(lib):
    x = lib.tensor([1e-30], requires_grad=True)
    h = x * 1e30
    loss = (h * 1e30).sum()
    return why(loss, x)


@program("inf", "PowBackward0", "a power that is too large", never=("domain",))
def a_power_that_overflows(lib):
    x = lib.tensor([1e15], requires_grad=True)
    y = x**4  # here
    loss = y.sum()
    return why(loss, x)


@program("inf", "has entries that are infinite: MulBackward0", never=("forward", "not usable"))
def a_gradient_that_overflows_with_its_values(lib):
    w = lib.tensor([1.0, 10.0], requires_grad=True)
    h = w
    for _ in range(60):
        h = h * lib.tensor([0.1, 10.0])  # here
    return why(h.sum(), w)


@program("requires_grad", "switched its requires_grad off", "leave that line out", never=("requires_grad=True",))
def a_frozen_weight(lib):
    w, v = lib.ones(2, requires_grad=True), lib.ones(2, requires_grad=True)
    w.requires_grad = False  # here
    loss = (w * v).sum()
    return why(loss, w)


@program("accumulated", "not the gradient of this loss", "Call backward for this loss", never=("times the",))
def the_loss_after_the_last_step(lib):
    w = lib.tensor([0.0, 1.0], requires_grad=True)
    optimizer = lib.optim.SGD([w], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = ((w - 5) ** 2).sum()
        loss.backward()  # here
        optimizer.step()
    loss = ((w - 5) ** 2).sum()
    return why(loss, w)


@program("freed", "w.grad is [-48]: what all calls of backward have added", never=("times the",))
def three_calls_of_backward(lib):
    w = lib.tensor([1.0], requires_grad=True)
    for _ in range(3):
        loss = ((w * 2 - 6) ** 2).sum()
        loss.backward()
    return why(loss, w)


@program(
    "zero factor", "because its factor w is 0", "if it was not 0 in the forward pass, look at what set it to 0 since"
)
def a_factor_that_data_has_set_to_0(lib):
    a, w = lib.tensor([3.0, 4.0], requires_grad=True), lib.tensor([1.0, 2.0], requires_grad=True)
    loss = (a * w).sum()  # here
    w.data.zero_()
    return why(loss, a)
