"""Floor 2: the one mutable object of a session, a method a verb. Computes first, assigns last. No IO."""
