"""The examples of the manual and the README: each runs and prints what it says.

An example is a block of a page (.Bd -literal, .Dl) or of the README (indented, or fenced). A block with lines that begin with "$ " is a
session: the commands are run by sh, and the lines below each are compared with what it prints: "..." stands for any text, times and
the breaking of lines do not matter. Other blocks of a page, and those of the README with an expect, are scripts, which must hold for
a program of the scene: the programs of examples/ and tests/manual/, built in a directory of their own. What is not run is in
NOT_RUN, with the reason.
"""
import glob
import os
import re
import shutil
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GATECTL = os.path.join(ROOT, "build", "gatectl")
SERVER = "4711"  # in a command: the id of a ./server that runs
SECONDS = 300
# (document, start of a block or command, why it is not run)
NOT_RUN = [
    ("gatectl-run.1", "docker run", "needs docker"),
    ("gatectl-run.1", "gatectl run --fixed -g gates/lost_update", "needs a repaired program: tests/e2e/test_fixed.py runs such"),
    ("gatectl-explore.1", "gatectl_add_test(", "needs a project of CMake: tests/e2e/test_cmake.py runs such"),
    ("gatectl-run.1", "securityContext:", "needs Kubernetes"),
    ("gatectl-harness.1", "{ push(1); pop() }", "shows the form of a harness"),
    ("gatectl-harness.1", "push(1)=1 pop()=1,2", "shows the form of an outcome"),
    ("gatectl-cmake.7", "", "needs a project of CMake, Meson or Automake: tests/e2e/test_cmake.py and test_ci.py run such"),
]
ESCAPES = {r"\e": "\\", r"\(aq": "'", r"\(dq": '"', r"\-": "-", r"\&": "", r"\(bu": "*"}


class Block:
    """An example: the macro or mark that begins it, and its lines."""

    def __init__(self, mark, lines):
        self.mark, self.lines = mark, lines

    def is_session(self):
        return any(line.startswith("$ ") for line in self.lines)


def unescaped(text):
    return re.sub(r"\\(?:\(..|.)", lambda m: ESCAPES.get(m.group(0), m.group(0)), text)


def blocks(text):
    """Examples of a page's source."""
    found = []
    for m in re.finditer(r"^\.Bd (-literal).*?\n(.*?)^\.Ed$|^\.Dl ([^\n]*)$", text, re.S | re.M):
        lines = (m.group(2) or m.group(3)).splitlines()
        found.append(Block(".Bd" if m.group(1) else ".Dl", [unescaped(line) for line in lines]))
    return found


def markdown_blocks(text):
    """Examples of a Markdown file: fenced, or indented by four blanks."""
    found = [Block("```", m.group(1).splitlines()) for m in re.finditer(r"^```\w*\n(.*?)^```$", text, re.S | re.M)]
    text = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
    for m in re.finditer(r"(?:^\n|\A)((?:^    .*\n|^\n(?=    ))+)", text, re.M):
        found.append(Block("    ", [line[4:] for line in m.group(1).strip("\n").splitlines()]))
    return [b for b in found if b.is_session() or any(line.startswith("expect") for line in b.lines)]


def why_not_run(document, first):
    return next((why for name, start, why in NOT_RUN if name == document and first.startswith(start)), None)


# ---- the scene ---------------------------------------------------------------------------------------


def compile_scene(where):
    """The programs of examples/ by the name of their source, and those of tests/manual/."""
    for path in glob.glob(os.path.join(ROOT, "examples", "*", "*.lua")) + glob.glob(os.path.join(ROOT, "tests", "manual", "*.c")):
        shutil.copy(path, where)
    for path in glob.glob(os.path.join(ROOT, "examples", "*", "*.c*")):
        shutil.copy(path, where)
    for name in sorted(os.listdir(where)):
        base, ext = os.path.splitext(name)
        how = {"queue.c": ["-shared", "-fPIC", "-o", "libqueue.so"], "cache.c": None}.get(name, ["-o", base])
        if ext in (".c", ".cc") and how:
            subprocess.run(["g++" if ext == ".cc" else "gcc", "-g", "-O0", "-pthread", "-D_GNU_SOURCE", "-w", name, *how], cwd=where, check=True)
    os.mkdir(os.path.join(where, "build"))
    with open(os.path.join(where, "build", "compile_commands.json"), "w") as f:
        f.write('[{"directory": "%s", "file": "queue.c", "command": "cc -c queue.c"}]' % where)
    os.symlink(GATECTL, os.path.join(where, "build", "gatectl"))
    shutil.copytree(os.path.join(ROOT, "build", "examples"), os.path.join(where, "build", "examples"))
    for name in ("examples", "tests", "Makefile"):
        os.symlink(os.path.join(ROOT, name), os.path.join(where, name))
    os.mkdir(os.path.join(where, "log"))
    subprocess.run(["./journal", "log", "add", "one", "two"], cwd=where, check=True)


def environment(where):
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "GITHUB_ACTIONS")}
    return {**env, "PATH": os.path.join(where, "build") + ":" + os.environ["PATH"], "HOME": where, "TERM": "dumb"}


# ---- sessions ----------------------------------------------------------------------------------------


def commands_of(block):
    """(command, lines typed into it, lines that it prints) of a session."""
    found = []
    for line in block.lines:
        if line.startswith("$ "):
            found.append([line[2:], [], []])
        elif found and found[-1][0].endswith("\\"):
            found[-1][0] = found[-1][0][:-1] + line.strip()
        elif found and line.startswith("(gatectl) "):
            found[-1][1].append(line[len("(gatectl) "):])
        elif found:
            found[-1][2].append(line)
    return found


def pattern(lines):
    """A regular expression for what the lines say: "..." is any text, and times may differ."""
    def part(text):
        text = r"\s+".join(re.escape(word) for word in text.split())
        text = re.sub(r"\d+(?:\\\.\d+)?(?=\\s\+(?:s|times)\b)", r"[\\d.]+", text)
        return text
    return r"\s*(?:.*?)\s*".join(part(p) for p in "\n".join(lines).split("..."))


def run(command, typed, where):
    """(status, standard output, standard error)"""
    p = subprocess.run(["sh", "-c", command], cwd=where, env=environment(where), input="".join(t + "\n" for t in typed), stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, text=True, errors="replace", timeout=SECONDS)
    return p.returncode, p.stdout, p.stderr


def check_command(document, command, typed, said, where, complain):
    name = command.split()[-1]
    if command.startswith("cat ") and not os.path.exists(os.path.join(where, name)):
        with open(os.path.join(where, name), "w") as f:
            f.write("\n".join(said) + "\n")
        return
    status, out, err = run(command, typed, where)
    if status == 118:
        return  # tracing this process is not permitted here
    if status in (126, 127) or (status == 125 and not any("error:" in line for line in said)):
        complain(f"{document}: $ {command}: status {status}: {err}")
    elif said and not any(re.fullmatch(pattern(said), text.strip(), re.S) for text in (out + err, err + out)):
        complain(f"{document}: $ {command}: prints\n{out}{err}but the example says\n" + "\n".join(said))


def check_session(document, block, where, complain, server=None):
    ran = 0
    for command, typed, said in commands_of(block):
        if why_not_run(document, command) is None:
            check_command(document, command.replace(SERVER, str(server)), typed, [line.replace(SERVER, str(server)) for line in said], where, complain)
            ran += 1
    return ran


# ---- scripts -----------------------------------------------------------------------------------------


def holds(script, program, where):
    """None, or what is wrong with the script as a test of the program."""
    if run(f"gatectl check -g {script} {program}", [], where)[0]:
        return "no location"
    status, out, err = run(f"gatectl run -g {script} {program}", [], where)
    return None if status == 0 else f"status {status} with {program}: {out}{err}"


def check_script(document, block, where, complain):
    path = os.path.join(where, "example.lua")
    with open(path, "w") as f:
        f.write("\n".join(block.lines) + "\n")
    programs = sorted("./" + os.path.basename(os.path.splitext(p)[0]) for p in glob.glob(os.path.join(ROOT, "examples", "*", "*.c*")))
    wrong = []
    for program in programs:
        told = holds("example.lua", program, where)
        if told is None:
            return
        wrong += [told] if told != "no location" else []
    complain(f"{document}: the script holds for no program of the scene:\n" + "\n".join(block.lines + wrong))


def check_block(document, block, where, server, complain):
    """Runs an example. Returns how many there were in it."""
    if block.is_session():
        return check_session(document, block, where, complain, server)
    if why_not_run(document, block.lines[0]):
        return 0
    if block.lines[0].startswith(("/*", "#include")):
        with open(os.path.join(where, "example.c"), "w") as f:
            f.write("\n".join(["#include <pthread.h>", *block.lines]) + "\n")
        if run("cc -fsyntax-only example.c", [], where)[0]:
            complain(f"{document}: does not compile:\n" + "\n".join(block.lines))
    else:
        check_script(document, block, where, complain)
    return 1


def check_document(document, found, top, complain):
    """In a fresh scene, at the path where its programs were built: debug information has that."""
    where = os.path.join(top, "scene")
    shutil.rmtree(where, ignore_errors=True)
    shutil.copytree(os.path.join(top, "built"), where, symlinks=True)
    server = None
    if any(SERVER in line for b in found for line in b.lines):
        server = subprocess.Popen(["./server"], cwd=where, stdout=subprocess.PIPE)
        server.stdout.readline()  # all its threads are there
    try:
        return sum(check_block(document, b, where, server.pid if server else None, complain) for b in found)
    finally:
        if server:
            server.kill()
            server.communicate()


def check_all(pages, readme, complain):
    """Runs all examples. Returns their number."""
    with tempfile.TemporaryDirectory(prefix="gatectl-manual-") as top:
        where = os.path.join(top, "scene")
        os.mkdir(where)
        compile_scene(where)
        os.rename(where, os.path.join(top, "built"))
        documents = [(name, blocks(text)) for name, text in pages.items()] + [("README.md", markdown_blocks(readme))]
        return sum(check_document(name, found, top, complain) for name, found in documents)
