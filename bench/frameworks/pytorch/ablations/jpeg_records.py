import io
import os
import tarfile

import numpy as np
import torch
import webdataset
from PIL import Image
from torch.utils.data import DataLoader

from bench import feeding


def path(images):
    return os.path.join(images.folder, "photographs.tar")


def convert(images):
    """Write what WebDataset reads: of each photograph its file, and beside it one of its label."""
    with tarfile.open(path(images), "w") as tar:
        for index, (name, label) in enumerate(zip(images.files, images.labels)):
            tar.add(name, "%05d.jpg" % index)
            text = str(label).encode()
            about = tarfile.TarInfo("%05d.cls" % index)
            about.size = len(text)
            tar.addfile(about, io.BytesIO(text))
    return path(images)


def batches(program, images, batch_size, workers):
    def decoded(sample):
        with Image.open(io.BytesIO(sample["jpg"])) as file:
            image = images.cut(np.asarray(file.convert("RGB")))
        x = torch.from_numpy(image.transpose(2, 0, 1).copy())
        return x.float().div(255), int(sample["cls"])

    data = webdataset.WebDataset(path(images), shardshuffle=False, empty_check=False).map(decoded)
    loader = DataLoader(data, batch_size, drop_last=True)
    device = next(program.model.parameters()).device

    def each():
        for x, y in loader:
            yield [x.to(device)], y.to(device)

    return feeding.Passes(each)


vary = feeding.vary(batches, convert)
