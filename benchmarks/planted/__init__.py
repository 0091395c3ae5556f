"""A region-specific association of known strength, planted in corpora made for it."""
