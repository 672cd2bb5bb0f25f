/*
 * Resident sites at basic blocks of real libraries (arguments: files; default: part of libc). Each
 * is built and decoded: the jump leads to the stub, the stub to the copy, and the copy is the same
 * instruction, continuing at the original's successor. Rejected blocks are counted by reason.
 */
#include "tracer/arch/arch.h"
#include "tracer/elf/module.h"
#include "tracer/resident/resident.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { SOME = 20000, FAR = 1 << 28, REASONS = 16 };

static int file_count;
static char **file_names;

struct text {
	const uint8_t *bytes;
	size_t size;
	uint64_t base;
	bool *begins; /* by byte: true if a block begins here */
};

struct table {
	unsigned long blocks, moved, wrong, most;
	struct {
		const char *why;
		unsigned long count;
	} refused[REASONS];
};

static void refuse(struct table *t, const char *why)
{
	for (size_t i = 0; i < REASONS; i++) {
		if (t->refused[i].why && strcmp(t->refused[i].why, why) != 0)
			continue;
		t->refused[i].why = why;
		t->refused[i].count++;
		return;
	}
}

/* ---- starts of blocks ------------------------------------------------------------------------ */

static void find_blocks(struct text *x)
{
	struct arch_insn in;

	x->begins[0] = true;
	for (size_t at = 0; at < x->size; at += in.length) {
		if (arch_decode(x->bytes + at, x->size - at, x->base + at, &in) < 0) {
			in.length = 1;
			continue;
		}
		if (in.flow == ARCH_FLOW_NEXT)
			continue;
		if (in.flow != ARCH_FLOW_CALL && in.target - x->base < x->size)
			x->begins[in.target - x->base] = true;
		if (at + in.length < x->size)
			x->begins[at + in.length] = true;
	}
}

/* ---- one block ------------------------------------------------------------------------------- */

/* Target of the jump at `at`, of any form; 0: no jump. */
static uint64_t jump_of(const uint8_t *code, size_t n, uint64_t at)
{
	struct arch_insn in;
	uint64_t target = 0;

	if (arch_decode(code, n, at, &in) < 0)
		return 0;
	if (in.flow == ARCH_FLOW_JUMP_INDIRECT && n >= 14 && code[0] == 0xff && code[1] == 0x25)
		memcpy(&target, code + 6, sizeof(target));
	return in.flow == ARCH_FLOW_JUMP ? in.target : target;
}

/*
 * True if the bytes are equal except for a displacement (and the push of a call), and the addressed
 * operand is the same.
 */
static bool same_operand(const uint8_t *bytes, uint64_t from, const struct arch_copy *copy,
			 uint64_t to, unsigned length)
{
	struct arch_shared was, is;
	unsigned differ = 0;

	if (arch_shared(bytes, length, from, false, &was) < 0 ||
	    arch_shared(copy->code, length, to, false, &is) < 0)
		return false;
	for (unsigned i = 0; i < length; i++)
		differ += bytes[i] != copy->code[i];
	return is.length == length && was.length == length && differ <= 5 &&
	       was.fixed == is.fixed && was.reads == is.reads && was.writes == is.writes;
}

static bool same_plain(const uint8_t *bytes, uint64_t from, const struct arch_copy *copy,
		       uint64_t to, unsigned length)
{
	return same_operand(bytes, from, copy, to, length) &&
	       jump_of(copy->code + length, copy->length - length, to + length) == from + length;
}

/* True if the copy of a call pushes the return address, which is after its jump. */
static bool same_call(const struct arch_insn *in, uint64_t from, const struct arch_copy *copy,
		      uint64_t to)
{
	uint64_t next;
	int32_t skip;

	memcpy(&skip, copy->code + 2, sizeof(skip));
	if (copy->code[0] != 0xff || copy->code[1] != 0x35 || 6 + skip + 8 > copy->length)
		return false;
	memcpy(&next, copy->code + 6 + skip, sizeof(next));
	return next == from + in->length &&
	       jump_of(copy->code + 6, copy->length - 6, to + 6) == in->target;
}

static bool same_branch(const struct arch_insn *in, uint64_t from, const struct arch_copy *copy,
			uint64_t to)
{
	struct arch_insn is;
	uint64_t hop;

	if (arch_decode(copy->code, copy->length, to, &is) < 0 || is.flow != ARCH_FLOW_BRANCH)
		return false;
	hop = is.target - to;
	return hop < copy->length &&
	       jump_of(copy->code + hop, copy->length - hop, to + hop) == in->target &&
	       jump_of(copy->code + is.length, copy->length - is.length, to + is.length) ==
		       from + in->length;
}

static bool is_same(const uint8_t *bytes, const struct arch_insn *in, uint64_t from,
		    const struct arch_copy *copy, uint64_t to)
{
	switch (in->flow) {
	case ARCH_FLOW_JUMP:
		return jump_of(copy->code, copy->length, to) == in->target;
	case ARCH_FLOW_BRANCH:
		return same_branch(in, from, copy, to);
	case ARCH_FLOW_CALL:
		return same_call(in, from, copy, to);
	case ARCH_FLOW_NEXT:
	case ARCH_FLOW_STOP:
		return same_plain(bytes, from, copy, to, in->length);
	default: /* the rest of a call's copy is executed by test_arch_native */
		return same_operand(bytes, from, copy, to, in->length);
	}
}

static bool leads_there(uint64_t from, uint64_t stub, uint64_t count, uint64_t copy)
{
	enum { JUMP_AT = 25 };
	uint8_t jump[RESIDENT_JUMP], code[RESIDENT_STUB];

	return !resident_jump(jump, from, stub) && !resident_make(code, stub, count, copy) &&
	       jump_of(jump, sizeof(jump), from) == stub &&
	       jump_of(code + JUMP_AT, RESIDENT_JUMP, stub + JUMP_AT) == copy;
}

/* Several instructions, each of whose copies continues in the next one's. */
enum { MOST = RESIDENT_JUMP, APART = 64 };
struct moved {
	struct arch_insn in[MOST];
	struct arch_copy copies[MOST];
	uint64_t from[MOST], to[MOST];
	size_t count;
};

/*
 * Returns NULL, or the reason for a rejection: the rules of source_movable() without the
 * function's.
 */
static const char *gather(const struct text *x, size_t at, struct moved *m)
{
	size_t end = at;

	for (m->count = 0; end < at + RESIDENT_JUMP; m->count++) {
		struct arch_insn *in = &m->in[m->count];

		if (m->count && in[-1].flow != ARCH_FLOW_NEXT)
			return "a jump or a call comes within the bytes that gatectl's jump needs";
		if (arch_decode(x->bytes + end, x->size - end, x->base + end, in) < 0 ||
		    in->is_trap)
			return "the next bytes are not an instruction, or are a trap";
		if (in->is_syscall)
			return "the next instruction is a system call, which the kernel may "
			       "restart";
		if (m->count && x->begins[end])
			return "a jump leads into the middle";
		m->from[m->count] = x->base + end;
		end += in->length;
	}
	return NULL;
}

static const char *move(const struct text *x, struct moved *m, uint64_t to)
{
	for (size_t i = 0; i < m->count; i++) {
		const size_t at = m->from[i] - x->base;
		const char *why = NULL;

		m->to[i] = to + i * APART;
		if (arch_relocate(x->bytes + at, x->size - at, m->from[i], m->to[i], &m->copies[i],
				  &why) != ARCH_DONE)
			return why ? why : "out of reach";
	}
	return NULL;
}

/* Checks each copy alone, before they are joined. */
static bool are_same(const struct text *x, struct moved *m)
{
	for (size_t i = 0; i < m->count; i++)
		if (!is_same(x->bytes + (m->from[i] - x->base), &m->in[i], m->from[i],
			     &m->copies[i], m->to[i]))
			return false;
	for (size_t i = 0; i + 1 < m->count; i++) {
		const uint8_t length = m->in[i].length;
		struct arch_copy *c = &m->copies[i];

		if (arch_copy_join(c, m->to[i], m->to[i + 1]) != ARCH_DONE ||
		    jump_of(c->code + length, c->length - length, m->to[i] + length) !=
			    m->to[i + 1])
			return false;
		arch_copy_join(c, m->to[i], m->from[i + 1]);
		if (!is_same(x->bytes + (m->from[i] - x->base), &m->in[i], m->from[i], c, m->to[i]))
			return false;
	}
	return true;
}

static void look_at(const struct text *x, size_t at, struct table *t)
{
	uint64_t from = x->base + at, to = x->base + x->size + FAR;
	struct moved m;
	const char *why;

	if (arch_decode(x->bytes + at, x->size - at, from, &m.in[0]) < 0)
		return;
	t->blocks++;
	why = gather(x, at, &m);
	if (!why)
		why = move(x, &m, to);
	if (why)
		refuse(t, why);
	else if (are_same(x, &m) && leads_there(from, to + 4096, to + 65536, to))
		t->moved++;
	else if (t->wrong++ < 5)
		print_error("0x%llx is moved wrongly\n", (unsigned long long)from);
}

static void look_through(struct modules *all, const char *path, struct table *t)
{
	struct section_data section;
	struct module *m;
	struct text x;
	uint64_t base;
	ERROR(err);

	m = modules_open(all, path, &err);
	assert_non_null(m);
	assert_true(module_loaded_section(m, ".text", &section, &base));
	x = (struct text){section.bytes, section.size, base, NULL};
	x.begins = calloc(x.size, sizeof(*x.begins));
	find_blocks(&x);
	for (size_t at = 0; at < x.size && t->blocks < t->most; at++)
		if (x.begins[at])
			look_at(&x, at, t);
	free(x.begins);
}

static void test_blocks(void **state)
{
	struct table t = {.most = file_count ? (unsigned long)-1 : SOME};
	struct modules *all = modules_new();

	(void)state;
	for (int i = 0; i < file_count; i++)
		look_through(all, file_names[i], &t);
	if (!file_count)
		look_through(all, "/lib/x86_64-linux-gnu/libc.so.6", &t);
	modules_free(all);
	for (size_t i = 0; file_count && i < REASONS && t.refused[i].why; i++)
		printf("%9lu  %s\n", t.refused[i].count, t.refused[i].why);
	if (file_count)
		printf("%9lu  moved\n%9lu  blocks\n", t.moved, t.blocks);
	assert_int_equal(t.wrong, 0);
	assert_true(t.moved > t.blocks / 10);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks)};

	file_count = argc - 1;
	file_names = argv + 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
