/* Reads /proc: the state of a process or thread, without stopping it. */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/tracee_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int open_proc(pid_t tid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", tid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static ssize_t read_some(int fd, char *buf, size_t n)
{
	ssize_t got;

	do
		got = read(fd, buf, n);
	while (got < 0 && errno == EINTR);
	return got;
}

/* Reads the file as a string. Returns its length, or -1. */
int look_proc(pid_t tid, const char *name, char *buf, size_t n)
{
	int fd = open_proc(tid, name);
	size_t have = 0;
	ssize_t got = 0;

	if (fd < 0)
		return -1;
	while (have < n - 1 && (got = read_some(fd, buf + have, n - 1 - have)) > 0)
		have += (size_t)got;
	close(fd);
	buf[have] = '\0';
	return have || !got ? (int)have : -1;
}

/* Copies a part of a status file, without the numbers after "Groups:". */
static size_t take_status(const char *bytes, ssize_t n, char *buf, size_t size, size_t *line,
			  size_t have)
{
	static const char groups[] = "Groups:";
	const size_t length = sizeof(groups) - 1;

	for (ssize_t i = 0; i < n; i++) {
		bool left_out = have - *line >= length && !memcmp(buf + *line, groups, length);

		if (have < size - 1 && (!left_out || bytes[i] == '\n'))
			buf[have++] = bytes[i];
		if (bytes[i] == '\n')
			*line = have;
	}
	return have;
}

int look_status_text(pid_t tid, char *buf, size_t n)
{
	int fd = open_proc(tid, "status");
	size_t have = 0, line = 0;
	char bytes[4096];
	ssize_t got;

	if (fd < 0)
		return -1;
	while ((got = read_some(fd, bytes, sizeof(bytes))) > 0)
		have = take_status(bytes, got, buf, n, &line, have);
	close(fd);
	buf[have] = '\0';
	return (int)have;
}

/* Returns the text after "Field:", or NULL. */
static const char *field_of(const char *text, const char *field)
{
	size_t n = strlen(field);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, field, n) && line[n] == ':')
			return line + n + 1 + strspn(line + n + 1, " \t");
	}
	return NULL;
}

/* Returns a number of /proc/TID/status, or -1. */
long look_status(pid_t tid, const char *field)
{
	char text[4096];
	const char *value;

	if (look_status_text(tid, text, sizeof(text)) <= 0)
		return -1;
	value = field_of(text, field);
	return value ? strtol(value, NULL, 10) : -1;
}

bool look_is_ours(pid_t tid)
{
	return look_status(tid, "TracerPid") == getpid();
}

uint64_t look_number(const char *text, const char *field, int base)
{
	const char *value = field_of(text, field);

	return value ? strtoull(value, NULL, base) : 0;
}

int tracee_signals_of(pid_t tid, struct tracee_signals *out)
{
	char text[4096];

	*out = (struct tracee_signals){0};
	if (look_status_text(tid, text, sizeof(text)) <= 0)
		return -1;
	out->blocked = look_number(text, "SigBlk", 16);
	out->ignored = look_number(text, "SigIgn", 16);
	out->caught = look_number(text, "SigCgt", 16);
	out->pending = look_number(text, "SigPnd", 16) | look_number(text, "ShdPnd", 16);
	return 0;
}

static enum tracee_activity activity_of(char state)
{
	switch (state) {
	case 'S':
	case 'I':
		return TRACEE_BLOCKED;
	case 'D':
		return TRACEE_DISK;
	case 'T':
	case 't':
		return TRACEE_HALTED;
	case 'Z':
	case 'X':
		return TRACEE_DEAD;
	default:
		return TRACEE_ACTIVE;
	}
}

bool look_has_ended(pid_t pid)
{
	char text[4096];
	const char *state, *threads;

	if (look_status_text(pid, text, sizeof(text)) <= 0)
		return kill(pid, 0) < 0;
	state = field_of(text, "State");
	threads = field_of(text, "Threads");
	return state && activity_of(*state) == TRACEE_DEAD && threads && atoi(threads) == 1;
}

bool look_fatal_by_default(int signal)
{
	switch (signal) {
	case SIGCHLD:
	case SIGCONT:
	case SIGURG:
	case SIGWINCH:
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		return false;
	default:
		return true;
	}
}

/* ---- what a thread is doing ----------------------------------------------------------------- */

bool tracee_is_vfork(long number)
{
	return number == SYS_vfork || number == SYS_clone || number == SYS_clone3;
}

/* Parses "running", or a number and six arguments. The number is -1, without arguments, for a
   thread that sleeps outside of a system call. */
static int parse_call(const char *text, struct tracee_block *out)
{
	char *end;

	if (!strncmp(text, "running", 7))
		return -1;
	out->number = strtol(text, &end, 10);
	for (int i = 0; i < 6 && out->number >= 0; i++)
		out->args[i] = strtoull(end, &end, 16);
	return 0;
}

static unsigned long switches_of(const char *status)
{
	return look_number(status, "voluntary_ctxt_switches", 10) +
	       look_number(status, "nonvoluntary_ctxt_switches", 10);
}

/*
 * True if the thread has not run since `seen` was read. A thread that is about to sleep, or just
 * awake, shows as sleeping as well, and the system call may be that of a later sleep.
 */
static bool has_rested(const struct tracee_thread *thread, const struct tracee_block *seen)
{
	char text[4096];
	const char *state;

	if (look_status_text(thread->tid, text, sizeof(text)) <= 0)
		return false;
	state = field_of(text, "State");
	return state && activity_of(*state) == seen->activity &&
	       switches_of(text) == seen->switches;
}

/*
 * True if the thread has a processor: schedstat counts how often it got one, status how often it
 * gave one up. Without CONFIG_SCHED_INFO schedstat has zeros.
 */
static bool has_processor(const struct tracee_thread *thread, const struct tracee_block *seen)
{
	unsigned long long ran_ns, waited_ns, given;
	char text[128];

	return look_proc(thread->tid, "schedstat", text, sizeof(text)) > 0 &&
	       sscanf(text, "%llu %llu %llu", &ran_ns, &waited_ns, &given) == 3 &&
	       given > seen->switches;
}

/*
 * /proc/TID/syscall requires the right to trace at each read (proc_pid_syscall() in
 * fs/proc/base.c). An ordinary user has no such right to a program that is not dumpable, though it
 * is traced. State and processor can still be read.
 */
bool look_may_be_refused(void)
{
	static int may_be = -1;
	char text[4096];

	if (may_be < 0 && look_status_text(getpid(), text, sizeof(text)) > 0)
		may_be = !(look_number(text, "CapEff", 16) >> CAP_SYS_PTRACE & 1);
	return may_be > 0;
}

static bool is_refused(void)
{
	return errno == EACCES || errno == EPERM;
}

/* True if the parent waits for its child, which shares the memory until it execs or ends. */
static bool is_in_vfork(const struct thread *parent)
{
	struct thread *th;

	TAILQ_FOREACH(th, &parent->tracee->threads, link)
	{
		if (parent->vforked && th->pub.tid == parent->vforked)
			return space_of(th) == space_of(parent);
	}
	return false;
}

static bool look_call(const struct tracee_thread *thread, struct tracee_block *out)
{
	char text[512];

	if (look_proc(thread->tid, "syscall", text, sizeof(text)) > 0)
		return parse_call(text, out) == 0;
	out->hidden = is_refused();
	if (out->hidden && is_in_vfork((const struct thread *)thread))
		out->number = SYS_vfork;
	return out->hidden && !has_processor(thread, out);
}

void tracee_look(const struct tracee_thread *thread, struct tracee_block *out)
{
	char text[4096];
	const char *state;

	*out = (struct tracee_block){.activity = TRACEE_DEAD, .number = -1};
	if (look_status_text(thread->tid, text, sizeof(text)) <= 0)
		return;
	state = field_of(text, "State");
	out->activity = activity_of(state ? *state : 'X');
	out->switches = switches_of(text);
	if (out->activity != TRACEE_BLOCKED && out->activity != TRACEE_DISK)
		return;
	if (!look_call(thread, out) || !has_rested(thread, out))
		out->activity = TRACEE_ACTIVE; /* the thread woke up in between */
}

bool look_is_dead(pid_t tid)
{
	char text[4096];
	const char *state =
		look_status_text(tid, text, sizeof(text)) > 0 ? field_of(text, "State") : NULL;

	return !state || activity_of(*state) == TRACEE_DEAD;
}

/* proc(5), field 9 of stat: do_exit() sets PF_EXITING before it clears the word that
   pthread_join() waits for. */
bool look_is_exiting(pid_t tid)
{
	enum { PF_EXITING = 4 };
	char text[1024];
	const char *rest =
		look_proc(tid, "stat", text, sizeof(text)) > 0 ? strrchr(text, ')') : NULL;
	unsigned flags;

	return !rest || sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) != 1 ||
	       flags & PF_EXITING;
}

uint64_t tracee_ran_ns(const struct tracee_thread *thread)
{
	char text[128];

	return look_proc(thread->tid, "schedstat", text, sizeof(text)) > 0
		       ? strtoull(text, NULL, 10)
		       : 0;
}

uint64_t tracee_transfers(const struct tracee_process *process)
{
	char text[512];

	if (look_proc(process->pid, "io", text, sizeof(text)) <= 0)
		return 0;
	return look_number(text, "rchar", 10) + look_number(text, "wchar", 10) +
	       look_number(text, "syscr", 10) + look_number(text, "syscw", 10);
}

/* ---- mappings and the auxiliary vector ------------------------------------------------------- */

/* Parses a hexadecimal number, and the character after it. */
static bool take_number(const char **at, char behind, uint64_t *out)
{
	char *end;

	*out = strtoull(*at, &end, 16);
	if (end == *at || *end != behind)
		return false;
	*at = end + 1;
	return true;
}

/* Parses "START-END rwxp OFFSET MAJOR:MINOR INODE PATH": proc(5). sscanf() would take a tenth of
   the time of a program's start. */
static bool parse_mapping(const char *line, struct tracee_mapping *out)
{
	uint64_t major, minor, ino;
	const char *at = line, *perms;

	if (!take_number(&at, '-', &out->start) || !take_number(&at, ' ', &out->end))
		return false;
	perms = at;
	if (strnlen(perms, 5) < 5)
		return false;
	at += 5;
	if (!take_number(&at, ' ', &out->offset) || !take_number(&at, ':', &major) ||
	    !take_number(&at, ' ', &minor))
		return false;
	ino = strtoull(at, (char **)&at, 10);
	at += strspn(at, " ");
	out->dev = makedev((unsigned)major, (unsigned)minor);
	out->ino = ino;
	out->shared = perms[3] == 's';
	out->readable = perms[0] == 'r';
	out->writable = perms[1] == 'w';
	out->executable = perms[2] == 'x';
	snprintf(out->path, sizeof(out->path), "%.*s", (int)strcspn(at, "\n"), at);
	return true;
}

/* Opens the file of a living thread: the first one of a process may end before the others. */
static FILE *open_of(struct tracee_process *process, const char *name)
{
	struct thread *th;

	TAILQ_FOREACH(th, &tracee_of(process)->threads, link)
	{
		char path[64];
		FILE *file;
		int c;

		if (th->pub.process != process)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/%s", th->pub.tid, name);
		file = fopen(path, "re");
		c = file ? getc(file) : EOF;
		if (c != EOF && ungetc(c, file) != EOF)
			return file;
		if (file)
			fclose(file);
	}
	return NULL;
}

/* Opens maps, or duplicates an old descriptor: the kernel checks the right to read only at open. */
static FILE *open_maps(struct tracee_process *process)
{
	FILE *file = open_of(process, "maps");
	int kept = file || process->space->maps < 0
			   ? -1
			   : fcntl(process->space->maps, F_DUPFD_CLOEXEC, 0);

	if (kept < 0)
		return file;
	lseek(kept, 0, SEEK_SET);
	file = fdopen(kept, "r");
	if (!file)
		close(kept);
	return file;
}

/* Calls `want` for each mapping, in order of addresses, until it returns true.
   Returns 0 if it did, else -1. */
static int each_mapping(struct tracee_process *process,
			bool (*want)(void *ctx, const struct tracee_mapping *map), void *ctx)
{
	FILE *file = open_maps(process);
	char *line = NULL;
	size_t size = 0;
	bool found = false;

	if (!file)
		return -1;
	while (!found && getline(&line, &size, file) > 0) {
		struct tracee_mapping map;

		found = parse_mapping(line, &map) && want(ctx, &map);
	}
	free(line);
	fclose(file);
	return found ? 0 : -1;
}

static bool procfs_collect(void *ctx, const struct tracee_mapping *map)
{
	struct mappings *out = ctx;

	*array_add(&out->list) = *map;
	return false;
}

int look_mappings(struct tracee_process *process, struct mappings *out)
{
	each_mapping(process, procfs_collect, out);
	return out->list.count ? 0 : -1;
}

struct mapping_search {
	uint64_t addr;
	struct tracee_mapping *out;
};

static bool ends_above(void *ctx, const struct tracee_mapping *map)
{
	struct mapping_search *search = ctx;

	if (search->addr >= map->end)
		return false;
	*search->out = *map;
	return true;
}

int tracee_mapping_above(struct tracee_process *process, uint64_t addr, struct tracee_mapping *out)
{
	struct mapping_search search = {addr, out};

	return each_mapping(process, ends_above, &search);
}

int tracee_mapping_at(struct tracee_process *process, uint64_t addr, struct tracee_mapping *out)
{
	return tracee_mapping_above(process, addr, out) == 0 && out->start <= addr ? 0 : -1;
}

uint64_t tracee_auxv(struct tracee_process *process, uint64_t type)
{
	FILE *file = open_of(process, "auxv");
	uint64_t pair[2], value = 0;

	if (!file)
		return 0;
	while (fread(pair, sizeof(pair), 1, file) == 1 && pair[0]) {
		if (pair[0] != type)
			continue;
		value = pair[1];
		break;
	}
	fclose(file);
	return value;
}
