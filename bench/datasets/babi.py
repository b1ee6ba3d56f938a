"""bAbI task 2: where is it? Two supporting facts

Stories of people who walk, take things and leave them, and a question about a thing; the answer is a word. The source
is Weston et al. 2015, arXiv:1502.05698: the English set of 1000 questions. Words are numbered in alphabetical order,
and zeros precede a shorter text, as in the Keras example `babi_rnn.py`. The files come from ParlAI's archive.

The stand-in has shorter stories of the same kind in the same words. Each has one right answer: 1.0 is attainable, and
one answer in six is right by chance.
"""

import re

import numpy as np

from bench.data.download import File
from bench.datasets import fill, halves, integers, members, pad
from bench.errors import DataError

SOURCE = "https://research.facebook.com/downloads/babi/"
LICENCE = "CC BY 3.0"
FILES = (
    File(  # sum: ParlAI, parlai/tasks/babi/build.py
        "babi.tar.gz",
        19212062,
        "sha256:f7f0bee187efca0d81c3daac1b162cda4eb7f9505dee5ad6846eabbed3dbf92e",
        ("https://dl.fbaipublicfiles.com/parlai/babi/babi.tar.gz", "http://parl.ai/downloads/babi/babi.tar.gz"),
    ),
)
TEXTS = "tasks_1-20_v1-2/en/qa2_two-supporting-facts_%s.txt"
INPUTS = {"story": ("int32", (552,)), "question": ("int32", (5,))}
EXAMPLES = (1000, 1000)
STAND_IN = (2000, 500)
ATTAINABLE = 1.0  # by construction
GUESSING = 0.2  # with the place that is most often the answer, of six

PEOPLE = ("Daniel", "John", "Mary", "Sandra")
PLACES = ("bathroom", "bedroom", "garden", "hallway", "kitchen", "office")
THINGS = ("apple", "football", "milk")
MOVES = ("moved to the", "went to the", "journeyed to the", "travelled to the", "went back to the")
TAKES = ("got the", "grabbed the", "took the", "picked up the")
DROPS = ("dropped the", "discarded the", "left the", "put down the")


def tokens(sentence):
    """Return a sentence's words and marks."""
    return re.findall(r"\w+|[^\w\s]", sentence)


WORDS = tuple(sorted(set(tokens(" ".join(PEOPLE + PLACES + THINGS + MOVES + TAKES + DROPS) + " Where is there?."))))
STAND_IN_CLASSES = ("",) + WORDS


def prepare(files, arrays, advance):
    """Fill the arrays from the two texts of the task."""
    return prepare_task(files, arrays, advance, TEXTS, INPUTS, WORDS)


def prepare_task(files, arrays, advance, texts, inputs, words):
    """Fill the arrays from the texts of one task whose words are `words`."""
    archive = files["babi.tar.gz"]
    contents = dict(members(archive, re.escape(texts).replace(re.escape("%s"), "(train|test)")))
    for half in ("train", "test"):
        if texts % half not in contents:
            raise DataError("%s: expected %s in it, and it is not there." % (archive, texts % half))
        fill(arrays, half, advance, **numbered(parse(contents[texts % half].decode("utf-8")), inputs, words))
    return [""] + list(words)


def parse(text):
    """Return (story, question, answer) for each question, as words; a story is all sentences since number 1."""
    stories, story = [], []
    for line in text.splitlines():
        number, _, sentence = line.strip().partition(" ")
        if number == "1":
            story = []
        if "\t" in sentence:
            question, answer = sentence.split("\t")[:2]
            stories.append((story, tokens(question), answer))
        else:
            story = story + tokens(sentence)
    return stories


def numbered(stories, inputs, words):
    """Return {"story", "question", "y": array} of (story, question, answer); raises DataError for an unknown word."""
    number = {word: i + 1 for i, word in enumerate(words)}
    unknown = {word for story, question, answer in stories for word in story + question + [answer]} - set(number)
    if unknown:
        raise DataError("Expected the words %s, and came also %s." % (" ".join(words), " ".join(sorted(unknown))))
    arrays = {"y": np.array([number[answer] for _, _, answer in stories], np.int32)}
    for place, part in enumerate(("story", "question")):
        texts, length = [[number[word] for word in row[place]] for row in stories], inputs[part][1][0]
        longest = max(len(text) for text in texts)
        if longest > length:
            raise DataError("Expected %s of at most %d words, and came one of %d." % (part, length, longest))
        arrays[part] = pad(texts, length)
    return arrays


def stand_in(random, train, test):
    """Return generated stories and questions."""
    return halves(generated, random, train, test, _story, INPUTS, WORDS)


def generated(random, count, story, inputs, words):
    """Return the arrays of stories that `story(random)` generates, with its question and answer."""
    return numbered([story(random) for _ in range(count)], inputs, words)


def choose(random, options):
    """Return one of the options."""
    return options[integers(random, 0, len(options))]


def _story(random):
    """Return a story of 4 sentences or more, a question about a thing that was taken in it, and where that is."""
    place, held, taken, story = {}, {}, [], []
    lies = dict.fromkeys(THINGS)  # None: where it is found first
    length = integers(random, 4, 13)
    while len(story) < length or not taken:
        person, action = choose(random, PEOPLE), integers(random, 0, 4)
        near = [thing for thing in lies if person in place and lies[thing] in (None, place[person])]
        own = [thing for thing in held if held[thing] == person]
        if near and action == 0:
            thing = choose(random, near)
            del lies[thing]
            held[thing] = person
            taken.append(thing)
            story.append((person, choose(random, TAKES), thing))
        elif own and action == 1:
            thing = choose(random, own)
            del held[thing]
            lies[thing] = place[person]
            story.append((person, choose(random, DROPS), thing))
        else:
            place[person] = elsewhere(random, place.get(person))
            story.append((person, choose(random, MOVES), place[person]))
    asked = choose(random, taken)
    answer = place[held[asked]] if asked in held else lies[asked]
    return written(story), tokens("Where is the %s?" % asked), answer


def elsewhere(random, place):
    """Return another place than this one."""
    return choose(random, [other for other in PLACES if other != place])


def written(story):
    """Return sentences of a person, what the person does, and to what, as words."""
    return tokens(" ".join("%s %s %s." % sentence for sentence in story))
