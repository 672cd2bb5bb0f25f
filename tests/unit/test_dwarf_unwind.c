/* Frames, backtraces and entry values of a program that inspects itself. */
#include "tests/unit/symbols_self.h"

#include "tracer/dwarf/expressions/expression.h"

#include <libdwarf/dwarf.h>

#include <alloca.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/auxv.h>

static struct self *self;
static volatile int sink;

static struct dwarf_frame up_of(const struct dwarf_frame *f)
{
	struct dwarf_frame up;
	ERROR(err);
	int answer = dwarf_frame_up(f, &up, &err);

	if (answer < 0)
		fail_msg("%s", err.text);
	assert_int_equal(answer, 1);
	assert_int_equal(up.level, f->level + 1);
	return up;
}

/* ---- the same frames as backtrace(3) -------------------------------------------------------- */

static void *wanted[64];
static int wanted_count;
static struct inspect_stack stack;

__attribute__((noinline)) static int look_around(int a)
{
	struct dwarf_frame f;

	wanted_count = backtrace(wanted, 64);
	self_frame(self, &f);
	inspect_stack(&f, 0, 100, &stack);
	return sink += a;
}

__attribute__((noinline)) static int three(int a)
{
	return look_around(a * 3) + 1;
}

/* A frame of variable size: it has a frame pointer. */
__attribute__((noinline)) static int two(int a)
{
	char *text = alloca((size_t)(sink + 100 + a));

	snprintf(text, 100, "%d", a);
	return three(text[0]) + text[1];
}

__attribute__((noinline)) static int one(int a)
{
	return two(a + 7) + sink;
}

/* Compares the calls, inlined copies excluded, with backtrace(3). */
static void compare_with_backtrace(void)
{
	size_t i = 0;
	int n = 0;

	for (; i < stack.count; i++) {
		if (stack.items[i].inlined || stack.items[i].jumped)
			continue;
		assert_true(n < wanted_count);
		if (n) /* the first frame has moved on between the two calls */
			assert_int_equal(stack.items[i].frame.pc, (uint64_t)wanted[n]);
		n++;
	}
	assert_int_equal(n, wanted_count);
	assert_false(stack.cut);
}

static void same_as_backtrace(void **state)
{
	static const char *const names[] = {"look_around", "three", "two", "one",
					    "same_as_backtrace"};

	(void)state;
	sink = one(1);
	compare_with_backtrace();
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_string_equal(stack.items[i].function, names[i]);
		assert_non_null(strstr(stack.items[i].file, "test_dwarf_unwind.c"));
		assert_true(stack.items[i].line > 30 && stack.items[i].line < 110);
	}
	inspect_stack_fini(&stack);
}

static void most_is_most(void **state)
{
	struct dwarf_frame f;
	struct inspect_stack s;

	(void)state;
	self_frame(self, &f);
	self->reads = 0;
	inspect_stack(&f, 0, 1, &s);
	assert_int_equal(s.count, 1);
	assert_true(s.cut);
	assert_string_equal(s.items[0].function, "most_is_most");
	assert_int_equal(self->reads, 0); /* name and line need no system call */
	inspect_stack_fini(&s);
}

/* ---- registers ------------------------------------------------------------------------------ */

__attribute__((noinline)) static struct dwarf_frame spoil(void)
{
	struct dwarf_frame f;

	/* All callee-saved registers must be saved. */
	__asm__ volatile("xor %%ebx, %%ebx\n\txor %%r12d, %%r12d\n\txor %%r13d, %%r13d\n\t"
			 "xor %%r14d, %%r14d\n\txor %%r15d, %%r15d" ::
				 : "rbx", "r12", "r13", "r14", "r15");
	self_frame(self, &f);
	return up_of(&f);
}

static void kept_registers_come_back(void **state)
{
	register uint64_t rbx __asm__("rbx") = 0x1111;
	register uint64_t r12 __asm__("r12") = 0x2222;
	register uint64_t r15 __asm__("r15") = 0x3333;
	struct dwarf_frame f;
	ERROR(err);
	uint64_t cfa;

	(void)state;
	__asm__ volatile("" : "+r"(rbx), "+r"(r12), "+r"(r15));
	f = spoil();
	__asm__ volatile("" : "+r"(rbx), "+r"(r12), "+r"(r15));
	assert_int_equal(f.regs[3], 0x1111);
	assert_int_equal(f.regs[12], 0x2222);
	assert_int_equal(f.regs[15], 0x3333);
	assert_int_equal(f.known & 1, 0);      /* rax */
	assert_int_equal(f.known >> 5 & 1, 0); /* rdi */
	assert_int_equal(f.known >> 16 & 1, 1);
	assert_int_equal(dwarf_frame_cfa(&f, &cfa, &err), 0);
	assert_int_equal(cfa, (uint64_t)__builtin_dwarf_cfa());
}

/* ---- signals -------------------------------------------------------------------------------- */

static uint64_t interrupted;
static struct dwarf_frame at_signal;

static void on_signal(int signal, siginfo_t *info, void *context)
{
	struct dwarf_frame f;
	struct arch_regs regs = self_regs(context);

	(void)info;
	interrupted = regs.dwarf[16];
	dwarf_frame_first(&self->program, NULL, &regs, &at_signal);
	wanted_count = backtrace(wanted, 64);
	self_frame(self, &f);
	inspect_stack(&f, 0, 100, &stack);
	sink += signal;
}

__attribute__((noinline)) static int faulty(volatile int *p)
{
	__asm__ volatile("ud2");
	return *p;
}

static void step_over(int signal, siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	on_signal(signal, info, context);
	u->uc_mcontext.gregs[REG_RIP] += 2;
}

static void check_signal(const char *first, const char *handler)
{
	size_t i = 0;

	compare_with_backtrace();
	assert_string_equal(stack.items[i++].function, first);
	if (handler)
		assert_string_equal(stack.items[i++].function, handler);
	assert_string_equal(stack.items[i].function, "<signal handler called>");
	assert_true(stack.items[i++].frame.signal);
	assert_int_equal(stack.items[i].frame.pc, interrupted);
	assert_int_equal(stack.items[i].frame.lookup_pc, interrupted);
	/* The kernel's signal frame has all registers of the interrupted code. */
	assert_int_equal(stack.items[i].frame.known, 0x1ffff);
	assert_memory_equal(stack.items[i].frame.regs, at_signal.regs, sizeof(at_signal.regs));
	inspect_stack_fini(&stack);
}

static void through_signal_handlers(void **state)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO}, old;
	static char other[1 << 20];
	const stack_t elsewhere = {.ss_sp = other, .ss_size = sizeof(other)};
	const stack_t none = {.ss_flags = SS_DISABLE};

	(void)state;
	sigaction(SIGUSR1, &action, &old);
	raise(SIGUSR1);
	check_signal("on_signal", NULL);
	sigaltstack(&elsewhere, NULL);
	action.sa_flags |= SA_ONSTACK;
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	check_signal("on_signal", NULL);
	sigaltstack(&none, NULL);
	action.sa_sigaction = step_over;
	action.sa_flags = SA_SIGINFO;
	sigaction(SIGILL, &action, NULL);
	faulty(&wanted_count);
	/* The frame is at the faulting instruction, which is no call. */
	check_signal("on_signal", "step_over");
}

/* ---- code without call frame information ----------------------------------------------------- */

__asm__(".text\n"
	".globl in_between\n"
	".type in_between, @function\n"
	"in_between:\n"
	"	nop\n"
	"	ret\n"
	"my_restore:\n"
	"	mov $15, %rax\n"
	"	syscall\n");
extern char my_restore[] __asm__("my_restore"), in_between[];

static struct dwarf_frame made_frame(const void *pc, void *sp, void *fp)
{
	struct arch_regs regs = {
		.dwarf = {[16] = (uint64_t)pc, [7] = (uint64_t)sp, [6] = (uint64_t)fp}};
	struct dwarf_frame f;

	dwarf_frame_first(&self->program, NULL, &regs, &f);
	return f;
}

static void without_information(void **state)
{
	uint64_t words[64] = {0}, here = (uint64_t)compare_with_backtrace + 1;
	struct dwarf_frame f, up;
	ERROR(err);

	(void)state;
	words[0] = here;
	words[20] = (uint64_t)&words[30];
	words[21] = here;
	/* At a function's first instruction nothing has been pushed. */
	f = made_frame(in_between, words, NULL);
	f = up_of(&f);
	assert_int_equal(f.pc, here);
	assert_int_equal(f.regs[7], (uint64_t)&words[1]);
	/* After it, only a frame pointer helps. */
	f = made_frame(in_between + 1, words, &words[20]);
	f = up_of(&f);
	assert_int_equal(f.pc, here);
	assert_int_equal(f.regs[6], (uint64_t)&words[30]);
	assert_int_equal(f.regs[7], (uint64_t)&words[22]);
	f = made_frame(in_between + 1, words, &words[3]);
	assert_int_equal(dwarf_frame_up(&f, &up, &err), -1);
	assert_int_equal(err.code, ERROR_STATE);
	/* Call of a null pointer. */
	f = made_frame(NULL, words, NULL);
	f = up_of(&f);
	assert_int_equal(f.pc, here);
	/* Signal trampoline of a C library without call frame information. */
	for (int i = 0; i < 17; i++)
		words[5 + i] = (uint64_t)(100 + i);
	words[5 + 15] = (uint64_t)&words[60];
	words[5 + 16] = here;
	f = made_frame(my_restore, words, NULL);
	f = up_of(&f);
	assert_int_equal(f.pc, here);
	assert_int_equal(f.lookup_pc, here);
	assert_int_equal(f.regs[8], 100);
	assert_int_equal(f.regs[5], 108);
	assert_int_equal(f.regs[2], 114);
	assert_int_equal(f.regs[7], (uint64_t)&words[60]);
}

/* The kernel's vdso has an ELF image, but no file. */
static void through_the_vdso(void **state)
{
	const ElfW(Ehdr) *elf = (const void *)getauxval(AT_SYSINFO_EHDR);
	uint64_t words[4] = {(uint64_t)compare_with_backtrace + 1};
	struct dwarf_frame f;

	(void)state;
	assert_non_null(elf);
	const ElfW(Shdr) *sections = (const void *)((const char *)elf + elf->e_shoff);

	for (int i = 0; i < elf->e_shnum; i++) {
		const ElfW(Sym) *symbols =
			(const void *)((const char *)elf + sections[i].sh_offset);

		for (size_t k = 1; sections[i].sh_type == SHT_DYNSYM &&
				   k < sections[i].sh_size / sizeof(*symbols);
		     k++) {
			if (ELF64_ST_TYPE(symbols[k].st_info) != STT_FUNC)
				continue;
			f = made_frame((const char *)elf + symbols[k].st_value, words, NULL);
			assert_null(f.module);
			f = up_of(&f);
			assert_int_equal(f.pc, words[0]);
			assert_int_equal(f.regs[7], (uint64_t)&words[1]);
		}
	}
}

static void broken_stacks_end(void **state)
{
	uint64_t words[4] = {(uint64_t)compare_with_backtrace + 1};
	struct dwarf_frame f, up;
	struct inspect_stack s;
	ERROR(err);

	(void)state;
	f = made_frame(in_between, (void *)16, NULL);
	assert_int_equal(dwarf_frame_up(&f, &up, &err), -1);
	assert_non_null(strstr(err.text, "0x10"));
	inspect_stack(&f, 0, 10, &s);
	assert_int_equal(s.count, 1);
	assert_true(s.cut);
	inspect_stack_fini(&s);
	words[0] = 0; /* no caller */
	f = made_frame(in_between, words, NULL);
	assert_int_equal(dwarf_frame_up(&f, &up, &err), 0);
}

/* ---- inlined copies -------------------------------------------------------------------------- */

static struct inspect_stack entered, outside;

__attribute__((noinline)) static void see(void)
{
	struct dwarf_frame f;

	self_frame(self, &f);
	inspect_stack(&f, 0, 100, &stack);
}

__attribute__((always_inline)) static inline int innermost(int a)
{
	see();
	return a + sink;
}

__attribute__((always_inline)) static inline int middle(int a)
{
	sink++;
	return innermost(a) * 3;
}

__attribute__((noinline)) static int around(int a)
{
	int r = middle(a);

	return r + sink;
}

static void copies_are_calls(void **state)
{
	static const char *const names[] = {"see", "innermost", "middle", "around",
					    "copies_are_calls"};

	(void)state;
	sink = around(sink);
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(stack.items[i].function, names[i]);
	assert_true(stack.items[1].inlined && stack.items[2].inlined);
	assert_false(stack.items[0].inlined || stack.items[3].inlined);
	assert_int_equal(stack.items[1].depth, 0);
	assert_int_equal(stack.items[2].depth, 1);
	assert_int_equal(stack.items[3].depth, 2);
	assert_int_equal(stack.items[1].frame.pc, stack.items[3].frame.pc);
	/* Each frame is at its own line that calls the next. */
	assert_int_equal(stack.items[2].line, stack.items[1].line + 7);
	assert_int_equal(stack.items[3].line, stack.items[2].line + 5);
	inspect_stack_fini(&stack);
}

/* The call of that function, or NULL. */
static const struct inspect_call *call_of(const struct inspect_stack *calls, const char *function)
{
	array_each(const struct inspect_call, call, calls)
		if (call->function && strcmp(call->function, function) == 0)
			return call;
	return NULL;
}

/* A thread stopped at the entry of `around` or of a copy is not yet in an inner copy. */
static void copies_not_entered(void **state)
{
	static const char *const names[] = {"middle", "around"};
	uint64_t bias = self->modules[0].bias, low, size;
	unsigned left_out = 0;

	(void)state;
	assert_int_equal(module_symbol(self->modules[0].module, "around", &low, &size), 0);
	for (uint64_t i = 0; i < size * 2; i++) {
		struct dwarf_frame f = made_frame((void *)(bias + low + i / 2), &low, NULL);
		const struct inspect_call *own;

		inspect_stack(&f, 0, 4, &entered);
		own = call_of(&entered, names[i % 2]);
		inspect_stack(&f, own ? own->scope : 0, 4, &outside);
		assert_true(outside.count >= 1);
		if (own) {
			assert_string_equal(outside.items[0].function, names[i % 2]);
			assert_int_equal(outside.items[0].depth, own->depth);
			assert_int_equal(outside.items[0].inlined, own->inlined);
			assert_true(own->line - 4 <= outside.items[0].line &&
				    outside.items[0].line <= own->line + 4);
			left_out += own != entered.items;
		}
		inspect_stack_fini(&entered);
		inspect_stack_fini(&outside);
	}
	assert_true(left_out > 0);
}

/* ---- functions that have returned ------------------------------------------------------------ */

__attribute__((noinline)) static int leaves(int a)
{
	sink += a;
	return three(a + 1);
}

__attribute__((noinline)) static int leaves_too(int a)
{
	sink -= a;
	return leaves(a * 5);
}

static void jumps_are_calls(void **state)
{
	static const char *const names[] = {"look_around", "three", "leaves", "leaves_too",
					    "jumps_are_calls"};
	uint64_t cfa, same;
	ERROR(err);

	(void)state;
	sink = leaves_too(sink) + 1;
	compare_with_backtrace();
	for (size_t i = 0; i < 5; i++)
		assert_string_equal(stack.items[i].function, names[i]);
#ifdef __OPTIMIZE__
	assert_true(stack.items[2].jumped && stack.items[3].jumped);
	assert_int_equal(stack.items[2].line + 6, stack.items[3].line);
	assert_int_equal(dwarf_frame_cfa(&stack.items[1].frame, &cfa, &err), 0);
	assert_int_equal(dwarf_frame_cfa(&stack.items[2].frame, &same, &err), 0);
	assert_int_equal(cfa, same);
#else /* the functions are still on the stack */
	assert_false(stack.items[2].jumped || stack.items[3].jumped);
	assert_int_equal(dwarf_frame_cfa(&stack.items[1].frame, &cfa, &err), 0);
	assert_int_equal(dwarf_frame_cfa(&stack.items[2].frame, &same, &err), 0);
	assert_true(cfa < same);
#endif
	inspect_stack_fini(&stack);
}

/* ---- entry values --------------------------------------------------------------------------- */

static int entry_answer;
static uint64_t entry_got;
static struct error entry_err;

/* Reads the entry value of the first argument of the caller. */
__attribute__((noinline)) static void ask(void)
{
	static const uint8_t rdi[] = {DW_OP_reg5};
	struct dwarf_frame f, up;

	self_frame(self, &f);
	up = up_of(&f);
	entry_answer = callsite_value(&(struct expression){.frame = &up}, rdi, sizeof(rdi), 0,
				      &entry_got, &entry_err);
}

__attribute__((noinline)) static int forgets(int a, int b)
{
	__asm__ volatile("xor %%edi, %%edi" ::"r"(a) : "rdi");
	ask();
	return sink + b;
}

__attribute__((noinline)) static int jumps(int a, int b)
{
	sink += b;
	return forgets(a + 1, b);
}

typedef int function_of_two(int, int);
static function_of_two *volatile through = forgets;

static void entry_values(void **state)
{
	int a = sink & 3, r;

	(void)state;
	r = forgets(4711, 1) + 1;
	assert_int_equal(entry_answer, 0);
	assert_int_equal(entry_got, 4711);
	r += forgets(a + 100, r) + 1;
	if (entry_answer == 0) /* the compiler may not have recorded it */
		assert_int_equal((int)entry_got, a + 100);
	/* A tail call in between: the call passed another value. */
	r += jumps(17, r) + 1;
	assert_int_equal(entry_answer, -1);
	assert_int_equal(entry_err.code, ERROR_STATE);
	assert_non_null(strstr(entry_err.text, "another function"));
	/* An indirect call: the callee is unknown. */
	r += through(18, r) + 1;
	assert_int_equal(entry_answer, -1);
	sink = r;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_backtrace),
		cmocka_unit_test(most_is_most),
		cmocka_unit_test(kept_registers_come_back),
		cmocka_unit_test(through_signal_handlers),
		cmocka_unit_test(without_information),
		cmocka_unit_test(through_the_vdso),
		cmocka_unit_test(broken_stacks_end),
		cmocka_unit_test(copies_are_calls),
		cmocka_unit_test(copies_not_entered),
		cmocka_unit_test(jumps_are_calls),
		cmocka_unit_test(entry_values),
	};
	int failed;

	self = self_new();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	self_free(self);
	return failed;
}
