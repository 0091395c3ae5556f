"""One module a kind of source; each turns a source into attempts that `fetch` runs in order."""
