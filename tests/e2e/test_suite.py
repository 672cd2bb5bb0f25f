"""gatectl explore of whole suites: --list, --ctest, --gtest; each test in a process of its own, taken up again, in shards."""

import json
import os
import re
import shutil
import signal
import xml.etree.ElementTree

import browser
from harness import Process, Skip, compile_text, params, processes_with, wait_until

OK = """#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *x) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); return x; }
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	printf("n = %d\\n", n);
	return n != 2 || (getenv("FAIL") && atoi(getenv("FAIL")));
}
"""
LOST = OK.replace("pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m);", "int k = n; n = k + 1;")
ONE = "#include <stdlib.h>\nint main(int c, char **v) { return c > 1 ? atoi(v[1]) : 0; }\n"
# Its parent is the process of its test, in the run without gatectl too.
KILLER = "#include <signal.h>\n#include <unistd.h>\nint main(void) { kill(getppid(), SIGKILL); return 0; }\n"
RUNS = "--runs", "30"


def ok():
    return compile_text("ok.c", OK)


def lost():
    return compile_text("lost.c", LOST)


def one():
    return compile_text("one.c", ONE)


def suite(t, *args, out="suite", status=None, **kw):
    """With a folder, and the rows of the JSON report by test in .rows."""
    report = t.path(out + ".json")
    r = t.gate("explore", "-o", t.path(out), "--report", report, *args, **kw)
    t.check(status is None or r.status == status, "status %s" % status, r)
    with open(report) as f:
        r.report = json.load(f)
    r.rows = {row["test"]: row for row in r.report["tests"]}
    r.verdicts = {name: row["verdict"] for name, row in r.rows.items()}
    t.equal(r.report["status"], r.status, "status in the report", r)
    return r


def result_of(t, folder, out="suite"):
    with open(os.path.join(t.path(out), folder, "result.json")) as f:
        return json.load(f)


def names(**programs):
    """The lines of a list, and the test for each, which the line is the name of."""
    return "# a comment\n\n" + "".join(line + "\n" for line in programs.values())


def test_list(t):
    lines = {"ok": ok(), "lost": lost(), "one": one(), "bare": one() + " 3", "env": "FAIL=1 " + ok(), "quoted": "'%s' \"0\"" % one(),
             "shell": "%s && exit 4" % one(), "missing": "/no/such/program"}
    xml_report = t.path("suite.xml")
    r = suite(t, *RUNS, "--list", t.file("list", names(**lines)), "--report", xml_report, status=116)
    got = {name: r.rows[line] for name, line in lines.items()}
    t.equal({name: row["verdict"] for name, row in got.items()},
            {"ok": "passed", "lost": "failed", "one": "no-threads", "bare": "fails-bare", "env": "fails-bare", "quoted": "no-threads",
             "shell": "fails-bare", "missing": "fails-bare"}, "verdicts", r)
    t.check(r.first.startswith("gatectl: found: 1 of 8 tests fails; the first: %s: exit status 1" % lost()), "the first line", r)
    t.equal((got["lost"]["kind"], got["lost"]["time_related"], got["lost"]["threads"]), ("status", False, 3), "the failure", r)
    t.equal((got["one"]["schedules"], got["one"]["threads"]), (1, 1), "runs of a test without threads", r)
    t.equal(got["ok"]["schedules"], 30, "schedules of a test with threads", r)
    t.check("exit status 3" in got["bare"]["reason"] and "No such file" in got["missing"]["reason"], "reasons", r)
    t.equal((got["bare"]["bare_runs"], got["bare"]["bare_failed"]), (3, 3), "runs without gatectl", r)
    for file in ("schedule", "stdout"):
        t.check(os.path.exists(os.path.join(got["lost"]["folder"], file)), file + " of the failure", r)
    rows = r.stdout.splitlines()
    t.equal(rows[0].split(), ["test", "threads", "schedules", "verdict", "kind", "time-related"], "head of the table", r)
    t.equal(len(rows), 9, "rows of the table", r)
    cases = {c.get("name"): c for c in xml.etree.ElementTree.parse(xml_report).getroot().iter("testcase")}
    t.equal({name: [x.tag for x in cases[line] if x.tag in ("failure", "error", "skipped")] for name, line in lines.items()},
            {"ok": [], "lost": ["failure"], "one": [], "bare": ["skipped"], "env": ["skipped"], "quoted": [], "shell": ["skipped"],
             "missing": ["skipped"]}, "JUnit", r)


def test_page(t):
    page = t.path("suite.html")
    r = suite(t, *RUNS, "--list", t.file("list", names(a=lost(), b=one(), c=one() + " 3")), "--report", page, status=116)
    text = browser.rendered(t, page)
    links = re.findall(r'href="([^"]+)"', text)
    t.check(all(x in text for x in ("exit status 1", "one thread", "fails without gatectl")), "the page: " + text, r)
    t.check(len(links) > 4 and all(os.path.exists(os.path.join(t.tmp, x)) for x in links), "links: %s" % links, r)


def test_same_schedules(t):
    """A test's schedules are those of the program by itself, however many tests run at once."""
    alone = t.path("alone.json")
    t.gate("explore", *RUNS, "-j1", "-o", t.path("alone"), "--report", alone, ok())
    with open(alone) as f:
        digest = json.load(f)["digest"]
    for jobs in ("1", "3"):
        suite(t, *RUNS, "-j" + jobs, "--list", t.file("list", "".join("X=%d %s\n" % (i, ok()) for i in range(3))), out="j" + jobs, status=0)
        digests = set()
        for folder in os.listdir(t.path("j" + jobs)):
            with open(os.path.join(t.path("j" + jobs), folder, "report.json")) as f:
                digests.add(json.load(f)["digest"])
        t.equal(digests, {digest}, "digests with -j" + jobs)


def test_crash(t):
    """What ends the process of one test ends no other test."""
    killer = compile_text("killer.c", KILLER)
    r = suite(t, *RUNS, "--list", t.file("list", names(a=killer, b=ok())), status=0)
    t.equal(r.verdicts, {killer: "error", ok(): "passed"}, "verdicts", r)
    t.check("SIGKILL" in r.rows[killer]["reason"], "the reason", r)


def test_script(t):
    """What a script starts is searched, too; the row says that a script starts it."""
    script = t.file("script", "#!/bin/sh\n%s || exit 5\n" % lost())
    os.chmod(script, 0o755)
    line = "%s | cat" % ok()
    r = suite(t, "--runs", "40", "--list", t.file("list", names(a=script, b=line)), status=116)
    t.equal(r.verdicts, {script: "failed", line: "passed"}, "verdicts", r)
    t.equal(r.rows[script]["where"], "exit status 5", "the failure", r)
    t.check("started by a script (#!/bin/sh)" in r.rows[script]["reason"], "the first reason", r)
    t.check("started by a script (/bin/sh -c)" in r.rows[line]["reason"], "the second reason", r)


def test_keeps_state(t):
    """A test that fails from its second run on, without gatectl too, is no finding."""
    line = "sh -c 'mkdir %s'" % t.path("made")
    r = suite(t, *RUNS, "--list", t.file("list", line + "\n"), status=0)
    t.equal(r.verdicts, {line: "fails-bare"}, "verdict", r)
    t.check("keeps state" in r.rows[line]["reason"], "the reason", r)


def test_again(t):
    """A second command takes results over, unless program or options have changed."""
    changing = t.path("changing")
    shutil.copy(ok(), changing)
    listed = t.file("list", names(a=changing, b=lost(), c=one()))
    first = suite(t, *RUNS, "--list", listed, status=116)
    again = suite(t, *RUNS, "--list", listed, status=116)
    t.equal(again.rows, first.rows, "the same rows", again)
    t.check("3 of them by an earlier command" in again.err, "says so", again)
    t.equal(again.stdout, first.stdout, "the same table", again)
    shutil.copy(lost(), changing)
    changed = suite(t, *RUNS, "--list", listed, status=116)
    t.equal(changed.verdicts[changing], "failed", "verdict on the new program", changed)
    t.check("2 of them by an earlier command" in changed.err, "others are not searched again", changed)
    more = suite(t, "--runs", "31", "--list", listed, status=116)
    t.check("by an earlier command" not in more.err, "with other options all are", more)


@params("SIGINT", "SIGTERM")
def test_ended(t, name):
    """A signal ends the suite with what is done; the same command goes on."""
    listed = t.file("list", names(a=lost(), b="X=1 " + ok(), c="X=2 " + ok()))
    args = ["explore", "--runs", "600", "--verify", "0", "-j1", "-o", t.path("suite"), "--report", t.path("suite.json"), "--list", listed]
    p = Process([t.gatectl, *args], env=t.env)
    log = os.path.join(t.path("suite"), "X_1_" + ok().replace("/", "_"), "search")
    wait_until(lambda: os.path.exists(log), "the second test is searched")
    p.send_signal(getattr(signal, name))
    out, err = p.communicate(timeout=40)
    t.equal(p.returncode, 128 + getattr(signal, name), "status: %s %s" % (out, err))
    wait_until(lambda: not processes_with(t.marker), "no process is left")
    with open(t.path("suite.json")) as f:
        rows = {row["test"]: row["verdict"] for row in json.load(f)["tests"]}
    t.equal(rows, {lost(): "failed", "X=1 " + ok(): "unfinished", "X=2 " + ok(): "unfinished"}, "rows of the ended suite")
    t.equal(result_of(t, lost().replace("/", "_"))["verdict"], "failed", "result.json")
    r = t.gate(*args)
    with open(t.path("suite.json")) as f:
        rows = [(row["verdict"], row["schedules"] == 600) for row in json.load(f)["tests"]]
    t.equal(rows, [("failed", False), ("passed", True), ("passed", True)], "rows of the suite that was taken up", r)
    t.check("1 of them by an earlier command" in r.err, "only what was not finished is searched", r)


def test_shards(t):
    listed = t.file("list", "".join("X=%d %s\n" % (i, one()) for i in range(5)))
    parts = [suite(t, *RUNS, "--shard", "%d/2" % k, "--list", listed, status=0) for k in (1, 2)]
    t.equal([list(p.rows) for p in parts], [["X=%d %s" % (i, one()) for i in (0, 2, 4)], ["X=%d %s" % (i, one()) for i in (1, 3)]], "tests of shards")
    whole = suite(t, *RUNS, "--list", listed, status=0)
    t.check("5 of them by an earlier command" in whole.err, "the whole takes the shards' results", whole)


CMAKE = """cmake_minimum_required(VERSION 3.16)
project(s NONE)
enable_testing()
set(programs "${dir}")
add_test(NAME ok COMMAND "@OK@")
add_test(NAME lost COMMAND "@LOST@")
add_test(NAME fails COMMAND "@ONE@" 3)
add_test(NAME will_fail COMMAND "@ONE@" 3)
add_test(NAME will_fail_not COMMAND "@ONE@")
set_tests_properties(will_fail will_fail_not PROPERTIES WILL_FAIL TRUE)
add_test(NAME any_count COMMAND "@LOST@")
set_tests_properties(any_count PROPERTIES PASS_REGULAR_EXPRESSION "n = (1|2)")
add_test(NAME two_only COMMAND "@LOST@")
set_tests_properties(two_only PROPERTIES PASS_REGULAR_EXPRESSION "n = 2")
add_test(NAME never_one COMMAND sh -c "'@LOST@' || true")
set_tests_properties(never_one PROPERTIES FAIL_REGULAR_EXPRESSION "n = 1")
add_test(NAME skips COMMAND "@ONE@" 77)
add_test(NAME skips_then COMMAND sh -c "'@LOST@' || exit 77")
set_tests_properties(skips skips_then PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME off COMMAND "@OK@")
set_tests_properties(off PROPERTIES DISABLED TRUE)
add_test(NAME unbuilt COMMAND no_such_program)
add_test(NAME up COMMAND sh -c "echo x > up.txt")
set_tests_properties(up PROPERTIES FIXTURES_SETUP f)
add_test(NAME down COMMAND sh -c "rm up.txt")
set_tests_properties(down PROPERTIES FIXTURES_CLEANUP f)
add_test(NAME needs COMMAND sh -c "test -f up.txt && exec '@ONE@'")
set_tests_properties(needs PROPERTIES FIXTURES_REQUIRED f)
add_test(NAME needs_other COMMAND "@ONE@")
set_tests_properties(needs_other PROPERTIES FIXTURES_REQUIRED g)
add_test(NAME up_fails COMMAND "@ONE@" 1)
set_tests_properties(up_fails PROPERTIES FIXTURES_SETUP g)
add_test(NAME environment COMMAND sh -c "test \\"$A$B$PWD\\" = \\"12$0\\"" "${CMAKE_BINARY_DIR}/there")
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/there")
set_tests_properties(environment PROPERTIES ENVIRONMENT "A=1;B=0" ENVIRONMENT_MODIFICATION "A=string_append:2;B=unset:"
  WORKING_DIRECTORY "${CMAKE_BINARY_DIR}/there")
"""
EXPECTED = {
    "ok": "passed", "lost": "failed", "fails": "fails-bare", "will_fail": "no-threads", "will_fail_not": "fails-bare",
    "any_count": "passed", "two_only": "failed", "never_one": "failed", "skips": "skipped", "skips_then": "passed", "off": "not-run",
    "unbuilt": "not-run", "up": "not-run", "down": "not-run", "needs": "no-threads", "needs_other": "not-run", "up_fails": "fails-bare",
    "environment": "no-threads",
}


def build_folder(t):
    for tool in ("cmake", "ctest"):
        if not shutil.which(tool):
            raise Skip("no %s here" % tool)
    os.mkdir(t.path("project"))
    t.file("project/CMakeLists.txt", CMAKE.replace("@OK@", ok()).replace("@LOST@", lost()).replace("@ONE@", one()))
    r = t.run(["cmake", "-S", t.path("project"), "-B", t.path("build")])
    t.equal(r.status, 0, "cmake", r)
    return t.path("build")


def test_ctest(t):
    folder = build_folder(t)
    r = suite(t, "--runs", "60", "--ctest", folder, status=116)
    t.equal(r.verdicts, EXPECTED, "verdicts", r)
    t.equal(r.rows["two_only"]["kind"], "expect", "kind of an output that is not as expected", r)
    t.check("up_fails" in r.rows["needs_other"]["reason"], "the fixture that failed", r)
    t.check(not os.path.exists(os.path.join(folder, "up.txt")), "the fixture was cleared", r)
    again = suite(t, "--runs", "60", "--ctest", folder, status=116)
    t.equal(again.verdicts, EXPECTED, "verdicts of earlier searches", again)
    chosen = suite(t, "--runs", "60", "--ctest", folder, "-R", "^need", out="chosen", status=0)
    t.equal(chosen.verdicts, {"needs": "no-threads", "needs_other": "not-run"}, "chosen by -R, with the fixture", chosen)


GTEST = """#include <gtest/gtest.h>
#include <thread>
#include <mutex>
TEST(Counter, Alone) { EXPECT_EQ(1 + 1, 2); }
TEST(Counter, Locked) {
	std::mutex m; int n = 0;
	auto add = [&] { std::lock_guard<std::mutex> held(m); n++; };
	std::thread a(add), b(add); a.join(); b.join();
	EXPECT_EQ(n, 2);
}
TEST(Counter, Lost) {
	int n = 0;
	auto add = [&] { volatile int *at = &n; int k = *at; *at = k + 1; };
	std::thread a(add), b(add); a.join(); b.join();
	EXPECT_EQ(n, 2);
}
TEST(Counter, Fails) { EXPECT_EQ(1, 2); }
TEST(Counter, DISABLED_Never) { FAIL(); }
class Many : public testing::TestWithParam<int> {};
TEST_P(Many, IsPositive) { EXPECT_GT(GetParam(), 0); }
INSTANTIATE_TEST_SUITE_P(Some, Many, testing::Values(1, 2));
"""


def test_gtest(t):
    if not os.path.exists("/usr/include/gtest/gtest.h"):
        raise Skip("no GoogleTest here")
    program = compile_text("counter_test.cc", GTEST, libs="-lgtest -lgtest_main")
    r = suite(t, *RUNS, "--gtest", program, status=116)
    t.equal(r.verdicts, {"Counter.Alone": "no-threads", "Counter.Locked": "passed", "Counter.Lost": "failed", "Counter.Fails": "fails-bare",
                         "Counter.DISABLED_Never": "not-run", "Some/Many.IsPositive/0": "no-threads", "Some/Many.IsPositive/1": "no-threads"},
            "verdicts", r)
    r = suite(t, *RUNS, "-R", "Locked$", "--gtest", program, "--", "--gtest_brief=1", out="chosen", status=0)
    t.equal(r.verdicts, {"Counter.Locked": "passed"}, "chosen, with an argument for the program", r)


def test_bad_input(t):
    empty, listed = t.path("empty"), t.file("list", one() + "\n")
    os.mkdir(empty)
    for args, says in [
            (("--ctest", t.path("none")), "none: No such file"),
            (("--ctest", empty), "CTestTestfile.cmake: No such file"),
            (("--gtest", one()), "lists no tests"),
            (("--gtest", t.path("none")), "No such file"),
            (("--gtest", "/bin/false"), "fails"),
            (("--list", t.path("none")), "No such file"),
            (("--list", t.file("bare", "# nothing\n")), "no command"),
            (("--list", t.file("quote", "\n/bin/echo 'x\n")), "quote:2: a quote is not closed"),
            (("--list", listed, "-R", "("), "'(' is no regular expression"),
            (("--list", listed, "-R", "zzz"), "no test of 1 matches 'zzz'"),
            (("--list", listed, "--shard", "3/2"), "--shard"),
            (("--list", listed, "--gtest", one()), "only one can be given"),
            (("--list", listed, one()), "takes no other program"),
            (("--list", listed, "-g", listed), "are for one program"),
            (("-R", "x", one()), "-R chooses tests")]:
        r = t.error(t.gate("explore", "-o", t.path("suite"), *args))
        t.check(says in r.first, "%s: %r" % (args, says), r)
    r = t.error(t.gate("explore", "-o", t.path("suite"), "--ctest", build_folder(t), env={"PATH": "/nowhere"}))
    t.check("ctest: No such file" in r.first, "ctest is missing", r)
    t.check(not os.path.exists(t.path("suite")), "no folder was made")
