/* Registers and words that decide a branch: small pieces of code as compilers emit them. */
#include "tracer/arch/arch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R12 = 12 };
enum { ALL = 0xffff, BASE = 0x1000 };

struct code {
	const uint8_t *bytes;
	size_t n;
};

static size_t read_code(void *ctx, uint64_t addr, void *buf, size_t n)
{
	const struct code *c = ctx;
	size_t at = addr - BASE;

	if (addr < BASE || at >= c->n)
		return 0;
	n = n < c->n - at ? n : c->n - at;
	memcpy(buf, c->bytes + at, n);
	return n;
}

#define DECIDES(text, known, out)                                                                  \
	do {                                                                                       \
		struct code code_ = {(const uint8_t *)(text), sizeof(text) - 1};                   \
		arch_decides(BASE, known, read_code, &code_, out);                                 \
	} while (0)

/* True if the word at base + offset decides a branch. */
static bool has_word(const struct arch_decides *d, unsigned base, int64_t offset)
{
	for (int i = 0; i < ARCH_DECIDES_WORDS; i++)
		if ((d->words >> i & 1) && d->word[i].base == base && d->word[i].offset == offset)
			return true;
	return false;
}

/* for (; i < n; i++) */
static void test_counter_in_register(void **state)
{
	struct arch_decides d;

	(void)state;
	/* add rbx,1; cmp rbx,r12; jl -9; ret */
	DECIDES("\x48\x83\xc3\x01\x4c\x39\xe3\x7c\xf7\xc3", ALL, &d);
	assert_int_equal(d.registers, 1 << RBX | 1 << R12);
	assert_int_equal(d.words, 0);
	DECIDES("\x48\x83\xc3\x01\x4c\x39\xe3\x7c\xf7\xc3", 1 << RBX, &d);
	assert_int_equal(d.registers, 1 << RBX);
}

/* Loops, with and without a branch that can end them. */
static void test_loops(void **state)
{
	struct arch_decides d;

	(void)state;
	/* add rbx,1; cmp rbx,r12; jl -9; ret */
	DECIDES("\x48\x83\xc3\x01\x4c\x39\xe3\x7c\xf7\xc3", ALL, &d);
	assert_true(d.loops && d.branches && d.loop_low == BASE && d.loop_high == BASE + 7);
	/* add rbx,1; cmp rbx,r12; jl +1; nop; ret */
	DECIDES("\x48\x83\xc3\x01\x4c\x39\xe3\x7c\x01\x90\xc3", ALL, &d);
	assert_true(!d.loops && d.branches);
	/* add rbx,1; jmp -6 */
	DECIDES("\x48\x83\xc3\x01\xeb\xfa", ALL, &d);
	assert_true(d.loops && !d.branches);
	/* add rbx,1; ret */
	DECIDES("\x48\x83\xc3\x01\xc3", ALL, &d);
	assert_true(!d.loops && !d.branches);
}

/* From between comparison and branch: the words of the next round's comparison decide. */
static void test_from_the_branch(void **state)
{
	struct arch_decides d;

	(void)state;
	/* jge +15; add qword [rsp-8],1; mov rdx,[rsp-8]; cmp rdx,rcx; jmp -19; ret */
	DECIDES("\x7d\x10\x48\x83\x44\x24\xf8\x01\x48\x8b\x54\x24\xf8\x48\x39\xca\xeb\xee\xc3", ALL,
		&d);
	assert_true(has_word(&d, RSP, -8));
	assert_int_equal(d.registers, 1 << RCX);
	/* ucomisd xmm0,[rsp-8]; jb +8; movsd xmm0,[rsp-16]; jmp -16; ret */
	DECIDES("\x66\x0f\x2e\x44\x24\xf8\x72\x08\xf2\x0f\x10\x44\x24\xf0\xeb\xf0\xc3", ALL, &d);
	assert_true(has_word(&d, RSP, -8));
	assert_true(has_word(&d, RSP, -16));
}

/* while (flag == 0) retries++; */
static void test_counter_that_decides_nothing(void **state)
{
	struct arch_decides d;

	(void)state;
	/* add dword [rbp-4],1; mov eax,[rbp-8]; test eax,eax; je -11; ret */
	DECIDES("\x83\x45\xfc\x01\x8b\x45\xf8\x85\xc0\x74\xf5\xc3", ALL, &d);
	assert_int_equal(d.registers, 0);
	assert_true(has_word(&d, RBP, -8));
	assert_false(has_word(&d, RBP, -4));
}

/* while (p->next->done) */
static void test_through_pointers(void **state)
{
	struct arch_decides d;

	(void)state;
	/* mov rax,[rbp-8]; mov rax,[rax+16]; cmp dword [rax+4],0; jne -14; ret */
	DECIDES("\x48\x8b\x45\xf8\x48\x8b\x40\x10\x83\x78\x04\x00\x75\xf2\xc3", ALL, &d);
	assert_int_equal(d.registers, 0);
	assert_int_equal(d.words, 1u << 2);
	assert_int_equal(d.word[0].base, RBP);
	assert_int_equal(d.word[1].base, ARCH_FROM_WORD + 0);
	assert_int_equal(d.word[1].offset, 16);
	assert_int_equal(d.word[2].base, ARCH_FROM_WORD + 1);
	assert_int_equal(d.word[2].size, 4);
}

/* The result of an indirect call is unknown, and the call may change its caller-saved registers. */
static void test_behind_call(void **state)
{
	struct arch_decides d;

	(void)state;
	/* call rax; test eax,eax; jne; cmp ecx,1; je; cmp rbx,1; je; nop; ret */
	DECIDES("\xff\xd0\x85\xc0\x75\x0c\x83\xf9\x01\x74\x07\x48\x83\xfb\x01\x74\x01\x90\xc3", ALL,
		&d);
	assert_int_equal(d.registers, 1 << RBX);
}

/* while (more()) work(); with  more() { return i < 9; } */
static void test_inside_call(void **state)
{
	struct arch_decides d;

	(void)state;
	/* call +5; test eax,eax; jne -9; ret; xor eax,eax; cmp dword [rip+16],9; setl al; ret */
	DECIDES("\xe8\x05\x00\x00\x00\x85\xc0\x75\xf7\xc3"
		"\x31\xc0\x83\x3d\x10\x00\x00\x00\x09\x0f\x9c\xc0\xc3",
		ALL, &d);
	assert_int_equal(d.words, 1);
	assert_int_equal(d.word[0].offset, BASE + 19 + 16);
	/* the called function alone: whether its result decides is up to the caller */
	DECIDES("\x31\xc0\x83\x3d\x10\x00\x00\x00\x09\x0f\x9c\xc0\xc3", ALL, &d);
	assert_int_equal(d.words, 0);
	assert_int_equal(d.result_words, 1);
}

/* An element of a table: its index decides. */
static void test_table(void **state)
{
	struct arch_decides d;

	(void)state;
	/* imul ecx,ecx,3; mov edx,[rsi+rcx*4]; test edx,edx; jne -10; ret */
	DECIDES("\x6b\xc9\x03\x8b\x14\x8e\x85\xd2\x75\xf6\xc3", ALL, &d);
	assert_true(d.registers & 1 << RCX);
	assert_false(d.registers & 1 << RAX);
	/* rep movsb; ret */
	DECIDES("\xf3\xa4\xc3", ALL, &d);
	assert_int_equal(d.registers, 1 << RCX);
}

static void test_any_bytes(void **state)
{
	uint8_t bytes[64];

	(void)state;
	srand(11);
	for (int i = 0; i < 20000; i++) {
		struct code code = {bytes, sizeof(bytes)};
		struct arch_decides d;

		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)rand();
		arch_decides(BASE, ALL, read_code, &code, &d);
		for (int k = 0; k < ARCH_DECIDES_WORDS; k++) {
			uint8_t base = d.word[k].base;

			assert_true(base < 16 || base == ARCH_FROM_NOTHING ||
				    base - ARCH_FROM_WORD < k);
			assert_true(d.word[k].size <= 8);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counter_in_register),
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_from_the_branch),
		cmocka_unit_test(test_counter_that_decides_nothing),
		cmocka_unit_test(test_through_pointers),
		cmocka_unit_test(test_behind_call),
		cmocka_unit_test(test_inside_call),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
