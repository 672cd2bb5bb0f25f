/* Stubs of leases, and the code that they share. */
#include "tracer/resident/resident.h"

#include <string.h>

/* ---- the shared code ------------------------------------------------------------------------- */

#define TEXT_(x) #x
#define TEXT(x)	 TEXT_(x)

/* Offsets for the assembler, which needs plain numbers; the assertions check them. */
#define GRANTED	  1024
#define TAKEN	  1028
#define OTHERS	  1032
#define ELSEWHERE 1096
#define ARRIVALS  1120
#define ARRIVAL	  160
#define HAS(field, number)                                                                         \
	_Static_assert(offsetof(struct granted, field) == (number), "the assembler's number")
HAS(granted, GRANTED);
HAS(taken, TAKEN);
HAS(others, OTHERS);
HAS(elsewhere, ELSEWHERE);
HAS(arrivals, ARRIVALS);
_Static_assert(sizeof(struct granted_arrival) == ARRIVAL, "the assembler's number");

/* clang-format off */
#define OTHER(i) "	cmp " TEXT(OTHERS) "+8*" #i "(%rdx), %rax\n	je 3f\n"
#define KEEP(reg, field) "	mov %" #reg ", 8*" #field "(%rcx)\n"

/*
 * Called with the object in rax; on the stack: return address, rax, flags, red zone. Returns with
 * the zero flag set if the arrival is granted; only rax and the flags are changed. The labels are
 * points. Stubs of own places call granted_begin, the others granted_elsewhere.
 */
__asm__(".pushsection .rodata\n"
	"granted_begin:\n"
	"	push %rcx\n"
	"granted_p1:\n"
	"	push %rdx\n"
	"granted_p2:\n"
	"	lea granted_begin(%rip), %rdx\n"
	"	mov " TEXT(TAKEN) "(%rdx), %ecx\n"
	"	cmp " TEXT(GRANTED) "(%rdx), %ecx\n"
	"	jae 3f\n"
	OTHER(0) OTHER(1) OTHER(2) OTHER(3) OTHER(4) OTHER(5) OTHER(6) OTHER(7)
	"	imul $" TEXT(ARRIVAL) ", %rcx, %rcx\n"
	"	lea " TEXT(ARRIVALS) "(%rdx,%rcx), %rcx\n"
	KEEP(rax, 1)
	"	mov 16(%rsp), %rax\n"
	KEEP(rax, 0)
	"	mov 32(%rsp), %rax\n"
	KEEP(rax, 2)
	"	lea 168(%rsp), %rax\n"
	KEEP(rax, 3)
	"	mov 24(%rsp), %rax\n"
	KEEP(rax, 4)
	KEEP(rbx, 5)
	"	mov 8(%rsp), %rax\n"
	KEEP(rax, 6)
	"	mov (%rsp), %rax\n"
	KEEP(rax, 7)
	KEEP(rsi, 8) KEEP(rdi, 9) KEEP(rbp, 10)
	KEEP(r8, 11) KEEP(r9, 12) KEEP(r10, 13) KEEP(r11, 14)
	KEEP(r12, 15) KEEP(r13, 16) KEEP(r14, 17) KEEP(r15, 18)
	"	mov 168(%rsp), %rax\n"
	KEEP(rax, 19)
	"	incl " TEXT(TAKEN) "(%rdx)\n"
	"granted_taken:\n"
	"	cmp %eax, %eax\n"
	"	pop %rdx\n"
	"granted_t1:\n"
	"	pop %rcx\n"
	"granted_t2:\n"
	"	ret\n"
	"granted_refused:\n"
	"3:	test %rsp, %rsp\n"
	"	pop %rdx\n"
	"granted_r1:\n"
	"	pop %rcx\n"
	"granted_r2:\n"
	"	ret\n"
	"granted_elsewhere:\n"
	"	subq $1, granted_begin+" TEXT(ELSEWHERE) "(%rip)\n"
	"	jae granted_begin\n"
	"	movq $0, granted_begin+" TEXT(ELSEWHERE) "(%rip)\n"
	"	test %rsp, %rsp\n"
	"	ret\n"
	"granted_end:\n"
	".popsection\n");
/* clang-format on */

extern const uint8_t granted_begin[], granted_p1[], granted_p2[], granted_taken[], granted_t1[],
	granted_t2[], granted_refused[], granted_r1[], granted_r2[], granted_elsewhere[],
	granted_end[];

void granted_code(struct granted *g)
{
	memcpy(g->code, granted_begin, (size_t)(granted_end - granted_begin));
}

/* Each entry holds from its label to the next one. */
bool granted_code_point(uint64_t offset, struct resident_point *out)
{
	enum { CALLED = GRANTED_PUSHED + 8 };
	const struct {
		const uint8_t *from;
		uint8_t pushed;
		enum resident_where where;
	} parts[] = {
		{granted_elsewhere, CALLED, RESIDENT_BEFORE},
		{granted_r2, CALLED, RESIDENT_BEFORE},
		{granted_r1, CALLED + 8, RESIDENT_BEFORE},
		{granted_refused, CALLED + 16, RESIDENT_BEFORE},
		{granted_t2, CALLED, RESIDENT_TAKEN},
		{granted_t1, CALLED + 8, RESIDENT_TAKEN},
		{granted_taken, CALLED + 16, RESIDENT_TAKEN},
		{granted_p2, CALLED + 16, RESIDENT_BEFORE},
		{granted_p1, CALLED + 8, RESIDENT_BEFORE},
		{granted_begin, CALLED, RESIDENT_BEFORE},
	};

	if (offset >= (uint64_t)(granted_end - granted_begin))
		return false;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (granted_begin + offset >= parts[i].from) {
			*out = (struct resident_point){0, parts[i].pushed, parts[i].where};
			return true;
		}
	return false;
}

/* ---- the stub ------------------------------------------------------------------------------- */

enum { CALL = 15, GRANTED_JUMP = 32, REFUSED = 37 };

static const uint8_t stub[GRANTED_STUB] = {
	0x48, 0x8d, 0x64, 0x24, 0x80,			      /*  0: lea -128(%rsp), %rsp */
	0x9c,						      /*  5: pushfq */
	0x50,						      /*  6: push %rax */
	0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90,	      /*  7: lea operand, %rax */
	0xe8, 0,    0,	  0,	0,			      /* 15: call the code */
	0x75, 0x0f,					      /* 20: jne 37 */
	0x58,						      /* 22: pop %rax */
	0x9d,						      /* 23: popfq */
	0x48, 0x8d, 0xa4, 0x24, 0x80, 0x00, 0x00, 0x00,	      /* 24: lea 128(%rsp), %rsp */
	0xe9, 0,    0,	  0,	0,			      /* 32: jmp copy */
	0x58,						      /* 37: pop %rax */
	0x9d,						      /* 38: popfq */
	0x48, 0x8d, 0xa4, 0x24, 0x80, 0x00, 0x00, 0x00, 0xcc, /* 39: lea, int3 */
};

static const struct resident_point points[] = {
	{0, 0, RESIDENT_BEFORE},
	{5, 128, RESIDENT_BEFORE},
	{6, 136, RESIDENT_BEFORE},
	{22, GRANTED_PUSHED, RESIDENT_TAKEN},
	{23, 136, RESIDENT_TAKEN},
	{24, 128, RESIDENT_TAKEN},
	{GRANTED_JUMP, 0, RESIDENT_TAKEN},
	{REFUSED, GRANTED_PUSHED, RESIDENT_BEFORE},
	{38, 136, RESIDENT_BEFORE},
	{39, 128, RESIDENT_BEFORE},
	{RESIDENT_AT_TRAP, 0, RESIDENT_TRAP},
};

int granted_make(uint8_t code[GRANTED_STUB], uint64_t at, uint64_t base, uint64_t copy,
		 const uint8_t *lea, size_t length, bool own)
{
	uint64_t entry = base + (own ? 0 : (uint64_t)(granted_elsewhere - granted_begin));

	memcpy(code, stub, sizeof(stub));
	memcpy(code + GRANTED_AT_LEA, lea, length);
	return resident_distance(code + CALL + 1, at + CALL + 5, entry) < 0 ||
			       resident_distance(code + GRANTED_JUMP + 1, at + GRANTED_JUMP + 5,
						 copy) < 0
		       ? -1
		       : 0;
}

bool granted_stub_point(uint64_t offset, bool zero, struct resident_point *out)
{
	if (offset >= GRANTED_AT_LEA && offset <= GRANTED_RETURNS) {
		*out = (struct resident_point){(uint8_t)offset, GRANTED_PUSHED, RESIDENT_BEFORE};
		if (offset == GRANTED_RETURNS && zero)
			out->where = RESIDENT_TAKEN;
		return true;
	}
	for (size_t i = 0; i < sizeof(points) / sizeof(*points); i++)
		if (points[i].at == offset) {
			*out = points[i];
			return true;
		}
	return false;
}
