"""A summary without a model: facts and the best sentences. Knows no strategy."""
