/* Points at the entries of functions that synchronise, in every module that defines them. */
#include "tracer/sched/sched_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/places.h"
#include "tracer/tracee/fastpath/fastpath.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

/* Objects of functions. CRITICAL, UPDATE and ORDERED are locks of OpenMP without an address.
   ALL: fork duplicates the whole process, its memory with locks and its open files. */
enum which { NONE = -1, ANY = -2, CRITICAL = -3, UPDATE = -4, ORDERED = -5, ALL = -6, FIRST = 0 };

struct sync_function {
	const char *name;
	enum strategy_op op;
	enum which object;
	bool reads; /* changes nothing that another call of this operation would observe */
};

static const struct sync_function functions[] = {
	{"pthread_create", STRATEGY_CREATE, NONE, false},
	{"thrd_create", STRATEGY_CREATE, NONE, false},
	{"pthread_join", STRATEGY_LOCK, FIRST, false},
	{"pthread_tryjoin_np", STRATEGY_LOCK, FIRST, false},
	{"pthread_timedjoin_np", STRATEGY_LOCK, FIRST, false},
	{"pthread_clockjoin_np", STRATEGY_LOCK, FIRST, false},
	{"thrd_join", STRATEGY_LOCK, FIRST, false},
	{"pthread_mutex_lock", STRATEGY_LOCK, FIRST, false},
	{"pthread_mutex_trylock", STRATEGY_LOCK, FIRST, false},
	{"pthread_mutex_timedlock", STRATEGY_LOCK, FIRST, false},
	{"pthread_mutex_clocklock", STRATEGY_LOCK, FIRST, false},
	{"pthread_mutex_unlock", STRATEGY_UNLOCK, FIRST, false},
	{"mtx_lock", STRATEGY_LOCK, FIRST, false},
	{"mtx_trylock", STRATEGY_LOCK, FIRST, false},
	{"mtx_timedlock", STRATEGY_LOCK, FIRST, false},
	{"mtx_unlock", STRATEGY_UNLOCK, FIRST, false},
	{"pthread_spin_lock", STRATEGY_LOCK, FIRST, false},
	{"pthread_spin_trylock", STRATEGY_LOCK, FIRST, false},
	{"pthread_spin_unlock", STRATEGY_UNLOCK, FIRST, false},
	{"pthread_rwlock_rdlock", STRATEGY_LOCK, FIRST, true},
	{"pthread_rwlock_tryrdlock", STRATEGY_LOCK, FIRST, true},
	{"pthread_rwlock_timedrdlock", STRATEGY_LOCK, FIRST, true},
	{"pthread_rwlock_clockrdlock", STRATEGY_LOCK, FIRST, true},
	{"pthread_rwlock_wrlock", STRATEGY_LOCK, FIRST, false},
	{"pthread_rwlock_trywrlock", STRATEGY_LOCK, FIRST, false},
	{"pthread_rwlock_timedwrlock", STRATEGY_LOCK, FIRST, false},
	{"pthread_rwlock_clockwrlock", STRATEGY_LOCK, FIRST, false},
	{"pthread_rwlock_unlock", STRATEGY_UNLOCK, FIRST, false},
	{"pthread_cond_wait", STRATEGY_WAIT, ANY, false},
	{"pthread_cond_timedwait", STRATEGY_WAIT, ANY, false},
	{"pthread_cond_clockwait", STRATEGY_WAIT, ANY, false},
	{"cnd_wait", STRATEGY_WAIT, ANY, false},
	{"cnd_timedwait", STRATEGY_WAIT, ANY, false},
	{"pthread_cond_signal", STRATEGY_SIGNAL, FIRST, false},
	{"pthread_cond_broadcast", STRATEGY_SIGNAL, FIRST, false},
	{"cnd_signal", STRATEGY_SIGNAL, FIRST, false},
	{"cnd_broadcast", STRATEGY_SIGNAL, FIRST, false},
	{"pthread_barrier_wait", STRATEGY_WAIT, FIRST, false},
	{"sem_wait", STRATEGY_LOCK, FIRST, false},
	{"sem_trywait", STRATEGY_LOCK, FIRST, false},
	{"sem_timedwait", STRATEGY_LOCK, FIRST, false},
	{"sem_clockwait", STRATEGY_LOCK, FIRST, false},
	{"sem_post", STRATEGY_UNLOCK, FIRST, false},
	{"sem_getvalue", STRATEGY_READ, FIRST, true},
	{"pthread_once", STRATEGY_LOCK, FIRST, false},
	{"call_once", STRATEGY_LOCK, FIRST, false},
	{"__cxa_guard_acquire", STRATEGY_LOCK, FIRST, false},
	{"__cxa_guard_release", STRATEGY_UNLOCK, FIRST, false},
	{"__cxa_guard_abort", STRATEGY_UNLOCK, FIRST, false},
	{"GOMP_critical_start", STRATEGY_LOCK, CRITICAL, false},
	{"GOMP_critical_end", STRATEGY_UNLOCK, CRITICAL, false},
	{"GOMP_critical_name_start", STRATEGY_LOCK, FIRST, false},
	{"GOMP_critical_name_end", STRATEGY_UNLOCK, FIRST, false},
	{"GOMP_atomic_start", STRATEGY_LOCK, UPDATE, false},
	{"GOMP_atomic_end", STRATEGY_UNLOCK, UPDATE, false},
	{"GOMP_ordered_start", STRATEGY_LOCK, ORDERED, false},
	{"GOMP_ordered_end", STRATEGY_UNLOCK, ORDERED, false},
	{"omp_set_lock", STRATEGY_LOCK, FIRST, false},
	{"omp_test_lock", STRATEGY_LOCK, FIRST, false},
	{"omp_unset_lock", STRATEGY_UNLOCK, FIRST, false},
	{"omp_set_nest_lock", STRATEGY_LOCK, FIRST, false},
	{"omp_test_nest_lock", STRATEGY_LOCK, FIRST, false},
	{"omp_unset_nest_lock", STRATEGY_UNLOCK, FIRST, false},
	{"pthread_cancel", STRATEGY_SIGNAL, ANY, false},
	{"pthread_kill", STRATEGY_SIGNAL, ANY, false},
	{"syscall", STRATEGY_BLOCK, ANY, false},
	{"fork", STRATEGY_BLOCK, ALL, false},
	{"vfork", STRATEGY_BLOCK, ALL, false},
	{"_Fork", STRATEGY_BLOCK, ALL, false},
	{"forkpty", STRATEGY_BLOCK, ALL, false},
	{"daemon", STRATEGY_BLOCK, ALL, false},
	{"posix_spawn", STRATEGY_BLOCK, ALL, false},
	{"posix_spawnp", STRATEGY_BLOCK, ALL, false},
	{"system", STRATEGY_BLOCK, ALL, false},
	{"popen", STRATEGY_BLOCK, ALL, false},
};
enum { FUNCTIONS = sizeof(functions) / sizeof(*functions) };

/* ---- hit of a trap ----------------------------------------------------------------------- */

/* Sets `op` and `object` for syscall(SYS_futex, word, op, ...). Returns false for other calls. */
static bool is_futex(const struct hit *h, struct strategy_point *p)
{
	int op = (int)entry_argument(h, 2) & FUTEX_CMD_MASK;

	if (entry_argument(h, 0) != SYS_futex)
		return false;
	p->op = op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET || op == FUTEX_LOCK_PI ||
				op == FUTEX_LOCK_PI2 || op == FUTEX_TRYLOCK_PI
			? STRATEGY_LOCK
			: STRATEGY_SIGNAL;
	p->object = entry_argument(h, 1);
	return true;
}

/* True if the object is known without the kind of call and without other arguments. */
static bool is_grantable(const struct sync_function *f)
{
	return f->object == FIRST || f->object == NONE;
}

static uint64_t object_of(const struct sync_function *f, const struct hit *h)
{
	switch (f->object) {
	case NONE:
		return STRATEGY_NO_OBJECT;
	case ANY:
	case ALL:
		return STRATEGY_ANY_OBJECT;
	case FIRST:
		return entry_argument(h, 0);
	default:
		return (uint64_t)-f->object; /* an address that is never mapped */
	}
}

static enum hit_answer hit_function(struct run *s, const struct act *a, const struct hit *h)
{
	const struct sync_function *f = &functions[a->what];
	struct scheduler *c;
	struct sched_thread *t = sched_hit(s, h, &c);
	struct strategy_point p = {.op = f->op, .writes = !f->reads};

	if (!t || tracee_top(run_thread_tracee(h->thread), &p.place) < 0 ||
	    scheduler_is_runtime(run_process_of(h->thread), p.place))
		return HIT_SEEN;
	p.object = object_of(f, h);
	if (strcmp(f->name, "syscall") == 0 && !is_futex(h, &p))
		return HIT_SEEN;
	watch_own_code(c, t);
	if (is_grantable(f))
		grants_note_function(c->given, h->address);
	t->objects[0] = f->object == ANY ? entry_argument(h, 0) : 0;
	t->objects[1] = f->op == STRATEGY_WAIT && f->object == ANY ? entry_argument(h, 1) : 0;
	sched_arrive(t, &p, f->name);
	t->forks = f->object == ALL;
	t->entry_sp = h->regs.dwarf[ARCH_DWARF_SP];
	return HIT_SEEN;
}

static const struct site_owner function_owner = {.hit = hit_function};

/* ---- lines that the user made points ----------------------------------------------------- */

/* Code from the line to the thread's next point can access any object. */
static enum hit_answer hit_line(struct run *s, const struct act *a, const struct hit *h)
{
	struct scheduler *c;
	struct sched_thread *t = sched_hit(s, h, &c);

	(void)a;
	if (!t || t->at_point)
		return HIT_SEEN;
	watch_own_code(c, t);
	t->access_count = 0;
	sched_arrive(t,
		     &(struct strategy_point){.op = STRATEGY_LINE,
					      .object = STRATEGY_ANY_OBJECT,
					      .place = h->address,
					      .writes = true},
		     NULL);
	return HIT_SEEN;
}

static const struct site_owner line_owner = {.no_registers = true, .hit = hit_line};

static bool is_access(const struct sched *g, const struct module *m, uint64_t offset)
{
	array_each(const struct sched_access, a, &g->accesses)
		if (a->offset == offset && a->module == m)
			return true;
	return false;
}

/* Sets traps at chosen places that are no accesses to memory. */
static void put_lines(const struct sched_image *x)
{
	const struct sched *g = run_options(x->run)->sched;
	const char *name = module_name(x->image->module);

	array_each(const struct sched_chosen, chosen, &g->chosen)
		if (!chosen->frees && strcmp(chosen->module, name) == 0 &&
		    !is_access(g, x->image->module, chosen->offset))
			sched_trap(x, x->image->bias + chosen->offset, &line_owner, 0);
}

/* ---- setting traps ----------------------------------------------------------------------- */

/* True for a sanitizer's interceptor that calls libc's function, which is a point already. */
static bool is_passed_on(const struct sched_image *x, const struct sync_function *f)
{
	static const char *const prefixes[] = {"pthread_mutex",
					       "pthread_cond",
					       "pthread_rwlock",
					       "pthread_spin",
					       "pthread_barrier",
					       "pthread_create",
					       "pthread_join",
					       "sem_",
					       "fork",
					       "vfork",
					       "posix_spawn"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strncmp(f->name, prefixes[i], strlen(prefixes[i])) == 0)
			return sanitizers_is(x->image->module);
	return false;
}

static void put_function(const struct sched_image *x, unsigned i, uint64_t offset)
{
	uint64_t address = x->image->bias + offset;

	if (!is_passed_on(x, &functions[i]) && sched_trap(x, address, &function_owner, i) &&
	    is_grantable(&functions[i]))
		grants_open(x->run, x->thread, address);
}

static void image_settled(const struct sched_image *x)
{
	static const struct sched_functions all = {functions, sizeof(*functions), FUNCTIONS,
						   put_function};

	sched_put_functions(x, &all);
	allocator_settled(x);
	accesses_settled(x);
	put_lines(x);
}

void points_settled(struct run *s, struct run_process *p, struct tracee_thread *t)
{
	points_opened(s, p, t, run_process_images(p)->items, run_process_images(p)->count);
	loops_put(s, p, t);
	starts_settled(s, p, t);
	if ((run_options(s)->sched->flags & SCHED_KEEPS))
		runtime_unseen(p, &function_owner);
}

void points_opened(struct run *s, struct run_process *p, struct tracee_thread *t,
		   const struct image *images, size_t count)
{
	for (size_t i = 0; i < count; i++)
		image_settled(&(struct sched_image){s, p, t, &images[i]});
}
