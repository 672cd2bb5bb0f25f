/* Finds the processes that hold the other end of a file, a lock on it, or its mapping, from /proc
 * and the kernel's socket monitor (sock_diag(7)). Processes that gatectl may not inspect belong to
 * other users, who hardly hold a file of the program. */
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/tracee/threads/threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <unistd.h>

/* ---- one file ---------------------------------------------------------------------------- */

int opened_look(pid_t tid, int fd, struct opened *out)
{
	struct stat file, link;
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, fd);
	if (stat(path, &file) < 0 || lstat(path, &link) < 0)
		return -1;
	*out = (struct opened){
		.tid = tid,
		.fd = fd,
		.dev = file.st_dev,
		.ino = file.st_ino,
		.type = file.st_mode & S_IFMT,
		.reads = link.st_mode & S_IRUSR, /* the kernel shows the open mode in these bits */
		.writes = link.st_mode & S_IWUSR,
	};
	n = readlink(path, out->link, sizeof(out->link) - 1);
	out->link[n > 0 ? n : 0] = '\0';
	return 0;
}

/* True if `is` accepts a line of the file of /proc. */
static bool any_line(const char *path, bool (*is)(void *ctx, const char *line), void *ctx)
{
	FILE *f = fopen(path, "re");
	bool found = false;
	char *line = NULL;
	size_t size = 0;

	while (f && !found && getline(&line, &size, f) > 0)
		found = is(ctx, line);
	free(line);
	if (f)
		fclose(f);
	return found;
}

bool opened_info(const struct opened *f, bool (*want)(void *ctx, const char *line), void *ctx)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", f->tid, f->fd);
	return any_line(path, want, ctx);
}

/* ---- a socket's peer --------------------------------------------------------------------- */

struct answer {
	_Alignas(struct nlmsghdr) char bytes[4096];
	size_t length;
};

static bool sockets_ask(ino_t ino, struct answer *out)
{
	const struct {
		struct nlmsghdr header;
		struct unix_diag_req request;
	} question = {
		.header = {.nlmsg_len = sizeof(question),
			   .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			   .nlmsg_flags = NLM_F_REQUEST},
		.request = {.sdiag_family = AF_UNIX,
			    .udiag_states = UINT32_MAX,
			    .udiag_ino = (uint32_t)ino,
			    .udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_PEER,
			    .udiag_cookie = {UINT32_MAX, UINT32_MAX}},
	};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	ssize_t n = -1;

	if (fd >= 0 && send(fd, &question, sizeof(question), 0) == (ssize_t)sizeof(question))
		n = recv(fd, out->bytes, sizeof(out->bytes), 0);
	if (fd >= 0)
		close(fd);
	out->length = n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* Any process can send to a datagram socket that has a name. */
static bool find_peer(const struct answer *answer, ino_t *peer)
{
	const struct nlmsghdr *header = (const void *)answer->bytes;
	const struct unix_diag_msg *message = NLMSG_DATA(header);
	const struct rtattr *attribute = (const void *)(message + 1);
	bool found = false, named = false;
	size_t left;

	if (!NLMSG_OK(header, answer->length) || header->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    header->nlmsg_len < NLMSG_LENGTH(sizeof(*message)))
		return false;
	left = header->nlmsg_len - NLMSG_LENGTH(sizeof(*message));
	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
		named |= attribute->rta_type == UNIX_DIAG_NAME;
		if (attribute->rta_type != UNIX_DIAG_PEER || RTA_PAYLOAD(attribute) < 4)
			continue;
		*peer = *(const uint32_t *)RTA_DATA(attribute);
		found = *peer != 0;
	}
	return found && !(named && message->udiag_type == SOCK_DGRAM);
}

/* SO_RCVTIMEO and SO_SNDTIMEO end a wait. In doubt one is assumed to be set. */
static bool has_time_out(pid_t pid, const struct opened *f)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	int fd = pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, f->fd, 0);
	struct timeval in = {0}, out = {0};
	socklen_t n = sizeof(in), m = sizeof(out);
	bool known = fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &in, &n) == 0 &&
		     getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &out, &m) == 0;

	if (fd >= 0)
		close(fd);
	if (pidfd >= 0)
		close(pidfd);
	return !known || in.tv_sec || in.tv_usec || out.tv_sec || out.tv_usec;
}

bool sockets_peer(pid_t pid, const struct opened *f, ino_t *peer)
{
	struct answer answer;

	return sockets_ask(f->ino, &answer) && find_peer(&answer, peer) && !has_time_out(pid, f);
}

/* ---- one process ---------------------------------------------------------------------------- */

/* Parses "lock: 1: FLOCK ADVISORY WRITE 15399 fe:00:11126933 0 EOF". */
static bool is_lock(void *ctx, const char *line)
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
		return opened_info(f, is_lock, (void *)e->lock);
	case END_ANONYMOUS: /* if kcmp(2) fails, any file of this kind matches */
		return strcmp(e->file.link, f->link) == 0 &&
		       syscall(SYS_kcmp, e->file.tid, f->tid, KCMP_FILE, e->file.fd, f->fd) <= 0;
	case END_FILE:
		return (e->readers && f->reads) || (e->writers && f->writes);
	case END_MAPPING:
		break;
	}
	return true; /* a process that has it open can map it */
}

/* True if `is` accepts a descriptor of the process; `dir` is its fd folder,
 * `name` an entry of it. */
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

static bool any_mapping(pid_t tid, bool (*is)(void *ctx, const char *line), const void *ctx)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", tid);
	return any_line(path, is, (void *)ctx);
}

static bool opens_end(const void *ctx, pid_t tid, int dir, const char *name)
{
	const struct end *e = ctx;
	struct opened f;
	struct stat st;

	return fstatat(dir, name, &st, 0) == 0 && st.st_ino == e->file.ino &&
	       st.st_dev == e->file.dev && opened_look(tid, atoi(name), &f) == 0 && is_end(e, &f);
}

static bool maps_end(void *ctx, const char *line)
{
	const struct end *e = ctx;
	unsigned major, minor;
	unsigned long ino;

	return sscanf(line, "%*s %*s %*s %x:%x %lu", &major, &minor, &ino) == 3 &&
	       ino == e->file.ino && makedev(major, minor) == e->file.dev;
}

static bool holds(pid_t tid, const struct end *e)
{
	return any_file(tid, opens_end, e) ||
	       (e->kind == END_MAPPING && any_mapping(tid, maps_end, e));
}

/* ---- traced processes -------------------------------------------------------------------- */

/* The first thread of a process may have ended before the others; its files are gone then. */
static pid_t living_thread(const struct run *s, const struct run_process *p)
{
	run_each_thread(t, s) {
		struct tracee_block look;

		if (run_process_of(t) != p || !run_thread_lives(t))
			continue;
		tracee_look(run_thread_tracee(t), &look);
		if (look.activity != TRACEE_DEAD)
			return run_thread_tracee(t)->tid;
	}
	return run_process_pid(p);
}

static void add_pid(struct wait *w, int pid)
{
	array_each(int, by, &w->by)
		if (*by == pid)
			return;
	*array_add(&w->by) = pid;
}

bool holders_traced(struct run *s, const struct end *end, struct wait *w)
{
	bool any = false;

	run_each_process(p, s) {
		if (!run_process_lives(p) || !holds(living_thread(s, p), end))
			continue;
		add_pid(w, run_process_pid(p));
		any = true;
	}
	return any;
}

/* Parses "flags: 0120002". */
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
	run_each_process(p, s)
		if (run_process_lives(p) && any_file(living_thread(s, p), sends_signal, NULL))
			return true;
	return false;
}

/* ---- data in flight ---------------------------------------------------------------------- */

static bool is_socket(const void *ctx, pid_t tid, int dir, const char *name)
{
	const unsigned long *ino = ctx;
	struct stat st;

	(void)tid;
	return fstatat(dir, name, &st, 0) == 0 && S_ISSOCK(st.st_mode) && st.st_ino == *ino;
}

/* Parses a line of /proc/PID/net/tcp. A closed socket without a file may have data left. */
static bool is_in_flight(void *ctx, const char *line)
{
	enum { LISTEN = 10 };
	struct run *s = ctx;
	unsigned state, unacknowledged;
	unsigned long ino;

	if (sscanf(line, " %*d: %*s %*s %x %x:%*x %*s %*s %*s %*s %lu", &state, &unacknowledged,
		   &ino) != 3 ||
	    state == LISTEN || !unacknowledged)
		return false;
	run_each_process(p, s)
		if (run_process_lives(p) &&
		    (!ino || any_file(living_thread(s, p), is_socket, &ino)))
			return true;
	return false;
}

bool holders_in_flight(struct run *s)
{
	static const char *const files[] = {"tcp", "tcp6"};
	char path[64];

	for (size_t i = 0; run_root(s) && i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "/proc/%d/net/%s", run_process_pid(run_root(s)),
			 files[i]);
		if (any_line(path, is_in_flight, s))
			return true;
	}
	return false;
}

/* ---- other processes --------------------------------------------------------------------- */

/* Per-run data: the last outside process found to hold an end; 0: none yet. */
struct outsider {
	pid_t pid;
};
static const struct keeper keeper = {sizeof(struct outsider), NULL};

static struct outsider *outsider_of(const struct run *s)
{
	return kept_make(run_kept(s), &keeper);
}

static bool holds_any(struct run *s, pid_t pid, const struct ends *ends)
{
	run_each_process(p, s)
		if (run_process_lives(p) && run_process_pid(p) == pid)
			return false;
	array_each(struct end, e, ends)
		if (pid > 0 && holds(pid, e)) {
			outsider_of(s)->pid = pid;
			return true;
		}
	return false;
}

/* True for a file through which the kernel works while the process sleeps: io_uring(7), KVM. */
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

static bool is_queue(void *ctx, const char *line)
{
	(void)ctx;
	return strstr(line, " /[aio]") != NULL;
}

static bool kernel_helps(const struct run *s)
{
	run_each_process(p, s) {
		pid_t tid = run_process_lives(p) ? living_thread(s, p) : 0;

		if (tid &&
		    (any_file(tid, is_helper_file, NULL) || any_mapping(tid, is_queue, NULL)))
			return true;
	}
	return false;
}

bool holders_outside(struct run *s, const struct ends *ends)
{
	struct dirent *entry;
	bool found;
	DIR *dir;

	if (!ends->count)
		return false;
	/* usually one of these: then no other process is searched */
	if (kernel_helps(s) || holds_any(s, outsider_of(s)->pid, ends) ||
	    holds_any(s, getpid(), ends) || holds_any(s, getppid(), ends))
		return true;
	dir = opendir("/proc");
	found = false;
	while (dir && !found && (entry = readdir(dir)))
		found = holds_any(s, atoi(entry->d_name), ends);
	if (dir)
		closedir(dir);
	return found;
}
