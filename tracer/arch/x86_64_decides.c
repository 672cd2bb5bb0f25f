/*
 * x86-64: arch_decides(). Each register and word has a mask of the values that it was computed
 * from. An instruction merges the masks of what it reads into what it writes, flags included; a
 * branch depends on the mask of its flags.
 */
#include "tracer/arch/x86_64.h"

#include <string.h>

enum { GENERAL = 16, VECTORS = 16, MOST_INSTRUCTIONS = 1000, MOST_PATHS = 48, MOST_CALLS = 3 };
enum { SEEN = 2048 }; /* hash table with more entries than MOST_INSTRUCTIONS */
/*
 * Visits of an instruction: a start in a loop, after the load that its branch depends on, sees that
 * dependence only in the second round.
 */
enum { ROUNDS = 2 };

/* The value in a register: that of a register or word at the start, plus `more`. */
struct held {
	uint8_t from; /* see struct arch_word */
	int64_t more;
};

/* A call that is followed, and the state that its return restores. */
struct caller {
	uint64_t next;
	uint64_t general[GENERAL];
	struct held held[GENERAL];
};

/* State at one point of a path. */
struct path {
	uint64_t pc;
	uint64_t general[GENERAL], vector[VECTORS], flags;
	uint64_t word[ARCH_DECIDES_WORDS];
	struct held held[GENERAL];
	struct caller callers[MOST_CALLS];
	unsigned calls;
	bool called;	    /* the previous instruction was a call */
	uint64_t low, high; /* lowest and highest address passed in the point's function */
	uint64_t written;   /* words that were overwritten, as bits */
};

struct decides_search {
	struct arch_decides *out;
	size_t count;	/* number of words in out->word */
	uint64_t start; /* address of the point */
	uint64_t decides, result;
	struct path paths[MOST_PATHS];
	size_t waiting;
	uint64_t seen[SEEN];
	uint8_t times[SEEN]; /* visits of each */
	size_t seen_count;
};

/* ---- registers and words --------------------------------------------------------------------- */

static uint64_t *mask_of_register(struct path *p, ZydisRegister reg, uint8_t *number)
{
	/* by the number in the encoding: rax rcx rdx rbx rsp rbp rsi rdi */
	static const uint8_t dwarf[8] = {0, 2, 1, 3, 7, 6, 4, 5};
	ZydisRegister large = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
	ZyanI8 id = ZydisRegisterGetId(large);

	*number = ARCH_FROM_NOTHING;
	if (id < 0 || id > 15)
		return NULL;
	switch (ZydisRegisterGetClass(large)) {
	case ZYDIS_REGCLASS_GPR64:
		*number = id < 8 ? dwarf[id] : (uint8_t)id;
		return &p->general[*number];
	case ZYDIS_REGCLASS_XMM:
	case ZYDIS_REGCLASS_YMM:
	case ZYDIS_REGCLASS_ZMM:
		return &p->vector[id];
	default:
		return NULL;
	}
}

static uint64_t read_register(struct path *p, ZydisRegister reg)
{
	uint8_t number;
	const uint64_t *mask = mask_of_register(p, reg, &number);

	return mask ? *mask : 0;
}

static struct held held_by(struct path *p, ZydisRegister reg)
{
	uint8_t number;

	if (!mask_of_register(p, reg, &number) || number == ARCH_FROM_NOTHING)
		return (struct held){ARCH_FROM_NOTHING, 0};
	return p->held[number];
}

/* Finds which value of the start the register holds. Returns false if it was computed, so that the
   address is not known at the start. */
static bool address_part(struct path *p, ZydisRegister reg, uint8_t scale, uint8_t *out,
			 int64_t *offset)
{
	struct held held;

	*out = ARCH_FROM_NOTHING;
	if (reg == ZYDIS_REGISTER_NONE)
		return true;
	held = held_by(p, reg);
	*out = held.from;
	*offset += held.more * scale;
	return held.from != ARCH_FROM_NOTHING;
}

static bool same_word(const struct arch_word *a, const struct arch_word *b)
{
	return a->base == b->base && a->index == b->index && a->scale == b->scale &&
	       a->size == b->size && a->offset == b->offset;
}

/* Returns the mask of the word that the operand addresses, or NULL. */
static uint64_t *mask_of_memory(struct decides_search *s, struct path *p,
				const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op)
{
	struct arch_word word = {.scale = op->mem.scale, .offset = op->mem.disp.value};
	bool of_code = op->mem.base == ZYDIS_REGISTER_RIP;

	if (op->mem.segment == ZYDIS_REGISTER_FS || op->mem.segment == ZYDIS_REGISTER_GS ||
	    op->size == 0 || op->size > 64)
		return NULL;
	word.size = (uint8_t)(op->size / 8);
	if (!address_part(p, of_code ? ZYDIS_REGISTER_NONE : op->mem.base, 1, &word.base,
			  &word.offset) ||
	    !address_part(p, op->mem.index, op->mem.scale, &word.index, &word.offset))
		return NULL;
	if (of_code)
		word.offset += (int64_t)(p->pc + in->length);
	for (size_t i = 0; i < s->count; i++)
		if (same_word(&s->out->word[i], &word))
			return &p->word[i];
	if (s->count == ARCH_DECIDES_WORDS)
		return NULL;
	s->out->word[s->count] = word;
	return &p->word[s->count++];
}

/* ---- one instruction ------------------------------------------------------------------------- */

static bool clears(const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops)
{
	return (in->mnemonic == ZYDIS_MNEMONIC_XOR || in->mnemonic == ZYDIS_MNEMONIC_SUB ||
		in->mnemonic == ZYDIS_MNEMONIC_PXOR) &&
	       ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER && ops[0].reg.value == ops[1].reg.value;
}

static uint64_t address_mask(struct path *p, const ZydisDecodedOperand *op)
{
	return read_register(p, op->mem.base) | read_register(p, op->mem.index);
}

static uint64_t read_operand(struct decides_search *s, struct path *p,
			     const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op)
{
	const uint64_t *mask;

	if (op->type == ZYDIS_OPERAND_TYPE_REGISTER)
		return op->actions & ZYDIS_OPERAND_ACTION_MASK_READ
			       ? read_register(p, op->reg.value)
			       : 0;
	if (op->type != ZYDIS_OPERAND_TYPE_MEMORY)
		return 0;
	if (op->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
		return address_mask(p, op);
	if (!(op->actions & ZYDIS_OPERAND_ACTION_MASK_READ))
		return 0;
	mask = mask_of_memory(s, p, in, op);
	return mask ? *mask : address_mask(p, op); /* the address decides as well */
}

static uint64_t x86_64_decides_read_all(struct decides_search *s, struct path *p,
					const ZydisDecodedInstruction *in,
					const ZydisDecodedOperand *ops)
{
	uint64_t mask = 0;

	if (clears(in, ops))
		return 0;
	for (unsigned i = 0; i < in->operand_count; i++)
		mask |= read_operand(s, p, in, &ops[i]);
	if (in->cpu_flags && in->cpu_flags->tested)
		mask |= p->flags;
	return mask;
}

static void write_operand(struct decides_search *s, struct path *p,
			  const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op,
			  uint64_t mask)
{
	uint8_t number = ARCH_FROM_NOTHING;
	uint64_t *into = NULL;

	if (!(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
		return;
	if (op->type == ZYDIS_OPERAND_TYPE_REGISTER)
		into = mask_of_register(p, op->reg.value, &number);
	else if (op->type == ZYDIS_OPERAND_TYPE_MEMORY && op->mem.type == ZYDIS_MEMOP_TYPE_MEM)
		into = mask_of_memory(s, p, in, op);
	if (into)
		*into = op->size < 32 && number != ARCH_FROM_NOTHING ? *into | mask : mask;
	if (number != ARCH_FROM_NOTHING)
		p->held[number].from = ARCH_FROM_NOTHING;
	else if (into >= p->word && into < p->word + ARCH_DECIDES_WORDS)
		p->written |= 1ull << (into - p->word);
}

/* Clears what a call or system call may change by the calling convention; `result`: rax and the
   first vector register as well. */
static void x86_64_decides_forget(struct path *p, bool result)
{
	static const uint8_t lost[] = {0, 1, 2, 4, 5, 8, 9, 10, 11};

	for (size_t i = result ? 0 : 1; i < sizeof(lost); i++) {
		p->general[lost[i]] = 0;
		p->held[lost[i]].from = ARCH_FROM_NOTHING;
	}
	memset(p->vector + !result, 0, sizeof(p->vector) - !result * sizeof(*p->vector));
	p->flags = 0;
}

static struct held held_in_memory(struct decides_search *s, struct path *p,
				  const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op)
{
	const uint64_t *mask = op->size >= 32 ? mask_of_memory(s, p, in, op) : NULL;
	ptrdiff_t i = mask ? mask - p->word : 0;

	if (!mask || (p->written >> i & 1))
		return (struct held){ARCH_FROM_NOTHING, 0};
	return (struct held){(uint8_t)(ARCH_FROM_WORD + i), 0};
}

/* Returns the value of the start that the first operand holds afterwards, if it was only moved. */
static struct held result_of(struct decides_search *s, struct path *p,
			     const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops)
{
	struct held held = {ARCH_FROM_NOTHING, 0};

	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVSXD:
	case ZYDIS_MNEMONIC_CDQE:
		if (ops[1].type == ZYDIS_OPERAND_TYPE_MEMORY)
			return held_in_memory(s, p, in, &ops[1]);
		if (ops[1].type == ZYDIS_OPERAND_TYPE_REGISTER && ops[1].size >= 32)
			return held_by(p, ops[1].reg.value);
		break;
	case ZYDIS_MNEMONIC_LEA:
		if (ops[1].mem.index != ZYDIS_REGISTER_NONE)
			break;
		held = held_by(p, ops[1].mem.base);
		held.more += ops[1].mem.disp.value;
		break;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		if (ops[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    ops[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
			break;
		held = held_by(p, ops[0].reg.value);
		held.more += in->mnemonic == ZYDIS_MNEMONIC_ADD ? ops[1].imm.value.s
								: -ops[1].imm.value.s;
		break;
	default:
		break;
	}
	return held;
}

/* Moves the stack pointer by a known amount: push, pop and leave. */
static void move_stack(struct path *p, const ZydisDecodedInstruction *in, struct held sp,
		       struct held fp)
{
	struct held *now = &p->held[ARCH_DWARF_SP];

	switch (in->mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
		*now = sp;
		now->more -= 8;
		break;
	case ZYDIS_MNEMONIC_POP:
		*now = sp;
		now->more += 8;
		break;
	case ZYDIS_MNEMONIC_LEAVE:
		*now = fp;
		now->more += 8;
		break;
	default:
		break;
	}
}

static void execute(struct decides_search *s, struct path *p, const ZydisDecodedInstruction *in,
		    const ZydisDecodedOperand *ops)
{
	uint64_t mask = x86_64_decides_read_all(s, p, in, ops);
	struct held held = result_of(s, p, in, ops), sp = p->held[ARCH_DWARF_SP],
		    fp = p->held[ARCH_DWARF_FP];
	uint8_t number;

	if (in->attributes &
	    (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
		s->decides |= p->general[2];
	for (unsigned i = 0; i < in->operand_count; i++)
		write_operand(s, p, in, &ops[i], mask);
	if (held.from != ARCH_FROM_NOTHING && ops[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    mask_of_register(p, ops[0].reg.value, &number) && number != ARCH_FROM_NOTHING)
		p->held[number] = held;
	move_stack(p, in, sp, fp);
	if (in->cpu_flags && (in->cpu_flags->modified | in->cpu_flags->set_0 |
			      in->cpu_flags->set_1 | in->cpu_flags->undefined))
		p->flags = mask;
	if (in->mnemonic == ZYDIS_MNEMONIC_SYSCALL)
		x86_64_decides_forget(p, true);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static bool is_kept(unsigned i)
{
	return i == 3 || i == ARCH_DWARF_FP || i == ARCH_DWARF_SP || i >= 12;
}

/* Follows a call. Returns false if too many calls are followed already. */
static bool x86_64_decides_enter(struct path *p, uint64_t next)
{
	struct caller *c = &p->callers[p->calls];

	if (p->calls == MOST_CALLS)
		return false;
	c->next = next;
	memcpy(c->general, p->general, sizeof(c->general));
	memcpy(c->held, p->held, sizeof(c->held));
	p->held[ARCH_DWARF_SP].more -= 8;
	p->calls++;
	/* the callee saves these without depending on them */
	for (unsigned i = 0; i < GENERAL; i++)
		if (is_kept(i) && i != ARCH_DWARF_SP)
			p->general[i] = 0;
	return true;
}

/* Returns from a followed call. Returns false if there is none. `known`:
   the result is in rax's mask. */
static bool x86_64_decides_leave(struct path *p, bool known, uint64_t *next)
{
	const struct caller *c;

	if (!p->calls)
		return false;
	c = &p->callers[--p->calls];
	x86_64_decides_forget(p, !known);
	p->held[0].from = ARCH_FROM_NOTHING;
	for (unsigned i = 0; i < GENERAL; i++) {
		if (!is_kept(i))
			continue;
		p->general[i] = c->general[i];
		p->held[i] = c->held[i];
	}
	*next = c->next;
	return true;
}

/* ---- all paths ------------------------------------------------------------------------------- */

static size_t x86_64_decides_place_of(const struct decides_search *s, uint64_t pc)
{
	size_t i = (size_t)(pc * 0x9e3779b97f4a7c15u >> 53);

	while (s->seen[i] && s->seen[i] != pc)
		i = (i + 1) % SEEN;
	return i;
}

static bool is_seen(const struct decides_search *s, uint64_t pc)
{
	return s->seen[x86_64_decides_place_of(s, pc)] == pc;
}

static void note_extent(struct path *p)
{
	if (p->calls)
		return;
	p->low = p->pc < p->low ? p->pc : p->low;
	p->high = p->pc > p->high ? p->pc : p->high;
}

static void note_round(struct decides_search *s, const struct path *p, uint64_t pc)
{
	struct arch_decides *out = s->out;

	if (pc != s->start || p->calls)
		return;
	if (!out->loops || p->low < out->loop_low)
		out->loop_low = p->low;
	if (!out->loops || p->high > out->loop_high)
		out->loop_high = p->high;
	out->loops = true;
}

static void x86_64_decides_take(struct decides_search *s, const struct path *p, uint64_t pc)
{
	if (s->times[x86_64_decides_place_of(s, pc)] == ROUNDS || s->waiting == MOST_PATHS)
		return;
	s->paths[s->waiting] = *p;
	s->paths[s->waiting++].pc = pc;
}

static bool ends(struct decides_search *s, struct path *p, uint64_t *next)
{
	if (!p->calls)
		s->result |= p->general[0] | p->vector[0];
	return x86_64_decides_leave(p, true, next);
}

/* Executes one instruction. Returns true if the path goes on at p->pc. */
static bool x86_64_decides_step(struct decides_search *s, struct path *p,
				const ZydisDecodedInstruction *in, const ZydisDecodedOperand *ops)
{
	uint64_t next = p->pc + in->length, target = x86_64_target(in, p->pc);
	/* a branch reads its flags, or rcx */
	uint64_t mask = x86_64_decides_read_all(s, p, in, ops);
	bool on = true;

	switch (x86_64_flow(in)) {
	case ARCH_FLOW_NEXT:
		execute(s, p, in, ops);
		break;
	case ARCH_FLOW_CALL:
		if (!is_seen(s, target) && x86_64_decides_enter(p, next))
			next = target;
		else
			x86_64_decides_forget(p, true);
		break;
	case ARCH_FLOW_CALL_INDIRECT:
		x86_64_decides_forget(p, true);
		break;
	case ARCH_FLOW_BRANCH:
		s->decides |= mask;
		s->out->branches |= !p->calls;
		note_round(s, p, target);
		x86_64_decides_take(s, p, target);
		break;
	case ARCH_FLOW_JUMP:
		next = target;
		break;
	case ARCH_FLOW_JUMP_INDIRECT: /* a table, or a function of another library */
		s->decides |= mask;
		s->out->branches |= !p->calls;
		on = x86_64_decides_leave(p, false, &next);
		break;
	case ARCH_FLOW_RETURN:
		on = ends(s, p, &next);
		break;
	case ARCH_FLOW_STOP:
		on = false;
	}
	p->pc = next;
	p->called = x86_64_flow(in) == ARCH_FLOW_CALL || x86_64_flow(in) == ARCH_FLOW_CALL_INDIRECT;
	return on;
}

/* Counts a visit. Returns false if there were enough. */
static bool is_new(struct decides_search *s, uint64_t pc)
{
	size_t i = x86_64_decides_place_of(s, pc);

	if (s->times[i] == ROUNDS || (!s->times[i] && s->seen_count == MOST_INSTRUCTIONS))
		return false;
	s->seen[i] = pc;
	s->seen_count += !s->times[i]++;
	return true;
}

static void x86_64_decides_follow(struct decides_search *s, struct path p,
				  size_t (*read)(void *ctx, uint64_t addr, void *buf, size_t n),
				  void *ctx)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;
	uint8_t bytes[ARCH_INSN_MAX];
	bool on = true;

	while (on && is_new(s, p.pc)) {
		size_t n = read(ctx, p.pc, bytes, sizeof(bytes));

		note_extent(&p);
		if (!n || x86_64_decode_full(bytes, n, &in, ops) < 0)
			return;
		if (p.called && x86_64_is_nop(&in))
			return; /* padding after the call: it does not return */
		on = x86_64_decides_step(s, &p, &in, ops);
		if (on)
			note_round(s, &p, p.pc);
	}
}

void arch_decides(uint64_t addr, uint32_t known,
		  size_t (*read)(void *ctx, uint64_t addr, void *buf, size_t n), void *ctx,
		  struct arch_decides *out)
{
	struct decides_search s = {.out = out, .start = addr};
	struct path p = {.pc = addr, .low = addr, .high = addr};

	*out = (struct arch_decides){0};
	for (uint8_t i = 0; i < GENERAL; i++) {
		p.general[i] = known & 1u << i ? 1ull << i : 0;
		p.held[i].from = known & 1u << i ? i : ARCH_FROM_NOTHING;
	}
	for (unsigned i = 0; i < ARCH_DECIDES_WORDS; i++)
		p.word[i] = 1ull << (GENERAL + i);
	x86_64_decides_take(&s, &p, addr);
	while (s.waiting)
		x86_64_decides_follow(&s, s.paths[--s.waiting], read, ctx);
	out->registers = (uint32_t)(s.decides & 0xffff);
	out->words = s.decides >> GENERAL;
	out->result_registers = (uint32_t)(s.result & 0xffff);
	out->result_words = s.result >> GENERAL;
}
