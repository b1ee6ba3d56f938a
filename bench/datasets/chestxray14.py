"""ChestX-ray14: chest X-rays with 14 findings

112,120 frontal X-rays of 30,805 patients, labelled by a program that reads the radiologists' reports (Wang et al. 2017,
arXiv:1705.02315). The official split separates patients. Each image of 1024 x 1024 grey pixels is resized to 264 x 264
with Pillow's bilinear filter. The download is 45 GB, and decoding takes about an hour on a few cores.

The stand-in draws patches of 14 textures on a cloudy ground, each present or not on its own, in one image of four. One
label in twenty is wrong on purpose, which limits the mean area under the curve to about 0.92.
"""

import csv

import numpy as np

from bench.data.download import File
from bench.datasets import KINDS, fill_images, halves, integers, noise, rows_of, shape, texture
from bench.errors import DataError

SOURCE = "https://nihcc.app.box.com/v/ChestXray-NIHCC"
LICENCE = "free; link to the source, name NIH, cite Wang et al. 2017"
PARTS = (  # sums: FAQ_CHESTXRAY.pdf beside the data; addresses: batch_download_zips.py there
    ("001", 2008470987, "fe8ed0a6961412fddcbb3603c11b3698", "vfk49d74nhbxq3nqjg0900w5nvkorp5c"),
    ("002", 3952623504, "ab07a2d7cbe6f65ddd97b4ed7bde10bf", "i28rlmbvmfjbl8p2n3ril0pptcmcu9d1"),
    ("003", 3929234850, "2301d03bde4c246388bad3876965d574", "f1t00wrtdk94satdfb9olcolqx20z2jp"),
    ("004", 3838903983, "9f1b7f5aae01b13f4bc8e2c44a4b8ef6", "0aowwzs5lhjrceb3qp67ahp0rd1l1etg"),
    ("005", 3935496531, "1861f3cd0ef7734df8104f2b0309023b", "v5e3goj22zr6h8tzualxfsqlqaygfbsn"),
    ("006", 3986301172, "456b53a8b351afd92a35bc41444c58c8", "asi7ikud9jwnkrnkj99jnpfkjdes7l6l"),
    ("007", 4016328426, "1075121ea20a137b87f290d6a4a5965e", "jn1b4mw4n6lnh74ovmcjb8y48h8xj07n"),
    ("008", 4018347353, "b61f34cec3aa69f295fbb593cbd9d443", "tvpxmn7qyrgl0w8wfh9kqfjskv6nmm1j"),
    ("009", 4111327929, "442a3caa61ae9b64e61c561294d1e183", "upyy3ml7qdumlgk2rfcvlb9k6gvqq2pj"),
    ("010", 4181556296, "09ec81c4c31e32858ad8cf965c494b74", "l6nilvfa9cg3s28tqv1qc1olm3gnz54p"),
    ("011", 4187084020, "499aefc67207a5a97692424cf5dbeed5", "hhq8fkdgvcari67vfhs7ppg2w6ni4jze"),
    ("012", 2914187733, "dc9fda1757c2de0032b63347a7d2895c", "ioqwiy20ihqwyr8pf4c24eazhh281pbu"),
)
LABELS, TRAIN, TEST = "Data_Entry_2017_v2020.csv", "train_val_list.txt", "test_list.txt"
TEXTS = (  # the publisher gives no sums for these; two independent projects publish the same
    (LABELS, 9003496, "c69a6daca3549af707ca9cacbdf9f9a7b6a9188e8c61157df653520bb72d8eb1", "219760887468"),
    (TRAIN, 1470907, "61fbe896321c1c1c8b75f3e4f3a08e4fef6486d95ef8a667c31d4d60dca6cb81", "256056636701"),
    (TEST, 435131, "38ca5ef7f756092946f57c1a59faca882ed589a1ab1f72590b45dc06c6d5e1cc", "256055473534"),
)
BOX_FILE = "https://nihcc.app.box.com/index.php?rm=box_download_shared_file&vanity_name=ChestXray-NIHCC&file_id=f_"
FILES = tuple(
    File("chestxray14-%s" % name, size, "sha256:" + sha256, (BOX_FILE + number,))
    for name, size, sha256, number in TEXTS
) + tuple(
    File(
        "chestxray14-images_%s.tar.gz" % part, size, "md5:" + md5, ("https://nihcc.box.com/shared/static/%s.gz" % link,)
    )
    for part, size, md5, link in PARTS
)
SIDE = 264
INPUTS = {"x": ("uint8", (SIDE, SIDE))}
TARGET = ("float32", (14,))
EXAMPLES = (86524, 25596)
METRIC = "mean AUROC"
CLASSES = (
    "Atelectasis", "Cardiomegaly", "Effusion", "Infiltration", "Mass", "Nodule", "Pneumonia", "Pneumothorax",
    "Consolidation", "Edema", "Emphysema", "Fibrosis", "Pleural_Thickening", "Hernia",
)  # fmt: skip
LOOKS = tuple((kind, period) for period in (8, 14, 26) for kind in KINDS)[: len(CLASSES)]
STAND_IN = (600, 200)
STAND_IN_CLASSES = tuple("%s, %d wide" % look for look in LOOKS)
THERE_PERCENT, WRONG_PERCENT = 25, 5
ATTAINABLE = 0.92  # by construction: 0.5 + (0.2375 / 0.275 - 0.0125 / 0.725) / 2


def prepare(files, arrays, advance):
    """Fill the arrays with the images in the order of the official lists, one archive to a processor."""
    findings = read_findings(files["chestxray14-" + LABELS])
    listed = {}
    for half, name in (("train", TRAIN), ("test", TEST)):
        with open(files["chestxray14-" + name], encoding="ascii") as file:
            listed[half] = file.read().split()
    rows = rows_of(listed, arrays)
    for name, (half, row) in rows.items():
        if name not in findings:
            raise DataError("%s: expected the findings of %s, and there is no line for it." % (LABELS, name))
        arrays["y_" + half][row] = [label in findings[name] for label in CLASSES]
    shared = set.intersection(*({name[:8] for name in listed[half]} for half in listed))
    if shared:
        raise DataError("Expected no patient in both halves, and %d are, as %s." % (len(shared), min(shared)))
    archives = [path for name, path in sorted(files.items()) if name.endswith(".tar.gz")]
    fill_images(archives, r"images/\d{8}_\d{3}\.png", rows, arrays, advance)
    return CLASSES


def read_findings(path):
    """Return the set of findings of each picture by its name; "No Finding" is the empty set."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows or not {"Image Index", "Finding Labels"} <= set(rows[0]):
        raise DataError("%s: expected the columns Image Index and Finding Labels, and came %s." % (path, rows[:1]))
    findings = {row["Image Index"]: set(row["Finding Labels"].split("|")) - {"No Finding"} for row in rows}
    unknown = sorted(set().union(*findings.values()) - set(CLASSES))
    if unknown:
        known, came = ", ".join(CLASSES), ", ".join(unknown)
        raise DataError("%s: expected the findings %s, and came also %s." % (path, known, came))
    return findings


def stand_in(random, train, test):
    """Return clouds with patches; each label says whether its texture is there, and some say it wrongly."""
    return halves(_clouds, random, train, test)


def _clouds(random, count):
    is_there = integers(random, 0, 100, (count, len(LOOKS))) < THERE_PERCENT
    x = np.stack([_cloud(random, present) for present in is_there])
    is_wrong = integers(random, 0, 100, is_there.shape) < WRONG_PERCENT
    return {"x": x, "y": (is_there ^ is_wrong).astype(np.float32)}


def _cloud(random, present):
    coarse = np.kron(integers(random, 60, 140, (8, 8)), np.ones((SIDE // 8, SIDE // 8), np.int64))
    drawn = coarse + noise(random, (SIDE, SIDE), 24)
    for there, (kind, period) in zip(present, LOOKS):
        if there:
            drawn = drawn + np.where(shape(random, SIDE), texture(random, SIDE, kind, period) - 128, 0) * 3 // 10
    return np.clip(drawn, 0, 255).astype(np.uint8)
