"""Floor 0: frozen structs that every other floor speaks in. Imports msgspec alone."""
