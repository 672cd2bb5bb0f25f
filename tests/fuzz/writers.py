#!/usr/bin/env python3
"""Foreign text (paths, names, source lines) through each writer of tracer/base: whatever its bytes, the result is one
comment, one string or one line for Lua, a C compiler, the shell, and the readers of JSON, XML and HTML."""

import argparse
import html.parser
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
WRITERS = ["line", "lines", "lua_comment", "lua_string", "c_comment", "c_text", "c_format", "command", "json", "script", "xml", "shell", "span",
           "code_line", "uri", "property", "lua"]
SOURCES = ["text/foreign", "text/json", "text/xml", "text/str", "text/utf8", "array", "leave", "files/io"]
PIECES = [b"*/", b"/*", b"*/*", b"//", b"--", b"]]", b"[[", b"[==[", b"]]>", b"<!--", b"<script>", b"</script>", b"&amp;", b"&#0;", b"<", b'"', b"'",
          b"\\", b"\\\n", b"\\x", b"\\0", b"`", b"```", b"~~~", b"\n", b"\r", b"\r\n", b"\t", b" ", b"\x0b", b"\x1b[31m", b"\x1b]0;x\x07", b"\x7f", b"\xc2\x9b",
          b"\x9b", b"\xe2\x80\xa8", b"\xe2\x80\xa9", b"\xe2\x80\xae", b"\xe2\x81\xa6", b"\xd8\x9c", b"\xef\xbf\xbe", b"\xef\xbf\xbf", b"\xed\xa0\x80",
          b"\xf0\x9f\x98\x80", b"\xf4\x90\x80\x80", b"\xc3\xa4", b"\xc3", b"\xff", b"??/", b"??", b"?", b"%", b"%s", b"%n", b"%%", b"$(id)", b"`id`", b"${x}", b"0", b"7",
          b"a", b"f", b"path", b"end os.exit() --", b"::error::", b":", b",", b"{", b"}", b"]", b"."]
NAMED = {"return": b"x = 1;\rerror('injected')", "star": b"/tmp/a*/b/*c", "escape": b"a\x1b[2Jb.c", "trigraph": b"a??/\n???\\?/", "all": bytes(range(1, 256))}
# Not to be seen raw in what a person or a program reads; the same characters as in tracer/base/text/foreign.h.
HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
KEPT = {"lines": "\n\t", "xml": "\n\t", "code_line": "\t"}
BATCH = 400
CASES = 30 * BATCH
C_HEAD = "#include <stdio.h>\n#pragma GCC diagnostic ignored \"-Wformat\"\nint main(void)\n{\n"
SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def text_of(number):
    if isinstance(number, str):
        return NAMED[number]
    r = random.Random("writers %d" % number)
    made = b"".join(r.choice(PIECES) if r.randrange(4) else bytes([r.randrange(1, 256)]) for _ in range(r.choice((1, 2, 3, 5, 8, 20))))
    return made.replace(b"\0", b"")


def build(directory):
    program = os.path.join(directory, "writers")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "lua5.4"], capture_output=True, text=True).stdout.split()
    subprocess.run(["cc", "-std=gnu11", "-g", "-O1", "-D_GNU_SOURCE", *SANITIZED, "-I", ROOT, "-o", program, os.path.join(HERE, "writers.c")] +
                   [os.path.join(ROOT, "tracer/base/%s.c" % s) for s in SOURCES] + (flags or ["-I/usr/include/lua5.4", "-llua5.4"]), check=True)
    return program


def written(program, texts):
    """Output of each writer for each text: a dict by the writer's name."""
    p = subprocess.run([program], input=b"".join(struct.pack("=I", len(t)) + t for t in texts), stdout=subprocess.PIPE, check=True)
    at, answers = 0, []
    for _ in texts:
        one = {}
        for name in WRITERS:
            length, = struct.unpack_from("=I", p.stdout, at)
            one[name] = p.stdout[at + 4:at + 4 + length]
            at += 4 + length
        answers.append(one)
    return answers


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, [name for name, _ in attrs]))

    def handle_endtag(self, tag):
        self.seen.append("/" + tag)

    def handle_comment(self, data):
        self.seen.append("comment")


def one_element(text):
    page = Page()
    page.feed(text)
    page.close()
    tree = xml.etree.ElementTree.fromstring(text)
    return page.seen == [("a", ["title"]), "/a"] and not list(tree) and set(tree.attrib) == {"title"}


def raw_controls(name, data):
    """Of what is read: UTF-8 without hidden characters, but for those that are kept, and the end of a comment's line."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return True
    if name == "lua_comment":
        text = text[:-1] if text.endswith("\n") else "\0"
    return any(c not in KEPT.get(name, "") for c in HIDDEN.findall(text))


def span_is_one(data):
    fence = re.match(rb"`+", data).group(0)
    inside = data[len(fence):-len(fence)]
    return data.endswith(fence) and fence not in re.findall(rb"`+", inside) and len(fence) > max(map(len, re.findall(rb"`+", inside)), default=0)


def is_known_json(data, text):
    value = json.loads(data)
    key, = value
    try:
        return value == {key: key} and (key == text.decode())
    except UnicodeDecodeError:
        return True  # a stray byte is Latin-1


def complaint(text, w):
    """Fault in the answers that need no other program, or None."""
    for name, data in w.items():
        if name not in ("shell", "property") and raw_controls(name, data):
            return "%s: a raw control character: %r" % (name, data)
    for name in ("c_comment", "command"):
        if not (w[name].startswith(b"/* ") and w[name].endswith(b" */") and w[name].find(b"*/", 2) == len(w[name]) - 2 and w[name].find(b"/*", 1) < 0):
            return "%s: more than one comment: %r" % (name, w[name])
    if w["lua"] != b"yes":
        return "Lua: %r and %r" % (w["lua_comment"], w["lua_string"])
    if not is_known_json(w["json"], text) or not is_known_json(w["script"], text) or re.search(rb"[<>&]", w["script"]):
        return "JSON: %r" % w["script"]
    if not one_element(w["xml"].decode()):
        return "XML or HTML: %r" % w["xml"]
    if not span_is_one(w["span"]) or re.match(rb" *```", w["code_line"]):
        return "Markdown: %r, %r" % (w["span"], w["code_line"])
    if urllib.parse.unquote_to_bytes(w["uri"].decode()) != text or not re.fullmatch(rb"[-A-Za-z0-9._~/+%]*", w["uri"]):
        return "URI: %r" % w["uri"]
    if re.search(rb"[\r\n:,]", w["property"]):
        return "property: %r" % w["property"]
    return None


def through_c(directory, answers):
    """The bytes that a C compiler, with trigraphs and all its warnings about comments, takes each string for."""
    source, program = os.path.join(directory, "c.c"), os.path.join(directory, "c")
    with open(source, "wb") as f:
        f.write(C_HEAD.encode())
        for w in answers:
            f.write(b"\t%s %s fputs(\"%s\", stdout); putchar(0); printf(\"%s\"); putchar(0);\n" % (w["c_comment"], w["command"], w["c_text"], w["c_format"]))
        f.write(b"\treturn 0;\n}\n")
    p = subprocess.run(["cc", "-std=c11", "-O0", "-Wall", "-Wextra", "-Werror", "-o", program, source], capture_output=True, text=True)
    if p.returncode:
        return p.stderr[:2000]
    return subprocess.run([program], stdout=subprocess.PIPE, check=True).stdout.split(b"\0")[:-1]


def through_shell(answers):
    script = b"".join(b"printf '%%s\\0' %s\n" % w["shell"] for w in answers)
    return subprocess.run(["sh"], input=script, stdout=subprocess.PIPE, check=True).stdout.split(b"\0")[:-1]


def judge(directory, program, numbers):
    """(number, what is wrong) of those that are wrong."""
    texts = [text_of(n) for n in numbers]
    answers = written(program, texts)
    wrong = [(n, complaint(t, w)) for n, t, w in zip(numbers, texts, answers)]
    c, shell = through_c(directory, answers), through_shell(answers)
    if isinstance(c, str):
        return [(numbers[0], "a batch that C does not compile: %s" % c)]
    for i, (n, t) in enumerate(zip(numbers, texts)):
        if c[2 * i:2 * i + 2] != [t, t]:
            wrong.append((n, "C: %r" % (c[2 * i:2 * i + 2],)))
        if shell[i] != t:
            wrong.append((n, "shell: %r" % shell[i]))
    return [(n, what) for n, what in wrong if what]


def arguments():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--gatectl", help="not used")
    p.add_argument("--seed", type=int, default=1, help="the number of the first case")
    p.add_argument("--cases", type=int, default=CASES, help="how many, besides those that have a name")
    p.add_argument("--full", action="store_true", help="for an hour, from a number that nobody had before")
    p.add_argument("--one", help="only this case")
    p.add_argument("-j", type=int, help="not used")
    o = p.parse_args()
    if o.full:
        o.cases, o.seed = None, int(time.time())
    return o


def main():
    o = arguments()
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="gatectl-fuzz-writers-") as directory:
        program = build(directory)
        if o.one:
            wrong = judge(directory, program, [int(o.one) if o.one.isdigit() else o.one])
            print(wrong or "nothing is wrong")
            return bool(wrong)
        print("writers.py: cases from %d on" % o.seed)
        numbers, end, last = list(NAMED), time.monotonic() + 3600, o.seed + (o.cases or 0)
        while numbers and (o.cases is not None or time.monotonic() < end):
            wrong = judge(directory, program, numbers)
            failed += len(wrong)
            passed += len(numbers) - len(wrong)
            for n, what in wrong[:10]:
                print("FAIL %s: %s\n     %s --one %s" % (n, what, sys.argv[0], n), flush=True)
            numbers = list(range(o.seed, o.seed + BATCH if o.cases is None else min(o.seed + BATCH, last)))
            o.seed += BATCH
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
