"""Wrong answers to notebook 03, each with the diagnosis that must name it and words that its message must have."""

from collections import Counter

import autograd_teach as torch

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


def following(node):
    return [each for each, _ in node.next_functions if each is not None]


def walk(y):
    """All nodes, each once, in the order in which they are met."""
    found = {y.grad_fn: None} if y.grad_fn is not None else {}
    waiting = list(found)
    while waiting:
        for each in following(waiting.pop(0)):
            if each not in found:
                found[each] = None
                waiting.append(each)
    return list(found)


def in_order(y):
    missing = Counter(each for node in walk(y) for each in following(node))
    order = [y.grad_fn]
    for node in order:
        for each in following(node):
            missing[each] -= 1
            if not missing[each]:
                order.append(each)
    return order


# count_nodes


@wrong("03.count_nodes", "timeout", "for the y of `c = [a]; for i in range(")
def remembers_and_goes_on(y):
    found, waiting = set(), [y.grad_fn] if y.grad_fn is not None else []
    while waiting:
        node = waiting.pop()
        found.add(node)
        waiting += following(node)
    return len(found)


@wrong("03.count_nodes", "known", "the `AccumulateGrad` nodes of the leaves are left out: they are nodes")
def operations(y):
    return sum(node.next_functions != () for node in walk(y))


@wrong("03.count_nodes", "known", "two nodes can have the same name")
def by_name(y):
    return len({node.name() for node in walk(y)})


@wrong("03.count_nodes", "wrong_value", "the result")
def arrows(y):
    return sum(len(following(node)) for node in walk(y))


@wrong("03.count_nodes", "one_shape", "this happens for the y of `y = d * 2`, d without grad; the other inputs work")
def no_graph_at_all(y):
    found, waiting = {y.grad_fn}, [y.grad_fn]
    while waiting:
        for each in following(waiting.pop()):
            if each not in found:
                found.add(each)
                waiting.append(each)
    return len(found)


@wrong("03.count_nodes", "one_shape", "'NoneType' object has no attribute 'next_functions'")
def none_is_followed(y):
    found, waiting = set(), [y.grad_fn] if y.grad_fn is not None else []
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += [pair[0] for pair in node.next_functions]
    return len(found)


@wrong("03.count_nodes", "recursion", "calls are nested more deeply than Python allows")
def recursive(y):
    found = set()

    def visit(node):
        if node is not None and node not in found:
            found.add(node)
            for pair in node.next_functions:
                visit(pair[0])

    visit(y.grad_fn)
    return len(found)


@wrong("03.count_nodes", "type", "a list or tuple of 3 entries, it must be a number")
def the_nodes_themselves(y):
    return [node.name() for node in walk(y)]


# leaves_of


@wrong("03.leaves_of", "known", "the list must hold the leaves themselves")
def nodes(y):
    return [node for node in walk(y) if not node.next_functions]


@wrong("03.leaves_of", "known", "once for each arrow")
def each_arrow(y):
    return [each.variable for node in walk(y) for each in following(node) if not each.next_functions]


@wrong("03.leaves_of", "type", "is a Tensor, it must be a list or tuple of 1 entry")
def only_one(y):
    return next(node.variable for node in walk(y) if not node.next_functions)


@wrong("03.leaves_of", "some_values", "the result is wrong at [0]: [0] is 'some int', it must be 'a', for the")
def sizes(y):
    return [node.variable.numel() for node in walk(y) if not node.next_functions]


@wrong("03.leaves_of", "recursion", "for the y of `c = [a]; for i in range(")
def recursive_leaves(y):
    found, leaves = set(), []

    def visit(node):
        found.add(node)
        if not node.next_functions:
            leaves.append(node.variable)
        for each in following(node):
            if each not in found:
                visit(each)

    visit(y.grad_fn)
    return leaves


# backward_order


@wrong("03.backward_order", "order", "comes before")
def as_they_are_met(y):
    return walk(y)


@wrong("03.backward_order", "order", "the wrong way round: it begins with AccumulateGrad of a")
def leaves_first(y):
    return in_order(y)[::-1]


@wrong("03.backward_order", "some_values", "in the result, but not asked for: the text 'SumBackward0', the text")
def names(y):
    return [node.name().rpartition("::")[2] for node in in_order(y)]


@wrong("03.backward_order", "known", "backward runs them too")
def without_leaves(y):
    return [node for node in in_order(y) if node.next_functions]


@wrong("03.backward_order", "known", "the first node that backward runs")
def without_start(y):
    return in_order(y)[1:]


@wrong("03.backward_order", "length", "the result has 5 entries, it must have 3, for the y of `b = a + a; y =")
def each_arrow_in_order(y):
    order, looked_at, waiting = [], set(), [y.grad_fn]
    while waiting:
        node = waiting.pop(0)
        order.append(node)
        if node not in looked_at:
            looked_at.add(node)
            waiting += following(node)
    return order


@wrong("03.backward_order", "recursion", "calls are nested more deeply")
def recursive_order(y):
    found, finished = set(), []

    def visit(node):
        found.add(node)
        for each in following(node):
            if each not in found:
                visit(each)
        finished.append(node)

    visit(y.grad_fn)
    return finished[::-1]


@wrong("03.backward_order", "timeout", "endless loop")
def waits_for_ever(y):
    torch.manual_seed(0)
    order, waiting = [], walk(y)
    while waiting:
        node = waiting.pop(0)
        if any(node in following(each) for each in waiting):
            waiting.insert(0, node)
        else:
            order.append(node)
    return order


MET = set()


def not_met_before(y):
    met = [node for node in walk(y) if node not in MET]
    MET.update(met)
    return met


@wrong("03.count_nodes", "same_again", "a second call with the same graph gives 0, the first gave 3")
def counted_in_an_earlier_call(y):
    return len(not_met_before(y))


@wrong("03.leaves_of", "same_again", "a second call with the same graph gives [], the first gave ['a']")
def listed_in_an_earlier_call(y):
    return [node.variable for node in not_met_before(y) if not node.next_functions]


@wrong("03.backward_order", "same_again", "a second call with the same graph gives []")
def ordered_in_an_earlier_call(y):
    met = not_met_before(y)
    return [node for node in in_order(y) if node in met]


# Of families


@wrong("03.count_nodes", "wrong_value", "the result")
def neighbours(y):
    return len({y.grad_fn, *following(y.grad_fn)}) if y.grad_fn is not None else 0


@wrong("03.leaves_of", "length", "the result has 3 entries, it must have 2, for the y of `p = a * a; q =")
def each_sender(y):
    return [e.variable for node in walk(y) for e in set(following(node)) if not e.next_functions]


@wrong("03.leaves_of", "selection", "in the result, but not asked for: 'some Tensor', for the y of `b =")
def result_as_well(y):
    return [y, *(node.variable for node in walk(y) if not node.next_functions)]


@wrong("03.backward_order", "length", "the result has 5 entries, it must have 3, for the y of `b = a + a; y =")
def ready_twice(y):
    missing = Counter(each for node in walk(y) for each in following(node))
    order = [y.grad_fn]
    for node in order:
        missing.subtract(following(node))
        order += [each for each in following(node) if not missing[each]]
        if len(order) > 5_000:
            break
    return order


@wrong("03.backward_order", "some_values", "in the result, but not asked for: a; missing from it: AccumulateGrad of")
def leaves_for_nodes(y):
    return [getattr(node, "variable", node) for node in in_order(y)]


@wrong("03.backward_order", "selection", "in the result, but not asked for: 'some NoneType', for the y of `b =")
def none_at_the_end(y):
    return [*in_order(y), None]
