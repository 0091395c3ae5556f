"""What makes a score vary, and whether regions differ by more than that."""
