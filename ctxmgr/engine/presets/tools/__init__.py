"""The preset that takes away old tool output and nothing else. Knows neither packets that leave nor epochs."""
