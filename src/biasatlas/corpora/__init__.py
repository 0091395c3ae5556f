"""From files of any form to clean passages of one region, with every drop counted."""
