/*
 * What gatectl has to know of a processor: the contract. x86_64.c is the one that fulfils it.
 *
 * Pure functions over bytes and registers, never a system call; no process is known here.
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

/* The trap that is written over the first byte of a site, and how far pc is behind it when hit. */
extern const uint8_t arch_trap[ARCH_TRAP_LEN];

enum arch_flow {
	ARCH_FLOW_NEXT,		 /* goes on with the next instruction */
	ARCH_FLOW_JUMP,		 /* always goes to `target` */
	ARCH_FLOW_BRANCH,	 /* to `target` or on (jcc, loop, jrcxz, xbegin) */
	ARCH_FLOW_JUMP_INDIRECT, /* where a register or memory says: a jump table or a tail call */
	ARCH_FLOW_CALL,		 /* calls `target` */
	ARCH_FLOW_CALL_INDIRECT,
	ARCH_FLOW_RETURN,
	ARCH_FLOW_STOP, /* never goes on: ud2, hlt */
};

struct arch_insn {
	uint8_t length;
	enum arch_flow flow;
	uint64_t target; /* of JUMP, BRANCH and CALL, else 0 */
	bool is_trap;	 /* int3: the program's own breakpoint */
	bool is_syscall;
	bool is_locked; /* has a lock prefix: programs jump behind it where there is one thread */
	bool is_nop;	/* any nop, endbr64 */
	bool may_be_table; /* of JUMP_INDIRECT: false where it is surely a tail call */
};

/* Decodes the instruction at `bytes`, which stands at `addr`. 0, or -1 where it is none. */
int arch_decode(const uint8_t *bytes, size_t n, uint64_t addr, struct arch_insn *out);

/* What an instruction does to several values at once, to memory, or to the stack pointer. */
struct arch_deed {
	uint8_t length;
	bool packed;	  /* computes with all parts of a vector register */
	uint64_t written; /* names the memory that it writes: the address, or registers without the
			     displacement; 0: writes none */
	bool on_stack;	  /* ... by the stack pointer */
	bool indexed;	  /* an element of an array: there is an index register */
	bool takes_result; /* reads what a function has returned: rax, or the first vector register */
	bool moves_stack; /* the stack pointer is another one behind it: push, call, sub, leave */
};
/* 0, or -1 where there is no instruction. */
int arch_deed(const uint8_t *bytes, size_t n, uint64_t addr, struct arch_deed *out);

/* The registers that gatectl reads, in the order of DWARF register numbers for 0..16. */
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
 * The words that setjmp(3) keeps, as glibc and musl have them: rbx rbp r12..r15 rsp rip. glibc hides rbp, rsp and rip
 * behind its guard, a word of the thread's at fs_base + ARCH_GUARD_AT.
 */
enum { ARCH_JMP_BUF_WORDS = 8, ARCH_JMP_BUF_SP = 6, ARCH_JMP_BUF_PC = 7, ARCH_GUARD_AT = 0x30 };
uint64_t arch_reveal(uint64_t hidden, uint64_t guard);
/* The registers that longjmp(3) sets; `hidden`: three of the words are. */
void arch_longjmp(const uint64_t words[ARCH_JMP_BUF_WORDS], bool hidden, uint64_t guard,
		  struct arch_regs *regs);

/*
 * Where a jump or an indirect call goes, given the registers; a branch to its target or to the next
 * instruction. Where the address stands in memory, it is fetched with `read` (returns 0, or -1:
 * cannot be read). 0, or -1: neither of these, unreadable, or not to be told (xbegin).
 */
int arch_jump_target(const uint8_t *bytes, size_t n, uint64_t addr, const struct arch_regs *regs,
		     int (*read)(void *ctx, uint64_t addr, void *buf, size_t n), void *ctx,
		     uint64_t *target);

/*
 * The memory that the instruction takes or changes, given the registers before it: the operand that holds
 * `fault` (where not NULL), else the one whose address can be none, else the one that is written, else the
 * first. 0, or -1: it has none, or that cannot be told.
 */
struct arch_access {
	uint64_t address;
	uint64_t size; /* bytes; 0 unknown */
	bool writes, reads;
};
int arch_access(const uint8_t *bytes, size_t n, uint64_t addr, const struct arch_regs *regs,
		const uint64_t *fault, struct arch_access *out);
bool arch_is_address(uint64_t address); /* one that a program's memory can have */

/*
 * What an instruction is to a search for races, from its bytes: does it read or write memory that other threads
 * may share? All memory is, but for direct offsets of registers that are said to lead to what is only the function's
 * own (`own`: the stack pointer; the frame pointer, where the function has one), and but for thread-local memory
 * (fs, gs). Not judged by the address: locals that were given away to others would be missed. An atomic
 * operation counts wherever it is done, as nobody does one on what is only his own.
 */
enum { ARCH_OWN_NOTHING = 0, ARCH_OWN_SP = 1, ARCH_OWN_FP = 2 };

/* A place in the frame that an instruction names: a direct offset of the stack or the frame pointer. */
struct arch_slot {
	uint8_t base; /* ARCH_DWARF_SP, ARCH_DWARF_FP; ARCH_NO_REGISTER: it names none */
	uint8_t to; /* the register that gets its address; ARCH_NO_REGISTER: it is read or written */
	int64_t offset;
	uint64_t size; /* bytes that are read or written */
};

struct arch_shared {
	uint8_t length;
	bool reads, writes; /* such memory */
	bool atomic;	    /* it does so with a lock prefix, or it is an exchange */
	bool pauses;	    /* PAUSE: who does this waits for somebody */
	uint64_t fixed;	    /* the one place where it does so, which no register moves; 0: not so */
	struct arch_slot slot; /* own or not */
};
/* 0, or -1 where there is no instruction. */
int arch_shared(const uint8_t *bytes, size_t n, uint64_t addr, unsigned own,
		struct arch_shared *out);

/*
 * All such memory that it takes or changes, given the registers before it: how many places, up to `max`
 * (ARCH_ACCESSES_MAX are enough); 0 also where there is no instruction. With `rep` it is the whole that is
 * moved or stored; a comparison may end early, so that it is only the first element. A masked move is thought to do all of
 * its operand, and a bit that a register counts to be in the operand. Gathers and scatters are left out, and
 * what has no known size.
 */
enum { ARCH_ACCESSES_MAX = 2 };
size_t arch_accesses(const uint8_t *bytes, size_t n, uint64_t addr, unsigned own,
		     const struct arch_regs *regs, struct arch_access *out, size_t max);

/*
 * The one operand in memory that the instruction at `addr` has, if it is written out: then its address is what
 * arch_accesses() tells. False: there is none, or several, or they are implied.
 */
struct arch_operand {
	uint8_t base, index, scale; /* registers as in arch_regs.dwarf */
	uint64_t offset;
};
bool arch_operand(const uint8_t *bytes, size_t n, uint64_t addr, struct arch_operand *out);
uint64_t arch_operand_address(const struct arch_operand *op, const struct arch_regs *regs);

/*
 * An instruction that stands at `to` and loads rax with the address of the memory that the one at `from` reads or
 * writes, where the stack pointer is lower by `pushed`. Its length; 0: it is not one operand that is written out.
 */
enum { ARCH_LEA_MAX = 8 };
unsigned arch_lea(const uint8_t *bytes, size_t n, uint64_t from, uint64_t to, int32_t pushed,
		  uint8_t code[ARCH_LEA_MAX]);
/* The same with the first argument of a function, at its entry. */
unsigned arch_lea_argument(uint8_t code[ARCH_LEA_MAX]);

/*
 * Where a thread stands that is before the instruction of a copy which begins at code[at]: in the
 * original it is at `pc` and its stack pointer is higher by `sp`. The first point is {0, 0, from}.
 *
 * A point with another pc than `from` is behind the original instruction: a thread that stops there
 * may be put at pc, nothing is lost. One at `from` is before it: taking the thread back to `from`
 * (adding `sp`) means that it will run into the trap once more. It need not be taken back for an
 * asynchronous signal: the frame of a signal returns into the copy, which stays valid.
 */
struct arch_point {
	uint8_t at;
	uint8_t sp;
	uint64_t pc;
};

/*
 * An instruction moved out of line: code that does at `to` what the instruction did at `from`, and
 * then jumps to where that would have gone on. A call pushes the address it would have pushed, so
 * that unwinders see nothing new. Flags and registers are left alone (a thread that a
 * signal finds directly behind a copied syscall instruction still has to get `pc` of its point in
 * rcx). The code must be readable: constants stand in it.
 * A signal that an instruction raises itself (a fault, int3) finds pc at the point before it, or
 * behind it where that is what the processor does.
 */
struct arch_copy {
	uint8_t code[ARCH_COPY_MAX];
	uint8_t length;	     /* bytes of code */
	uint8_t body;	     /* a pc in (0, body] stands behind the instruction itself ... */
	uint8_t insn_length; /* ... which means `from + insn_length` in the original. body is 0
				where the instruction never goes on there (jumps, calls, ret) */
	bool is_trap;	     /* the instruction is int3: let the kernel's report through instead */
	struct arch_point points[5]; /* all places of the copy where a thread can stand */
	uint8_t point_count;
};

/* The point at this offset in the copy, or NULL: no instruction of the copy begins there. */
const struct arch_point *arch_copy_point(const struct arch_copy *copy, uint64_t offset);

enum arch_answer {
	ARCH_DONE,
	ARCH_CANNOT,  /* there is no such copy of this instruction; `why` says so in words */
	ARCH_TOO_FAR, /* `to` is too far from what it refers to: try a nearer one */
};

enum arch_answer arch_relocate(const uint8_t *bytes, size_t n, uint64_t from, uint64_t to,
			       struct arch_copy *out, const char **why);

/*
 * The copy, which stands at `at`, goes on at `to`, and no more at the next instruction of the original: there is another
 * copy of that. Its points stay what they are. ARCH_CANNOT: the instruction never goes on there.
 */
enum arch_answer arch_copy_join(struct arch_copy *copy, uint64_t at, uint64_t to);

/*
 * Carries out the simple ones without any copy: nop and endbr64, direct jmp, ret, push of a
 * register. `regs->dwarf` holds the state before it, and the state after it when the answer is
 * true. Memory goes through read and write. False: not a simple one, nothing was changed.
 */
struct arch_memory {
	int (*read)(void *ctx, uint64_t addr, void *buf, size_t n);
	int (*write)(void *ctx, uint64_t addr, const void *buf, size_t n);
	void *ctx;
};
bool arch_emulate(const uint8_t *bytes, size_t n, uint64_t addr, struct arch_regs *regs,
		  const struct arch_memory *memory);

/*
 * Which values decide where a thread goes from here? Read from the code, without running it: registers
 * and words in memory that a branch behind this point depends on, as they are now.
 *
 * A loop that gets on has one among them which is never the same twice (its counter, the element it has
 * come to); one that goes round for ever has not, though it may count its rounds.
 */
enum { ARCH_DECIDES_WORDS = 40, ARCH_FROM_WORD = 32, ARCH_FROM_NOTHING = 0xff };

/* In memory: at base + index * scale + offset. Base and index are registers as they are at the point (by
   DWARF number), words that stand before this one (ARCH_FROM_WORD + i), or ARCH_FROM_NOTHING. */
struct arch_word {
	uint8_t base, index;
	uint8_t scale, size;
	int64_t offset;
};

struct arch_decides {
	uint32_t registers; /* a bit for each, by DWARF number (0 to 15) */
	uint64_t words;	    /* a bit for each of `word` */
	/* What the function's result is made of: the same bits. */
	uint32_t result_registers;
	uint64_t result_words;
	struct arch_word word[ARCH_DECIDES_WORDS];
	bool loops;    /* the function comes back to the point without having returned ... */
	bool branches; /* the loop has a branch: something decides its way */
	uint64_t loop_low, loop_high; /* first and last instruction of the loop */
};

/*
 * The code at `addr`, along all ways that it may take inside its function and those that it calls. Calls
 * by a pointer, and so those of other libraries, are passed over. `known`: the registers whose values are known here, by
 * bits. `read` gives the bytes of the code: how many there are, up to n.
 */
void arch_decides(uint64_t addr, uint32_t known,
		  size_t (*read)(void *ctx, uint64_t addr, void *buf, size_t n), void *ctx,
		  struct arch_decides *out);

#endif
