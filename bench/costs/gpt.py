"""Every layer for each of 128 characters."""

POSITIONS = {"blocks.*": 128}
FIRST = None
PRODUCTS = {
    "attention": 6 * 2 * 128 * 128 * 384,  # in six blocks, a query by each key, and each weight by its value
    "logits": 128 * 384 * 256,  # by the embedding's table
}
LEAST = {"attention": 6 * 2 * (128 * 129 // 2) * 384}  # no character looks at one after it
