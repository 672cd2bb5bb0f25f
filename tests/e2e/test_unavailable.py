"""Where tracing is not permitted: status 118, what forbids it, the exact remedy; or 77 if that is wanted."""

import os
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

from harness import ROOT, Skip, compile_text, end_processes, others_may_read, params

PROGRAM = r"""
#include <stdio.h>
#include <unistd.h>
static volatile int n;
int main(int argc, char **argv)
{
	n++; /* gate: here */
	printf("hello %d %d\n", (int)geteuid(), (int)getegid());
	return 0;
}
"""

# no-ptrace HOW DROP PROG ARG...: runs PROG where ptrace is refused as HOW says
FILTER = r"""
#include <errno.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	unsigned what = !strcmp(argv[1], "EPERM") ? SECCOMP_RET_ERRNO | EPERM
		: !strcmp(argv[1], "ENOSYS") ? SECCOMP_RET_ERRNO | ENOSYS
		: !strcmp(argv[1], "EACCES") ? SECCOMP_RET_ERRNO | EACCES
		: !strcmp(argv[1], "TRAP") ? SECCOMP_RET_TRAP
		: !strcmp(argv[1], "THREAD") ? SECCOMP_RET_KILL_THREAD
		: SECCOMP_RET_KILL_PROCESS;
	int number = !strcmp(argv[2], "vm") ? SYS_process_vm_readv : SYS_ptrace;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, what),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {sizeof code / sizeof *code, code};
	if (!strcmp(argv[2], "nocap"))
		prctl(PR_CAPBSET_DROP, CAP_SYS_PTRACE);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return 99;
	execvp(argv[3], argv + 3);
	return 98;
}
"""

OPTIONS = {"ASAN_OPTIONS": "detect_leaks=0"}  # a sanitized gatectl cannot look for leaks there


def program():
    return compile_text("hello.c", PROGRAM)


def refused(t, how, *args, drop="-", env=None):
    """gatectl where ptrace is refused."""
    wrapper = compile_text("no-ptrace.c", FILTER)
    r = t.run([wrapper, how, drop, t.gatectl, *args], env=dict(OPTIONS, **(env or {})))
    if r.status == 99:
        raise Skip("no seccomp here")
    t.equal(end_processes(t.marker), [], "left alive")
    return r


def unavailable(t, r, why, remedy):
    t.equal(r.status, 118, "status", r)
    t.check(r.first.startswith("gatectl: cannot-trace: ") and why in r.first, "the reason", r)
    hints = [l for l in r.err.splitlines() if l.startswith("try: ")]
    t.equal(len(hints), 1, "remedies", r)
    t.check(remedy in hints[0], "the remedy", r)
    t.check("hello" not in r.stdout, "the program does not run untraced", r)


def need_root():
    if os.getuid():
        raise Skip("only root can set this up")


# ---- seccomp ---------------------------------------------------------------------------------------

@params("EPERM", "ENOSYS", "KILL", "THREAD", "TRAP")
def test_seccomp(t, how):
    r = refused(t, how, "run", "--", program())
    unavailable(t, r, "seccomp", "--cap-add=SYS_PTRACE --security-opt seccomp=unconfined")


def test_kubernetes(t):
    r = refused(t, "EPERM", "run", "--", program(), env={"KUBERNETES_SERVICE_HOST": "10.0.0.1"})
    unavailable(t, r, "seccomp", "securityContext: {capabilities: {add: [SYS_PTRACE]}")


@params("check", "lines", "prove")
def test_other_commands(t, command):
    script = t.file("s.lua", 'at "//here":run(function() end)\n')
    args = ["lines", program(), "main"] if command == "lines" else [command, "-g", script, program()]
    unavailable(t, refused(t, "EPERM", *args), "seccomp", "--cap-add=SYS_PTRACE")


def test_filter_that_does_not_matter(t):
    """process_vm_readv is forbidden: memory is read another way."""
    wrapper = compile_text("no-ptrace.c", FILTER)
    script = t.file("s.lua", 'at "//here":when(function(hit) return hit.var.n == 0 end)\n')
    r = t.run([wrapper, "EPERM", "vm", t.gatectl, "run", "-g", script, program()], env=OPTIONS)
    t.equal((r.status, r.err), (0, ""), "outcome", r)


# ---- Yama ------------------------------------------------------------------------------------------

@params((2, "nocap", "sysctl kernel.yama.ptrace_scope=1"), (3, "-", "reboot"))
def test_yama(t, case):
    """The setting of a machine cannot be lowered again: here only its file says so, and seccomp refuses."""
    need_root()
    scope, drop, remedy = case
    setup = ("mount -t tmpfs none /proc/sys/kernel && mkdir /proc/sys/kernel/yama && "
             "echo %d > /proc/sys/kernel/yama/ptrace_scope || exit 97; exec \"$@\"" % scope)
    wrapper = compile_text("no-ptrace.c", FILTER)
    r = t.run(["unshare", "-m", "sh", "-c", setup, "-", wrapper, "EPERM", drop, t.gatectl, "run",
               program()], env=OPTIONS)
    if r.status == 97 or r.err.startswith("unshare:"):
        raise Skip("no mount namespace here: %s" % r.err[:80])
    unavailable(t, r, "kernel.yama.ptrace_scope is %d" % scope, remedy)


# ---- another tracer --------------------------------------------------------------------------------

def test_under_strace(t):
    if not shutil.which("strace"):
        raise Skip("no strace")
    if "san" in t.gatectl.split("/"):
        raise Skip("LeakSanitizer in gatectl itself does not work under strace")
    log = t.path("strace.log")
    r = t.run(["strace", "-f", "-o", log, t.gatectl, "run", program()])
    unavailable(t, r, "(strace)", "outside of that debugger or strace")
    r = t.run(["strace", "-o", log, t.gatectl, "run", program()])
    t.equal((r.status, r.err), (0, ""), "strace of gatectl alone does no harm", r)


# ---- privileges ------------------------------------------------------------------------------------

def for_nobody(t, mode=None, capability=None):
    """A place where everybody can run gatectl and the program; what it says there bare."""
    need_root()
    os.chmod(t.tmp, 0o755)
    gatectl, path = t.path("gatectl"), t.path("hello")
    shutil.copy(t.gatectl, gatectl)
    shutil.copy(program(), path)
    os.chmod(gatectl, 0o755)
    if mode:
        os.chmod(path, mode)
    if capability and subprocess.run(["setcap", capability, path], capture_output=True).returncode:
        raise Skip("no setcap here")
    return gatectl, path


def as_nobody(t, command):
    def drop():
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
    r = t.run(command, preexec=drop, env=OPTIONS, cwd="/")
    t.equal(end_processes(t.marker), [], "left alive")
    return r


@params(("4755", 0o4755, None, "root (set-user-ID)"), ("2755", 0o2755, None, "root (set-group-ID)"),
        ("setcap", None, "cap_net_raw=ep", "(setcap)"))
def test_privileged_program(t, case):
    """The kernel would run it without its rights: another program than the one to be tested."""
    name, mode, capability, why = case
    others_may_read(ROOT)
    gatectl, path = for_nobody(t, mode, capability)
    bare = as_nobody(t, [path])
    if mode and "65534 65534" in bare.stdout:
        raise Skip("files have no privileges here")
    unavailable(t, as_nobody(t, [gatectl, "run", path]), why, "`cp %s COPY`" % path)
    none = "/tmp/gatectl-none-%s-%s" % (name, t.marker)
    for command in (["explore", "-o", none, "--runs", "9"], ["races", "--runs", "9"]):  # their filter of system calls sets no_new_privs
        unavailable(t, as_nobody(t, [gatectl, *command, path]), why, "`cp %s COPY`" % path)
    r = t.run([gatectl, "run", path], env=OPTIONS)
    t.equal((r.status, r.stdout, r.err), (0, "hello 0 0\n", ""), "root may trace it", r)
    r = as_nobody(t, [gatectl, "check", "-g", t.file("s.lua", 'at "//here":run(function() end)\n'), path])
    t.equal(r.status, 0, "no code of its own runs in check", r)


def test_privileged_child(t):
    """Said once, since the tester may not know."""
    gatectl, path = for_nobody(t, 0o4755)
    if "65534 65534" in as_nobody(t, [path]).stdout:
        raise Skip("files have no privileges here")
    r = as_nobody(t, [gatectl, "run", "sh", "-c", "%s; %s; exit 3" % (path, path)])
    t.equal(r.status, 3, "status", r)
    t.check(r.first.startswith("gatectl: note: ") and path in r.first and "root (set-user-ID)" in r.first,
            "the note", r)
    t.equal(len(r.err.splitlines()), 1, "lines", r)


def test_unreadable_program(t):
    gatectl, path = for_nobody(t, 0o711)
    script = t.file("s.lua", 'at "main":run(function() end)\n')
    r = as_nobody(t, [gatectl, "run", "-g", script, path])
    unavailable(t, r, "can be executed, but not read", "`chmod +r`")
    unavailable(t, as_nobody(t, [gatectl, "lines", path, "main"]), "not read", "`chmod +r`")
    r = as_nobody(t, [gatectl, "run", path])
    t.equal((r.status, r.stdout, r.err), (0, "hello 65534 65534\n", ""), "without gates as bare", r)


def test_no_new_privileges_is_as_bare(t):
    """Where exec gives nothing anyway nothing is withheld."""
    gatectl, path = for_nobody(t, 0o4755)
    r = as_nobody(t, ["setpriv", "--no-new-privs", gatectl, "run", path])
    t.equal((r.status, r.stdout, r.err), (0, "hello 65534 65534\n", ""), "outcome", r)


# ---- /proc -----------------------------------------------------------------------------------------

@params(("-m", "umount -l /proc && ", "not mounted", "mount -t proc proc /proc"),
        ("-pf", "", "another PID namespace", "--mount-proc"))
def test_proc(t, case):
    need_root()
    flags, before, why, remedy = case
    if before and "san" in t.gatectl.split("/"):
        raise Skip("the sanitizers in gatectl itself need /proc")
    script = t.file("s.lua", 'at "//here":run(function() end)\n')
    for options in ([], ["-g", script]):
        r = t.run(["unshare", flags, "sh", "-c", before + 'exec "$@"', "-", t.gatectl, "run", *options,
                   program()], env=OPTIONS)
        if r.err.startswith("unshare:"):
            raise Skip("no namespaces here: %s" % r.err[:80])
        unavailable(t, r, why, remedy)


def test_own_namespaces(t):
    """As in a container: its own /proc, PID 1."""
    need_root()
    r = t.run(["unshare", "-mpf", "--mount-proc", t.gatectl, "run", program()], env=OPTIONS)
    if r.err.startswith("unshare:"):
        raise Skip("no namespaces here: %s" % r.err[:80])
    t.equal((r.status, r.stdout, r.err), (0, "hello 0 0\n", ""), "outcome", r)


# ---- --skip-if-unavailable -------------------------------------------------------------------------

@params("run", "check", "prove")
def test_skipped(t, command):
    script = t.file("s.lua", 'at "//here":run(function() end)\n')
    for how in ("EPERM", "KILL"):
        r = refused(t, how, command, "--skip-if-unavailable", "-g", script, program())
        t.equal(r.status, 77, "status", r)
        t.equal(len(r.err.splitlines()), 1, "lines", r)
        t.check(r.first.startswith("gatectl: skipped: ") and "seccomp" in r.first, "the reason", r)


def test_skip_leaves_other_errors(t):
    for args, status in (((t.path("nothing"),), 127), ((t.tmp,), 126), (("-g", t.path("no.lua"), program()), 125)):
        t.error(t.gate("run", "--skip-if-unavailable", *args), status)
    t.equal(t.gate("run", "--skip-if-unavailable", program()).status, 0, "status")
    t.verdict(t.run_gated(program(), options=["--skip-if-unavailable"], script="expect { exit = 1 }\n"), 119)


def test_reports(t):
    """A test that could not be made has not failed; the record says so."""
    xml, json = t.path("r.xml"), t.path("r.json")
    r = refused(t, "EPERM", "run", "--skip-if-unavailable", "--report", xml, "--report", json, program())
    t.equal(r.status, 77, "status", r)
    cases = list(ElementTree.parse(xml).iter("testcase"))
    t.equal([[c.tag for c in case if c.tag != "system-err"] for case in cases], [["skipped"]],
            "testcases")
    with open(json) as f:
        t.check('"cannot-trace"' in f.read(), "the verdict in the record")
