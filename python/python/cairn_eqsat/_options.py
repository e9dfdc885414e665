"""The options of searches, as the program has them. Written by `python/tests/test_options.py`."""

from typing import TypedDict


class SearchOptions(TypedDict, total=False):
    """How :func:`prove` searches, and :func:`evaluate`."""

    #: Cap on each e-graph, in e-nodes (4000) or memory (64MiB) [default: 4000, or that of the tasks]
    cap: int | str
    #: Work for a question: e-nodes built, over all e-graphs [default: 80,000, or that of 2 e-graphs at the
    #: cap if that is more; for far chains 10 times links times e-nodes a link]
    work: int
    #: How matches are chosen: simple (all), backoff (not of rules that match too often), best-first (a few
    #: promising ones an iteration), auto for the first two in turn, or mixed for best-first and simple
    #: [default: auto, in an evaluation simple; `deep`, `ranked` and `portfolio` are always mixed]
    scheduler: str
    #: Guides that are asked for at a time, on each side [default: 10]
    guides: int
    #: Cap on the e-graph of an expansion, from guides to guides [default: half of the cap, and at most 40,000
    #: e-nodes or 4 MiB]
    expansion: int | str
    #: E-graphs after which a walk from guide to guide ends and another begins [default: 32]
    walk: int
    #: How many nodes larger than the smallest term of its side a frontier term may be [default: 4]
    slack: int
    #: Frontier terms drawn on each side, for methods that then take the best of them [default: 100]
    drawn: int
    #: A model draws each token from the likeliest ones that together have this probability [default: 0.95]
    nucleus: float
    #: Parts of a guide to which the model gives less than this probability are left open [default: 0.5]
    certain: float


class OptimiseOptions(TypedDict, total=False):
    """How :func:`optimise` looks for the best term."""

    #: What a term costs: size, depth, or a cost of the system; several with commas between [default: cost]
    cost: str
    #: Equal parts of a term count once, and are shown once, in lines (let name part)
    shared: bool
    #: With ``shared``, where all that the rules derive is in one e-graph: try so long to prove that nothing
    #: costs less, or to find it (not reproducible)
    exact_time: float
    #: The sketch that the best term must satisfy
    goal: str
    #: End with the first term that satisfies the goal
    first: bool
    #: Terms that the model writes at a time [default: 8]
    guides: int
    #: Follow a strategy and do nothing else: one of the rules file, or as it would stand there, such as
    #: '(until-stable (phase (limit :nodes 4000 (until-stable (run)))))'
    strategy: str
    #: Cap on each e-graph, in e-nodes (40000) or memory (64MiB) [default: 40000]
    cap: int | str
    #: E-nodes that may be built, over all e-graphs [default: 10 times what the cap allows]
    work: int
    #: End when no better term came for N times the work that found the best one (work below 8,192, or below
    #: the e-nodes of the start, counts as so much); off goes on until the work is spent [default: 5]
    patience: int | str
    #: How matches are chosen: simple (all), backoff (not of rules that match too often), best-first (a few
    #: promising ones an iteration), auto for the first two in turn, or mixed for best-first and simple
    #: [default: auto; mixed with a ranker that is given]
    scheduler: str


class TaskOptions(TypedDict, total=False):
    """How :func:`tasks` makes tasks."""

    #: Links per chain [default: 8]
    links: int
    #: E-nodes of a link's e-graph [default: as in the file of ``without``, or 1000 to 100, as the seeds
    #: allow]
    link_nodes: int
    #: Only targets beyond one e-graph of N e-nodes: it does not prove them equal to their seeds [default: 4
    #: L]
    beyond: int
    #: At most so much memory for each e-graph, as 64MiB or 1GiB; each thread grows one at a time [default:
    #: 256MiB]
    memory: int | str
    #: Number of tasks [default: 100]
    count: int
    #: How often the seeds are gone through, with other random choices [default: 4]
    rounds: int
    #: Only seeds that equal a constant, theorem, or only the others, identity [default: both]
    family: str


class LearnOptions(TypedDict, total=False):
    """How :func:`learn` learns a ranker."""

    #: What terms cost, with ``seeds``: size, depth, or a cost of the system; several with commas between
    #: [default: cost]
    cost: str
    #: Limit of an e-graph, in e-nodes (4000) or memory (64MiB) [default: 4000]
    cap: int | str
    #: E-nodes that may be built for a seed, over all of its e-graphs [default: 10 times what the cap allows]
    work: int
    #: Training seeds of a round: the smallest first; a seed with which a round gets no further makes room for
    #: the next one [default: 200]
    batch: int
    #: Rounds of fit and search [default: 4]
    rounds: int
    #: How often each fit goes through the examples [default: 5]
    epochs: int


class FindOptions(TypedDict, total=False):
    """How :func:`find_rules` looks for rules."""

    #: Largest number of nodes of a side, with any operators [default: 5]
    size: int
    #: Largest number of nodes of a side, with three operators at a time; there are many sets of three
    #: [default: 0, for none]
    triple_size: int
    #: Largest number of nodes of a side, with at most two operators [default: as ``size``]
    pair_size: int
    #: Largest number of nodes of a side, with one operator [default: as ``pair_size``]
    one_size: int
    #: Look for rules with a condition, up to so many nodes of a side [default: 0, for none]
    condition_size: int
    #: Variables of each sort [default: 3]
    variables: int
    #: Literals in terms, separated by spaces; each is one of every sort that has it [default: 0 1]
    literals: str
    #: Inputs at which terms are compared [default: 200]
    inputs: int
    #: What follows from other rules in so many iterations is left out [default: 3]
    iterations: int
    #: And in an e-graph of at most so many e-nodes [default: 2000]
    nodes: int
    #: Keep rules that nobody could prove or refute, and say so of each
    unproved: bool
    #: Seconds for a query to a solver [default: 10]
    query_time: float
    #: End after so many terms, with what was found by then
    work: int
    #: End after so many seconds, with what was found by then (not reproducible)
    time: float
