"""What the choice of documents does: bootstrap, swapped genders, differences of regions."""
