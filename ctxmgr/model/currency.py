"""The currency that costs are shown in: its word, its sign, and how an amount is written.

Prices come in it, and nothing is converted. Members of JSON that are named `dollars` keep their name.
"""

NAME = "dollars"
SIGN = "$"
A_MILLION_TOKENS = f"{SIGN}/M"


def amount(value: float, form: str = ",.2f") -> str:
    """$1,234.50. `form`: a format for the number."""
    return f"{SIGN}{value:{form}}"
