"""A small project in a temporary directory, for the tests of the checks."""

import os
import tempfile
import unittest


class TreeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def write(self, path, text):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def found(self, check):
        """What a check finds, as "file:line"."""
        return [f"{path}:{line}" for path, line, _ in check(self.root)]

    def messages(self, check):
        return "\n".join(message for _, _, message in check(self.root))
