"""Names of all test cases: unit tests (cmocka), and tests from end to end with their parameters.

A name is one line of printable characters, since lists and reports have a line for each. It says what is tested: threads are
threads, not persons, and no pronoun stands for the subject.
"""
import glob
import importlib.util
import os
import re
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
PRONOUNS = set("who whom whoever whatever nobody somebody everybody anybody they we us it".split())
FIRST = {"what", "its", "that", "this", "those"}  # as the first word


def of_unit_tests():
    """FILE.FUNCTION of the functions that are given to cmocka."""
    names = []
    for path in sorted(glob.glob(os.path.join(HERE, "unit", "test_*.c"))):
        with open(path, encoding="utf-8") as f:
            functions = re.findall(r"\b(?:cmocka_unit_test\w*|TEST)\((\w+)[,)]", f.read())
        names += [os.path.basename(path)[:-2] + "." + name for name in functions]
    return names


def of_end_to_end():
    """Names of tests/e2e/run.py, with all builds. Its --list shows a name of two lines as two names."""
    sys.path.insert(0, os.path.join(HERE, "e2e"))
    spec = importlib.util.spec_from_file_location("e2e_run", os.path.join(HERE, "e2e", "run.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return [test[0] for test in module.discover(types.SimpleNamespace(full=True))]


def words_of(name):
    """The words of the function's name, without its file and its parameter."""
    function = name.split("[")[0].split(".")[-1]
    return function.removeprefix("test_").split("_")


def check(names, complain):
    for name in names:
        if not name.isprintable():
            complain(f"{name!r} is the name of a test: write control characters as words, in a list of params")
    for function in sorted({n.split("[")[0] for n in names}):
        words = words_of(function)
        for word in [w for i, w in enumerate(words) if w in PRONOUNS or (i == 0 and w in FIRST)]:
            complain(f"{function} has '{word}' in its name: name the subject instead")
