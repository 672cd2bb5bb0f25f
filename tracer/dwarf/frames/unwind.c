/*
 * From a frame to its caller. The rules come from the module's call frame information, from the
 * vdso in memory, or, without either, from conventions of code.
 */
#include "tracer/dwarf/expressions/expression.h"
#include "tracer/dwarf/frames/frames.h"
#include "tracer/elf/module.h"

#include <string.h>

enum { SP = ARCH_DWARF_SP, FP = ARCH_DWARF_FP, PC = ARCH_DWARF_PC, CHUNK = 512 };

struct unwind_rules {
	struct cfi_row row;
	void *image; /* bytes of the vdso that the row's expressions refer to; NULL: none */
};

static void unwind_rules_fini(struct unwind_rules *r)
{
	base_free(r->image);
	r->image = NULL;
}

static bool read_program(const struct dwarf_frame *f, uint64_t address, void *buf, size_t n)
{
	return f->program->read(f->program->ctx, address, buf, n) == 0;
}

static void saved_at(struct cfi_row *row, unsigned reg, int64_t number)
{
	row->rules[reg] = (struct cfi_rule){.kind = CFI_OFFSET, .number = number};
}

/* Sets the rules CFA = reg + add, with the return address directly below the CFA. */
static void plain_row(struct cfi_row *row, unsigned reg, int64_t add)
{
	*row = (struct cfi_row){.cfa = {.kind = CFI_VALUE_OFFSET, .number = add},
				.cfa_register = reg,
				.return_address = PC};
	saved_at(row, PC, -8);
}

/* ---- the vdso ------------------------------------------------------------------------------- */

enum { PAGE = 4096, VDSO_PAGES = 8, VDSO_MAX = 1 << 16 };

struct memory_image {
	uint8_t *bytes;
	size_t size;
	uint64_t address;
};

/* Reads the whole of a small ELF image whose first segment begins at `address`. */
static bool read_image(const struct dwarf_frame *f, uint64_t address, const Elf64_Phdr *first,
		       struct memory_image *out)
{
	if (first->p_vaddr || first->p_filesz < sizeof(Elf64_Ehdr) || first->p_filesz > VDSO_MAX)
		return false;
	out->address = address;
	out->size = first->p_filesz;
	out->bytes = base_alloc(1, out->size);
	if (read_program(f, address, out->bytes, out->size))
		return true;
	base_free(out->bytes);
	return false;
}

static bool find_image(const struct dwarf_frame *f, struct memory_image *out, Elf64_Phdr *frames)
{
	Elf64_Phdr headers[8], *load = NULL;
	uint64_t at = f->lookup_pc & ~(uint64_t)(PAGE - 1);
	Elf64_Ehdr h;

	for (int i = 0; i < VDSO_PAGES; i++, at -= PAGE) {
		if (!read_program(f, at, &h, sizeof(h)))
			return false;
		if (memcmp(h.e_ident, ELFMAG, SELFMAG) == 0)
			break;
	}
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_phentsize != sizeof(*headers) ||
	    h.e_phnum > 8 ||
	    !read_program(f, at + h.e_phoff, headers, h.e_phnum * sizeof(*headers)))
		return false;
	for (int i = 0; i < h.e_phnum; i++) {
		if (headers[i].p_type == PT_LOAD && !load)
			load = &headers[i];
		if (headers[i].p_type == PT_GNU_EH_FRAME)
			*frames = headers[i];
	}
	return load && frames->p_type && read_image(f, at, load, out);
}

static int row_in_image(const struct dwarf_frame *f, const struct memory_image *image,
			uint64_t header, struct cfi_row *out)
{
	struct cfi_section s = {.bytes = image->bytes, .size = image->size, .eh = true};
	ERROR(ignored);
	uint64_t at;
	int answer;

	s.address = image->address;
	if (header > image->size || image->size - header < 8 ||
	    !cfi_pointer_at(&s, header + 4, image->bytes[header + 1], &at) ||
	    at - image->address >= image->size)
		return 0;
	s.bytes += at - image->address;
	s.size -= at - image->address;
	s.address = at;
	cfi_index(&s);
	answer = cfi_row(&s, f->lookup_pc, out, &ignored);
	cfi_fini(&s);
	return answer;
}

/* Finds rules for code of no file. It may be the vdso: its ELF header is then in the memory before
   it. */
static bool by_vdso(const struct dwarf_frame *f, struct unwind_rules *out)
{
	struct memory_image image;
	Elf64_Phdr frames = {.p_type = PT_NULL};

	if (!find_image(f, &image, &frames))
		return false;
	out->image = image.bytes;
	if (row_in_image(f, &image, frames.p_vaddr, &out->row) > 0)
		return true;
	unwind_rules_fini(out);
	return false;
}

/* ---- without call frame information --------------------------------------------------------- */

/* True for `mov $15, %rax; syscall` (rt_sigreturn). C libraries without call frame information
   there (musl) use this form, which gdb expects too. */
static bool is_sigreturn(const struct dwarf_frame *f)
{
	static const uint8_t wanted[] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05};
	uint8_t found[sizeof(wanted)];

	return read_program(f, f->pc, found, sizeof(found)) &&
	       memcmp(found, wanted, sizeof(wanted)) == 0;
}

/* Registers that the kernel saved in struct ucontext at the stack pointer, after uc_flags, uc_link
   and uc_stack. */
static void sigreturn_row(struct cfi_row *row)
{
	static const uint8_t order[] = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, SP, PC};

	*row = (struct cfi_row){.cfa = {.kind = CFI_VALUE_OFFSET},
				.cfa_register = SP,
				.return_address = PC,
				.signal = true};
	for (size_t i = 0; i < sizeof(order); i++)
		saved_at(row, order[i], (int64_t)(40 + 8 * i));
}

static bool is_code(const struct dwarf_frame *f, uint64_t address)
{
	uint64_t bias;
	struct module *m = f->program->module_at(f->program->ctx, address, &bias);

	return m && module_is_code(m, address - bias);
}

static bool at_first_instruction(const struct dwarf_frame *f)
{
	const struct elf_symbol *s;
	uint8_t byte;

	if (f->pc != f->lookup_pc)
		return false;
	if (!f->module) /* after a call through an invalid pointer */
		return !read_program(f, f->pc, &byte, 1);
	s = module_symbol_at(f->module, f->pc - f->bias, true);
	return s && s->offset == f->pc - f->bias;
}

/* True if rbp is a frame pointer: it points up the stack to another one and a return address. */
static bool has_frame_pointer(const struct dwarf_frame *f)
{
	uint64_t words[2], fp = f->regs[FP], sp = f->regs[SP];

	if (!(f->known >> FP & 1) || fp % 8 || fp < sp || fp - sp > 1 << 20 ||
	    !read_program(f, fp, words, sizeof(words)))
		return false;
	return (words[0] == 0 || words[0] > fp) && is_code(f, words[1] - 1);
}

enum { SHORTEST_CALL = 2, LONGEST_CALL = 7, LEAF_BYTES = 4096 };

/* True if a call instruction ends at the address. */
static bool is_behind_call(const struct dwarf_frame *f, uint64_t address)
{
	uint8_t bytes[LONGEST_CALL];
	struct arch_insn insn;

	if (!is_code(f, address - 1) ||
	    !read_program(f, address - LONGEST_CALL, bytes, sizeof(bytes)))
		return false;
	for (uint8_t n = SHORTEST_CALL; n <= LONGEST_CALL; n++)
		if (arch_decode(bytes + LONGEST_CALL - n, n, address - n, &insn) == 0 &&
		    insn.length == n &&
		    (insn.flow == ARCH_FLOW_CALL || insn.flow == ARCH_FLOW_CALL_INDIRECT))
			return true;
	return false;
}

/* True if no instruction between the function's start and the pc moves the stack pointer. */
static bool keeps_stack(const struct dwarf_frame *f)
{
	const struct elf_symbol *s = module_symbol_at(f->module, f->pc - f->bias, true);
	uint64_t at = s ? f->bias + s->offset : f->pc;
	uint8_t bytes[LEAF_BYTES];
	struct arch_deed deed;
	size_t size = f->pc - at;

	if (!size || size > sizeof(bytes) || !read_program(f, at, bytes, size))
		return false;
	for (size_t i = 0; i < size; i += deed.length)
		if (arch_deed(bytes + i, size - i, at + i, &deed) < 0 || deed.moves_stack)
			return false;
	return true;
}

/*
 * True for code without a frame of its own: glibc's system calls in assembly (clone, clone3),
 * functions without call frame information. The return address is on top of the stack, but not on
 * the new stack of a thread that clone has just created.
 */
static bool in_leaf(const struct dwarf_frame *f)
{
	uint64_t word;

	return f->pc == f->lookup_pc && f->module && (f->known >> SP & 1) &&
	       read_program(f, f->regs[SP], &word, sizeof(word)) && is_behind_call(f, word) &&
	       keeps_stack(f);
}

static bool by_convention(const struct dwarf_frame *f, struct cfi_row *row)
{
	if (is_sigreturn(f)) {
		sigreturn_row(row);
		return true;
	}
	if (at_first_instruction(f) || in_leaf(f)) {
		plain_row(row, SP, 8);
		return true;
	}
	if (!has_frame_pointer(f))
		return false;
	plain_row(row, FP, 16);
	saved_at(row, FP, -16);
	return true;
}

/* ---- all sources of rules ------------------------------------------------------------------- */

static int unwind_rules(const struct dwarf_frame *f, struct unwind_rules *out, struct error *err)
{
	int answer = 0;

	out->image = NULL;
	if (f->module)
		answer = frames_row(f->module, f->lookup_pc - f->bias, &out->row, err);
	else if (by_vdso(f, out))
		return 0;
	if (answer)
		return answer < 0 ? -1 : 0;
	if (by_convention(f, &out->row))
		return 0;
	return error_set(err, ERROR_STATE,
			 "the stack cannot be unwound: there is no call frame information for the "
			 "code at 0x%llx",
			 (unsigned long long)f->pc);
}

/* True if a signal handler returns to the frame's pc. */
static bool unwind_is_signal(const struct dwarf_frame *f)
{
	ERROR(ignored);
	struct cfi_row row;

	if (f->module && frames_is_signal(f->module, f->lookup_pc - f->bias))
		return true;
	if (f->module && frames_row(f->module, f->lookup_pc - f->bias, &row, &ignored) != 0)
		return false;
	return is_sigreturn(f);
}

/* rbx, rbp, r12 to r15: callee-saved registers */
static const uint32_t kept_over_calls = 1u << 3 | 1u << 6 | 0xfu << 12;

/* ---- stack memory --------------------------------------------------------------------------- */

/* The part of the stack in which a frame saved registers, read at once. */
struct stack_chunk {
	uint64_t address;
	size_t size; /* 0: nothing was read */
	uint8_t bytes[CHUNK];
};

static void read_chunk(const struct dwarf_frame *f, const struct cfi_row *row, uint64_t cfa,
		       struct stack_chunk *out)
{
	int64_t low = INT64_MAX, high = INT64_MIN;

	out->size = 0;
	for (int i = 0; i < CFI_REGISTERS; i++) {
		const struct cfi_rule *r = &row->rules[i];

		if (r->kind != CFI_OFFSET || r->number < -CHUNK || r->number > CHUNK)
			continue;
		low = r->number < low ? r->number : low;
		high = r->number > high ? r->number : high;
	}
	if (low >= high || high - low + 8 > CHUNK)
		return; /* a single word is read by itself */
	out->address = cfa + (uint64_t)low;
	if (f->program->read(f->program->ctx, out->address, out->bytes, (size_t)(high - low) + 8) ==
	    0)
		out->size = (size_t)(high - low) + 8;
}

static int unwind_read_word(const struct dwarf_frame *f, const struct stack_chunk *chunk,
			    uint64_t address, uint64_t *out, struct error *err)
{
	uint64_t at = address - chunk->address;

	if (chunk->size && at <= chunk->size - 8) {
		memcpy(out, chunk->bytes + at, 8);
		return 0;
	}
	if (f->program->read(f->program->ctx, address, out, 8) == 0)
		return 0;
	return error_set(err, ERROR_STATE, "the stack cannot be unwound: cannot read it at 0x%llx",
			 (unsigned long long)address);
}

static int evaluate(const struct dwarf_frame *f, const struct cfi_rule *rule,
		    const uint64_t *initial, uint64_t *out, struct error *err)
{
	const struct expression m = {
		.frame = f, .program = f->program, .module = f->module, .bias = f->bias};

	return expression_value(&m, rule->code, rule->size, initial, out, err);
}

static int register_of(const struct dwarf_frame *f, uint64_t reg, uint64_t *out, struct error *err)
{
	if (reg >= CFI_REGISTERS || !(f->known >> reg & 1))
		return error_set(err, ERROR_STATE,
				 "the stack cannot be unwound: a register is not known");
	*out = f->regs[reg];
	return 0;
}

static int cfa_of(const struct dwarf_frame *f, const struct cfi_row *row, uint64_t *out,
		  struct error *err)
{
	if (row->cfa.kind == CFI_EXPRESSION)
		return evaluate(f, &row->cfa, NULL, out, err);
	if (register_of(f, row->cfa_register, out, err) < 0)
		return -1;
	*out += (uint64_t)row->cfa.number;
	return 0;
}

int dwarf_frame_cfa(const struct dwarf_frame *frame, uint64_t *cfa, struct error *err)
{
	struct unwind_rules rules;
	int answer;

	if (unwind_rules(frame, &rules, err) < 0)
		return -1;
	answer = cfa_of(frame, &rules.row, cfa, err);
	unwind_rules_fini(&rules);
	return answer;
}

/* ---- registers of the caller ---------------------------------------------------------------- */

/* One step from a frame to its caller. */
struct unwind_step {
	const struct dwarf_frame *from;
	const struct cfi_row *row;
	uint64_t cfa;
	struct stack_chunk chunk;
};

/* Value of a register that has no rule and is preserved. The caller's stack pointer is the CFA. */
static int unsaid(const struct unwind_step *s, unsigned reg, uint64_t *out, struct error *err)
{
	if (reg == SP) {
		*out = s->cfa;
		return 0;
	}
	return register_of(s->from, reg, out, err);
}

/* Registers the ABI lets a function clobber are unknown unless a rule says otherwise. */
static bool is_lost(const struct cfi_row *row, unsigned reg)
{
	enum cfi_kind kind = row->rules[reg].kind;

	return kind == CFI_UNDEFINED ||
	       (kind == CFI_UNSAID && reg != SP && !(kept_over_calls >> reg & 1));
}

static int caller_register(const struct unwind_step *s, unsigned reg, uint64_t *out,
			   struct error *err)
{
	const struct cfi_rule *rule = &s->row->rules[reg];

	switch (rule->kind) {
	case CFI_OFFSET:
		return unwind_read_word(s->from, &s->chunk, s->cfa + (uint64_t)rule->number, out,
					err);
	case CFI_VALUE_OFFSET:
		*out = s->cfa + (uint64_t)rule->number;
		return 0;
	case CFI_SAME:
		return register_of(s->from, reg, out, err);
	case CFI_REGISTER:
		return register_of(s->from, (uint64_t)rule->number, out, err);
	case CFI_EXPRESSION:
		if (evaluate(s->from, rule, &s->cfa, out, err) < 0)
			return -1;
		return unwind_read_word(s->from, &s->chunk, *out, out, err);
	case CFI_VALUE_EXPRESSION:
		return evaluate(s->from, rule, &s->cfa, out, err);
	default:
		return unsaid(s, reg, out, err);
	}
}

/* ---- frames --------------------------------------------------------------------------------- */

static void find_module(struct dwarf_frame *f)
{
	f->bias = 0;
	f->module = f->program->module_at(f->program->ctx, f->lookup_pc, &f->bias);
}

void dwarf_frame_first(const struct dwarf_program *program, void *thread,
		       const struct arch_regs *regs, struct dwarf_frame *out)
{
	*out = (struct dwarf_frame){.program = program, .thread = thread};
	memcpy(out->regs, regs->dwarf, sizeof(out->regs));
	out->known = (1u << CFI_REGISTERS) - 1;
	out->pc = out->lookup_pc = out->regs[PC];
	find_module(out);
}

/* Finds the code of a new frame. A return address is after the call, which may be the last
   instruction of its function. */
static void place_frame(const struct unwind_step *s, struct dwarf_frame *out)
{
	out->pc = out->regs[PC];
	out->lookup_pc = s->row->signal ? out->pc : out->pc - 1;
	find_module(out);
	out->signal = !s->row->signal && unwind_is_signal(out);
	if (out->signal) {
		out->lookup_pc = out->pc;
		find_module(out);
	}
}

static int corrupt(const struct dwarf_frame *f, struct error *err)
{
	return error_set(err, ERROR_STATE, "the stack cannot be unwound: it is broken at 0x%llx",
			 (unsigned long long)f->regs[SP]);
}

static int step_up(const struct unwind_step *s, struct dwarf_frame *out, struct error *err)
{
	const struct dwarf_frame *f = s->from;
	ERROR(ignored);

	*out = (struct dwarf_frame){
		.program = f->program, .thread = f->thread, .level = f->level + 1};
	if (caller_register(s, s->row->return_address, &out->regs[PC], err) < 0)
		return -1;
	out->known = 1u << PC;
	if (out->regs[PC] == 0)
		return 0; /* no caller: the first function of a thread */
	for (unsigned i = 0; i < PC; i++)
		if (!is_lost(s->row, i) && caller_register(s, i, &out->regs[i], &ignored) == 0)
			out->known |= 1u << i;
	/* A caller's frame is at a higher address, except that a signal handler may have its own
	   stack. */
	if (!(out->known >> SP & 1) || (!s->row->signal && out->regs[SP] <= f->regs[SP]) ||
	    (out->regs[SP] == f->regs[SP] && out->regs[PC] == f->pc))
		return corrupt(f, err);
	place_frame(s, out);
	return 1;
}

int dwarf_frame_up(const struct dwarf_frame *frame, struct dwarf_frame *out, struct error *err)
{
	struct unwind_rules rules;
	struct unwind_step s = {.from = frame, .row = &rules.row};
	enum cfi_kind kind;
	int answer;

	if (unwind_rules(frame, &rules, err) < 0)
		return -1;
	kind = rules.row.rules[rules.row.return_address].kind;
	if (kind == CFI_UNDEFINED || kind == CFI_UNSAID) {
		unwind_rules_fini(&rules);
		return 0;
	}
	answer = cfa_of(frame, &rules.row, &s.cfa, err);
	if (answer == 0) {
		read_chunk(frame, &rules.row, s.cfa, &s.chunk);
		answer = step_up(&s, out, err);
	}
	unwind_rules_fini(&rules);
	return answer;
}
