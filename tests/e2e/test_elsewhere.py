"""A library whose debug information is in a file of its own, as distributions have it: its sources hide and are hidden."""

import os
import subprocess

OWN = """
int helper(int x);
int main(void)
{
	return helper(2) != 5;
}
"""

LIBRARY = """
static int twice(int x)
{
	return x + x;
}

/* comment */
int helper(int x)
{
	int y = twice(x);

	if (y > 100)
		return 0;
	/* comment */
	y++;
	return y;
}
"""


def build(t):
    """A program of helper.c, and a library of deep/helper.c with separate debug information."""
    folder = t.path("src")
    os.makedirs(os.path.join(folder, "deep"))
    for name, text in (("helper.c", OWN), ("deep/helper.c", LIBRARY)):
        with open(os.path.join(folder, name), "w") as f:
            f.write(text)
    for command in ("gcc -g -O0 -shared -fPIC -o libhelper.so deep/helper.c", "objcopy --only-keep-debug libhelper.so libhelper.so.debug",
                    "strip --strip-debug libhelper.so", "objcopy --add-gnu-debuglink=libhelper.so.debug libhelper.so",
                    "gcc -g -O0 -o own helper.c -L. -lhelper -Wl,-rpath," + folder):
        subprocess.run(command.split(), cwd=folder, check=True)
    return folder


def test_file_that_is_hidden_by_ones_own(t):
    folder = build(t)
    own = os.path.join(folder, "own")
    r = t.error(t.gate("lines", own, "helper.c:15"), 125, r"helper\.c:15 has no code: the file has 6 lines")
    t.check("try: libhelper.so also has a file of this name; to name that one write deep/helper.c:15\n" in r.err, "how to name it", r)
    r = t.gate("lines", own, "deep/helper.c:15")
    t.check(r.status == 0 and "libhelper.so helper " in r.stdout, "it is named so", r)
    r = t.error(t.gate("lines", own, "helper.c:200"), 125, r"helper\.c:200 has no code")
    t.check("of this name" not in r.err, "that one has no such line either", r)
    r = t.error(t.gate("lines", own, "helper.c;y++"), 125, "no line of helper.c contains this text")
    t.check("to name that one write deep/helper.c;y++\n" in r.err, "by a text", r)
    t.equal(t.gate("lines", own, "helper.c:5").status, 0, "one's own comes first")


def test_function_whose_source_is_not_there(t):
    folder = build(t)
    os.unlink(os.path.join(folder, "deep", "helper.c"))
    r = t.error(t.gate("lines", os.path.join(folder, "own"), "helper;y++"), 125, "deep/helper.c cannot be searched, since it does not exist here; "
                "helper has code on lines 9, 10, 12, 13, 15 to 17$")
    t.check("try: give the line by its number, as deep/helper.c:17\n" in r.err, "how to name one", r)
    t.equal(t.gate("lines", os.path.join(folder, "own"), "deep/helper.c:17").status, 0, "which is one")
