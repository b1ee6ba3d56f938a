"""Every layer but the head for each of 64 words."""

POSITIONS = {"blocks.*": 64, "head": 1}
FIRST = None
PRODUCTS = {"attention": 2 * 2 * 64 * 64 * 128}  # in two blocks, a query by each key, and each weight by its value
