/*
 * Memory operands of each instruction of libc: their address by registers, and by lea executed at
 * another place. Zydis computes both addresses too.
 */
#include "tracer/arch/arch.h"
#include "tracer/elf/module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <Zydis/Zydis.h>

enum { AWAY = 1 << 20, PUSHED = 144, RSP = 7 };

/* rax rdx rcx rbx rsi rdi rbp rsp, in DWARF's order */
static const ZydisRegister names[8] = {ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RCX,
				       ZYDIS_REGISTER_RBX, ZYDIS_REGISTER_RSI, ZYDIS_REGISTER_RDI,
				       ZYDIS_REGISTER_RBP, ZYDIS_REGISTER_RSP};
static struct arch_regs regs;
static ZydisDecoder decoder;

static void fill_registers(ZydisRegisterContext *context)
{
	memset(context, 0, sizeof(*context));
	for (unsigned i = 0; i < 16; i++) {
		regs.dwarf[i] = 0x10000001u * (i + 1) + ((uint64_t)rand() << 12);
		context->values[i < 8 ? names[i] : ZYDIS_REGISTER_R8 + i - 8] = regs.dwarf[i];
	}
}

/* Zydis's address of the memory operand, of `lea` too. */
static bool witness(const uint8_t *bytes, size_t n, uint64_t addr,
		    const ZydisRegisterContext *context, uint64_t *out)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, n, &in, ops)))
		return false;
	for (unsigned i = 0; i < in.operand_count; i++)
		if (ops[i].type == ZYDIS_OPERAND_TYPE_MEMORY)
			return ZYAN_SUCCESS(
				ZydisCalcAbsoluteAddressEx(&in, &ops[i], addr, context, out));
	return false;
}

static void check(const uint8_t *bytes, size_t n, uint64_t addr, const struct arch_operand *op)
{
	uint8_t code[ARCH_LEA_MAX + ARCH_INSN_MAX] = {0};
	ZydisRegisterContext context;
	uint64_t expected, moved;
	unsigned length;

	fill_registers(&context);
	assert_true(witness(bytes, n, addr, &context, &expected));
	assert_int_equal(arch_operand_address(op, &regs), expected);
	length = arch_lea(bytes, n, addr, addr + AWAY, PUSHED, code);
	assert_true(length > 0 && length <= ARCH_LEA_MAX);
	context.values[ZYDIS_REGISTER_RSP] = regs.dwarf[RSP] - PUSHED;
	assert_true(witness(code, sizeof(code), addr + AWAY, &context, &moved));
	assert_int_equal(moved, expected);
}

static void test_of_libc(void **state)
{
	ERROR(err);
	struct modules *modules = modules_new();
	struct module *m = modules_open(modules, "/lib/x86_64-linux-gnu/libc.so.6", &err);
	unsigned long found = 0, none = 0;
	struct section_data section;
	const uint8_t *text;
	struct arch_insn in;
	uint64_t start, size;

	(void)state;
	assert_non_null(m);
	assert_true(module_loaded_section(m, ".text", &section, &start));
	text = section.bytes;
	size = section.size;
	for (uint64_t at = 0; at < size; at += in.length) {
		struct arch_operand op;

		if (arch_decode(text + at, size - at, start + at, &in) < 0) {
			in.length = 1;
			continue;
		}
		if (arch_operand(text + at, size - at, start + at, &op)) {
			check(text + at, size - at, start + at, &op);
			found++;
		} else {
			none++;
		}
	}
	print_message("%lu operands, %lu instructions without one\n", found, none);
	assert_true(found > 20000);
	modules_free(modules);
}

#define BYTES(text) (const uint8_t *)(text), sizeof(text) - 1

/* No memory operand, or an unsupported one. */
static void test_none(void **state)
{
	static const struct {
		const uint8_t *bytes;
		size_t n;
	} all[] = {
		{BYTES("\x48\x89\xc8")},		   /* mov %rcx,%rax */
		{BYTES("\x48\x8d\x08")},		   /* lea (%rax),%rcx */
		{BYTES("\xf3\x48\xa5")},		   /* rep movsq */
		{BYTES("\x50")},			   /* push %rax */
		{BYTES("\xff\x30")},			   /* push (%rax) */
		{BYTES("\xc4\xe2\x71\x92\x04\x90")},	   /* vgatherdps */
		{BYTES("\x64\x48\x8b\x04\x25\x28\0\0\0")}, /* mov %fs:0x28,%rax */
		{BYTES("\x67\x8b\x00")},		   /* mov (%eax),%eax */
		{BYTES("\xa1\0\0\0\0\0\0\0\0")},	   /* movabs 0,%eax */
	};
	struct arch_operand op;
	uint8_t code[ARCH_LEA_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		assert_false(arch_operand(all[i].bytes, all[i].n, 0x1000, &op));
		assert_int_equal(arch_lea(all[i].bytes, all[i].n, 0x1000, 0x2000, 0, code), 0);
	}
	/* The operand is out of reach from there: mov 0(%rip),%eax */
	assert_int_equal(arch_lea(BYTES("\x8b\x05\0\0\0\0"), 0x1000, 1ull << 33, 0, code), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_libc),
		cmocka_unit_test(test_none),
	};

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
