"""What is cut of a result: as it arrives, and where the list does not fit."""

from tests.contract.scenarios.cutting import arrival, fit

__all__ = ["arrival", "fit"]
