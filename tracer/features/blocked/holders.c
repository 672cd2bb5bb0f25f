/*
 * Who holds the other end: the processes that have a file open, hold a lock of it, or have its
 * memory mapped, as /proc tells. Processes that we may not look at belong to other users, who
 * hardly got hold of a file of the program.
 */
#include "tracer/features/blocked/channels.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* ---- one process ---------------------------------------------------------------------------- */

/* If that cannot be asked, any file of this kind could be the one. */
static bool is_same_file(const struct opened *a, const struct opened *b)
{
	return strcmp(a->link, b->link) == 0 &&
	       syscall(SYS_kcmp, a->tid, b->tid, KCMP_FILE, a->fd, b->fd) <= 0;
}

/* "lock:	1: FLOCK  ADVISORY  WRITE 15399 fe:00:11126933 0 EOF" */
static bool holders_is_lock(void *ctx, const char *line)
{
	const char *class = ctx;
	char found[16];

	if (sscanf(line, "lock: %*d: %15s", found) != 1)
		return false;
	return *class ? strcmp(found, class) == 0
		      : strcmp(found, "POSIX") == 0 || strcmp(found, "OFDLCK") == 0;
}

static bool is_end(const struct end *e, const struct opened *f)
{
	switch (e->kind) {
	case END_LOCK:
		return opened_info(f, holders_is_lock, (void *)e->lock);
	case END_ANONYMOUS:
		return is_same_file(&e->file, f);
	case END_FILE:
		return (e->readers && f->reads) || (e->writers && f->writes);
	case END_MAPPING:
		break;
	}
	return true; /* any process that has it open can map it */
}

/* Is this true of one of the process's descriptors? `dir` is their folder, `name` one in it. */
static bool any_file(pid_t tid, bool (*is)(const void *ctx, pid_t tid, int dir, const char *name),
		     const void *ctx)
{
	struct dirent *entry;
	bool found = false;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", tid);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir)))
		found = entry->d_name[0] != '.' && is(ctx, tid, dirfd(dir), entry->d_name);
	if (dir)
		closedir(dir);
	return found;
}

/* Is this true of one line of its maps? */
static bool any_mapping(pid_t tid, bool (*is)(const void *ctx, const char *line), const void *ctx)
{
	char path[64], *line = NULL;
	bool found = false;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", tid);
	f = fopen(path, "re");
	while (f && !found && getline(&line, &size, f) > 0)
		found = is(ctx, line);
	free(line);
	if (f)
		fclose(f);
	return found;
}

static bool opens_end(const void *ctx, pid_t tid, int dir, const char *name)
{
	const struct end *e = ctx;
	struct opened f;
	struct stat st;

	return fstatat(dir, name, &st, 0) == 0 && st.st_ino == e->file.ino &&
	       st.st_dev == e->file.dev && opened_look(tid, atoi(name), &f) == 0 && is_end(e, &f);
}

static bool maps_end(const void *ctx, const char *line)
{
	const struct end *e = ctx;
	unsigned major, minor;
	unsigned long ino;

	return sscanf(line, "%*s %*s %*s %x:%x %lu", &major, &minor, &ino) == 3 &&
	       ino == e->file.ino && makedev(major, minor) == e->file.dev;
}

static bool holders_holds(pid_t tid, const struct end *e)
{
	return any_file(tid, opens_end, e) ||
	       (e->kind == END_MAPPING && any_mapping(tid, maps_end, e));
}

/* ---- those that are traced ------------------------------------------------------------------ */

/* The first thread of a process may have ended before the others, and then has no files any
   more. */
static pid_t living_thread(const struct run *s, const struct run_process *p)
{
	array_each(struct run_thread *, it, &s->threads) {
		struct tracee_block look;

		if ((*it)->process != p || !(*it)->tracee)
			continue;
		tracee_look((*it)->tracee, &look);
		if (look.activity != TRACEE_DEAD)
			return (*it)->tracee->tid;
	}
	return p->pid;
}

static void add_pid(struct wait *w, int pid)
{
	array_each(int, by, &w->by)
		if (*by == pid)
			return;
	*array_add(&w->by) = pid;
}

/* "flags:	0120002" */
static bool is_async(void *ctx, const char *line)
{
	unsigned flags;

	(void)ctx;
	return sscanf(line, "flags: %o", &flags) == 1 && (flags & O_ASYNC);
}

static bool sends_signal(const void *ctx, pid_t tid, int dir, const char *name)
{
	const struct opened f = {.tid = tid, .fd = atoi(name)};

	(void)ctx;
	(void)dir;
	return opened_info(&f, is_async, NULL);
}

bool holders_async(struct run *s)
{
	array_each(struct run_process *, it, &s->processes)
		if ((*it)->tracee && any_file(living_thread(s, *it), sends_signal, NULL))
			return true;
	return false;
}

bool holders_traced(struct run *s, const struct end *end, struct wait *w)
{
	bool any = false;

	array_each(struct run_process *, it, &s->processes) {
		if (!(*it)->tracee || !holders_holds(living_thread(s, *it), end))
			continue;
		add_pid(w, (*it)->pid);
		any = true;
	}
	return any;
}

/* ---- and all others ------------------------------------------------------------------------- */

static bool is_traced(const struct run *s, pid_t pid)
{
	array_each(struct run_process *, it, &s->processes)
		if ((*it)->tracee && (*it)->pid == pid)
			return true;
	return false;
}

/* Kept with a run: the last outsider found to hold the other end of a file; 0: none yet. */
struct outsider {
	pid_t pid;
};
static const struct keeper keeper = {sizeof(struct outsider), NULL};

static struct outsider *outsider_of(const struct run *s)
{
	return kept_make(&s->kept, &keeper);
}

static bool holds_any(struct run *s, pid_t pid, const struct ends *ends)
{
	if (pid <= 0 || is_traced(s, pid))
		return false;
	array_each(struct end, e, ends)
		if (holders_holds(pid, e)) {
			outsider_of(s)->pid = pid;
			return true;
		}
	return false;
}

/* ---- the kernel itself ----------------------------------------------------------------------- */

/* A file of something that works while the process sleeps: io_uring(7), KVM, io_submit(2). */
static bool is_helper_file(const void *ctx, pid_t tid, int dir, const char *name)
{
	char link[64];
	ssize_t n = readlinkat(dir, name, link, sizeof(link) - 1);

	(void)ctx;
	(void)tid;
	link[n > 0 ? n : 0] = '\0';
	return strcmp(link, "anon_inode:[io_uring]") == 0 ||
	       strncmp(link, "anon_inode:kvm", strlen("anon_inode:kvm")) == 0;
}

static bool is_queue(const void *ctx, const char *line)
{
	(void)ctx;
	return strstr(line, " /[aio]") != NULL;
}

static bool kernel_helps(const struct run *s)
{
	array_each(struct run_process *, it, &s->processes) {
		pid_t tid = (*it)->tracee ? living_thread(s, *it) : 0;

		if (tid &&
		    (any_file(tid, is_helper_file, NULL) || any_mapping(tid, is_queue, NULL)))
			return true;
	}
	return false;
}

bool holders_outside(struct run *s, const struct ends *ends)
{
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	if (!ends->count)
		return false;
	if (kernel_helps(s))
		return true;
	/* it is usually one of these: then nobody else has to be looked at */
	if (holds_any(s, outsider_of(s)->pid, ends) || holds_any(s, getpid(), ends) ||
	    holds_any(s, getppid(), ends))
		return true;
	dir = opendir("/proc");
	while (dir && !found && (entry = readdir(dir)))
		found = holds_any(s, atoi(entry->d_name), ends);
	if (dir)
		closedir(dir);
	return found;
}
