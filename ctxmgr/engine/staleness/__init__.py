"""What later calls made out of date. Knows no budget."""
