"""Starts and stops thaw-serve for tests."""
import http.client
import io
import json
import os
import signal
import socket
import subprocess
import tempfile
import time

import PIL.Image

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
PROGRAM = os.environ.get("THAW_SERVE", os.path.join(ROOT, ".build/release/thaw-serve"))
THAW = os.environ.get("THAW", os.path.join(os.path.dirname(PROGRAM), "thaw"))
DEMO = os.path.join(ROOT, "Models/cifar10.pb")
LABELS = os.path.join(ROOT, "labels/cifar10.txt")
PHOTOS = os.path.join(ROOT, "Tests/Fixtures/photographs")


def photo(name):
    with open(os.path.join(PHOTOS, name + ".jpg"), "rb") as file:
        return file.read()


def slow_photo(side=6000):
    """A PNG that takes even a fast service a tenth of a second."""
    image = io.BytesIO()
    PIL.Image.new("RGB", (side, side), (90, 60, 30)).save(image, "PNG", compress_level=1)
    return image.getvalue()


class Server:
    """A running service. It must exit normally, never by a signal."""

    def __init__(self, *words, models=("demo=" + DEMO,), labels=LABELS, environment={}):
        labeled = ["--labels", labels] if labels else []
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [PROGRAM, *models, "--port", "0", *labeled, *words], stdout=subprocess.PIPE, stderr=self.errors, text=True,
            env=os.environ | environment)
        line = self.process.stdout.readline()
        assert line.startswith("listening on http://"), line + self.told()
        self.url = line.split()[-1]
        self.address = self.url.removeprefix("http://")
        host, _, port = self.address.rpartition(":")
        self.host, self.port = host.strip("[]"), int(port)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()

    def stop(self, number=signal.SIGTERM, timeout=30):
        self.process.send_signal(number)
        status = self.process.wait(timeout)
        assert status >= 0, f"ended by signal {-status}"
        self.process.stdout.close()
        return status

    def told(self):
        """The output on standard error so far."""
        self.errors.seek(0)
        return self.errors.read()

    def waits_for(self, text, seconds=20):
        end = time.time() + seconds
        while time.time() < end:
            if text in self.told():
                return
            time.sleep(0.05)
        raise AssertionError(f"'{text}' is not in: {self.told()}")

    def request(self, method, path, body=None, headers={}):
        """The status, the header fields and the body of an answer."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        connection.request(method, path, body, dict(headers))
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, answer.headers, data

    def get(self, path, **headers):
        return self.request("GET", path, headers=headers)

    def post(self, path, body, headers={}):
        status, fields, data = self.request("POST", path, body, headers)
        return status, (json.loads(data) if "json" in fields.get("Content-Type", "") and data.count(b"\n") == 1 else data)

    def raw(self, data, timeout=2.0):
        """The complete response to these bytes, until the server closes the connection or is silent for some time."""
        with socket.create_connection((self.host, self.port), timeout=timeout) as client:
            try:
                client.sendall(data)
            except OSError:
                pass
            received = b""
            try:
                while part := client.recv(65536):
                    received += part
            except OSError:
                pass
            return received


def form(files, boundary=b"thaw-boundary"):
    """A multipart form of (name, content) pairs, and its Content-Type."""
    body = b""
    for name, content in files:
        body += b"--" + boundary + b'\r\nContent-Disposition: form-data; name="file"; filename="' + name.encode()
        body += b'"\r\nContent-Type: application/octet-stream\r\n\r\n' + content + b"\r\n"
    return body + b"--" + boundary + b"--\r\n", {"Content-Type": "multipart/form-data; boundary=" + boundary.decode()}
