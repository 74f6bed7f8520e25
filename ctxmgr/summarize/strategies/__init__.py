"""The ways of writing a summary with a model, one file a strategy. Make no completion."""
