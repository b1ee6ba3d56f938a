import os

import grain
import numpy as np

from bench import feeding, registry

FOLDER = os.path.dirname(__file__)
FILES = registry.load_module(os.path.join(FOLDER, "image_files.py"), "image_files")
GUIDE = registry.load_module(os.path.join(FOLDER, "as_guides_feed.py"), "as_guides_feed")


class Whole(FILES.Photographs):
    def __getitem__(self, index):
        return self.images.whole(self.images.files[index]), self.images.labels[index]


def batches(program, images, batch_size, workers):
    side = images.side

    def augment(photograph, random):
        image, label = photograph
        top, left = (random.integers(length - side + 1) for length in image.shape[:2])
        image = image[top : top + side, left : left + side]
        return (image[:, ::-1] if random.random() < 0.5 else image).astype(np.float32) / 255, label

    data = grain.MapDataset.source(Whole(images)).seed(0).random_map(augment)
    return GUIDE.fed(program, data, batch_size)


vary = feeding.vary(batches, differs=(feeding.PIXELS, feeding.ORDER))
