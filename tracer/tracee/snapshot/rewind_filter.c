/*
 * System calls whose effect on the process can be restored. The copy's own seccomp(2) filter lets
 * those in the list pass and stops at all others, which are judged here. Effects on files, other
 * processes and shared memory do not count: a fork does not undo them either.
 */
#include "tracer/tracee/snapshot/rewind.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <fcntl.h>
#include <time.h>

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13; stacks of threads, since glibc 2.42 */
#endif

/* ---- calls that pass the filter -------------------------------------------------------------- */

/* clang-format off */
static const unsigned passing[] = {
	/* memory: mappings and pages are compared */
	SYS_mmap, SYS_munmap, SYS_mprotect, SYS_brk, SYS_msync, SYS_mincore,
	/* threads: others have ended at the restore, the first one's
	   state is compared or set anew */
	SYS_clone, SYS_clone3, SYS_exit, SYS_set_robust_list, SYS_rseq, SYS_sched_yield, SYS_futex,
	SYS_futex_waitv,
	/* signals: a pending one prevents a restore, the mask is set anew */
	SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending, SYS_rt_sigsuspend,
	SYS_rt_sigtimedwait, SYS_pause, SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo,
	SYS_rt_tgsigqueueinfo, SYS_wait4, SYS_waitid, SYS_restart_syscall,
	/* time */
	SYS_nanosleep, SYS_clock_nanosleep, SYS_gettimeofday, SYS_time, SYS_clock_getres,
	SYS_timerfd_settime,
	/* files, by a descriptor or a name */
	SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_pwrite64, SYS_preadv,
	SYS_pwritev, SYS_preadv2, SYS_pwritev2, SYS_lseek, SYS_stat, SYS_fstat, SYS_lstat,
	SYS_newfstatat, SYS_statx, SYS_access, SYS_faccessat, SYS_faccessat2, SYS_readlink,
	SYS_readlinkat, SYS_getcwd, SYS_getdents64, SYS_statfs, SYS_fstatfs, SYS_fsync,
	SYS_fdatasync, SYS_ftruncate, SYS_truncate, SYS_fallocate, SYS_mkdir, SYS_mkdirat,
	SYS_rmdir, SYS_unlink, SYS_unlinkat, SYS_rename, SYS_renameat, SYS_renameat2, SYS_link,
	SYS_linkat, SYS_symlink, SYS_symlinkat, SYS_chmod, SYS_fchmod, SYS_fchmodat, SYS_utimensat,
	SYS_sendfile, SYS_copy_file_range, SYS_splice, SYS_tee, SYS_flock, SYS_poll, SYS_ppoll,
	SYS_select, SYS_pselect6, SYS_epoll_ctl, SYS_epoll_wait, SYS_epoll_pwait, SYS_epoll_pwait2,
	/* sockets and messages */
	SYS_bind, SYS_listen, SYS_connect, SYS_shutdown, SYS_getsockname, SYS_getpeername,
	SYS_setsockopt, SYS_getsockopt, SYS_sendto, SYS_sendmsg, SYS_sendmmsg, SYS_recvfrom,
	SYS_msgrcv, SYS_msgsnd, SYS_mq_timedreceive, SYS_mq_timedsend,
	/* queries */
	SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getresuid, SYS_getresgid,
	SYS_getgroups, SYS_getppid, SYS_getpgrp, SYS_getpgid, SYS_getsid, SYS_getrlimit, SYS_uname,
	SYS_sysinfo, SYS_getcpu, SYS_getrandom, SYS_sched_getaffinity, SYS_sched_getscheduler,
	SYS_sched_getparam, SYS_getpriority};
/* clang-format on */

enum { PASSING = sizeof(passing) / sizeof(*passing), FILTER = 2 * PASSING + 24 };

/* More stops than these in a run cost more than a fork. */
enum { SEEN_MOST = 48 };

static const struct sock_filter ends = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
static const struct sock_filter tells = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);

/* Skips the next instruction unless the loaded word equals `value`. */
static struct sock_filter is_it(uint32_t value)
{
	return (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
}

static struct sock_filter rewind_filter_load(size_t offset)
{
	return (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

/* madvise(2): advice stays with the mapping, except MADV_DONTNEED, which only empties pages. */
static unsigned short add_advice(struct sock_filter *code, unsigned short n)
{
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 4);
	code[n++] = rewind_filter_load(offsetof(struct seccomp_data, args[2]));
	code[n++] = is_it(MADV_DONTNEED);
	code[n++] = ends;
	code[n++] = tells;
	return n;
}

/* rt_sigaction(2): the C library sets the same actions of its own signals (32, 33) in each run, and
   the program cannot set them. */
static unsigned short add_actions(struct sock_filter *code, unsigned short n)
{
	enum { LIBRARY = 32, LIBRARY_TOO = 33 };

	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 0, 5);
	code[n++] = rewind_filter_load(offsetof(struct seccomp_data, args[0]));
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, LIBRARY, 1, 0);
	code[n++] = is_it(LIBRARY_TOO);
	code[n++] = ends;
	code[n++] = tells;
	return n;
}

static unsigned short rewind_filter_make(struct sock_filter code[FILTER])
{
	unsigned short n = 0;

	code[n++] = rewind_filter_load(offsetof(struct seccomp_data, arch));
	code[n++] =
		(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
	code[n++] = ends;
	code[n++] = rewind_filter_load(offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < PASSING; i++) {
		code[n++] = is_it(passing[i]);
		code[n++] = ends;
	}
	n = add_actions(code, n);
	n = add_advice(code, n);
	code[n++] = tells;
	return n;
}

int rewind_filter(struct remote *r)
{
	struct {
		struct sock_fprog program;
		struct sock_filter code[FILTER];
	} filter;
	const uint64_t at = remote_below(r, sizeof(filter));
	uint64_t args[6] = {SECCOMP_SET_MODE_FILTER};
	int64_t result;

	filter.program.len = rewind_filter_make(filter.code);
	filter.program.filter = (struct sock_filter *)(at + sizeof(filter.program));
	if (remote_run_with(r, SYS_seccomp, args, 2, &filter, sizeof(filter), &result) < 0)
		return -1;
	return result < 0 ? -1 : 0;
}

/* ---- calls that are judged ------------------------------------------------------------------- */

static bool is_kept_file(const struct rewinding *w, uint64_t file)
{
	array_each(const int, kept, &w->files)
		if ((uint64_t)*kept == (file & UINT32_MAX))
			return true;
	return false;
}

/* True if pages of the snapshot move: a moved page looks like one that was there before. */
static bool moves_kept(const struct rewinding *w, const struct user_regs_struct *regs)
{
	const uint64_t from = regs->rdi, to = regs->r8;

	return rewind_overlaps(w, from, regs->rsi) ||
	       (regs->r10 & MREMAP_FIXED && rewind_overlaps(w, to, regs->rdx));
}

/* True if the file may be one of /proc, by which a process can change its state in the kernel. */
static bool opens_to_change(const struct thread *th)
{
	const struct user_regs_struct *regs = &th->regs;
	const bool at = regs->orig_rax == SYS_openat;
	const uint64_t name = at ? regs->rsi : regs->rdi, flags = at ? regs->rdx : regs->rsi;
	char first[5] = "";

	if ((flags & O_ACCMODE) == O_RDONLY)
		return false;
	if (tracee_read(th->pub.process, name, first, sizeof(first)) < 0)
		return true;
	return !memcmp(first, "/proc", sizeof(first)) ||
	       (at && first[0] != '/' && (int)regs->rdi != AT_FDCWD);
}

/* True if the call creates descriptors, which are closed when the copy is restored. */
static bool opens(const struct rewinding *w, const struct user_regs_struct *regs)
{
	switch (regs->orig_rax) {
	case SYS_open:
	case SYS_openat:
	case SYS_openat2:
	case SYS_creat:
	case SYS_dup:
	case SYS_pipe:
	case SYS_pipe2:
	case SYS_socket:
	case SYS_socketpair:
	case SYS_accept:
	case SYS_accept4:
	case SYS_recvmsg: /* may receive descriptors */
	case SYS_recvmmsg:
	case SYS_eventfd:
	case SYS_eventfd2:
	case SYS_epoll_create:
	case SYS_epoll_create1:
	case SYS_timerfd_create:
	case SYS_inotify_init:
	case SYS_inotify_init1:
	case SYS_memfd_create:
	case SYS_ioctl:
		return true;
	case SYS_dup2:
	case SYS_dup3:
		return !is_kept_file(w, regs->rsi);
	case SYS_fcntl:
		return regs->rsi == F_DUPFD || regs->rsi == F_DUPFD_CLOEXEC;
	default:
		return false;
	}
}

static bool is_first(const struct thread *th)
{
	return th->pub.tid == th->pub.process->pid;
}

/* True for a clock of CPU time, which goes on from run to run. */
static bool counts_work(uint64_t clock)
{
	return clock == CLOCK_PROCESS_CPUTIME_ID || (int)clock < 0;
}

static bool rewind_filter_passes(uint64_t number)
{
	for (size_t i = 0; i < PASSING; i++)
		if (passing[i] == number)
			return true;
	return false;
}

/* True if the call leaves state in the kernel that cannot be restored, or shows the program that
   its process is not a new one. */
static bool stays(const struct rewinding *w, const struct thread *th)
{
	const struct user_regs_struct *regs = &th->regs;

	switch (regs->orig_rax) {
	case SYS_exit_group:
		return false;
	case SYS_open:
	case SYS_openat:
		return opens_to_change(th);
	case SYS_openat2:
		return true;
	case SYS_mremap:
		return moves_kept(w, regs);
	case SYS_madvise:
		return regs->rdx != MADV_GUARD_INSTALL || rewind_overlaps(w, regs->rdi, regs->rsi);
	case SYS_gettid:
		return is_first(th);
	case SYS_prctl:
		return regs->rdi != PR_SET_NAME || is_first(th);
	case SYS_sigaltstack:
		return is_first(th);
	case SYS_fcntl:
		return regs->rsi != F_GETFD && regs->rsi != F_GETFL && regs->rsi != F_SETFL;
	case SYS_ioctl:
		return regs->rsi == FIOCLEX || regs->rsi == FIONCLEX;
	case SYS_close:
		return is_kept_file(w, regs->rdi);
	case SYS_clock_gettime:
		return counts_work(regs->rdi);
	default:
		return !rewind_filter_passes(regs->orig_rax) && !opens(w, regs);
	}
}

void rewind_sees(struct thread *th)
{
	struct rewinding *w = th->tracee->kept.rewinding;
	struct process *p = (struct process *)th->pub.process;

	if (!w || !p->watched)
		return;
	if (++p->seen == SEEN_MOST) {
		p->spoiled = true;
		rewind_give_up(w);
	}
	p->opened = p->opened || opens(w, &th->regs);
	if (th->regs.orig_rax == SYS_rt_sigaction)
		rewind_action(p, th->regs.rdi);
	else if (stays(w, th))
		p->spoiled = true;
}
