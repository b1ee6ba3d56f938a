import torch
from torch.utils.data import DataLoader, TensorDataset

from bench import feeding


def batches(program, images, batch_size, workers):
    pixels = torch.from_numpy(images.pixels.copy()).permute(0, 3, 1, 2).contiguous()
    data = TensorDataset(pixels, torch.from_numpy(images.labels).long())
    loader = DataLoader(data, batch_size, drop_last=True, num_workers=workers)
    device = next(program.model.parameters()).device

    def each():
        for x, y in loader:
            yield [x.to(device).float().div(255)], y.to(device)

    return feeding.Passes(each)


vary = feeding.vary(batches)
