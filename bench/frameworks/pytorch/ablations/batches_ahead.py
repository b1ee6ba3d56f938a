import os

from torch.utils.data import DataLoader

from bench import feeding, registry

FILES = registry.load_module(os.path.join(os.path.dirname(__file__), "image_files.py"), "image_files")


def batches(program, images, batch_size, ahead):
    """Let one worker decode, which PyTorch asks for two batches where nothing is said; without one, none is ahead."""
    loader = DataLoader(
        FILES.Photographs(images), batch_size, drop_last=True, num_workers=min(ahead, 1),
        prefetch_factor=ahead or None, persistent_workers=ahead > 0,
        pin_memory=next(program.model.parameters()).is_cuda,
    )  # fmt: skip
    return FILES.on_device(program, loader)


vary = feeding.vary(batches)
