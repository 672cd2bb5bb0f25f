/* Examines a crash before its signal is delivered: all threads are stopped, then the signal is
 * delivered and the others go on. What they do until the kernel ends them, they could also do in a
 * plain run. */
#include "tracer/run/threads/threads.h"
#include "tracer/features/crash/crash.h"
#include "tracer/features/waiting/waiting.h"
#include "tracer/run/places/places.h"
#include "tracer/features/timeline/timeline.h"

#include "tracer/base/files/path.h"
#include "tracer/base/log.h"
#include "tracer/base/signame.h"
#include "tracer/tracee/threads/threads.h"
#include "tracer/tracee/signals/signals.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

enum { PLACE_CALLS = 64 };

bool crash_is_signal(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
	       signal == SIGTRAP || signal == SIGSYS || signal == SIGABRT;
}

/* Optimised code may have lines of headers in all frames that the tester wrote; then the innermost
 * frame of the executable with a line is taken. */
static size_t own_call(struct run_thread *t, const struct inspect_stack *calls)
{
	struct waiter w = {.thread = t, .stack = *calls};
	size_t own = caller_own(&w, 0);

	if (own < calls->count && calls->items[own].line)
		return own;
	for (size_t i = 0; i < calls->count; i++)
		if (calls->items[i].frame.module == run_process_exe(run_process_of(t)) &&
		    calls->items[i].line)
			return i;
	return own;
}

static void note_place(struct run_thread *t, const struct inspect_stack *calls)
{
	size_t own = own_call(t, calls);
	const struct inspect_call *call = own < calls->count ? &calls->items[own] : calls->items;
	struct arrival_spot spot = {0};

	if (calls->count)
		spot = (struct arrival_spot){call->line ? call->file : NULL, call->function,
					     call->line, 0};
	run_thread_set_spot(t, &spot);
}

/* Per-thread data: the last fault that a handler of the program handled, and its pc. */
struct handled_fault {
	struct tracee_fault fault;
	uint64_t pc;
};
static const struct keeper handled_keeper = {sizeof(struct handled_fault), NULL};

static void note_handled(struct run_thread *t, const struct tracee_fault *fault)
{
	struct arch_regs regs;

	if (fault->code > 0 && crash_is_signal(fault->signal) &&
	    tracee_regs(run_thread_tracee(t), &regs) == 0)
		*(struct handled_fault *)kept_make(run_thread_kept(t), &handled_keeper) =
			(struct handled_fault){*fault, regs.dwarf[ARCH_DWARF_PC]};
}

/* A handler may raise the signal again for its default action: the fault is then the original
 * one. */
static bool take_handled(struct crash *c)
{
	const struct handled_fault *first = kept_of(run_thread_kept(c->thread), &handled_keeper);

	if (!first || first->fault.signal != c->fault.signal || first->pc != c->pc ||
	    c->fault.code > 0 || c->fault.sender != run_process_pid(c->process))
		return false;
	c->fault = first->fault;
	return true;
}

/* If the signal will end the process, all threads stay stopped until the script's handlers have
 * run, and run_thread_spot() is set. A signal that reports no fault (SIGTERM of another process) is
 * examined only for reports, -v and `expect`. */
static bool comes(struct run *s, struct run_thread *t, int signal)
{
	struct tracee_fault fault;
	struct inspect_stack calls;
	bool crashes, known = tracee_fault(run_thread_tracee(t), &fault) == 0;

	(void)signal;
	crashes = known &&
		  (crash_is_signal(fault.signal) || run_options(s)->reports.count ||
		   run_options(s)->verbose || run_plan(s)->expect.end == EXPECT_SIGNAL) &&
		  tracee_signal_ends(run_thread_tracee(t));
	run_thread_set_crashes(t, crashes);
	if (known && !crashes)
		note_handled(t, &fault);
	if (!crashes)
		return false;
	tracee_halt(run_tracee(s)); /* the other threads must not run while the stack is read */
	pages_forget(s);
	if (calls_read(t, 0, PLACE_CALLS, &calls) == 0)
		note_place(t, &calls);
	inspect_stack_fini(&calls);
	return false;
}

/* ---- all threads stopped ----------------------------------------------------------------- */

static void halt(struct run *s)
{
	tracee_halt(run_tracee(s));
	pages_forget(s);
	run_each_thread(t, s) {
		struct judged *judged = judged_of(t);

		judged->on = run_thread_lives(t) && !run_thread_is_held(t) &&
			     !run_thread_is_paused(t) &&
			     run_thread_tracee(t)->state == TRACEE_STOPPED;
		if (judged->on)
			tracee_look_stopped(run_thread_tracee(t), &judged->look);
	}
	waiting_look_all(s);
	run_each_thread(it, s)
		judged_of(it)->on = false;
}

/* Resumes the threads that were stopped for the examination. */
static void let_go(struct run *s)
{
	run_each_thread(t, s) {
		if (!run_is_halted(s) && run_thread_lives(t) && !run_thread_is_paused(t) &&
		    !run_thread_parked(t) && tracee_is_paused(run_thread_tracee(t)))
			tracee_resume(run_tracee(s), run_thread_tracee(t));
	}
}

static void take_frame(const struct inspect_call *call, struct crash *c)
{
	struct crash_frame *f = array_add(&c->frames);
	struct str arguments = {0}, text = {0};

	inspect_call_arguments(call, &arguments);
	calls_place(call, str_text(&arguments), &text);
	*f = (struct crash_frame){
		.text = str_take(&text),
		.arguments = str_take(&arguments),
		.func = call->function,
		.file = call->line ? call->file : NULL,
		.line = call->line,
		.object = call->frame.module ? module_name(call->frame.module) : NULL,
		.pc = call->frame.pc,
		.inlined = call->inlined,
		.signal = call->frame.signal,
		.system = path_is_system_source(call->file) ||
			  (call->frame.module && caller_is_system(call->frame.module)),
	};
}

/* Frames up to the tester's own are recorded even beyond CRASH_SHOWN. */
static void take_frames(struct crash *c, const struct inspect_stack *calls)
{
	size_t own = own_call(c->thread, calls);

	c->calls = calls->count;
	c->cut = calls->cut;
	for (size_t i = 0; i < calls->count && (i < CRASH_SHOWN || i <= own); i++)
		take_frame(&calls->items[i], c);
	c->own = own < calls->count ? own : c->frames.count;
}

static void take_thread(struct crash *c, struct run_thread *t)
{
	struct waiting *w = waiting_of(t);
	struct str text = {0};
	struct crash_other *other;

	if (t == c->thread) {
		w->kind = WAITING_CRASHED;
		str_clear(&w->text);
		str_addf(&w->text, "is ended by SIG%s", signame_text(c->fault.signal));
		return;
	}
	if (!run_thread_lives(t) || run_process_of(t) != c->process)
		return;
	waiting_sentence(t, &text);
	other = array_add(&c->others);
	*other = (struct crash_other){run_thread_engine(t), str_take(&text), w->file, w->line};
}

/* The wait graph is valid only while its threads stay stopped. */
static void forget_waiting(struct run *s, const struct run_process *but)
{
	run_each_thread(t, s)
		if (run_process_of(t) != but)
			waiting_fini(waiting_of(t));
}

static bool gather(struct run *s, struct crash *c)
{
	struct run_thread *t = c->thread;
	struct inspect_stack calls = {0};
	struct arch_regs regs;
	bool handled;

	if (tracee_fault(run_thread_tracee(t), &c->fault) < 0 ||
	    tracee_regs(run_thread_tracee(t), &regs) < 0)
		return false;
	c->pc = regs.dwarf[ARCH_DWARF_PC];
	handled = take_handled(c);
	calls_read(t, 0, CRASH_CALLS, &calls);
	take_frames(c, &calls);
	note_place(t, &calls);
	crash_said(c, &calls);
	c->stack = &calls;
	crash_address(c, &regs);
	c->stack = NULL;
	if (handled)
		str_addf(&c->what, ", and its own handler raises SIG%s again",
			 signame_text(c->fault.signal));
	c->at = crash_is_at(s, c->process, &calls);
	inspect_stack_fini(&calls);
	run_each_thread(it, s)
		take_thread(c, it);
	return true;
}

static void crash_free(struct crash *c)
{
	array_each(struct crash_frame, f, &c->frames) {
		base_free(f->text);
		base_free(f->arguments);
	}
	array_fini(&c->frames);
	array_each(struct crash_other, o, &c->others)
		base_free(o->text);
	array_fini(&c->others);
	str_fini(&c->what);
	str_fini(&c->said);
	str_fini(&c->where);
	str_fini(&c->place);
	base_free(c);
}

static void free_all(void *what)
{
	struct crashes *all = what;

	array_each(struct crash *, c, all)
		crash_free(*c);
	array_fini(all);
}

static const struct keeper keeper = {sizeof(struct crashes), free_all};

struct crashes *crash_all(const struct run *s)
{
	return kept_make(run_kept(s), &keeper);
}

static struct crash *crash_of(const struct run *s, const struct run_process *p)
{
	array_each(struct crash *, c, crash_all(s))
		if ((*c)->process == p)
			return *c;
	return NULL;
}

static void drop(struct run *s, const struct run_process *p)
{
	struct crashes *all = crash_all(s);

	for (size_t i = 0; i < all->count; i++)
		if (all->items[i]->process == p) {
			crash_free(all->items[i]);
			array_remove(all, i);
			return;
		}
}

/* If several threads crash at once, the first ends the process: the others cannot be read then. */
static struct crash *look(struct run *s, struct run_thread *t)
{
	struct crash *c = base_alloc(1, sizeof(*c));

	c->process = run_process_of(t);
	c->thread = t;
	halt(s);
	if (!gather(s, c)) {
		crash_free(c);
		return NULL;
	}
	drop(s, run_process_of(t)); /* a crash of the same process that did not end it */
	*array_add(crash_all(s)) = c;
	return c;
}

struct crash *crash_look(struct run *s, struct run_thread *t)
{
	struct run_thread *asker = run_set_asker(s, NULL);
	STR(text);
	struct crash *c;

	c = look(s, t);
	run_set_asker(s, asker);
	if (!run_is_attended(s)) /* else the user inspects the stopped threads */
		forget_waiting(s, run_process_of(t) == run_root(s) ? run_root(s) : NULL);
	if (!c)
		return NULL;
	crash_deed(c, &text);
	timeline_add(s, HAPPENED_CRASH, run_thread_engine(t), NULL, NULL,
		     str_text(&text) + strlen(run_thread_id(t)) + 1);
	return c;
}

/* Called after the script's handlers for the signal. */
static void signal_over(struct run *s, struct run_thread *t)
{
	if (run_thread_crashes(t))
		let_go(s);
}

/* Examines the crash and delivers the signal before any other thread goes on. */
static bool deliver(struct run *s, struct run_thread *t)
{
	if (!run_thread_crashes(t))
		return false;
	/* The thread may have been held since the signal came, and a handler installed. */
	if (tracee_signal_ends(run_thread_tracee(t)))
		crash_look(s, t);
	run_thread_set_crashes(t, false);
	tracee_resume(run_tracee(s), run_thread_tracee(t));
	let_go(s);
	return true;
}

/* ---- the outcome ------------------------------------------------------------------------- */

/* Only with -v, because the verdict on the program may have another cause. */
static void say_child(const struct crash *c)
{
	STR(text);

	crash_lines(c, &text);
	for (const char *line = str_text(&text); *line; line += strcspn(line, "\n") + 1)
		log_line("%.*s", (int)strcspn(line, "\n"), line);
}

static void dies(struct run *s, struct run_process *p, int status)
{
	struct crash *c = crash_of(s, p);

	if (!c)
		return;
	c->ended = WIFSIGNALED(status) && WTERMSIG(status) == c->fault.signal;
	if (c->ended) {
		if (p != run_root(s) && run_options(s)->verbose && !run_is_attended(s))
			say_child(c);
		return;
	}
	forget_waiting(s, NULL);
	drop(s, p);
}

const struct crash *crash_of_root(const struct run *s)
{
	const struct crash *c = run_root(s) ? crash_of(s, run_root(s)) : NULL;

	return c && c->ended ? c : NULL;
}

/* Fills in the outcome: whether the first process crashed, and where. */
static void examine_judge(struct run *s)
{
	struct crash *c = run_root(s) ? crash_of(s, run_root(s)) : NULL;

	run_outcome(s)->crashed =
		run_outcome(s)->end == OUTCOME_SIGNALED && crash_is_signal(run_outcome(s)->signal);
	if (!c || !c->ended)
		return;
	crash_place(c, &c->place);
	run_outcome(s)->place = str_text(&c->place);
	run_outcome(s)->at = c->at;
}

static void examine_decided(struct run *s, const struct decision *d)
{
	struct run_thread *t;

	if (d->kind != DECISION_KILL)
		return;
	t = threads_of(d->thread);
	run_outcome(s)->at = run_thread_lives(t) && crash_stands_at(s, t);
}

static int placed(struct run *s, const struct modules_seen *m, struct error *err)
{
	return m->stage == MODULES_PLACED ? crash_check_at(s, m->process, err) : 0;
}

extern const struct observer crash_observer;
const struct observer crash_observer = {
	.modules = placed,
	.process_gone = dies,
	.signal = comes,
	.signal_over = signal_over,
	.goes = deliver,
	.decision = examine_decided,
	.outcome = examine_judge,
	.record = crash_record,
};
