/*
 * elide_sleep: from its arrival until the statement has been executed a thread does not sleep.
 *
 * The end is where control leaves the statement's code in the same frame, or where the frame's
 * function returns to: a statement may end in a jump to the very function that sleeps. What leaves
 * in no such way (longjmp, an exception) is noticed at the next system call: see target_elide.
 */
#include "tracer/session/internal.h"

bool elide_is_under_way(const struct session *s, const struct place *place)
{
	array_each(struct session_thread *, t, &s->threads) {
		if (!(*t)->target)
			continue;
		array_each(const struct elision, e, &(*t)->elisions)
			if (!place || e->place == place)
				return true;
	}
	return false;
}

static bool is_known(const struct site_use *use, const struct place *place)
{
	array_each(const struct act, a, &use->acts)
		if (a->kind == ACT_ELIDE_END && a->place == place && !a->info)
			return true;
	return false;
}

/* A trap at the address that the frame's function returns to; it stands below the frame. */
static int watch_return(struct session *s, struct session_thread *t, struct place *place,
			uint64_t frame, struct error *err)
{
	struct session_place *sp = place->user;
	struct target_site *site;
	struct site_use *use;
	uint64_t address;

	if (target_read(t->process->target, frame - sizeof(address), &address, sizeof(address)) < 0)
		return 0;
	use = places_use(s, t->process, t->target, address, &site, err);
	if (!use)
		return -1;
	if (!is_known(use, place))
		places_act(use, &(struct act){ACT_ELIDE_END, place, NULL, 0});
	*array_add(&sp->placed) = (struct placed){t->process, site};
	return 0;
}

static bool frame_of(struct session *s, struct session_thread *t, uint64_t *frame)
{
	const struct image *image;
	struct arch_regs regs;
	uint64_t pc;

	if (target_regs(t->target, &regs) < 0)
		return false;
	pc = regs.dwarf[ARCH_DWARF_PC];
	image = images_find(s, t->process, pc);
	*frame = images_frame(image ? image->module : NULL, image ? pc - image->bias : 0, &regs);
	return true;
}

/* Frames below this one are gone; and so is this one, if it was left without passing an end. */
static void forget_left(struct session_thread *t, const struct place *place, uint64_t frame)
{
	for (size_t i = t->elisions.count; i-- > 0;) {
		struct elision e = t->elisions.items[i];

		if (e.frame > frame || (e.frame == frame && e.place != place))
			continue;
		array_remove(&t->elisions, i);
		target_elide_end(t->target, e.frame);
	}
}

void elide_begin(struct session *s, struct session_thread *t, struct place *place)
{
	struct error err;
	uint64_t frame;

	if (!t->target || !frame_of(s, t, &frame))
		return;
	forget_left(t, place, frame);
	*array_add(&t->elisions) = (struct elision){place, frame};
	target_elide(t->target, frame);
	if (watch_return(s, t, place, frame, &err) < 0)
		session_fault(s, &err);
}

void elide_act(struct session *s, struct session_thread *t, const struct act *a, uint64_t address,
	       const struct arch_regs *regs)
{
	uint64_t frame = a->info ? after_frame_at(a, address, regs) : regs->dwarf[ARCH_DWARF_SP];

	for (size_t i = t->elisions.count; i-- > 0;) {
		struct elision e = t->elisions.items[i];

		if (e.place != a->place || e.frame != frame)
			continue;
		array_remove(&t->elisions, i);
		target_elide_end(t->target, frame);
	}
	if (a->place->retired && !elide_is_under_way(s, a->place))
		places_retire(s, a->place);
}
