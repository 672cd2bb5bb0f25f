/* Layouts that differ between versions of glibc (tracer/run/README.md). The version number does not
   decide: fixes are backported, and a program may come with a libc of its own. */
#include "tracer/run/run_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/arch/arch.h"

enum { CODE = 64, CONDITION_SIZE = 48 };

/* Returns the image of glibc that has this symbol. Sanitizers have functions of the same names in
   other images. */
static const struct image *find_symbol(const struct run_process *p, const char *name,
				       uint64_t *offset)
{
	uint64_t size, ignored;

	array_each(const struct image, image, &p->images)
		if (module_symbol(image->module, "_IO_2_1_stderr_", &ignored, &size) == 0 &&
		    module_symbol(image->module, name, offset, &size) == 0)
			return image;
	return NULL;
}

/* True if the instruction loads four bytes through the first argument. */
static bool loads_by_argument(const uint8_t *code, size_t n, uint64_t at, struct arch_operand *out)
{
	struct arch_regs regs = {0};
	struct arch_access access;

	return arch_operand(code, n, at, out) && out->base == ARCH_DWARF_ARG0 &&
	       out->index == ARCH_NO_REGISTER &&
	       arch_accesses(code, n, at, ARCH_OWN_SP, &regs, &access, 1) == 1 && access.reads &&
	       !access.writes && access.size == sizeof(uint32_t);
}

uint32_t glibc_condition_waiters(const struct run_process *p)
{
	uint64_t offset;
	uint8_t code[CODE];
	const struct image *libc = find_symbol(p, "pthread_cond_signal", &offset);
	size_t n = libc ? module_bytes(libc->module, offset, code, sizeof(code)) : 0;
	struct arch_insn in;
	struct arch_operand op;

	for (size_t at = 0; at < n && arch_decode(code + at, n - at, offset + at, &in) == 0;
	     at += in.length) {
		if (in.flow != ARCH_FLOW_NEXT)
			return 0;
		if (loads_by_argument(code + at, n - at, offset + at, &op))
			return op.offset < CONDITION_SIZE ? (uint32_t)op.offset : 0;
	}
	return 0;
}

bool glibc_thread_has(const struct run_thread *t, uint64_t address)
{
	uint64_t offset;
	uint32_t size;
	const struct image *libc =
		t->scheduler_block && address >= t->scheduler_block
			? find_symbol(t->process, "_thread_db_sizeof_pthread", &offset)
			: NULL;

	return libc && module_bytes(libc->module, offset, &size, sizeof(size)) == sizeof(size) &&
	       address - t->scheduler_block < size;
}

/* The symbol is a descriptor of nptl_db: { bits, elements, offset in bytes }. */
uint32_t glibc_thread_tid(const struct run_process *p)
{
	uint64_t offset;
	uint32_t words[3];
	const struct image *libc = find_symbol(p, "_thread_db_pthread_tid", &offset);

	return libc && module_bytes(libc->module, offset, words, sizeof(words)) == sizeof(words)
		       ? words[2]
		       : 0;
}
