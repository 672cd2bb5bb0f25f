/* An address space: its memory, and the tables of traps and copies in it. */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/tracee_internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { GHOSTS = 32 };

/*
 * The descriptors belong to the address space, not to a process. They outlive the first thread, and
 * the processes that share the memory; after an exec they read nothing.
 */
static void close_files(struct tracee_space *space)
{
	if (space->memory >= 0)
		close(space->memory);
	if (space->maps >= 0)
		close(space->maps);
	space->memory = space->maps = -1;
}

static void open_files(struct tracee_space *space, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", tid);
	space->memory = open(path, O_RDWR | O_CLOEXEC);
	space->writable = space->memory >= 0;
	if (space->memory < 0)
		space->memory = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/maps", tid);
	if (look_may_be_refused())
		space->maps = open(path, O_RDONLY | O_CLOEXEC);
}

void space_open(struct tracee_space *space, pid_t tid)
{
	struct disclosed disclosed;

	close_files(space);
	open_files(space, tid);
	if (space->memory >= 0 || !look_may_be_refused() || !disclose_newborn(tid, &disclosed))
		return;
	open_files(space, tid);
	disclose_end(tid, &disclosed);
}

struct tracee_space *space_new(pid_t pid)
{
	struct tracee_space *space = base_alloc(1, sizeof(*space));

	space->memory = space->maps = -1;
	space_open(space, pid);
	return space;
}

/* ---- end of a space -------------------------------------------------------------------------- */

static void drop_sites(struct tracee_space *space)
{
	array_each(struct site_entry, entry, &space->sites)
		base_free(entry->site);
	array_fini(&space->sites);
}

static void drop_areas(struct tracee_space *space)
{
	array_each(struct area, area, &space->areas)
		array_fini(&area->slots);
	array_fini(&space->areas);
}

void space_free(struct tracee_space *space)
{
	close_files(space);
	drop_sites(space);
	drop_areas(space);
	array_fini(&space->shared);
	array_fini(&space->returns);
	base_free(space);
}

/* Keeps the tables for orphan.c, which may still need them. */
static void keep_ghost(struct tracee *t, struct tracee_space *space)
{
	*array_add(&t->ghosts) = space;
	if (t->ghosts.count <= GHOSTS)
		return;
	space_free(t->ghosts.items[0]);
	array_remove(&t->ghosts, 0);
}

void space_unuse(struct tracee *t, struct tracee_space *space)
{
	if (--space->users)
		return;
	close_files(space);
	keep_ghost(t, space);
}

/* ---- traps and copies ------------------------------------------------------------------------ */

size_t space_first_site(const struct tracee_space *space, uint64_t addr)
{
	return array_below(&space->sites, addr, addr);
}

struct site *space_known_site(const struct tracee_space *space, uint64_t addr)
{
	size_t i = space_first_site(space, addr);

	return i < space->sites.count && space->sites.items[i].addr == addr
		       ? space->sites.items[i].site
		       : NULL;
}

struct site *space_site(const struct tracee_space *space, uint64_t addr)
{
	struct site *site = space_known_site(space, addr);

	return site && site->state != SITE_FORGOTTEN ? site : NULL;
}

const struct slot *space_slot(const struct tracee_space *space, uint64_t pc, uint64_t *offset)
{
	array_each(struct area, area, &space->areas) {
		uint64_t at = pc - area->base;

		if (at < SLOT_SIZE || at / SLOT_SIZE > area->slots.count)
			continue;
		*offset = at % SLOT_SIZE;
		return &area->slots.items[at / SLOT_SIZE - 1];
	}
	return NULL;
}

void space_original(const struct thread *th, uint64_t *pc, uint64_t *sp)
{
	uint64_t offset;
	const struct slot *slot = space_slot(space_of(th), *pc, &offset);
	const struct arch_point *point = slot ? arch_copy_point(&slot->copy, offset) : NULL;

	if (!point)
		return;
	*pc = point->pc;
	*sp += point->sp;
}
