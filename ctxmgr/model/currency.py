"""The currency of costs: its name, its sign, and the format of an amount.

Prices are in this currency; nothing is converted. JSON members with `dollars` in their name keep it.
"""

NAME = "dollars"
SIGN = "$"
A_MILLION_TOKENS = f"{SIGN}/M"


def amount(value: float, form: str = ",.2f") -> str:
    """$1,234.50. `form`: a format for the number."""
    return f"{SIGN}{value:{form}}"
