/* Transparency: functions of the C library by which a program could notice its tracer, and untraced
 * children. A function gets a trap only if a module of the program refers to it. See README.md. */
#include "tracer/run/run.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/places.h"

#include "tracer/arch/arch.h"
#include "tracer/base/log.h"
#include "tracer/tracee/traps/traps.h"
#include "tracer/tracee/signals/signals.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

enum { RAX = 0, RDX = 1, RCX = 2, RSI = 4, RDI = 5 };

static const struct site_owner as_bare_owner;

enum as_bare_call {
	AS_BARE_SIGACTION,
	AS_BARE_ACTION, /* the system call itself */
	AS_BARE_SIGMASK,
	AS_BARE_CLONE,
	AS_BARE_PTRACE,
	AS_BARE_CALL,
};

/* A program that refers to `name` calls the function `calls`; its trap handler is `act`. Calls
 * inside libc are left out: posix_spawn asks for the action of every signal. */
struct libc_function {
	const char *name, *calls;
	enum as_bare_call act;
};

static const struct libc_function functions[] = {
	{"sigaction", "sigaction", AS_BARE_SIGACTION},
	{"sigset", "sigaction", AS_BARE_SIGACTION},
	{"sigignore", "sigaction", AS_BARE_SIGACTION},
	{"sigvec", "sigvec", AS_BARE_SIGACTION},
	{"signal", "signal", AS_BARE_SIGACTION},
	{"ssignal", "signal", AS_BARE_SIGACTION},
	{"bsd_signal", "signal", AS_BARE_SIGACTION},
	{"sysv_signal", "sysv_signal", AS_BARE_SIGACTION},
	{"__sysv_signal", "sysv_signal", AS_BARE_SIGACTION},
	{"pthread_sigmask", "pthread_sigmask", AS_BARE_SIGMASK},
	{"sigprocmask", "pthread_sigmask", AS_BARE_SIGMASK},
	{"sigblock", "pthread_sigmask", AS_BARE_SIGMASK},
	{"sigsetmask", "pthread_sigmask", AS_BARE_SIGMASK},
	{"sighold", "pthread_sigmask", AS_BARE_SIGMASK},
	{"sigset", "pthread_sigmask", AS_BARE_SIGMASK},
	{"clone", "clone", AS_BARE_CLONE},
	{"ptrace", "ptrace", AS_BARE_PTRACE},
	{"syscall", "syscall", AS_BARE_CALL},
};
enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

/* True if the code contains `mov $number, %edi`, which loads the first argument of syscall(3). */
static bool as_bare_passes(const struct module *m, unsigned number)
{
	const uint8_t code[5] = {0xbf, (uint8_t)number, (uint8_t)(number >> 8)};

	return module_contains_code(m, code, sizeof(code));
}

static bool calls_by_number(const struct module *m)
{
	return as_bare_passes(m, SYS_rt_sigaction) || as_bare_passes(m, SYS_rt_sigprocmask) ||
	       as_bare_passes(m, SYS_clone) || as_bare_passes(m, SYS_clone3) ||
	       as_bare_passes(m, SYS_ptrace);
}

static bool needs_libraries(struct run *s, const struct run_process *p)
{
	(void)s;
	if (!run_process_exe(p))
		return false;
	if (!run_process_loader(p))
		return module_symbol(run_process_exe(p), "ptrace", NULL, NULL) == 0;
	return module_has_string(run_process_exe(p), "ptrace") ||
	       (module_has_string(run_process_exe(p), "syscall") &&
		as_bare_passes(run_process_exe(p), SYS_ptrace));
}

/* ---- addresses of the functions ---------------------------------------------------------- */

/* State of functions[i]: `used` if a loaded module refers to `name`, and the address of `calls`. */
struct row {
	bool used;
	uint64_t address; /* 0: not found in the modules searched so far */
};

struct libc_search {
	const struct image *image;
	bool is_exe, any_used;
	struct row rows[FUNCTIONS];
};

/* A filter before the search in the table: the first three letters exclude most symbols. */
static bool may_be_listed(const char *name)
{
	static const char *const heads[] = {"sig", "ssi", "bsd", "sys", "__s", "pth", "clo", "ptr"};

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		if (name[0] == heads[i][0] && name[1] == heads[i][1] && name[1] &&
		    name[2] == heads[i][2])
			return true;
	return false;
}

static void visit_import(void *ctx, const char *name, uint64_t offset)
{
	struct libc_search *search = ctx;

	if (offset || !may_be_listed(name))
		return;
	for (size_t i = 0; i < FUNCTIONS; i++) {
		const struct libc_function *f = &functions[i];

		if (search->rows[i].used || strcmp(name, f->name) != 0)
			continue;
		search->rows[i].used = f->act != AS_BARE_CALL ||
				       (search->is_exe && calls_by_number(search->image->module));
		search->any_used |= search->rows[i].used;
	}
}

static void visit_export(void *ctx, const char *name, uint64_t offset)
{
	struct libc_search *search = ctx;

	if (!offset || !may_be_listed(name))
		return;
	for (size_t i = 0; i < FUNCTIONS; i++) {
		struct row *row = &search->rows[i];

		if (row->used && !row->address && strcmp(name, functions[i].calls) == 0)
			row->address = search->image->bias + offset;
	}
}

/* In a static program the linker includes only functions that are called. */
static void search_static(struct libc_search *search)
{
	const struct image *image = search->image;
	uint64_t offset;

	for (size_t i = 0; i < FUNCTIONS; i++) {
		struct row *row = &search->rows[i];

		if (module_symbol(image->module, functions[i].calls, &offset, NULL) < 0)
			continue;
		row->address = image->bias + offset;
		row->used = functions[i].act != AS_BARE_CALL || calls_by_number(image->module);
	}
}

static void as_bare_put(struct run *s, struct run_process *p, struct tracee_thread *t,
			uint64_t address, enum as_bare_call what)
{
	const struct act act = {.owner = &as_bare_owner, .what = what};
	ERROR(ignored);
	struct site_use *use = sites_use(s, p, t, address, NULL, &ignored);

	if (use && !sites_has(use, &act))
		sites_act(use, &act);
}

static void search_dynamic(const struct run_process *p, struct libc_search *search,
			   void (*visit)(void *ctx, const char *name, uint64_t offset))
{
	array_each(const struct image, image, run_process_images(p)) {
		search->image = image;
		search->is_exe = image->module == run_process_exe(p);
		if (image->module != run_process_loader(p))
			module_each_dynamic(image->module, visit, search);
	}
}

static void search_images(const struct run_process *p, struct libc_search *search)
{
	if (run_process_loader(p)) {
		search_dynamic(p, search, visit_import);
		if (search->any_used) /* most programs use none, and libc has thousands of
				       * symbols */
			search_dynamic(p, search, visit_export);
		return;
	}
	array_each(const struct image, image, run_process_images(p)) {
		search->image = image;
		search_static(search);
	}
}

/* ---- system calls rt_sigaction ----------------------------------------------------------- */

/* Code larger than MOST_CODE is not searched: a large program sets actions through libc.
 * MOST_BETWEEN is the number of instructions between the system call's number and the call. */
enum { MOST_CODE = 4 << 20, MOST_BETWEEN = 8 };

struct actions {
	struct run *run;
	struct run_process *process;
	struct tracee_thread *thread;
	const struct image *image;
	uint64_t but_from, but_to; /* code that is left out: libc's own sigaction */
};

/* Instructions that load arguments may stand between `mov $13, %eax` and the system call. */
static void visit_number(void *ctx, uint64_t offset, const uint8_t *code, size_t left)
{
	const struct actions *a = ctx;
	struct arch_insn insn;
	uint64_t at = 0;

	if (offset >= a->but_from && offset < a->but_to)
		return;
	for (int i = 0; i < MOST_BETWEEN; i++) {
		if (arch_decode(code + at, left - at, offset + at, &insn) < 0 ||
		    insn.flow != ARCH_FLOW_NEXT)
			return;
		if (insn.is_syscall) {
			as_bare_put(a->run, a->process, a->thread, a->image->bias + offset + at,
				    AS_BARE_ACTION);
			return;
		}
		at += insn.length;
	}
}

static void find_actions(struct actions *a)
{
	const uint8_t number[5] = {0xb8, SYS_rt_sigaction};

	module_each_code(a->image->module, number, sizeof(number), visit_number, a);
}

/* Sets traps in the executable. In a static program without symbols this includes libc's
 * function. */
static void settle_actions(struct run *s, struct run_process *p, struct tracee_thread *t)
{
	struct actions a = {.run = s, .process = p, .thread = t};
	uint64_t size, low, high;

	array_each(const struct image, image, run_process_images(p)) {
		module_span(image->module, &low, &high);
		if (image->module != run_process_exe(p) || high - low > MOST_CODE)
			continue;
		a.image = image;
		if (!module_symbol(run_process_exe(p), "__libc_sigaction", &a.but_from, &size))
			a.but_to = a.but_from + size;
		find_actions(&a);
	}
}

/* Sets traps in the module that contains `function`, to which SIGTRAP has been passed. */
static void arm_actions(struct run *s, struct run_thread *t, uint64_t function)
{
	struct actions a = {.run = s,
			    .process = run_process_of(t),
			    .thread = run_thread_tracee(t),
			    .image = images_at(run_process_of(t), function)};

	if (a.image)
		find_actions(&a);
}

/* True if the run sets traps of its own: at places, or at the points of a scheduled run. */
static bool has_traps(const struct run *s)
{
	return run_has_places(s) || run_options(s)->sched;
}

static int as_bare_settle(struct run *s, const struct modules_seen *m, struct error *err)
{
	struct run_process *p = m->process;
	struct libc_search search = {0};

	(void)err;
	if (m->stage != MODULES_SETTLED)
		return 0;
	search_images(p, &search);
	for (size_t i = 0; i < FUNCTIONS; i++) {
		const struct row *row = &search.rows[i];
		enum as_bare_call act = functions[i].act;

		if (row->used && row->address &&
		    (has_traps(s) || act == AS_BARE_PTRACE || act == AS_BARE_CALL))
			as_bare_put(s, p, m->thread, row->address, act);
	}
	if (has_traps(s))
		settle_actions(s, p, m->thread);
	return 0;
}

/* ---- effects of the calls ---------------------------------------------------------------- */

static void set_action(struct run_thread *t, uint64_t signal, uint64_t action)
{
	uint64_t set[4];

	if ((int)signal == SIGTRAP && action && !run_thread_read(t, action, set, sizeof(set)))
		tracee_trap_action(run_thread_tracee(t), set);
}

static void set_mask(struct run_thread *t, uint64_t how, uint64_t set)
{
	uint64_t signals;
	bool has;

	if (!set || run_thread_read(t, set, &signals, sizeof(signals)) < 0)
		return;
	has = signals >> (SIGTRAP - 1) & 1;
	if ((int)how == SIG_SETMASK || has)
		tracee_trap_blocked(run_thread_tracee(t), has && (int)how != SIG_UNBLOCK);
}

/* Clears CLONE_UNTRACED: an untraced child would die of the traps that it inherits. Without a
 * tracer the flag has no effect (clone(2)). */
static void clone_by(struct run_thread *t, const struct arch_regs *regs, unsigned reg)
{
	uint64_t flags = regs->dwarf[reg];

	if (!(flags & CLONE_UNTRACED))
		return;
	flags &= ~(uint64_t)CLONE_UNTRACED;
	tracee_set_register(run_thread_tracee(t), reg, &flags, sizeof(flags));
}

static void clone3_by(struct run_thread *t, uint64_t args)
{
	struct tracee_process *p = run_process_tracee(run_process_of(t));
	uint64_t flags;

	if (tracee_read(p, args, &flags, sizeof(flags)) < 0 || !(flags & CLONE_UNTRACED))
		return;
	flags &= ~(uint64_t)CLONE_UNTRACED;
	tracee_write(p, args, &flags, sizeof(flags));
}

/* Per-run data. */
struct ptrace_told {
	bool ptrace; /* the note on the program's ptrace call has been printed */
};
static const struct keeper told_keeper = {sizeof(struct ptrace_told), NULL};

static bool as_bare_is_ours(const struct run *s, pid_t tid)
{
	run_each_thread(t, s)
		if (run_thread_lives(t) && run_thread_tracee(t)->tid == tid)
			return true;
	return false;
}

static void note_ptrace(struct run *s, const struct run_thread *t, uint64_t request, uint64_t pid)
{
	struct ptrace_told *told = kept_make(run_kept(s), &told_keeper);
	const char *name = (int)request == PTRACE_TRACEME  ? "PTRACE_TRACEME"
			   : (int)request == PTRACE_ATTACH ? "PTRACE_ATTACH"
			   : (int)request == PTRACE_SEIZE  ? "PTRACE_SEIZE"
							   : NULL;

	if (!name || ((int)request != PTRACE_TRACEME && !as_bare_is_ours(s, (pid_t)pid)))
		return;
	if (!told->ptrace && run_number(s) <= 1 && !run_options(s)->quiet)
		log_line("gatectl: note: %s calls ptrace(%s), which the kernel refuses: gatectl "
			 "traces it already",
			 run_thread_id(t), name);
	told->ptrace = true;
}

/* Arguments of syscall(3) are one register further on than those of the function it stands for. */
static void call_by_number(struct run *s, struct run_thread *t, const struct arch_regs *regs)
{
	const uint64_t *r = regs->dwarf;

	switch (r[RDI]) {
	case SYS_rt_sigaction:
		set_action(t, r[RSI], r[RDX]);
		break;
	case SYS_rt_sigprocmask:
		set_mask(t, r[RSI], r[RDX]);
		break;
	case SYS_clone:
		clone_by(t, regs, RSI);
		break;
	case SYS_clone3:
		clone3_by(t, r[RSI]);
		break;
	case SYS_ptrace:
		note_ptrace(s, t, r[RSI], r[RDX]);
	}
}

/* Called before the instruction at the trap runs. */
static enum hit_answer as_bare_hit(struct run *s, const struct act *a, const struct hit *h)
{
	struct run_thread *t = h->thread;
	const struct arch_regs *regs = &h->regs;
	const uint64_t *r = regs->dwarf;

	switch (a->what) {
	case AS_BARE_SIGACTION:
		if ((int)r[RDI] == SIGTRAP)
			arm_actions(s, t, r[ARCH_DWARF_PC]);
		break;
	case AS_BARE_ACTION:
		if (r[RAX] == SYS_rt_sigaction)
			set_action(t, r[RDI], r[RSI]);
		break;
	case AS_BARE_SIGMASK:
		set_mask(t, r[RDI], r[RSI]);
		break;
	case AS_BARE_CLONE:
		clone_by(t, regs, RDX);
		break;
	case AS_BARE_PTRACE:
		note_ptrace(s, t, r[RDI], r[RSI]);
		break;
	case AS_BARE_CALL:
		call_by_number(s, t, regs);
		break;
	}
	return HIT_SEEN;
}

static const struct site_owner as_bare_owner = {.hit = as_bare_hit};

/* ---- untraced children ------------------------------------------------------------------- */

/* True if `pid` is a child that the program made with CLONE_UNTRACED, bypassing libc (README.md).
 * False for children made before attach, and with --no-follow, where children are untraced
 * anyway. */
static bool is_untraced(const struct run *s, const struct run_thread *t, pid_t pid)
{
	run_each_process(p, s)
		if (run_process_pid(p) == pid)
			return false;
	return pid && !run_has_untraced_children(s) && run_process_lives(run_process_of(t)) &&
	       tracee_has_sites(run_process_tracee(run_process_of(t)));
}

static void untraced_tell(struct run *s, pid_t pid)
{
	ERROR(err);

	error_set(&err, ERROR_STATE,
		  "process %d, a child that the program created with CLONE_UNTRACED without the C "
		  "library, has died of SIGTRAP: it inherited gatectl's traps, and gatectl does "
		  "not trace it",
		  (int)pid);
	error_hint(&err, "create it with clone() of the C library, where gatectl clears the flag, "
			 "or without the flag");
	run_fault(s, &err);
}

static bool untraced_signals(struct run *s, struct run_thread *t, int signal)
{
	struct tracee_fault fault;

	if (signal == SIGCHLD && tracee_fault(run_thread_tracee(t), &fault) == 0 &&
	    fault.ended_by == SIGTRAP && is_untraced(s, t, fault.child))
		untraced_tell(s, fault.child);
	return false;
}

/* No thread can move: the reason may be an untraced child that has died. */
static bool untraced_look(struct run *s, enum stuck_question question, enum waits_answer *answer)
{
	(void)answer;
	if (question != STUCK_EXCUSED)
		return false;
	run_each_thread(t, s) {
		pid_t pid =
			run_thread_lives(t) ? tracee_dead_child(run_thread_tracee(t), SIGTRAP) : 0;

		if (!is_untraced(s, t, pid))
			continue;
		untraced_tell(s, pid);
		return true;
	}
	return false;
}

extern const struct observer as_bare_observer;
const struct observer as_bare_observer = {.needs_libraries = needs_libraries,
					  .modules = as_bare_settle,
					  .signal = untraced_signals,
					  .stuck = untraced_look};
