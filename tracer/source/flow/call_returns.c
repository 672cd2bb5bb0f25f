/* Recognises calls that never return, or return twice, by the called function's symbol or by its
   entry in the global offset table. */
#include "tracer/source/flow/flow_internal.h"
#include "tracer/elf/module.h"

#include <string.h>

/* Functions that never return; * at the end matches any rest. Names that begin with _Z are in a
   table of their own, because large programs have many. */
static const char *const names[] = {
	"abort",
	"exit",
	"_exit",
	"_Exit",
	"quick_exit",
	"pthread_exit",
	"thrd_exit",
	"longjmp",
	"_longjmp",
	"siglongjmp",
	"__longjmp_chk",
	"__assert*",
	"__stack_chk_fail",
	"__stack_chk_fail_local",
	"__chk_fail",
	"__fortify_fail",
	"_Unwind_Resume",
	"__cxa_throw",
	"__cxa_rethrow",
	"__cxa_bad_cast",
	"__cxa_bad_typeid",
	"__cxa_pure_virtual",
	"__cxa_deleted_virtual",
	"__cxa_throw_bad_array_new_length",
	"__clang_call_terminate",
	NULL,
};

static const char first_letters[] = "aeglpqst_"; /* of `names` and `again` */

/* Functions that never return, by their mangled names. */
static const char *const mangled[] = {
	"_ZSt9terminatev",
	"_ZSt10unexpectedv",
	"_ZSt17rethrow_exception*",
	"_ZN4core9panicking*", /* Rust */
	"_ZN4core6option13expect_failed*",
	"_ZN4core6result13unwrap_failed*",
	NULL,
};

/* Functions that may return a second time. */
static const char *const again[] = {
	"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "getcontext", "swapcontext", NULL,
};

struct known_call {
	uint64_t offset;
	enum call_returns returns;
};

struct known_calls {
	ARRAY(struct known_call) slots; /* entries of the global offset table, sorted */
	/* Functions of the module, sorted; empty until `searched`. */
	ARRAY(struct known_call) functions;
	bool searched;
};

/* True for std::__throw_out_of_range() and similar functions: _ZSt, length, name. */
static bool throws(const char *name)
{
	if (strncmp(name, "_ZSt", 4) != 0)
		return false;
	name += 4;
	return strncmp(name + strspn(name, "0123456789"), "__throw_", 8) == 0;
}

static bool matches(const char *name, const char *pattern)
{
	while (*pattern && *pattern == *name)
		pattern++, name++;
	return *pattern == '*' || *pattern == *name;
}

static bool is_among(const char *const *patterns, const char *name)
{
	for (; *patterns; patterns++)
		if (matches(name, *patterns))
			return true;
	return false;
}

static enum call_returns call_returns_by_name(const char *name)
{
	if (!strchr(first_letters, name[0]))
		return CALL_RETURNS;
	if (name[0] == '_' && name[1] == 'Z')
		return is_among(mangled, name) || throws(name) ? CALL_NEVER_RETURNS : CALL_RETURNS;
	if (is_among(again, name))
		return CALL_RETURNS_AGAIN;
	return is_among(names, name) ? CALL_NEVER_RETURNS : CALL_RETURNS;
}

static void known_calls_free(void *data)
{
	struct known_calls *x = data;

	array_fini(&x->slots);
	array_fini(&x->functions);
	base_free(x);
}

static bool take_slot(void *ctx, const struct module_relocation *r)
{
	enum call_returns returns = r->symbol ? call_returns_by_name(r->symbol) : CALL_RETURNS;
	struct known_calls *x = ctx;

	if (returns != CALL_RETURNS)
		*array_add(&x->slots) = (struct known_call){r->offset, returns};
	return false;
}

static int by_offset(const void *a, const void *b)
{
	const struct known_call *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static struct known_calls *known_calls_of(struct module *m)
{
	if (!m->known_calls) {
		m->known_calls =
			cleanup_alloc(&m->cleanups, sizeof(*m->known_calls), known_calls_free);
		module_each_relocation(m, take_slot, m->known_calls);
		array_sort(&m->known_calls->slots, by_offset);
	}
	return m->known_calls;
}

static enum call_returns found_among(const struct known_call *calls, size_t count, uint64_t offset)
{
	const struct {
		const struct known_call *items;
		size_t count;
	} all = {calls, count};
	size_t i = array_below(&all, offset, offset);

	return i < count && calls[i].offset == offset ? calls[i].returns : CALL_RETURNS;
}

/* Returns the entry of the global offset table that an indirect jump or call reads, or 0. */
static uint64_t call_returns_slot_of(const uint8_t *bytes, size_t n, uint64_t address)
{
	struct arch_shared shared;

	return arch_shared(bytes, n, address, ARCH_OWN_SP, &shared) < 0 ? 0 : shared.fixed;
}

uint64_t call_slot(struct module *m, uint64_t address, const struct arch_insn *call)
{
	uint8_t bytes[2 * ARCH_INSN_MAX];
	bool indirect =
		call->flow == ARCH_FLOW_CALL_INDIRECT || call->flow == ARCH_FLOW_JUMP_INDIRECT;
	uint64_t from = indirect ? address : call->target;
	size_t n = module_bytes(m, from, bytes, sizeof(bytes));
	struct arch_insn in;

	if (indirect)
		return call_returns_slot_of(bytes, n, from);
	for (size_t at = 0; arch_decode(bytes + at, n - at, from + at, &in) == 0; at += in.length)
		if (!in.is_nop)
			return in.flow == ARCH_FLOW_JUMP_INDIRECT
				       ? call_returns_slot_of(bytes + at, n - at, from + at)
				       : 0;
	return 0;
}

static enum call_returns by_slot(struct module *m, uint64_t address, const struct arch_insn *call)
{
	const struct known_calls *x = known_calls_of(m);
	uint64_t slot = x->slots.count ? call_slot(m, address, call) : 0;

	return slot ? found_among(x->slots.items, x->slots.count, slot) : CALL_RETURNS;
}

static void take_function(void *ctx, const char *name, uint64_t offset)
{
	enum call_returns returns = call_returns_by_name(name);
	struct known_calls *x = ctx;

	if (returns != CALL_RETURNS)
		*array_add(&x->functions) = (struct known_call){offset, returns};
}

static enum call_returns by_function(struct module *m, uint64_t address)
{
	struct known_calls *x = known_calls_of(m);

	if (!x->searched) {
		x->searched = true;
		module_each_function(m, take_function, x);
		array_sort(&x->functions, by_offset);
	}
	return found_among(x->functions.items, x->functions.count, address);
}

enum call_returns call_returns(struct module *m, uint64_t address, const struct arch_insn *call)
{
	enum call_returns returns;

	if (call->flow != ARCH_FLOW_CALL && call->flow != ARCH_FLOW_CALL_INDIRECT)
		return CALL_RETURNS;
	returns = by_slot(m, address, call);
	return call->flow == ARCH_FLOW_CALL && returns == CALL_RETURNS
		       ? by_function(m, call->target)
		       : returns;
}
