"""The recordings of OpenHands, in its three shapes."""
