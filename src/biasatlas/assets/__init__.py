"""External files: what they are, where they come from, and how they are fetched and checked."""
