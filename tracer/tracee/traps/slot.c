/* Memory of gatectl in the program (areas), and the copies of instructions in it (slots). */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/fastpath/resident_internal.h"

#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static const uint64_t reach = 1ull << 30; /* half the range of a 32-bit displacement */
static const uint64_t far = 7ull << 27;	  /* preferred distance, a bit less than `reach` */
static const uint64_t lowest = 64 * 1024; /* lowest address that can be mapped (vm.mmap_min_addr) */

const uint8_t slot_stub[STUB_LENGTH] = {0x0f, 0x05, 0xcc}; /* syscall; int3 */

static uint64_t slot_distance(uint64_t a, uint64_t b)
{
	return a < b ? b - a : a - b;
}

/* ---- free address ranges --------------------------------------------------------------------- */

static size_t mapping_index(const struct mappings *maps, uint64_t addr)
{
	size_t i = 0;

	while (i < maps->list.count && maps->list.items[i].end <= addr)
		i++;
	return i;
}

/* The first mapping of the module that mapping i belongs to. */
static size_t module_start(const struct mappings *maps, size_t i)
{
	const struct tracee_mapping *items = maps->list.items;

	while (i && items[i].path[0] && !strcmp(items[i - 1].path, items[i].path))
		i--;
	return i;
}

/* Returns the bytes that must stay free below this mapping; a stack grows down. */
static uint64_t room_to_grow(pid_t pid, const struct tracee_mapping *above)
{
	struct rlimit limit;
	uint64_t room = 8 << 20;

	if (strcmp(above->path, "[stack]") != 0)
		return 0;
	if (!prlimit(pid, RLIMIT_STACK, NULL, &limit) && limit.rlim_cur != RLIM_INFINITY)
		room += limit.rlim_cur;
	return room;
}

/* Returns the bytes that must stay free above this mapping; the heap,
   or its beginning, grows up. */
static uint64_t room_above(const struct tracee_mapping *below)
{
	return strcmp(below->path, "[heap]") == 0 ? reach / 2 : 0;
}

/* Returns the highest free area below mapping i and `limit` that is
   within reach of `high`, or 0. */
static uint64_t gap_below(pid_t pid, const struct mappings *maps, size_t i, uint64_t limit,
			  uint64_t high)
{
	const struct tracee_mapping *items = maps->list.items;

	for (;; i--) {
		uint64_t bottom = i ? items[i - 1].end + room_above(&items[i - 1]) : lowest;
		uint64_t top = items[i].start - room_to_grow(pid, &items[i]);
		uint64_t base;

		if (bottom < lowest)
			bottom = lowest;
		if (top > limit)
			top = limit;
		base = (top - AREA_SIZE) & ~(uint64_t)(AREA_SIZE - 1);
		if (top > AREA_SIZE && base >= bottom && base < top)
			return high - base < reach ? base : 0;
		if (!i)
			return 0;
	}
}

/* Returns the highest free area above the module within reach of `low`, or 0. The highest is chosen
   because the heap may begin directly after the module. */
static uint64_t gap_above(pid_t pid, const struct mappings *maps, size_t i, uint64_t low)
{
	const struct tracee_mapping *items = maps->list.items;
	uint64_t highest = low + reach - AREA_SIZE, best = 0;

	for (; i < maps->list.count && items[i].end < highest; i++) {
		uint64_t top = highest, base;

		if (i + 1 < maps->list.count && items[i + 1].start < highest)
			top = items[i + 1].start - room_to_grow(pid, &items[i + 1]);
		base = (top - AREA_SIZE) & ~(uint64_t)(AREA_SIZE - 1);
		if (top < highest + AREA_SIZE && base >= items[i].end + room_above(&items[i]))
			best = base;
	}
	return best;
}

/* ---- areas ---------------------------------------------------------------------------------- */

struct mapping_wish {
	int prot, flags, fd;
};

static bool map_at(struct thread *helper, uint64_t base, const struct mapping_wish *wish)
{
	const uint64_t args[6] = {
		base,
		AREA_SIZE,
		(uint64_t)wish->prot,
		(uint64_t)(wish->flags | MAP_FIXED_NOREPLACE),
		(uint64_t)wish->fd,
		0,
	};
	int64_t result;

	return base && !remote_call(helper, SYS_mmap, args, &result) && (uint64_t)result == base;
}

static const struct mapping_wish for_code = {PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
					     -1};

static struct area *area_add(struct tracee *t, struct tracee_space *space, uint64_t base)
{
	struct area *area;

	if (!base || memory_raw_write(t, space, base, slot_stub, STUB_LENGTH) < 0)
		return NULL;
	area = array_add(&space->areas);
	area->base = base;
	return area;
}

static struct area *area_at(struct tracee *t, struct tracee_space *space, struct thread *helper,
			    uint64_t base)
{
	return map_at(helper, base, &for_code) ? area_add(t, space, base) : NULL;
}

/* Maps the highest free area below mapping i and `limit`. Returns its address, or 0. */
static uint64_t map_below(struct thread *helper, const struct mappings *maps, size_t i,
			  uint64_t limit, uint64_t high, const struct mapping_wish *wish)
{
	enum { TRIES = 8 }; /* another thread may map the range first */

	for (int n = 0; n < TRIES && limit; n++) {
		limit = gap_below(helper->pub.process->pid, maps, i, limit, high);
		if (map_at(helper, limit, wish))
			return limit;
	}
	return 0;
}

/* Keeps a distance from the module: the kernel places the program's next mapping directly below the
   last one, and that address must not depend on gatectl's memory. */
static uint64_t map_near(struct tracee_process *process, struct thread *helper, uint64_t addr,
			 const struct mapping_wish *wish, struct error *err)
{
	struct mappings maps = {0};
	uint64_t above, low, high, base = 0;
	size_t i, first;

	if (look_mappings(process, &maps) < 0) {
		error_errno(err, ERROR_SYSTEM, "the program's mappings cannot be read");
		goto out;
	}
	i = mapping_index(&maps, addr);
	if (i >= maps.list.count)
		goto out;
	first = module_start(&maps, i);
	low = maps.list.items[first].start;
	high = maps.list.items[i].end;
	base = high > far ? map_below(helper, &maps, first, high - far, high, wish) : 0;
	if (!base)
		base = map_below(helper, &maps, first, UINT64_MAX, high, wish);
	above = base ? 0 : gap_above(process->pid, &maps, i, low);
	if (!base && map_at(helper, above, wish))
		base = above;
out:
	array_fini(&maps.list);
	return base;
}

uint64_t slot_map_near(struct tracee_process *process, struct thread *helper, uint64_t addr,
		       int prot, int fd)
{
	const struct mapping_wish wish = {prot, MAP_SHARED, fd};
	ERROR(ignored);

	return map_near(process, helper, addr, &wish, &ignored);
}

uint64_t slot_reserve_far(struct tracee_process *process, struct thread *helper, uint64_t addr)
{
	static const struct mapping_wish nothing = {
		PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1};
	struct mappings maps = {0};
	uint64_t base = 0;
	size_t i;

	if (look_mappings(process, &maps) == 0 &&
	    (i = mapping_index(&maps, addr)) < maps.list.count && addr > reach)
		base = gap_below(process->pid, &maps, i, addr - reach / 2, addr);
	array_fini(&maps.list);
	return map_at(helper, base, &nothing) ? base : 0;
}

static struct area *area_near(struct tracee *t, struct tracee_process *process,
			      struct thread *helper, uint64_t addr, struct error *err)
{
	return area_add(t, process->space, map_near(process, helper, addr, &for_code, err));
}

/* Maps an area for the system call stub; any address serves. */
void slot_first_area(struct tracee *t, struct thread *helper)
{
	uint64_t pc;
	ERROR(ignored);

	if (!thread_pc(helper, &pc))
		area_near(t, helper->pub.process, helper, pc, &ignored);
}

/* ---- slots ---------------------------------------------------------------------------------- */

static uint64_t slot_address(const struct area *area, size_t i)
{
	return area->base + (i + 1) * SLOT_SIZE;
}

static bool area_usable(const struct area *area, uint64_t addr)
{
	return area->slots.count < AREA_SIZE / SLOT_SIZE - 1 &&
	       slot_distance(area->base, addr) < reach;
}

bool slot_reaches(uint64_t a, uint64_t b)
{
	return slot_distance(a, b) < reach;
}

uint64_t slot_next(const struct tracee_space *space, uint64_t addr)
{
	array_each(const struct area, area, &space->areas)
		if (area_usable(area, addr))
			return slot_address(area, area->slots.count);
	return 0;
}

int slot_add(struct tracee *t, struct tracee_space *space, uint64_t at, const struct slot *slot)
{
	array_each(struct area, area, &space->areas) {
		if (at - area->base >= AREA_SIZE)
			continue;
		*array_add(&area->slots) = *slot;
		return memory_raw_write(t, space, at, slot->copy.code, slot->copy.length);
	}
	return -1;
}

int slot_join(struct tracee *t, struct tracee_space *space, uint64_t at, uint64_t to)
{
	array_each(struct area, area, &space->areas) {
		uint64_t offset = at - area->base;
		struct slot *slot;

		if (offset < SLOT_SIZE || offset / SLOT_SIZE > area->slots.count)
			continue;
		slot = &area->slots.items[offset / SLOT_SIZE - 1];
		if (arch_copy_join(&slot->copy, at, to) != ARCH_DONE)
			return -1;
		return memory_raw_write(t, space, at, slot->copy.code, slot->copy.length);
	}
	return -1;
}

/* Copies the instruction into the area's next slot. Returns 0 with the address in *to (0 if the
   area is too far away), or -1 with *err set if the instruction cannot be copied. */
static int slot_try(struct tracee *t, struct tracee_space *space, struct area *area,
		    const struct site *site, const struct arch_insn *insn, uint64_t *to,
		    struct error *err)
{
	uint64_t addr = slot_address(area, area->slots.count);
	struct slot slot = {.from = site->pub.addr, .is_syscall = insn->is_syscall};
	const char *why = NULL;

	switch (arch_relocate(site->bytes, site->readable, slot.from, addr, &slot.copy, &why)) {
	case ARCH_CANNOT:
		return error_set(err, ERROR_LOCATION,
				 "the instruction at 0x%" PRIx64 " cannot be trapped: %s",
				 slot.from, why ? why : "unknown");
	case ARCH_TOO_FAR:
		return 0;
	case ARCH_DONE:
		break;
	}
	if (memory_raw_write(t, space, addr, slot.copy.code, slot.copy.length) < 0)
		return 0;
	*array_add(&area->slots) = slot;
	*to = addr;
	return 0;
}

int slot_make(struct tracee *t, struct tracee_process *process, struct thread *helper,
	      const struct site *site, const struct arch_insn *insn, uint64_t *to,
	      struct error *err)
{
	struct tracee_space *space = process->space;
	struct area *area;

	*to = 0;
	for (size_t i = 0; i < space->areas.count && !*to; i++) {
		area = &space->areas.items[i];
		if (area_usable(area, site->pub.addr) &&
		    slot_try(t, space, area, site, insn, to, err) < 0)
			return -1;
	}
	if (*to || !helper)
		return 0;
	area = area_near(t, process, helper, site->pub.addr, err);
	return area ? slot_try(t, space, area, site, insn, to, err) : 0;
}

/* ---- forked children ------------------------------------------------------------------------ */

static bool same_bytes(struct tracee_space *space, uint64_t addr, const void *bytes, size_t n)
{
	uint8_t there[SLOT_SIZE];

	return !memory_raw_read(space, addr, there, n) && !memcmp(there, bytes, n);
}

/* Repeats in the child what was mapped or written after the kernel had copied the parent. */
static void area_copy(struct tracee *t, struct thread *child, const struct area *from)
{
	struct tracee_space *space = space_of(child);
	struct area *to = array_add(&space->areas);

	to->base = from->base;
	if (!same_bytes(space, to->base, slot_stub, STUB_LENGTH)) {
		/* area_at() makes a system call, which must not use this area */
		space->areas.count--;
		to = area_at(t, space, child, from->base);
		if (!to)
			return;
	}
	for (size_t i = 0; i < from->slots.count; i++) {
		const struct slot *slot = &from->slots.items[i];
		uint64_t addr = slot_address(from, i);

		*array_add(&to->slots) = *slot;
		if (!same_bytes(space, addr, slot->copy.code, slot->copy.length))
			memory_raw_write(t, space, addr, slot->copy.code, slot->copy.length);
	}
}

void slot_copy_table(const struct tracee_space *from, struct tracee_space *to)
{
	array_each(struct area, area, &from->areas) {
		struct area *copy = array_add(&to->areas);

		copy->base = area->base;
		array_each(const struct slot, slot, &area->slots)
			*array_add(&copy->slots) = *slot;
	}
}

void slot_copy_all(struct tracee *t, struct thread *child, const struct tracee_space *from)
{
	array_each(struct area, area, &from->areas)
		area_copy(t, child, area);
}
