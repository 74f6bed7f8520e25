"""Floor 1: the decisions, as pure functions. No clock, random, environment, IO, logging, asyncio or tokenizer."""
