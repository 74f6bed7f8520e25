"""Cache epochs, preset `balanced`: all scenarios of them."""

from tests.contract.scenarios.epochs import back, begun, caching, formats, left, marks

__all__ = ["back", "begun", "caching", "formats", "left", "marks"]
