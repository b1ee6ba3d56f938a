"""bAbI task 1: where is she? One supporting fact

As `babi`, whose file has the shared functions, with questions about a person: shorter stories of 22 words. The stand-in
has stories of the same kind in the same words; 1.0 is attainable, and one answer in six is right by chance.
"""

from bench.datasets import babi, halves, integers

SOURCE, LICENCE, FILES = babi.SOURCE, babi.LICENCE, babi.FILES
EXAMPLES, STAND_IN, ATTAINABLE, GUESSING = babi.EXAMPLES, babi.STAND_IN, babi.ATTAINABLE, babi.GUESSING
TEXTS = "tasks_1-20_v1-2/en/qa1_single-supporting-fact_%s.txt"
WORDS = tuple(sorted(set(babi.tokens(" ".join(babi.PEOPLE + babi.PLACES + babi.MOVES) + " Where is?."))))
INPUTS = {"story": ("int32", (68,)), "question": ("int32", (4,))}
STAND_IN_CLASSES = ("",) + WORDS


def prepare(files, arrays, advance):
    """Fill the arrays from the two texts of the task."""
    return babi.prepare_task(files, arrays, advance, TEXTS, INPUTS, WORDS)


def stand_in(random, train, test):
    """Return generated stories and questions."""
    return halves(babi.generated, random, train, test, _story, INPUTS, WORDS)


def _story(random):
    """Return a story of 2 to 9 sentences, a question about a person who moved in it, and where that person is."""
    place, story = {}, []
    for _ in range(integers(random, 2, 10)):
        person = babi.choose(random, babi.PEOPLE)
        place[person] = babi.elsewhere(random, place.get(person))
        story.append((person, babi.choose(random, babi.MOVES), place[person]))
    asked = babi.choose(random, sorted(place))
    return babi.written(story), babi.tokens("Where is %s?" % asked), place[asked]
