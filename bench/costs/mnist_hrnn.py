"""A step for each pixel of each row, then one for each row."""

POSITIONS = {"row_lstm": 28 * 28, "column_lstm": 28, "head": 1}
FIRST = "row_lstm"
