# SPDX-License-Identifier: BSD-3-Clause
"""What notebooks show of runs, and the notebooks of the examples."""

import base64
import html.parser
import io
import os
import re
import sys
import tempfile
import unittest

import hybridsched as hs
from common import InFolder, SOURCE, has

EXAMPLES = os.path.join(SOURCE, "python/examples")


class Page(html.parser.HTMLParser):
    """The tags and the text of an HTML page, and the drawing in it."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text, self.drawing = [], "", None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        source = dict(attributes).get("src", "")
        if tag == "img":
            kind, _, data = source.partition(",")
            assert kind == "data:image/svg+xml;base64", kind
            self.drawing = base64.b64decode(data).decode()

    def handle_data(self, data):
        self.text += data + "|"


def commands(*lines, cpus=1):
    return hs.Instance.from_frame({"id": [f"<i>{number} {line}</i>" for number, line in enumerate(lines)],
                                   "cpu": [1] * len(lines), "cpu_command": lines},
                                  cpus=cpus, gpus=0, unit="ms")


class Runs(InFolder):
    def test_page_of_a_run(self):
        inst = hs.Instance([3, 1, 2], [1, 2, 1], cpus=1, gpus=1)
        plan = hs.solve(inst, "exact")
        r = hs.run(plan, emulate_cpus=True, emulate_gpus=True, time_scale=0.01, oversubscribe=True)
        page = Page(r._repr_html_())
        self.assertLessEqual(set(page.tags), {"div", "p", "b", "table", "tr", "th", "td", "img"})
        self.assertIn("|3 of 3|", page.text)
        self.assertIn("|predicted makespan|2 s|", page.text)
        self.assertIn("deadline bound", page.drawing)
        self.assertIn("Predicted", page.drawing)

    def test_texts_of_the_user_are_no_html(self):
        r = hs.run(commands("true", "echo '<script>' >&2; exit 3"), commands=True, halt="never")
        page = Page(r._repr_html_())
        self.assertNotIn("script", page.tags)
        self.assertIn("<script>", page.text)
        self.assertIn("|<i>1 echo", page.text)
        self.assertIn("|1 of 2|", page.text)

    def test_long_runs_are_described(self):
        r = hs.run(hs.Instance([1e-6] * 2001, [1e-6] * 2001, cpus=1, gpus=0), emulate_cpus=True,
                   policy="heteroprio", oversubscribe=True)
        page = Page(r._repr_html_())
        self.assertIsNone(page.drawing)
        self.assertIn("gantt()", page.text)
        self.assertIn("<svg", r.gantt().svg)

    def test_the_run_as_a_schedule(self):
        inst = commands("true", "exit 3", "true")
        r = hs.run(inst, commands=True, retries=1, halt="never")
        self.assertEqual(len(r.achieved), 4)
        self.assertEqual(r.achieved.frame()["state"].tolist().count("aborted"), 2)
        rows = r.records()
        self.assertAlmostEqual(r.achieved.makespan, 1000 * rows["end"].max())
        self.assertEqual(r.gantt(title="Mine").svg.count("Mine"), 2)
        self.assertEqual(r.gantt().svg.count("exited with status 3"), 2)
        r.gantt("run.svg")
        r.trace("run.json")
        with open("run.json", encoding="utf-8") as file:
            self.assertEqual(file.read().count("exited with status 3"), 2)

    def test_guesses_are_no_prediction(self):
        inst = hs.Instance.from_frame({"id": ["a"], "cpu_command": ["true"]}, cpus=1, gpus=0)
        r = hs.run(inst, commands=True)
        self.assertTrue(r.guessed)
        page = Page(r._repr_html_())
        self.assertNotIn("predicted", page.text)
        self.assertNotIn("Predicted", page.drawing)
        self.assertFalse(hs.run(commands("true"), commands=True).guessed)


@unittest.skipUnless(has("tqdm"), "tqdm is missing")
class Bars(unittest.TestCase):
    def setUp(self):
        import tqdm.auto

        made = self.bars = []

        class Bar(tqdm.auto.tqdm):
            def __init__(self, *arguments, **options):
                self.output = io.StringIO()
                self.closed = False
                super().__init__(*arguments, file=self.output, **options)
                made.append(self)

            def close(self):
                self.closed = True
                super().close()

        self.addCleanup(setattr, tqdm.auto, "tqdm", tqdm.auto.tqdm)
        tqdm.auto.tqdm = Bar

    def test_bar_of_a_search(self):
        hs.solve(hs.generate("gamma", 200, cpus=7, gpus=3, seed=8), "best", time_limit=0.5,
                 progress=True)
        self.assertEqual([bar.closed for bar in self.bars], [True])
        self.assertRegex(self.bars[0].output.getvalue(), r"makespan [0-9.]+, bound [0-9.]+, gap")

    def test_bar_of_a_run(self):
        hs.run(hs.Instance([0.02] * 20, [1] * 20, cpus=1, gpus=0), emulate_cpus=True,
               policy="heteroprio", oversubscribe=True, progress=True)
        self.assertEqual([bar.closed for bar in self.bars], [True])
        self.assertEqual(self.bars[0].total, 20)
        self.assertEqual(self.bars[0].n, 20)


@unittest.skipUnless(all(map(has, ("nbclient", "ipykernel", "matplotlib", "pandas", "networkx"))),
                     "nbclient, ipykernel, matplotlib, pandas or networkx is missing")
class Examples(unittest.TestCase):
    def execute(self, name):
        """Run a notebook in a folder of its own. Return the data of all outputs."""
        import nbclient
        import nbformat
        from jupyter_client.manager import AsyncKernelManager

        book = nbformat.read(os.path.join(EXAMPLES, name), as_version=4)
        nbformat.validate(book)
        for cell in book.cells:
            self.assertFalse(cell.get("outputs"), "a stored output would age")
            self.assertIsNone(cell.get("execution_count"))
        with tempfile.TemporaryDirectory() as folder:
            settings = dict.fromkeys(("JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "MPLCONFIGDIR"), folder)

            class Kernel(AsyncKernelManager):
                """A kernel of this Python, reached by sockets in the folder."""

                def __init__(self, **options):
                    super().__init__(transport="ipc", ip=os.path.join(folder, "k"),
                                     connection_file=os.path.join(folder, "k.json"), **options)

                def format_kernel_cmd(self, extra_arguments=None):
                    return [sys.executable, *super().format_kernel_cmd(extra_arguments)[1:]]

            nbclient.NotebookClient(
                book, kernel_manager_class=Kernel, timeout=None, startup_timeout=3600,
                resources={"metadata": {"path": folder}}).execute(
                    env={**os.environ, **settings, "PYDEVD_DISABLE_FILE_VALIDATION": "1"})
        return [output["data"] for cell in book.cells for output in cell.get("outputs", ())
                if "data" in output]

    def test_table_1(self):
        found = self.execute("table1.ipynb")
        table = next(data["text/plain"] for data in found if "table 1" in data["text/plain"])
        with open(os.path.join(SOURCE, "doc/reproducing.md"), encoding="utf-8") as file:
            rows = re.findall(r"^\| ([a-z0-9-]+) \| ([0-9.]+-[0-9.]+) \| ([0-9.]+-[0-9.]+) \|", file.read(),
                                    flags=re.MULTILINE)
        documented = {row[0]: row for row in rows if row[0] in hs.algorithms().index}
        self.assertGreaterEqual(len(documented), 6)
        for row in documented.values():
            self.assertRegex(table, r"\b" + r" +".join(map(re.escape, row)) + r"\b")
        self.assertEqual(sum("image/png" in data for data in found), 1)
        self.assertEqual(sum("image/svg+xml" in data for data in found), 1)

    def test_cholesky(self):
        try:
            hs.run(hs.Instance.from_frame({"cpu": ["?"], "kernel": ["dpotrf:8"]}, cpus=1, gpus=0),
                   oversubscribe=True)
        except hs.Error as error:
            self.skipTest(str(error))
        found = self.execute("cholesky.ipynb")
        run = next(data["text/html"] for data in found if "<Run" in data["text/plain"])
        self.assertIn("|35 of 35|", Page(run).text)
        self.assertIn("Predicted", Page(run).drawing)
        compared = next(data["text/plain"] for data in found if "predicted" in data["text/plain"]
                        and "ratio" in data["text/plain"])
        predicted, achieved = map(float, re.findall(r"[0-9.]+", compared)[:2])
        self.assertGreaterEqual(achieved, 0.9 * predicted)
        self.assertEqual(sum("image/png" in data for data in found), 1)


if __name__ == "__main__":
    unittest.main()
