"""The preset that sends a list as it came. Knows the rules of whole turns only for what was decided before it."""
