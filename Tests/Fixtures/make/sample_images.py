"""The images used as inputs and for calibration."""
import numpy as np

from common import Draw


def sample_images(name, count, size, channels):
    """Smooth random images in -1…1: a few waves of different colors, and some noise."""
    draw = Draw("pictures/" + name)
    y, x = np.mgrid[0:size, 0:size] / size
    result = draw(count, size, size, channels, scale=0.1)
    for image in result:
        for _ in range(6):
            frequency, phase = draw(2, scale=2), draw.uniform(0, 6.28, 1)
            wave = np.cos(6.28 * (frequency[0] * x + frequency[1] * y) + phase)
            image += wave[..., None] * draw(channels, scale=0.4)
    return np.clip(result, -1, 1).astype("f4")


def inputs_of(kind):
    """Two inputs that are stored, and sixteen of the same kind for calibration."""
    size, channels = (28, 1) if kind in ("gray", "flat") else (32, 3)
    x = sample_images(kind, 18, size, channels)
    if kind == "pixels":
        x = np.round((x + 1) * 127.5)
    return x[:2], x[2:]
