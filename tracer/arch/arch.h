/*
 * The contract of a processor, fulfilled by x86_64*.c: pure functions over bytes and registers.
 * They make no system call and know no process.
 */
#ifndef GATECTL_ARCH_ARCH_H
#define GATECTL_ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ARCH_INSN_MAX = 15, /* bytes of the longest instruction */
	ARCH_COPY_MAX = 64, /* bytes of the longest out-of-line copy, jumps back included */
	ARCH_TRAP_LEN = 1,
};

/* The trap that is written over the first byte of a site. At a hit, pc is after the trap. */
extern const uint8_t arch_trap[ARCH_TRAP_LEN];

enum arch_flow {
	ARCH_FLOW_NEXT,	  /* goes on with the next instruction */
	ARCH_FLOW_JUMP,	  /* always goes to `target` */
	ARCH_FLOW_BRANCH, /* goes to `target` or on (jcc, loop, jrcxz, xbegin) */
	/* to an address in a register or in memory: a jump table or a tail call */
	ARCH_FLOW_JUMP_INDIRECT,
	ARCH_FLOW_CALL, /* calls `target` */
	ARCH_FLOW_CALL_INDIRECT,
	ARCH_FLOW_RETURN,
	ARCH_FLOW_STOP, /* never goes on: ud2, hlt */
};

struct arch_insn {
	uint8_t length;
	enum arch_flow flow;
	uint64_t target; /* JUMP, BRANCH and CALL, else 0 */
	bool is_trap;	 /* int3: the program's own breakpoint */
	bool is_syscall;
	bool is_locked; /* has a lock prefix; a program with one thread may jump past the prefix */
	bool is_nop;	/* any nop, endbr64 */
	bool may_be_table; /* JUMP_INDIRECT: false for a certain tail call */
};

/* Decodes the instruction at address `addr`. Returns 0, or -1 if there is none. */
int arch_decode(const uint8_t *bytes, size_t n, uint64_t addr, struct arch_insn *out);

/* Effects of an instruction on vectors, memory and the stack pointer. */
struct arch_deed {
	uint8_t length;
	bool packed; /* computes with all elements of a vector register */
	/* names the written memory: its address, or its registers and size; 0: none */
	uint64_t written;
	bool on_stack;	   /* `written` is addressed by the stack pointer */
	bool indexed;	   /* `written` has an index register: an element of an array */
	bool takes_result; /* reads a function's result: rax or the first vector register */
	bool moves_stack;  /* changes the stack pointer: push, call, sub, leave */
};
/* Describes the effects of an instruction. Returns 0, or -1 if there is none. */
int arch_deed(const uint8_t *bytes, size_t n, uint64_t addr, struct arch_deed *out);

/* The registers that gatectl reads; the index in `dwarf` is the DWARF register number. */
struct arch_regs {
	uint64_t dwarf[17]; /* rax rdx rcx rbx rsi rdi rbp rsp r8..r15 rip */
	uint64_t flags, fs_base;
};
enum {
	ARCH_DWARF_RESULT = 0,
	ARCH_DWARF_ARG0 = 5,
	ARCH_DWARF_ARG1 = 4,
	ARCH_DWARF_FP = 6,
	ARCH_DWARF_SP = 7,
	ARCH_DWARF_PC = 16
};
enum { ARCH_NO_REGISTER = 255 };

/*
 * The words of a jmp_buf (setjmp(3)) in glibc and musl: rbx rbp r12..r15 rsp rip. glibc mangles
 * rbp, rsp and rip with the pointer guard, the thread's word at fs_base + ARCH_GUARD_AT.
 */
enum { ARCH_JMP_BUF_WORDS = 8, ARCH_JMP_BUF_SP = 6, ARCH_JMP_BUF_PC = 7, ARCH_GUARD_AT = 0x30 };
/* Returns the value of a word that was mangled with `guard`. */
uint64_t arch_reveal(uint64_t hidden, uint64_t guard);
/* Sets the registers that longjmp(3) sets. `hidden`: rbp, rsp and rip are mangled. */
void arch_longjmp(const uint64_t words[ARCH_JMP_BUF_WORDS], bool hidden, uint64_t guard,
		  struct arch_regs *regs);

/*
 * Finds where a jump, branch or indirect call goes with these registers; `read` returns 0, or -1
 * for unreadable memory. Returns 0, or -1 if it is another instruction, or if the target cannot be
 * read or is not known (xbegin).
 */
int arch_jump_target(const uint8_t *bytes, size_t n, uint64_t addr, const struct arch_regs *regs,
		     int (*read)(void *ctx, uint64_t addr, void *buf, size_t n), void *ctx,
		     uint64_t *target);

/* Memory that an instruction reads or writes. */
struct arch_access {
	uint64_t address;
	uint64_t size; /* in bytes; 0: not known */
	bool writes, reads;
};
/* Finds the access that holds `fault` (NULL: any), else one at an impossible address, else a write,
   else the first one. Returns 0, or -1 if there is none, or the address is not known. */
int arch_access(const uint8_t *bytes, size_t n, uint64_t addr, const struct arch_regs *regs,
		const uint64_t *fault, struct arch_access *out);
/* True if a program's memory can have the address (canonical form). */
bool arch_is_address(uint64_t address);

/*
 * Registers whose direct offsets address memory of the function's own (`own`): the stack pointer,
 * and the frame pointer if the function has one.
 */
enum { ARCH_OWN_NOTHING = 0, ARCH_OWN_SP = 1, ARCH_OWN_FP = 2 };

/* A place in the frame: a direct offset of the stack or frame pointer in an instruction. */
struct arch_slot {
	uint8_t base; /* ARCH_DWARF_SP, ARCH_DWARF_FP; ARCH_NO_REGISTER: no place */
	uint8_t to;   /* register that gets the address; ARCH_NO_REGISTER: it is read or written */
	int64_t offset;
	uint64_t size; /* bytes that are read or written */
};

/* Accesses to memory that other threads may share. */
struct arch_shared {
	uint8_t length;
	bool reads, writes; /* shared memory */
	bool atomic;	    /* by a lock prefix or an exchange */
	/* reads and writes one operand, and is not atomic: addl $1, x */
	bool updates;
	bool pauses;	       /* PAUSE: the thread waits for another one */
	uint64_t fixed;	       /* the address, if no register is part of it; else 0 */
	struct arch_slot slot; /* the place in the frame, own or not */
};
/* Describes an instruction for a search for races. All memory counts as shared, except direct
   offsets of `own` registers and thread-local memory (fs, gs); an atomic operation always counts.
   Returns 0, or -1 if there is no instruction. */
int arch_shared(const uint8_t *bytes, size_t n, uint64_t addr, unsigned own,
		struct arch_shared *out);

/* Most accesses of one instruction. */
enum { ARCH_ACCESSES_MAX = 2 };
/* Finds all shared accesses (arch_shared()) for the registers before the instruction.
   Returns how many there are, up to `max`; 0 also if there is no instruction.
   README.md lists the special cases. */
size_t arch_accesses(const uint8_t *bytes, size_t n, uint64_t addr, unsigned own,
		     const struct arch_regs *regs, struct arch_access *out, size_t max);

/* A memory operand: base + index * scale + offset. */
struct arch_operand {
	uint8_t base, index, scale; /* registers as in arch_regs.dwarf, or ARCH_NO_REGISTER */
	uint64_t offset;
};
/* Finds the only memory operand of an instruction, if it is explicit; arch_accesses() returns its
   address. Returns false if there is none, or several, or if it is implied. */
bool arch_operand(const uint8_t *bytes, size_t n, uint64_t addr, struct arch_operand *out);
/* Returns the address of the operand with these registers. */
uint64_t arch_operand_address(const struct arch_operand *op, const struct arch_regs *regs);

/* Bytes of the longest instruction that arch_lea() makes. */
enum { ARCH_LEA_MAX = 8 };
/* Makes an instruction for address `to` that loads rax with the operand's address of the one at
   `from`, with a stack pointer that is lower by `pushed`. Returns its length, or 0 if the operand
   is not a single, explicit one. */
unsigned arch_lea(const uint8_t *bytes, size_t n, uint64_t from, uint64_t to, int32_t pushed,
		  uint8_t code[ARCH_LEA_MAX]);
/* Makes an instruction that loads rax with the first argument, at a function's
   entry. Returns its length. */
unsigned arch_lea_argument(uint8_t code[ARCH_LEA_MAX]);

/*
 * A boundary between the instructions of a copy. A thread before the one at code[at] is at `pc` in
 * the original, and its stack pointer there is higher by `sp`. The first point is {0, 0, from}.
 * README.md explains which points can be left.
 */
struct arch_point {
	uint8_t at;
	uint8_t sp;
	uint64_t pc;
};

/*
 * An instruction moved out of line: code that does at `to` what the instruction does at `from`, and
 * jumps to where that would go on. README.md lists what the copy guarantees.
 */
struct arch_copy {
	uint8_t code[ARCH_COPY_MAX];
	uint8_t length; /* bytes of code */
	/* a pc in (0, body] is after the instruction itself; 0: it never goes on */
	uint8_t body;
	uint8_t insn_length;	     /* that pc is from + insn_length in the original */
	bool is_trap;		     /* the instruction is int3: its report is passed on instead */
	struct arch_point points[5]; /* all places of the copy where a thread can be */
	uint8_t point_count;
};

/* Returns the point at this offset of the copy, or NULL if no instruction begins there. */
const struct arch_point *arch_copy_point(const struct arch_copy *copy, uint64_t offset);

enum arch_answer {
	ARCH_DONE,
	ARCH_CANNOT,  /* the instruction has no copy; `why` is the reason */
	ARCH_TOO_FAR, /* `to` is too far from an address that the copy refers to */
};

/* Makes the copy at `to` of the instruction at `from`. *why is a static
   text, or NULL for ARCH_DONE. */
enum arch_answer arch_relocate(const uint8_t *bytes, size_t n, uint64_t from, uint64_t to,
			       struct arch_copy *out, const char **why);

/*
 * Makes the copy, which is at `at`, go on at `to` in place of the original's next instruction. The
 * points stay valid. ARCH_CANNOT: the instruction never goes on.
 */
enum arch_answer arch_copy_join(struct arch_copy *copy, uint64_t at, uint64_t to);

/* Memory of the program; the functions return 0 or -1. */
struct arch_memory {
	int (*read)(void *ctx, uint64_t addr, void *buf, size_t n);
	int (*write)(void *ctx, uint64_t addr, const void *buf, size_t n);
	void *ctx;
};
/* Executes a simple instruction without a copy: nop, endbr64, direct jmp, ret, push of a register.
   Returns true with *regs after the instruction, or false with nothing changed. */
bool arch_emulate(const uint8_t *bytes, size_t n, uint64_t addr, struct arch_regs *regs,
		  const struct arch_memory *memory);

/*
 * Constants of arch_decides(), which finds the values that decide where a thread goes from a point
 * of the code: registers and words in memory that a later branch depends on (README.md).
 */
enum { ARCH_DECIDES_WORDS = 40, ARCH_FROM_WORD = 32, ARCH_FROM_NOTHING = 0xff };

/* A word at base + index * scale + offset. Base and index are registers at the point (DWARF
   number), words before this one (ARCH_FROM_WORD + i), or ARCH_FROM_NOTHING. */
struct arch_word {
	uint8_t base, index;
	uint8_t scale, size;
	int64_t offset;
};

/* The values that decide, as they are at the point. */
struct arch_decides {
	uint32_t registers; /* bit n: the register with DWARF number n (0 to 15) */
	uint64_t words;	    /* bit i: word[i] */
	/* Values from which the function's result is computed, as bits. */
	uint32_t result_registers;
	uint64_t result_words;
	struct arch_word word[ARCH_DECIDES_WORDS];
	bool loops;		      /* the function comes back to the point before it returns */
	bool branches;		      /* the loop has a branch */
	uint64_t loop_low, loop_high; /* first and last instruction of the loop */
};

/*
 * Analyses the code at `addr` along all paths in its function and in called ones; calls by a
 * pointer, and so into other libraries, are skipped. `known`: registers with known values, as bits.
 * `read` returns how many of the n bytes of code it has read.
 */
void arch_decides(uint64_t addr, uint32_t known,
		  size_t (*read)(void *ctx, uint64_t addr, void *buf, size_t n), void *ctx,
		  struct arch_decides *out);

#endif
