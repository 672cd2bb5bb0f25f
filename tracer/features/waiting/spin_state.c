/* Decides whether a thread makes progress. A computation is never in the same state twice, else it
 * would not end; a spinning thread returns to a few states. Values on which no branch depends are
 * not part of a state, so counting retries does not make states differ. */
#include "tracer/run/modules/images.h"
#include "tracer/run/threads/threads.h"
#include "tracer/features/waiting/waiting_internal.h"

enum { MOST_FRAMES = 24, MOST_CODE = 4096, MOST_STATES = 4096, ONCE_PART = 8 };
enum { RESULT = 1 }; /* rax: in an outer call, what the inner call will return */

/* ---- values that decide branches --------------------------------------------------------- */

static size_t read_code(void *ctx, uint64_t addr, void *buf, size_t n)
{
	while (n && pages_read(ctx, addr, buf, n) < 0)
		n--; /* the mapping ends here */
	return n;
}

static const struct arch_decides *decides_at(struct run_process *p, uint64_t pc, uint32_t known,
					     struct spin_code *code)
{
	const struct image *image = images_at(p, pc);
	const struct module *module = image ? image->module : NULL;
	int pid = image ? 0 : run_process_pid(p);
	struct spin_decides *found;

	for (size_t i = 0; i < code->count; i++) {
		found = &code->items[i];
		if (found->pc == pc && found->module == module && found->pid == pid &&
		    found->known == known)
			return &found->decides;
	}
	if (code->count == MOST_CODE)
		code->count = 0;
	found = array_add(code);
	found->pc = pc;
	found->module = module;
	found->pid = pid;
	found->known = known;
	arch_decides(pc, known, read_code, p, &found->decides);
	return &found->decides;
}

/* ---- a state -------------------------------------------------------------------------------- */

static void mix(uint64_t *state, uint64_t value)
{
	*state ^= value + 0x9e3779b97f4a7c15u + (*state << 6) + (*state >> 2);
	*state *= 0xff51afd7ed558ccdu;
	*state ^= *state >> 33;
}

static uint64_t part(const struct dwarf_frame *f, const struct arch_decides *d,
		     const uint64_t *values, uint8_t from)
{
	if (from == ARCH_FROM_NOTHING)
		return 0;
	if (from < ARCH_FROM_WORD)
		return f->regs[from];
	return d->word[from - ARCH_FROM_WORD].size == 4
		       ? (uint64_t)(int32_t)values[from - ARCH_FROM_WORD]
		       : values[from - ARCH_FROM_WORD];
}

static uint64_t spin_state_value_of(struct run_process *p, const struct dwarf_frame *f,
				    const struct arch_decides *d, const uint64_t *values, size_t i)
{
	const struct arch_word *w = &d->word[i];
	uint64_t at = part(f, d, values, w->base) + (uint64_t)w->offset, value = 0;

	if (w->index != ARCH_FROM_NOTHING)
		at += part(f, d, values, w->index) * w->scale;
	return pages_read(p, at, &value, w->size) < 0 ? 0 : value;
}

static void mix_values(struct run_process *p, const struct dwarf_frame *f,
		       const struct arch_decides *d, bool result, uint64_t *state)
{
	uint32_t registers = d->registers | (result ? d->result_registers : 0);
	uint64_t words = d->words | (result ? d->result_words : 0);
	uint64_t values[ARCH_DECIDES_WORDS] = {0};

	mix(state, f->pc);
	for (unsigned i = 0; i < 16; i++)
		if ((registers >> i & 1) && (f->known >> i & 1))
			mix(state, f->regs[i]);
	for (size_t i = 0; i < ARCH_DECIDES_WORDS && d->word[i].size; i++) {
		values[i] = spin_state_value_of(p, f, d, values, i);
		if (words >> i & 1)
			mix(state, values[i]);
	}
}

/* From the outermost call inwards, because the result of an inner call may decide
 * branches of the outer one. */
static void mix_frames(struct run_process *p, const struct dwarf_frame *frames, size_t count,
		       struct spin_code *code, uint64_t *state)
{
	bool result = false;

	while (count--) {
		const struct dwarf_frame *f = &frames[count];
		uint32_t known = (f->known & 0xffff) | RESULT;
		const struct arch_decides *d = decides_at(p, f->pc, known, code);

		mix_values(p, f, d, result, state);
		result = (d->registers & RESULT) || (result && (d->result_registers & RESULT));
	}
}

uint64_t spin_state(struct run_thread *t, struct spin_code *code)
{
	struct dwarf_frame frames[MOST_FRAMES];
	ERROR(ignored);
	struct arch_regs regs;
	uint64_t state = 0;
	size_t count = 1;

	if (tracee_regs(run_thread_tracee(t), &regs) < 0)
		return 0;
	pages_forget(run_of(run_process_of(t)));
	dwarf_frame_first(run_process_program(run_process_of(t)), t, &regs, &frames[0]);
	while (count < MOST_FRAMES &&
	       dwarf_frame_up(&frames[count - 1], &frames[count], &ignored) > 0)
		count++;
	mix_frames(run_process_of(t), frames, count, code, &state);
	return state;
}

enum spin_loop spin_loop_of(struct run_process *p, const struct dwarf_frame *call,
			    struct spin_code *code)
{
	uint32_t known = (call->known & 0xffff) | RESULT;
	const struct arch_decides *d = decides_at(p, call->pc, known, code);

	return !d->loops ? SPIN_NO_LOOP : d->branches ? SPIN_LOOP : SPIN_ENDLESS;
}

enum { MOST_COPIES = 16 };

/* Lists the functions inlined at an address of the call's function, innermost
 * first, and the function. */
static void copies_at(const struct dwarf_frame *call, uint64_t pc, struct inspect_stack *out)
{
	struct dwarf_frame frame = *call;

	frame.level = 0;
	frame.pc = frame.lookup_pc = pc;
	inspect_stack(&frame, 0, MOST_COPIES, out);
	for (size_t i = 0; i < out->count; i++)
		if (!out->items[i].inlined)
			out->count = i + 1;
}

static bool has_copy(const struct inspect_stack *copies, const char *function)
{
	for (size_t i = 0; i < copies->count; i++)
		if (str_same(copies->items[i].function, function))
			return true;
	return false;
}

const char *spin_loop_function(struct run_process *p, const struct dwarf_frame *call,
			       struct spin_code *code)
{
	const struct arch_decides *d =
		decides_at(p, call->pc, (call->known & 0xffff) | RESULT, code);
	struct inspect_stack first = {0}, last = {0};
	const char *function = NULL;

	copies_at(call, d->loop_low, &first);
	copies_at(call, d->loop_high, &last);
	for (size_t i = 0; i < first.count && !function; i++)
		if (!first.items[i].inlined || has_copy(&last, first.items[i].function))
			function = first.items[i].function;
	inspect_stack_fini(&first);
	inspect_stack_fini(&last);
	return function;
}

/* ---- states seen ---------------------------------------------------------------------------- */

void spin_states_add(struct spin_states *states, uint64_t state)
{
	struct spin_seen *new;

	states->samples++;
	array_each(struct spin_seen, seen, states) {
		if (seen->state != state)
			continue;
		states->once -= seen->times++ == 1;
		return;
	}
	states->once++;
	if (states->count == MOST_STATES)
		return;
	new = array_add(states);
	new->state = state;
	new->times = 1;
}

void spin_states_clear(struct spin_states *states)
{
	array_fini(states);
	states->samples = states->once = 0;
}

bool spin_states_repeat(const struct spin_states *states, unsigned least)
{
	return states->samples >= least && states->once * ONCE_PART <= states->samples;
}

/* A loop of some instructions has as many states, each seen once at first. A computation that makes
 * progress hardly ever repeats a state. */
bool spin_states_may_repeat(const struct spin_states *states, unsigned least, unsigned most)
{
	if (states->samples < least)
		return states->once <= least / 2;
	return states->samples < most && states->once * 2 <= states->samples;
}
