/* Traps, per address space: which instruction each one hides and where its copy is. */
#include "tracer/tracee/fastpath/resident_internal.h"

#include <inttypes.h>
#include <string.h>

static void site_insert(struct tracee_space *space, struct site *site)
{
	size_t i = space_first_site(space, site->pub.addr);
	struct site_entry *last = array_add(&space->sites), *at = &space->sites.items[i];

	memmove(at + 1, at, (size_t)(last - at) * sizeof(*at));
	*at = (struct site_entry){site->pub.addr, site};
}

static int dry_read(void *ctx, uint64_t addr, void *buf, size_t n)
{
	(void)ctx;
	(void)addr;
	memset(buf, 0, n);
	return 0;
}

static int dry_write(void *ctx, uint64_t addr, const void *buf, size_t n)
{
	(void)ctx;
	(void)addr;
	(void)buf;
	(void)n;
	return 0;
}

static bool can_be_emulated(const struct site *site)
{
	const struct arch_memory nothing = {dry_read, dry_write, NULL};
	struct arch_regs regs = {0};

	return arch_emulate(site->bytes, site->readable, site->pub.addr, &regs, &nothing);
}

/* Finds out how a thread will get past this instruction. */
static int site_prepare(struct tracee *t, struct tracee_process *process, struct thread *helper,
			struct site *site, struct error *err)
{
	struct arch_insn insn;
	ERROR(why);

	if (arch_decode(site->bytes, site->readable, site->pub.addr, &insn) < 0)
		return error_set(err, ERROR_LOCATION, "no instruction begins at 0x%" PRIx64,
				 site->pub.addr);
	site->length = insn.length;
	site->is_trap = insn.is_trap;
	if (insn.is_trap)
		return 0;
	if (slot_make(t, process, helper, site, &insn, &site->copy, &why) < 0)
		return error_move(err, &why);
	if (site->copy || can_be_emulated(site))
		return 0;
	if (why.text)
		return error_move(err, &why);
	return error_set(err, ERROR_SYSTEM,
			 "no memory near 0x%" PRIx64 " to hold a copy of its instruction",
			 site->pub.addr);
}

static int site_arm(struct tracee *t, struct tracee_space *space, struct site *site,
		    struct error *err)
{
	if (!site->count &&
	    memory_raw_write(t, space, site->pub.addr, arch_trap, ARCH_TRAP_LEN) < 0)
		return error_set(err, ERROR_LOCATION, "a trap cannot be written at 0x%" PRIx64,
				 site->pub.addr);
	site->state = SITE_ARMED;
	return 0;
}

/* Arms a removed site again. The old copy is reused if the instruction has not changed. */
static int site_revive(struct tracee *t, struct tracee_process *process, struct thread *helper,
		       struct site *site, const struct site *now, struct error *err)
{
	if (now->readable < site->length || memcmp(now->bytes, site->bytes, site->length) != 0) {
		struct site fresh = *now;

		if (site_prepare(t, process, helper, &fresh, err) < 0)
			return -1;
		*site = fresh;
		site->state = SITE_RETIRED;
	}
	return site_arm(t, process->space, site, err);
}

static struct site *site_install(struct tracee *t, struct tracee_process *process,
				 struct thread *helper, const struct site *now, struct error *err)
{
	struct site *site = base_alloc(1, sizeof(*site));

	*site = *now;
	if (site_prepare(t, process, helper, site, err) < 0 ||
	    site_arm(t, process->space, site, err) < 0) {
		base_free(site);
		return NULL;
	}
	site_insert(process->space, site);
	return site;
}

struct tracee_site *tracee_site_add(struct tracee *t, struct tracee_process *process,
				    struct tracee_thread *helper, uint64_t addr, void *user,
				    struct error *err)
{
	struct site *site = space_known_site(process->space, addr), now = {.pub.addr = addr};
	struct thread *hand = helper ? thread_of(helper) : NULL;
	struct site *over = stub_over(process->space, addr);

	if (over &&
	    !(moved_copy(process->space, addr) && resident_end(t, process->space, over, true))) {
		error_set(err, ERROR_LOCATION,
			  "0x%" PRIx64 " is inside of the instruction at 0x%" PRIx64, addr,
			  over->pub.addr);
		return NULL;
	}
	if (site && site->state == SITE_ARMED) {
		if (site->quiet)
			site->pub.user = user;
		site->quiet = false;
		return &site->pub;
	}
	now.readable = memory_code(process->space, addr, now.bytes);
	if (!now.readable) {
		error_set(err, ERROR_LOCATION, "there is no memory at 0x%" PRIx64, addr);
		return NULL;
	}
	if (!site)
		site = site_install(t, process, hand, &now, err);
	else if (site_revive(t, process, hand, site, &now, err) < 0)
		site = NULL;
	if (!site)
		return NULL;
	site->pub.user = user;
	return &site->pub;
}

struct tracee_site *tracee_site_find(struct tracee_process *process, uint64_t addr)
{
	struct site *site = space_known_site(process->space, addr);

	return site && site->state == SITE_ARMED && !site->quiet ? &site->pub : NULL;
}

uint64_t tracee_site_unseen(const struct tracee_site *site)
{
	return ((const struct site *)site)->copy;
}

void tracee_site_remove(struct tracee_process *process, struct tracee_site *pub)
{
	struct site *site = (struct site *)pub;

	if (site->state != SITE_ARMED)
		return;
	/* A jump that cannot be removed stays; its arrivals trap once the count is used up, and are
	   not reported because the site is retired. */
	if (site->count)
		resident_end(tracee_of(process), process->space, site, false);
	else
		memory_restore(tracee_of(process), process->space, site);
	site->state = SITE_RETIRED;
	site->quiet = false;
}

bool tracee_has_sites(const struct tracee_process *process)
{
	return process->space->sites.count > 0;
}

void tracee_forget(struct tracee_process *process, uint64_t from, uint64_t to)
{
	struct tracee_space *space = process->space;

	for (size_t i = space_first_site(space, from); i < space->sites.count; i++) {
		if (space->sites.items[i].addr >= to)
			break;
		moved_end(tracee_of(process), space, space->sites.items[i].site);
		space->sites.items[i].site->state = SITE_FORGOTTEN;
		space->sites.items[i].site->count = NULL;
	}
}

/*
 * Brings a trap in a forked child up to date. Traps that the parent's other threads added or
 * removed after the kernel had copied the memory are missing or left over in the child.
 */
static void site_agree(struct tracee *t, struct tracee_space *space, struct site *site)
{
	uint8_t byte;

	if (memory_has_jump(space, site)) {
		if (site->count)
			return;
		memory_restore(t, space, site);
	}
	moved_end(t, space, site);
	site->count = NULL;
	if (site->state == SITE_RETIRED)
		memory_restore(t, space, site);
	if (site->state == SITE_ARMED && !memory_raw_read(space, site->pub.addr, &byte, 1) &&
	    byte == site->bytes[0])
		memory_raw_write(t, space, site->pub.addr, arch_trap, ARCH_TRAP_LEN);
}

void site_copy_table(const struct tracee_space *from, struct tracee_space *to)
{
	array_each(struct site_entry, entry, &from->sites) {
		struct site *site = base_alloc(1, sizeof(*site));

		*site = *entry->site;
		*array_add(&to->sites) = (struct site_entry){entry->addr, site};
	}
}

void site_copy_all(struct tracee *t, const struct tracee_space *from, struct tracee_space *to)
{
	array_each(struct site_entry, entry, &from->sites) {
		struct site *site = base_alloc(1, sizeof(*site));

		*site = *entry->site;
		*array_add(&to->sites) = (struct site_entry){entry->addr, site};
		site_agree(t, to, site);
	}
}

void site_clean(const struct tracee_space *from, struct tracee_space *to)
{
	array_each(struct site_entry, entry, &from->sites) {
		if (entry->site->state != SITE_FORGOTTEN)
			memory_restore(NULL, to, entry->site);
	}
}
