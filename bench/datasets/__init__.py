"""The data sets, one file each: what it is, where it comes from, how it is prepared, and a stand-in without a network.

A file states, beside a docstring whose first line is the title:

SOURCE, LICENCE           where a person reads about it, and what may be done with it
PREPARATION               a number; raised when `prepare` would write other arrays than before
FILES                     what is downloaded: `File(name, size, checksum, urls)`, the checksum as published
INPUTS, TARGET            the type and shape of one example: {"x": ("uint8", (28, 28))} and ("int32", ())
EXAMPLES                  (training, test)
METRIC                    "accuracy", or "mean AUROC" where an example has several labels
prepare(files, arrays, advance)
                          fill `arrays` ("x_train", "y_train", "x_test", "y_test", mapped into memory) from `files`
                          (name -> path, their checksums just checked); call `advance()` per example where it takes
                          long; return the classes' names
stand_in(random, train, test)
                          arrays of the same types and shapes from a `RandomState`, that can be learned
STAND_IN, STAND_IN_CLASSES, ATTAINABLE
                          its usual (training, test) examples, its classes' names, and what METRIC can reach on its
                          test half
GUESSING                  what METRIC is for one answer to all examples, where that is not one over the classes, or 0.5
"""
