#!/usr/bin/env python3
"""make.py: fetches the photographs beside it from scikit-image's package and shrinks them; README.md says whose they are.

    pip install pillow && python3 make.py
"""
import glob, io, os, subprocess, sys, tempfile, zipfile
from PIL import Image

here = os.path.dirname(os.path.abspath(__file__))
sources = {
    "cat.jpg": "chelsea.png", "horse.jpg": "horse.png", "rocket.jpg": "rocket.jpg", "coffee.jpg": "coffee.png",
    "photographer.jpg": "camera.png",
}
with tempfile.TemporaryDirectory() as folder:
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", folder, "scikit-image==0.26.0"],
        check=True)
    wheel = zipfile.ZipFile(glob.glob(os.path.join(folder, "*.whl"))[0])
    for name, source in sources.items():
        image = Image.open(io.BytesIO(wheel.read("skimage/data/" + source)))
        image = image.convert("L" if image.mode in ("1", "L") else "RGB")
        image.thumbnail((320, 320), Image.LANCZOS)
        image.save(os.path.join(here, name), quality=85)
