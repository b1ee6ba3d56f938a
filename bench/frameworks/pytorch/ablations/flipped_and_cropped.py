import os

import torch

from bench import feeding, registry

FOLDER = os.path.dirname(__file__)
FILES = registry.load_module(os.path.join(FOLDER, "image_files.py"), "image_files")
GUIDE = registry.load_module(os.path.join(FOLDER, "as_guides_feed.py"), "as_guides_feed")


class Augmented(FILES.Photographs):
    """What torchvision's RandomCrop and RandomHorizontalFlip make of files."""

    def __getitem__(self, index):
        image, side = self.images.whole(self.images.files[index]), self.images.side
        top, left = (int(torch.randint(length - side + 1, ())) for length in image.shape[:2])
        image = image[top : top + side, left : left + side]
        image = image[:, ::-1] if torch.rand(()) < 0.5 else image
        return FILES.to_tensor(image), int(self.images.labels[index])


def batches(program, images, batch_size, workers):
    return GUIDE.fed(program, Augmented(images), batch_size)


vary = feeding.vary(batches, differs=(feeding.PIXELS, feeding.ORDER))
