"""The method `context`: a list arrives, is projected, and goes back. Knows no device."""
