"""Write digits.npz, the images behind the stand-in of `mnist`, from scikit-learn's copy (1.9.1 was used).

    pip install scikit-learn && python bench/datasets/_digits.py

1797 digits written by 13 people, 8 x 8 pixels of 0 to 16: the test half of "Optical Recognition of Handwritten Digits"
(E. Alpaydin and C. Kaynak 1998, UCI Machine Learning Repository, CC BY 4.0).
"""

import os

import numpy as np
from sklearn.datasets import load_digits

digits = load_digits()
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "digits.npz")
np.savez_compressed(path, images=digits.images.astype(np.uint8), labels=digits.target.astype(np.uint8))
