"""Makes `ctxmgr/data/models.json` of LiteLLM's price map and of `facts.toml`."""
