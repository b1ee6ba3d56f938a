import torch
from torch.utils.data import DataLoader, Dataset

from bench import feeding


class Photographs(Dataset):
    """Files that are decoded when they are asked for, as torchvision's ImageFolder with ToTensor does it."""

    def __init__(self, images):
        self.images = images

    def __len__(self):
        return len(self.images.files)

    def __getitem__(self, index):
        return to_tensor(self.images.decoded(self.images.files[index])), int(self.images.labels[index])


def to_tensor(image):
    """Return what torchvision's ToTensor makes of an image (height, width, 3) uint8."""
    return torch.from_numpy(image.transpose(2, 0, 1).copy()).float().div(255)


def on_device(program, loader):
    """Return passes of a loader's batches, on the device that a program is on."""
    device = next(program.model.parameters()).device

    def each():
        for x, y in loader:
            yield [x.to(device, non_blocking=True)], y.to(device, non_blocking=True)

    return feeding.Passes(each)


def batches(program, images, batch_size, workers):
    loader = DataLoader(
        Photographs(images), batch_size, drop_last=True, num_workers=workers, persistent_workers=workers > 0,
        pin_memory=next(program.model.parameters()).is_cuda,
    )  # fmt: skip
    return on_device(program, loader)


vary = feeding.vary(batches)
