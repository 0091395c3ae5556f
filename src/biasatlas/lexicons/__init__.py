"""Word lists, gender terms, and the passages that hold them."""
