/*
 * tracee_call(): a function of the program, run by a stopped thread. The frame is below the red
 * zone; the return address is the stub's trap, from which the thread's state can be restored
 * (syscall.c). call_stops.c judges each stop in between.
 */
#include "tracer/tracee/syscalls/call.h"
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/events/signals.h"

#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { RED_ZONE = 128, STACK_ALIGN = 16, XSTATE_MAX = 32 * 1024 };

/* ---- vector registers ----------------------------------------------------------------------- */

struct vectors {
	struct iovec part;
	uint8_t bytes[XSTATE_MAX];
};

/* Offsets in the XSAVE area (Intel SDM volume 1, 13.4). */
enum { FSW_AT = 2, XMM_AT = 160, PRESENT_AT = 512, SSE_PRESENT = 2 };

static int vectors_save(struct thread *th, struct vectors *v)
{
	v->part = (struct iovec){v->bytes, sizeof(v->bytes)};
	return ptrace(PTRACE_GETREGSET, th->pub.tid, NT_X86_XSTATE, &v->part) < 0 ? -1 : 0;
}

static int vectors_restore(struct thread *th, struct vectors *v)
{
	return ptrace(PTRACE_SETREGSET, th->pub.tid, NT_X86_XSTATE, &v->part) < 0 ? -1 : 0;
}

/* Sets the vector arguments. The ABI expects an empty x87 stack at a call. */
static int vectors_set(struct thread *th, struct vectors *v, const struct tracee_call *call)
{
	static const uint8_t none[3];
	uint8_t saved[PRESENT_AT + 1];
	int result;

	memcpy(saved, v->bytes, sizeof(saved));
	memcpy(v->bytes + FSW_AT, none, sizeof(none)); /* FSW, and the tag byte FTW after it */
	for (unsigned i = 0; i < call->vectors; i++) {
		uint8_t *xmm = v->bytes + XMM_AT + (size_t)i * 16;

		memset(xmm, 0, 16);
		memcpy(xmm, &call->vector[i], sizeof(call->vector[i]));
	}
	if (call->vectors)
		v->bytes[PRESENT_AT] |= SSE_PRESENT;
	result = vectors_restore(th, v);
	memcpy(v->bytes, saved, sizeof(saved));
	return result;
}

static int vectors_result(struct thread *th, struct tracee_call *call)
{
	struct user_fpregs_struct regs;

	if (ptrace(PTRACE_GETFPREGS, th->pub.tid, 0, &regs) < 0)
		return -1;
	memcpy(call->xmm0, regs.xmm_space, sizeof(call->xmm0));
	memcpy(call->xmm1, (uint8_t *)regs.xmm_space + 16, sizeof(call->xmm1));
	memcpy(call->st0, regs.st_space, sizeof(call->st0));
	return 0;
}

/* ---- the frame ------------------------------------------------------------------------------ */

static int call_put(struct inside *in, uint64_t addr, const void *bytes, size_t n)
{
	struct thread *th = in->r.th;

	if (!memory_raw_write(th->tracee, space_of(th), addr, bytes, n))
		return 0;
	return error_set(in->err, ERROR_STATE, "there is no room on its stack");
}

static int frame_build(struct inside *in)
{
	const uint64_t back = in->r.stub + STUB_TRAP;
	struct tracee_call *call = in->call;
	uint64_t sp = in->r.regs.rsp - RED_ZONE;

	for (unsigned i = 0; i < call->texts; i++) {
		size_t n = strlen(call->text[i]) + 1;

		sp -= n;
		if (call_put(in, sp, call->text[i], n) < 0)
			return -1;
		call->integer[call->text_at[i]] = sp;
	}
	in->frame = (sp & ~(uint64_t)(STACK_ALIGN - 1)) - sizeof(back);
	return call_put(in, in->frame, &back, sizeof(back));
}

static void set_arguments(struct user_regs_struct *regs, const struct tracee_call *call)
{
	unsigned long long *const to[6] = {&regs->rdi, &regs->rsi, &regs->rdx,
					   &regs->rcx, &regs->r8,  &regs->r9};

	for (unsigned i = 0; i < call->integers; i++)
		*to[i] = call->integer[i];
	regs->rax = call->vectors;
}

/* ---- running -------------------------------------------------------------------------------- */

static enum inside_answer died(struct inside *in)
{
	error_set(in->err, ERROR_STATE, "the thread has ended inside it");
	return INSIDE_DEAD;
}

static enum inside_answer too_long(struct inside *in)
{
	error_set(in->err, ERROR_STATE, "it took longer than %u ms", in->call->limit_ms);
	return INSIDE_FAILED;
}

/* Interrupts the thread, which stops at once or at the end of its system call. */
static enum inside_answer stop_it(struct inside *in)
{
	struct thread *th = in->r.th;
	enum inside_answer answer;
	int status;

	signals_limit(0);
	if (ptrace(PTRACE_INTERRUPT, th->pub.tid, 0, 0) < 0 ||
	    wait_one(th, remote_stop, &status) != ONE_EXPECTED)
		return died(in);
	answer = inside_stop(in, status);
	return answer == INSIDE_GOES_ON ? too_long(in) : answer;
}

static enum inside_answer one_stop(struct inside *in)
{
	struct thread *th = in->r.th;
	int status;

	if (ptrace(PTRACE_SYSCALL, th->pub.tid, 0, 0) < 0 && errno != ESRCH)
		return died(in);
	switch (wait_one(th, remote_stop, &status)) {
	case ONE_EXPECTED:
		return inside_stop(in, status);
	case ONE_LATE:
		return stop_it(in);
	case ONE_OTHER:
		break;
	}
	return died(in);
}

static enum inside_answer call_run(struct inside *in, uint64_t function,
				   const struct tracee_call *with)
{
	const uint64_t flags = 1ull << 8 | 1ull << 10; /* trap flag (single step), direction flag */
	struct user_regs_struct regs = in->r.regs;
	enum inside_answer answer = INSIDE_GOES_ON;

	set_arguments(&regs, with);
	regs.rip = function;
	regs.rsp = in->frame;
	regs.orig_rax = (unsigned long long)-1;
	regs.eflags &= ~flags;
	if (thread_set_regs(in->r.th, &regs) < 0)
		return died(in);
	while (answer == INSIDE_GOES_ON)
		answer = signals_late() ? too_long(in) : one_stop(in);
	return answer;
}

/* ---- errno ---------------------------------------------------------------------------------- */

struct kept_errno {
	uint64_t at; /* address of errno, or 0 if not known */
	int value;
};

static enum inside_answer errno_keep(struct inside *in, struct kept_errno *kept)
{
	static const struct tracee_call nothing;
	enum inside_answer answer;

	if (!in->call->errno_function)
		return INSIDE_RETURNED;
	answer = call_run(in, in->call->errno_function, &nothing);
	if (answer != INSIDE_RETURNED)
		return answer;
	if (!memory_read(space_of(in->r.th), in->r.th->regs.rax, &kept->value, sizeof(int)))
		kept->at = in->r.th->regs.rax;
	return INSIDE_RETURNED;
}

static void errno_restore(struct inside *in, const struct kept_errno *kept)
{
	if (kept->at)
		tracee_write(in->r.th->pub.process, kept->at, &kept->value, sizeof(int));
}

/* ---- before and after ----------------------------------------------------------------------- */

static enum inside_answer perform(struct inside *in, struct vectors *v, struct kept_errno *kept)
{
	struct tracee_call *call = in->call;
	struct thread *th = in->r.th;
	enum inside_answer answer;

	if (frame_build(in) < 0)
		return INSIDE_FAILED;
	answer = errno_keep(in, kept);
	if (answer != INSIDE_RETURNED)
		return answer;
	if (vectors_set(th, v, call) < 0)
		return died(in);
	answer = call_run(in, call->function, call);
	if (answer != INSIDE_RETURNED)
		return answer;
	call->rax = th->regs.rax;
	call->rdx = th->regs.rdx;
	return vectors_result(th, call) < 0 ? died(in) : INSIDE_RETURNED;
}

/* Sends the signal again, with its siginfo if the kernel permits that. */
static void send_again(const struct thread *th, siginfo_t *info)
{
	pid_t pid = th->pub.process->pid, tid = th->pub.tid;

	if (syscall(SYS_rt_tgsigqueueinfo, pid, tid, info->si_signo, info) < 0)
		syscall(SYS_tgkill, pid, tid, info->si_signo);
}

/* Makes an interrupted wait start again from the beginning: the call has overwritten the kernel's
   restart block, so the kernel cannot continue the wait. */
static void mend_restart(struct inside *in)
{
	enum { RESTART_BLOCK = -516 };
	struct thread *th = in->r.th;
	struct tracee_signals has;

	if (!in->restart_lost || (int64_t)in->r.regs.rax != RESTART_BLOCK ||
	    (int64_t)in->r.regs.orig_rax < 0)
		return;
	if (th->stop == STOP_SIGNAL && !tracee_signals_of(th->pub.tid, &has) &&
	    look_has(has.caught, th->signal ? th->signal : SIGKILL))
		return; /* the wait ends with EINTR */
	in->r.regs.rax = in->r.regs.orig_rax;
	in->r.regs.rip -= STUB_TRAP; /* the length of the syscall instruction */
	if (th->stop == STOP_SIGNAL && th->pc)
		th->pc = in->r.regs.rip;
}

static int put_back(struct inside *in, enum inside_answer answer, struct vectors *v)
{
	struct thread *th = in->r.th;

	if (answer == INSIDE_FAILED && (remote_mask(th) < 0 || remote_land(&in->r) < 0))
		return -1;
	if (vectors_restore(th, v) < 0)
		return -1;
	mend_restart(in);
	array_each(siginfo_t, info, &in->put_off)
		send_again(th, info);
	return remote_end(&in->r);
}

static int call_with(struct inside *in, struct vectors *v)
{
	struct kept_errno kept = {0};
	enum inside_answer answer;

	if (remote_begin(&in->r) < 0 || vectors_save(in->r.th, v) < 0) {
		died(in);
		return -1;
	}
	signals_limit(in->call->limit_ms);
	answer = perform(in, v, &kept);
	signals_limit(0);
	if (answer == INSIDE_DEAD)
		return -1;
	if (put_back(in, answer, v) < 0) {
		died(in);
		return -1;
	}
	errno_restore(in, &kept);
	return answer == INSIDE_RETURNED ? 0 : -1;
}

/* ---- temporary traps ------------------------------------------------------------------------- */

struct lent {
	struct tracee_space *space;
	struct site *sites[16];
	size_t count;
};

/* A call runs without a trap that cannot be set; that the function is left is then
   noticed later, or not at all. */
static void lend_one(struct lent *lent, struct thread *th, uint64_t addr)
{
	struct tracee_process *p = th->pub.process;
	const struct site *before = space_site(p->space, addr);
	struct tracee_site *made;
	ERROR(ignored);

	if (before && before->state == SITE_ARMED)
		return;
	made = tracee_site_add(th->tracee, p, &th->pub, addr, before ? before->pub.user : NULL,
			       &ignored);
	if (!made)
		return;
	((struct site *)made)->quiet = true;
	lent->sites[lent->count++] = (struct site *)made;
}

static void lend(struct lent *lent, struct thread *th, const struct tracee_call *call)
{
	lent->space = space_of(th);
	for (unsigned i = 0; i < call->leaving_count; i++)
		lend_one(lent, th, call->leaving[i]);
	for (unsigned i = 0; i < call->ending_count; i++)
		lend_one(lent, th, call->ending[i]);
}

static void take_back(const struct lent *lent, struct tracee_process *p)
{
	for (size_t i = 0; i < lent->count && p->space == lent->space; i++)
		tracee_site_remove(p, &lent->sites[i]->pub);
}

/* ---- entry point ----------------------------------------------------------------------------- */

static bool is_sound(const struct tracee_call *call)
{
	const unsigned most = sizeof(call->leaving) / sizeof(*call->leaving);

	for (unsigned i = 0; i < call->texts && call->texts <= 6; i++)
		if (call->text_at[i] >= call->integers)
			return false;
	return call->integers <= 6 && call->vectors <= 8 && call->texts <= 6 &&
	       call->leaving_count <= most && call->ending_count <= most;
}

int tracee_call(struct tracee *t, struct tracee_thread *thread, struct tracee_call *call,
		struct error *err)
{
	struct thread *th = thread_of(thread);
	struct inside in = {.r.th = th, .call = call, .err = err};
	struct lent lent = {0};
	struct vectors *v;
	int result;

	call->wrote = false;
	call->failed_at = 0;
	if (!is_sound(call))
		return error_set(err, ERROR_STATE, "it has too many arguments");
	if (!remote_possible(th))
		return error_set(err, ERROR_STATE, "this thread cannot make a call at this point");
	if (!space_of(th)->areas.count)
		slot_first_area(t, th);
	if (!space_of(th)->areas.count)
		return error_set(err, ERROR_STATE, "there is no memory for its return address");
	lend(&lent, th, call);
	v = base_alloc(1, sizeof(*v));
	th->calling = call;
	result = call_with(&in, v);
	th->calling = NULL;
	take_back(&lent, thread->process);
	base_free(v);
	array_fini(&in.put_off);
	return result;
}
