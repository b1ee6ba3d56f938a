"""A step for each word: 5 of the question, 552 of the story."""

POSITIONS = {"question_lstm": 5, "story_lstm": 552, "head": 1}
FIRST = None
