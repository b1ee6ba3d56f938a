import io
import os
import tarfile

import webdataset
from torch.utils.data import DataLoader

from bench import feeding, registry

FILES = registry.load_module(os.path.join(os.path.dirname(__file__), "image_files.py"), "image_files")


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
        return FILES.to_tensor(images.decoded(io.BytesIO(sample["jpg"]))), int(sample["cls"])

    data = webdataset.WebDataset(path(images), shardshuffle=False, empty_check=False).map(decoded)
    return FILES.on_device(program, DataLoader(data, batch_size, drop_last=True))


vary = feeding.vary(batches, convert)
