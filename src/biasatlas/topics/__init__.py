"""Topics of gendered passages, their gender, and female-male pairs."""
