/* Table of system calls in which a thread can block. The arguments give the files, the kind of file
 * its other end. Everything else (terminals, network, inotify) counts as an event from outside. */
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/tracee/threads/threads.h"

#include <fcntl.h>
#include <linux/kcmp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum deed { OTHER, READS, WRITES, ACCEPTS, FLOCKS, FCNTLS, POLLS, SLEEPS, FOR_SIGNAL };

static const struct {
	const char *verb, *holds; /* before and after the file's name */
} deeds[] = {
	[READS] = {"reads from", ", whose other end is held by"},
	[WRITES] = {"writes to", ", whose other end is held by"},
	[ACCEPTS] = {"waits for a connection at", NULL},
	[FLOCKS] = {"waits for the lock (flock) of", " held by"},
	[FCNTLS] = {"waits for a lock (fcntl) of", " held by"},
	[POLLS] = {NULL, " that could be made ready only by"},
	[SLEEPS] = {"sleeps"},
	[FOR_SIGNAL] = {"waits for a signal"},
};

enum {
	AT_FILE = 1, /* waits at files without a time-out, if `zero` and `negative` permit */
	ASKED = 2,   /* an interruption is not visible: the thread can make another system call */
	/* as ASKED, unless MSG_WAITALL is set: then it returns what it has received */
	ASKED_UNLESS_ALL = 4,
};
#define ARG(n) (1u << (n))

struct call_row {
	long number;
	const char *name; /* name of its page in section 2 of the manual */
	enum deed deed;
	unsigned flags;
	unsigned zero;	   /* AT_FILE: arguments that must be 0 */
	unsigned negative; /* AT_FILE: argument that must be negative */
};

static const struct call_row calls[] = {
	{SYS_read, .name = "read", .deed = READS, .flags = AT_FILE | ASKED},
	{SYS_readv, .name = "readv", .deed = READS, .flags = AT_FILE | ASKED},
	{SYS_recvfrom, .name = "recv", .deed = READS, .flags = AT_FILE | ASKED_UNLESS_ALL},
	{SYS_recvmsg, .name = "recvmsg", .deed = READS, .flags = AT_FILE | ASKED_UNLESS_ALL},
	{SYS_recvmmsg, .name = "recvmmsg", .deed = READS, .flags = AT_FILE, .zero = ARG(4)},
	{SYS_accept, .name = "accept", .deed = ACCEPTS},
	{SYS_accept4, .name = "accept", .deed = ACCEPTS},
	{SYS_connect, .name = "connect"},
	{SYS_write, .name = "write", .deed = WRITES, .flags = AT_FILE},
	{SYS_writev, .name = "writev", .deed = WRITES, .flags = AT_FILE},
	{SYS_sendto, .name = "send", .deed = WRITES, .flags = AT_FILE},
	{SYS_sendmsg, .name = "sendmsg", .deed = WRITES, .flags = AT_FILE},
	{SYS_sendmmsg, .name = "sendmmsg"},
	{SYS_sendfile, .name = "sendfile"},
	{SYS_splice, .name = "splice", .flags = AT_FILE},
	{SYS_tee, .name = "tee", .flags = AT_FILE},
	{SYS_vmsplice, .name = "vmsplice", .flags = AT_FILE},
	{SYS_flock, .name = "flock", .deed = FLOCKS, .flags = AT_FILE | ASKED},
	{SYS_fcntl, .name = "fcntl", .deed = FCNTLS, .flags = AT_FILE | ASKED},
	{SYS_poll, .name = "poll", .deed = POLLS, .flags = AT_FILE | ASKED, .negative = 2},
	{SYS_ppoll, .name = "poll", .deed = POLLS, .flags = AT_FILE | ASKED,
	 .zero = ARG(2) | ARG(3)},
	{SYS_select, .name = "select", .deed = POLLS, .flags = AT_FILE | ASKED, .zero = ARG(4)},
	{SYS_pselect6, .name = "select", .deed = POLLS, .flags = AT_FILE | ASKED, .zero = ARG(4)},
	{SYS_epoll_wait, .name = "epoll_wait", .deed = POLLS, .flags = AT_FILE | ASKED,
	 .negative = 3},
	{SYS_epoll_pwait, .name = "epoll_wait", .deed = POLLS, .flags = AT_FILE | ASKED,
	 .zero = ARG(4), .negative = 3},
	{SYS_epoll_pwait2, .name = "epoll_wait", .deed = POLLS, .flags = AT_FILE | ASKED,
	 .zero = ARG(3) | ARG(4)},
	{SYS_open, .name = "open"},
	{SYS_openat, .name = "open"},
	{SYS_fsync, .name = "fsync"},
	{SYS_fdatasync, .name = "fdatasync"},
	{SYS_msgrcv, .name = "msgrcv"},
	{SYS_msgsnd, .name = "msgsnd"},
	{SYS_semop, .name = "semop"},
	{SYS_semtimedop, .name = "semtimedop"},
	{SYS_mq_timedreceive, .name = "mq_receive"},
	{SYS_mq_timedsend, .name = "mq_send"},
	{SYS_io_getevents, .name = "io_getevents"},
	{SYS_io_uring_enter, .name = "io_uring_enter"},
	{SYS_futex, .name = "futex", .flags = ASKED},
	{SYS_futex_waitv, .name = "futex_waitv", .flags = ASKED},
	{SYS_wait4, .name = "wait4", .flags = ASKED},
	{SYS_waitid, .name = "waitid", .flags = ASKED},
	{SYS_nanosleep, .name = "nanosleep", .deed = SLEEPS},
	{SYS_clock_nanosleep, .name = "clock_nanosleep", .deed = SLEEPS},
	{SYS_pause, .name = "pause", .deed = FOR_SIGNAL},
	{SYS_rt_sigsuspend, .name = "sigsuspend", .deed = FOR_SIGNAL},
	{SYS_rt_sigtimedwait, .name = "sigwaitinfo", .deed = FOR_SIGNAL, .flags = ASKED},
};

static const struct call_row *call_of(long number)
{
	static const struct call_row none = {.number = -1};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i].number == number)
			return &calls[i];
	return &none;
}

const char *waiting_call_name(long number)
{
	return call_of(number)->name;
}

bool waiting_call_is_for_signal(long number)
{
	return call_of(number)->deed == FOR_SIGNAL;
}

bool syscalls_is_for_time(long number)
{
	return call_of(number)->deed == SLEEPS || number == SYS_restart_syscall;
}

bool syscalls_can_be_asked(const struct tracee_block *b)
{
	const struct call_row *call = call_of(b->number);
	bool all = b->args[b->number == SYS_recvmsg ? 2 : 3] & MSG_WAITALL;

	return (call->flags & ASKED) || ((call->flags & ASKED_UNLESS_ALL) && !all);
}

/* The last argument of pselect6 points to a pointer to the mask. */
static bool has_mask(struct run_process *p, uint64_t address)
{
	uint64_t mask = 0;

	return address &&
	       (tracee_read(run_process_tracee(p), address, &mask, sizeof(mask)) < 0 || mask);
}

bool syscalls_is_at_file(struct run_thread *t, const struct tracee_block *b)
{
	const struct call_row *call = call_of(b->number);

	if (!(call->flags & AT_FILE))
		return false;
	for (unsigned i = 0; i < 6; i++)
		if ((call->zero & ARG(i)) && b->args[i])
			return false;
	if (call->negative && (int)b->args[call->negative] >= 0)
		return false;
	if (b->number == SYS_fcntl)
		return b->args[1] == F_SETLKW || b->args[1] == F_OFD_SETLKW;
	return b->number != SYS_pselect6 || !has_mask(run_process_of(t), b->args[5]);
}

/* ---- the other end of a file ------------------------------------------------------------- */

/* A thread that waits at more files is a server; each file costs a search of all descriptors. */
enum { MOST_ENDS = 64, MOST_POLLED = 1024, MOST_NESTED = 2 };

struct look {
	struct run *s;
	pid_t tid;
	struct wait *w;
	struct ends *ends;
	unsigned depth; /* nesting of epoll in epoll */
	int epoll;	/* its descriptor */
};

/* Returns false if no traced process holds the end, so an unknown one does. */
static bool look_end(struct look *l, const struct end *end)
{
	if (l->ends->count == MOST_ENDS)
		return false;
	*array_add(l->ends) = *end;
	return holders_traced(l->s, end, l->w);
}

/* True for a named pipe that a process has open for both directions, for others still to come. */
static bool is_public(const struct opened *f)
{
	struct stat st;

	return f->link[0] == '/' && f->reads && f->writes && stat(f->link, &st) == 0 &&
	       st.st_ino == f->ino && st.st_dev == f->dev;
}

/* The peer can end the wait, or a process that shuts down this side. */
static bool look_socket(struct look *l, const struct opened *f)
{
	struct end end = {.kind = END_FILE, .readers = true, .writers = true, .file = *f};

	if (!sockets_peer(l->w->process, f, &end.file.ino) || !look_end(l, &end))
		return false;
	end.file.ino = f->ino;
	return look_end(l, &end);
}

/* Parses "it_value: (0, 0)". */
static bool is_disarmed(void *ctx, const char *line)
{
	(void)ctx;
	return strncmp(line, "it_value: (0, 0)", strlen("it_value: (0, 0)")) == 0;
}

static bool look_file(struct look *l, int fd);

/* True if the number is now another file, while the epoll set still has the old one. */
static bool is_other_file(const struct look *l, int fd)
{
	struct kcmp_epoll_slot slot = {.efd = (unsigned)l->epoll, .tfd = (unsigned)fd};
	bool other = syscall(SYS_kcmp, l->tid, l->tid, KCMP_EPOLL_TFD, fd, &slot) > 0;

	slot.toff = 1; /* a second file with that number */
	return other || syscall(SYS_kcmp, l->tid, l->tid, KCMP_EPOLL_TFD, fd, &slot) >= 0;
}

/* Parses "tfd: 3 events: 19 data: 3 pos:0 ino:40e sdev:10". */
static bool is_unknown_target(void *ctx, const char *line)
{
	struct look *l = ctx;
	struct opened f;
	unsigned long ino;
	int fd;

	if (sscanf(line, "tfd: %d events: %*x data: %*x pos:%*d ino:%lx", &fd, &ino) != 2)
		return false;
	return opened_look(l->tid, fd, &f) < 0 || f.ino != ino || is_other_file(l, fd) ||
	       !look_file(l, fd);
}

static bool look_epoll(struct look *l, const struct end *end)
{
	int outer = l->epoll;
	bool known;

	if (l->depth == MOST_NESTED)
		return false;
	l->depth++;
	l->epoll = end->file.fd;
	known = look_end(l, end) && !opened_info(&end->file, is_unknown_target, l);
	l->epoll = outer;
	l->depth--;
	return known;
}

static bool look_file(struct look *l, int fd)
{
	struct end end = {.kind = END_ANONYMOUS};
	struct opened *f = &end.file;

	if (opened_look(l->tid, fd, f) < 0)
		return false;
	if (f->type == S_IFIFO) {
		end.kind = END_FILE;
		end.readers = f->writes;
		end.writers = f->reads;
		return !is_public(f) && look_end(l, &end);
	}
	if (f->type == S_IFSOCK)
		return look_socket(l, f);
	if (strcmp(f->link, "anon_inode:[eventfd]") == 0)
		return look_end(l, &end);
	if (strcmp(f->link, "anon_inode:[timerfd]") == 0)
		return opened_info(f, is_disarmed, NULL) && look_end(l, &end);
	return strcmp(f->link, "anon_inode:[eventpoll]") == 0 && look_epoll(l, &end);
}

/* A poll of no files is a wait for a signal. */
static bool look_poll(struct look *l, struct run_process *p, const struct tracee_block *b)
{
	struct pollfd fds[MOST_POLLED];
	size_t count = (size_t)b->args[1], waited = 0;

	if (count > MOST_POLLED ||
	    tracee_read(run_process_tracee(p), b->args[0], fds, count * sizeof(*fds)) < 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (fds[i].fd < 0)
			continue;
		waited++;
		if (!look_file(l, fds[i].fd))
			return false;
	}
	return waited > 0;
}

static bool look_select(struct look *l, struct run_process *p, const struct tracee_block *b)
{
	size_t count = (size_t)b->args[0], waited = 0;
	fd_set sets[3];

	if (count > FD_SETSIZE)
		return false;
	for (int i = 0; i < 3; i++) {
		FD_ZERO(&sets[i]);
		if (b->args[i + 1] && tracee_read(run_process_tracee(p), b->args[i + 1], &sets[i],
						  (count + 63) / 64 * 8) < 0)
			return false;
	}
	for (int fd = 0; fd < (int)count; fd++) {
		if (!FD_ISSET(fd, &sets[0]) && !FD_ISSET(fd, &sets[1]) && !FD_ISSET(fd, &sets[2]))
			continue;
		waited++;
		if (!look_file(l, fd))
			return false;
	}
	return waited > 0;
}

static bool look_lock(struct look *l, int fd, const char *class)
{
	struct end end = {.kind = END_LOCK, .lock = class};

	return opened_look(l->tid, fd, &end.file) == 0 && look_end(l, &end);
}

static bool look_call(struct look *l, struct run_process *p, const struct tracee_block *b)
{
	int first = (int)b->args[0];

	switch (b->number) {
	case SYS_poll:
	case SYS_ppoll:
		return look_poll(l, p, b);
	case SYS_select:
	case SYS_pselect6:
		return look_select(l, p, b);
	case SYS_splice:
		return look_file(l, first) && look_file(l, (int)b->args[2]);
	case SYS_tee:
		return look_file(l, first) && look_file(l, (int)b->args[1]);
	case SYS_flock:
		return look_lock(l, first, "FLOCK");
	case SYS_fcntl:
		return look_lock(l, first, "");
	default:
		return look_file(l, first);
	}
}

void syscalls_wait(struct run *s, struct run_thread *t, const struct tracee_block *b,
		   struct wait *w, struct ends *ends)
{
	struct look l = {.s = s, .tid = run_thread_tracee(t)->tid, .w = w, .ends = ends};

	w->kind = look_call(&l, run_process_of(t), b) ? WAIT_FILE : WAIT_NOT;
}

/* ---- text -------------------------------------------------------------------------------- */

/* The system call of a thread stopped meanwhile is unknown, but libc's function is on its stack;
 * since glibc 2.41 not as the innermost one. */
static bool is_sleep(const struct waiter *w)
{
	for (size_t i = 0; i < w->own; i++) {
		const char *function = w->stack.items[i].function;

		if (function && strstr(function, "nanosleep"))
			return true;
	}
	return false;
}

static const char *noun_of(const struct opened *f)
{
	if (S_ISFIFO(f->type))
		return "a pipe";
	if (S_ISSOCK(f->type))
		return "a socket";
	if (strcmp(f->link, "anon_inode:[eventfd]") == 0)
		return "an eventfd";
	return strncmp(f->link, "anon_inode:", strlen("anon_inode:")) == 0 ? "a descriptor"
									   : f->link;
}

/* Adds the known processes that could end the wait, by their first threads. */
static void add_processes(const struct waiter *w, const char *before, struct str *out)
{
	bool any = false;

	if (w->wait.kind != WAIT_FILE || !before)
		return;
	array_each(int, pid, &w->wait.by)
		run_each_process(p, w->all->run) {
			if (run_process_pid(p) != *pid || !run_process_lives(p))
				continue;
			str_addf(out, "%s %smain", any ? "," : before, run_process_prefix(p));
			any = true;
		}
}

void syscalls_describe(const struct waiter *w, struct waiting *out)
{
	const struct call_row *call = call_of(w->block.number);
	struct str *text = &out->text;
	struct opened file;

	out->kind = WAITING_BLOCKED;
	if (w->block.number == SYS_restart_syscall) {
		str_add(text, is_sleep(w) ? "sleeps" : "sleeps, or waits with a time limit");
	} else if (call->deed == SLEEPS || call->deed == FOR_SIGNAL) {
		str_add(text, deeds[call->deed].verb);
	} else if (call->deed) {
		out->kind = WAITING_PIPE;
		if (call->deed == POLLS)
			str_addf(text, "waits for a file descriptor (%s)", call->name);
		else if (opened_look(run_thread_tracee(w->thread)->tid, (int)w->block.args[0],
				     &file) < 0)
			str_addf(text, "%s fd %d", deeds[call->deed].verb, (int)w->block.args[0]);
		else
			str_addf(text, "%s %s (fd %d)", deeds[call->deed].verb, noun_of(&file),
				 file.fd);
		add_processes(w, deeds[call->deed].holds, text);
	} else if (w->block.hidden && w->block.number < 0) {
		str_add(text, "is blocked in a system call that the kernel does not let you see");
	} else if (call->name) {
		str_addf(text, "is blocked in system call %s", call->name);
	} else {
		str_addf(text, "is blocked in system call %ld", w->block.number);
	}
}
