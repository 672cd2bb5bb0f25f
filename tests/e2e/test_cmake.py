"""The CMake package, as a project outside the source tree uses it: installed, configured, built, tested."""

import json
import os
import re
import shutil
import xml.etree.ElementTree as ElementTree

from harness import ROOT, Skip, compile_text, line_of, params, timeout
from test_status import NO_PTRACE

SAMPLE = os.path.join(ROOT, "tests", "cmake-sample")
GATED = {"early", "late", "deadlock", "crash", "pool_in_order"}
EXPLORED = {"pool_explored", "calc_explored"}
NOT_EXPLORED = "-LE", "gatectl-exploration"


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            raise Skip("no %s here" % tool)


def run(t, *command, status=0, **kw):
    r = t.run(command, seconds=120, **kw)
    if status is not None:
        t.equal(r.status, status, "status of %s" % command[0], r)
    return r


def install(t):
    """make install, into a prefix with blanks in its name."""
    prefix = t.path("a prefix with blanks")
    run(t, "make", "-s", "-C", ROOT, "install", "PREFIX=" + prefix)
    program = os.path.join(prefix, "bin", "gatectl")
    shutil.copy(t.gatectl, program)  # the one that is tested
    return prefix, program


def project(t, name="the sample"):
    there = t.path(name)
    shutil.copytree(SAMPLE, there)
    return there


def configure(t, there, prefix, *options, status=0):
    return run(t, "cmake", "-S", there, "-B", os.path.join(there, "build"), "-DCMAKE_PREFIX_PATH=" + prefix, *options,
               status=status)


def build(t, there, *options):
    return run(t, "cmake", "--build", os.path.join(there, "build"), "-j2", *options)


def ctest(t, there, *options, launcher=(), env=None, status=None):
    """name -> (run, notrun or fail, output), as JUnit has it, and its sums."""
    report = t.path("junit.xml")
    r = run(t, *launcher, "ctest", "--test-dir", os.path.join(there, "build"), "--output-junit", report, *options,
            status=status, env=env)
    suite = ElementTree.parse(report).getroot()
    cases = {c.get("name"): (c.get("status"), c.findtext("system-out") or "") for c in suite.iter("testcase")}
    sums = {k: int(suite.get(k)) for k in ("tests", "failures", "skipped", "disabled")}
    return cases, sums, r


def properties(t, there):
    r = run(t, "ctest", "--test-dir", os.path.join(there, "build"), "--show-only=json-v1")
    return {x["name"]: {p["name"]: p["value"] for p in x["properties"]} for x in json.loads(r.stdout)["tests"]}


def states(cases, state):
    return {n for n, (s, _) in cases.items() if s == state}


def put_in(path, line, text):
    with open(path) as f:
        lines = f.read().split("\n")
    lines[line - 1:line - 1] = text
    with open(path, "w") as f:
        f.write("\n".join(lines))


def read(path):
    with open(path) as f:
        return f.read()


@timeout(240)
def test_sample(t):
    need("cmake", "ctest", "g++")
    prefix, gatectl = install(t)
    there = project(t)
    configure(t, there, prefix)
    build(t, there)
    cases, sums, r = ctest(t, there, status=0)
    gated = GATED | ({"queue"} if "queue" in cases else set())
    t.equal(set(cases), gated | EXPLORED | {"calc_bare", "calc_locations"}, "the tests", r)
    t.equal(sums, {"tests": len(cases), "failures": 0, "skipped": 0, "disabled": 0}, "sums", r)
    t.equal(states(cases, "run"), set(cases), "all have run", r)
    t.equal(cases["pool_in_order"][1].count("two words: 42"), 20, "an argument with a blank, twenty times", r)
    explored(t, there, cases)
    drifted(t, there, gatectl, gated)
    discovered(t, there)
    limits_and_reports(t, there)
    no_tracing(t, there)


def explored(t, there, cases):
    found = os.path.join(there, "build", "gatectl", "pool_explored", "1")
    output = cases["pool_explored"][1]
    t.check("gatectl: found: 1 failure " in output and found in output, "a failure, and its folder", output)
    t.check(os.path.exists(os.path.join(found, "schedule")), "it is there")
    t.check("nothing failed" in cases["calc_explored"][1], "nothing is found", cases["calc_explored"][1])
    labels = {n: set(p.get("LABELS", [])) for n, p in properties(t, there).items()}
    t.equal(labels["calc_explored"], {"gatectl-exploration", "quick"}, "its labels")
    t.equal({n for n in labels if "gatectl-exploration" in labels[n]}, EXPLORED, "explorations alone have that one")


def drifted(t, there, gatectl, gated):
    """A location that means another line now is exactly one failure, and it names the new line."""
    source = os.path.join(there, "calc.c")
    was = line_of(read(source), "multiplier = *(int *)value;")
    put_in(source, was - 3, ["/* Two lines", " * that were not there. */"])
    build(t, there)
    cases, sums, r = ctest(t, there, *NOT_EXPLORED, status=8)
    t.equal((sums["failures"], states(cases, "fail")), (1, {"calc_locations"}), "one failure", r)
    t.equal(states(cases, "notrun"), {"early", "late"}, "what depends on it is not run", r)
    t.equal(states(cases, "run"), gated - {"early", "late"} | {"calc_bare"}, "the rest is", r)
    output = cases["calc_locations"][1]
    t.check("early.gate.lua:3: calc.c:%d was 'multiplier = *(int *)value;' in worker1, which is now at calc.c:%d"
            % (was, was + 2) in output, "names the new line", output)
    fix = re.search(r"^try: (gatectl check --fix .*)$", output, re.M)
    t.check(fix, "says what to do", output)
    scripts = [os.path.join(there, "gates", n) for n in ("early.gate.lua", "late.gate.lua")]
    run(t, gatectl, "check", "--fix", "-g", scripts[0], "-g", scripts[1], os.path.join(there, "build", "calc"))
    cases, sums, r = ctest(t, there, *NOT_EXPLORED, status=0)
    t.equal(states(cases, "run"), gated | {"calc_bare", "calc_locations"}, "all is well again", r)


def discovered(t, there):
    """A script that is added is a test after the next build."""
    with open(os.path.join(there, "gates", "third.gate.lua"), "w") as f:
        f.write('order "worker1%return -> worker2"\nexpect { stdout = "41\\n" }\n')
    build(t, there)
    cases, sums, r = ctest(t, there, "-R", "^third$", status=8)
    t.equal((sums["failures"], states(cases, "fail")), (1, {"third"}), "is there, and fails as it should", r)
    t.check("gatectl: not-as-expected:" in cases["third"][1], "with gatectl's verdict", r)
    t.check("calc_locations" in cases, "the check covers it: it is its fixture", r)


def limits_and_reports(t, there):
    for name, p in properties(t, there).items():
        if name in ("calc_bare", "calc_locations", "calc_explored"):
            continue
        t.check(p["TIMEOUT"] > 20, "CTest's limit of %s is behind gatectl's" % name)
        t.equal(p["SKIP_RETURN_CODE"], 77, "skip code")
        attached = p["ATTACHED_FILES_ON_FAIL"]
        t.equal([os.path.splitext(f)[1] for f in attached], [".json", ".html"], "attached")
        if name == "third":
            t.check(all(os.path.getsize(f) > 0 for f in attached), "reports of %s" % name)
            t.equal(json.loads(read(attached[0]))["verdict"], "not-as-expected", "verdict in the report")
        if name == "pool_in_order":
            t.check(p["TIMEOUT"] > 20 * 20, "twenty runs may each take as long")


def no_tracing(t, there):
    """Where ptrace is refused the gate tests are skipped, not failed; the others run."""
    launcher = compile_text("noptrace.c", NO_PTRACE)
    env = {"ASAN_OPTIONS": "detect_leaks=0"}  # LeakSanitizer needs ptrace itself
    if run(t, launcher, shutil.which("true"), status=None).status == 99:
        return
    cases, sums, r = ctest(t, there, launcher=(launcher, shutil.which("env")), env=env, status=0)
    t.equal(sums["failures"], 0, "failures", r)
    t.equal(states(cases, "run"), {"calc_bare"}, "what needs no tracing has run", r)
    t.equal(states(cases, "notrun"), set(cases) - {"calc_bare"}, "skipped", r)
    t.equal(sums["skipped"], len(cases) - 1, "skipped in the sums", r)


SMALL = """cmake_minimum_required(VERSION 3.16)
project(small LANGUAGES C)
enable_testing()
find_package(gatectl REQUIRED)
add_executable(ends ends.c)
add_executable(ns::ends ALIAS ends)
"""


def small(t, text):
    """A project of one program; the text is what it says of its tests."""
    there = t.path("small")
    os.makedirs(there, exist_ok=True)
    for name, content in (("CMakeLists.txt", SMALL + text), ("ends.c", "int main(int n, char **v) { return n > 9; }\n"),
                          ("a.gate.lua", 'at "main" :run(print)\n'), ("b.lua", "")):
        with open(os.path.join(there, name), "w") as f:
            f.write(content)
    return there


def test_multi_config(t):
    need("cmake", "ctest", "ninja")
    prefix, _ = install(t)
    there = small(t, 'gatectl_add_test(NAME one TARGET ns::ends SCRIPT "$<1:${CMAKE_CURRENT_SOURCE_DIR}/a.gate.lua>" b.lua '
                     'ARGS "$<CONFIG>" "a;b" LABELS x)\n'
                     "gatectl_discover_tests(TARGET ends DIRECTORY . PREFIX found. OPTIONS --gate-limit 3)\n"
                     "gatectl_add_check(NAME check TARGET ns::ends)\n")
    shutil.copy(os.path.join(there, "a.gate.lua"), os.path.join(there, "b c.gate.lua"))
    configure(t, there, prefix, "-G", "Ninja Multi-Config")
    build(t, there, "--config", "Debug")
    cases, sums, r = ctest(t, there, "-C", "Debug", status=0)
    t.equal(states(cases, "run"), {"one", "found.a", "found.b_c", "check"}, "the tests", r)
    t.check(os.path.exists(os.path.join(there, "build", "gatectl", "Debug", "one.json")), "a report for each configuration")
    r = run(t, "ctest", "--test-dir", os.path.join(there, "build"), "-C", "Debug", "-V", "-N", "-R", "one")
    t.check('"--" "%s/build/Debug/ends" "Debug" "a;b"' % there in r.stdout, "the program and its arguments", r)


def test_fixed(t):
    """The script of a failure is a test of its repair: it passes without the failure, and fails with it."""
    need("cmake", "ctest")
    prefix, _ = install(t)
    there = small(t, "gatectl_add_test(NAME repaired TARGET ends SCRIPT old.lua FIXED LIMIT 20)\n"
                     "gatectl_add_test(NAME back TARGET ends SCRIPT old.lua ARGS 1 2 3 4 5 6 7 8 9 FIXED)\n"
                     "gatectl_discover_tests(TARGET ends DIRECTORY regressions PREFIX found. FIXED)\n")
    os.makedirs(os.path.join(there, "regressions"), exist_ok=True)
    for name in ("old.lua", "regressions/one.gate.lua"):
        with open(os.path.join(there, name), "w") as f:
            f.write('at "main" :run(function() end)\nexpect { exit = 1 }\n')
    configure(t, there, prefix)
    build(t, there)
    cases, sums, r = ctest(t, there, status=8)
    t.equal(states(cases, "run"), {"repaired", "found.one"}, "the tests that pass", r)
    t.equal(states(cases, "fail"), {"back"}, "the test that fails", r)
    with open(os.path.join(there, "build", "gatectl", "back.json")) as f:
        t.equal(json.load(f)["verdict"], "found", "verdict in the report")


def test_empty_arguments_and_blanks_in_names(t):
    """Neither is lost, also where the project has not heard of CMP0110."""
    need("cmake", "ctest")
    prefix, _ = install(t)
    there = small(t, 'gatectl_add_test(NAME "one two" TARGET ends SCRIPT a.gate.lua ARGS "" "a;b" "" c "" LIMIT 9)\n'
                     'gatectl_add_test(NAME alone TARGET ends SCRIPT a.gate.lua ARGS "")\n'
                     'gatectl_add_test(NAME none TARGET ends SCRIPT a.gate.lua ARGS)\n'
                     'gatectl_add_check(NAME "three (four)" TARGET ends)\n')
    r = configure(t, there, prefix)
    t.check("CMP0110" not in r.stdout + r.err, "no warning", r)
    build(t, there)
    cases, sums, r = ctest(t, there, status=0)
    t.equal(states(cases, "run"), {"one two", "alone", "none", "three (four)"}, "the tests", r)
    r = run(t, "ctest", "--test-dir", os.path.join(there, "build"), "-V", "-N")
    for arguments in ('"" "a;b" "" "c" ""', '""', ""):
        t.check('"--" "%s/build/ends"%s\n' % (there, arguments and " " + arguments) in r.stdout, arguments, r)


def test_semicolon_in_a_name(t):
    """CMake's lists end an element there; the script is a test even so, and is checked."""
    need("cmake", "ctest")
    prefix, _ = install(t)
    there = small(t, "gatectl_discover_tests(TARGET ends DIRECTORY .)\ngatectl_add_check(NAME check TARGET ends)\n")
    for name, status in ((";b;c.gate.lua", 7), ("d;e.gate.lua", 0), ("d.gate.lua;e.gate.lua", 0)):
        with open(os.path.join(there, name), "w") as f:
            f.write('at "main":open(SimpleGate "g")\nexpect { exit = %d }\n' % status)
    configure(t, there, prefix)
    build(t, there)
    cases, sums, r = ctest(t, there, status=8)
    t.equal(states(cases, "run"), {"a", "d_e", "d.gate.lua_e", "check"}, "those that pass", r)
    t.equal(states(cases, "fail"), {"_b_c"}, "the script of each test is its own", r)
    for name in ("/a", "/;b;c", "/d;e", "/d.gate.lua;e"):
        line = '"-g" "%s%s.gate.lua"' % (there, name)
        shown = run(t, "ctest", "--test-dir", os.path.join(there, "build"), "-V", "-N").stdout
        t.equal(shown.count(line), 2, "%s in its test and in the check" % name, shown)


def test_cross_compiling(t):
    need("cmake", "ctest")
    prefix, _ = install(t)
    there = small(t, "gatectl_add_test(NAME one TARGET ends SCRIPT a.gate.lua)\n")
    configure(t, there, prefix, "-DCMAKE_SYSTEM_NAME=Linux")
    build(t, there)
    cases, sums, r = ctest(t, there, status=0)
    t.equal(sums, {"tests": 1, "failures": 0, "skipped": 0, "disabled": 1}, "not run for another machine", r)


HANGS = r"""
#include <pthread.h>
#include <unistd.h>
static void *rounds(void *arg)
{
	for (int i = 0; i < 9; i++)
		usleep(1000); /* gate: round */
	return arg;
}
int main(void)
{
	pthread_t a;
	pthread_create(&a, NULL, rounds, NULL);
	pthread_join(a, NULL);
	sleep(60);
	return 0;
}
"""
TIMEOUTS = """
find_package(Threads REQUIRED)
add_executable(hangs hangs.c)
target_compile_options(hangs PRIVATE -g)
target_link_libraries(hangs PRIVATE Threads::Threads)
foreach(name bare late longer wide part)
  gatectl_add_test(NAME ${name} TARGET hangs SCRIPT rounds.lua)
endforeach()
gatectl_add_test(NAME limited TARGET hangs SCRIPT rounds.lua REPEAT 3 LIMIT 1)
gatectl_add_test(NAME both TARGET hangs SCRIPT rounds.lua LIMIT 100)
set_tests_properties(late PROPERTIES TIMEOUT 2)
set_tests_properties(both PROPERTIES TIMEOUT 2)
set_tests_properties(longer PROPERTIES TIMEOUT 400)
set_tests_properties(wide PROPERTIES TIMEOUT 0)
set_tests_properties(part PROPERTIES TIMEOUT 2.5)
"""


def hangs(t, text):
    there = small(t, text)
    for name, content in (("hangs.c", HANGS), ("rounds.lua", 'at("//round", { hit = 9 }):run(function() end)\n')):
        with open(os.path.join(there, name), "w") as f:
            f.write(content)
    return there


def times_given(t, there):
    """name -> the --for of the test's command"""
    r = run(t, "ctest", "--test-dir", os.path.join(there, "build"), "--show-only=json-v1")
    return {x["name"]: [a for a in x["command"] if a.startswith("--for=")] for x in json.loads(r.stdout)["tests"]}


def reports_of(t, there, name):
    """The record, which is whole, as is the page."""
    page = read(os.path.join(there, "build", "gatectl", name + ".html"))
    t.check(page.rstrip().endswith("</html>"), "the page is whole", page[-200:])
    return json.loads(read(os.path.join(there, "build", "gatectl", name + ".json")))


def test_ends_before_timeout(t):
    """gatectl gives its verdict before CTest kills it, however TIMEOUT was given; LIMIT is not raised by it."""
    need("cmake", "ctest")
    prefix, _ = install(t)
    there = hangs(t, TIMEOUTS)
    configure(t, there, prefix)
    build(t, there)
    given = times_given(t, there)
    t.equal(given, {"bare": ["--for=0.000"], "late": ["--for=1.500"], "longer": ["--for=390.000"], "wide": ["--for=0.000"],
                    "part": ["--for=1.875"], "limited": ["--for=27.000"], "both": ["--for=1.500"]}, "times")
    written = read(os.path.join(there, "build", "CTestTestfile.cmake"))
    t.equal(written.count('TIMEOUT_SIGNAL_NAME "SIGTERM"'), len(given), "a CTest that can asks first", written)
    cases, sums, r = ctest(t, there, "-R", "late|both|limited", status=8)
    for name in ("late", "both", "limited"):
        t.check("gatectl: time-limit: " in cases[name][1] and "main sleeps" in cases[name][1], "the verdict of " + name, cases[name][1])
        j = reports_of(t, there, name)
        t.equal((j["verdict"], j["status"]), ("time-limit", 124), "the record of " + name, r)
    configure(t, there, prefix, "-DCTEST_TEST_TIMEOUT=8")
    t.equal({n: g for n, g in times_given(t, there).items() if g == ["--for=6.000"]}, {"bare": ["--for=6.000"]}, "the default")


def test_killed_by_ctest(t):
    """What was known when CTest killed gatectl is in the attached reports, which an earlier run may have written."""
    need("cmake", "ctest")
    prefix, _ = install(t)
    there = hangs(t, TIMEOUTS)
    configure(t, there, prefix)
    build(t, there)
    with open(os.path.join(there, "build", "gatectl", "bare.json"), "w") as f:
        f.write('{"verdict": "ok"}')
    cases, sums, r = ctest(t, there, "-R", "bare", "--timeout", "3", status=8)
    t.equal(states(cases, "fail"), {"bare"}, "killed", r)
    j = reports_of(t, there, "bare")
    t.equal((j["verdict"], j["status"], j["places"][0]["arrivals"]), ("interrupted", 137, 9), "the record", r)
    t.check(any("sleeps, in main at hangs.c:15" in x["why"] for x in j["threads"]), "what threads do", j["threads"])
    t.check(any(e["what"] == "thread-exit" and e["thread"] == "rounds#1" for e in j["events"]), "events", j["events"])


MISUSE = {
    "gatectl_add_test(NAME x TARGET ends)": "gatectl_add_test: SCRIPT is missing",
    "gatectl_add_test(TARGET ends SCRIPT a.gate.lua)": "gatectl_add_test: NAME is missing",
    "gatectl_add_test(NAME x TARGET nobody SCRIPT a.gate.lua)": "there is no target 'nobody'",
    "gatectl_add_test(NAME x TARGET ends SCRIPT c.lua)": "there is no script ",
    "gatectl_add_test(NAME x TARGET ends SCRIPT a.gate.lua REPEAT many)": "REPEAT 'many' is not a positive number",
    "gatectl_add_test(NAME x TARGET ends SCRIPT a.gate.lua LIMIT -1)": "LIMIT '-1' is not a number of seconds",
    "gatectl_add_test(x TARGET ends SCRIPT a.gate.lua)": "'x' is none of its keywords",
    "gatectl_add_test(NAME x TARGET ends SCRIPT a.gate.lua TIMEOUT 5)": "'TIMEOUT' is none of its keywords",
    "gatectl_add_test(NAME x TARGET ends SCRIPT a.gate.lua ARGS a WORKING_DIRECTORY /)": "'WORKING_DIRECTORY' is none of its keywords",
    "gatectl_discover_tests(TARGET ends DIRECTORY gates)": "there is no directory ",
    "gatectl_add_check(NAME x TARGET ends SCRIPTS c.lua)": "there is no script ",
    "gatectl_add_check(NAME x TARGET ends)": "'x': the target 'ends' has no gate tests",
    "gatectl_add_check(NAME x TARGET ends)\ngatectl_add_test(NAME y TARGET ends SCRIPT a.gate.lua FIXED)":
        "'x': all gate tests of the target 'ends' are FIXED, and find lost locations themselves; leave this check out",
    "gatectl_add_exploration(NAME x TARGET ends TIME long)": "TIME 'long' is not a number of seconds",
    "gatectl_add_exploration(NAME x TARGET ends FIXED)": "'FIXED' is none of its keywords",
    "gatectl_add_exploration(NAME x TARGET ends RUNS 0)": "RUNS '0' is not a positive number",
    "gatectl_add_exploration(NAME x TARGET ends STRATEGY c.lua)": "there is no script ",
    "add_library(l ends.c)\ngatectl_add_check(NAME x TARGET l)": "the target 'l' is no executable",
    "find_package(gatectl 99 REQUIRED)": "version \"99\"",
}


def test_misuse(t):
    need("cmake")
    prefix, _ = install(t)
    for text, words in MISUSE.items():
        there = small(t, text + "\n")
        r = configure(t, there, prefix, status=1)
        said = re.sub(r"\s+", " ", r.err)
        t.check(words in said, "%r says %r" % (text, words), r)
    configure(t, small(t, "find_package(gatectl 0.1)\nfind_package(gatectl 0.0.9...0.9)\n"), prefix)
    os.remove(os.path.join(prefix, "bin", "gatectl"))
    shutil.rmtree(os.path.join(there, "build"))
    r = configure(t, small(t, ""), prefix, status=1)
    t.check("install gatectl again" in re.sub(r"\s+", " ", r.err), "the program is gone", r)


@params("nothing", "Debug", "Release", "flags", "later")
def test_build_type(t, how):
    """Without -g no line can be found: that is said when CMake configures, once for a target."""
    need("cmake")
    prefix, _ = install(t)
    text = "gatectl_discover_tests(TARGET ends DIRECTORY .)\ngatectl_add_test(NAME one TARGET ends SCRIPT a.gate.lua)\n"
    option = {"nothing": "", "flags": "-DCMAKE_C_FLAGS=-O1 -g", "later": ""}.get(how, "-DCMAKE_BUILD_TYPE=" + how)
    there = small(t, text + ("target_compile_options(ends PRIVATE -g)\n" if how == "later" else ""))
    r = configure(t, there, prefix, *filter(None, [option]))
    said = re.sub(r"\s+", " ", r.err)
    words = {"nothing": "CMAKE_BUILD_TYPE is not set, so the target 'ends' is compiled without -g",
             "Release": "CMAKE_BUILD_TYPE is Release, so the target 'ends' is compiled without -g"}.get(how)
    t.equal(said.count("without -g"), 1 if words else 0, "warnings", r)
    t.check(not words or words in said, "it says %r" % words, r)


def test_uninstall(t):
    prefix, _ = install(t)
    run(t, "make", "-s", "-C", ROOT, "uninstall", "PREFIX=" + prefix)
    left = [os.path.join(d, f) for d, _, files in os.walk(prefix) for f in files]
    t.equal(left, [], "left behind")
    t.check(not os.path.exists(os.path.join(prefix, "lib", "cmake", "gatectl")), "its own directory is gone")


@params("gatectl-cmake.7")
def test_manual(t, page):
    need("mandoc")
    r = run(t, "mandoc", "-T", "lint", "-W", "warning", os.path.join(ROOT, "man", page), status=None)
    t.equal((r.status, r.stdout), (0, ""), "mandoc's complaints", r)
