"""The presets, a package each."""
