"""Cache epochs, preset `balanced`: all scenarios of them."""

from tests.contract.scenarios.epochs import back, begun, formats, left, marks

__all__ = ["back", "begun", "formats", "left", "marks"]
