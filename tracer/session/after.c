/*
 * `after = true`: an arrival when the statement has been executed.
 *
 * Where a statement begins the frame it runs in is noted; where control leaves its code in that same
 * frame, it has been executed. The frame is known by its canonical frame address, which does not
 * change while the function runs: a recursion that passes the same exits has another one. For a
 * function the exit is its return address, so that a tail call does not end it early.
 */
#include "tracer/session/internal.h"

/* Frames that were left by longjmp or an exception stay here until their address is used again. */
enum { MOST_FRAMES = 4096 };

static bool same(const struct after_frame *f, const struct act *a, uint64_t frame)
{
	return f->frame == frame && f->place == a->place && f->info == a->info &&
	       f->bias == a->bias;
}

static void begin(struct session_thread *t, const struct act *a, uint64_t frame)
{
	for (size_t i = 0; i < t->frames.count; i++)
		if (same(&t->frames.items[i], a, frame))
			return; /* left without passing an exit, and begun again */
	if (t->frames.count == MOST_FRAMES)
		array_remove(&t->frames, 0);
	*array_add(&t->frames) = (struct after_frame){a->place, a->info, a->bias, frame};
}

static bool end(struct session_thread *t, const struct act *a, uint64_t frame)
{
	for (size_t i = t->frames.count; i-- > 0;) {
		if (!same(&t->frames.items[i], a, frame))
			continue;
		array_remove(&t->frames, i);
		return true;
	}
	return false;
}

uint64_t after_frame_at(const struct act *a, uint64_t address, const struct arch_regs *regs)
{
	return images_frame(a->info->module, address - a->bias, regs);
}

/* At the first instruction of a function: the return address is the last thing on the stack. */
static void begin_call(struct session *s, struct session_thread *t, const struct act *a,
		       uint64_t sp)
{
	struct act act = *a;
	struct site_use *use;
	struct target_site *site;
	struct session_place *place = a->place->user;
	struct error err;
	uint64_t address;

	if (target_read(t->process->target, sp, &address, sizeof(address)) < 0)
		return;
	begin(t, a, sp + sizeof(address));
	use = places_use(s, t->process, t->target, address, &site, &err);
	if (!use) {
		session_fault(s, &err);
		return;
	}
	act.kind = ACT_CALL_END;
	array_each(struct act, known, &use->acts)
		if (known->kind == ACT_CALL_END && known->place == act.place &&
		    known->info == act.info)
			return;
	places_act(use, &act);
	*array_add(&place->placed) = (struct placed){t->process, site};
}

/*
 * A return has just taken its address from the word below the stack pointer. Whoever comes here by a
 * jump, from a landing pad say, has had other calls since, and another word stands there.
 */
static bool has_returned(struct session_thread *t, uint64_t address, uint64_t sp)
{
	uint64_t word;

	return target_read(t->process->target, sp - sizeof(word), &word, sizeof(word)) == 0 &&
	       word == address;
}

bool after_act(struct session *s, struct session_thread *t, const struct act *a, uint64_t address,
	       const struct arch_regs *regs)
{
	uint64_t sp = regs->dwarf[ARCH_DWARF_SP];

	switch (a->kind) {
	case ACT_AFTER_BEGIN:
		begin(t, a, after_frame_at(a, address, regs));
		return false;
	case ACT_AFTER_END:
		return end(t, a, after_frame_at(a, address, regs));
	case ACT_CALL_BEGIN:
		begin_call(s, t, a, sp);
		return false;
	case ACT_CALL_END:
		return has_returned(t, address, sp) && end(t, a, sp);
	default:
		return true;
	}
}
