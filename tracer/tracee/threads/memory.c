/* The program's memory and registers. */
#include "tracer/tracee/tracee_internal.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

int memory_raw_read(struct tracee_space *space, uint64_t addr, void *buf, size_t n)
{
	char *to = buf;

	while (n) {
		ssize_t got = pread(space->memory, to, n, (off_t)addr);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -1;
		to += got;
		addr += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

static int write_through_file(struct tracee_space *space, uint64_t addr, const void *buf, size_t n)
{
	const char *from = buf;

	while (n) {
		ssize_t put = pwrite(space->memory, from, n, (off_t)addr);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return -1;
		from += put;
		addr += (uint64_t)put;
		n -= (size_t)put;
	}
	return 0;
}

/* Writes word by word through a stopped thread, for kernels that forbid writes to /proc/PID/mem. */
static int write_through_ptrace(pid_t tid, uint64_t addr, const uint8_t *from, size_t n)
{
	while (n) {
		uint64_t at = addr & ~7ull, skip = addr - at;
		size_t part = n < 8 - skip ? n : 8 - skip;
		long word;

		errno = 0;
		word = ptrace(PTRACE_PEEKDATA, tid, at, 0);
		if (errno)
			return -1;
		memcpy((char *)&word + skip, from, part);
		if (ptrace(PTRACE_POKEDATA, tid, at, word) < 0)
			return -1;
		addr += part;
		from += part;
		n -= part;
	}
	return 0;
}

int memory_raw_write(struct tracee *t, struct tracee_space *space, uint64_t addr, const void *buf,
		     size_t n)
{
	struct thread *th;

	if (space->writable && !write_through_file(space, addr, buf, n))
		return 0;
	th = thread_stopped_in(t, space);
	return th ? write_through_ptrace(th->pub.tid, addr, buf, n) : -1;
}

/* Returns how many bytes at the site are gatectl's: those of a trap, of a jump, or 0. */
static size_t bytes_of_ours(const struct site *site)
{
	if (site->count)
		return RESIDENT_JUMP;
	return site->state == SITE_ARMED ? ARCH_TRAP_LEN : 0;
}

static uint8_t byte_of_ours(const struct site *site, size_t i)
{
	return site->count ? site->jump[i] : arch_trap[i];
}

/* Returns the index of the first site whose trap or jump may reach `addr`. */
static size_t first_over(const struct tracee_space *space, uint64_t addr)
{
	return space_first_site(space, addr < RESIDENT_JUMP ? 0 : addr - RESIDENT_JUMP + 1);
}

int memory_read(struct tracee_space *space, uint64_t addr, void *buf, size_t n)
{
	uint8_t *bytes = buf;

	if (memory_raw_read(space, addr, buf, n) < 0)
		return -1;
	for (size_t i = first_over(space, addr); i < space->sites.count; i++) {
		const struct site_entry *entry = &space->sites.items[i];

		if (entry->addr >= addr + n)
			break;
		for (size_t k = 0; k < bytes_of_ours(entry->site); k++) {
			uint64_t at = entry->addr + k - addr;

			if (at < n && bytes[at] == byte_of_ours(entry->site, k))
				bytes[at] = entry->site->bytes[k];
		}
	}
	return 0;
}

bool memory_has_jump(struct tracee_space *space, const struct site *site)
{
	uint8_t bytes[RESIDENT_JUMP];

	return site->jumped && !memory_raw_read(space, site->pub.addr, bytes, sizeof(bytes)) &&
	       !memcmp(bytes, site->jump, sizeof(bytes));
}

void memory_restore(struct tracee *t, struct tracee_space *space, const struct site *site)
{
	uint8_t byte;

	if (memory_has_jump(space, site))
		memory_raw_write(t, space, site->pub.addr, site->bytes, RESIDENT_JUMP);
	else if (!memory_raw_read(space, site->pub.addr, &byte, 1) && byte == arch_trap[0])
		memory_raw_write(t, space, site->pub.addr, site->bytes, 1);
}

/* Reads fewer bytes at the end of a mapping, where an instruction may end. */
uint8_t memory_code(struct tracee_space *space, uint64_t addr, uint8_t bytes[ARCH_INSN_MAX])
{
	uint8_t n = ARCH_INSN_MAX;

	while (n && memory_read(space, addr, bytes, n) < 0)
		n--;
	return n;
}

int tracee_read(struct tracee_process *process, uint64_t addr, void *buf, size_t n)
{
	return memory_read(process->space, addr, buf, n);
}

/* Writes under the traps and jumps. Copies of overwritten instructions are not updated. */
int tracee_write(struct tracee_process *process, uint64_t addr, const void *buf, size_t n)
{
	struct tracee_space *space = process->space;
	uint8_t *bytes = base_alloc(n, 1);
	int result;

	memcpy(bytes, buf, n);
	for (size_t i = first_over(space, addr); i < space->sites.count; i++) {
		struct site_entry *entry = &space->sites.items[i];

		if (entry->addr >= addr + n)
			break;
		for (size_t k = 0; k < bytes_of_ours(entry->site); k++) {
			uint64_t at = entry->addr + k - addr;

			if (at >= n)
				continue;
			entry->site->bytes[k] = bytes[at];
			bytes[at] = byte_of_ours(entry->site, k);
		}
	}
	result = memory_raw_write(tracee_of(process), space, addr, bytes, n);
	base_free(bytes);
	return result;
}

int thread_regs(struct thread *th)
{
	if (th->pub.state != TRACEE_STOPPED)
		return -1;
	if (!th->regs_known && ptrace(PTRACE_GETREGS, th->pub.tid, 0, &th->regs) < 0)
		return -1;
	th->regs_known = true;
	return 0;
}

int thread_set_regs(struct thread *th, const struct user_regs_struct *regs)
{
	th->regs_known = false;
	return ptrace(PTRACE_SETREGS, th->pub.tid, 0, regs) < 0 ? -1 : 0;
}

/* Sets one register, in a third of the time that PTRACE_SETREGS takes. */
void thread_set_register(struct thread *th, size_t offset, uint64_t value)
{
	th->regs_known = false;
	ptrace(PTRACE_POKEUSER, th->pub.tid, offset, value);
}

int thread_pc(struct thread *th, uint64_t *pc)
{
	long word;

	if (th->regs_known) {
		*pc = th->regs.rip;
		return 0;
	}
	errno = 0;
	word = ptrace(PTRACE_PEEKUSER, th->pub.tid, offsetof(struct user, regs.rip), 0);
	*pc = (uint64_t)word;
	return errno ? -1 : 0;
}

void thread_set_pc(struct thread *th, uint64_t pc)
{
	if (ptrace(PTRACE_POKEUSER, th->pub.tid, offsetof(struct user, regs.rip), pc) < 0)
		th->regs_known = false; /* dying */
	th->regs.rip = pc;
}

void regs_to_arch(const struct user_regs_struct *in, struct arch_regs *out)
{
	*out = (struct arch_regs){
		.dwarf = {in->rax, in->rdx, in->rcx, in->rbx, in->rsi, in->rdi, in->rbp, in->rsp,
			  in->r8, in->r9, in->r10, in->r11, in->r12, in->r13, in->r14, in->r15,
			  in->rip},
		.flags = in->eflags,
		.fs_base = in->fs_base,
	};
}

/* Copies the general registers and pc; flags and others stay. */
void regs_from_arch(const struct arch_regs *in, struct user_regs_struct *out)
{
	unsigned long long *const to[17] = {
		&out->rax, &out->rdx, &out->rcx, &out->rbx, &out->rsi, &out->rdi,
		&out->rbp, &out->rsp, &out->r8,	 &out->r9,  &out->r10, &out->r11,
		&out->r12, &out->r13, &out->r14, &out->r15, &out->rip,
	};

	for (size_t i = 0; i < 17; i++)
		*to[i] = in->dwarf[i];
}

int tracee_regs(struct tracee_thread *pub, struct arch_regs *out)
{
	struct thread *th = thread_of(pub);

	th->asked = true;
	if (thread_regs(th) < 0)
		return -1;
	regs_to_arch(&th->regs, out);
	if (th->stop == STOP_SITE)
		out->dwarf[ARCH_DWARF_PC] = th->site->pub.addr;
	else
		space_original(th, &out->dwarf[ARCH_DWARF_PC], &out->dwarf[ARCH_DWARF_SP]);
	return 0;
}
