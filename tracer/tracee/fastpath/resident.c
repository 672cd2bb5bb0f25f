/*
 * Resident sites: a jump to a stub replaces the trap. The stub decides without gatectl as long as
 * its count lasts (tracer/resident/resident.h). The jump is written and removed while all threads
 * of the address space are stopped; README.md explains why it is safe.
 */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/fastpath/resident_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { COUNTS_SIZE = AREA_SIZE, COUNTS = COUNTS_SIZE / RESIDENT_COUNT_ROOM };
static const char counts_name[] = "gatectl";

/* ---- memory for the counts, here and in the program ------------------------------------------ */

static int call_helper(struct thread *helper, long number, uint64_t a, uint64_t b, int64_t *result)
{
	const uint64_t args[6] = {a, b};

	return remote_call(helper, number, args, result) < 0 || *result < 0 ? -1 : 0;
}

/* Makes shared memory in the program, with a name written to the first area. Returns
   its descriptor there, or -1. */
static int64_t open_there(struct tracee *t, struct thread *helper)
{
	struct tracee_space *space = space_of(helper);
	uint64_t name;
	int64_t fd;

	if (!space->areas.count)
		slot_first_area(t, helper);
	if (!space->areas.count)
		return -1;
	name = space->areas.items[0].base + SLOT_SIZE - sizeof(counts_name);
	if (memory_raw_write(t, space, name, counts_name, sizeof(counts_name)) < 0 ||
	    call_helper(helper, SYS_memfd_create, name, MFD_CLOEXEC, &fd) < 0)
		return -1;
	return fd;
}

/* True if RLIMIT_FSIZE permits the size. Otherwise ftruncate(2) would raise SIGXFSZ. */
static bool may_grow(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= COUNTS_SIZE;
}

/* Maps the program's shared memory here, after setting its size: the program
   may have a limit for files. */
static void *map_here(pid_t tid, int64_t there)
{
	char path[64];
	void *here;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)tid, (int)there);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	here = may_grow() && ftruncate(fd, COUNTS_SIZE) == 0
		       ? mmap(NULL, COUNTS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
		       : MAP_FAILED;
	close(fd);
	return here == MAP_FAILED ? NULL : here;
}

void *shared_map(struct tracee *t, struct tracee_process *process, struct thread *helper,
		 uint64_t addr, int prot, uint64_t *base)
{
	int64_t fd = open_there(t, helper), done;
	void *here = fd < 0 ? NULL : map_here(helper->pub.tid, fd);

	*base = here ? slot_map_near(process, helper, addr, prot, (int)fd) : 0;
	if (fd >= 0)
		call_helper(helper, SYS_close, (uint64_t)fd, 0, &done);
	if (here && !*base) {
		munmap(here, COUNTS_SIZE);
		here = NULL;
	}
	return here;
}

static struct shared *shared_new(struct tracee *t, struct tracee_process *process,
				 struct thread *helper, uint64_t addr)
{
	uint64_t base;
	struct resident_count *here =
		shared_map(t, process, helper, addr, PROT_READ | PROT_WRITE, &base);
	struct shared *shared;

	if (!here)
		return NULL;
	shared = array_add(&process->space->shared);
	shared->base = base;
	shared->counts = *array_add(&t->counts) = base_alloc(1, sizeof(*shared->counts));
	shared->counts->here = here;
	return shared;
}

void resident_free(struct tracee *t)
{
	array_each(struct counts *, c, &t->counts) {
		munmap((*c)->here, COUNTS_SIZE);
		base_free(*c);
	}
	array_fini(&t->counts);
}

static struct shared *shared_near(struct tracee *t, struct tracee_process *process,
				  struct thread *helper, uint64_t addr)
{
	array_each(struct shared, s, &process->space->shared)
		if (s->counts->used < COUNTS && slot_reaches(s->base, addr))
			return s;
	return shared_new(t, process, helper, addr);
}

static bool is_mapped(struct tracee_process *process, const struct shared *s)
{
	struct tracee_mapping map;

	return !tracee_mapping_at(process, s->base, &map) && map.start <= s->base && map.shared &&
	       strstr(map.path, counts_name);
}

/* Keeps the shared memory that the child has: fork may have copied the
   parent before some was mapped. */
void resident_copy(struct tracee_process *child, const struct tracee_space *from)
{
	array_each(const struct shared, s, &from->shared)
		if (is_mapped(child, s))
			*array_add(&child->space->shared) = *s;
}

/* ---- the stub ------------------------------------------------------------------------------- */

int stub_put(struct tracee *t, struct tracee_space *space, struct site *site, uint64_t at,
	     const struct slot *slot)
{
	if (resident_jump(site->jump, site->pub.addr, at) < 0 || slot_add(t, space, at, slot) < 0 ||
	    memory_raw_write(t, space, site->pub.addr, site->jump, RESIDENT_JUMP) < 0)
		return -1;
	site->jumped = true;
	site->count = slot->count;
	return 0;
}

struct resident_count *count_near(struct tracee *t, struct tracee_process *process,
				  struct thread *helper, uint64_t addr, uint64_t *there)
{
	struct shared *shared = shared_near(t, process, helper, addr);
	size_t n;

	if (!shared)
		return NULL;
	n = shared->counts->used++;
	*there = shared->base + n * RESIDENT_COUNT_ROOM;
	return (void *)((char *)shared->counts->here + n * RESIDENT_COUNT_ROOM);
}

/* A thread after the trap at a stub's end has its pc still in the stub's slot. */
_Static_assert((int)RESIDENT_STUB_FOR_OTHERS < (int)SLOT_SIZE, "room");

/* Makes a stub that counts. `ctx` is NULL, or a struct tracee_thread ** as in
   tracee_site_for_others(). */
static bool stub_make(struct tracee *t, struct tracee_process *process, struct thread *helper,
		      struct site *site, const void *ctx)
{
	struct tracee_thread *const *only = ctx;
	struct slot slot = {.from = site->pub.addr, .kind = only ? STUB_FOR_OTHERS : STUB_COUNTS};
	uint64_t at, there;

	slot.count = count_near(t, process, helper, site->pub.addr, &there);
	if (!slot.count)
		return false;
	if (only && *only && (*only)->process->space == process->space &&
	    tracee_is_only(*only, slot.count) < 0)
		return false;
	slot.copy.length = only ? RESIDENT_STUB_FOR_OTHERS : RESIDENT_STUB;
	at = slot_next(process->space, site->pub.addr);
	return at &&
	       (only ? resident_make_for_others : resident_make)(slot.copy.code, at, there,
								 site->copy) == 0 &&
	       stub_put(t, process->space, site, at, &slot) == 0;
}

/* ---- the jump ------------------------------------------------------------------------------- */

static struct thread *running_in(struct tracee *t, const struct tracee_space *space)
{
	struct thread *th;

	TAILQ_FOREACH(th, &t->threads, link)
	if (thread_is_alive(th) && space_of(th) == space && th->pub.state != TRACEE_STOPPED)
		return th;
	return NULL;
}

/* Stops all threads of the address space. Returns false if one cannot be stopped. */
static bool still_begin(struct tracee *t, const struct tracee_space *space, struct paused *paused)
{
	*paused = (struct paused){0};
	if (running_in(t, space))
		halt_others(t, NULL, paused);
	return !running_in(t, space);
}

/* True if the jump can replace the instruction alone, whatever the program does. */
static bool is_enough(const struct site *site)
{
	struct arch_insn in;

	return site->length >= RESIDENT_JUMP &&
	       arch_decode(site->bytes, site->readable, site->pub.addr, &in) == 0 && !in.is_locked;
}

static const char *refusal(const struct tracee_space *space, const struct site *site, unsigned span)
{
	size_t next = space_first_site(space, site->pub.addr + 1);
	uint64_t end = site->pub.addr + RESIDENT_JUMP;

	if (site->state != SITE_ARMED || site->quiet || site->is_trap)
		return "a trap of the program's own stands there";
	if (span < RESIDENT_JUMP && !is_enough(site))
		return "its first instruction is shorter than a jump";
	if (!site->copy || site->readable < RESIDENT_JUMP)
		return "its first instruction has no copy";
	for (; next < space->sites.count && space->sites.items[next].addr < end; next++)
		if (space->sites.items[next].site->state != SITE_RETIRED)
			return "another trap stands where the jump would";
	if (!space->areas.count)
		return "there is no memory for it";
	return NULL;
}

/* Writes stub and jump while all threads are stopped. Returns NULL, or the reason why not. */
static const char *resident_replace(struct tracee *t, struct tracee_process *process,
				    struct thread *helper, struct site *site, unsigned span,
				    stub_maker *make, const void *ctx)
{
	struct tracee_space *space = process->space;
	bool moves = site->length < RESIDENT_JUMP;

	if (moves && (site->exposed ||
		      returns_into(t, space, site->pub.addr, site->pub.addr + RESIDENT_JUMP)))
		return "a signal's handler may return into its instructions";
	if (moves && moved_make(t, process, helper, site, span) < 0)
		return "there is no memory for it";
	if (make(t, process, helper, site, ctx))
		return NULL;
	moved_end(t, space, site);
	return "there is no memory for it";
}

const char *resident_put(struct tracee *t, struct tracee_process *process, struct thread *helper,
			 struct site *site, unsigned span, stub_maker *make, const void *ctx)
{
	const char *why = site->count ? NULL : refusal(process->space, site, span);
	struct paused paused;

	if (site->count || why)
		return why;
	if (!still_begin(t, process->space, &paused))
		why = "a thread of the program could not be stopped";
	else
		why = resident_replace(t, process, helper, site, span, make, ctx);
	let_others_go(&paused);
	return why;
}

/* Reads the thread's pointer to itself, the first word at its FS base.
   Returns false if it has none. */
static bool own_pointer(const struct tracee_thread *thread, uint64_t *out)
{
	uint64_t base, there;

	errno = 0;
	base = (uint64_t)ptrace(PTRACE_PEEKUSER, thread->tid, offsetof(struct user, regs.fs_base),
				0);
	if (errno || tracee_read(thread->process, base, &there, sizeof(there)) < 0)
		return false;
	*out = there;
	return there == base;
}

struct resident_count *stub_at(struct tracee *t, struct tracee_process *process,
			       struct tracee_thread *helper, struct tracee_site *pub, unsigned span,
			       stub_maker *make, const void *ctx, const char **why)
{
	struct site *site = (struct site *)pub;

	if (!site->count && look_status(helper->tid, "Seccomp") > 0)
		*why = "the program filters its system calls (seccomp)";
	else
		*why = resident_put(t, process, thread_of(helper), site, span, make, ctx);
	return site->count;
}

struct resident_count *tracee_site_resident(struct tracee *t, struct tracee_process *process,
					    struct tracee_thread *helper, struct tracee_site *site,
					    unsigned span, const char **why)
{
	return stub_at(t, process, helper, site, span, stub_make, NULL, why);
}

struct resident_count *tracee_site_for_others(struct tracee *t, struct tracee_process *process,
					      struct tracee_thread *helper,
					      struct tracee_site *site, unsigned span,
					      struct tracee_thread *only, const char **why)
{
	uint64_t own;

	if (own_pointer(helper, &own))
		return stub_at(t, process, helper, site, span, stub_make, &only, why);
	*why = "the program's threads have no pointers to themselves (at %fs:0)";
	return ((struct site *)site)->count;
}

int tracee_is_only(struct tracee_thread *thread, struct resident_count *count)
{
	uint64_t own;

	if (!own_pointer(thread, &own))
		return -1;
	count->only = (uint32_t)own;
	return 0;
}

bool resident_end(struct tracee *t, struct tracee_space *space, struct site *site, bool trap)
{
	uint8_t bytes[RESIDENT_JUMP];
	struct paused paused;

	memcpy(bytes, site->bytes, sizeof(bytes));
	if (trap)
		bytes[0] = arch_trap[0];
	if (still_begin(t, space, &paused) &&
	    memory_raw_write(t, space, site->pub.addr, bytes, sizeof(bytes)) == 0) {
		moved_end(t, space, site);
		site->count = NULL;
	}
	let_others_go(&paused);
	return !site->count;
}

void resident_expose(struct tracee *t, struct tracee_space *space, uint64_t addr)
{
	struct site *site = moved_copy(space, addr) ? stub_over(space, addr) : NULL;

	if (!site)
		return;
	site->exposed = true;
	resident_end(t, space, site, true);
}
