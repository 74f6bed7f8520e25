"""Tests whether tests and recordings notice a change of the engine: numbers halved and doubled, mutants."""
