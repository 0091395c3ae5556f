"""Why a topic's gender is read from log odds over documents: evidence from real text."""
