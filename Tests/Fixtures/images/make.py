#!/usr/bin/env python3
"""make.py: writes the image files beside it, and what Pillow makes of them.

    pip install 'pillow>=13' numpy tensorflow-cpu && python3 make.py

good/          JPEG, PNG, WebP, GIF, BMP, PNM and PAM files of each kind
refused/       other kinds of images
decoded.tsv    for each good file its size and where in decoded.bin its RGB pixels start, after
               ImageOps.exif_transpose and convert("RGB")
composed.tsv   the same of files with alpha, laid on a ground
resized.tsv    crops and resizes by Pillow, and where in resized.bin their pixels start: RGB, or one byte a pixel for "gray"
tensorflow.tsv the same by TensorFlow

    python3 make.py SHARED      ../shared/images from the project's root: difficult files that are not copied here

shared.tsv     for each file of these kinds below odd and imagenet its size and the CRC-32 of its RGB pixels, after the
               photographs' also those of their 224 x 224 versions by "fill", "center:0.875" and bicubic "fill"; "refused" where Pillow
               cannot read the file
"""
import io, math, os, shutil, struct, sys, zlib
import numpy as np
from PIL import Image, ImageOps

here = os.path.dirname(os.path.abspath(__file__))
random = np.random.default_rng(20)


def sample_image(width, height):
    """Slopes, edges and a little noise."""
    y, x = np.mgrid[0:height, 0:width].astype(float)
    red = 255 * x / max(width - 1, 1)
    green = 127 + 120 * np.sin(y / 3) * np.cos(x / 5)
    blue = np.where((x - width / 2) ** 2 + (y - height / 3) ** 2 < (height / 4) ** 2, 240, 30)
    noise = random.integers(-9, 10, (height, width, 3))
    return np.clip(np.stack([red, green, blue], 2) + noise, 0, 255).astype(np.uint8)


def png(samples, kind, depth, interlaced=False, palette=None, chunks=(), behind=()):
    """A PNG file of `samples` (height, width, channels), without filters; `behind` are chunks behind the pixels."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    def rows(part):
        out = b""
        for row in part:
            flat = row.reshape(-1)
            if depth == 16: out += b"\0" + flat.astype(">u2").tobytes()
            elif depth == 8: out += b"\0" + flat.astype(np.uint8).tobytes()
            else:
                bits = "".join(format(int(v), f"0{depth}b") for v in flat)
                bits += "0" * (-len(bits) % 8)
                out += b"\0" + bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))
        return out

    height, width = samples.shape[:2]
    adam7 = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2), (1, 0, 2, 1)]
    parts = [samples[a::c, b::d] for a, b, c, d in adam7] if interlaced else [samples]
    data = b"".join(rows(p) for p in parts if p.size)
    out = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, interlaced))
    for name, content in chunks:
        if name != b"tRNS": out += chunk(name, content)
    if palette is not None: out += chunk(b"PLTE", palette.astype(np.uint8).tobytes())
    for name, content in chunks:
        if name == b"tRNS": out += chunk(name, content)
    out += chunk(b"IDAT", zlib.compress(data, 9))
    for name, content in behind: out += chunk(name, content)
    return out + chunk(b"IEND", b"")


def exif(orientation, order="<"):
    return (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "IHHHIHHI", 8, 1, 0x112, 3, 1, orientation, 0, 0)


# Pillow does not read PAM: a file of another kind has the same samples.
twins = {"bits.pam": "bits.pbm", "gray.pam": "gray.pgm", "color.pam": "color.ppm", "alpha.pam": "rgba-8.png",
    "gray-alpha.pam": "gray-alpha-8.png", "16.pam": "16.pgm", "maximum-1000.pam": "maximum-1000.pgm",
    "color-maximum-1000.pam": "maximum-1000.ppm"}


def rgb(path):
    folder, name = os.path.split(path)
    with Image.open(os.path.join(folder, twins.get(name, name))) as image:
        # Pillow would clip 16-bit gray to 255.
        if image.mode.startswith("I"): image = Image.fromarray((np.asarray(image).astype(int) >> 8).astype(np.uint8))
        return ImageOps.exif_transpose(image).convert("RGB")


def nearest(x): return math.floor(x + 0.5)


def resized(image, width, height, crop, how=Image.BILINEAR):
    w, h = image.size
    if crop == "fill": return image.resize((width, height), how)
    if crop.startswith("center:"):
        side = float(crop[7:]) * min(w, h)
        left, top = min(nearest((w - side) / 2), w - 1), min(nearest((h - side) / 2), h - 1)
        box = [left, top, max(nearest((w + side) / 2), left + 1), max(nearest((h + side) / 2), top + 1)]
        return image.crop(box).resize((width, height), Image.BILINEAR)
    scale = min(width / w, height / h)
    inner = max(nearest(w * scale), 1), max(nearest(h * scale), 1)
    ground = Image.new(image.mode, (width, height), crop[4:])
    ground.paste(image.resize(inner, Image.BILINEAR), (nearest((width - inner[0]) / 2), nearest((height - inner[1]) / 2)))
    return ground


def known(start):
    """Whether a file that begins so is of a kind that is read."""
    return start.startswith((b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF8", b"BM")) or start[8:12] == b"WEBP" \
        or start[:1] == b"P" and start[1:2] in b"123456" and start[2:3].isspace()


def shared(root):
    crc = lambda image: format(zlib.crc32(image.tobytes()), "08x")
    lines = []
    for folder, _, names in os.walk(root):
        for name in names:
            path = os.path.join(folder, name)
            inner = os.path.relpath(path, root)
            with open(path, "rb") as f: start = f.read(16)
            if inner.split(os.sep)[0] not in ("odd", "imagenet") or not known(start): continue
            try: image = rgb(path)
            except Exception: lines.append([inner, "refused"]); continue
            lines.append([inner, f"{image.width}x{image.height}", crc(image)])
            if inner.startswith("imagenet"): lines[-1] += [crc(resized(image, 224, 224, c)) for c in ("fill", "center:0.875")] + [crc(image.resize((224, 224), Image.BICUBIC))]
    with open(os.path.join(here, "shared.tsv"), "w") as f: f.writelines("\t".join(l) + "\n" for l in sorted(lines))


if len(sys.argv) > 1:
    shared(sys.argv[1])
    sys.exit()

for folder in "good", "refused":
    shutil.rmtree(os.path.join(here, folder), ignore_errors=True)
    os.makedirs(os.path.join(here, folder))


def put(name, data):
    with open(os.path.join(here, name), "wb") as f: f.write(data)


def jpeg(name, image, **options):
    out = io.BytesIO()
    image.save(out, "JPEG", **options)
    put("good/" + name, out.getvalue())


base = sample_image(25, 18)
color = Image.fromarray(base)
for name, sampling in ("444", 0), ("422", 1), ("420", 2):
    jpeg(f"baseline-{name}.jpg", color, quality=90, subsampling=sampling)
    jpeg(f"progressive-{name}.jpg", color, quality=90, subsampling=sampling, progressive=True)
jpeg("gray.jpg", color.convert("L"), quality=90)
jpeg("gray-progressive.jpg", color.convert("L"), quality=90, progressive=True)
jpeg("cmyk.jpg", color.convert("CMYK"), quality=90)
jpeg("rgb.jpg", color, quality=90, keep_rgb=True)
jpeg("restart-markers.jpg", color, quality=80, restart_marker_blocks=1)
jpeg("one-pixel.jpg", Image.fromarray(base[:1, :1]))
jpeg("one-column.jpg", Image.fromarray(base[:, :1]), subsampling=2)
jpeg("one-row.jpg", Image.fromarray(base[:1]), subsampling=2)
for orientation in range(0, 10):
    jpeg(f"orientation-{orientation}.jpg", color, quality=75, exif=b"Exif\0\0" + exif(orientation))
jpeg("orientation-6-big-endian.jpg", color, quality=75, exif=b"Exif\0\0" + exif(6, ">"))
with open(os.path.join(here, "good/baseline-420.jpg"), "rb") as f: put("good/jpeg-named.png", f.read())

gray = base[:, :, 1:2]
alpha = random.integers(0, 256, gray.shape)
palette = random.integers(0, 256, (256, 3))
def put_png(name, *arguments, **options): put(f"good/{name}.png", png(*arguments, **options))
for interlaced in False, True:
    end = "-interlaced" if interlaced else ""
    for depth in 1, 2, 4, 8:
        put_png(f"gray-{depth}{end}", gray >> 8 - depth, 0, depth, interlaced)
        put_png(f"palette-{depth}{end}", gray >> 8 - depth, 3, depth, interlaced, palette[:2 ** depth])
    put_png(f"gray-16{end}", gray.astype(int) * 257 ^ alpha, 0, 16, interlaced)
    for depth, scale, low in (8, 1, 0), (16, 257, alpha):
        colors = base.astype(int) * scale ^ low
        put_png(f"rgb-{depth}{end}", colors, 2, depth, interlaced)
        put_png(f"gray-alpha-{depth}{end}", np.concatenate([colors[:, :, 1:2], alpha], 2), 4, depth, interlaced)
        put_png(f"rgba-{depth}{end}", np.concatenate([colors, alpha], 2), 6, depth, interlaced)
put_png("palette-transparent", gray >> 4, 3, 4, palette=palette[:16], chunks=[(b"tRNS", bytes(range(0, 160, 16)))])
put_png("rgb-transparent", base, 2, 8, chunks=[(b"tRNS", base[0, 0].astype(">u2").tobytes())])
put_png("gray-transparent", gray, 0, 8, chunks=[(b"tRNS", gray[0, 0].astype(">u2").tobytes())])
put_png("gamma", base, 2, 8, chunks=[(b"gAMA", struct.pack(">I", 100000))])
put_png("orientation-6", base, 2, 8, chunks=[(b"eXIf", exif(6))])
put_png("orientation-3-big-endian", gray, 0, 8, chunks=[(b"eXIf", exif(3, ">"))])
profile = lambda o: f"\nexif\n      {len(exif(o))}\n{exif(o)[:16].hex()}\n{exif(o)[16:].hex()}\n".encode()
name, xmp = b"Raw profile type exif\0", lambda o: f'<rdf:Description tiff:Orientation="{o}"/>'.encode()
put_png("orientation-5-text", base, 2, 8, chunks=[(b"tEXt", name + profile(5))])
put_png("orientation-6-compressed-text", base, 2, 8, chunks=[(b"zTXt", name + b"\0" + zlib.compress(profile(6)))])
put_png("orientation-7-compressed-unicode", base, 2, 8, chunks=[(b"iTXt", name + b"\1\0en\0\0" + zlib.compress(profile(7)))])
put_png("orientation-8-behind", base, 2, 8, behind=[(b"zTXt", name + b"\0" + zlib.compress(profile(8)))])
put_png("orientation-4-compressed-xmp", base, 2, 8, chunks=[(b"iTXt", b"XML:com.adobe.xmp\0\1\0\0\0" + zlib.compress(xmp(4)))])
put_png("orientation-3-before-text", base, 2, 8, chunks=[(b"tEXt", name + profile(5)), (b"eXIf", exif(3))])
put_png("orientation-1-broken-text", base, 2, 8, chunks=[(b"zTXt", name + b"\0no deflate")])
put_png("one-pixel", base[:1, :1], 2, 8)
put_png("one-column", base[:, :1], 2, 8)
put_png("one-row", gray[:1], 0, 8)
large = sample_image(190, 131)
put_png("large", np.concatenate([large[:, :, :1] // 8 * 8, large[:, :, 1:2] // 8 * 8, large[:, :, 2:] // 64 * 64], 2), 2, 8)


def save(name, image, kind, **options): image.save(os.path.join(here, "good", name), kind, **options)


rgba = Image.fromarray(np.concatenate([base, alpha.astype(np.uint8)], 2))
save("lossless.webp", color, "WebP", lossless=True)
save("lossless-alpha.webp", rgba, "WebP", lossless=True, exact=True)
save("lossy.webp", color, "WebP", quality=80)
save("lossy-alpha.webp", rgba, "WebP", quality=80)
save("orientation-8.webp", color, "WebP", lossless=True, exif=exif(8))
save("animation.webp", color, "WebP", lossless=True, save_all=True, append_images=[color.rotate(180)])
indexed = color.quantize(32)
save("plain.gif", indexed, "GIF", interlace=0)
save("interlaced.gif", indexed, "GIF", interlace=1)
save("gray.gif", color.convert("L"), "GIF")
save("transparent.gif", indexed, "GIF", transparency=3)
save("animation.gif", indexed, "GIF", save_all=True, append_images=[indexed.rotate(180)])
save("24.bmp", color, "BMP")
save("32.bmp", rgba, "BMP")
save("8.bmp", indexed, "BMP")
save("1.bmp", color.convert("1"), "BMP")


def bmp(name, bits, compression, data, palette=b"", masks=b"", height=18):
    header = struct.pack("<IiiHHIIiiII", 40, 25, height, 1, bits, compression, 0, 0, 0, len(palette) // 4, 0)
    start = 54 + len(masks) + len(palette)
    put("good/" + name, b"BM" + struct.pack("<IHHI", start + len(data), 0, 0, start) + header + masks + palette + data)


def rows16(samples): return b"".join(r.astype("<u2").tobytes() + b"\0\0" for r in samples)


words = base.astype(int)
bmp("16-555-top-down.bmp", 16, 0, rows16(words[..., 0] >> 3 << 10 | words[..., 1] >> 3 << 5 | words[..., 2] >> 3), height=-18)
bmp("16-565.bmp", 16, 3, rows16((words[..., 0] >> 3 << 11 | words[..., 1] >> 2 << 5 | words[..., 2] >> 3)[::-1]), masks=struct.pack("<III", 0xF800, 0x7E0, 0x1F))
shades = bytes(v for c in palette[:16] for v in (*c, 0))
bmp("4.bmp", 4, 0, b"".join(bytes((a << 4 | b for a, b in zip(r[::2], list(r[1::2]) + [0]))) + b"\0" * 3 for r in gray[::-1, :, 0] >> 4), shades)
runs = b"".join(b"".join(bytes((1, v >> 4)) for v in r[:5]) + bytes((0, 20)) + bytes(r[5:] >> 4) + b"\0\0" for r in gray[::-1, :, 0])
bmp("rle8.bmp", 8, 1, runs + b"\0\1", shades)
halves = b"".join(bytes((5, int(r[0]) & 0xF0 | int(r[1]) >> 4, 0, 20)) + bytes(int(a) & 0xF0 | int(b) >> 4 for a, b in zip(r[5::2], r[6::2])) + b"\0\0" for r in gray[::-1, :, 0])
bmp("rle4.bmp", 4, 2, halves + b"\0\1", shades)

for name, image in ("color.ppm", color), ("gray.pgm", color.convert("L")), ("bits.pbm", color.convert("1")): save(name, image, "PPM")
text = lambda samples: "\n".join(" ".join(map(str, r.reshape(-1))) for r in samples).encode()
put("good/text.ppm", b"P3\n# a comment\n25 18 # another\n255\n" + text(base) + b"\n")
put("good/text.pgm", b"P2 25 18 100\n" + text(gray.astype(int) * 100 // 255))
put("good/text.pbm", b"P1\n25 18\n" + b"\n".join("".join(map(str, r)).encode() for r in gray[..., 0] >> 7))
put("good/16.ppm", b"P6 25 18 65535\n" + (base.astype(int) * 257).astype(">u2").tobytes())
deep = base.astype(int) * 257 + alpha
deep[0, 0] = 65535
put("good/16.pgm", b"P5 25 18 65535\n" + deep[..., 1].astype(">u2").tobytes())
put("good/maximum-1000.pgm", b"P5 25 18 1000\n" + (deep[..., 1] * 1000 // 65535).astype(">u2").tobytes())
put("good/text-maximum-1000.pgm", b"P2 25 18 1000\n" + text(deep[..., 1] * 1000 // 65535))
put("good/maximum-1000.ppm", b"P6 25 18 1000\n" + (deep * 1000 // 65535).astype(">u2").tobytes())


def pam(name, samples, maximum, kind):
    line = f"TUPLTYPE {kind}\n" if kind else ""
    header = f"P7\n# a comment\nWIDTH 25\nHEIGHT 18\nDEPTH {samples.shape[2]}\nMAXVAL {maximum}\n{line}ENDHDR\n"
    put(f"good/{name}.pam", header.encode() + samples.astype(">u2" if maximum > 255 else np.uint8).tobytes())


pam("bits", np.asarray(color.convert("1"))[..., None], 1, "BLACKANDWHITE")
pam("gray", np.asarray(color.convert("L"))[..., None], 255, "GRAYSCALE")
pam("color", base, 255, "RGB")
pam("alpha", np.concatenate([base, alpha], 2), 255, "RGB_ALPHA")
pam("gray-alpha", np.concatenate([base[..., 1:2], alpha], 2), 255, None)
pam("16", deep[..., 1:2], 65535, "GRAYSCALE")
pam("maximum-1000", deep[..., 1:2] * 1000 // 65535, 1000, "GRAYSCALE")
pam("color-maximum-1000", deep * 1000 // 65535, 1000, "RGB")
put("good/maximum-100.pgm", b"P5 25 18 100\n" + (gray.astype(int) * 100 // 255).astype(np.uint8).tobytes())

for name, kind in ("tiff", "TIFF"), ("jp2", "JPEG2000"), ("avif", "AVIF"), ("ico", "ICO"):
    Image.fromarray(base[:4, :4]).save(os.path.join(here, "refused", "picture." + name), kind)
put("refused/picture.heic", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic")


def table(name, header, rows):
    """NAME.tsv with an offset as its last column, and NAME.bin."""
    lines, data = [header + ["offset"]], b""
    for row, pixels in rows:
        lines.append([str(v) for v in row] + [str(len(data))])
        data += pixels
    put(name + ".tsv", "".join("\t".join(line) + "\n" for line in lines).encode())
    put(name + ".bin", data)


def good(name): return os.path.join(here, "good", name)


names = sorted(os.listdir(os.path.join(here, "good")))
decoded = [(name, rgb(good(name))) for name in names if name != "large.png"]
table("decoded", ["file", "width", "height"], [((n, i.width, i.height), i.tobytes()) for n, i in decoded])

grounds = [(n, g) for n in ("rgba-8.png", "rgba-8-interlaced.png", "gray-alpha-8.png", "palette-transparent.png", "rgb-transparent.png", "gray-transparent.png", "lossless-alpha.webp", "transparent.gif", "alpha.pam", "gray-alpha.pam") for g in ("#ffffff", "#10a0ff")]


def composed(name, ground):
    with Image.open(good(twins.get(name, name))) as image:
        image = image.convert("RGBA")
        under = Image.new("RGBA", image.size, ground)
        return Image.alpha_composite(under, image).convert("RGB")


table("composed", ["file", "width", "height", "ground"], [((n, 25, 18, g), composed(n, g).tobytes()) for n, g in grounds])

cases = [(file, width, height, crop)
    for file, sizes in {
        "large.png": [(32, 32), (64, 20), (190, 11), (13, 131), (1, 1)],
        "rgb-8.png": [(33, 40), (25, 18), (11, 7), (25, 9)],
        "gray-8.png": [(40, 30), (9, 9)],
        "one-pixel.png": [(5, 3)],
        "one-column.png": [(4, 7)],
    }.items() for width, height in sizes
    for crop in ("fill", "center:1", "center:0.875", "center:0.3", "fit:#000000", "fit:#10a0ff")
    if crop in ("fill", "center:0.875") or width * height < 1500]
rows = [((f, w, h, c, "rgb"), resized(rgb(good(f)), w, h, c).tobytes()) for f, w, h, c in cases]
rows += [((f, w, h, "fill", "gray"), resized(rgb(good(f)).convert("L"), w, h, "fill").tobytes()) for f, w, h in
    [("large.png", 28, 28), ("rgb-8.png", 25, 18), ("gray-8.png", 28, 28)]]
rows = [((f, w, h, c, m, "pillow"), p) for (f, w, h, c, m), p in rows]
rows += [((f, w, h, "fill", "rgb", "bicubic"), resized(rgb(good(f)), w, h, "fill", Image.BICUBIC).tobytes()) for f, w, h, c in cases if c == "fill" and w * h < 1100]
rows += [(("large.png", 28, 28, "fill", "gray", "bicubic"), resized(rgb(good("large.png")).convert("L"), 28, 28, "fill", Image.BICUBIC).tobytes())]
table("resized", ["file", "width", "height", "crop", "channels", "resize"], rows)

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf

raw = tf.raw_ops
ways = {
    "tensorflow": lambda x, s: raw.ResizeBilinear(images=x, size=s),
    "tensorflow:align-corners": lambda x, s: raw.ResizeBilinear(images=x, size=s, align_corners=True),
    "tensorflow:half-pixel": lambda x, s: raw.ResizeBilinear(images=x, size=s, half_pixel_centers=True),
    "area": lambda x, s: raw.ResizeArea(images=x, size=s),
}
rows = [((f, w, h, "fill", "rgb", n), np.rint(way(np.asarray(rgb(good(f)))[None].astype(np.float32), (h, w)).numpy()[0]).astype(np.uint8).tobytes())
    for f, w, h, c in cases if c == "fill" and w * h < 1100 for n, way in ways.items()]
table("tensorflow", ["file", "width", "height", "crop", "channels", "resize"], rows)
