"""The examples for nginx and systemd."""
import json
import os
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from server import ROOT, Server, photo

NAME = "photos.example.com"


def deploy(name):
    with open(os.path.join(ROOT, "deploy", name)) as file:
        return file.read()


class DeployTests(unittest.TestCase):
    @unittest.skipUnless(shutil.which("nginx") and shutil.which("openssl"), "nginx or openssl is not installed")
    def test_nginx(self):
        with tempfile.TemporaryDirectory() as folder:
            token, key, certificate, site = [os.path.join(folder, name) for name in ["token", "key", "certificate", "site"]]
            with open(token, "w") as file:
                file.write("secret\n")
            subprocess.run(
                ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=" + NAME,
                 "-keyout", key, "-out", certificate], check=True, capture_output=True)
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
            # The options of the unit, which the two files share.
            command = next(line for line in deploy("thaw.service").splitlines() if line.startswith("ExecStart="))
            options = command.replace("${CREDENTIALS_DIRECTORY}/token", token).split()[2:]
            with Server(*options) as server:
                text = deploy("nginx.conf")
                for old, new in [
                    ("127.0.0.1:8080", server.address), ("listen 443", f"listen 127.0.0.1:{port}"),
                    (f"/etc/ssl/certs/{NAME}.pem", certificate), (f"/etc/ssl/private/{NAME}.key", key),
                ]:
                    self.assertIn(old, text)
                    text = text.replace(old, new)
                with open(site, "w") as file:
                    file.write(
                        f"daemon off; master_process off; pid {folder}/pid; error_log {folder}/errors; events {{}}\n"
                        f"http {{ access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;\n"
                        f"fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;\n{text} }}\n")
                proxy = subprocess.Popen(["nginx", "-p", folder, "-c", site], stderr=subprocess.DEVNULL)
                try:
                    self.use(port)
                finally:
                    proxy.terminate()
                    proxy.wait(20)

    def use(self, port):
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE

        def ask(path, data=None, host=NAME, **fields):
            request = urllib.request.Request(f"https://127.0.0.1:{port}{path}", data, fields | {"Host": host})
            try:
                with urllib.request.urlopen(request, timeout=60, context=trusting) as answer:
                    return answer.status, answer.read()
            except urllib.error.HTTPError as error:
                return error.code, error.read()

        end = time.time() + 20
        while True:
            try:
                status, page = ask("/")
                break
            except OSError:
                self.assertLess(time.time(), end)
                time.sleep(0.05)
        self.assertEqual(status, 200)
        self.assertIn(b"<title>", page)
        bearer = {"Authorization": "Bearer secret"}
        self.assertEqual(ask("/v2")[0], 401)
        self.assertEqual(ask("/v2", **bearer)[0], 200)
        status, body = ask("/classify?top=1", photo("cat"), **bearer, Origin="https://" + NAME)
        self.assertEqual((status, json.loads(body)["predictions"][0]["label"]), (200, "cat"))
        self.assertEqual(ask("/classify", photo("cat"), **bearer, Origin="https://evil.example")[0], 403)
        self.assertEqual(ask("/v2", **bearer, host="evil.example")[0], 403)
        self.assertEqual(ask("/metrics", **bearer)[0], 200)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is not installed")
    def test_systemd_unit(self):
        with tempfile.TemporaryDirectory() as folder:
            unit = os.path.join(folder, "thaw.service")
            with open(unit, "w") as file:
                # The program need not be installed.
                file.write(deploy("thaw.service").replace("/usr/local/bin/thaw-serve", shutil.which("true")))
            result = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
            about = [line for line in (result.stdout + result.stderr).splitlines() if "thaw" in line]
            self.assertEqual((result.returncode, about), (0, []))
            words = ["systemd-analyze", "security", "--offline=yes", "--threshold=30", unit]
            result = subprocess.run(words, capture_output=True, text=True)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
