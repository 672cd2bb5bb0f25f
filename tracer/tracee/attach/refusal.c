/* Explains why the system does not permit tracing, and what the user can do about it. */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/attach/refusal.h"

#include "tracer/tracee/tracee_internal.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- messages -------------------------------------------------------------------------------- */

static const char *how_to_run(enum refusal_place place)
{
	switch (place) {
	case REFUSAL_DOCKER:
		return "start the container with `docker run --cap-add=SYS_PTRACE "
		       "--security-opt seccomp=unconfined ...`";
	case REFUSAL_PODMAN:
		return "start the container with `podman run --cap-add=SYS_PTRACE "
		       "--security-opt seccomp=unconfined ...`";
	case REFUSAL_KUBERNETES:
		return "give the container in the pod's description `securityContext: "
		       "{capabilities: {add: [SYS_PTRACE]}, seccompProfile: {type: Unconfined}}`";
	default:
		return "start the container with --cap-add=SYS_PTRACE --security-opt "
		       "seccomp=unconfined (docker, podman); in Kubernetes with `securityContext: "
		       "{capabilities: {add: [SYS_PTRACE]}, seccompProfile: {type: Unconfined}}`; "
		       "a service of systemd with @debug in its SystemCallFilter";
	}
}

static int by_tracer(const struct refusal_facts *f, struct error *err)
{
	error_set(err, ERROR_CANNOT_TRACE,
		  "the program is traced by another process already: %ld (%s)", f->tracer,
		  f->tracer_name);
	return error_hint(err, "run gatectl outside of that debugger or strace; strace without -f "
			       "and gdb as it is by default leave the program alone");
}

static int by_seccomp(const struct refusal_facts *f, struct error *err)
{
	error_set(err, ERROR_CANNOT_TRACE,
		  "a seccomp filter, as containers have them, forbids ptrace (%s)",
		  f->number == REFUSAL_KILLED ? "it kills the thread that calls it"
					      : strerror(f->number));
	return error_hint(err, "%s", how_to_run(f->place));
}

static int by_yama(const struct refusal_facts *f, struct error *err)
{
	error_set(err, ERROR_CANNOT_TRACE, "Yama forbids ptrace: kernel.yama.ptrace_scope is %d",
		  f->yama);
	if (f->yama >= 3)
		return error_hint(
			err, "scope 3 can be lowered only by a reboot: write "
			     "kernel.yama.ptrace_scope=1 to a file in /etc/sysctl.d, and reboot");
	if (f->place != REFUSAL_PLAIN)
		return error_hint(err, "%s, or on the host `sysctl kernel.yama.ptrace_scope=%d`",
				  how_to_run(f->place), f->running ? 0 : 1);
	if (f->running)
		return error_hint(err, "`sudo sysctl kernel.yama.ptrace_scope=0`, or run gatectl "
				       "with sudo; or the program calls prctl(PR_SET_PTRACER, "
				       "PR_SET_PTRACER_ANY)");
	return error_hint(err, "`sudo sysctl kernel.yama.ptrace_scope=1`, or run gatectl as root "
			       "(it needs the capability CAP_SYS_PTRACE at this scope)");
}

static int by_owner(const struct refusal_facts *f, struct error *err)
{
	error_set(err, ERROR_CANNOT_TRACE, "the process belongs to another user: %s", f->owner);
	return error_hint(err, "`sudo gatectl attach ...`, or run gatectl as that user");
}

/* A process that has gained privileges, or has asked for it, can be traced by root only. */
static int by_undumpable(struct error *err)
{
	error_set(err, ERROR_CANNOT_TRACE,
		  "the process may not be traced by you: its file has privileges or cannot be read "
		  "by you, or it has called prctl(PR_SET_DUMPABLE, 0)");
	return error_hint(err, "`sudo gatectl attach ...`");
}

static int by_hiding(struct error *err)
{
	error_set(err, ERROR_CANNOT_TRACE,
		  "gatectl itself is not dumpable: its file has privileges (set-user-ID, "
		  "capabilities), or cannot be read by you");
	return error_hint(err, "install gatectl as a plain file of mode 755, without setcap");
}

static int by_selinux(struct error *err)
{
	error_set(err, ERROR_CANNOT_TRACE, "SELinux forbids ptrace: deny_ptrace is on");
	return error_hint(err, "`sudo setsebool deny_ptrace off`");
}

static int by_apparmor(const struct refusal_facts *f, struct error *err)
{
	error_set(err, ERROR_CANNOT_TRACE, "the AppArmor profile %s forbids ptrace", f->profile);
	if (f->place == REFUSAL_KUBERNETES)
		return error_hint(err, "give the container the AppArmor profile unconfined in the "
				       "pod's description");
	if (f->place != REFUSAL_PLAIN)
		return error_hint(err, "start the container with --security-opt "
				       "apparmor=unconfined");
	return error_hint(err, "a profile that says `ptrace,`, or run gatectl outside of it");
}

static int by_kernel(const struct refusal_facts *f, struct error *err)
{
	if (f->number == ENOSYS) {
		error_set(err, ERROR_CANNOT_TRACE,
			  "the kernel here has no ptrace, as in some sandboxes");
		return error_hint(err, "run gatectl on a machine or in a container with a kernel "
				       "of Linux itself");
	}
	error_set(err, ERROR_CANNOT_TRACE, "the system refuses ptrace: %s", strerror(f->number));
	if (f->place != REFUSAL_PLAIN)
		return error_hint(err, "%s", how_to_run(f->place));
	return error_hint(err, "a security module or the sandbox that gatectl runs in forbids it; "
			       "run it elsewhere or as root");
}

int refusal_set(const struct refusal_facts *f, struct error *err)
{
	if (f->tracer > 0)
		return by_tracer(f, err);
	if (f->number == REFUSAL_KILLED)
		return by_seccomp(f, err);
	if (f->number == EPERM && f->owner[0] && !f->capable)
		return by_owner(f, err);
	if (f->number == EPERM &&
	    (f->yama >= 3 || (f->yama >= (f->running ? 1 : 2) && !f->capable)))
		return by_yama(f, err);
	if ((f->number == EPERM || f->number == ENOSYS) && f->filtered)
		return by_seccomp(f, err);
	if (f->number == EPERM && f->hidden)
		return by_hiding(err);
	if (f->number == EPERM && f->running && !f->capable)
		return by_undumpable(err);
	if (f->number == EACCES && f->deny_ptrace)
		return by_selinux(err);
	if (f->number == EACCES && f->profile[0])
		return by_apparmor(f, err);
	return by_kernel(f, err);
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* Reads the first line of a file, or "". */
static void first_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");

	if (!file || !fgets(line, (int)size, file))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	if (file)
		fclose(file);
}

static bool has_sys_ptrace(void)
{
	char text[4096];
	const char *at;

	if (look_status_text(getpid(), text, sizeof(text)) <= 0)
		return false;
	at = strstr(text, "\nCapEff:");
	return at && strtoull(at + strlen("\nCapEff:"), NULL, 16) >> CAP_SYS_PTRACE & 1;
}

static enum refusal_place place_of_run(void)
{
	if (getenv("KUBERNETES_SERVICE_HOST"))
		return REFUSAL_KUBERNETES;
	if (access("/run/.containerenv", F_OK) == 0)
		return REFUSAL_PODMAN;
	return access("/.dockerenv", F_OK) == 0 ? REFUSAL_DOCKER : REFUSAL_PLAIN;
}

/* Reads the AppArmor profile: "docker-default (enforce)". Without one the text is "unconfined", or
   another security module's. */
static void read_profile(char *profile, size_t size)
{
	char line[256], *mode;

	first_line("/proc/self/attr/apparmor/current", line, sizeof(line));
	if (!line[0])
		first_line("/proc/self/attr/current", line, sizeof(line));
	mode = strstr(line, " (enforce)");
	if (mode)
		snprintf(profile, size, "%.*s", (int)(mode - line), line);
}

static void refusal_look(pid_t pid, int number, struct refusal_facts *f)
{
	char line[64];

	*f = (struct refusal_facts){.number = number, .place = place_of_run()};
	f->tracer = pid ? look_status(pid, "TracerPid") : 0;
	if (f->tracer > 0)
		look_proc((pid_t)f->tracer, "comm", f->tracer_name, sizeof(f->tracer_name));
	f->tracer_name[strcspn(f->tracer_name, "\n")] = '\0';
	first_line("/proc/sys/kernel/yama/ptrace_scope", line, sizeof(line));
	f->yama = atoi(line);
	f->capable = has_sys_ptrace();
	f->filtered = look_status(getpid(), "Seccomp") > 0;
	f->hidden = prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 1;
	first_line("/sys/fs/selinux/booleans/deny_ptrace", line, sizeof(line));
	f->deny_ptrace = line[0] == '1';
	read_profile(f->profile, sizeof(f->profile));
}

int refusal_of_seize(pid_t pid, int number, struct error *err)
{
	struct refusal_facts facts;

	refusal_look(pid, number, &facts);
	return refusal_set(&facts, err);
}

static void look_at_owner(pid_t pid, struct refusal_facts *f)
{
	long user = look_status(pid, "Uid");
	const struct passwd *entry;

	if (user < 0 || (uid_t)user == getuid())
		return;
	entry = getpwuid((uid_t)user);
	if (entry)
		snprintf(f->owner, sizeof(f->owner), "%s", entry->pw_name);
	else
		snprintf(f->owner, sizeof(f->owner), "%ld", user);
}

int refusal_of_attach(pid_t pid, int number, struct error *err)
{
	struct refusal_facts facts;

	refusal_look(pid, number, &facts);
	facts.running = true;
	look_at_owner(pid, &facts);
	return refusal_set(&facts, err);
}

/* ---- before the start ----------------------------------------------------------------------- */

/* Checks /proc, from which all comes that is known of a running thread. */
static int check_proc(struct error *err)
{
	char link[32];
	struct statfs fs;
	ssize_t n = readlink("/proc/self", link, sizeof(link) - 1);

	link[n > 0 ? n : 0] = '\0';
	if (statfs("/proc", &fs) < 0 || fs.f_type != PROC_SUPER_MAGIC) {
		error_set(err, ERROR_CANNOT_TRACE, "/proc is not mounted here");
		return error_hint(err, "`mount -t proc proc /proc`");
	}
	if (atoi(link) == getpid())
		return 0;
	error_set(err, ERROR_CANNOT_TRACE,
		  "/proc belongs to another PID namespace: it does not show the processes of this "
		  "one");
	return error_hint(err, "mount it again, as `unshare --pid --fork --mount-proc ...` does");
}

static void probe(void)
{
	const struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	_exit(0);
}

/* A seccomp filter may kill a process that calls ptrace, so a child tries it. */
static int check_filter(struct error *err)
{
	struct refusal_facts facts;
	int status = 0;
	pid_t pid;

	if (look_status(getpid(), "Seccomp") <= 0)
		return 0;
	pid = fork();
	if (!pid)
		probe();
	while (pid > 0 && waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
		;
	if (pid < 0 || !WIFSIGNALED(status) || WTERMSIG(status) != SIGSYS)
		return 0;
	refusal_look(0, REFUSAL_KILLED, &facts);
	return refusal_set(&facts, err);
}

int refusal_before(struct error *err)
{
	return check_proc(err) < 0 || check_filter(err) < 0 ? -1 : 0;
}

/* ---- after the start ------------------------------------------------------------------------- */

int refusal_unreadable(const struct tracee_process *p, const char *name, struct error *err)
{
	if (p->space->memory >= 0)
		return 0;
	error_set(err, ERROR_CANNOT_TRACE,
		  "%s: its file can be executed, but not read by you: then the kernel does not let "
		  "its memory be read either",
		  name);
	return error_hint(err, "`chmod +r` the file, or run gatectl as its owner or root");
}

int refusal_unprivileged(const struct tracee_process *p, const char *name, struct error *err)
{
	char what[128];

	if (!tracee_withheld(p, what, sizeof(what)))
		return 0;
	error_set(err, ERROR_CANNOT_TRACE,
		  "%s: in a program that is traced by you the kernel withholds %s", name, what);
	return error_hint(err,
			  "run gatectl as root, or a copy of the program without them: `cp %s "
			  "COPY`",
			  name);
}
