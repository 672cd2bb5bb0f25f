/* :spurious(): a wait of the statement returns without a signal. POSIX permits it for condition
 * variables, futex(2) for futexes. A C library looks again at a condition's words after a wake-up,
 * but leaves a wait that has timed out, and counts the waiters right: the wait ends by a time-out,
 * at once, and the function's result is replaced. */
#include "tracer/features/statement/begun.h"
#include "tracer/run/run.h"
#include "tracer/run/modules/images.h"
#include "tracer/tracee/syscalls/syscalls.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

/* Places of the run whose wait returns so or has: one does, also if others begin meanwhile. */
struct spurious_places {
	ARRAY(const struct place *) items;
};

struct spurious_frame {
	struct place *place;
	uint64_t frame; /* canonical frame address (CFA) */
};

/* Statements that the thread has begun, and the wait that it is in. */
struct spurious_thread {
	ARRAY(struct spurious_frame) frames;
	struct place *place;
	uint64_t sp;	/* stack pointer when the wait has returned; 0: in none */
	bool condition; /* its result is replaced */
};

static void spurious_fini(void *what)
{
	struct spurious_places *places = what;

	array_fini(&places->items);
}

static void frames_fini(void *what)
{
	struct spurious_thread *own = what;

	array_fini(&own->frames);
}

static const struct keeper spurious_keeper = {sizeof(struct spurious_places), spurious_fini};
static const struct keeper frames_keeper = {sizeof(struct spurious_thread), frames_fini};

static struct spurious_thread *spurious_of(const struct run_thread *t)
{
	return kept_make(run_thread_kept(t), &frames_keeper);
}

bool spurious_was(struct run *s, const struct place *place)
{
	struct spurious_places *places = kept_make(run_kept(s), &spurious_keeper);

	array_each(const struct place *, known, &places->items)
		if (*known == place)
			return true;
	return false;
}

void spurious_begin(struct run_thread *t, struct place *place, uint64_t frame)
{
	*array_add(&spurious_of(t)->frames) = (struct spurious_frame){place, frame};
}

void spurious_end(struct run_thread *t, const struct place *place, uint64_t frame)
{
	struct spurious_thread *own = spurious_of(t);

	for (size_t i = own->frames.count; i-- > 0;)
		if (own->frames.items[i].place == place && own->frames.items[i].frame == frame)
			array_remove(&own->frames, i);
}

void spurious_forget(struct run_thread *t)
{
	spurious_of(t)->frames.count = 0;
	spurious_of(t)->sp = 0;
}

/* ---- the wait ---------------------------------------------------------------------------- */

static enum hit_answer hit_returned(struct run *s, const struct act *a, const struct hit *h)
{
	struct spurious_thread *wait = spurious_of(h->thread);
	struct spurious_places *places = kept_make(run_kept(s), &spurious_keeper);
	const uint64_t none = 0;

	(void)a;
	if (wait->sp != h->regs.dwarf[ARCH_DWARF_SP])
		return HIT_SEEN;
	wait->sp = 0;
	if (tracee_waits_after_all(run_thread_tracee(h->thread))) { /* it has not waited */
		for (size_t i = places->items.count; i-- > 0;)
			if (places->items.items[i] == wait->place)
				array_remove(&places->items, i);
		return HIT_SEEN;
	}
	if (wait->condition)
		tracee_set_register(run_thread_tracee(h->thread), ARCH_DWARF_RESULT, &none,
				    sizeof(none));
	return HIT_SEEN;
}

static const struct site_owner returned = {.ends = true, .hit = hit_returned};

/* True if the thread is in a statement of the place, in a frame outside of `sp`. */
static bool is_begun(const struct run_thread *t, const struct place *place, uint64_t sp)
{
	array_each(const struct spurious_frame, f, &spurious_of(t)->frames)
		if (f->place == place && f->frame > sp)
			return true;
	return false;
}

/* ARG2: DWARF's number of rdx. */
static bool is_futex_wait(const struct hit *h)
{
	enum { ARG2 = 1 };
	int op = (int)h->regs.dwarf[ARG2] & FUTEX_CMD_MASK;

	return h->regs.dwarf[ARCH_DWARF_ARG0] == SYS_futex &&
	       (op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET);
}

enum { FOR_CONDITION, FOR_FUTEX };

static enum hit_answer hit_wait(struct run *s, const struct act *a, const struct hit *h)
{
	struct spurious_places *places = kept_make(run_kept(s), &spurious_keeper);
	const struct act end = {.owner = &returned};
	struct site_use *use;
	struct run_thread *t = h->thread;
	struct spurious_thread *own = spurious_of(t);
	uint64_t sp = h->regs.dwarf[ARCH_DWARF_SP], address;
	bool condition = a->what == FOR_CONDITION;
	ERROR(err);

	if (!is_begun(t, a->place, sp) || spurious_was(s, a->place) ||
	    (!condition && !is_futex_wait(h)) ||
	    run_thread_read(t, sp, &address, sizeof(address)) < 0)
		return HIT_SEEN;
	use = sites_use(s, run_process_of(t), run_thread_tracee(t), address, NULL, &err);
	if (!use) {
		run_fault(s, &err);
		return HIT_SEEN;
	}
	if (!sites_has(use, &end))
		sites_act(use, &end);
	*array_add(&places->items) = own->place = a->place;
	own->sp = sp + sizeof(address);
	own->condition = condition;
	tracee_skip_wait(run_thread_tracee(t), condition ? ETIMEDOUT : 0);
	return HIT_SEEN;
}

static bool spurious_is_over(const struct act *a)
{
	return run_place_ended(a->place->user);
}

static const struct site_owner waits = {
	.outlives = true, .hit = hit_wait, .idle = spurious_is_over};

/* ---- traps ------------------------------------------------------------------------------- */

struct spurious_image {
	struct run *run;
	struct run_process *process;
	struct tracee_thread *thread;
	struct act act;
	uint64_t bias;
	struct error *err;
};

static const char *const names[] = {"pthread_cond_wait",      "pthread_cond_timedwait",
				    "pthread_cond_clockwait", "cnd_wait",
				    "cnd_timedwait",	      "syscall"};
enum { NAMES = sizeof(names) / sizeof(*names) };

static void put_if_wait(void *ctx, const char *name, uint64_t offset)
{
	struct spurious_image *x = ctx;

	for (size_t i = 0; offset && i < NAMES && !x->err->code; i++) {
		if (strcmp(names[i], name) != 0)
			continue;
		x->act.what = i == NAMES - 1 ? FOR_FUTEX : FOR_CONDITION;
		sites_put(x->run, x->process, x->thread, x->bias + offset, &x->act, x->err);
	}
}

int spurious_put(struct run *s, struct run_process *p, struct tracee_thread *t, struct place *place,
		 struct error *err)
{
	struct spurious_image x = {.run = s,
				   .process = p,
				   .thread = t,
				   .act = {.owner = &waits, .place = place},
				   .err = err};

	array_each(const struct image, image, run_process_images(p)) {
		uint64_t offset;

		x.bias = image->bias;
		if (run_process_loader(p))
			module_each_dynamic(image->module, put_if_wait, &x);
		for (size_t i = 0; i < NAMES && !run_process_loader(p); i++)
			if (module_symbol(image->module, names[i], &offset, NULL) == 0)
				put_if_wait(&x, names[i], offset);
	}
	return err->code ? -1 : 0;
}
