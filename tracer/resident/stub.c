/* Stubs that take arrivals from a count, and the use of the count by gatectl. */
#include "tracer/resident/resident.h"

#include <stddef.h>
#include <string.h>

/* ---- the code ------------------------------------------------------------------------------- */

/* The distances of the count (twice) and of the copy are filled in. */
static const uint8_t stub[RESIDENT_STUB] = {
	0x48, 0x8d, 0x64, 0x24, 0x80,			/*  0: lea -128(%rsp), %rsp */
	0x9c,						/*  5: pushfq */
	0xf0, 0x48, 0xff, 0x0d, 0,    0,    0,	  0,	/*  6: lock decq count(%rip) */
	0x78, 0x0e,					/* 14: js 30 */
	0x9d,						/* 16: popfq */
	0x48, 0x8d, 0xa4, 0x24, 0x80, 0x00, 0x00, 0x00, /* 17: lea 128(%rsp), %rsp */
	0xe9, 0,    0,	  0,	0,			/* 25: jmp copy */
	0xf0, 0x48, 0xff, 0x05, 0,    0,    0,	  0,	/* 30: lock incq count(%rip) */
	0x9d,						/* 38: popfq */
	0x48, 0x8d, 0xa4, 0x24, 0x80, 0x00, 0x00, 0x00, /* 39: lea 128(%rsp), %rsp */
	0xcc,						/* 47: int3 */
};
enum { TAKE = 10, TAKE_END = 14, COPY = 26, COPY_END = 30, PUT = 34, PUT_END = 38, BRANCH = 14 };

static const struct resident_point points[] = {
	{0, 0, RESIDENT_BEFORE},
	{5, 128, RESIDENT_BEFORE},
	{6, RESIDENT_PUSHED, RESIDENT_BEFORE},
	{BRANCH, RESIDENT_PUSHED, RESIDENT_TAKEN},
	{16, RESIDENT_PUSHED, RESIDENT_TAKEN},
	{17, 128, RESIDENT_TAKEN},
	{25, 0, RESIDENT_TAKEN},
	{30, RESIDENT_PUSHED, RESIDENT_VAIN},
	{38, RESIDENT_PUSHED, RESIDENT_TRAP},
	{39, 128, RESIDENT_TRAP},
	{RESIDENT_AT_TRAP, 0, RESIDENT_TRAP},
};

/* The distances of `only`, of the count and of the copy are filled in. */
static const uint8_t stub_for_others[RESIDENT_STUB_FOR_OTHERS] = {
	0x48, 0x8d, 0x64, 0x24, 0x80,			/*  0: lea -128(%rsp), %rsp */
	0x9c,						/*  5: pushfq */
	0x50,						/*  6: push %rax */
	0x31, 0xc0,					/*  7: xor %eax, %eax */
	0x64, 0x8b, 0x00,				/*  9: mov %fs:(%rax), %eax */
	0x3b, 0x05, 0,	  0,	0,    0,		/* 12: cmp only(%rip), %eax */
	0x74, 0x20,					/* 18: je 52 */
	0x48, 0x8d, 0x05, 0,	0,    0,    0,		/* 20: lea count(%rip), %rax */
	0xf0, 0x48, 0xff, 0x08,				/* 27: lock decq (%rax) */
	0x78, 0x0f,					/* 31: js 48 */
	0x58,						/* 33: pop %rax */
	0x9d,						/* 34: popfq */
	0x48, 0x8d, 0xa4, 0x24, 0x80, 0x00, 0x00, 0x00, /* 35: lea 128(%rsp), %rsp */
	0xe9, 0,    0,	  0,	0,			/* 43: jmp copy */
	0xf0, 0x48, 0xff, 0x00,				/* 48: lock incq (%rax) */
	0x58,						/* 52: pop %rax */
	0x9d,						/* 53: popfq */
	0x48, 0x8d, 0xa4, 0x24, 0x80, 0x00, 0x00, 0x00, /* 54: lea 128(%rsp), %rsp */
	0xcc,						/* 62: int3 */
};

enum { RAX_PUSHED = RESIDENT_PUSHED + 8, BRANCH_FOR_OTHERS = 31 };

static const struct resident_point points_for_others[] = {
	{0, 0, RESIDENT_BEFORE},
	{5, 128, RESIDENT_BEFORE},
	{6, RESIDENT_PUSHED, RESIDENT_BEFORE},
	{7, RAX_PUSHED, RESIDENT_BEFORE},
	{9, RAX_PUSHED, RESIDENT_BEFORE},
	{12, RAX_PUSHED, RESIDENT_BEFORE},
	{18, RAX_PUSHED, RESIDENT_BEFORE},
	{20, RAX_PUSHED, RESIDENT_BEFORE},
	{27, RAX_PUSHED, RESIDENT_BEFORE},
	{BRANCH_FOR_OTHERS, RAX_PUSHED, RESIDENT_TAKEN},
	{33, RAX_PUSHED, RESIDENT_TAKEN},
	{34, RESIDENT_PUSHED, RESIDENT_TAKEN},
	{35, 128, RESIDENT_TAKEN},
	{43, 0, RESIDENT_TAKEN},
	{48, RAX_PUSHED, RESIDENT_VAIN},
	{52, RAX_PUSHED, RESIDENT_TRAP},
	{53, RESIDENT_PUSHED, RESIDENT_TRAP},
	{54, 128, RESIDENT_TRAP},
	{RESIDENT_AT_TRAP_FOR_OTHERS, 0, RESIDENT_TRAP},
};

int resident_distance(uint8_t *where, uint64_t end, uint64_t tracee)
{
	int64_t distance = (int64_t)(tracee - end);
	int32_t rel = (int32_t)distance;

	memcpy(where, &rel, sizeof(rel));
	return rel == distance ? 0 : -1;
}

int resident_make(uint8_t code[RESIDENT_STUB], uint64_t at, uint64_t count, uint64_t copy)
{
	memcpy(code, stub, sizeof(stub));
	return resident_distance(code + TAKE, at + TAKE_END, count) < 0 ||
			       resident_distance(code + COPY, at + COPY_END, copy) < 0 ||
			       resident_distance(code + PUT, at + PUT_END, count) < 0
		       ? -1
		       : 0;
}

int resident_make_for_others(uint8_t code[RESIDENT_STUB_FOR_OTHERS], uint64_t at, uint64_t count,
			     uint64_t copy)
{
	uint64_t only = count + offsetof(struct resident_count, only);

	memcpy(code, stub_for_others, sizeof(stub_for_others));
	return resident_distance(code + 14, at + 18, only) < 0 ||
			       resident_distance(code + 23, at + 27, count) < 0 ||
			       resident_distance(code + 44, at + 48, copy) < 0
		       ? -1
		       : 0;
}

int resident_jump(uint8_t code[RESIDENT_JUMP], uint64_t at, uint64_t to)
{
	code[0] = 0xe9;
	return resident_distance(code + 1, at + RESIDENT_JUMP, to);
}

static bool point_of(const struct resident_point *list, size_t count, uint64_t offset,
		     struct resident_point *out)
{
	for (size_t i = 0; i < count; i++)
		if (list[i].at == offset) {
			*out = list[i];
			return true;
		}
	return false;
}

bool resident_point(uint64_t offset, bool negative, struct resident_point *out)
{
	if (!point_of(points, sizeof(points) / sizeof(*points), offset, out))
		return false;
	if (offset == BRANCH && negative)
		out->where = RESIDENT_VAIN;
	return true;
}

bool resident_point_for_others(uint64_t offset, bool negative, struct resident_point *out)
{
	if (!point_of(points_for_others, sizeof(points_for_others) / sizeof(*points_for_others),
		      offset, out))
		return false;
	if (offset == BRANCH_FOR_OTHERS && negative)
		out->where = RESIDENT_VAIN;
	return true;
}

/* ---- the count, used by gatectl -------------------------------------------------------------- */

int64_t resident_left(const struct resident_count *c)
{
	int64_t left = atomic_load(&c->left);

	return left > 0 ? left : 0;
}

int64_t resident_reclaim(struct resident_count *c)
{
	int64_t left = atomic_load(&c->left);

	while (left > 0 && !atomic_compare_exchange_weak(&c->left, &left, 0))
		;
	return left > 0 ? left : 0;
}

bool resident_give(struct resident_count *c, int64_t n)
{
	int64_t left = atomic_load(&c->left);

	while (left >= 0 && !atomic_compare_exchange_weak(&c->left, &left, left + n))
		;
	return left >= 0;
}

void resident_put_back(struct resident_count *c)
{
	atomic_fetch_add(&c->left, 1);
}
