"""The page in a real Chromium."""
import os
import shutil
import tempfile
import time
import unittest

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from server import DEMO, LABELS, PHOTOS, Server, photo

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
HOSTILE = "<img src=x onerror=document.title='bad'>"


def path(name):
    return os.path.join(PHOTOS, name + ".jpg")


@unittest.skipUnless(CHROMIUM and DRIVER, "Debian's chromium and chromium-driver are not installed")
class PageTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for word in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,900",
                     "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]:
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        cls.browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
        cls.folder = tempfile.TemporaryDirectory()
        # The same network with other labels: it disagrees with itself.
        with open(LABELS) as file:
            names = file.read().split()
        cls.labels = os.path.join(cls.folder.name, "labels.txt")
        with open(cls.labels, "w") as file:
            file.write("\n".join([names[0], *[f"{name} {HOSTILE}" for name in names[1:]]]) + "\n")
        cls.server = Server("--labels", "one=" + LABELS, "--labels", "two=" + cls.labels,
                            models=["one=" + DEMO, "two=" + DEMO], labels=None)

    @classmethod
    def tearDownClass(cls):
        cls.browser.quit()
        assert cls.server.stop() == 0
        cls.folder.cleanup()

    def setUp(self):
        self.open(self.server.url)

    def open(self, url):
        self.browser.get(url)
        self.until("document.body.classList.contains('ready')")

    def run_script(self, text, *values):
        return self.browser.execute_script(text, *values)

    def until(self, condition, seconds=60):
        end = time.time() + seconds
        while time.time() < end:
            if self.run_script("return " + condition):
                return
            time.sleep(0.05)
        self.fail(condition + "\n" + str(self.browser.get_log("browser")))

    def use_one_model(self):
        self.run_script("byId('other').value = ''; byId('other').dispatchEvent(new Event('change', {bubbles: true}))")

    def choose(self, *files):
        count = self.run_script("return photos.all.length")
        self.browser.find_element(By.ID, "files").send_keys("\n".join(files))
        self.until(f"photos.all.length === {count + len(files)} && photos.running === 0")

    def texts(self, selector):
        # Selenium sees no text in what is just fading in.
        self.until("document.getAnimations().every((one) => one.playState === 'finished' || one.effect.getTiming().iterations === Infinity)")
        return [element.text for element in self.browser.find_elements(By.CSS_SELECTOR, selector)]

    def tearDown(self):
        problems = [entry["message"] for entry in self.browser.get_log("browser") if "Content Security Policy" in entry["message"]
                    or "Uncaught" in entry["message"]]
        self.assertEqual(problems, [])

    def test_one_photo(self):
        self.use_one_model()
        self.choose(path("cat"))
        self.assertTrue(self.run_script("return document.body.classList.contains('single')"))
        self.assertEqual(self.texts(".best .label"), ["cat"])
        self.assertIn("99.3", self.texts(".best .number")[0])
        self.assertIn("network", self.texts(".times")[0])
        self.until("byId('status').textContent.startsWith('cat, 99')")

    def test_two_models_disagree_first(self):
        self.choose(*[path(name) for name in ["cat", "coffee", "horse", "rocket"]])
        self.assertEqual(len(self.texts(".card")), 4)
        # Only the first label is the same in both lists.
        differ = self.run_script("return [...document.querySelectorAll('.card')].map((card) => card.classList.contains('differs'))")
        self.assertEqual(differ, sorted(differ, reverse=True))
        self.assertGreater(sum(differ), 0)
        self.assertIn("models disagree", self.texts(".badge"))
        self.assertEqual(self.run_script("return document.title.includes('bad') || document.querySelectorAll('.label img').length"), 0)
        self.browser.find_element(By.CSS_SELECTOR, "[data-show=differ]").click()
        self.assertEqual(self.run_script("return [...document.querySelectorAll('.card:not([hidden])')].length"), sum(differ))

    def test_many_files_some_unreadable(self):
        self.use_one_model()
        wrong = os.path.join(self.folder.name, HOSTILE.replace("/", "") + ".jpg")
        with open(wrong, "w") as file:
            file.write("no image")
        self.choose(*[path("cat")] * 30, wrong)
        self.assertEqual(len(self.texts(".card")), 31)
        self.assertIn("30", self.run_script("return String(photos.all.filter((photo) => !hasFailed(photo)).length)"))
        self.browser.find_element(By.CSS_SELECTOR, "[data-show=failed]").click()
        self.assertEqual([text for text in self.texts(".card h3") if text], [os.path.basename(wrong)])
        self.assertIn("is not an image", self.texts(".card.failed .error")[0])
        self.browser.find_element(By.CSS_SELECTOR, "[data-show=all]").click()
        self.browser.find_element(By.ID, "find").send_keys("CAT")
        self.until("document.querySelectorAll('.card:not([hidden])').length === 30")

    def test_dropping_and_pasting(self):
        self.use_one_model()
        for kind, event in [("drop", "new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true})"),
                            ("paste", "new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true})")]:
            with self.subTest(kind=kind):
                self.run_script(f"""
                    const bytes = new Uint8Array(arguments[0]);
                    const data = new DataTransfer();
                    data.items.add(new File([bytes], "{kind}.jpg", {{type: "image/jpeg"}}));
                    document.body.dispatchEvent({event});""", list(photo("cat")))
                self.until(f"photos.running === 0 && photos.all.at(-1)?.name === '{kind}.jpg' && isDone(photos.all.at(-1))")
        self.assertEqual(self.texts(".best .label"), ["cat", "cat"])

    def test_the_page_waits_until_the_server_is_back(self):
        server = Server(models=["one=" + DEMO])
        self.open(server.url)
        port = server.port
        self.choose(path("cat"))
        server.stop()
        self.browser.find_element(By.ID, "files").send_keys(path("horse"))
        self.until("!byId('banner').hidden")
        self.assertIn("is not responding", self.texts("#banner")[0])
        again = Server("--port", str(port), models=["one=" + DEMO])
        self.until("byId('banner').hidden && photos.running === 0 && photos.all.every(isDone)")
        self.assertEqual(len(self.texts(".best .label")), 2)
        again.stop()
        self.browser.get("about:blank")
        self.browser.get_log("browser")

    def test_details_and_snippets(self):
        self.browser.find_element(By.ID, "show-details").click()
        self.until("document.querySelector('#details .facts')")
        self.assertIn("red: y = 0.00784314 · x − 1", self.texts("#details pre"))
        self.browser.find_element(By.CSS_SELECTOR, "#details input[type=search]").send_keys("frog")
        self.assertEqual(len(self.texts("#details .labels li")), 1)
        self.browser.find_element(By.CSS_SELECTOR, ".drawing button").click()
        self.until("document.querySelector('.sheet img')?.naturalWidth > 0 || document.querySelector('.drawing .error')")
        if shutil.which("dot"):
            self.assertTrue(self.run_script("return document.querySelector('.sheet img').naturalWidth > 100"))
        self.browser.find_element(By.CSS_SELECTOR, "body").send_keys(Keys.ESCAPE)
        self.until("!byId('details').open")
        self.browser.find_element(By.ID, "show-snippets").click()
        self.until("document.querySelectorAll('#snippets pre').length >= 4")
        self.assertIn(self.server.url + "/classify?model=one", self.texts("#snippets pre")[0])
        self.browser.find_element(By.CSS_SELECTOR, "#snippets .copy").click()
        self.until("['Copied', 'Selected'].includes(document.querySelector('#snippets .copy').textContent)")

    def test_camera(self):
        self.use_one_model()
        self.browser.find_element(By.ID, "camera").click()
        self.until("document.querySelectorAll('#live li').length === 3")
        self.browser.find_element(By.ID, "shutter").click()
        self.until("photos.all.length === 1 && photos.running === 0 && !byId('camera-dialog').open")
        self.assertEqual(len(self.texts(".best .label")), 1)

    def test_token(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("secret")
            file.flush()
            with Server("--token-file", file.name) as server:
                self.browser.get(server.url)
                self.until("byId('token-dialog').open")
                for token, isRight in [("wrong", False), ("secret", True)]:
                    self.browser.find_element(By.ID, "token").send_keys(token + Keys.ENTER)
                    self.until("document.body.classList.contains('ready')" if isRight else "!byId('token-wrong').hidden")
                self.choose(path("cat"))
                self.assertEqual(self.texts(".best .label"), ["cat"])
                self.assertFalse(self.run_script("return localStorage.length + sessionStorage.length + document.cookie.length"))
                self.browser.get("about:blank")

    def test_keyboard_and_names(self):
        """Everything can be reached with Tab, and has a name for screen readers."""
        self.choose(path("cat"))
        reached = set()
        for _ in range(25):
            self.browser.switch_to.active_element.send_keys(Keys.TAB)
            reached.add(self.run_script("const e = document.activeElement; return e.id || e.dataset.show || e.className"))
        for name in ["model", "other", "crop", "show-details", "show-snippets", "choose", "camera", "save", "clear"]:
            self.assertIn(name, reached)
        self.assertTrue(any("card" in name for name in reached))
        nameless = self.run_script("""return [...document.querySelectorAll("button, select, input:not([hidden])")].filter((e) =>
            !e.textContent.trim() && !e.ariaLabel && !e.labels?.length && !e.placeholder).map((e) => e.outerHTML)""")
        self.assertEqual(nameless, [])

    def test_narrow_and_dark(self):
        for scheme in ["light", "dark"]:
            self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                         {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True})
            self.browser.execute_cdp_cmd(
                "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            self.open(self.server.url)
            self.choose(path("cat"))
            # Next to a long label of the other model, too.
            room = self.run_script("return [...document.querySelectorAll('.best .label')].map((e) => [e.scrollWidth, e.clientWidth])")
            self.assertEqual(len(room), 2)
            for needed, given in room:
                self.assertLessEqual(needed, given)
                self.assertGreater(given, 80)
            self.choose(path("coffee"))
            self.assertLessEqual(self.run_script("return document.documentElement.scrollWidth"), 360)
            color = self.run_script("return getComputedStyle(document.body).backgroundColor")
            self.assertEqual(int(color.split("(")[1].split(",")[0]) < 128, scheme == "dark")
        self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


if __name__ == "__main__":
    unittest.main()
