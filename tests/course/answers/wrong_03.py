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


@wrong("03.count_nodes", "known", "once for each way")
def never_remembers(y):
    count, waiting = 0, [y.grad_fn] if y.grad_fn is not None else []
    while waiting:
        count += 1
        waiting += following(waiting.pop())
    return count


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


@wrong("03.count_nodes", "known", "only the first entry")
def down_the_first(y):
    node, count = y.grad_fn, 0
    while node is not None:
        count += 1
        node = node.next_functions[0][0] if node.next_functions else None
    return count


@wrong("03.count_nodes", "known", "the node of y itself")
def starts_too_late(y):
    found, waiting = set(), [y.grad_fn] if y.grad_fn is not None else []
    while waiting:
        for each in following(waiting.pop()):
            if each not in found:
                found.add(each)
                waiting.append(each)
    return len(found)


@wrong("03.count_nodes", "known", "two nodes can have the same name")
def by_name(y):
    return len({node.name() for node in walk(y)})


@wrong("03.count_nodes", "known", "number of arrows, not the nodes")
def arrows(y):
    return sum(len(following(node)) for node in walk(y))


@wrong("03.count_nodes", "known", "the number of arrows plus 1")
def looks_in_the_wrong_list(y):
    count, looked_at, waiting = 0, set(), [y.grad_fn] if y.grad_fn is not None else []
    while waiting:
        node = waiting.pop()
        count += 1
        if node not in looked_at:
            looked_at.add(node)
            waiting += following(node)
    return count


@wrong("03.count_nodes", "known", "None is counted")
def none_too(y):
    found, waiting = set(), [y.grad_fn]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += [pair[0] for pair in node.next_functions] if node is not None else []
    return len(found)


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


@wrong("03.leaves_of", "known", "the one that the first entries of next_functions lead to")
def first_leaf(y):
    node = y.grad_fn
    while node.next_functions and node.next_functions[0][0] is not None:
        node = node.next_functions[0][0]
    return [node.variable] if not node.next_functions else []


@wrong("03.leaves_of", "known", "only the leaves one step away from y")
def one_step(y):
    return {each.variable for each in following(y.grad_fn) if hasattr(each, "variable")}


@wrong("03.leaves_of", "known", "two leaves are the same only if they are one object")
def by_numbers(y):
    leaves = []
    for node in walk(y):
        if not node.next_functions and all(node.variable.tolist() != each.tolist() for each in leaves):
            leaves.append(node.variable)
    return leaves


@wrong("03.leaves_of", "type", "is a Tensor, it must be a list or tuple of 1 entry")
def only_one(y):
    return next(node.variable for node in walk(y) if not node.next_functions)


@wrong("03.leaves_of", "known", "these are numbers: the list must hold the leaves themselves")
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


@wrong(
    "03.backward_order",
    "order",
    "AddBackward0 of b comes before MulBackward0 of d, but MulBackward0 of d sends it a gradient",
)
def depth_first(y):
    found, waiting = {}, [y.grad_fn]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = True
            waiting += reversed(following(node))
    return list(found)


@wrong("03.backward_order", "order", "the wrong way round: it begins with AccumulateGrad of a")
def leaves_first(y):
    return in_order(y)[::-1]


@wrong("03.backward_order", "known", "two nodes can have the same name")
def names(y):
    return [node.name().rpartition("::")[2] for node in in_order(y)]


@wrong("03.backward_order", "known", "backward runs them too")
def without_leaves(y):
    return [node for node in in_order(y) if node.next_functions]


@wrong("03.backward_order", "known", "the first node that backward runs")
def without_start(y):
    return in_order(y)[1:]


@wrong("03.backward_order", "known", "once for each arrow")
def each_arrow_in_order(y):
    order, looked_at, waiting = [], set(), [y.grad_fn]
    while waiting:
        node = waiting.pop(0)
        order.append(node)
        if node not in looked_at:
            looked_at.add(node)
            waiting += following(node)
    return order


@wrong("03.backward_order", "known", "two arrows from one node to another are taken off as one")
def arrows_count_once(y):
    missing = Counter(each for node in walk(y) for each in following(node))
    order = [y.grad_fn]
    for node in order:
        for each in set(following(node)):
            missing[each] -= 1
            if not missing[each]:
                order.append(each)
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


@wrong("03.backward_order", "known", "two nodes can have the same name")
def names_in_full(y):
    return [node.name() for node in in_order(y)]


@wrong("03.backward_order", "known", "the arrows are counted for each name")
def ready_by_name(y):
    missing = Counter(each.name() for node in walk(y) for each in following(node))
    order, ready = [], [y.grad_fn]
    while ready:
        order.append(ready.pop())
        for each in following(order[-1]):
            missing[each.name()] -= 1
            if not missing[each.name()]:
                ready.append(each)
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


@wrong("03.count_nodes", "known", "nodes of the same name are taken for one")
def seen_by_name(y):
    found, waiting = [], [y.grad_fn] if y.grad_fn is not None else []
    while waiting:
        node = waiting.pop()
        if node.name() not in found:
            found.append(node.name())
            waiting += following(node)
    return len(found)


@wrong("03.count_nodes", "known", "is counted again if it is met a second time")
def nobody_looks_again(y):
    seen, waiting, count = set(), [y.grad_fn] if y.grad_fn is not None else [], 0
    while waiting:
        node = waiting.pop()
        seen.add(node)
        count += 1
        waiting += [each for each in following(node) if each not in seen]
    return count


@wrong("03.count_nodes", "known", "once for each number of steps")
def one_set_for_each_distance(y):
    layer, count = {y.grad_fn} - {None}, 0
    while layer:
        count += len(layer)
        layer = {each for node in layer for each in following(node)}
    return count


@wrong("03.leaves_of", "known", "at most one leaf is found")
def returns_at_a_leaf(y):
    waiting = [y.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and not node.next_functions:
            return [node.variable]
        waiting += [each for each, _ in node.next_functions] if node is not None else []


@wrong("03.leaves_of", "known", "what stands behind a None")
def stops_at_none(y):
    leaves, seen, waiting = [], set(), [y.grad_fn]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        leaves += [] if node.next_functions else [node.variable]
        for each, _ in node.next_functions:
            if each is None:
                break
            waiting.append(each)
    return leaves


# Of families


@wrong("03.count_nodes", "known", "only the nodes on one way from y to a leaf are counted")
def down_the_last(y):
    node, count = y.grad_fn, 0
    while node is not None:
        count += 1
        node = following(node)[-1] if following(node) else None
    return count


@wrong("03.count_nodes", "known", "only the nodes up to one arrow from y are counted")
def neighbours(y):
    return len({y.grad_fn, *following(y.grad_fn)}) if y.grad_fn is not None else 0


@wrong("03.count_nodes", "known", "1 more than the number of nodes")
def leaf_counted_too(y):
    return len(walk(y)) + 1


@wrong("03.count_nodes", "known", "if y has no graph, there are 0 nodes")
def at_least_one(y):
    return max(len(walk(y)), 1)


@wrong("03.count_nodes", "known", "the walk ends at None")
def ends_at_none(y):
    found, waiting = set(), [y.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None:
            break
        if node not in found:
            found.add(node)
            waiting += [pair[0] for pair in node.next_functions]
    return len(found)


@wrong("03.count_nodes", "known", "the walk ends at a node that was met before")
def ends_where_ways_meet(y):
    found, waiting = set(), [y.grad_fn] if y.grad_fn is not None else []
    while waiting:
        node = waiting.pop()
        if node in found:
            break
        found.add(node)
        waiting += following(node)
    return len(found)


@wrong("03.count_nodes", "known", "the walk ends after 1000 nodes")
def gives_up(y):
    return min(len(walk(y)), 1000)


@wrong("03.count_nodes", "known", "a node with two results is not counted right")
def pairs_counted(y):
    found, waiting = set(), [(y.grad_fn, 0)]
    while waiting:
        pair = waiting.pop()
        if pair[0] is not None and pair not in found:
            found.add(pair)
            waiting += pair[0].next_functions
    return len(found)


@wrong("03.leaves_of", "known", "each leaf is listed twice")
def leaves_twice(y):
    return 2 * [node.variable for node in walk(y) if not node.next_functions]


@wrong("03.leaves_of", "known", "once for each node that leads to it")
def each_sender(y):
    return [e.variable for node in walk(y) for e in set(following(node)) if not e.next_functions]


@wrong("03.leaves_of", "known", "copies of the leaves")
def copies(y):
    return [node.variable.detach() for node in walk(y) if not node.next_functions]


@wrong("03.leaves_of", "known", "one tensor in the list is not a leaf")
def result_as_well(y):
    return [y, *(node.variable for node in walk(y) if not node.next_functions)]


@wrong("03.leaves_of", "known", "the walk ends at a leaf")
def first_leaf_met(y):
    return [next(node.variable for node in walk(y) if not node.next_functions)]


@wrong("03.backward_order", "order", "ExpBackward0 of b comes before")
def senders_counted_once(y):
    missing = Counter(each for node in walk(y) for each in set(following(node)))
    order = [y.grad_fn]
    for node in order:
        for each in following(node):
            missing[each] -= 1
            if missing[each] == 0:
                order.append(each)
    return order


@wrong("03.backward_order", "known", "is listed twice: backward runs each node once")
def ready_twice(y):
    missing = Counter(each for node in walk(y) for each in following(node))
    order = [y.grad_fn]
    for node in order:
        missing.subtract(following(node))
        order += [each for each in following(node) if not missing[each]]
        if len(order) > 5_000:
            break
    return order


@wrong("03.backward_order", "known", "the node of y is listed twice")
def start_twice(y):
    return [y.grad_fn, *in_order(y)]


@wrong("03.backward_order", "known", "leaves are listed in place of their nodes")
def leaves_for_nodes(y):
    return [getattr(node, "variable", node) for node in in_order(y)]


@wrong("03.backward_order", "known", "these are pairs: the list must hold the nodes themselves")
def with_numbers(y):
    return [(node, 0) for node in in_order(y)]


@wrong("03.backward_order", "known", "None is in the list as well")
def none_at_the_end(y):
    return [*in_order(y), None]
