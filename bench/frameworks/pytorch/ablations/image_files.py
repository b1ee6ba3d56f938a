import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from bench import feeding


class Photographs(Dataset):
    """Files that are decoded when they are asked for, as torchvision's ImageFolder with ToTensor does it."""

    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images.files)

    def __getitem__(self, index):
        with Image.open(self.images.files[index]) as file:
            image = self.images.cut(np.asarray(file.convert("RGB")))
        x = torch.from_numpy(image.transpose(2, 0, 1).copy())
        return x.float().div(255), int(self.images.labels[index])


def batches(program, images, batch_size, workers):
    device = next(program.model.parameters()).device
    loader = DataLoader(
        Photographs(images), batch_size, drop_last=True, num_workers=workers, persistent_workers=workers > 0,
        pin_memory=device.type == "cuda",
    )  # fmt: skip

    def each():
        for x, y in loader:
            yield [x.to(device, non_blocking=True)], y.to(device, non_blocking=True)

    return feeding.Passes(each)


vary = feeding.vary(batches)
