/* Statements that are left before their end, by an exception or longjmp(3). _Unwind_SetIP()
 * names the landing pad: inner frames have ended, and in its frame the statements that do not
 * contain it. See README.md. */
#include "tracer/features/statement/begun.h"
#include "tracer/run/run.h"
#include "tracer/run/modules/images.h"
#include "tracer/tracee/threads/threads.h"

/* Removes the statements that t has left: its stack pointer was `top`, and it
 * continues with `regs`. */
static void left_leave(struct run *s, struct run_thread *t, uint64_t top,
		       const struct arch_regs *regs, bool doubted)
{
	uint64_t pc = regs->dwarf[ARCH_DWARF_PC];
	uint64_t frame = images_frame_at(images_find(s, run_process_of(t), pc), pc, regs);
	struct begun *begun = begun_of(t);

	for (size_t i = begun->frames.count; i-- > 0;) {
		struct completion_frame *f = &begun->frames.items[i];

		if (f->frame <= top || f->frame > frame)
			continue;
		if (f->frame < frame || !(f->call || sites_inside(f->info, pc - f->bias)))
			array_remove(&begun->frames, i);
		else
			f->doubted = doubted && !f->call;
	}
}

/* ---- exceptions ----------------------------------------------------------------------------- */

void left_lands(struct run *s, const struct hit *h)
{
	struct begun *begun = begun_of(h->thread);
	struct arch_regs regs = h->regs;

	if (begun->pad != h->address)
		return;
	begun->pad = 0;
	regs.dwarf[ARCH_DWARF_PC] = h->address;
	left_leave(s, h->thread, begun->top, &regs, begun->tells);
}

static enum hit_answer hit_pad(struct run *s, const struct act *a, const struct hit *h)
{
	(void)a;
	left_lands(s, h);
	return HIT_SEEN;
}

static const struct site_owner lands = {.hit = hit_pad};

/* An act's `what`: whether a trap reports that an exception is caught. */
enum { CATCH_UNSEEN, CATCH_SEEN };

/* At the entry of _Unwind_SetIP(context, landing pad). */
static enum hit_answer hit_set(struct run *s, const struct act *a, const struct hit *h)
{
	const struct act act = {.owner = &lands, .place = a->place};
	struct run_thread *t = h->thread;
	struct begun *begun = begun_of(t);
	ERROR(err);

	begun->pad = begun->frames.count ? h->regs.dwarf[ARCH_DWARF_ARG1] : 0;
	begun->top = h->regs.dwarf[ARCH_DWARF_SP];
	begun->tells = a->what == CATCH_SEEN;
	if (begun->pad &&
	    sites_put(s, run_process_of(t), run_thread_tracee(t), begun->pad, &act, &err) < 0)
		run_fault(s, &err);
	return HIT_SEEN;
}

/* At the entry of __cxa_begin_catch, with which a handler begins. */
static enum hit_answer hit_catch(struct run *s, const struct act *a, const struct hit *h)
{
	struct begun *begun = begun_of(h->thread);
	struct arch_regs regs = h->regs;
	uint64_t *sp = &regs.dwarf[ARCH_DWARF_SP], *pc = &regs.dwarf[ARCH_DWARF_PC];

	(void)a;
	if (!begun->frames.count || run_thread_read(h->thread, *sp, pc, sizeof(*pc)) < 0)
		return HIT_SEEN;
	*sp += sizeof(*pc);
	left_leave(s, h->thread, *sp, &regs, false);
	return HIT_SEEN;
}

static const struct site_owner sets = {.hit = hit_set};
static const struct site_owner catches = {.hit = hit_catch};

/* ---- longjmp -------------------------------------------------------------------------------- */

/* Returns the lowest address of the frames that end: on one stack `top`, else (a coroutine, a
 * signal stack) the start of the new stack. */
static uint64_t lowest_left(struct run_thread *t, uint64_t top, uint64_t sp)
{
	struct tracee_mapping stack;

	if (tracee_mapping_at(run_process_tracee(run_process_of(t)), sp, &stack) < 0)
		return top;
	return top >= stack.start && top < sp ? top : stack.start;
}

/* At the entry of longjmp(buf, value). glibc mangles pointers in buf (PTR_MANGLE), other libraries
 * do not: pc is plain if it is in a loaded image. */
static enum hit_answer hit_jump(struct run *s, const struct act *a, const struct hit *h)
{
	struct run_thread *t = h->thread;
	struct tracee_process *p = run_process_tracee(run_process_of(t));
	uint64_t words[ARCH_JMP_BUF_WORDS], guard, top = h->regs.dwarf[ARCH_DWARF_SP];
	struct arch_regs regs = h->regs;

	(void)a;
	if (!begun_of(t)->frames.count ||
	    tracee_read(p, regs.dwarf[ARCH_DWARF_ARG0], words, sizeof(words)) < 0 ||
	    tracee_read(p, regs.fs_base + ARCH_GUARD_AT, &guard, sizeof(guard)) < 0)
		return HIT_SEEN;
	arch_longjmp(words, !images_at(run_process_of(t), words[ARCH_JMP_BUF_PC]), guard, &regs);
	if (images_at(run_process_of(t), regs.dwarf[ARCH_DWARF_PC]))
		left_leave(s, t, lowest_left(t, top, regs.dwarf[ARCH_DWARF_SP]), &regs, false);
	return HIT_SEEN;
}

static const struct site_owner jumps = {.hit = hit_jump};

/* ---- traps ---------------------------------------------------------------------------------- */

static bool is_exported(const struct image *image, const char *name, uint64_t *offset)
{
	return module_has_string(image->module, name) &&
	       module_symbol(image->module, name, offset, NULL) == 0;
}

/* True if the program defines the function, or a module imports it. */
static bool is_used(const struct run_process *p, const char *name)
{
	uint64_t offset;

	if (run_process_images(p)->count &&
	    module_symbol(run_process_images(p)->items[0].module, name, &offset, NULL) == 0)
		return true;
	array_each(const struct image, image, run_process_images(p))
		if (module_has_string(image->module, name) && !is_exported(image, name, &offset))
			return true;
	return false;
}

/* Sets traps at all functions of this name, if it is used. Returns their number,
 * or -1 with *err set. */
static int put_all(struct run *s, struct run_process *p, struct tracee_thread *t, const char *name,
		   const struct act *act, struct error *err)
{
	int count = 0;

	if (!is_used(p, name))
		return 0;
	for (size_t i = 0; i < run_process_images(p)->count; i++) {
		const struct image *image = &run_process_images(p)->items[i];
		uint64_t offset;

		if (i ? !is_exported(image, name, &offset)
		      : module_symbol(image->module, name, &offset, NULL) < 0)
			continue;
		if (sites_put(s, p, t, image->bias + offset, act, err) < 0)
			return -1;
		count++;
	}
	return count;
}

static int watch_exceptions(struct run *s, struct run_process *p, struct tracee_thread *t,
			    struct place *place, struct error *err)
{
	const struct act caught = {.owner = &catches, .place = place};
	struct act set = {.owner = &sets, .what = CATCH_UNSEEN, .place = place};
	int count = put_all(s, p, t, "__cxa_begin_catch", &caught, err);

	set.what = count > 0 ? CATCH_SEEN : CATCH_UNSEEN;
	return count < 0 ? -1 : put_all(s, p, t, "_Unwind_SetIP", &set, err);
}

int left_watch(struct run *s, struct run_process *p, struct tracee_thread *t, struct place *place,
	       struct error *err)
{
	static const char *const names[] = {"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk"};
	const struct act jump = {.owner = &jumps, .place = place};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (put_all(s, p, t, names[i], &jump, err) < 0)
			return -1;
	return watch_exceptions(s, p, t, place, err) < 0 ? -1 : 0;
}
