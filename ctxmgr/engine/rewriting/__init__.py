"""Shorter forms of what stays in place: markers, distilled results, shortened arguments. Decides nothing."""
