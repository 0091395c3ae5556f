"""Topics of known gender, planted in corpora made for them."""
