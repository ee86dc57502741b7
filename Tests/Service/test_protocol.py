"""The Open Inference Protocol, with Triton's own client and with handwritten requests."""
import base64
import gzip
import io
import json
import struct
import unittest

import numpy
import tritonclient.http as triton
from PIL import Image
from server import Server, photo
from tritonclient.utils import InferenceServerException

NAMES = ["cat", "coffee"]


def pixels(name):
    """A photo as the network takes it."""
    image = Image.open(io.BytesIO(photo(name))).convert("RGB").resize((32, 32), Image.BILINEAR)
    return numpy.asarray(image, numpy.uint8)


class ProtocolTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.client = triton.InferenceServerClient(cls.server.address)
        cls.expected = []
        for name in NAMES:
            status, answer = cls.server.post("/classify?top=10", photo(name))
            assert status == 200, answer
            row = numpy.zeros(10, numpy.float32)
            for guess in answer["predictions"]:
                row[guess["index"]] = guess["probability"]
            cls.expected.append(row)
        cls.expected = numpy.array(cls.expected)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        assert cls.server.stop() == 0

    def infer(self, request, path="/v2/models/demo/infer", headers={}):
        body = request if isinstance(request, bytes) else json.dumps(request).encode()
        return self.server.post(path, body, headers)

    def image_input(self, binary=True, names=NAMES):
        batch = numpy.array([pixels(name) for name in names])
        given = triton.InferInput("input", batch.shape, "UINT8")
        given.set_data_from_numpy(batch, binary_data=binary)
        return given

    def test_health_and_metadata(self):
        self.assertTrue(self.client.is_server_live())
        self.assertTrue(self.client.is_server_ready())
        self.assertTrue(self.client.is_model_ready("demo"))
        self.assertTrue(self.client.is_model_ready("demo", "1"))
        self.assertFalse(self.client.is_model_ready("demo", "2"))
        self.assertFalse(self.client.is_model_ready("other"))
        metadata = self.client.get_server_metadata()
        self.assertEqual(metadata["name"], "thaw")
        self.assertEqual(metadata["extensions"], ["binary_tensor_data", "classification"])
        model = self.client.get_model_metadata("demo")
        self.assertEqual(model["inputs"], [{"name": "input", "datatype": "UINT8", "shape": [-1, 32, 32, 3]}])
        self.assertEqual(model["outputs"], [{"name": "probabilities", "datatype": "FP32", "shape": [-1, 10]}])

    def test_other_calls_of_the_client_get_404(self):
        calls = [
            lambda: self.client.get_model_config("demo"), self.client.get_model_repository_index,
            lambda: self.client.load_model("demo"), self.client.get_inference_statistics,
            self.client.get_system_shared_memory_status, self.client.get_trace_settings,
        ]
        for call in calls:
            with self.assertRaises(InferenceServerException) as caught:
                call()
            self.assertEqual(caught.exception.status(), "404")

    def test_pixels_give_the_results_of_classify(self):
        for binary in [True, False]:
            for output in [True, False]:
                wanted = triton.InferRequestedOutput("probabilities", binary_data=output)
                result = self.client.infer("demo", [self.image_input(binary)], outputs=[wanted], request_id="seven")
                numpy.testing.assert_allclose(result.as_numpy("probabilities"), self.expected, atol=2e-3)
                self.assertEqual(result.get_response()["id"], "seven")
                self.assertEqual(result.get_response()["model_version"], "1")

    def test_binary_and_json_give_the_same_values(self):
        binary = self.client.infer("demo", [self.image_input(True)]).as_numpy("probabilities")
        wanted = triton.InferRequestedOutput("probabilities", binary_data=False)
        text = self.client.infer("demo", [self.image_input(False)], outputs=[wanted]).as_numpy("probabilities")
        numpy.testing.assert_array_equal(binary, text.astype(numpy.float32))

    def test_encoded_images(self):
        images = numpy.array([photo(name) for name in NAMES], dtype=object)
        given = triton.InferInput("input", images.shape, "BYTES")
        given.set_data_from_numpy(images)
        result = self.client.infer("demo", [given]).as_numpy("probabilities")
        numpy.testing.assert_array_equal(result, self.expected)
        status, answer = self.infer({"inputs": [{
            "name": "input", "datatype": "BYTES", "shape": [2], "parameters": {"content_type": "base64"},
            "data": [base64.b64encode(image).decode() for image in images]}]})
        self.assertEqual(status, 200, answer)
        numpy.testing.assert_array_equal(numpy.float32(answer["outputs"][0]["data"]).reshape(2, 10), self.expected)

    def test_an_empty_list_of_outputs_means_all(self):
        status, answer = self.infer({"outputs": [], "inputs": [{
            "name": "input", "datatype": "BYTES", "shape": [1], "parameters": {"content_type": "base64"},
            "data": [base64.b64encode(photo(NAMES[0])).decode()]}]})
        self.assertEqual((status, [output["name"] for output in answer["outputs"]]), (200, ["probabilities"]))

    def test_classification(self):
        for binary in [True, False]:
            wanted = triton.InferRequestedOutput("probabilities", binary_data=binary, class_count=2)
            result = self.client.infer("demo", [self.image_input()], outputs=[wanted]).as_numpy("probabilities")
            self.assertEqual(result.shape, (2, 2))
            for row, expected in zip(result, self.expected):
                value, index, label = (row[0].decode() if isinstance(row[0], bytes) else row[0]).split(":")
                self.assertEqual(int(index), int(expected.argmax()))
                self.assertAlmostEqual(float(value), float(expected.max()), delta=2e-3)
                self.assertFalse(label.isdigit())

    def test_classification_without_labels(self):
        with Server(labels=None) as server, triton.InferenceServerClient(server.address) as client:
            wanted = triton.InferRequestedOutput("probabilities", binary_data=False, class_count=3)
            given = self.image_input(names=NAMES[:1])
            result = client.infer("demo", [given], outputs=[wanted]).as_numpy("probabilities")
            indices = [int(text.split(":")[1]) for text in result[0] if text.count(":") == 1]
            self.assertEqual(indices, list(numpy.argsort(-self.expected[0])[:3]))

    def test_compression(self):
        for algorithm in ["gzip", "deflate"]:
            result = self.client.infer(
                "demo", [self.image_input()], request_compression_algorithm=algorithm,
                response_compression_algorithm="gzip")
            numpy.testing.assert_allclose(result.as_numpy("probabilities"), self.expected, atol=2e-3)
        status, _, body = self.server.request("GET", "/openapi.json", headers={"Accept-Encoding": "gzip;q=1.0, *;q=0"})
        self.assertEqual(status, 200)
        self.assertIn("paths", json.loads(gzip.decompress(body)))
        _, fields, _ = self.server.request("GET", "/openapi.json", headers={"Accept-Encoding": "gzip;q=0"})
        self.assertIsNone(fields["Content-Encoding"])

    def test_many_requests_at_once(self):
        given = self.image_input(names=NAMES[:1])
        with triton.InferenceServerClient(self.server.address, concurrency=8) as client:
            requests = [client.async_infer("demo", [given]) for _ in range(24)]
            for request in requests:
                result = request.get_result().as_numpy("probabilities")
                numpy.testing.assert_allclose(result, self.expected[:1], atol=2e-3)

    def test_invalid_requests_are_refused(self):
        """Requests that violate the protocol or do not match the model are refused with a code."""
        shape, data = [1, 32, 32, 3], [0] * 3072
        good = {"name": "input", "datatype": "UINT8", "shape": shape, "data": data}
        binary = {"name": "input", "datatype": "UINT8", "shape": shape}
        encoded = {"name": "input", "datatype": "BYTES", "shape": [1]}
        text = lambda **parts: {"inputs": [good | parts]}
        cases = [
            (b"", 400, "invalidRequest"), (b"{", 400, "invalidRequest"), (b"[]", 400, "invalidRequest"),
            (b"nul", 400, "invalidRequest"), (b'{"inputs": [], "inputs": []}', 400, "invalidRequest"),
            (b"\xff\xfe", 400, "invalidRequest"), (b'{"inputs": 1e999}', 400, "invalidRequest"),
            (b"[" * 100_000, 400, "invalidRequest"), (b'{"data":' + b"[" * 100_000, 400, "invalidRequest"),
            (b'{"a":[' + b"1," * 20_000 + b"1]}", 400, "invalidRequest"),
            ({}, 400, "invalidRequest"), ({"inputs": []}, 400, "noInput"), ({"inputs": [5]}, 400, "invalidRequest"),
            ({"inputs": [good, good]}, 400, "invalidRequest"), (text(name="x"), 400, "noSuchFeature"),
            (text(datatype="FP32"), 400, "wrongType"), (text(datatype="FLOAT"), 400, "invalidRequest"),
            (text(shape=[1, 32, 32]), 400, "wrongShape"), (text(shape=[1, 31, 32, 3]), 400, "wrongShape"),
            (text(shape=[0, 32, 32, 3], data=[]), 400, "wrongShape"), (text(shape=[-1, 32, 32, 3]), 400, "invalidRequest"),
            (text(shape=[1.5, 32, 32, 3]), 400, "invalidRequest"), (text(shape=[2, 32, 32, 3]), 400, "wrongShape"),
            (text(shape=[2**31 - 1] * 4), 413, "limitExceeded"), (text(data=data[1:]), 400, "wrongShape"),
            (text(data=data[1:] + [256]), 400, "wrongType"), (text(data=data[1:] + [0.5]), 400, "wrongType"),
            (text(data=data[1:] + ["x"]), 400, "invalidRequest"), (text(data=["x"]), 400, "wrongType"),
            (text(data=None), 400, "invalidRequest"), (text(data=5), 400, "invalidRequest"),
            (text(parameters={"shared_memory_region": "r"}), 400, "invalidRequest"),
            ({"inputs": [good], "parameters": {"sequence_id": 5}}, 400, "invalidRequest"),
            ({"inputs": [good], "outputs": [{"name": "x"}]}, 400, "noSuchFeature"),
            ({"inputs": [good], "outputs": [{"name": "probabilities"}] * 2}, 400, "invalidRequest"),
            ({"inputs": [good], "outputs": [{"name": "probabilities", "parameters": {"classification": -1}}]}, 400,
             "invalidRequest"),
            ({"inputs": [good], "id": 5}, 400, "invalidRequest"),
            ({"inputs": [encoded | {"data": ["plain"]}]}, 400, "invalidRequest"),
            ({"inputs": [encoded | {"data": ["!"], "parameters": {"content_type": "base64"}}]}, 400, "invalidRequest"),
            ({"inputs": [encoded | {"data": ["AAAA"], "parameters": {"content_type": "base64"}}]}, 415, "unknownFormat"),
            ({"inputs": [encoded | {"data": ["AAAA"], "parameters": {"content_type": "png"}}]}, 400, "invalidRequest"),
        ]
        for request, status, code in cases:
            with self.subTest(request=str(request)[:120]):
                answer = self.infer(request)
                self.assertEqual((answer[0], answer[1]["code"]), (status, code), answer)
                self.assertTrue(answer[1]["error"])
        one = lambda size: json.dumps({"inputs": [binary | {"parameters": {"binary_data_size": size}}]}).encode()
        strings = lambda size: json.dumps({"inputs": [encoded | {"parameters": {"binary_data_size": size}}]}).encode()
        lengths = [
            (one(3072), 3072, 200), (one(3072), 3071, 400), (one(3072), 3073, 400), (one(10), 10, 400),
            (one(-1), 3072, 400), (one(2**62), 3072, 400), (one("x"), 3072, 400),
        ]
        for head, count, status in lengths:
            with self.subTest(head=head, count=count):
                fields = {"Inference-Header-Content-Length": str(len(head))}
                self.assertEqual(self.infer(head + bytes(count), headers=fields)[0], status)
        for length in ["x", "-1", "0", "999999", "1"]:
            with self.subTest(length=length):
                fields = {"Inference-Header-Content-Length": length}
                self.assertEqual(self.infer(one(3072) + bytes(3072), headers=fields)[0], 400)
        for data in [b"\0", b"\xff\xff\xff\xff", struct.pack("<I", 5) + b"abc", struct.pack("<I", 0) * 2]:
            with self.subTest(strings=data):
                head = strings(len(data))
                fields = {"Inference-Header-Content-Length": str(len(head))}
                self.assertEqual(self.infer(head + data, headers=fields)[0], 400)

    def test_only_known_paths_are_found(self):
        for path, status in [
            ("/v2/models/demo/versions/2/infer", 404), ("/v2/models/other/infer", 404),
            ("/v2/models/demo/versions/1/infer", 400), ("/v2/models/..%2fetc/infer", 404),
        ]:
            with self.subTest(path=path):
                self.assertEqual(self.infer({}, path)[0], status)


if __name__ == "__main__":
    unittest.main()
