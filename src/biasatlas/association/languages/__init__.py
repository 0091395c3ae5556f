"""Association tests of many languages and encoders."""
