"""What tools do: their names, their arguments, and the shells and patches in them."""
