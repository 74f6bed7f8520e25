"""Temperatures: Fahrenheit inside the program, Celsius on request."""

FREEZING_F = 32.0


def to_fahrenheit(celsius: float) -> float:
    """21.5 °C -> 70.7 °F."""
    return celsius * 9 / 5 + FREEZING_F


def to_celsius(fahrenheit: float) -> float:
    """70.7 °F -> 21.5 °C."""
    return (fahrenheit - FREEZING_F) * 5 / 9


def format_temperature(value: float, unit: str = "F") -> str:
    """A temperature held in Fahrenheit, as text in the wanted unit: "70.7 °F" or "21.5 °C"."""
    if unit == "C":
        value = to_celsius(value)
    return f"{value:.1f} °{unit}"


def parse_temperature(text: str) -> float:
    """Turns "38", "38F" or "3.3C" into Fahrenheit. A bare number is Fahrenheit."""
    cleaned = text.strip().upper().replace("°", "")
    if cleaned.endswith("C"):
        return to_fahrenheit(float(cleaned[:-1]))
    if cleaned.endswith("F"):
        return float(cleaned[:-1])
    return float(cleaned)
