"""Measures of what a model was shown: cost, recall, grounding. Know no policy."""
