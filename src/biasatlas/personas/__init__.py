"""Personas that language models invent: questions, the gender of a reply, scores, the probe."""
