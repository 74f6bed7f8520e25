"""Turns the files of agent hosts into recordings. Knows no sidecar."""
