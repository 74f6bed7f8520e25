"""The prompts and the shapes of the formats. Know no strategy."""
