"""The OpenAPI description: the service gives every response that it documents, and documents every response."""
import http.client
import io
import json
import os
import socket
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from server import DEMO, LABELS, ROOT, Server, form, photo

FIXTURES = os.path.join(ROOT, "Tests/Fixtures")
MODELS = [
    "demo=" + DEMO, f"network={FIXTURES}/converted/mobilenet_v3_program.mlpackage",
    f"pipeline={FIXTURES}/pipelines/iris_tree.mlmodel", f"detector={FIXTURES}/detectors/yolo11.mlmodel",
]
MAX_BODY = 100_000
IMAGE = {"name": "input", "datatype": "UINT8", "shape": [1, 32, 32, 3], "data": [0] * 3072}
HEADERS = ["Server-Timing", "Thaw-Warning", "Inference-Header-Content-Length", "Retry-After", "WWW-Authenticate"]
# The status for clients that have closed their side of the connection.
CLOSED = "499"


class Response:
    """A response that has been received as bytes."""

    def __init__(self, data):
        self.data = data
        parsed = http.client.HTTPResponse(self)
        parsed.begin()
        self.status, self.headers, self.body = parsed.status, parsed.headers, parsed.read()

    def makefile(self, *_):
        return io.BytesIO(self.data)


def message(method, target, fields={}, body=b"", version="HTTP/1.1"):
    """A request after which the service closes the connection."""
    lines = {"Host": "localhost", "Connection": "close"} | ({"Content-Length": len(body)} if body else {}) | fields
    head = f"{method} {target} {version}\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items())
    return head.encode() + b"\r\n" + body


def send(server, *request, timeout=20, **parts):
    return Response(server.raw(message(*request, **parts), timeout))


def closed(schema, isPart=False):
    """The schema with no other members of objects than the documented ones."""
    schema = dict(schema)
    if not isPart and ("properties" in schema or "allOf" in schema):
        schema["unevaluatedProperties"] = False
    if "properties" in schema:
        schema["properties"] = {name: closed(value) for name, value in schema["properties"].items()}
    if "items" in schema:
        schema["items"] = closed(schema["items"])
    if "allOf" in schema:
        schema["allOf"] = [closed(part, isPart=True) for part in schema["allOf"]]
    return schema


class Description:
    """The description that a service gives, and the responses that have been compared with it."""

    def __init__(self, server):
        document = json.loads(server.get("/openapi.json")[2])
        validate(document)
        self.document, self.used = document, set()
        paths = self.resolved(document["paths"])
        unused = [f"{kind}/{name}" for kind, parts in document["components"].items() for name in parts
                  if kind != "securitySchemes" and f"#/components/{kind}/{name}" not in self.used]
        assert not unused, f"nothing refers to {unused}"
        self.operations = {
            (path, method.upper()): operation for path, item in paths.items() for method, operation in item.items()}
        self.seen = {key: set() for key in self.operations}

    def resolved(self, value):
        """The value with what its references refer to."""
        if isinstance(value, list):
            return [self.resolved(element) for element in value]
        if not isinstance(value, dict):
            return value
        if "$ref" not in value:
            return {name: self.resolved(member) for name, member in value.items()}
        self.used.add(value["$ref"])
        target = self.document
        for name in value["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        return self.resolved(target) | {name: member for name, member in value.items() if name != "$ref"}

    def check(self, key, response):
        """Fails if the response is not one that the operation documents."""
        where = f"{key}: {response.status}, {response.headers.items()}, {response.body[:300]}"
        documented = self.operations[key]["responses"].get(str(response.status))
        assert documented, "not documented: " + where
        self.seen[key].add(str(response.status))
        for name, header in documented.get("headers", {}).items():
            assert name in response.headers or not header.get("required"), f"no {name}: {where}"
            if name in response.headers and header["schema"]["type"] == "integer":
                assert response.headers[name].isdigit(), where
        # The first two may also come with errors, where they matter little.
        for name in HEADERS[0 if response.status < 400 else 2:]:
            assert name not in response.headers or name in documented.get("headers", {}), f"{name} is not documented: {where}"
        if "content" not in documented:
            assert "Content-Type" not in response.headers, where
            return
        content = documented["content"].get(response.headers.get_content_type())
        assert content, "the type is not documented: " + where
        isJSON = response.headers.get_content_type() == "application/json"
        value = json.loads(response.body) if isJSON else response.body.decode("latin-1")
        Draft202012Validator(closed(content["schema"])).validate(value)


def valid(path, method):
    """The body of a request that is answered with status 200."""
    if method == "GET":
        return b""
    return photo("cat") if path == "/classify" else json.dumps({"inputs": [IMAGE]}).encode()


def graphviz(folder, line):
    """A folder with a layout program that only does this."""
    os.mkdir(folder)
    with open(os.path.join(folder, "dot"), "w") as file:
        file.write(f"#!/bin/sh\n{line}\n")
    os.chmod(file.name, 0o755)
    return folder


class DescriptionTests(unittest.TestCase):
    def test_responses(self):
        """One test, since all of the service's responses together must be the documented ones."""
        with tempfile.TemporaryDirectory() as folder:
            token = os.path.join(folder, "token")
            with open(token, "w") as file:
                file.write("secret")
            drawing, failing = (graphviz(os.path.join(folder, line), line) for line in ["echo drawing", "exit 1"])
            words = ["--max-body", str(MAX_BODY)]
            with Server(*words, models=MODELS, labels="demo=" + LABELS, environment={"PATH": drawing}) as server:
                self.description = Description(server)
                self.check_models(server)
                self.check_operations(server)
                self.check_full_memory(server)
            with Server("--token-file", token) as server:
                self.check_all(server, lambda method, target: message(method, target, {"Authorization": "Bearer wrong"}))
            with Server("--timeout", "1", environment={"PATH": failing}) as server:
                self.check("/models/{model}/graph.svg", "GET", send(server, "GET", "/models/demo/graph.svg"))
                self.check_all(server, lambda method, target: message(method, target)[:-2])
                self.check_closed(server)
        for key, operation in self.description.operations.items():
            with self.subTest(key=key):
                self.assertEqual(self.description.seen[key], set(operation["responses"]))

    def check(self, path, method, response, status=None):
        with self.subTest(path=path, method=method, status=status):
            self.description.check((path, method), response)
            if status:
                self.assertEqual(response.status, status)

    def check_all(self, server, request):
        """Sends a request to each operation, all at once because the answer may take a while."""
        with ThreadPoolExecutor(32) as pool:
            answers = [
                (path, method, pool.submit(server.raw, request(method, self.target(path)), 20))
                for path, method in self.description.operations]
            for path, method, answer in answers:
                self.check(path, method, Response(answer.result()))

    @staticmethod
    def target(path, model="demo"):
        return path.replace("{model}", model).replace("{version}", "1")

    def check_models(self, server):
        """All that can be asked about models of each kind."""
        for path, method in self.description.operations:
            if "{model}" in path and method == "GET":
                for model in [text.partition("=")[0] for text in MODELS]:
                    drawn = not path.endswith("graph.svg") or model in ["demo", "network"]
                    self.check(path, method, send(server, "GET", self.target(path, model)), 200 if drawn else 400)
        models = {model["name"]: model for model in json.loads(server.get("/models")[2])["models"]}
        self.assertEqual([name for name in models if "width" in models[name]], ["demo", "network"])
        self.assertEqual([name for name in models if models[name]["classifies"]], ["demo", "network"])

    def check_operations(self, server):
        for path, method in self.description.operations:
            target, body = self.target(path), valid(path, method)
            query = "?model=demo" if path == "/classify" else ""
            cases = [
                (200, message(method, target + query, {}, body)),
                (400, message(method, target + "?a=1&a=1", {}, body)),
                (403, message(method, target, {"Host": "evil.example"}, body)),
                (403, message(method, target, {"Origin": "http://evil.example"}, body)),
                (413, message(method, target, {}, bytes(MAX_BODY + 1))),
                (414, message(method, target + "?" + "a" * 100_000, {}, body)),
                (431, message(method, target, {"A": "a" * 100_000}, body)),
                (501, message(method, target, {"Transfer-Encoding": "gzip"})),
                (505, message(method, target, version="HTTP/9.0")),
            ]
            if "{model}" in path:
                cases.append((404, message(method, self.target(path, "other"), {}, body)))
            if "{version}" in path:
                cases.append((404, message(method, target.replace("versions/1", "versions/2"), {}, body)))
            if method == "POST":
                cases.append((415, message(method, target + query, {"Content-Encoding": "br"}, body)))
                cases.append((400, message(method, target + query)))
            if path == "/classify":
                several, fields = form([("a", body), ("b", b"text")])
                cases += [
                    (404, message(method, target + "?model=other", {}, body)),
                    (415, message(method, target + query, {}, b"text")),
                    (200, message(method, target + query, {}, body[:-2000])),
                    (200, message(method, target + query, fields, several)),
                ]
            if path.endswith("/infer"):
                request = {"inputs": [IMAGE], "id": "seven", "outputs": [
                    {"name": "probabilities", "parameters": {"binary_data": True, "classification": 2}}]}
                cases.append((200, message(method, target, {}, json.dumps(request).encode())))
            for status, request in cases:
                self.check(path, method, Response(server.raw(request, 20)), status)
            # Another method than those of the path.
            other = "POST" if method == "GET" else "GET"
            for name in [other, "DELETE"]:
                response = send(server, name, target)
                self.assertEqual((response.status, response.headers["Allow"]), (405, "GET, HEAD" if method == "GET" else "POST"))

    def check_full_memory(self, server):
        """Bodies in progress take all memory, which is eight times the largest body."""
        head = message("POST", "/classify", {"Content-Length": MAX_BODY})
        clients = [socket.create_connection((server.host, server.port)) for _ in range(8)]
        try:
            for client in clients:
                client.sendall(head + bytes(MAX_BODY - 1))
            end = time.time() + 20
            while send(server, "GET", "/v2", body=bytes(100)).status != 503:
                self.assertLess(time.time(), end)
            for path, method in self.description.operations:
                self.check(path, method, send(server, method, self.target(path), body=bytes(100)), 503)
        finally:
            for client in clients:
                client.close()

    def check_closed(self, server):
        """Clients that close their side, which they may do before or after the work begins."""
        for path, method in self.description.operations:
            seen, end = self.description.seen[path, method], time.time() + 20
            while CLOSED in self.description.operations[path, method]["responses"] and CLOSED not in seen:
                self.assertLess(time.time(), end, path)
                with socket.create_connection((server.host, server.port), timeout=20) as client, client.makefile("rb") as file:
                    client.sendall(message(method, self.target(path), {}, valid(path, method)))
                    client.shutdown(socket.SHUT_WR)
                    if data := file.read():
                        self.check(path, method, Response(data))


if __name__ == "__main__":
    unittest.main()
