"""Load, limits of time and number, reloading and stopping."""
import http.client
import json
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from server import DEMO, LABELS, PROGRAM, THAW, Server, form, photo, slow_photo

PHOTO = photo("cat")
SLOW_PHOTO = slow_photo()


def resident(server):
    with open(f"/proc/{server.process.pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def running(server):
    """The number of requests in progress."""
    for line in server.get("/metrics")[2].decode().splitlines():
        if line.startswith("thaw_running_requests "):
            return int(line.split()[1])
    return 0


class LifeTests(unittest.TestCase):
    def waits(self, condition, seconds=20):
        end = time.time() + seconds
        while not condition():
            self.assertLess(time.time(), end, "waited in vain")
            time.sleep(0.02)

    def test_a_full_queue_is_refused_at_once(self):
        with Server("--queue", "2", "--threads", "1") as server, ThreadPoolExecutor(24) as pool:
            body, fields = form([(str(index), PHOTO) for index in range(20)])
            answers = list(pool.map(lambda _: server.request("POST", "/classify", body, fields), range(24)))
            statuses = [answer[0] for answer in answers]
            self.assertEqual(set(statuses), {200, 503})
            self.assertGreaterEqual(statuses.count(200), 3)
            for status, fields, data in answers:
                if status == 503:
                    self.assertEqual(fields["Retry-After"], "1")
                    self.assertEqual(json.loads(data)["code"], "unavailable")

    def test_clients_that_send_large_bodies_are_told_of_a_full_queue(self):
        """The rest of a body is read, so that the client gets the answer."""
        with Server("--queue", "1", "--threads", "1") as server, ThreadPoolExecutor(4) as pool:
            body, fields = form([(str(index), SLOW_PHOTO) for index in range(10)])
            busy = [pool.submit(server.request, "POST", "/classify", body, fields) for _ in range(4)]
            time.sleep(0.5)
            status, fields, data = server.request("POST", "/classify", bytes(8_000_000))
            self.assertEqual((status, fields["Retry-After"], json.loads(data)["code"]), (503, "1", "unavailable"))
            for request in busy:
                self.assertIn(request.result()[0], [200, 503])

    def test_a_thousand_requests_of_many_clients_get_the_same_answers(self):
        with Server("--threads", "2", "--queue", "100") as server, ThreadPoolExecutor(8) as pool:
            _, _, expected = server.request("POST", "/classify", PHOTO)
            answers = pool.map(lambda _: server.request("POST", "/classify", PHOTO), range(1000))
            self.assertEqual({(status, data) for status, _, data in answers}, {(200, expected)})

    def test_slow_clients_are_cut_off(self):
        """A client that sends one byte at a time is treated like a silent one."""
        with Server("--timeout", "1") as server:
            heads = [b"GET /v2 HTTP/1.1\r\nHost: localhost\r\nA: ",
                     b"POST /classify HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"]
            for head in heads:
                with socket.create_connection((server.host, server.port)) as client:
                    client.sendall(head)
                    start, received = time.time(), b""
                    client.settimeout(0.2)
                    while time.time() - start < 10:
                        try:
                            client.sendall(b"a")
                            part = client.recv(1000)
                            received += part
                            if not part:
                                break
                        except TimeoutError:
                            continue
                        except OSError:
                            break
                    self.assertLess(time.time() - start, 5)
                    self.assertIn(b" 408 ", received)
            # A client that sends nothing at all.
            with socket.create_connection((server.host, server.port)) as client:
                client.settimeout(10)
                start = time.time()
                client.recv(1000)
                self.assertLess(time.time() - start, 5)
            self.assertEqual(server.get("/v2/health/live")[0], 200)

    def test_idle_connections_are_cheap(self):
        with Server() as server:
            server.post("/classify", PHOTO)
            before = resident(server)
            clients = [socket.create_connection((server.host, server.port)) for _ in range(1000)]
            for client in clients:
                client.sendall(b"GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n")
            for client in clients:
                self.assertIn(b"200 OK", client.recv(1000))
            taken = resident(server) - before
            print(f"1,000 idle connections: {taken / 1e6:.1f} MB")
            self.assertLess(taken, 50e6)
            for client in clients:
                client.close()

    def test_reloading_drops_no_request(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "net.pb")
            shutil.copy(DEMO, path)
            with Server(models=["demo=" + path]) as server, ThreadPoolExecutor(2) as pool:
                stop = threading.Event()

                def work():
                    statuses = set()
                    while not stop.is_set():
                        statuses.add(server.post("/classify?top=1", PHOTO)[0])
                    return statuses

                running = [pool.submit(work) for _ in range(2)]
                server.process.send_signal(signal.SIGHUP)
                server.waits_for("reloaded 'demo'")
                with open(path + ".new", "wb") as file:
                    file.write(b"broken")
                os.rename(path + ".new", path)
                server.process.send_signal(signal.SIGHUP)
                server.waits_for("kept the old 'demo'")
                stop.set()
                for future in running:
                    self.assertEqual(future.result(), {200})

    def test_models_do_not_depend_on_their_files(self):
        """A file that is truncated, even while it is being loaded, never ends the service."""
        with tempfile.TemporaryDirectory() as folder:
            for kind in ["net.pb", "net.mlmodel", "net.mlpackage", "link.pb"]:
                with self.subTest(kind=kind), ThreadPoolExecutor(1) as pool:
                    path = os.path.join(folder, kind)
                    if kind.endswith(".pb"):
                        shutil.copy(DEMO, path if kind == "net.pb" else path + ".target")
                        if kind == "link.pb":
                            os.symlink(path + ".target", path)
                        large = path
                    else:
                        words = [THAW, "convert", DEMO, "--labels", LABELS, "-o", path]
                        subprocess.run(words, check=True, capture_output=True)
                        large = os.path.join(path, "Data/com.apple.CoreML/weights/weight.bin") if os.path.isdir(path) else path
                    with open(large, "rb") as file:
                        content = file.read()
                    labels = LABELS if kind.endswith(".pb") else None
                    with Server(models=["demo=" + path], labels=labels) as server:
                        expected = server.post("/classify", PHOTO)
                        self.assertEqual(expected[0], 200)
                        os.truncate(large, 0)
                        self.assertEqual(server.post("/classify", PHOTO), expected)
                        server.process.send_signal(signal.SIGHUP)
                        server.waits_for("kept the old 'demo'")
                        self.assertEqual(server.post("/classify", PHOTO), expected)
                        stop = threading.Event()

                        def change():
                            chance = random.Random(1)
                            while not stop.is_set():
                                with open(large, "r+b") as file:
                                    file.write(content)
                                # Long enough to be opened when it is whole, and truncated at any time after.
                                time.sleep(chance.uniform(0, 0.2))
                                os.truncate(large, len(content) // 2)

                        changing = pool.submit(change)
                        try:
                            for count in range(10):
                                server.process.send_signal(signal.SIGHUP)
                                self.waits(lambda: server.told().count("'demo'") >= count + 2)
                        finally:
                            stop.set()
                        changing.result()
                        self.assertIsNone(server.process.poll(), server.told())
                        # All of it may have been there at times.
                        self.assertEqual(server.post("/classify", PHOTO), expected)
                        with open(large, "wb") as file:
                            file.write(content)
                        server.process.send_signal(signal.SIGHUP)
                        self.waits(lambda: server.told().endswith("reloaded 'demo'\n"))
                        self.assertEqual(server.post("/classify", PHOTO), expected)

    def test_the_program_names_itself(self):
        for option, expected in [("--version", r"thaw-serve \d+\.\d+\.\d+"), ("--help", r"usage: thaw-serve .+ options\.")]:
            result = subprocess.run([PROGRAM, option], capture_output=True, text=True, timeout=60)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertRegex(result.stdout, rf"(?s)\A{expected}\n\Z")

    def test_without_threads_it_does_not_start(self):
        limited = lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        words = [PROGRAM, DEMO, "--port", "0", "--threads", "1024"]
        result = subprocess.run(words, capture_output=True, text=True, preexec_fn=limited, timeout=60)
        self.assertEqual(result.returncode, 2, result)
        self.assertRegex(result.stderr, r"(?m)^thaw serve: no thread can be started: .+\n\Z")

    def test_a_model_that_cannot_run_is_named(self):
        words = [PROGRAM, "old=" + DEMO, "--port", "0", "--precision", "int8"]
        result = subprocess.run(words, capture_output=True, text=True, timeout=60)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertTrue(result.stderr.startswith(f"thaw serve: {DEMO}: the model has no "), result.stderr)

    def test_stopping_finishes_requests(self):
        server = Server("--grace", "60")
        with ThreadPoolExecutor(1) as pool:
            body, fields = form([(str(index), SLOW_PHOTO) for index in range(10)])
            request = pool.submit(server.request, "POST", "/classify", body, fields)
            self.waits(lambda: running(server) == 1)
            self.assertEqual(server.stop(timeout=60), 0)
            status, _, data = request.result()
            self.assertEqual((status, data.count(b"\n")), (200, 10))
        with self.assertRaises(ConnectionRefusedError):
            server.get("/v2")

    def test_grace_is_limited(self):
        server = Server("--grace", "0")
        with ThreadPoolExecutor(1) as pool:
            body, fields = form([(str(index), SLOW_PHOTO) for index in range(40)])
            request = pool.submit(server.request, "POST", "/classify", body, fields)
            self.waits(lambda: running(server) == 1)
            self.assertEqual(server.stop(timeout=20), 1)
            self.assertIn("1 request in progress", server.told())
            with self.assertRaises((OSError, http.client.HTTPException)):
                request.result()

    def test_a_killed_server_never_seems_to_have_finished(self):
        """Clients see a whole answer, or an error."""
        body, fields = form([(str(index), PHOTO) for index in range(3)])
        for _ in range(3):
            server = Server()
            with ThreadPoolExecutor(4) as pool:
                def work(_):
                    try:
                        status, _, data = server.request("POST", "/classify?top=1", body, fields)
                        return status != 200 or data.count(b"\n") == 3
                    except Exception:
                        return True
                running = [pool.submit(work, index) for index in range(8)]
                time.sleep(0.6)
                server.process.kill()
                server.process.wait()
                server.process.stdout.close()
                self.assertTrue(all(future.result() for future in running))


if __name__ == "__main__":
    unittest.main()
