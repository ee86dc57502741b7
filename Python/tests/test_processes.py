"""Processes: forks, Control-C, and the command of an installed wheel."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from material import CAT, GRAPH, LABELS, run

pytest.importorskip("numpy")

START = textwrap.dedent(
    """
    import os, signal, sys, threading, time
    import thaw
    from PIL import Image
    # A background job of a shell ignores the signal, and its children with it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    graph, labels, cat = sys.argv[1:]
    photo = Image.open(cat).convert("RGB").resize((32, 32))
    model = thaw.convert(graph, classifier_config=thaw.ClassifierConfig(labels))
    answer = model.predict({"input": photo})["classLabel"]

    def in_child(body):
        child = os.fork()
        if child == 0:
            # A child that hangs is ended by the alarm, and found so.
            signal.alarm(20)
            try:
                body()
                os._exit(0)
            except thaw.Error as failure:
                os._exit(10 if failure.code == "forked" else 11)
            except BaseException:
                import traceback
                traceback.print_exc()
                os._exit(12)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if sys.version_info >= (3, 9) else os.waitpid(child, 0)[1] >> 8
    """
)


def script(text):
    return run(START + textwrap.dedent(text), GRAPH, LABELS, CAT)


def test_a_model_works_after_a_fork():
    printed = script(
        """
        def body():
            assert model.predict({"input": photo})["classLabel"] == answer
            assert [result.label for result in thaw.Classifier(model).classify([cat, cat], threads=2)] == [answer] * 2
        print(in_child(body), in_child(body), model.predict({"input": photo})["classLabel"] == answer)
        """
    )
    assert printed == "0 0 True"


@pytest.mark.parametrize(
    "call", ["model.predict({'input': photo})", "list(thaw.Classifier(model).classify([cat] * 4, threads=2))"]
)
def test_a_fork_during_a_call_in_another_thread_never_hangs(call):
    printed = script(
        """
        going = True
        def work():
            while going:
                CALL
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads: thread.start()
        def body():
            start = time.time()
            try:
                assert model.predict({"input": photo})["classLabel"] == answer
                assert next(thaw.Classifier(model).classify(cat)).label == answer
            except thaw.Error as failure:
                if time.time() - start > 1: os._exit(13)
                raise
        codes = {in_child(body) for _ in range(10)}
        going = False
        for thread in threads: thread.join()
        print(codes <= {0, 10}, codes)
        """.replace("CALL", call)
    )
    assert printed.startswith("True"), printed


def test_a_fork_while_another_thread_waits_for_a_result_never_hangs():
    printed = script(
        """
        class Slow:
            def __iter__(self): return self
            def __next__(self):
                waiting.set()
                time.sleep(2)
                return cat
        waiting = threading.Event()
        results = thaw.Classifier(model).classify(Slow())
        threading.Thread(target=next, args=(results,), daemon=True).start()
        waiting.wait()
        def body():
            results._images = iter([])
            next(results, None)
        print(in_child(body))
        """
    )
    # The thread was not inside the library.
    assert printed == "0"


def test_workers_of_multiprocessing_use_the_parents_model():
    printed = script(
        """
        import multiprocessing
        def work(angle):
            return model.predict({"input": photo.rotate(angle)})["classLabel"]
        expected = [work(angle) for angle in (0, 90, 180, 270)]
        with multiprocessing.get_context("fork").Pool(2) as pool:
            print(pool.map_async(work, (0, 90, 180, 270)).get(60) == expected)
        """
    )
    assert printed == "True"


@pytest.mark.parametrize("work", [
    "for _ in thaw.Classifier(model).classify(__import__('itertools').repeat(cat)): pass",
    "while True: model.predict({'input': photo})",
    "while True: thaw.convert(graph)",
])  # fmt: skip
def test_control_c_ends_a_long_call(work):
    code = START + textwrap.dedent(
        """
        # In a function: CPython 3.12 may not catch an interrupt between two rounds of a loop in the same frame.
        def work():
            {}

        print("ready", flush=True)
        try:
            work()
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            assert model.predict({{"input": photo}})["classLabel"] == answer
            sys.exit(7)
        """
    ).format(work)
    child = subprocess.Popen([sys.executable, "-c", code, GRAPH, LABELS, CAT], stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"ready\n"
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    try:
        assert child.wait(30) == 7
    finally:
        child.kill()
        child.stdout.close()


def test_control_c_loses_no_result():
    printed = script(
        """
        from thaw import _library
        waits = _library.call
        # Control-C before the wait, and during it: Python raises when the library returns, with a result or without.
        interruptions = []
        def call(name, *arguments):
            if name != "thaw_batch_next" or not interruptions:
                return waits(name, *arguments)
            interruption = interruptions.pop(0)
            if interruption == "before":
                raise KeyboardInterrupt
            status = waits(name, *arguments)
            if status == _library.TIMED_OUT:
                interruptions.insert(0, interruption)
            elif interruption == "after":
                raise KeyboardInterrupt
            return status
        images = [cat, "/nowhere.jpg", cat]
        batches = [thaw.Classifier(model).classify(given) for given in (images, iter(images))]
        _library.call = call
        for results in batches:
            interruptions[:] = ["before", "after", None, "after"]
            seen = []
            for _ in range(8):
                try:
                    seen.append(next(results).error is None)
                except KeyboardInterrupt:
                    seen.append("interrupted")
                except StopIteration:
                    break
            print(*seen)
        """
    )
    assert printed.splitlines() == ["interrupted interrupted True False interrupted True"] * 2


def test_control_c_in_a_destructor_is_not_lost():
    printed = script(
        """
        from thaw import _owner
        class Interrupted(_owner.Owner):
            def close(self):
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(1)
        try:
            Interrupted()
            for _ in range(2000): time.sleep(0.01)
            print("lost")
        except KeyboardInterrupt:
            print("interrupted")
        """
    )
    assert printed == "interrupted"


def test_the_process_ends_while_images_wait():
    script("results = thaw.Classifier(model).classify(__import__('itertools').repeat(cat)); next(results)")


def test_a_missing_library_is_reported():
    code = "import thaw\ntry: thaw.convert(b'x')\nexcept RuntimeError as failure: print(failure.code)"
    assert run(code, env=dict(os.environ, THAW_LIBRARY="/nowhere/libthaw.so")) == "environment"


def test_the_module_is_the_command():
    output = subprocess.check_output([sys.executable, "-m", "thaw", "--version"]).decode()
    assert output.startswith("thaw ")
