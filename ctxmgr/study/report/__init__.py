"""One page of figures and drawings, without a script or a file beside it."""
