/*
 * Leases (tracer/resident/resident.h): a thread that runs alone passes granted arrivals without a
 * stop. They are reported at its next stop, as events, as if it stood there. The real wait status
 * is handled after the last of them was answered.
 */
#include "tracer/tracee/fastpath/resident_internal.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

struct granting {
	/* NULL: the memory could not be mapped; it is not tried again */
	struct granted *here;
	struct thread *thread;	      /* the thread that has the lease */
	uint32_t told;		      /* number of passed arrivals that are reported and answered */
	bool tells;		      /* the thread is reported at arrival number `told` */
	bool regs_known;	      /* `regs` are valid until the real status is handled */
	struct user_regs_struct regs; /* registers at the real stop */
};

static struct granting *granting_of(const struct tracee *t)
{
	return t->granting && t->granting->here ? t->granting : NULL;
}

enum { PROT = PROT_READ | PROT_WRITE | PROT_EXEC };

/* Returns the mapping of struct granted within reach of addr, or 0. */
static uint64_t base_near(const struct tracee_space *space, uint64_t addr)
{
	for (size_t i = 0; i < GRANTED_MAPS && space->granted[i]; i++)
		if (slot_reaches(space->granted[i], addr))
			return space->granted[i];
	return 0;
}

/* Maps struct granted once more, at reserved addresses: mremap(2) with an old size of 0
   duplicates a shared mapping. */
static bool map_again(struct tracee_process *process, struct thread *helper, uint64_t addr)
{
	uint64_t args[6] = {process->space->granted[0], 0, GRANTED_SIZE,
			    MREMAP_MAYMOVE | MREMAP_FIXED};
	int64_t result;
	size_t n = 0;

	while (n < GRANTED_MAPS && process->space->granted[n])
		n++;
	args[4] = n && n < GRANTED_MAPS ? slot_reserve_far(process, helper, addr) : 0;
	if (!args[4] || remote_call(helper, SYS_mremap, args, &result) < 0 ||
	    (uint64_t)result != args[4])
		return false;
	process->space->granted[n] = args[4];
	return true;
}

bool tracee_grants_open(struct tracee *t, struct tracee_thread *helper, uint64_t addr)
{
	struct tracee_process *process = helper->process;
	struct granting *g;

	if (t->granting)
		return granting_of(t) && (base_near(process->space, addr) ||
					  map_again(process, thread_of(helper), addr));
	g = t->granting = base_alloc(1, sizeof(*g));
	g->here =
		shared_map(t, process, thread_of(helper), addr, PROT, &process->space->granted[0]);
	if (g->here)
		granted_code(g->here);
	return g->here;
}

void granted_free(struct tracee *t)
{
	if (granting_of(t))
		munmap(t->granting->here, GRANTED_SIZE);
	base_free(t->granting);
}

void granted_copy(struct tracee_process *child, const struct tracee_space *from)
{
	struct tracee_mapping map;
	size_t n = 0;

	for (size_t i = 0; i < GRANTED_MAPS && from->granted[i]; i++)
		if (!tracee_mapping_at(child, from->granted[i], &map) &&
		    map.start <= from->granted[i] && map.shared)
			child->space->granted[n++] = from->granted[i];
}

/* ---- sites ----------------------------------------------------------------------------------- */

static unsigned find_object(const struct site *site, uint64_t at, enum tracee_granted what,
			    uint8_t out[ARCH_LEA_MAX])
{
	if (what == TRACEE_GRANTED_FUNCTION)
		return arch_lea_argument(out);
	return arch_lea(site->bytes, site->readable, site->pub.addr, at + GRANTED_AT_LEA,
			GRANTED_PUSHED, out);
}

static bool fastpath_granted_make(struct tracee *t, struct tracee_process *process,
				  struct thread *helper, struct site *site, const void *ctx)
{
	const enum tracee_granted what = *(const enum tracee_granted *)ctx;
	struct tracee_space *space = process->space;
	struct slot slot = {.from = site->pub.addr,
			    .kind = STUB_GRANTS,
			    .count = &t->granting->here->none,
			    .copy.length = GRANTED_STUB};
	uint64_t at = slot_next(space, site->pub.addr);
	uint8_t lea[ARCH_LEA_MAX];
	unsigned length;

	(void)helper;
	length = at ? find_object(site, at, what, lea) : 0;
	return length &&
	       granted_make(slot.copy.code, at, base_near(space, at), site->copy, lea, length,
			    what == TRACEE_GRANTED_OWN) == 0 &&
	       stub_put(t, space, site, at, &slot) == 0;
}

const char *tracee_site_granted(struct tracee *t, struct tracee_process *process,
				struct tracee_site *pub, unsigned span, enum tracee_granted what)
{
	if (!granting_of(t) || !base_near(process->space, pub->addr))
		return "there is no memory for it";
	return resident_put(t, process, NULL, (struct site *)pub, span, fastpath_granted_make,
			    &what);
}

/* ---- leases ---------------------------------------------------------------------------------- */

void tracee_grant(struct tracee_thread *thread, unsigned n, const uint64_t *others, size_t count,
		  size_t elsewhere)
{
	struct granting *g = granting_of(thread_of(thread)->tracee);

	if (!g || !thread->process->space->granted[0])
		return;
	assert(!g->tells && count <= GRANTED_OTHERS);
	g->thread = thread_of(thread);
	g->told = g->here->taken = 0;
	for (size_t i = 0; i < GRANTED_OTHERS; i++)
		g->here->others[i] = i < count ? others[i] : 0;
	g->here->elsewhere = elsewhere;
	g->here->granted = n < GRANTED_MOST ? n : GRANTED_MOST;
}

bool tracee_grants_end(struct tracee_thread *thread)
{
	struct granting *g = granting_of(thread_of(thread)->tracee);

	if (!g || g->thread != thread_of(thread))
		return true;
	if (g->tells || g->here->taken != g->told)
		return false;
	g->here->granted = 0;
	return true;
}

/* ---- reports --------------------------------------------------------------------------------- */

static struct site *site_of(const struct thread *th, const struct granted_arrival *a)
{
	uint64_t offset;
	const struct slot *slot = space_slot(space_of(th), a->returns, &offset);
	struct site *site = slot ? space_known_site(space_of(th), slot->from) : NULL;

	assert(site);
	return site;
}

/* Sets the recorded registers. The others stay as at the real stop. */
static void set_regs(struct user_regs_struct *regs, const struct granted_arrival *a)
{
	regs->rax = a->rax, regs->rbx = a->rbx, regs->rcx = a->rcx, regs->rdx = a->rdx;
	regs->rsi = a->rsi, regs->rdi = a->rdi, regs->rbp = a->rbp, regs->rsp = a->rsp;
	regs->r8 = a->r8, regs->r9 = a->r9, regs->r10 = a->r10, regs->r11 = a->r11;
	regs->r12 = a->r12, regs->r13 = a->r13, regs->r14 = a->r14, regs->r15 = a->r15;
	regs->eflags = a->flags;
}

static void stand(struct granting *g)
{
	const struct granted_arrival *a = &g->here->arrivals[g->told];
	struct thread *th = g->thread;

	thread_set_state(th, TRACEE_STOPPED);
	th->stop = STOP_SITE;
	th->site = site_of(th, a);
	th->settled = true;
	set_regs(&th->regs, a);
	th->regs.rip = th->site->pub.addr;
	th->regs_known = true;
	event_push(th->tracee, TRACEE_SITE, th)->site = &th->site->pub;
}

/* Puts the status in front of the queue, to be handled after the reports. */
static void put_by(struct tracee *t, pid_t tid, int status)
{
	struct taken *last = array_add(&t->taken), *first = t->taken.items;

	memmove(first + 1, first, (size_t)(last - first) * sizeof(*first));
	*first = (struct taken){tid, status};
}

bool granted_tell(struct tracee *t, pid_t tid, int status)
{
	struct granting *g = granting_of(t);

	if (!g || g->tells)
		return false;
	g->here->granted = 0;
	if (g->told == g->here->taken)
		return false;
	put_by(t, tid, status);
	g->regs_known = !ptrace(PTRACE_GETREGS, g->thread->pub.tid, 0, &g->regs);
	if (g->regs_known)
		g->thread->regs = g->regs; /* segment registers are not recorded at an arrival */
	g->tells = true;
	stand(g);
	return true;
}

bool granted_go_on(struct thread *th)
{
	struct granting *g = granting_of(th->tracee);

	if (!g || !g->tells || th != g->thread)
		return false;
	if (++g->told < g->here->taken) {
		stand(g);
		return true;
	}
	granted_drop(th->tracee);
	thread_went_on(th, TRACEE_RUNNING);
	return true;
}

void granted_regs(struct thread *th)
{
	struct granting *g = granting_of(th->tracee);

	if (!g || !g->regs_known)
		return;
	g->regs_known = false;
	if (th != g->thread)
		return;
	th->regs = g->regs;
	th->regs_known = true;
}

void granted_drop(struct tracee *t)
{
	struct granting *g = granting_of(t);

	if (!g)
		return;
	g->tells = false;
	g->told = g->here->taken = g->here->granted = 0;
}

int tracee_top(struct tracee_thread *thread, uint64_t *top)
{
	const struct granting *g = granting_of(thread_of(thread)->tracee);
	const struct thread *th = thread_of(thread);
	struct arch_regs regs;

	if (g && g->tells && g->thread == th) {
		*top = g->here->arrivals[g->told].top;
		return 0;
	}
	return tracee_regs(thread, &regs) < 0 ||
			       tracee_read(thread->process, regs.dwarf[ARCH_DWARF_SP], top,
					   sizeof(*top)) < 0
		       ? -1
		       : 0;
}

struct tracee_thread *tracee_told(const struct tracee *t)
{
	return t->granting && t->granting->tells ? &t->granting->thread->pub : NULL;
}
