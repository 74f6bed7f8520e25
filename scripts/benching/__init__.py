"""Parts of scripts/bench: a lean host, prepared bytes, the floor to compare with, and the table of figures."""
