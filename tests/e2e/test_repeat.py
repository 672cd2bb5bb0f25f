"""--repeat N: N runs, the first that differs ends it."""

import re

from harness import compile_text, params

# Counts its runs in a file and answers by the number of the run.
COUNTER = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int n;
int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR | O_CREAT | O_APPEND, 0600);
	if (write(fd, "x", 1) != 1)
		return 99;
	long runs = lseek(fd, 0, SEEK_END);
	n++; /* gate: here */
	if (runs == atol(argv[2]))
		n++; /* gate: seldom */
	return runs == atol(argv[2]) ? 1 : 0;
}
"""


def runs(path):
    with open(path) as f:
        return len(f.read())


@params(1, 2, 20)
def test_all_agree(t, n):
    path = t.path("runs")
    r = t.run_gated(compile_text("counter.c", COUNTER), args=(path, "0"),
                    script='at "//here":run(function() end)\nexpect {exit = 0}\n',
                    options=["--repeat", str(n)])
    t.equal(r.status, 0, "status", r)
    t.equal(runs(path), n, "runs made", r)
    t.equal((r.report["verdict"], r.report["runs"]), ("ok", n), "report", r)
    t.equal(t.place(r, "//here")["location"], "//here", "place", r)


def test_stops_at_the_first_that_differs(t):
    path = t.path("runs")
    r = t.run_gated(compile_text("counter.c", COUNTER), args=(path, "3"),
                    script='at "//here":run(function() end)\nexpect {exit = 0}\n',
                    options=["--repeat", "20"])
    t.verdict(r, 119)
    t.equal(runs(path), 3, "runs made", r)
    t.check(re.search(r"\b2 .*agree", r.err), "says how many agreed", r)


def test_never_reached_in_one(t):
    path = t.path("runs")
    r = t.run_gated(compile_text("counter.c", COUNTER), args=(path, "5"),
                    script='at "//seldom":run(function() end)\n', options=["--repeat=4"])
    t.verdict(r, 120)
    t.equal(runs(path), 1, "runs made", r)


def test_state_is_new_each_run(t):
    """Gates are shut again, Lua variables are new, counts begin at one."""
    path = t.path("runs")
    r = t.run_gated(compile_text("counter.c", COUNTER), args=(path, "0"), script='''
local g, n = SimpleGate "g", 0
at "//here":run(function(hit)
  n = n + 1
  if n ~= 1 or hit.count ~= 1 or g.is_open then error "something is left of the last run" end
  g:open()
end)
expect {exit = 0}
''', options=["--repeat", "5"])
    t.equal(r.status, 0, "status", r)
    t.equal(runs(path), 5, "runs made", r)


def test_expected_signal(t):
    program = compile_text("dies.c", "#include <stdlib.h>\n#include <sys/resource.h>\nint main(void)\n{\n"
                           "\tstruct rlimit none = {0, 0};\n\tsetrlimit(RLIMIT_CORE, &none);\n\tabort();\n}\n")
    r = t.run_gated(program, script='expect {signal = "SIGABRT"}\n', options=["--repeat", "5"])
    t.equal((r.status, r.report["runs"]), (0, 5), "outcome", r)


def test_output_of_every_run(t):
    r = t.run_gated("/bin/echo", args=("again",), options=["--repeat", "3"])
    t.equal((r.status, r.stdout), (0, "again\n" * 3), "outcome", r)
