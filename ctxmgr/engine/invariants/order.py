"""Order: what stays stands in the order it came, none twice."""

from ctxmgr.engine.invariants.rule import Rule, Walk


class Order(Rule):
    """A plan is laid out in the order of its list: a chooser has nothing to ask. Tally: is it broken?"""

    name = "order"

    def disordered(self, tally: bool, walk: Walk) -> bool:
        return True
