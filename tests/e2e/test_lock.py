"""Scripts that survive edits: `check --lock` keeps what locations meant, `check` says what has moved,
`check --fix` follows it."""

import os
import re
import stat

from harness import compile_text, line_of, params

SOURCE = r"""#include <pthread.h>
#include <stdio.h>

static int multiplier = 1, result;

static void *worker1(void *value)
{
	multiplier = *(int *)value;
	return NULL;
}

static void *worker2(void *value)
{
	int factor = multiplier; /* gate: used */

	result = factor * *(int *)value;
	return NULL;
}

static int twice(int a)
{
	a += 1;
	printf("%d\n", a);
	a += 1;
	return a;
}

int main(void)
{
	int six = 6, seven = 7;
	pthread_t a, b;

	pthread_create(&a, NULL, worker1, &seven);
	pthread_join(a, NULL);
	pthread_create(&b, NULL, worker2, &six);
	pthread_join(b, NULL);
	return twice(result) == 44 ? 0 : 1;
}
"""
SET = line_of(SOURCE, "multiplier = *")
USE = line_of(SOURCE, "result = factor")


class Project:
    """A source, a script and the program, that is built anew after every edit."""

    def __init__(self, t, script, source=SOURCE, name="calc.c"):
        self.t, self.name = t, name
        os.mkdir(t.path("project"))
        self.script = self.write("s.lua", script)
        self.build(source)

    def write(self, name, text):
        path = os.path.join(self.t.path("project"), name)
        with open(path, "w", newline="") as f:
            f.write(text)
        return path

    def read(self, name):
        with open(os.path.join(self.t.path("project"), name), newline="") as f:
            return f.read()

    def build(self, source, flags=(), others=()):
        files = [self.write(self.name, source)] + [self.write(n, s) for n, s in others]
        self.program = os.path.join(self.t.path("project"), "calc")
        r = self.t.run(["gcc", "-g", "-O0", "-w", "-pthread", *flags, "-o", self.program, *files])
        self.t.equal(r.status, 0, "compiler", r)

    def check(self, *options, status=0):
        r = self.t.gate("check", *options, "-g", self.script, self.program)
        self.t.equal(r.status, status, "status of check " + " ".join(options), r)
        if status == 0:
            self.t.equal(r.err, "", "stderr", r)
        return r

    def lock(self):
        self.check("--lock")
        return self

    def fixed(self, *changes):
        """check says what has moved; --fix puts exactly that right, and then all is well."""
        before = self.read("s.lua")
        r = self.check(status=125)
        for old, new in changes:
            self.t.check("s.lua:" in r.first and r.err.count("gatectl: error:") == len(changes), "one line each", r)
            self.t.check(re.search(r": %s was '.*' in \S+, which is now at %s\b" % (re.escape(old), re.escape(new)),
                                   r.err), "%s is at %s" % (old, new), r)
        self.t.check(r.err.rstrip().split("\n")[-1].startswith("try: gatectl check --fix -g "), "try", r)
        self.t.equal(self.read("s.lua"), before, "check alone changes nothing")
        r = self.check("--fix")
        for old, new in changes:
            self.t.check("%s is %s now" % (old, new) in r.stdout, "says what it changed", r)
        self.check()
        return self

    def script_is(self, text):
        self.t.equal(self.read("s.lua"), text, "the script")


def above(source, needle, *lines):
    """The source with lines put in above the one with this text."""
    n = line_of(source, needle) - 1
    all_lines = source.split("\n")
    return "\n".join(all_lines[:n] + list(lines) + all_lines[n:])


def at(*locations):
    return "".join('at "%s" :run(function() end) -- %s\n' % (l, l) for l in locations)


def test_lock_file(t):
    """The same text on every machine but for the build-id; --lock says what it has written."""
    p = Project(t, at("calc.c:%d" % SET, "worker2", "//used"))
    r = p.check("--lock")
    t.check("s.lua.lock: 3 locations" in r.stdout, "says so", r)
    lock = p.read("s.lua.lock")
    t.equal(re.sub(r"build calc [0-9a-f]+", "build calc ID", lock).split("\n")[1:12],
            ["lock 1", "build calc ID", "", "at calc.c:%d" % SET, "\tobject calc", "\tfunction worker1 +2",
             "\tline calc.c:%d" % SET, "\t- static int multiplier = 1, result;", "\t- static void *worker1(void *value)",
             "\t= multiplier = *(int *)value;", "\t+ return NULL;"], "the lock file")
    p.check("--lock")
    t.equal(p.read("s.lua.lock"), lock, "the same again")
    p.check()


def test_without_lock_nothing_changes(t):
    p = Project(t, at("calc.c:%d" % SET))
    r = p.check()
    t.check("lock" not in r.stdout and not os.path.exists(p.script + ".lock"), "no lock file", r)
    t.error(p.check("--fix", status=125), 125, "there is no .*s.lua.lock")
    t.error(t.gate("check", "--lock", "--fix", "-g", p.script, p.program), 125, "cannot be combined")


def test_insertions_above(t):
    p = Project(t, at("calc.c:%d" % SET, "calc.c:%d" % USE)).lock()
    p.build(above(SOURCE, "static void *worker1", "/*", " * longer", " */"))
    p.fixed(("calc.c:%d" % SET, "calc.c:%d" % (SET + 3)), ("calc.c:%d" % USE, "calc.c:%d" % (USE + 3)))
    new = at("calc.c:%d" % (SET + 3), "calc.c:%d" % (USE + 3))
    new = new.replace("-- calc.c:%d" % (SET + 3), "-- calc.c:%d" % SET).replace("-- calc.c:%d" % (USE + 3), "-- calc.c:%d" % USE)
    p.script_is(new)  # comments stay
    p.build(SOURCE)   # and back again
    p.fixed(("calc.c:%d" % (SET + 3), "calc.c:%d" % SET), ("calc.c:%d" % (USE + 3), "calc.c:%d" % USE))
    p.script_is(at("calc.c:%d" % SET, "calc.c:%d" % USE))


def test_old_line_has_code_of_another_statement(t):
    """The dangerous kind: the line has code still, of another statement. Without a lock nobody notices."""
    p = Project(t, at("calc.c:%d" % USE)).lock()
    p.build(above(SOURCE, "result = factor", "\tfactor += 0;", "\tfactor += 0;"))
    p.fixed(("calc.c:%d" % USE, "calc.c:%d" % (USE + 2)))
    p.script_is('at "calc.c:%d" :run(function() end) -- calc.c:%d\n' % (USE + 2, USE))


def test_one_location_takes_the_place_of_another(t):
    """a:8 is a:9 now, and a:9 a:10: both at once, not one after the other."""
    source = SOURCE.replace("\tmultiplier = *(int *)value;\n", "\tmultiplier = *(int *)value;\n\tresult = 0;\n")
    p = Project(t, at("calc.c:%d" % SET, "calc.c:%d" % (SET + 1)), source).lock()
    p.build(above(source, "static void *worker1", ""))
    p.fixed(("calc.c:%d" % SET, "calc.c:%d" % (SET + 1)), ("calc.c:%d" % (SET + 1), "calc.c:%d" % (SET + 2)))
    t.check('at "calc.c:%d"' % (SET + 1) in p.read("s.lua") and 'at "calc.c:%d"' % (SET + 2) in p.read("s.lua"), "both")
    t.equal(re.findall(r"^at (.*)", p.read("s.lua.lock"), re.M), ["calc.c:%d" % (SET + 1), "calc.c:%d" % (SET + 2)], "lock")


@params("blanks", "comment", "neighbours", "blank lines below", "function renamed")
def test_not_a_drift(t, edit):
    p = Project(t, at("calc.c:%d" % SET)).lock()
    p.build({
        "blanks": SOURCE.replace("multiplier = *(int *)value", "multiplier=  *(int*) value"),
        "comment": SOURCE.replace("multiplier = *(int *)value;", "multiplier = *(int *)value; // seven"),
        "neighbours": SOURCE.replace("\treturn NULL;\n}\n\nstatic void *worker2", "\treturn value;\n}\n\nvoid *worker2"),
        "blank lines below": above(SOURCE, "static void *worker2", "", ""),
        "function renamed": SOURCE.replace("worker1", "set_multiplier"),
    }[edit])
    p.check()


def test_line_edited(t):
    """Its text is not there any more: what is most like it is named first, and --fix leaves it."""
    p = Project(t, at("calc.c:%d" % SET)).lock()
    p.build(above(SOURCE, "static void *worker1", "", "").replace("multiplier = *(int *)value", "multiplier = 1 + *(int *)value"))
    r = p.check(status=125)
    t.check("calc.c:%d was 'multiplier = *(int *)value;' in worker1, which no longer exists; similar:\n"
            "  calc.c:%d in worker1: multiplier = 1 + *(int *)value;\n" % (SET, SET + 2) in r.err, "candidates", r)
    t.check("try: correct the locations in the script, then gatectl check --lock -g " in r.err, "try", r)
    text, lock = p.read("s.lua"), p.read("s.lua.lock")
    p.check("--fix", status=125)
    t.equal((p.read("s.lua"), p.read("s.lua.lock")), (text, lock), "left as it was")
    p.write("s.lua", at("calc.c:%d" % (SET + 2)))
    p.check("--lock")
    p.check()


def test_line_edited_in_a_renamed_file(t):
    """Similar lines of the function in another file count, if no file has the old name."""
    p = Project(t, at("worker1;multiplier =")).lock()
    p.name = "other.c"
    p.build(SOURCE.replace("multiplier", "factor1"))
    r = p.check(status=125)
    t.check("in worker1, which no longer exists; similar:\n"
            "  other.c:%d in worker1: factor1 = *(int *)value;\n" % SET in r.err, "candidates", r)


def test_line_deleted(t):
    p = Project(t, at("calc.c:%d" % SET, "calc.c:%d" % USE)).lock()
    p.build(SOURCE.replace("\tmultiplier = *(int *)value;\n", ""))
    r = p.check(status=125)
    t.check("calc.c:%d was 'multiplier = *(int *)value;' in worker1, which no longer exists" % SET in r.err, "lost", r)
    t.check("calc.c:%d was 'result = factor * *(int *)value;' in worker2, which is now at calc.c:%d" % (USE, USE - 1)
            in r.err, "moved", r)
    r = p.check("--fix", status=125)  # what is clear is put right, the rest is told
    t.equal(r.err.count("gatectl: error:"), 1, "errors", r)
    p.script_is('at "calc.c:%d" :run(function() end) -- calc.c:%d\nat "calc.c:%d" :run(function() end) -- calc.c:%d\n'
                % (SET, SET, USE - 1, USE))
    t.check("at calc.c:%d\n" % SET in p.read("s.lua.lock"), "what is lost stays in the lock")


def test_lost_stays_lost(t):
    """What --fix leaves is said again by every later check, though the lock file was written for what had moved."""
    p = Project(t, at("calc.c:%d" % SET, "calc.c:%d" % USE)).lock()
    source = SOURCE.replace("multiplier = *(int *)value;", "if (value)\n\t\tmultiplier = 7;")
    for line in (USE + 1, USE + 2):
        p.build(source)
        r = p.check("--fix", status=125)
        t.check("calc.c:%d now" % line in r.stdout, "the other one is put right", r)
        for _ in range(2):
            r = p.check(status=125)
            t.check("calc.c:%d was 'multiplier = *" % SET in r.err, "is still lost", r)
            t.check("calc.c:%d was" % line not in r.err, "is right", r)
        source = above(source, "result = factor", "")
    p.check("--lock")
    p.check()


def test_duplicated_lines(t):
    """Two lines of one text in one function: the lines around them tell them apart."""
    first, second = [i for i, l in enumerate(SOURCE.split("\n"), 1) if l == "\ta += 1;"]
    p = Project(t, at("calc.c:%d" % first, "calc.c:%d" % second)).lock()
    p.check()
    p.build(above(SOURCE, "static int twice", *[""] * (second - first)))  # the first is where the second was
    p.fixed(("calc.c:%d" % first, "calc.c:%d" % second), ("calc.c:%d" % second, "calc.c:%d" % (2 * second - first)))


def test_ambiguous_is_refused(t):
    """A function is copied above itself under another name, and its own name goes: which one is it?"""
    source = SOURCE.replace("int main", "int twice2(int a)\n{\n\ta += 1;\n\tprintf(\"%d\\n\", a);\n\ta += 1;\n\treturn a;\n}\n\nint main")
    p = Project(t, at("calc.c:%d" % (line_of(SOURCE, "static int twice") + 2))).lock()
    p.build(above(source, "static int twice", *[""] * 40).replace("twice(", "thrice(").replace("twice2(", "other("))
    text = p.read("s.lua")
    r = p.check(status=125)
    t.check("which may now be one of these:\n  calc.c:" in r.err, "says which", r)
    t.check(" in thrice: a += 1;" in r.err and " in other: a += 1;" in r.err, "both", r)
    p.check("--fix", status=125)
    p.script_is(text)


def test_moved_to_another_file(t):
    p = Project(t, at("calc.c:%d" % USE)).lock()
    begin, end = SOURCE.index("static void *worker2"), SOURCE.index("static int twice")
    other = "extern int multiplier, result;\n#define NULL (void *)0\n" + SOURCE[begin:end].replace("static void", "void")
    p.build((SOURCE[:begin] + "void *worker2(void *);\n" + SOURCE[end:]).replace("static int multiplier", "int multiplier"),
            others=[("second.c", other)])
    p.fixed(("calc.c:%d" % USE, "second.c:%d" % line_of(other, "result = factor")))


def test_offsets(t):
    """FUNC:+N survives what is put in above the function; a line put into it is followed."""
    p = Project(t, at("worker2:+4")).lock()
    p.build(above(SOURCE, "static void *worker2", "", ""))
    p.check()
    p.build(above(SOURCE, "result = factor", "\tfactor += 0;"))
    p.fixed(("worker2:+4", "worker2:+5"))
    p.build(SOURCE.replace("worker2", "multiply"))
    p.fixed(("worker2:+5", "multiply:+4"))
    p.script_is('at "multiply:+4" :run(function() end) -- worker2:+4\n')


@params("worker2;result = factor", "//used", "worker2", "worker2%return", "calc.c;result=factor")
def test_survives_by_itself(t, location):
    p = Project(t, at(location)).lock()
    p.build(above(above(SOURCE, "result = factor", "\tfactor += 0;"), "static void *worker1", "", ""))
    p.check()


def test_lost_name(t):
    """A function that is called otherwise now cannot be rewritten: its line numbers are not wrong."""
    p = Project(t, at("worker2", "//used")).lock()
    p.build(SOURCE.replace("worker2", "multiply").replace("gate: used", "used"))
    r = p.check(status=125)
    t.check("s.lua:1: worker2 was 'int factor = multiplier; /* gate: used */' in worker2, which is now at calc.c:%d in multiply"
            % line_of(SOURCE, "gate: used") in r.err, "says where", r)
    p.check("--fix", status=125)


def test_object(t):
    p = Project(t, at("calc!calc.c:%d" % SET)).lock()
    p.build(above(SOURCE, "static void *worker1", ""))
    p.fixed(("calc!calc.c:%d" % SET, "calc!calc.c:%d" % (SET + 1)))


def test_part(t):
    """:read and :write stay at the line."""
    p = Project(t, at("calc.c:%d:write" % SET)).lock()
    p.build(above(SOURCE, "static void *worker1", ""))
    p.fixed(("calc.c:%d:write" % SET, "calc.c:%d:write" % (SET + 1)))


def test_gone_from_its_object(t):
    """Nothing is pending where the object is there already; elsewhere in it the line is found."""
    p = Project(t, at("calc!calc.c:%d" % SET), name="calc.c").lock()
    os.remove(os.path.join(t.path("project"), "calc.c"))
    p.name = "other.c"
    p.build(SOURCE)
    p.fixed(("calc!calc.c:%d" % SET, "calc!other.c:%d" % SET))


def test_pending(t):
    p = Project(t, at("libnothere.so!f", "calc.c:%d" % SET)).lock()
    t.check("libnothere" not in p.read("s.lua.lock"), "is not locked")
    t.check("pending" in p.check().stdout, "pending")


def test_order_strings(t):
    script = 'order "calc.c:%d -> \'calc.c:%d\'@worker2#1" -- calc.c:%d\n' % (SET, USE, SET)
    p = Project(t, script).lock()
    p.build(above(SOURCE, "static void *worker1", ""))
    p.fixed(("calc.c:%d" % SET, "calc.c:%d" % (SET + 1)), ("calc.c:%d" % USE, "calc.c:%d" % (USE + 1)))
    p.script_is('order "calc.c:%d -> \'calc.c:%d\'@worker2#1" -- calc.c:%d\n' % (SET + 1, USE + 1, SET))


def test_several_orders(t):
    """A location that several orders name is one place; every order is followed."""
    end = line_of(SOURCE, "multiplier = *") + 1
    text = 'order "calc.c:%d -> calc.c:%d"\norder("calc.c:%d -> calc.c:%d, calc.c:%d -> calc.c:%d")\n'
    p = Project(t, text % (SET, USE, SET, end, end, USE)).lock()
    p.build(above(SOURCE, "static void *worker1", "", ""))
    p.check("--fix")
    p.script_is(text % tuple(n + 2 for n in (SET, USE, SET, end, end, USE)))
    t.check("not in" not in p.check().stdout, "all are in the lock file")


def test_twice_and_in_a_loop(t):
    script = ('local where = {\n\t"calc.c:%d", [[calc.c:%d]]\n}\nfor _, l in ipairs(where) do at(l):run(print) end\n'
              'at "calc.c:%d" :run(print)\r\nat(\'calc.c:%d\', {hit = 1}):run(print)\n') % (SET, USE, USE, USE)
    p = Project(t, script).lock()
    p.build(above(SOURCE, "static void *worker1", ""))
    r = p.check("--fix", status=125)
    # the location of the loop stands in three strings: which one does the loop mean?
    t.check("s.lua:4: calc.c:%d is now at calc.c:%d, but several strings" % (USE, USE + 1) in r.err, "ambiguous", r)
    new = script.replace("calc.c:%d" % SET, "calc.c:%d" % (SET + 1)).replace("\"calc.c:%d" % USE, "\"calc.c:%d" % (USE + 1))
    p.script_is(new.replace("'calc.c:%d" % USE, "'calc.c:%d" % (USE + 1)))
    t.check("at calc.c:%d\n" % USE in p.read("s.lua.lock"), "the lock keeps what is left")
    r = p.check(status=125)
    t.equal(r.err.count("gatectl: error:"), 1, "one is left", r)


def test_put_together(t):
    p = Project(t, 'at("calc.c:" .. %d):run(print)\n' % SET).lock()
    p.build(above(SOURCE, "static void *worker1", ""))
    text = p.read("s.lua")
    r = p.check("--fix", status=125)
    t.check("calc.c:%d is now at calc.c:%d, but no string of the script is this location, since the script computes it"
            % (SET, SET + 1) in r.err, "says so", r)
    p.script_is(text)


def test_module_has_its_own_lock(t):
    p = Project(t, 'require "places"\n')
    p.write("places.lua", at("calc.c:%d" % SET))
    p.lock()
    t.check(os.path.exists(t.path("project/places.lua.lock")), "beside the module")
    p.build(above(SOURCE, "static void *worker1", ""))
    r = p.check("--fix")
    t.check("places.lua:1: calc.c:%d is calc.c:%d now" % (SET, SET + 1) in r.stdout, "says so", r)
    t.check('at "calc.c:%d"' % (SET + 1) in p.read("places.lua"), "rewritten")


def test_scripts_are_checked_one_by_one(t):
    """Several scripts are several tests: they may ask for opposite orders and ends."""
    p = Project(t, 'order "worker1 -> worker2"\nexpect { exit = 0 }\n')
    other = p.write("other.lua", 'NAME = "worker1"\norder "worker2 -> worker1"\nexpect { exit = 1 }\n')
    third = p.write("third.lua", 'at(NAME):run(print)\n')  # as in a run, it knows what stands before it
    for scripts, wanted in (((p.script, other), ["s.lua", "s.lua", "other.lua", "other.lua"]),
                            ((other, third), ["other.lua", "other.lua", "third.lua"])):
        r = t.clean(t.gate("check", "-g", scripts[0], "-g", scripts[1], p.program))
        told = [l.split(":")[0].rpartition("/")[2] for l in r.stdout.split("\n") if l.startswith("/")]
        t.equal(told, wanted, "each place once", r)
    t.error(t.gate("check", "-g", p.script, "-g", third, p.program), 125, "third.lua:1: undefined name 'NAME'")


def test_mode_and_links_stay(t):
    p = Project(t, at("calc.c:%d" % SET)).lock()
    os.chmod(p.script, 0o750)
    os.rename(p.script, t.path("real.lua"))
    os.symlink(t.path("real.lua"), p.script)
    p.build(above(SOURCE, "static void *worker1", ""))
    p.check("--fix")
    t.check(os.path.islink(p.script), "still a link")
    t.equal(stat.S_IMODE(os.stat(p.script).st_mode), 0o750, "mode")
    t.equal(sorted(os.listdir(t.path("project"))), ["calc", "calc.c", "s.lua", "s.lua.lock"], "nothing is left behind")


def test_other_name_of_the_program(t):
    p = Project(t, at("calc.c:%d" % USE)).lock()
    p.build(above(SOURCE, "static void *worker1", ""))
    os.rename(p.program, p.program + "2")
    p.program += "2"
    p.fixed(("calc.c:%d" % USE, "calc.c:%d" % (USE + 1)))


def test_address(t):
    """An address means another line in another build; there is no line number that could be put right."""
    p = Project(t, at("calc.c:%d" % SET))
    address = re.search(r" (0x[0-9a-f]+)$", p.check().stdout, re.M).group(1)
    p.write("s.lua", at("*" + address))
    p.lock()
    p.build(SOURCE.replace("static void *worker1", "static int more(int a)\n{\n\treturn a * 3;\n}\n\nstatic void *worker1"))
    r = p.check(status=125)
    t.check("%s was 'multiplier = *(int *)value;' in worker1, which is now at calc.c:%d" % (address, SET + 5) in r.err,
            "says where", r)
    t.check(p.check("--fix", status=125).stdout == "", "left")


def test_cannot_be_written(t):
    """An error, and nothing is left behind."""
    p = Project(t, at("calc.c:%d" % SET))
    os.mkdir(p.script + ".lock")
    t.error(p.check("--lock", status=125), 125, "s.lua.lock cannot be written")
    t.equal(sorted(os.listdir(t.path("project"))), ["calc", "calc.c", "s.lua", "s.lua.lock"], "nothing is left behind")
    t.error(p.check(status=125), 125, "s.lua.lock: Is a directory")


def test_no_debug_information(t):
    """Names of functions can be locked all the same; there is no text to look for."""
    p = Project(t, at("worker1"))
    p.build(SOURCE, ["-g0"])
    p.lock()
    t.check("\tfunction worker1\n" in p.read("s.lua.lock") and "\t=" not in p.read("s.lua.lock"), "function alone")
    p.build(SOURCE.replace("worker1", "set"), ["-g0"])
    r = p.check(status=125)
    t.check("worker1 was worker1, which no longer exists" in r.err, "lost", r)


def test_new_location(t):
    p = Project(t, at("calc.c:%d" % SET)).lock()
    p.write("s.lua", at("calc.c:%d" % SET, "calc.c:%d" % USE))
    r = p.check()
    t.check("not in %s.lock yet" % p.script in r.stdout, "says so", r)


def test_broken_lock(t):
    p = Project(t, at("calc.c:%d" % SET)).lock()
    p.write("s.lua.lock", p.read("s.lua.lock") + "<<<<<<< HEAD\n")
    t.error(p.check(status=125), 125, r"s\.lua\.lock:\d+: this is not a line of a lock file")


def test_name_of_a_lost_one(t):
    """What would get the name of a location that is lost keeps its own: nobody could tell the two apart."""
    source = SOURCE.replace("\tmultiplier = *(int *)value;\n", "\tmultiplier = *(int *)value;\n\tresult = 0;\n")
    p = Project(t, at("calc.c:%d" % SET, "calc.c:%d" % (SET + 1)), source).lock()
    p.build(above(source.replace("\tresult = 0;", "\tresult = value != 0;"), "static void *worker1", ""))
    before = p.read("s.lua")
    for _ in range(2):
        r = p.check("--fix", status=125)
        t.check("s.lua:1: calc.c:%d is now at calc.c:%d, but another" % (SET, SET + 1) in r.err, "said", r)
        p.script_is(before)
    p.check(status=125)


def test_lock_without_object(t):
    """A line that was lost when the file was merged."""
    p = Project(t, at("calc.c:%d" % SET, "calc.c:%d" % USE)).lock()
    p.write("s.lua.lock", p.read("s.lua.lock").replace("\tobject calc\n", "", 1))
    p.build(above(SOURCE, "static void *worker1", ""))
    p.fixed(("calc.c:%d" % SET, "calc.c:%d" % (SET + 1)), ("calc.c:%d" % USE, "calc.c:%d" % (USE + 1)))


def test_refused_lock_writes_nothing(t):
    p = Project(t, at("calc.c:%d" % SET, "nowhere.c:1"))
    p.check("--lock", status=125)
    t.check(not os.path.exists(p.script + ".lock"), "no lock of what is wrong")


def test_same_build_is_never_a_drift(t):
    """The source has changed but the program has not: the locations mean what they meant."""
    p = Project(t, at("calc.c:%d" % SET)).lock()
    p.write("calc.c", above(SOURCE, "static void *worker1", "", ""))
    p.check()


@params("-O2", "-O2 -flto", "-gdwarf-4")
def test_other_flags(t, flags):
    p = Project(t, at("calc.c:%d" % USE)).lock()
    p.build(above(SOURCE, "static void *worker1", ""), flags.split())
    p.fixed(("calc.c:%d" % USE, "calc.c:%d" % (USE + 1)))


def test_inlined_and_templates(t):
    """A line with many copies is one location; which copy comes first does not matter."""
    source = ("#include <cstdio>\ntemplate <class T> T add(T a, T b)\n{\n\tT c = a + b;\n\treturn c;\n}\n"
              "int main(int n, char **)\n{\n\tprintf(\"%d %f\\n\", add(n, 1), add(n * 1.0, 2.0));\n\treturn 0;\n}\n")
    p = Project(t, at("calc.cc:4"), source, "calc.cc").lock()
    p.build("//\n" + source.replace("add(n, 1), add(n * 1.0, 2.0)", "add(n, 1), add(n * 1.0f, 2.0f) + add(1L, 2L)"),
            ["-O2"])
    p.fixed(("calc.cc:4", "calc.cc:5"))
