/* Which function a call is for is told by the symbols, or by the global offset table's entry that its stub takes. */
#include "tracer/source/no_return.h"
#include "tracer/elf/module_tables.h"

#include <string.h>

/* A name that ends in * stands for all that begin so. A large program has many that begin with _Z: those are apart. */
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

static const char first_letters[] = "aelpqst_"; /* of all of them */

static const char *const mangled[] = {
	"_ZSt9terminatev",
	"_ZSt10unexpectedv",
	"_ZSt17rethrow_exception*",
	"_ZN4core9panicking*", /* Rust's */
	"_ZN4core6option13expect_failed*",
	"_ZN4core6result13unwrap_failed*",
	NULL,
};

struct no_return_at {
	uint64_t offset;
};

struct no_return {
	ARRAY(struct no_return_at) slots; /* of the global offset table, sorted */
	ARRAY(struct no_return_at)
	functions; /* ... of the module itself, sorted; once `searched` */
	bool searched;
};

/* std::__throw_out_of_range() and the like: _ZSt, how long the name is, and the name. */
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

static bool is_name(const char *name)
{
	bool is_mangled = name[0] == '_' && name[1] == 'Z';

	if (!strchr(first_letters, name[0]))
		return false;
	for (const char *const *one = is_mangled ? mangled : names; *one; one++)
		if (matches(name, *one))
			return true;
	return is_mangled && throws(name);
}

static void no_return_free(void *data)
{
	struct no_return *x = data;

	array_fini(&x->slots);
	array_fini(&x->functions);
	base_free(x);
}

static bool take_slot(void *ctx, const struct module_relocation *r)
{
	struct no_return *x = ctx;

	if (r->symbol && is_name(r->symbol))
		array_add(&x->slots)->offset = r->offset;
	return false;
}

static int by_offset(const void *a, const void *b)
{
	const struct no_return_at *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static struct no_return *no_return_of(struct module *m)
{
	if (!m->no_return) {
		m->no_return = cleanup_alloc(&m->cleanups, sizeof(*m->no_return), no_return_free);
		module_each_relocation(m, take_slot, m->no_return);
		array_sort(&m->no_return->slots, by_offset);
	}
	return m->no_return;
}

/* Does the instruction take where it goes from the entry of one of them? */
static bool is_by_slot(struct module *m, const uint8_t *bytes, size_t n, uint64_t address)
{
	const struct no_return *x = no_return_of(m);
	const struct arch_regs none = {0};
	struct arch_access access;
	size_t i;

	if (!x->slots.count || arch_access(bytes, n, address, &none, NULL, &access) < 0)
		return false;
	i = array_below(&x->slots, offset, access.address);
	return i < x->slots.count && x->slots.items[i].offset == access.address;
}

static bool is_stub(struct module *m, uint64_t address)
{
	uint8_t bytes[2 * ARCH_INSN_MAX];
	size_t n = module_bytes(m, address, bytes, sizeof(bytes));
	struct arch_insn in;

	for (size_t at = 0; arch_decode(bytes + at, n - at, address + at, &in) == 0;
	     at += in.length)
		if (!in.is_nop)
			return in.flow == ARCH_FLOW_JUMP_INDIRECT &&
			       is_by_slot(m, bytes + at, n - at, address + at);
	return false;
}

static void take_function(void *ctx, const char *name, uint64_t offset)
{
	struct no_return *x = ctx;

	if (is_name(name))
		array_add(&x->functions)->offset = offset;
}

static bool is_function(struct module *m, uint64_t address)
{
	struct no_return *x = no_return_of(m);
	size_t i;

	if (!x->searched) {
		x->searched = true;
		module_each_function(m, take_function, x);
		array_sort(&x->functions, by_offset);
	}
	i = array_below(&x->functions, offset, address);
	return i < x->functions.count && x->functions.items[i].offset == address;
}

bool call_never_returns(struct module *m, const uint8_t *bytes, size_t n, uint64_t address,
			const struct arch_insn *call)
{
	if (call->flow == ARCH_FLOW_CALL_INDIRECT)
		return is_by_slot(m, bytes, n, address);
	return call->flow == ARCH_FLOW_CALL &&
	       (is_stub(m, call->target) || is_function(m, call->target));
}
