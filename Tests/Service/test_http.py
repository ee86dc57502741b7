"""HTTP, access, limits, and malformed requests."""
import array
import fcntl
import json
import os
import signal
import subprocess
import tempfile
import termios
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import malformed
from openapi_spec_validator import validate
from prometheus_client.parser import text_string_to_metric_families
from server import DEMO, LABELS, PHOTOS, THAW, Server, form, photo


class HTTPTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--max-body", "2000000", "--max-pixels", "1000000")

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def test_classify_returns_what_the_command_prints(self):
        path = os.path.join(PHOTOS, "cat.jpg")
        words = [THAW, "classify", DEMO, "--labels", LABELS, "--format", "json", path]
        expected = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        body, fields = form([("a \"b\".jpg".replace('"', "%22"), photo("cat"))])
        for answer, name in [
            (self.server.request("POST", "/classify", photo("cat")), None),
            (self.server.request("POST", "/classify", body, fields), "a %22b%22.jpg"),
        ]:
            self.assertEqual(answer[0], 200)
            self.assertEqual(answer[2].decode(), expected.replace(json.dumps(path), json.dumps(name)))
            self.assertIn("compute;dur=", answer[1]["Server-Timing"])

    def test_curl_sends_one_image_and_many(self):
        url, path = self.server.url + "/classify?top=1", os.path.join(PHOTOS, "cat.jpg")
        curl = lambda *words: subprocess.run(["curl", "-s", *words], capture_output=True, check=True).stdout.decode()
        self.assertIn('"label": "cat"', curl("--data-binary", "@" + path, url))
        lines = [json.loads(line) for line in curl("-F", f"a=@{path}", "-F", "b=@/etc/passwd", "-F", f"c=@{path}", url).splitlines()]
        self.assertEqual([line["image"] for line in lines], ["cat.jpg", "passwd", "cat.jpg"])
        self.assertEqual([line.get("code") for line in lines], [None, "unknownFormat", None])
        self.assertIn('"label": "cat"', curl("-H", "Transfer-Encoding: chunked", "--data-binary", "@" + path, url))
        self.assertIn('"label": "cat"', curl("-H", "Expect: 100-continue", "--data-binary", "@" + path, url))

    def test_letterboxes_have_the_background(self):
        """That of the option, whether the request or the option chooses them."""
        def predictions(server, path):
            return json.loads(server.request("POST", path, photo("coffee"))[2])["predictions"]

        with Server("--background", "#ffffff") as first, Server("--background", "#ffffff", "--crop", "fit") as second:
            expected = predictions(second, "/classify")
            self.assertEqual(predictions(first, "/classify?crop=fit"), expected)
        self.assertNotEqual(predictions(self.server, "/classify?crop=fit"), expected)

    def test_invalid_requests_to_classify_are_refused(self):
        large = b"P6\n5000 5000\n255\n"
        cases = [
            ("/classify", b"", 400), ("/classify", b"text", 415), ("/classify", photo("cat")[:200], 400),
            ("/classify", large, 413), ("/classify", bytes(2_000_001), 413), ("/classify?top=0", photo("cat"), 400),
            ("/classify?top=x", photo("cat"), 400), ("/classify?model=x", photo("cat"), 404),
            ("/classify?crop=x", photo("cat"), 400), ("/classify?x=1", photo("cat"), 400), ("/classify?top=1&top=2", b"", 400),
        ]
        for path, body, status in cases:
            with self.subTest(path=path, body=body[:10]):
                answer = self.server.post(path, body)
                self.assertEqual(answer[0], status, answer)
                self.assertEqual(set(answer[1]), {"error", "code"})
        fields = {"Content-Type": "multipart/form-data; boundary=x"}
        for body in [b"--x", b"--x--", b"--x\r\n\r\n\r\n--x--", b"nothing"]:
            with self.subTest(form=body):
                self.assertEqual(self.server.post("/classify", body, fields)[0], 400)
        self.assertEqual(self.server.post("/classify", b"x", {"Content-Encoding": "br"})[0], 415)
        self.assertEqual(self.server.post("/classify", b"x", {"Content-Encoding": "gzip"})[0], 400)

    def test_forms_are_limited(self):
        part = b"--x\r\nContent-Disposition: form-data; filename=a\r\n\r\nP5 1 1 255\nx\r\n"
        fields = {"Content-Type": "multipart/form-data; boundary=x"}
        status, answer = self.server.post("/classify", part * 4097 + b"--x--", fields)
        self.assertEqual((status, answer["code"]), (413, "limitExceeded"))
        with Server("--max-body", "10000") as server:
            status, answer = server.post("/classify?top=10", part * 120 + b"--x--", fields)
            self.assertEqual((status, answer["code"]), (413, "limitExceeded"))
            status, answer = server.post("/classify?top=1", part * 120 + b"--x--", fields)
            self.assertEqual((status, answer.count(b"predictions")), (200, 120))

    def test_damaged_images_have_warnings(self):
        cut = photo("cat")[:-2000]
        status, fields, _ = self.server.request("POST", "/classify", cut)
        self.assertEqual(status, 200)
        self.assertIn("JPEG", fields["Thaw-Warning"])
        body, content_type = form([("whole.jpg", photo("cat")), ("cut.jpg", cut)])
        status, fields, _ = self.server.request("POST", "/classify", body, content_type)
        self.assertEqual(status, 200)
        self.assertTrue(fields["Thaw-Warning"].startswith("cut.jpg: "), fields["Thaw-Warning"])
        data = len(cut).to_bytes(4, "little") + cut
        head = json.dumps({"inputs": [{"name": "input", "shape": [1], "datatype": "BYTES",
                                       "parameters": {"binary_data_size": len(data)}}]}).encode()
        status, fields, _ = self.server.request(
            "POST", "/v2/models/demo/infer", head + data, {"Inference-Header-Content-Length": str(len(head))})
        self.assertEqual(status, 200)
        self.assertIn("JPEG", fields["Thaw-Warning"])

    def test_other_methods_are_refused(self):
        for method, path, status, allowed in [
            ("GET", "/classify", 405, "POST"), ("POST", "/v2", 405, "GET, HEAD"), ("DELETE", "/v2/models/demo", 405, "GET, HEAD"),
            ("PUT", "/v2/models/demo/infer", 405, "POST"), ("POST", "/nothing", 404, None), ("HEAD", "/v2", 200, None),
        ]:
            with self.subTest(method=method, path=path):
                answer = self.server.request(method, path)
                self.assertEqual((answer[0], answer[1]["Allow"]), (status, allowed))

    def test_malformed_requests_get_their_status(self):
        host = b"Host: localhost\r\n"
        cases = [
            (b"GET / HTTP/1.1\r\n\r\n", 400), (b"nonsense\r\n\r\n", None),
            (b"GET /%zz HTTP/1.1\r\n" + host + b"\r\n", 400), (b"GET /v2 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
            (b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n" + host + b"\r\n", 414),
            (b"GET / HTTP/1.1\r\n" + host + b"A: " + b"a" * 100_000 + b"\r\n\r\n", 431),
            (b"POST /classify HTTP/1.1\r\n" + host + b"Content-Length: x\r\n\r\n", 400),
            (b"POST /classify HTTP/1.1\r\n" + host + b"Content-Length: -1\r\n\r\n", 400),
            (b"POST /classify HTTP/1.1\r\n" + host + b"Content-Length: 99999999999999999999\r\n\r\n", 413),
            (b"POST /classify HTTP/1.1\r\n" + host + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            (b"POST /classify HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
            (b"POST /classify HTTP/1.1\r\n" + host + b"Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
            (b"\0\0\0\0", None), (b"", None), (b"\r\n" * 50, None),
        ]
        for data, status in cases:
            with self.subTest(data=data[:60]):
                answer = self.server.raw(data)
                if status:
                    self.assertIn(answer[:12].decode(errors="replace"), [f"HTTP/1.1 {status}", f"HTTP/1.0 {status}"])
                else:
                    self.assertTrue(not answer or answer.startswith(b"HTTP/1."), answer)
        self.assertEqual(self.server.get("/v2/health/live")[0], 200)

    def test_many_malformed_requests(self):
        """A few of every kind; `make test-serve-malformed` sends 100,000."""
        counts, _ = malformed.run(1500)
        self.assertGreater(len(counts), 75)

    def test_metrics_and_description(self):
        self.server.post("/classify", photo("cat"))
        status, fields, data = self.server.get("/metrics")
        self.assertEqual((status, fields["Content-Type"]), (200, "text/plain; version=0.0.4; charset=utf-8"))
        families = {family.name: family for family in text_string_to_metric_families(data.decode())}
        for name in ["thaw_requests", "thaw_failures", "thaw_images", "thaw_wait_seconds", "thaw_decode_seconds",
                     "thaw_compute_seconds", "thaw_queue_length", "process_resident_memory_bytes"]:
            self.assertIn(name, families)
        buckets = [sample.value for sample in families["thaw_compute_seconds"].samples if sample.name.endswith("_bucket")]
        self.assertEqual(buckets, sorted(buckets))
        self.assertGreaterEqual(buckets[-1], 1)
        description = json.loads(self.server.get("/openapi.json")[2])
        validate(description)
        for path in ["/", "/models", "/models/demo", "/v2/models/demo"]:
            self.assertEqual(self.server.get(path)[0], 200)
            self.assertIn(path.replace("demo", "{model}"), description["paths"])


    def test_access_log(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "log")
            with Server("--access-log", path) as server:
                server.request("POST", "/classify?top=1", photo("cat"), {"User-Agent": 'a "quoted"\tname'})
                server.get("/nothing")
                os.rename(path, path + ".1")
                server.process.send_signal(signal.SIGHUP)
                server.waits_for("reloaded 'demo'")
                server.get("/v2")
            with open(path + ".1") as file:
                lines = [json.loads(line) for line in file]
            with open(path) as file:
                self.assertEqual([json.loads(line)["target"] for line in file], ["/v2"])
            self.assertEqual([line["target"] for line in lines], ["/classify?top=1", "/nothing"])
            self.assertEqual([line["status"] for line in lines], [200, 404])
            self.assertEqual((lines[0]["model"], lines[0]["agent"]), ("demo", 'a "quoted"\tname'))
            self.assertTrue(lines[0]["complete"] and lines[0]["remote"] == "127.0.0.1")
            self.assertLess(lines[0]["compute_ms"], lines[0]["ms"])

    def test_a_slow_reader_of_the_log_does_not_stop_the_service(self):
        """A pipe that is ready accepts 4,096 bytes; a longer line would wait for the reader."""
        with Server("--access-log", "-") as server:
            unread = array.array("i", [0])
            while unread[0] < 40_000:
                server.get("/v2/health/live?" + "a" * 1000)
                fcntl.ioctl(server.process.stdout, termios.FIONREAD, unread)
            server.get("/v2/health/live?" + "a" * 30_000)
            self.assertEqual(server.get("/v2")[0], 200)
            targets = [""]
            while targets[-1] != "/v2":
                targets.append(json.loads(server.process.stdout.readline())["target"])
            self.assertEqual(targets[-2], ("/v2/health/live?" + "a" * 200)[:200])

    def test_drawings_need_graphviz(self):
        with tempfile.TemporaryDirectory() as folder, Server(environment={"PATH": folder}) as server:
            status, _, body = server.get("/models/demo/graph.svg")
            self.assertEqual((status, json.loads(body)["code"]), (501, "environment"))
            self.assertIn("Graphviz", json.loads(body)["error"])

    def test_a_network_is_drawn_once(self):
        """Meanwhile, another request for the drawing does not occupy a thread."""
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as pool:
            started, gate = os.path.join(folder, "started"), os.path.join(folder, "gate")
            with open(os.path.join(folder, "dot"), "w") as file:
                file.write(f"#!/bin/sh\necho >> {started}\nwhile [ ! -e {gate} ]; do sleep 0.05; done\necho '<svg/>'\n")
            os.chmod(file.name, 0o755)
            path = {"PATH": folder + ":" + os.environ["PATH"]}
            with Server("--threads", "2", environment=path) as server:
                first = pool.submit(server.get, "/models/demo/graph.svg")
                end = time.time() + 20
                while not os.path.exists(started):
                    self.assertLess(time.time(), end)
                    time.sleep(0.02)
                # A second program would wait, too.
                opening = threading.Timer(20, lambda: open(gate, "w").close())
                opening.start()
                status, fields, body = server.get("/models/demo/graph.svg")
                self.assertEqual((status, fields["Retry-After"], json.loads(body)["code"]), (503, "1", "unavailable"))
                opening.cancel()
                open(gate, "w").close()
                self.assertEqual(first.result()[0], 200)
                self.assertEqual(server.get("/models/demo/graph.svg")[::2], (200, b"<svg/>\n"))
            with open(started) as file:
                self.assertEqual(file.read(), "\n")

    def test_a_failed_drawing_is_tried_again(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "dot"), "w") as file:
                file.write("#!/bin/sh\nexit 1\n")
            os.chmod(file.name, 0o755)
            with Server(environment={"PATH": folder + ":" + os.environ["PATH"]}) as server:
                for _ in range(2):
                    status, _, body = server.get("/models/demo/graph.svg")
                    self.assertEqual((status, json.loads(body)["code"]), (500, "environment"))


class AccessTests(unittest.TestCase):
    def test_hosts_and_origins_are_checked(self):
        with Server("--origin", "https://photos.example.com") as server:
            for fields, status in [
                ({}, 200), ({"Host": "evil.example"}, 403), ({"Host": "localhost:1"}, 200), ({"Host": "photos.example.com"}, 200),
                ({"Origin": "http://evil.example"}, 403), ({"Origin": "null"}, 403), ({"Origin": server.url}, 200),
                ({"Origin": "https://photos.example.com"}, 200),
            ]:
                for path in ["/", "/v2", "/v2/health/live"]:
                    with self.subTest(fields=fields, path=path):
                        self.assertEqual(server.get(path, **fields)[0], status)
            asked = {"Origin": "https://photos.example.com", "Access-Control-Request-Method": "POST"}
            status, fields, _ = server.request("OPTIONS", "/classify", headers=asked)
            self.assertEqual((status, fields["Access-Control-Allow-Origin"]), (204, "https://photos.example.com"))
            self.assertEqual(server.request("OPTIONS", "/classify", headers=asked | {"Origin": "http://evil.example"})[0], 403)

    def test_the_token_is_required(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("secret\n")
            file.flush()
            with Server("--token-file", file.name) as server:
                for path, status in [("/", 200), ("/v2/health/live", 200), ("/v2/health/ready", 200), ("/v2", 401),
                                     ("/metrics", 401), ("/openapi.json", 401), ("/models", 401), ("/nothing", 401)]:
                    with self.subTest(path=path):
                        self.assertEqual(server.get(path)[0], status)
                        self.assertEqual(server.get(path, Authorization="Bearer wrong")[0], status)
                self.assertEqual(server.get("/v2", Authorization="Bearer secret")[0], 200)
                self.assertEqual(server.post("/classify", photo("cat"))[0], 401)

    def test_other_addresses_cause_a_warning(self):
        with Server("--host", "0.0.0.0") as server:
            self.assertIn("anyone who can connect", server.told())


if __name__ == "__main__":
    unittest.main()
