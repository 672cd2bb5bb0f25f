/* Finds the access that an instruction was about to make, and what is mapped at its address. */
#include "tracer/run/modules/images.h"
#include "tracer/features/crash/crash.h"
#include "tracer/base/files/io.h"
#include "tracer/base/signame.h"
#include "tracer/tracee/threads/threads.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An address below NULL_REACH is NULL or a member of a structure at NULL. */
enum { NULL_REACH = 0x10000, RED_ZONE = 128, SLACK = 256, PAGE = 4096 };

static void address_add_address(uint64_t a, struct str *out)
{
	if (a == 0)
		str_add(out, "NULL");
	else if (a < NULL_REACH)
		str_addf(out, "NULL + 0x%llx", (unsigned long long)a);
	else if (-a < NULL_REACH)
		str_addf(out, "NULL - 0x%llx", (unsigned long long)-a);
	else
		str_addf(out, "0x%llx", (unsigned long long)a);
}

/* ---- stacks ------------------------------------------------------------------------------ */

static bool has_stack_in(struct run_thread *t, const struct tracee_mapping *map)
{
	struct arch_regs regs;

	if (!run_thread_lives(t))
		return false;
	if (strcmp(map->path, "[stack]") == 0)
		return run_thread_is_first(t);
	return map->writable && tracee_regs(run_thread_tracee(t), &regs) == 0 &&
	       ((regs.dwarf[ARCH_DWARF_SP] >= map->start && regs.dwarf[ARCH_DWARF_SP] < map->end) ||
		(!run_thread_is_first(t) && regs.fs_base >= map->start && regs.fs_base < map->end));
}

static struct run_thread *thread_with_stack(struct crash *c, const struct tracee_mapping *map)
{
	if (has_stack_in(c->thread, map))
		return c->thread;
	run_each_thread(t, run_of(c->process))
		if (run_process_of(t) == c->process && has_stack_in(t, map))
			return t;
	return NULL;
}

/* A guard page of madvise(2), MADV_GUARD_INSTALL, is not in /proc/PID/maps: the mapping around it
 * is readable there. glibc 2.42 makes such guards for stacks. *map becomes the guard if `at` is in
 * one. */
static void cut_guard(struct tracee_process *p, uint64_t at, struct tracee_mapping *map)
{
	uint64_t start = at & -(uint64_t)PAGE, end = start;
	uint8_t byte;

	if (at < map->start || !map->readable || map->path[0] == '/')
		return;
	while (end < map->end && tracee_read(p, end, &byte, 1) < 0)
		end += PAGE;
	if (end == start)
		return;
	map->start = start;
	map->end = end;
	map->readable = map->writable = map->executable = false;
}

/* True if the stack pointer is at the end of the thread's stack and the access is below that
 * end. */
static bool overflows(struct crash *c, const struct arch_regs *regs)
{
	uint64_t sp = regs->dwarf[ARCH_DWARF_SP], from = sp - RED_ZONE - SLACK;
	uint64_t at = c->has_address ? c->address : sp;
	struct tracee_mapping map;

	if (at < from || tracee_mapping_above(run_process_tracee(c->process), at, &map) < 0)
		return false;
	cut_guard(run_process_tracee(c->process), at, &map);
	if (map.start <= at && !map.readable && !map.writable) {
		const uint64_t end = map.end;

		if (tracee_mapping_above(run_process_tracee(c->process), end, &map) < 0)
			return false;
		map.start = map.start < end ? end : map.start;
	}
	if (!c->has_address && map.start <= sp && sp - map.start > 16 * SLACK)
		return false;
	return (c->has_address ? at < map.start && sp < map.start + SLACK : true) &&
	       thread_with_stack(c, &map) == c->thread;
}

/* ---- memory ------------------------------------------------------------------------------ */

static void add_rights(const struct tracee_mapping *map, struct str *out)
{
	if (!map->readable && !map->writable && !map->executable)
		str_add(out, ", where no access is permitted");
	else if (!map->writable)
		str_add(out, ", read-only");
	else if (!map->executable)
		str_add(out, ", which is no code");
}

static void add_mapping(struct crash *c, const struct tracee_mapping *map, struct str *out)
{
	struct run_thread *of = thread_with_stack(c, map);
	const struct image *image = images_at(c->process, c->address); /* .bss is anonymous
								        * memory */

	if (of)
		str_addf(out, "in the stack of %s", run_thread_id(of));
	else if (strcmp(map->path, "[heap]") == 0)
		str_add(out, "in the heap");
	else if (map->path[0] == '/')
		str_addf(out, "in %s", str_base_name(map->path));
	else if (map->path[0])
		str_addf(out, "in %s", map->path);
	else if (image)
		str_addf(out, "in %s", module_name(image->module));
	else if (!map->readable && !map->writable && !map->executable)
		str_add(out, "in a guard page or reserved memory");
	else
		str_add(out, "in anonymous memory");
	if (c->fault.signal == SIGBUS && map->path[0] == '/')
		str_add(out, ", beyond the end of the file");
	else
		add_rights(map, out);
}

/* Returns MALLOC_PERTURB_ of the program's environment, or 0 if it is not set. */
static unsigned perturb_byte(const struct crash *c)
{
	static const char name[] = "MALLOC_PERTURB_=";
	STR(path);
	STR(text);
	unsigned value = 0;
	int fd;

	str_addf(&path, "/proc/%d/environ", run_process_pid(c->process));
	fd = open(str_text(&path), O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		io_read(fd, &text);
		close(fd);
	}
	for (const char *at = str_text(&text); at < str_text(&text) + text.length;
	     at += strlen(at) + 1)
		if (strncmp(at, name, sizeof(name) - 1) == 0)
			value = (unsigned)strtoul(at + sizeof(name) - 1, NULL, 10) & 0xff;
	return value;
}

/* Returns the byte of which the upper six bytes of the address consist, or -1 if they differ or are
 * 0x00 or 0xff. The lower two may hold a member's offset. */
static int filling_of(uint64_t a)
{
	unsigned byte = a >> 56;

	for (int shift = 48; shift >= 16; shift -= 8)
		if ((a >> shift & 0xff) != byte)
			return -1;
	return byte && byte != 0xff ? (int)byte : -1;
}

static void add_origin(const struct crash *c, struct str *out)
{
	int byte = filling_of(c->address);
	unsigned perturb = byte < 0 ? 0 : perturb_byte(c);

	if (perturb && byte == (int)perturb)
		str_addf(out,
			 ": it comes from freed memory, which MALLOC_PERTURB_ fills with "
			 "0x%02x",
			 perturb);
	else if (perturb && byte == (int)(perturb ^ 0xff))
		str_addf(out,
			 ": it comes from allocated memory that was never written, which "
			 "MALLOC_PERTURB_ fills with 0x%02x",
			 perturb ^ 0xff);
	else if (crash_is_freed(c))
		str_add(out, ": it comes from freed memory, where glibc's malloc has stored it");
	else if (byte >= 0)
		str_addf(out, ": it looks like memory filled with 0x%02x", byte);
	crash_add_freed(c, out);
}

static void describe_where(struct crash *c, struct str *out)
{
	struct tracee_mapping map;

	if (c->address < NULL_REACH || -c->address < NULL_REACH)
		return;
	if (!arch_is_address(c->address)) {
		str_add(out, "no address at all");
		add_origin(c, out);
	} else if (tracee_mapping_at(run_process_tracee(c->process), c->address, &map) < 0) {
		str_add(out, "nothing is mapped there");
		add_origin(c, out);
	} else {
		cut_guard(run_process_tracee(c->process), c->address, &map);
		add_mapping(c, &map, out);
	}
}

static const char *accesses(const struct crash *c)
{
	return c->access.writes ? "writes" : "reads";
}

static void by_address(struct crash *c, uint64_t address, const char *verb)
{
	c->has_address = true;
	c->address = address;
	str_addf(&c->what, "%s ", verb);
	address_add_address(address, &c->what);
	describe_where(c, &c->where);
}

/* For an access to mapped memory with the necessary rights. The kernel reports no address, or 0. */
static void misaligned(struct crash *c)
{
	if (!c->has_access) {
		str_add(&c->what, "makes an unaligned access");
		return;
	}
	c->has_address = true;
	c->address = c->access.address;
	str_addf(&c->what, "%s ", accesses(c));
	address_add_address(c->address, &c->what);
	str_add(&c->what, ", which is not aligned");
	if (c->access.size)
		str_addf(&c->what, " to %llu bytes", (unsigned long long)c->access.size);
}

/* ---- no address reported: the processor refuses a non-canonical address ------------------ */

static int read_memory(void *ctx, uint64_t address, void *buf, size_t n)
{
	return tracee_read(ctx, address, buf, n);
}

static void without_address(struct crash *c, const uint8_t *bytes, const struct arch_regs *regs)
{
	struct arch_insn insn = {0};
	uint64_t to;

	arch_decode(bytes, ARCH_INSN_MAX, c->pc, &insn);
	if (c->has_access && !arch_is_address(c->access.address)) {
		by_address(c, c->access.address, accesses(c));
	} else if (insn.flow == ARCH_FLOW_RETURN && c->has_access &&
		   tracee_read(run_process_tracee(c->process), c->access.address, &to,
			       sizeof(to)) == 0) {
		by_address(c, to, "returns to");
	} else if (arch_jump_target(bytes, ARCH_INSN_MAX, c->pc, regs, read_memory,
				    run_process_tracee(c->process), &to) == 0 &&
		   !arch_is_address(to)) {
		by_address(c, to, insn.flow == ARCH_FLOW_CALL_INDIRECT ? "calls" : "jumps to");
	} else if (c->has_access && c->access.size >= 16 && c->access.address % c->access.size) {
		misaligned(c);
	} else {
		str_add(&c->what, "executes an instruction that is not permitted");
	}
}

static void memory(struct crash *c, const struct arch_regs *regs)
{
	bool aligned = c->fault.signal != SIGBUS || c->fault.code != BUS_ADRALN;
	const uint64_t *fault = c->fault.has_address && aligned ? &c->fault.address : NULL;
	uint8_t bytes[ARCH_INSN_MAX] = {0};
	struct tracee_mapping map;

	c->has_address = fault;
	c->address = fault ? *fault : 0;
	if (overflows(c, regs)) {
		str_add(&c->what, "has overflowed its stack");
		if (!c->has_address)
			return;
		str_add(&c->where, "at ");
		address_add_address(c->address, &c->where);
		return;
	}
	if (tracee_mapping_at(run_process_tracee(c->process), c->pc, &map) < 0 || !map.executable) {
		by_address(c, c->pc, c->frames.count > 1 ? "calls" : "jumps to");
		return;
	}
	for (size_t n = ARCH_INSN_MAX; n; n--) /* fewer bytes may be mapped at the end of the
					        * code */
		if (tracee_read(run_process_tracee(c->process), c->pc, bytes, n) == 0)
			break;
	c->has_access = arch_access(bytes, sizeof(bytes), c->pc, regs, fault, &c->access) == 0;
	if (!aligned)
		misaligned(c);
	else if (fault)
		by_address(c, *fault,
			   c->has_access && (*fault - c->access.address < c->access.size ||
					     *fault == c->access.address)
				   ? accesses(c)
				   : "touches");
	else
		without_address(c, bytes, regs);
}

/* ---- the other signals ------------------------------------------------------------------- */

static const char *arithmetic(int code)
{
	switch (code) {
	case FPE_INTDIV:
		return "divides by zero, or the quotient is too large";
	case FPE_INTOVF:
		return "has an integer overflow";
	case FPE_FLTDIV:
		return "divides a floating-point number by zero";
	default:
		return "has an arithmetic exception";
	}
}

static void illegal(struct crash *c)
{
	uint8_t bytes[2] = {0};

	if (tracee_read(run_process_tracee(c->process), c->pc, bytes, sizeof(bytes)) == 0 &&
	    bytes[0] == 0x0f && bytes[1] == 0x0b)
		str_add(&c->what, "executes ud2, which compilers put into unreachable code");
	else
		str_add(&c->what, "executes an illegal instruction");
}

static void sent(struct crash *c)
{
	const char *name = signame_text(c->fault.signal);

	if (c->fault.sender == run_process_pid(c->process) && c->fault.signal == SIGABRT)
		str_add(&c->what, "aborts");
	else if (c->fault.sender == run_process_pid(c->process))
		str_addf(&c->what, "gets SIG%s from its own process", name);
	else if (c->fault.sender)
		str_addf(&c->what, "gets SIG%s from process %d", name, c->fault.sender);
	else
		str_addf(&c->what, "gets SIG%s", name);
}

void crash_address(struct crash *c, const struct arch_regs *regs)
{
	bool raised = c->fault.code > 0;

	if (!raised)
		sent(c);
	else if (c->fault.signal == SIGSEGV || c->fault.signal == SIGBUS)
		memory(c, regs);
	else if (c->fault.signal == SIGFPE)
		str_add(&c->what, arithmetic(c->fault.code));
	else if (c->fault.signal == SIGILL)
		illegal(c);
	else if (c->fault.signal == SIGTRAP)
		str_add(&c->what, "runs into a trap instruction (int3)");
	else if (c->fault.signal == SIGSYS)
		str_addf(&c->what, "makes system call %ld, which a seccomp filter forbids",
			 c->fault.number);
	else
		sent(c);
}
