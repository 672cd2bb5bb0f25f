/*
 * Executes each instruction of a table at its place and then from its copy, in a traced child:
 * registers, flags, vector state, memory and target must be equal. The same runs check arch_decode,
 * arch_jump_target, arch_emulate and the points of the copies.
 */
#include "tracer/arch/arch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <elf.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* A case is its length, bytes and text, in a section of its own. */
#define CASE(text)                                                                                 \
	__asm__(".pushsection arch_cases,\"a\"\n"                                                  \
		".byte 2f-1f\n1: " text "\n2: .asciz \"" text "\"\n"                               \
		".popsection");

/* clang-format off */
/* 0x4000(%rip) is the qword AIM, .+0x40 and the like are int3. */
CASE("nop") CASE("endbr64") CASE("nopw 0x0(%rax,%rax,1)") CASE("xchg %ax,%ax") CASE("pause")
CASE("mov %rsp, %rax") CASE("mov $0x1122334455667788, %rax") CASE("movabs 0x7f0000000000, %al")
CASE("mov %fs:0x28, %rax") CASE("mov (%rbx), %eax") CASE("mov %r9, 8(%rbx)")
CASE("mov 0x4000(%rip), %rax") CASE("mov %r10, 0x4000(%rip)") CASE("mov %r10b, 0x4000(%rip)")
CASE("movl $0x12345678, 0x4000-4(%rip)") CASE("movw $0x1234, 0x4000(%rip)")
CASE("movb $0x12, 0x4000(%rip)") CASE("movslq 0x4000(%rip), %r11")
CASE("movzbl 0x4000(%rip), %ecx") CASE("movsbq 0x4000(%rip), %rcx") CASE("movzwl (%rsi), %ecx")
CASE("lea 0x4000(%rip), %rax") CASE("lea 0x4000(%rip), %r15d") CASE("lea -0x40(%rip), %rax")
CASE("lea 8(%rsp,%r8,4), %rax") CASE("lea -8(%rsp), %rsp")
CASE("add %rax, %rbx") CASE("adc $7, %rax") CASE("sbb %r9, 0x4000(%rip)") CASE("sub $8, %rsp")
CASE("addl $1, 0x4000(%rip)") CASE("lock addl $1, 0x4000(%rip)") CASE("lock incq (%rbx)")
CASE("cmpl $5, 0x4000(%rip)") CASE("cmpb $5, 0x4000(%rip)") CASE("testl $0x4444, 0x4000(%rip)")
CASE("imul $1234, 0x4000(%rip), %rax") CASE("imul $12, 0x4000(%rip), %rax")
CASE("mulq 0x4000(%rip)") CASE("div %rcx") CASE("divq 0x4000(%rip)") CASE("neg %r9")
CASE("notq 0x4000(%rip)") CASE("incl 0x4000(%rip)") CASE("shlq $3, 0x4000(%rip)")
CASE("shldq $5, %r9, 0x4000(%rip)") CASE("sar %cl, %r9") CASE("rclq 0x4000(%rip)")
CASE("btsl $3, 0x4000(%rip)") CASE("bsf 0x4000(%rip), %rax") CASE("popcnt 0x4000(%rip), %rax")
CASE("cmpxchg %r9, (%rbx)") CASE("lock cmpxchg %r9, 0x4000(%rip)")
CASE("lock cmpxchg8b 0x4000(%rip)") CASE("lock cmpxchg16b 0x4000(%rip)")
CASE("xadd %r9, 0x4000(%rip)") CASE("xchg %r9, 0x4000(%rip)") CASE("mfence") CASE("bswap %r9")
CASE("sete %al") CASE("setc 0x4000(%rip)") CASE("cmovne 0x4000(%rip), %rax")
CASE("cmovb %r9, %rax") CASE("cqto") CASE("cltq") CASE("lahf") CASE("sahf") CASE("clc")
CASE("stc") CASE("cmc") CASE("std") CASE("cld") CASE("xlat") CASE("cpuid") CASE("xgetbv")
CASE("push %rax") CASE("push %r13") CASE("push %rsp") CASE("pushq $0x12") CASE("pushq $-5")
CASE("pushw $0x1234") CASE("push %bx") CASE("pushq 0x4000(%rip)") CASE("pushq 8(%rsp)")
CASE("pushfq") CASE("popfq") CASE("pop %rax") CASE("pop %rsp") CASE("popq 0x4000(%rip)")
CASE("popq 8(%rsp)") CASE("leave") CASE("enter $32, $0")
CASE("movsb") CASE("stosq") CASE("lodsl") CASE("rep movsb") CASE("rep movsq") CASE("rep stosb")
CASE("repe cmpsb") CASE("repne scasb") CASE("addr32 rep stosb")
CASE("movups 0x4000(%rip), %xmm0") CASE("movaps 0x4000(%rip), %xmm9")
CASE("movdqa %xmm1, 0x4000(%rip)") CASE("movsd 0x4000(%rip), %xmm1")
CASE("cvtsi2sdl 0x4000(%rip), %xmm1") CASE("pshufd $0x1b, 0x4000(%rip), %xmm1")
CASE("ucomisd 0x4000(%rip), %xmm0") CASE("pxor %xmm0, %xmm0") CASE("movq %r9, %xmm2")
CASE("cmpltsd 0x4000(%rip), %xmm1") CASE("pinsrw $2, 0x4000(%rip), %xmm1")
CASE("paddd 0x4000(%rip), %mm1") CASE("palignr $3, 0x4000(%rip), %xmm1")
CASE("vmovups 0x4000(%rip), %ymm3") CASE("vpaddd 0x4000(%rip), %ymm3, %ymm4")
CASE("vpblendvb %xmm1, 0x4000(%rip), %xmm2, %xmm3") CASE("vzeroupper")
CASE("vroundsd $4, 0x4000(%rip), %xmm1, %xmm2") CASE("vbroadcastss 0x4000(%rip), %ymm5")
CASE("andn 0x4000(%rip), %rax, %rbx") CASE("rorx $5, 0x4000(%rip), %rax")
CASE("vmovdqu64 0x4000(%rip), %zmm17") CASE("vpaddd 0x4000(%rip), %zmm3, %zmm4{%k1}")
CASE("vpaddd 0x4000(%rip){1to16}, %zmm3, %zmm4") CASE("vpcmpgtd 0x4000(%rip), %zmm3, %k2")
CASE("fldl 0x4000(%rip)") CASE("fld1") CASE("fstpl 0x4000(%rip)") CASE("fildll 0x4000(%rip)")
CASE("fnstcw 0x4000(%rip)") CASE("fninit") CASE("stmxcsr 0x4000(%rip)") CASE("emms")
CASE("prefetcht0 0x4000(%rip)") CASE("clflush 0x4000(%rip)") CASE("fxsave 0x4000(%rip)")
CASE("mov %ds, %eax")
CASE("jmp .+0x40") CASE("jmp .-0x40") CASE("jmp .+0x2000") CASE("jmp .-0x2000") CASE("jmp .+2")
CASE("je .+0x40") CASE("jne .+0x40") CASE("jc .+0x2000") CASE("jnc .-0x2000") CASE("js .-0x40")
CASE("jo .+0x40") CASE("jpe .+0x1000") CASE("jg .+0x40") CASE("jle .-0x1000") CASE("jae .+0x40")
CASE("ja .+0x40") CASE("jge .+0x40") CASE("jns .+0x40") CASE("jpo .+0x40") CASE("jno .+0x40")
CASE("jbe .+0x40") CASE("jl .+0x40")
CASE(".byte 0x3e; jne .+0x40") CASE(".byte 0x2e; je .+0x2000") CASE("je .+2")
CASE("loop .+0x40") CASE("loope .-0x40") CASE("loopne .+0x40") CASE("jrcxz .+0x40")
CASE("jecxz .+0x40") CASE("addr32 loop .+0x40")
CASE("call .+0x40") CASE("call .+0x2000") CASE("call .-0x2000") CASE("call .+5")
CASE(".byte 0x66, 0x66, 0x48; call .+0x40") CASE(".byte 0xf2; call .+0x40")
CASE("call *%rdx") CASE("call *%r13") CASE("call *%rsp") CASE("call *%rax") CASE("call *(%rbx)")
CASE("call *8(%rbx,%r8,8)") CASE("call *0x4000(%rip)") CASE(".byte 0xf2; call *0x4000(%rip)")
CASE("call *(%rsp)") CASE("call *-8(%rsp)") CASE("call *8(%rsp)") CASE("call *0x80(%rsp)")
CASE("call *16(%rsp,%r8,8)") CASE("call *-16(%rsp)") CASE("call *%fs:16") CASE("call *(%r12)")
CASE("call *(%r13)") CASE("call *(%rax)") CASE("notrack call *%rdx") CASE("call *(%rbp)")
CASE("call *(%ebx)") CASE("call *0x10(%r12,%r8,4)")
CASE("jmp *%rdx") CASE("jmp *%r13") CASE("jmp *%rsp") CASE("jmp *(%rbx)") CASE("jmp *%rax")
CASE("jmp *8(%rbx,%r8,8)") CASE("jmp *0x4000(%rip)") CASE("notrack jmp *%rdx")
CASE("notrack jmp *(%rbx,%r8,8)") CASE(".byte 0xf2; jmp *0x4000(%rip)") CASE("jmp *%fs:16")
CASE("jmp *(%r12)") CASE("jmp *8(%rsp)") CASE("jmp *%fs:(%r8,%r8)") CASE("jmp *-8(%rbp)")
CASE("jmp *(%ebx)") CASE("jmp *(,%r8,8)")
CASE("ret") CASE("ret $24") CASE("rep ret") CASE(".byte 0xf2; ret") CASE("ret $0x8000")
CASE("syscall") CASE("ud2") CASE("hlt") CASE("int3") CASE("int $3") CASE("int $0x42")
CASE("mov 0, %eax") CASE("push (%rax)") CASE("in %dx, %al") CASE("movaps 1(%rbx), %xmm0")
	/* clang-format on */

	extern const uint8_t __start_arch_cases[],
	__stop_arch_cases[];

enum { CODE_SIZE = 0x10000, STATE_MAX = 16384, VARIANTS = 4, AREAS = 5 };

/* Memory shared with the child, at equal addresses in both. */
static const struct area {
	uint64_t start;
	size_t size;
} areas[AREAS] = {
	{0x200000000000, CODE_SIZE},		 /* the program */
	{0x200000000000 + 0x100000, 0x1000},	 /* copies: near */
	{0x200000000000 - 0x40000000, 0x1000},	 /* 1 GiB below */
	{0x200000000000 + 0x4000000000, 0x1000}, /* beyond 2 GiB */
	{0x50000000, 0x4000},			 /* data and stack, within 32 bits */
};
static const uint64_t code = 0x200000000000, next = 0x200000008000, data = 0x50000000;
static const uint64_t aim = 0x200000000200, stack = 0x50002000;

struct outcome {
	struct user_regs_struct regs;
	int signal;
	uint8_t memory[0x4000], program[CODE_SIZE];
	uint8_t vector[STATE_MAX];
	size_t vector_size;
};

static pid_t child;
static struct outcome base; /* state of the child after its start */

static void set_vector(const struct outcome *o)
{
	struct iovec v = {(void *)o->vector, o->vector_size};

	assert_int_equal(ptrace(PTRACE_SETREGSET, child, NT_X86_XSTATE, &v), 0);
}

static void get_vector(struct outcome *o)
{
	struct iovec v = {o->vector, sizeof(o->vector)};

	assert_int_equal(ptrace(PTRACE_GETREGSET, child, NT_X86_XSTATE, &v), 0);
	o->vector_size = v.iov_len;
	memset(o->vector + 8, 0, 8); /* address of the last x87 instruction */
}

static int set_up(void **state)
{
	int status;

	(void)state;
	for (size_t i = 0; i < AREAS; i++)
		if (mmap((void *)areas[i].start, areas[i].size,
			 PROT_READ | PROT_WRITE | (areas[i].start == data ? 0 : PROT_EXEC),
			 MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
			return -1;
	child = fork();
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(child, &status, 0);
	ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_EXITKILL);
	if (ptrace(PTRACE_GETREGS, child, 0, &base.regs) < 0)
		return -1;
	get_vector(&base);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return 0;
}

/* Initial memory of each run: the instruction among int3, data filled with pointers to int3. */
static void set_memory(const uint8_t *bytes, size_t n)
{
	uint64_t *words = (uint64_t *)data;

	memset((void *)code, 0xcc, CODE_SIZE);
	memcpy((void *)(next - n), bytes, n);
	memcpy((void *)(next + 0x4000), &aim, sizeof(aim));
	for (size_t i = 0; i < 0x4000 / 8; i++)
		words[i] = aim + 0x80 + i % 64 * 16;
}

static void set_regs(struct user_regs_struct *r, int variant)
{
	static const uint64_t flags[VARIANTS] = {0x202, 0xad7, 0x602, 0x246};

	*r = base.regs;
	r->orig_rax = -1;
	r->rax = variant == 1 ? aim + 0x80 : 39; /* getpid */
	r->rbx = data + 0x40;
	r->rcx = (uint64_t)(variant == 3 ? 3 : variant);
	r->rdx = variant == 2 ? 0 : aim + 0x30;
	r->rsi = data + 0x200;
	r->rdi = data + 0x400;
	r->rbp = stack + 0x40;
	r->rsp = stack;
	r->r8 = 2;
	r->r9 = 0x8877665544332211 + (uint64_t)variant;
	r->r10 = 0xa5a5a5a5deadbeef;
	r->r11 = 11;
	r->r12 = data + 0x600;
	r->r13 = aim + 0x60;
	r->r14 = UINT64_MAX;
	r->r15 = 15;
	r->fs_base = data + 0x800;
	r->eflags = flags[variant];
}

static void set_thread(const struct user_regs_struct *r)
{
	assert_int_equal(ptrace(PTRACE_SETREGS, child, 0, r), 0);
}

/* Resumes the child until its next signal. Returns the signal. */
static int go(enum __ptrace_request how)
{
	int status;

	assert_int_equal(ptrace(how, child, 0, 0), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSTOPPED(status));
	return WSTOPSIG(status);
}

static void collect(struct outcome *o)
{
	assert_int_equal(ptrace(PTRACE_GETREGS, child, 0, &o->regs), 0);
	get_vector(o);
	/* XSTATE_BV: the parts that the processor considers in use */
	memset(o->vector + 512, 0, 64);
	memcpy(o->memory, (void *)data, sizeof(o->memory));
	memcpy(o->program, (void *)code, sizeof(o->program));
}

/* Memory below the stack pointer has no defined contents. */
static void clear_below(struct outcome *o, uint64_t sp)
{
	if (sp > data && sp <= stack)
		memset(o->memory + (sp - 256 - data), 0, 256);
}

static void compare(const char *text, struct outcome *a, struct outcome *b)
{
	struct user_regs_struct x = a->regs, y = b->regs;

	clear_below(a, x.rsp);
	clear_below(b, x.rsp);
	if (a->signal == b->signal && !memcmp(&x, &y, sizeof(x)) &&
	    !memcmp(a->memory, b->memory, sizeof(a->memory)) &&
	    !memcmp(a->program, b->program, sizeof(a->program)) &&
	    !memcmp(a->vector, b->vector, a->vector_size))
		return;
	fail_msg("%s: signal %d/%d rip %#llx/%#llx rsp %#llx/%#llx flags %#llx/%#llx memory %d "
		 "program %d vector %d registers %d",
		 text, a->signal, b->signal, x.rip, y.rip, x.rsp, y.rsp, x.eflags, y.eflags,
		 memcmp(a->memory, b->memory, sizeof(a->memory)),
		 memcmp(a->program, b->program, sizeof(a->program)),
		 memcmp(a->vector, b->vector, a->vector_size), memcmp(&x, &y, sizeof(x)));
}

static void start(const uint8_t *bytes, size_t n, int variant, uint64_t pc)
{
	struct user_regs_struct r;

	set_memory(bytes, n);
	set_vector(&base);
	set_regs(&r, variant);
	r.rip = pc;
	set_thread(&r);
}

/* Moves a thread inside a copy to the original, by its point. Returns false if it is outside. */
static bool to_original(const char *text, struct user_regs_struct *r, const struct arch_copy *copy,
			uint64_t to)
{
	const struct arch_point *p;

	if (r->rip - to >= copy->length)
		return false;
	p = arch_copy_point(copy, r->rip - to);
	if (!p)
		fail_msg("%s: no point at +%llu", text, r->rip - to);
	r->rip = p->pc;
	r->rsp += p->sp;
	return true;
}

static void check_copy(const char *text, struct outcome *native, const uint8_t *bytes, size_t n,
		       int variant, uint64_t to, const struct arch_copy *copy)
{
	static struct outcome o;

	start(bytes, n, variant, to);
	o.signal = go(PTRACE_CONT);
	collect(&o);
	to_original(text, &o.regs, copy, to);
	compare(text, native, &o);
}

/* Stops after k steps inside the copy, continues at the point's original place, and compares. */
static bool check_points(const char *text, struct outcome *native, const uint8_t *bytes, size_t n,
			 int variant, uint64_t to, const struct arch_copy *copy, int k)
{
	static struct outcome o;
	struct user_regs_struct r;
	int signal = SIGTRAP;

	start(bytes, n, variant, to);
	for (int i = 0; i < k && signal == SIGTRAP; i++)
		signal = go(PTRACE_SINGLESTEP);
	assert_int_equal(ptrace(PTRACE_GETREGS, child, 0, &r), 0);
	if (signal != SIGTRAP || !to_original(text, &r, copy, to))
		return false;
	set_thread(&r);
	o.signal = go(PTRACE_CONT);
	collect(&o);
	compare(text, native, &o);
	return true;
}

static int read_memory(void *ctx, uint64_t addr, void *buf, size_t n)
{
	(void)ctx;
	for (size_t i = 0; i < AREAS; i++) {
		if (addr - areas[i].start < areas[i].size && n <= areas[i].size) {
			memcpy(buf, (void *)addr, n);
			return 0;
		}
	}
	return -1;
}

static int write_memory(void *ctx, uint64_t addr, const void *buf, size_t n)
{
	uint8_t old[8];

	assert_true(n <= sizeof(old));
	if (read_memory(ctx, addr, old, n) < 0)
		return -1;
	memcpy((void *)addr, buf, n);
	return 0;
}

static void to_arch(const struct user_regs_struct *r, struct arch_regs *out)
{
	*out = (struct arch_regs){
		.dwarf = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp, r->r8,
			  r->r9, r->r10, r->r11, r->r12, r->r13, r->r14, r->r15, r->rip},
		.flags = r->eflags,
		.fs_base = r->fs_base,
	};
}

/* Compares arch_decode with the processor's next instruction. */
static void check_flow(const char *text, const uint8_t *bytes, size_t n,
		       const struct outcome *native)
{
	struct arch_insn in;
	uint64_t pc = native->regs.rip - 1;

	assert_int_equal(arch_decode(bytes, n, next - n, &in), 0);
	assert_int_equal(in.length, n);
	if (native->signal != SIGTRAP || in.is_trap || !strcmp(text, "int $3"))
		return; /* a fault */
	switch (in.flow) {
	case ARCH_FLOW_NEXT:
		assert_int_equal(pc, next);
		break;
	case ARCH_FLOW_BRANCH:
		assert_true(pc == next || pc == in.target);
		break;
	case ARCH_FLOW_JUMP:
	case ARCH_FLOW_CALL:
		assert_int_equal(pc, in.target);
		break;
	case ARCH_FLOW_STOP:
		fail_msg("%s: went on", text);
		break;
	default:
		assert_true(pc != next);
	}
	if (in.flow == ARCH_FLOW_CALL || in.flow == ARCH_FLOW_CALL_INDIRECT)
		assert_int_equal(native->regs.rsp, stack - 8);
}

static void check_jump_target(const char *text, const uint8_t *bytes, size_t n, int variant,
			      const struct outcome *native)
{
	struct user_regs_struct r;
	struct arch_regs regs;
	struct arch_insn in;
	uint64_t target;

	set_memory(bytes, n);
	set_regs(&r, variant);
	to_arch(&r, &regs);
	assert_int_equal(arch_decode(bytes, n, next - n, &in), 0);
	if (arch_jump_target(bytes, n, next - n, &regs, read_memory, NULL, &target) < 0) {
		if (in.flow == ARCH_FLOW_BRANCH || in.flow == ARCH_FLOW_JUMP ||
		    (in.flow == ARCH_FLOW_JUMP_INDIRECT && native->signal == SIGTRAP))
			fail_msg("%s: no jump target", text);
		return;
	}
	assert_true(in.flow == ARCH_FLOW_JUMP_INDIRECT || in.flow == ARCH_FLOW_CALL_INDIRECT ||
		    in.flow == ARCH_FLOW_BRANCH || in.flow == ARCH_FLOW_JUMP);
	if (in.flow == ARCH_FLOW_CALL_INDIRECT && native->signal != SIGTRAP)
		return; /* to an invalid address: the call itself faults */
	assert_int_equal(target, native->regs.rip - (native->signal == SIGTRAP));
}

/* Returns 1 if arch_emulate executed the instruction. */
static int check_emulation(const char *text, const uint8_t *bytes, size_t n, int variant,
			   struct outcome *native)
{
	struct arch_memory memory = {read_memory, write_memory, NULL};
	struct user_regs_struct r;
	static struct outcome o;
	struct arch_regs regs, after;

	set_memory(bytes, n);
	set_regs(&r, variant);
	r.rip = next - n;
	to_arch(&r, &regs);
	to_arch(&native->regs, &after);
	if (!arch_emulate(bytes, n, next - n, &regs, &memory))
		return 0;
	regs.dwarf[ARCH_DWARF_PC] += native->signal == SIGTRAP;
	if (memcmp(&regs, &after, sizeof(regs)) != 0)
		fail_msg("%s: emulated wrongly", text);
	o = *native;
	memcpy(o.memory, (void *)data, sizeof(o.memory));
	compare(text, native, &o);
	return 1;
}

static int copies, points, emulated;

static void check_case(const char *text, const uint8_t *bytes, size_t n, int variant)
{
	static struct outcome native;

	start(bytes, n, variant, next - n);
	native.signal = go(PTRACE_CONT);
	collect(&native);
	check_flow(text, bytes, n, &native);
	check_jump_target(text, bytes, n, variant, &native);
	emulated += check_emulation(text, bytes, n, variant, &native);
	for (size_t i = 1; i <= 3; i++) {
		uint64_t to = areas[i].start + 0x800;
		bool relative = i == 3 && strstr(text, "(%rip)");
		struct arch_copy copy;
		const char *why;

		assert_int_equal(arch_relocate(bytes, n, next - n, to, &copy, &why),
				 relative ? ARCH_TOO_FAR : ARCH_DONE);
		if (relative)
			continue;
		memset((void *)areas[i].start, 0xcc, areas[i].size);
		memcpy((void *)to, copy.code, copy.length);
		check_copy(text, &native, bytes, n, variant, to, &copy);
		copies++;
		/* pushed flags and r11 show the single step; an int3 equals a step; memory below
		   the stack pointer is lost, so a restart is impossible */
		if (strstr(text, "pushf") || !strncmp(text, "int", 3) || !strcmp(text, "syscall") ||
		    !strcmp(text, "call *-8(%rsp)") || !strcmp(text, "call *-16(%rsp)"))
			continue;
		for (int k = 1; check_points(text, &native, bytes, n, variant, to, &copy, k); k++)
			points++;
	}
}

static void test_all_instructions(void **state)
{
	const uint8_t *p = __start_arch_cases;
	bool avx512 = __builtin_cpu_supports("avx512bw");
	int cases = 0;

	(void)state;
	while (p < __stop_arch_cases) {
		const char *text = (const char *)p + 1 + *p;

		for (int v = 0; v < VARIANTS; v++)
			if (avx512 || !strstr(text, "zmm"))
				check_case(text, p + 1, *p, v);
		cases++;
		p = (const uint8_t *)text + strlen(text) + 1;
	}
	print_message("%d instructions, %d copies, %d points, %d emulated\n", cases, copies, points,
		      emulated);
	assert_true(cases > 220 && emulated > 30 && points > 1500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_instructions)};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
