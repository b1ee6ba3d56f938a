from bench import feeding


def batches(program, images, batch_size, workers):
    pixels = images.pixels.copy()

    def each():
        for begin in range(0, len(pixels) - batch_size + 1, batch_size):
            rows = slice(begin, begin + batch_size)
            yield program.place(pixels[rows].astype("float32") / 255, images.labels[rows])

    return feeding.Passes(each)


vary = feeding.vary(batches)
