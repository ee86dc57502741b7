#!/usr/bin/env python3
"""Sends malformed requests of every kind to a service, chosen at random, and checks the status of each answer.

usage: malformed.py [--count N] [--seed N]

The service must not crash, must give every kind its documented status and code, must keep answering valid requests, and must
not grow. THAW_SERVE names the program.
"""
import argparse
import collections
import gzip
import json
import os
import random
import re
import socket
import struct
import sys
import time

from server import DEMO, ROOT, Server, form, photo

MAX_BODY, MAX_PIXELS = 200_000, 1_000_000
PHOTO = photo("cat")
INFER = "/v2/models/demo/infer"
HOST = b"Host: localhost\r\n"
IMAGE = {"name": "input", "datatype": "UINT8", "shape": [1, 32, 32, 3]}
ENCODED = {"name": "input", "datatype": "BYTES", "shape": [1]}
# The connection ends without an answer, or the service waits for the rest of the request.
NOTHING = 0


def message(body=b"", path="/classify", method="POST", **fields):
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    for name, value in fields.items():
        head += f"{name.replace('_', '-')}: {value}\r\n"
    return head.encode("latin-1") + b"\r\n" + body


def head(lines, target="/classify", method="POST"):
    """A request without the fields that make it complete."""
    return f"{method} {target} HTTP/1.1\r\n".encode() + HOST + lines + b"\r\n"


def infer(value, binary=None, length=None):
    """A request of the protocol; binary data follows the JSON."""
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    if binary is None:
        return message(text, INFER)
    return message(text + binary, INFER, Inference_Header_Content_Length=len(text) if length is None else length)


def sized(size, tensor=IMAGE):
    return {"inputs": [tensor | {"parameters": {"binary_data_size": size}}]}


def image(**parts):
    return {"inputs": [IMAGE | {"data": [0] * 3072} | parts]}


def without(key):
    tensor = IMAGE | {"data": [0] * 3072}
    del tensor[key]
    return {"inputs": [tensor]}


def word(chance, characters="abcdefghijklmnopqrstuvwxyz", most=12):
    return "".join(chance.choice(characters) for _ in range(chance.randint(1, most)))


def replaced(values, chance, other):
    values = list(values)
    values[chance.randrange(len(values))] = other
    return values


def mismatched_size(chance):
    """An image whose binary data has the size that the request states, but not that of its shape."""
    size = chance.choice([0, 1, 3071, 3073, 6144])
    return infer(sized(size), bytes(size))


def oversized_string(chance):
    """A string that is longer, by its own length, than the binary data."""
    data = struct.pack("<I", chance.randint(4, 2**32 - 1)) + b"abc"
    return infer(sized(len(data), ENCODED), data)


def multipart(body):
    return message(body, Content_Type="multipart/form-data; boundary=x")


def mutated(chance):
    """A valid request with some bytes changed."""
    text = json.dumps(sized(8, ENCODED)).encode()
    body, fields = form([("a", b"abc")])
    data = bytearray(chance.choice([
        message(text + b"\4\0\0\0abcd", INFER, Inference_Header_Content_Length=len(text)),
        message(body, Content_Type=fields["Content-Type"])]))
    for _ in range(chance.randint(1, 4)):
        offset = chance.randrange(len(data))
        match chance.randrange(3):
            case 0: data[offset] = chance.randrange(256)
            case 1: del data[offset:offset + chance.randint(1, 20)]
            case _: data[offset:offset] = chance.choice([b"\r\n", b"[", b'"', b"{", b"9" * 20, b"\0", b"\xff"])
    return bytes(data)


def http_kinds(c):
    """Kinds of requests that are not HTTP, or that the service cannot answer over HTTP: a status and the request."""
    yield "no Host", 400, lambda: b"GET /v2 HTTP/1.1\r\n\r\n"
    yield "an unknown version of HTTP", 505, lambda: b"GET /v2 HTTP/%d.0\r\n%s\r\n" % (c.randint(2, 9), HOST)
    yield "two Hosts", 400, lambda: head(HOST, "/v2", "GET")
    yield "a disallowed Host", 403, lambda: f"GET /v2 HTTP/1.1\r\nHost: {word(c)}.example\r\n\r\n".encode()
    yield "a disallowed Origin", 403, lambda: message(PHOTO, Origin=f"http://{word(c)}.example")
    yield "a path without slash", 400, lambda: message(path=word(c), method="GET")
    yield "a wrong escape", 400, lambda: message(path="/%" + word(c, "ghijk%"), method="GET")
    yield "a path that is not UTF-8", 400, lambda: message(path="/%ff" + word(c), method="GET")
    yield "a long path", 414, lambda: head(b"", "/" + "a" * c.randint(40_000, 100_000), "GET")
    yield "a long field", 431, lambda: head(b"A: " + b"a" * c.randint(40_000, 100_000) + b"\r\n", "/v2", "GET")
    yield "many fields", 431, lambda: head(b"".join(b"A%d: b\r\n" % n for n in range(10_000)), "/v2", "GET")
    yield "an unknown path", 404, lambda: message(path="/" + word(c) + "/" + word(c), method="GET")
    yield "an unknown model", 404, lambda: message(b"{}", f"/v2/models/x{word(c)}/infer")
    yield "an unknown version", 404, lambda: message(b"{}", f"/v2/models/demo/versions/{c.randint(2, 99)}/infer")
    yield "a wrong method", 405, lambda: message(b"", c.choice(["/v2", "/metrics", INFER]), word(c, "QXYZ"))
    yield "a wrong Content-Length", 400, lambda: head(b"Content-Length: %s\r\n" % c.choice([b"x", b"-1", b"1x", b"0x10"]))
    yield "a huge Content-Length", 413, lambda: head(b"Content-Length: %d\r\n" % c.randint(MAX_BODY + 1, 10**30))
    yield "two Content-Lengths", 400, lambda: head(b"Content-Length: 1\r\nContent-Length: 2\r\n")
    yield "two lengths", 400, lambda: head(b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n")
    yield "an unknown transfer encoding", 501, lambda: head(
        b"Transfer-Encoding: %s\r\n" % c.choice([b"gzip", b"gzip, chunked", b"identity", word(c).encode()]))
    yield "a wrong chunk", 400, lambda: head(b"Transfer-Encoding: chunked\r\n") + c.choice([b"zz\r\n", b"-1\r\n", b"g\r\n"])
    yield "too many chunks", 413, lambda: head(b"Transfer-Encoding: chunked\r\n") + (
        b"8000\r\n" + b"a" * 0x8000 + b"\r\n") * 8 + b"0\r\n\r\n"
    yield "an unknown content encoding", 415, lambda: message(b"abc", Content_Encoding=c.choice(["br", "zstd", word(c)]))
    yield "corrupt gzip", 400, lambda: message(c.randbytes(100), Content_Encoding="gzip")
    yield "truncated gzip", 400, lambda: message(gzip.compress(PHOTO)[:c.randint(1, 2000)], Content_Encoding="gzip")
    yield "gzip that expands beyond the limit", 413, lambda: message(
        gzip.compress(bytes(MAX_BODY + 1)), Content_Encoding="gzip")
    yield "not HTTP", (400, 405, 505, NOTHING), lambda: c.randbytes(c.randint(1, 200)) + b"\r\n\r\n"
    yield "an incomplete request", NOTHING, lambda: message(PHOTO)[:-c.randint(1, len(PHOTO))]
    yield "changed at random", None, lambda: mutated(c)


def classify_kinds(c):
    yield "no body", 400, lambda: message()
    yield "not an image", 415, lambda: message(word(c, most=200).encode())
    yield "a truncated image", (200, 400), lambda: message(PHOTO[:c.randint(20, len(PHOTO) - 1)])
    yield "only a signature", 400, lambda: message(PHOTO[:c.randint(4, 20)])
    yield "too many pixels", 413, lambda: message(b"P6\n%d 5000\n255\n" % c.randint(1000, 10**6))
    yield "a wrong top", 400, lambda: message(PHOTO, "/classify?top=" + c.choice(["0", "x", "-1", "", "1.5", "9" * 30]))
    yield "a wrong crop", 400, lambda: message(PHOTO, "/classify?crop=" + c.choice(["", "x", "center:2", "center:x"]))
    yield "an unknown option", 400, lambda: message(PHOTO, f"/classify?x{word(c)}=1")
    yield "an option twice", 400, lambda: message(PHOTO, "/classify?top=1&top=1")
    yield "another model", 404, lambda: message(PHOTO, f"/classify?model=x{word(c)}")
    yield "a form without boundary", 400, lambda: message(PHOTO, Content_Type="multipart/form-data")
    yield "a malformed form", 400, lambda: multipart(c.choice([
        b"--x", b"--x--", b"--x\r\n\r\n\r\n--x--", b"--x\r\nA: b", b"--xabc\r\n\r\n\r\n--x--", word(c).encode()]))


def json_kinds(c):
    good = json.dumps(image()).encode()
    yield "truncated JSON", 400, lambda: infer(good[:c.randint(1, len(good) - 1)])
    yield "not JSON", 400, lambda: infer(
        c.choice([b"nul", b"'a'", b"{]", b"01", b"[1,]", b'{"a":1,"a":2}', b'"\\ud800"']))
    yield "not UTF-8", 400, lambda: infer(b"\xff" + c.randbytes(50))
    yield "JSON after the JSON", 400, lambda: infer(good + c.choice([b"{}", b"]", b"1", b","]))
    yield "deep JSON", 400, lambda: infer(c.choice([b"", b'{"data":', b'{"inputs":']) + b"[" * c.randint(100, 100_000))
    yield "many values", 400, lambda: infer(b'{"a":[' + b"1," * c.randint(20_000, 50_000) + b"1]}")
    yield "not an object", 400, lambda: infer(c.choice([[], 1, "a", None, True, [[]]]))
    yield "no inputs", 400, lambda: infer(c.choice([{}, {"inputs": []}, {"inputs": {}}, {"inputs": 5}, {"inputs": [5]}]))
    yield "a tensor without a key", 400, lambda: infer(without(c.choice(["name", "datatype", "shape", "data"])))
    yield "a key of another type", 400, lambda: infer(
        image(**{c.choice(["name", "datatype", "shape", "data"]): c.choice([None, 1, {}, True, {"a": []}])}))
    yield "an unknown input", 400, lambda: infer(image(name="x" + word(c)))
    yield "an input twice", 400, lambda: infer({"inputs": image()["inputs"] * c.randint(2, 9)})
    yield "an unknown output", 400, lambda: infer(image() | {"outputs": [{"name": "x" + word(c)}]})
    yield "an output twice", 400, lambda: infer(image() | {"outputs": [{"name": "probabilities"}] * c.randint(2, 9)})
    yield "another datatype", 400, lambda: infer(image(datatype=c.choice(["FP32", "INT8", "BOOL", word(c), ""])))
    yield "another shape", 400, lambda: infer(image(shape=replaced([1, 32, 32, 3], c, c.randint(4, 31))))
    yield "an impossible shape", 400, lambda: infer(
        image(shape=replaced([1, 32, 32, 3], c, c.choice([-1, 1.5, "1", None, 2**40, [1]]))))
    yield "a huge shape", 413, lambda: infer(image(shape=[2**31 - 1] * c.randint(4, 9)))
    yield "another number of elements", 400, lambda: infer(image(data=[0] * c.choice([0, 1, 3071, 3073, 6144])))
    yield "an element out of range", 400, lambda: infer(
        image(data=replaced([0] * 3072, c, c.choice([256, -1, 0.5, 1e300]))))
    yield "an element of another type", 400, lambda: infer(
        image(data=replaced([0] * 3072, c, c.choice(["x", None, {}]))))
    yield "shared memory", 400, lambda: infer(image(parameters={"shared_memory_region": word(c)}))
    yield "an id that is not a string", 400, lambda: infer(image() | {"id": c.choice([1, [], {}, True])})
    yield "a wrong classification", 400, lambda: infer(image() | {"outputs": [
        {"name": "probabilities", "parameters": {"classification": c.choice([-1, 1.5, "1", {}])}}]})
    yield "not base64", 400, lambda: infer({"inputs": [
        ENCODED | {"data": [word(c) + "!"], "parameters": {"content_type": "base64"}}]})
    yield "base64 of something else", 415, lambda: infer({"inputs": [
        ENCODED | {"data": ["AAAA"], "parameters": {"content_type": "base64"}}]})


def binary_kinds(c):
    yield "a wrong length of the JSON", 400, lambda: infer(
        sized(3072), bytes(3072), c.choice(["x", "-1", "0", "1.5", "9" * 30, 10**6, "", "0x10"]))
    yield "a JSON length that is too short", 400, lambda: infer(
        sized(3072), bytes(3072), c.randrange(1, len(json.dumps(sized(3072)))))
    yield "a JSON length that is too long", 400, lambda: infer(
        sized(3072), bytes(3072), len(json.dumps(sized(3072))) + c.randint(1, 3072))
    yield "too little binary data", 400, lambda: infer(sized(3072), bytes(c.randrange(3072)))
    yield "too much binary data", 400, lambda: infer(sized(3072), bytes(3072 + c.randint(1, 1000)))
    yield "a size that does not fit", 400, lambda: mismatched_size(c)
    yield "a wrong size", 400, lambda: infer(
        sized(c.choice([-1, 2**31, 2**62, 2**70, 1e300, "x", 1.5, None, [], {}])), bytes(3072))
    yield "data twice", 400, lambda: infer(
        {"inputs": [sized(3072)["inputs"][0] | {"data": [0] * 3072}]}, bytes(3072))
    yield "a string that is too long", 400, lambda: oversized_string(c)
    yield "a string without its length", 400, lambda: infer(sized(3, ENCODED), bytes(3))
    yield "one string too many", 400, lambda: infer(sized(8, ENCODED), bytes(8))
    yield "an empty string", 400, lambda: infer(sized(4, ENCODED), bytes(4))
    yield "a string that is not an image", 415, lambda: infer(sized(8, ENCODED), struct.pack("<I", 4) + b"abcd")


# These take long: the answer is awaited for some time, or much is sent.
RARE = {"an incomplete request", "not HTTP", "changed at random", "many fields", "deep JSON", "many values",
        "too many chunks", "gzip that expands beyond the limit", "a truncated image"}


def documented():
    """The statuses that the table in the documentation has."""
    with open(os.path.join(ROOT, "docs/service.md")) as file:
        rows = re.findall(r"^\| ([0-9, ]+) \|", file.read(), re.MULTILINE)
    return {int(status) for row in rows for status in row.split(",")}


class Client:
    """A connection that is kept as long as the service keeps it."""

    def __init__(self, server):
        self.server, self.socket = server, None

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None

    def send(self, data, timeout):
        """The status and the body of the answer; NOTHING if there is none."""
        if not self.socket:
            self.socket = socket.create_connection((self.server.host, self.server.port))
        self.socket.settimeout(timeout)
        received = b""
        try:
            self.socket.sendall(data)
        except OSError:
            pass  # The service may answer, and close, before it has read everything.
        try:
            while True:
                start, separator, body = received.partition(b"\r\n\r\n")
                length = re.search(rb"\r\ncontent-length: *(\d+)", start, re.IGNORECASE)
                if separator and length and len(body) >= int(length[1]):
                    break
                part = self.socket.recv(65536)
                if not part:
                    self.close()
                    break
                received += part
        except OSError:
            self.close()
        if not received:
            return NOTHING, b""
        match = re.match(rb"HTTP/1\.[01] (\d{3}) ", received)
        assert match, received[:200]
        if re.search(rb"\r\nconnection: *close", start, re.IGNORECASE):
            self.close()
        return int(match[1]), body


def resident(server):
    with open(f"/proc/{server.process.pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def run(count, seed=5):
    """Sends this many requests. Returns the number of each kind."""
    chance = random.Random(seed)
    kinds = [kind for group in [http_kinds, classify_kinds, json_kinds, binary_kinds] for kind in group(chance)]
    weights = [1 if name in RARE else 20 for name, _, _ in kinds]
    known = documented() | {NOTHING}
    counts = collections.Counter()
    with Server("--max-body", str(MAX_BODY), "--max-pixels", str(MAX_PIXELS)) as server:
        client = Client(server)
        good = message(PHOTO)
        expected = client.send(good, 60)
        assert expected[0] == 200, expected
        early = None
        for index in range(count):
            # Every kind at least once.
            name, status, make = kinds[index] if index < len(kinds) else chance.choices(kinds, weights)[0]
            request = make()
            may_wait = status is None or status == NOTHING or isinstance(status, tuple) and NOTHING in status
            if not (status is None or status in [NOTHING, 400]) or name in RARE:
                client.close()
            isReused = client.socket is not None
            answer, body = client.send(request, 0.1 if may_wait else 20)
            if answer == NOTHING and isReused and not may_wait:
                # The service may close a connection that is not in use at any time.
                answer, body = client.send(request, 20)
            where = f"request {index} of seed {seed}, {name}: status {answer}, {body[:200]}, for {request[:300]}"
            assert answer in (known if status is None else status if isinstance(status, tuple) else (status,)), where
            assert answer in known, where
            if body.startswith(b"{") and answer >= 400:
                error = json.loads(body)
                assert set(error) == {"error", "code"} and error["error"] and error["code"], where
            if may_wait:
                client.close()
            counts[name] += 1
            if index % 500 == 499 or index == count - 1:
                client.close()
                assert client.send(good, 60) == expected, f"a good request after {where}"
                assert server.process.poll() is None
            if index == max(count // 5, min(count - 1, 2000)):
                early = resident(server)
        client.close()
        growth = (resident(server) - early) / early if early else 0
        assert growth <= 0.05, f"the memory grew by {growth:.1%}"
        assert server.stop() == 0
        assert "Fatal" not in server.told() and "rror" not in server.told(), server.told()
    return counts, growth


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=5)
    arguments = parser.parse_args()
    start = time.time()
    counts, growth = run(arguments.count, arguments.seed)
    for name, count in sorted(counts.items()):
        print(f"{count:7} {name}")
    print(f"{arguments.count} requests in {time.time() - start:.0f} s: all as documented; the memory grew by {growth:.1%}")


if __name__ == "__main__":
    sys.exit(main())
