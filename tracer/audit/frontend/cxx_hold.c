/* C++: lock holders (std::unique_lock and others), which are pointers to their locks. */
#include "tracer/audit/frontend/cxx.h"

#include <string.h>

enum how { HOLD_LOCKED, HOLD_DEFERRED, HOLD_ADOPTED, HOLD_TRIED };

/* How a holder's further arguments ask for the lock: tags, or how long to try. */
static enum how how_held(const struct lower *l, const struct cursors *arguments)
{
	static const struct {
		const char *class;
		enum how how;
	} tags[] = {{"defer_lock_t", HOLD_DEFERRED},
		    {"adopt_lock_t", HOLD_ADOPTED},
		    {"try_to_lock_t", HOLD_TRIED},
		    {"duration", HOLD_TRIED},
		    {"time_point", HOLD_TRIED}};

	for (size_t i = 0; i < arguments->count; i++) {
		OWNED(class) =
			cxx_class_name(l->reader, cursor_type(l->reader, arguments->items[i]));

		for (size_t k = 0; k < sizeof(tags) / sizeof(*tags); k++)
			if (strcmp(class, tags[k].class) == 0)
				return tags[k].how;
	}
	return HOLD_LOCKED;
}

static bool is_shared(const struct audit_reader *r, CXType holder)
{
	OWNED(class) = cxx_class_name(r, holder);

	return strcmp(class, "shared_lock") == 0;
}

/* Takes the lock that the holder points to; a try has two ways out. */
static void take(struct lower *l, CXCursor c, CXType holder, enum how how,
		 struct audit_expr *target, CXType lock)
{
	const bool shared = is_shared(l->reader, holder), tries = how == HOLD_TRIED;
	const char *name = tries    ? shared ? "try_lock_shared" : "try_lock"
			   : shared ? "lock_shared"
				    : "lock";
	struct audit_expr *e;
	unsigned next;

	if (how != HOLD_LOCKED && how != HOLD_TRIED)
		return;
	e = cxx_call_of(l, c, cxx_lock_function(l->reader, lock, name), 1, &target);
	if (how == HOLD_LOCKED) {
		lower_step(l, e);
		return;
	}
	next = lower_block_new(l);
	lower_branch(l, e, next, next);
	l->block = next;
}

/* std::scoped_lock of several locks takes them in no order: one hidden holder for each. */
static void hold_several(struct lower *l, CXCursor c, const struct cursors *locks)
{
	struct audit_expr *e = lower_new(l, EXPR_CALL, c, (unsigned)locks->count + 1);
	struct audit_program *p = l->reader->program;

	e->operands[0] = cxx_function(l, c, interned_add(&p->names, "std::lock"));
	for (unsigned i = 0; i < locks->count; i++) {
		struct audit_expr *held = cxx_temporary(l, locks->items[i]);

		held->decays = false;
		held->is_pointer = true;
		cxx_assign(l, c, held, cxx_address(l, c, lower_expr(l, locks->items[i])));
		lower_add_cleanup(l, held->id,
				  interned_add(&p->names, "std::unique_lock::~unique_lock"));
		e->operands[i + 1] = held;
	}
	lower_step(l, e);
}

void cxx_hold(struct lower *l, CXCursor c, CXType type, CXCursor init, struct audit_expr *target)
{
	struct cursors arguments = cxx_arguments(l, init);
	CXType lock;

	if (!cxx_is_construction(l->reader, init)) {
		cxx_assign(l, c, target, lower_expr(l, init));
	} else if (!arguments.count) {
		cxx_assign(l, c, target, cxx_new(l, EXPR_CONSTANT, c, 0));
	} else if (cxx_class_of(l->reader, cursor_type(l->reader, arguments.items[0])) ==
		   CXX_HOLDER) {
		cxx_assign(l, c, target, lower_expr(l, arguments.items[0]));
	} else if (arguments.count > 1 && how_held(l, &arguments) == HOLD_LOCKED) {
		hold_several(l, c, &arguments);
	} else {
		struct cursors tags = arguments;
		CXCursor of = arguments.items[0];

		/* scoped_lock(std::adopt_lock, lock) has the tag first. */
		if (how_held(l, &(struct cursors){&of, 1, 0}) == HOLD_ADOPTED &&
		    arguments.count > 1)
			of = arguments.items[1];
		lock = cxx_bare(l->reader, cursor_type(l->reader, of));
		cxx_assign(l, c, target, cxx_address(l, c, lower_expr(l, of)));
		take(l, c, type, how_held(l, &tags), target, lock);
	}
	cursors_fini(&arguments);
}
