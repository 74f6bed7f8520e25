"""What stands beside the presets in a comparison. Knows no sidecar."""
