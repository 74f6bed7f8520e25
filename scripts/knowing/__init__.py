"""Makes `ctxmgr/data/models.json` from LiteLLM's price map and `facts.toml`."""
