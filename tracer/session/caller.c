/*
 * Where in the tester's own code a blocked thread is: the innermost return address on its stack
 * that lies behind a call in the program or in a library of its own. The libraries below it (libc)
 * are what it blocks in. An old return address can be left in a frame that does not use all of its
 * space; so this is said as "in FUNC at FILE:LINE" of a blocked thread only, never of a gate.
 */
#include "tracer/session/internal.h"

#include <string.h>

enum { STACK_BYTES = 8192, SHORTEST_CALL = 2, LONGEST_CALL = 8 };

/* Libraries of the system are not where a tester looks. */
static bool is_own(const struct session_process *p, const struct image *image)
{
	const char *path = module_path(image->module);

	return image->module == p->exe ||
	       (strncmp(path, "/lib", 4) != 0 && strncmp(path, "/usr/lib", 8) != 0);
}

static bool follows_call(struct session_process *p, uint64_t address)
{
	uint8_t bytes[LONGEST_CALL];
	struct arch_insn insn;

	if (target_read(p->target, address - LONGEST_CALL, bytes, sizeof(bytes)) < 0)
		return false;
	for (uint64_t n = SHORTEST_CALL; n <= LONGEST_CALL; n++)
		if (arch_decode(bytes + LONGEST_CALL - n, n, address - n, &insn) == 0 &&
		    insn.length == n &&
		    (insn.flow == ARCH_FLOW_CALL || insn.flow == ARCH_FLOW_CALL_INDIRECT))
			return true;
	return false;
}

static bool name_address(struct session_process *p, uint64_t address, struct str *out)
{
	struct image *image = images_at(p, address);
	struct symbols_where where;

	if (!image || !is_own(p, image) ||
	    !symbols_where(image->module, address - image->bias, true, &where))
		return false;
	if (where.file && strncmp(where.file, "/usr/", 5) == 0) {
		symbols_where_fini(&where); /* std::mutex::lock: its caller is of interest */
		return false;
	}
	str_addf(out, ", in %s", where.function ? where.function : module_name(image->module));
	if (where.file)
		str_addf(out, " at %s:%u", where.file, where.line);
	symbols_where_fini(&where);
	return true;
}

void caller_name(struct session_process *p, const struct target_block *look, struct str *out)
{
	uint64_t words[STACK_BYTES / 8];
	size_t n = sizeof(words);

	if (name_address(p, look->pc, out))
		return;
	while (n && target_read(p->target, look->sp, words, n) < 0)
		n /= 2; /* the stack ends before */
	for (size_t i = 0; i < n / 8; i++)
		if (images_at(p, words[i]) && follows_call(p, words[i]) &&
		    name_address(p, words[i] - 1, out))
			return;
}
