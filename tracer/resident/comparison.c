/* Makes the code of comparisons: a variable is loaded into rax, and compared with a constant. */
#include "tracer/resident/resident.h"

#include <string.h>

/* Start of the first comparison, as of the stub: passes the red zone, saves the flags and rax, the
   only register that is used. */
static const uint8_t front[] = {
	0x48, 0x8d, 0x64, 0x24, 0x80, /* 0: lea -128(%rsp), %rsp */
	0x9c,			      /* 5: pushfq */
	0x50,			      /* 6: push %rax */
};
enum { PUSHED = RESIDENT_PUSHED + 8, RAX = 0, RSP = 4, RIP = 5, WIDE = 0x48, HIGH = 1 };

/* ModRM and SIB bytes (Intel SDM, volume 2, 2.1.5). */
enum { NO_DISPLACEMENT = 0x00, NEAR = 0x40, FAR = 0x80, DIRECT = 0xc0, SIB_RSP = 0x24 };

struct code {
	uint8_t *bytes;
	size_t length;
	uint64_t at;
	bool failed;
};

/* Returns false if the code would be longer than its room. */
static bool has_room(struct code *c, size_t n)
{
	c->failed |= c->length + n > RESIDENT_COMPARISON_ROOM;
	return !c->failed;
}

static void comparison_put(struct code *c, const void *bytes, size_t n)
{
	if (!has_room(c, n))
		return;
	memcpy(c->bytes + c->length, bytes, n);
	c->length += n;
}

static void put_byte(struct code *c, unsigned byte)
{
	comparison_put(c, &(uint8_t){(uint8_t)byte}, 1);
}

static bool is_near(int64_t number)
{
	return (int32_t)number == number;
}

static void put_number(struct code *c, int64_t number)
{
	int32_t n = (int32_t)number;

	c->failed |= !is_near(number);
	comparison_put(c, &n, sizeof(n));
}

static void put_distance(struct code *c, uint64_t tracee)
{
	if (!has_room(c, 4))
		return;
	c->failed |= resident_distance(c->bytes + c->length, c->at + c->length + 4, tracee) < 0;
	c->length += 4;
}

static unsigned processors_number(unsigned dwarf)
{
	static const uint8_t numbers[] = {0, 2, 1, 3, 6, 7, 5, 4};

	return dwarf < sizeof(numbers) ? numbers[dwarf] : dwarf;
}

/* Emits the opcode of a load into rax, with the sign if it has one: movzx, movsx, movsxd, mov. */
static void put_load(struct code *c, const struct resident_comparison *t, unsigned high)
{
	static const uint8_t opcodes[][2] = {{0xb6, 0xbe}, {0xb7, 0xbf}};

	if (t->size == 4 && !t->is_signed) {
		if (high)
			put_byte(c, 0x40 | HIGH);
		put_byte(c, 0x8b);
		return;
	}
	put_byte(c, WIDE | (high ? HIGH : 0));
	if (t->size < 4) {
		put_byte(c, 0x0f);
		put_byte(c, opcodes[t->size - 1][t->is_signed]);
	} else {
		put_byte(c, t->size == 4 ? 0x63 : 0x8b);
	}
}

static void put_from_stack(struct code *c, const struct resident_comparison *t, int64_t add)
{
	put_load(c, t, 0);
	put_byte(c, FAR | RSP);
	put_byte(c, SIB_RSP);
	put_number(c, add);
}

/* Emits a load from `add` bytes after the address in rax. */
static void put_from_there(struct code *c, const struct resident_comparison *t, int64_t add)
{
	put_load(c, t, 0);
	if ((int8_t)add == add) {
		put_byte(c, NEAR | RAX);
		put_byte(c, (uint8_t)add);
	} else {
		put_byte(c, FAR | RAX);
		put_number(c, add);
	}
}

static void put_variable(struct code *c, const struct resident_comparison *t)
{
	unsigned reg = processors_number(t->reg), high = reg >> 3;

	if (t->kind == RESIDENT_AT_ADDRESS) {
		put_load(c, t, 0);
		put_byte(c, NO_DISPLACEMENT | RIP);
		put_distance(c, (uint64_t)t->add);
	} else if (t->kind == RESIDENT_IN_REGISTER && reg == RAX) {
		put_from_stack(c, t, 0); /* rax may be in use; its value is on the stack */
	} else if (t->kind == RESIDENT_IN_REGISTER) {
		c->failed |= reg == RSP;
		put_load(c, t, high);
		put_byte(c, DIRECT | (reg & 7));
	} else if (reg == RSP) {
		put_from_stack(c, t, t->add + PUSHED);
	} else {
		c->failed |= reg == RAX || (reg & 7) == RSP;
		put_load(c, t, high);
		put_byte(c, FAR | (reg & 7));
		put_number(c, t->add);
	}
}

static void put_operand(struct code *c, const struct resident_comparison *t)
{
	struct resident_comparison pointer = *t;

	pointer.size = sizeof(uint64_t);
	put_variable(c, t->hops ? &pointer : t);
	for (unsigned i = 0; i < t->hops; i++)
		put_from_there(c, i + 1 < t->hops ? &pointer : t, t->hop[i]);
}

/*
 * Emits an operation on rax with a number: an immediate if it fits in 32 bits with sign, else a
 * constant after the code, of which `left` bytes are still to be emitted.
 */
enum { AND, COMPARE };
static void put_with(struct code *c, unsigned what, int64_t number, size_t left)
{
	static const uint8_t near[] = {0x25, 0x3d}, far[] = {0x23, 0x3b};

	put_byte(c, WIDE);
	put_byte(c, is_near(number) ? near[what] : far[what]);
	if (is_near(number)) {
		put_number(c, number);
		return;
	}
	put_byte(c, NO_DISPLACEMENT | RIP);
	put_distance(c, c->at + c->length + 4 + left);
}

int resident_make_comparison(uint8_t code[RESIDENT_COMPARISON_ROOM], uint64_t at, bool first,
			     const struct resident_comparison *test, uint64_t yes, uint64_t no)
{
	enum { JUMPS = 6 + 5, COMPARE_NEAR = 6, COMPARE_FAR = 7 };
	static const uint8_t jumps[][5] = {
		{0x84, 0x8c, 0x8e, 0x8f, 0x8d},	 /* je, jl, jle, jg, jge */
		{0x84, 0x82, 0x86, 0x87, 0x83}}; /* je, jb, jbe, ja, jae */
	struct code c = {.bytes = code, .at = at};
	bool near = is_near(test->constant);

	if (first)
		comparison_put(&c, front, sizeof(front));
	put_operand(&c, test);
	if (test->mask != -1)
		put_with(&c, AND, test->mask,
			 JUMPS + (near ? COMPARE_NEAR : COMPARE_FAR + sizeof(test->constant)));
	put_with(&c, COMPARE, test->constant, JUMPS);
	comparison_put(&c, (const uint8_t[]){0x0f, jumps[test->is_unsigned][test->compare]}, 2);
	put_distance(&c, yes);
	put_byte(&c, 0xe9); /* jmp no */
	put_distance(&c, no);
	if (!near)
		comparison_put(&c, &test->constant, sizeof(test->constant));
	if (!is_near(test->mask))
		comparison_put(&c, &test->mask, sizeof(test->mask));
	return c.failed ? -1 : (int)c.length;
}

void resident_point_comparison(uint64_t offset, bool first, struct resident_point *out)
{
	static const uint8_t pushed[] = {0, 0, 0, 0, 0, 128, RESIDENT_PUSHED};

	*out = (struct resident_point){.at = (uint8_t)offset,
				       .pushed = first && offset < sizeof(pushed) ? pushed[offset]
										  : PUSHED,
				       .where = RESIDENT_BEFORE};
}
