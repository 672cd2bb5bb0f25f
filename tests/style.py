#!/usr/bin/env python3
"""The rules of the house that a machine can see: who may use whom (by what is included and, where there are
object files, by the symbols used), no circle of files, one room for each dangerous call, no function over 60
lines, no file over 600 (which goes for the unit tests and for Lua, too), no folder over 25 files, no static name in
more than three files; the rules of comments (tests/comments.py); the tours of tracer/ARCHITECTURE.md, whose
functions are called in that order; and the list of messages, which is what tests/messages.py finds in the sources."""
import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import comments  # noqa: E402
import ids  # noqa: E402
import messages  # noqa: E402
import shape  # noqa: E402

# folder -> folders it may use (itself is understood)
LIBRARY = ["tracer/base", "tracer/report", "tracer/arch", "tracer/resident", "tracer/tracee", "tracer/cache", "tracer/elf", "tracer/dwarf", "tracer/source", "tracer/inspect", "gates", "lua"]
KERNEL = LIBRARY + ["tracer/run"]
EDGES = {
    "tracer/base": [],
    "tracer/report": ["tracer/base"],
    "tracer/arch": ["tracer/base"],
    "tracer/resident": [],
    "tracer/tracee": ["tracer/base", "tracer/arch", "tracer/resident"],
    "tracer/cache": ["tracer/base"],
    "tracer/elf": ["tracer/base"],
    "tracer/dwarf": ["tracer/base", "tracer/arch", "tracer/cache", "tracer/elf"],
    "tracer/source": ["tracer/base", "tracer/arch", "tracer/elf", "tracer/dwarf"],
    "tracer/inspect": ["tracer/base", "tracer/arch", "tracer/elf", "tracer/dwarf", "tracer/source"],
    "gates": ["tracer/base"],
    "lua": ["gates", "tracer/base"],
    "tracer/run": LIBRARY,
    "tracer/sched/strategy": ["tracer/base"],
    "tracer/sched/races": ["tracer/base"],
    "tracer/sched/schedule": ["tracer/base", "tracer/sched/strategy"],
    "tracer/sched/scripted": ["tracer/base", "lua", "tracer/sched/strategy", "tracer/sched/schedule"],
    "tracer/synth/script": ["tracer/base"],
    "tracer/synth/plan": ["tracer/base", "tracer/sched/strategy", "tracer/sched/schedule", "tracer/synth/script"],
    "tracer/harness/model": ["tracer/base"],
    "tracer/audit": ["tracer/base"],
}
# A feature may use the kernel and these others, most none; the list of all, features.c, knows each.
FEATURES = {
    "convert": ["waiting"],
    "crash": ["timeline", "waiting"],
    "explain": ["crash", "leftover", "near_miss", "report", "timeline", "waiting"],
    "fixed": ["explain", "waiting"],
    "interactive": ["crash", "explain", "timeline", "waiting"],
    "leftover": ["expect", "output", "timeline"],
    "report": ["crash", "timeline", "waiting"],
    "sections": ["waiting"],
    "trial": ["output"],
    "waiting": ["sanitizer", "timeline", "watchpoints"],
}
FEATURES |= {os.path.basename(path): [] for path in glob.glob("tracer/features/*") if os.path.isdir(path) and os.path.basename(path) not in FEATURES}
EDGES |= {f"tracer/features/{name}": KERNEL + [f"tracer/features/{n}" for n in others] for name, others in FEATURES.items()}
EDGES["tracer/scripts"] = KERNEL
SCHED = ["tracer/sched", "tracer/sched/strategy", "tracer/sched/schedule", "tracer/sched/scripted", "tracer/sched/races"]
EDGES["tracer/search"] = KERNEL + SCHED + ["tracer/features/convert", "tracer/features/order_log", "tracer/scripts"]
EDGES["tracer/synth"] = KERNEL + SCHED + ["tracer/search", "tracer/synth/plan", "tracer/synth/script", "tracer/features/convert"]
EDGES["tracer/harness"] = KERNEL + SCHED + ["tracer/search", "tracer/synth", "tracer/harness/model"]
EDGES["tracer/suite"] = ["tracer/base", "tracer/run"]
EDGES["tracer/cli"] = KERNEL + SCHED + ["tracer/suite", "tracer/search", "tracer/synth", "tracer/synth/script", "tracer/harness", "tracer/harness/model", "tracer/audit", "tracer/scripts", "tracer/features",
                                        "tracer/features/interactive", "tracer/features/order_log"]
EDGES["tracer/sched"] = KERNEL + ["tracer/features/timeline", "tracer/features/waiting", "tracer/sched/strategy", "tracer/sched/schedule", "tracer/sched/races"]
EDGES["tracer/features/interactive"] += ["tracer/sched", "tracer/synth/script"]
EDGES["tracer/features/crash"] += ["tracer/sched"]
EDGES["tracer/features/report"] += ["tracer/scripts"]
EDGES["tracer/features"] = KERNEL + ["tracer/sched", "tracer/scripts"] + [f"tracer/features/{name}" for name in FEATURES]
ONLY_IN = [  # what, a pattern, the only room that may contain it
    ("ptrace and waitpid", r"\b(ptrace|waitpid|process_vm_readv|process_vm_writev)\s*\(", "tracer/tracee"),
    ("libelf", r"#include\s*[<\"](gelf|libelf)", "tracer/elf"),
    ("libdwarf", r"#include\s*[<\"](libdwarf/libdwarf|libdwarf\.h|libunwind)", "nowhere"),  # dwarf.h: only names; the library is the tests' witness
    ("Lua", r"#include\s*[<\"](lua\.h|lauxlib|lualib)", "lua"),
    ("exit", r"(?<![\w>.])(exit|quick_exit)\s*\(", "tracer/cli"),
    ("sleeping", r"\b(u?sleep|nanosleep)\s*\(", "nowhere"),
]
# Foreign text is written by tracer/base/text/foreign.h, json.h and xml.h alone: elsewhere no string begins a comment that goes on
# with text, and nothing puts backslashes before characters. Three write for others: the shells, gdb (values), glob(3).
FOREIGN = [r'"(?:\\n)?-- (?:[^"\\]|\\[^n])*(?<!\.)"', r'"/\* (?:(?!\*/)[^"])*"', r'"(?:\\\\%c|\\\\x%02x|%%%02X)"', r"\biscntrl\("]
FOREIGN_OWN = ["tracer/cli/options/completions.c", "tracer/inspect/values/value_print.c", "tracer/search/journal/merge.c"]
MAX_FUNCTION, MAX_FILE, MAX_SUBJECT = 60, 600, 72
# Files of a folder; one folder is larger still and may only become smaller.
MAX_FOLDER = 25
LARGER_FOLDERS = {"lua": 30}
# Files with a static function of one name: a backtrace, a profile and grep say where it is.
MAX_SHARED_NAME = 3


def strip_comments(text):
    keep_lines = lambda m: "\n" * m.group(0).count("\n")
    return re.sub(r"/\*.*?\*/", keep_lines, text, flags=re.S)


def room_of(path):
    """The longest folder of EDGES that the file is in."""
    folder = os.path.dirname(path)
    while folder and folder not in EDGES:
        folder = os.path.dirname(folder)
    return folder or path


def without_strings(text):
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text)


def check_includes(path, text, complain):
    room = room_of(path)
    for m in re.finditer(r'#include "([^"]+)"', text):
        other = room_of(m.group(1))
        if other != room and m.group(1).count("/") and other not in EDGES[room]:
            if not m.group(1).endswith(".inc"):
                complain(f"{path}: includes {m.group(1)}: {room} may not know {other}")


def check_internal(path, text, complain):
    for m in re.finditer(r'#include "([^"]+_internal\.h)"', text):
        if room_of(m.group(1)) != room_of(path):
            complain(f"{path}: includes {m.group(1)}: only its own room may")


# ---- by symbols -----------------------------------------------------------------------------------


def symbols_of(path):
    """What an object file defines, and what it uses."""
    defined, used = set(), set()
    for line in subprocess.run(["nm", "-g", path], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
        kind, name = line.split()[-2:]
        (used if kind == "U" else defined).add(name)
    return defined, used


def users(objects):
    """file -> the files whose functions or data it uses, by name"""
    tables = {o[len("build/obj/"):-2] + ".c": symbols_of(o) for o in objects}
    home = {name: path for path, (defined, _) in tables.items() for name in defined}
    return {path: {home[n]: n for n in used if home.get(n, path) != path} for path, (_, used) in tables.items()}


def circles(graph):
    """Tarjan's strongly connected components, those of more than one."""
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in graph[v]:
            if w not in index:
                visit(w)
            if w in stack:
                low[v] = min(low[v], low[w])
        if low[v] == index[v]:
            at = stack.index(v)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for v in graph:
        if v not in index:
            visit(v)
    return found


def check_circles(graph, limits):
    for folder in sorted({room_of(path) for path in graph}):
        inside = {path: [p for p in used if room_of(p) == folder] for path, used in graph.items() if room_of(path) == folder}
        shape.check_circle(folder, max(circles(inside), key=len, default=[]), limits)


def check_folders(complain):
    for circle in circles(EDGES):
        complain(f"tests/style.py: a circle of folders: {' '.join(circle)}")


def check_symbols(complain, limits):
    objects = [o for o in glob.glob("build/obj/**/*.o", recursive=True) if os.path.exists(o[len("build/obj/"):-2] + ".c")]
    if not objects:
        print("style: no object files, so only includes are checked: make first")
        return False
    graph = users(objects)
    for path, used in graph.items():
        for other, name in used.items():
            if room_of(other) != room_of(path) and room_of(other) not in EDGES[room_of(path)]:
                complain(f"{path}: uses {name} of {other}: {room_of(path)} may not know {room_of(other)}")
    check_circles(graph, limits)
    check_folders(complain)
    return True


# ---- by text --------------------------------------------------------------------------------------


def check_rooms(path, text, complain):
    code = without_strings(text)
    for what, pattern, room in ONLY_IN:
        source = text if "include" in pattern else code
        if room_of(path) != room and re.search(pattern, source):
            complain(f"{path}: {what} belongs in {room}")


def check_foreign(path, text, complain):
    if path.startswith("tracer/base/") or path in FOREIGN_OWN:
        return
    for pattern in FOREIGN:
        for m in re.finditer(pattern, text):
            complain(f"{path}: {m.group(0)}: text from elsewhere is written by tracer/base/text/foreign.h")


def check_file_length(path, text, complain):
    lines = text.count("\n")
    if lines > MAX_FILE:
        complain(f"{path}: {lines} lines, {MAX_FILE} are the most")


def check_tags(texts, complain):
    """A reader who looks for a struct by its name finds one."""
    defined = {}
    for path, text in texts.items():
        for tag in re.findall(r"^[ \t]*(?:(?:typedef|static|const) )*(?:struct|enum|union) (\w+)\s*\{", text, re.M):
            defined.setdefault(tag, []).append(path)
    for tag, paths in defined.items():
        if len(paths) > 1:
            complain(f"{paths[1]}: {tag} is the name of a struct or enum of {paths[0]}, too")


def check_folder_size(folder, files, complain):
    most = LARGER_FOLDERS.get(folder, MAX_FOLDER)
    if folder.split("/")[0] in ("tracer", "gates", "lua") and files > most:
        complain(f"{folder}: {files} files, {most} are the most")


def check_folder_sizes(complain):
    for folder, _, names in os.walk("."):
        check_folder_size(folder[2:], len(names), complain)


def check_static_names(texts, complain):
    defined = {}
    for path, text in texts.items():
        for name in re.findall(r"^static\b[^;={]*?\b(\w+)\([^;]*?\)\n\{", text, re.M):
            defined.setdefault(name, set()).add(path)
    for name, paths in sorted(defined.items()):
        if len(paths) > MAX_SHARED_NAME:
            complain(f"{name}() is static in {len(paths)} files, {MAX_SHARED_NAME} are the most: {' '.join(sorted(paths))}")


def check_function_lengths(path, text, complain):
    start = None
    for n, line in enumerate(text.split("\n"), 1):
        if line.startswith("{"):
            start = n
        elif line.startswith("}") and start:
            if n - start > MAX_FUNCTION:
                complain(f"{path}:{start}: a function of {n - start} lines, {MAX_FUNCTION} are the most")
            start = None


def check_errors(path, text, complain):
    """A struct error owns its texts: a local one has to be empty at first, and to be freed."""
    for body in re.findall(r"^{\n(.*?)^}", text, re.M | re.S):
        for m in re.finditer(r"^\s+struct error (\w+)[ ;=].*", body, re.M):
            complain(f"{path}: '{m.group(0).strip()}': write ERROR({m.group(1)})")


# ---- the tours of tracer/ARCHITECTURE.md ----------------------------------------------------------
#
# A tour is a path through the call tree, so the checker keeps a stack of calls. A step is called by the step
# before it or, when that has returned, by an earlier one, at a place of its text after the call that returned.
# At most MAX_UNNAMED functions between two steps are not named. "(by `NAME`)" marks what no call shows: NAME is a
# table, event or library function that one function, initialiser or list (ONE) names together with the step; or it is
# an earlier step, whose loop makes the call.

TOURS = "tracer/ARCHITECTURE.md"
MAX_STEPS = [30, 18, 18, 18]
MAX_UNNAMED = 2
FUNCTION = re.compile(r"^(\w[^;{}#=]*?\b(\w+)\([^;{}]*?\)[^;{}()]*)\n\{\n(.*?)^\}", re.M | re.S)
INITIALISER = re.compile(r"^\w[^;{}()#]*=\s*(?:\{.*?\};|[^{};]*;)", re.M | re.S)
LIST = re.compile(r"^#define \w+\(ONE\)(?:.*\\\n)*.*$", re.M)
STEP = re.compile(r"^\d+\. `(\w+)\(\)`(?:.*?\(by `(\w+)`\))?")


class Calls:
    """Functions by name, each with the calls in its text."""

    def __init__(self, texts):
        self.functions, self.chunks = {}, []
        for path, text in texts.items():
            for m in FUNCTION.finditer(text):
                head, name, body = m.groups()
                f = {"name": name, "path": path, "static": head.startswith("static") and path.endswith(".c"), "body": body}
                self.functions.setdefault(name, []).append(f)
            self.chunks += [m.group(0) for r in (FUNCTION, INITIALISER, LIST) for m in r.finditer(text)]
        for f in (f for fs in self.functions.values() for f in fs):
            names = re.finditer(r"(?<![\w.>])(\w+)\(", without_strings(f["body"]))
            f["calls"] = [(m.start(), g) for m in names for g in self.seen_from(m.group(1), f["path"])]

    def seen_from(self, name, path):
        found = self.functions.get(name, [])
        return [f for f in found if f["path"] == path] or [f for f in found if not f["static"]]

    def path(self, f, after, target, named):
        """The fewest calls from f to the target, past none of the named functions: (caller, place in its text) each, or None."""
        paths = [(f, after, [])]
        for _ in range(MAX_UNNAMED + 1):
            longer = []
            for g, least, way in paths:
                for at, called in g["calls"]:
                    if at > least and called is target:
                        return way + [(g, at)]
                    if at > least and called["name"] not in named:
                        longer.append((called, -1, way + [(g, at)]))
            paths = longer
        return None

    def are_named_together(self, one, other):
        return any(re.search(rf"\b{one}\b", c) and re.search(rf"\b{other}\b", c) for c in self.chunks)


def read_tours(text):
    """For each tour its title and its steps: (room, function, what leads there or None)."""
    tours = []
    for line in text.splitlines():
        step = STEP.match(line)
        if line.startswith("## "):
            tours.append((line[3:], []))
        elif line.startswith("### "):
            room = line.split()[1].rstrip(":")
        elif step:
            tours[-1][1].append((room, step.group(1), step.group(2)))
    return [tour for tour in tours if tour[1]]


def next_stack(calls, stack, target, by, named):
    """The calls that the program is in at the target: (function, place of the call that it is in); None: no way leads there."""
    names = [f["name"] for f, _ in stack]
    if by in names:
        f = stack[names.index(by)][0]
        way = calls.path(f, -1, target, named) if re.search(r"\b(for|while|array_each)\b", f["body"]) else None
        return stack[:names.index(by)] + way + [(target, -1)] if way else None
    if by:
        return stack + [(target, -1)] if calls.are_named_together(by, target["name"]) else None
    for i in range(len(stack), 0, -1):
        way = calls.path(*stack[i - 1], target, named)
        if way:
            return stack[:i - 1] + way + [(target, -1)]
    return None


def check_steps(title, steps, calls, complain):
    stack, before, named = [], None, {name for _, name, _ in steps}
    for room, name, by in steps:
        here = [f for f in calls.functions.get(name, []) if (f["path"] + "/").startswith(room + "/")]
        if not here:
            homes = " ".join(f["path"] for f in calls.functions.get(name, []))
            complain(f"{TOURS}: {title}: " + (f"{name}() is not in {room}, but in {homes}" if homes else f"there is no {name}()"))
            return
        stacks = [next_stack(calls, stack, f, by, named) if stack else [(f, -1)] for f in here]
        stack = next((s for s in stacks if s), None)
        if not stack:
            complain(f"{TOURS}: {title}: {name}() is not reached after {before}()" + (f" by {by}" if by else ""))
            return
        before = name


def check_tours(texts, complain):
    """Each tour leads through functions that exist, in the rooms of its headings, in the order of their calls."""
    with open(TOURS, encoding="utf-8") as f:
        tours = read_tours(f.read())
    if len(tours) != len(MAX_STEPS):
        complain(f"{TOURS}: {len(tours)} tours, not {len(MAX_STEPS)}")
    calls = Calls(texts)
    for (title, steps), most in zip(tours, MAX_STEPS):
        if len(steps) > most:
            complain(f"{TOURS}: {title}: {len(steps)} functions, {most} are the most")
        check_steps(title, steps, calls, complain)


# ---- every rule, shown red ---------------------------------------------------------------------------


def reds():
    """Each rule with a tiny input that breaks it: (what the complaint says, a function of complain)."""
    def limited(check, *args):
        def run(complain):
            check(*args, shape.Limits([], complain))
        return run

    def of(check, *args):
        return lambda complain: check(*args, complain)

    long = "void f(void)\n{\n" + "\tg();\n" * 61 + "}\n"
    kernel = {"tracer/run/run_internal.h": "struct run {\n\tint x;\n};\n", "tracer/cli/a.c": '#include "tracer/run/run_internal.h"\n'}
    public = {"gates/a.h": "", "gates/b.h": "", "lua/x.c": '#include "gates/a.h"\n#include "gates/b.h"\n'}
    statics = {f"gates/{n}.c": "static int same(int x)\n{\n}\n" for n in "abcd"}
    graph = {f"gates/{a}.c": {f"gates/{b}.c": "f"} for a, b in ("ab", "bc", "cd", "da")}
    observer = "const struct observer x_observer = {\n};\n"
    return [
        ("may not know", of(check_includes, "gates/a.c", '#include "tracer/cli/cli.h"\n')),
        ("only its own room", of(check_internal, "gates/a.c", '#include "lua/lua_internal.h"\n')),
        ("ptrace and waitpid belongs in", of(check_rooms, "tracer/run/a.c", "\tptrace(PTRACE_CONT);\n")),
        ("waitpid belongs in", of(check_rooms, "gates/a.c", "\twaitpid(pid, NULL, 0);\n")),
        ("process_vm", lambda complain: check_rooms("lua/a.c", "\tprocess_vm_readv(pid);\n", lambda text: complain(text + " process_vm"))),
        ("text from elsewhere", of(check_foreign, "gates/a.c", 'str_addf(s, "-- %s", text);')),
        ("601 lines", of(check_file_length, "gates/a.c", "\n" * 601)),
        ("a function of", of(check_function_lengths, "gates/a.c", long)),
        ("write ERROR(e)", of(check_errors, "gates/a.c", "void f(void)\n{\n\tstruct error e;\n}\n")),
        ("is the name of a struct", of(check_tags, {"a.c": "struct s {\n};\n", "b.c": "struct s {\n};\n"})),
        ("is static in 4 files", of(check_static_names, statics)),
        ("begins with 'Its'", of(comments.check_beginnings, "gates/a.c", "/* Its length. */\n")),
        ("begins with '...'", of(comments.check_beginnings, "gates/a.c", "int x; /* ... or 0 */\n")),
        ("101 columns", of(comments.check_columns, "gates/a.c", "\t" + "x" * 93 + "\n")),
        ("no head comment", of(comments.check_head, "gates/a.c", "int x;\n")),
        ("f() has no comment", of(comments.check_prototypes, "gates/a.h", "/* Returns 0. */\nint e(void);\n\nint f(void);\n")),
        ("26 files", of(check_folder_size, "tracer/base", 26)),
        ("7 booleans", limited(shape.check_booleans, {"a.h": "struct s {\n\tbool a, b, c, d;\n\tbool e, f, g; /* why */\n};\n"})),
        ("2 public headers", limited(shape.check_public_headers, public)),
        ("no observer", limited(shape.check_observers, {"tracer/features/x/x.c": ""})),
        ("2 observers", limited(shape.check_observers, {"tracer/features/x/x.c": observer * 2})),
        ("1 files that know its members", limited(shape.check_kernel_structs, kernel)),
        ("(new: 2 threads wait)", of(messages.check, {"gates/a.c": 'f("2 threads "\n"wait");'}, "gates/a.c\n\t1 thread waits\n")),
        ("control characters", of(ids.check, ["test_a.test_b[\n]"])),
        ("control characters", of(ids.check, ["test_a.test_b[\003]"])),
        ("has 'nobody' in its name", of(ids.check, ["test_a.test_nobody_opens"])),
        ("has 'what' in its name", of(ids.check, ["test_a.what_is_read"])),
        ("4 files in a circle", limited(check_circles, graph)),
        ("2 lines", lambda complain: shape.check_lines({"gates/a.c": "\n\n"}, [["gates", "1"]], complain)),
        ("write 1 instead of 2", lambda complain: shape.check_lines({"gates/a.c": "\n"}, [["gates", "2"]], complain)),
        ("remove the line", lambda complain: shape.Limits([["observers", "x", "2"]], complain).finish()),
    ]


def print_long_subjects():
    """Prints commits whose subject has over 72 characters, which cannot be mended any more."""
    log = subprocess.run(["git", "log", "-100", "--format=%h %s"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for commit, subject in (line.split(" ", 1) for line in log.stdout.splitlines() if " " in line):
        if len(subject) > MAX_SUBJECT:
            print(f"style: {commit}: a subject of {len(subject)} characters, {MAX_SUBJECT} are the most")


def check_rules(complain):
    for words, break_it in reds():
        told = []
        break_it(told.append)
        if not any(words in text for text in told):
            complain(f"tests/style.py: the rule of '{words}' does not see what breaks it: {told}")


def main():
    complaints = []
    texts, whole = {}, {}
    limits = shape.Limits(shape.rows(shape.ALLOWED), complaints.append)
    files = sorted(glob.glob("tracer/**/*.[ch]", recursive=True) + glob.glob("gates/*.[ch]") + glob.glob("lua/*.[ch]"))
    for path in files:
        with open(path, encoding="utf-8") as f:
            whole[path] = f.read()
        text = texts[path] = strip_comments(whole[path])
        check_includes(path, text, complaints.append)
        check_internal(path, text, complaints.append)
        check_rooms(path, text, complaints.append)
        check_foreign(path, text, complaints.append)
        check_file_length(path, text, complaints.append)
        check_function_lengths(path, text, complaints.append)
        check_errors(path, text, complaints.append)
        comments.check(path, whole[path], complaints.append)
    others = sorted(glob.glob("tests/unit/*.[ch]") + glob.glob("lua/**/*.lua", recursive=True))
    for path in others:
        with open(path, encoding="utf-8") as f:
            text = f.read()
        check_file_length(path, text, complaints.append)
        if not path.endswith(".lua"):
            comments.check(path, text, complaints.append)
    ids.check(ids.of_unit_tests() + ids.of_end_to_end(), complaints.append)
    print_long_subjects()
    check_rules(complaints.append)
    check_tags(texts, complaints.append)
    check_folder_sizes(complaints.append)
    check_static_names(texts, complaints.append)
    check_tours(texts, complaints.append)
    for check in (shape.check_booleans, shape.check_public_headers, shape.check_observers, shape.check_kernel_structs):
        check(texts, limits)
    with open(messages.LIST, encoding="utf-8") as f:
        messages.check(messages.sources(), f.read(), complaints.append)
    shape.check_lines(whole, shape.rows(shape.ROOMS), complaints.append)
    if check_symbols(complaints.append, limits):
        limits.finish()
    for c in complaints:
        print(c, file=sys.stderr)
    print(f"style: {len(files) + len(others)} files, {len(complaints)} complaints")
    return 1 if complaints or not files or not others else 0


if __name__ == "__main__":
    sys.exit(main())
