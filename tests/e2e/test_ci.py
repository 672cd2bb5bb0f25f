"""The recipes under examples/ci/, each as a reader would try it: copied elsewhere, with gatectl in PATH."""

import os
import re
import shutil
import subprocess

from harness import ROOT, Skip, compile_text, timeout
from test_cmake import install, need, run
from test_status import NO_PTRACE


def recipe(t, name):
    """A copy of its own, and an environment in which gatectl is found."""
    there = t.path("a project")
    shutil.copytree(os.path.join(ROOT, "examples", "ci", name), there)  # follows links
    prefix, _ = install(t)
    return there, {"PATH": os.path.join(prefix, "bin") + ":" + t.env["PATH"], "ASAN_OPTIONS": "detect_leaks=0"}, prefix


def no_ptrace(t):
    """A command in front of others: ptrace is refused to them; () where that cannot be done."""
    launcher = compile_text("noptrace.c", NO_PTRACE)
    possible = run(t, launcher, shutil.which("true"), status=None).status != 99
    return (launcher, shutil.which("env")) if possible else ()


def break_script(there):
    """A location that means nothing any more."""
    path = os.path.join(there, "lost-update.gate.lua")
    with open(path) as f:
        text = f.read()
    with open(path, "w") as f:
        f.write(text.replace("counter = seen + 1", "counter = seen + 2"))


def test_make(t):
    there, env, _ = recipe(t, "make")
    r = run(t, "make", "check", cwd=there, env=env)
    t.equal(re.findall(r"^\d$", r.stdout, re.M), ["1", "2"], "both tests have run", r)
    t.check(os.path.getsize(os.path.join(there, "lost-update.html")) > 0, "a report")
    if no_ptrace(t):
        r = run(t, *no_ptrace(t), "make", "check", cwd=there, env=env)
        t.equal(r.err.count("gatectl: skipped:"), 2, "both are skipped", r)
    break_script(there)
    r = run(t, "make", "-k", "check", cwd=there, env=env, status=2)
    t.check("gatectl: error: lost-update.gate.lua:3:" in r.err, "the error", r)
    run(t, "make", "check-one-by-one", cwd=there, env=env)


@timeout(120)
def test_meson(t):
    need("meson", "ninja")
    there, env, _ = recipe(t, "meson")

    def test(*options, status=0, launcher=()):
        r = run(t, *launcher, "meson", "test", "-C", "build", *options, cwd=there, env=env, status=status)
        return dict(re.findall(r"^\d+/\d+ .*?([\w-]+) +(OK|SKIP|FAIL)\b", r.stdout, re.M)), r

    run(t, "meson", "setup", "build", cwd=there, env=env)
    got, r = test()
    t.equal((got["lost-update"], got["one-by-one"]), ("OK", "OK"), "tests", r)
    got, r = test("--setup", "ordered")
    t.equal(got, {"counter": "OK"}, "a test that was there, under a script", r)
    if no_ptrace(t):
        got, r = test(launcher=no_ptrace(t))
        t.equal((got["lost-update"], got["one-by-one"]), ("SKIP", "SKIP"), "where ptrace is refused", r)
    break_script(there)
    got, r = test(status=1)
    t.equal((got["lost-update"], got["one-by-one"]), ("FAIL", "OK"), "a broken script", r)


@timeout(120)
def test_automake(t):
    need("automake", "autoreconf")
    there, env, _ = recipe(t, "automake")
    run(t, "autoreconf", "-i", cwd=there, env=env)
    os.mkdir(os.path.join(there, "b"))
    there_b = os.path.join(there, "b")
    # autoconf cannot have blanks in the names of its directories
    straight = t.path("straight")
    os.rename(there, straight)
    there, there_b = straight, os.path.join(straight, "b")
    run(t, "../configure", cwd=there_b, env=env)

    def check(status=0, launcher=()):
        r = run(t, *launcher, "make", "check", cwd=there_b, env=env, status=status)
        return {n: w for w, n in re.findall(r"^(PASS|FAIL|SKIP): (\S+)\.gate\.lua", r.stdout, re.M)}, r

    got, r = check()
    t.equal(got, {"lost-update": "PASS", "one-by-one": "PASS"}, "tests", r)
    if no_ptrace(t):
        got, r = check(launcher=no_ptrace(t))
        t.equal(got, {"lost-update": "SKIP", "one-by-one": "SKIP"}, "where ptrace is refused", r)
    break_script(there)
    got, r = check(status=2)
    t.equal(got, {"lost-update": "FAIL", "one-by-one": "PASS"}, "a broken script", r)


def load(*path):
    try:
        import yaml
    except ImportError:
        raise Skip("no python3-yaml here")
    with open(os.path.join(*path)) as f:
        return yaml.safe_load(f)


def steps(there):
    workflow = load(there, ".github", "workflows", "gates.yml")
    # YAML 1.1 reads the word `on` as true
    assert set(workflow) == {"name", True, "jobs"}, workflow.keys()
    (job,) = workflow["jobs"].values()
    for step in job["steps"]:
        assert ("run" in step) != ("uses" in step), step
        assert set(step) <= {"name", "run", "uses", "with", "if"}, step
    return job["steps"]


@timeout(120)
def test_github(t):
    """The workflow's own commands, in its order; what it would install or fetch is there already."""
    need("cmake", "ctest")
    there, env, _ = recipe(t, "github")
    commands = [s["run"] for s in steps(there) if "run" in s]
    left_out = [c for c in commands if "apt-get" in c or " setup" in c]
    t.equal(len(left_out), 2, "steps that install packages")
    os.symlink(ROOT, os.path.join(there, "gatectl"))
    env.update(PREFIX=t.path("prefix of the workflow"), GITHUB_ACTIONS="true", GITHUB_WORKSPACE=there)

    def run_steps(expected):
        for c in commands:
            if c in left_out or "-C gatectl install" in c and os.path.exists(env["PREFIX"]):
                continue
            r = t.run(["sh", "-e", "-c", c], cwd=there, env=env, seconds=100)
            t.equal(r.status, expected if "ctest" in c else 0, "status of the step " + c, r)
        return r

    r = run_steps(0)
    t.check("100% tests passed, 0 tests failed out of 3" in r.stdout, "three tests", r)
    t.check(os.path.exists(os.path.join(there, "junit.xml")), "the record of the tests is where it is kept")
    break_script(there)
    r = run_steps(8)
    t.check("::error" in r.stdout, "an annotation for GitHub", r)
    t.check(os.path.isdir(os.path.join(there, "build", "gatectl")), "the timelines are where they are kept")


def lost_update(t):
    """A program that fails in some orders, as PROG in a folder of its own."""
    there = t.path("a search")
    os.mkdir(there)
    bugs = os.path.join(ROOT, "tests", "explore", "bugs")
    with open(os.path.join(bugs, "lost_update.c")) as f:
        shutil.copy(compile_text("lost_update_ci.c", f.read(), "-I" + bugs), os.path.join(there, "PROG"))
    return there


@timeout(120)
def test_parallel(t):
    need("parallel")
    if "GNU parallel" not in subprocess.run(["parallel", "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout:
        raise Skip("the parallel that is here is not GNU's")
    there, script = lost_update(t), os.path.join(ROOT, "examples", "ci", "parallel.sh")
    env = {"PATH": os.path.dirname(t.gatectl) + ":" + t.env["PATH"]}
    r = run(t, "sh", script, "2", "./missing", cwd=there, env=env, status=1)
    t.check("gatectl: error: ./missing: No such file" in r.err, "a part that could not be searched", r)
    r = run(t, "sh", script, "2", "./PROG", cwd=there, env=env, status=1)
    t.check("File exists" in r.err, "folders of an earlier search", r)
    for part in ("found.1", "found.2"):
        os.rmdir(os.path.join(there, part))
    r = run(t, "sh", script, "2", "./PROG", cwd=there, env=env, status=116)
    for part in ("found.1", "found.2", "found"):
        t.check(os.path.exists(os.path.join(there, part, "1", "schedule")), "what a part has found", r)
    t.equal(os.listdir(os.path.join(there, "found")), ["1"], "each failure once", r)


@timeout(120)
def test_actions(t):
    """The commands of the parts of a search, as GitHub would fill them in."""
    jobs = load(ROOT, "examples", "ci", "github-actions.yml")["jobs"]
    t.equal([jobs[j].get("needs") for j in ("build", "part", "merge")], [None, "build", "part"], "who waits for whom")
    there = lost_update(t)
    os.makedirs(os.path.join(there, "opt", "bin"))
    os.symlink(t.gatectl, os.path.join(there, "opt", "bin", "gatectl"))
    run(t, "tar", "-czf", "built.tgz", "opt", "PROG", cwd=there)

    def commands(job, part=""):
        given = {"matrix.part": part, "strategy.job-total": "4", "github.run_number": "7"}
        for step in jobs[job]["steps"]:
            if "run" in step and "apt-get" not in step["run"]:
                yield re.sub(r"\$\{\{ (\S+) \}\}", lambda m: given[m[1]], step["run"])

    for part in map(str, jobs["part"]["strategy"]["matrix"]["part"]):
        (command,) = commands("part", part)
        r = t.run(["sh", "-e", "-c", command], cwd=there, seconds=60)
        t.equal(r.status, 0, "a part that has found something", r)
        t.check(os.path.exists(os.path.join(there, "found." + part, "1", "schedule")), "what it has found", r)
    (command,) = commands("merge")
    r = t.run(["sh", "-e", "-c", command], cwd=there, seconds=60)
    t.equal((r.status, os.listdir(os.path.join(there, "found"))), (116, ["1"]), "what they have found, once", r)
