/* Where points are: entries of the functions that synchronise, wherever they are linked in. */
#include "tracer/sched/sched_internal.h"
#include "tracer/sched/sched_run.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/places/sites.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

/* Of OpenMP some take a lock that has no name. Who makes a process gives it all as it is then: memory with its locks,
   files. */
enum which { NONE = -1, ANY = -2, CRITICAL = -3, UPDATE = -4, ORDERED = -5, ALL = -6, FIRST = 0 };

struct sync_function {
	const char *name;
	enum strategy_op op;
	enum which object;
	bool reads; /* changes nothing that another one of its kind would see */
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

/* ---- a thread comes by -------------------------------------------------------------------------- */

/* syscall(SYS_futex, word, op, ...): false: it is another call. */
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

/* It is known what it is about without a look at the kind of call, or at other objects. */
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
		return (uint64_t)-f->object; /* nobody has memory there */
	}
}

static enum hit_answer hit_function(struct run *s, const struct act *a, const struct hit *h)
{
	const struct sync_function *f = &functions[a->what];
	struct scheduler *c = scheduler_of(s);
	struct sched_thread *t = sched_thread_of(h->thread);
	struct strategy_point p = {.op = f->op, .writes = !f->reads};

	if (!c || !c->begun || c->over || !t->thread ||
	    tracee_top(h->thread->tracee, &p.place) < 0 ||
	    scheduler_is_runtime(h->thread->process, p.place))
		return HIT_SEEN;
	p.object = object_of(f, h);
	if (strcmp(f->name, "syscall") == 0 && !is_futex(h, &p))
		return HIT_SEEN;
	watch_own_code(c, t);
	if (is_grantable(f))
		grants_note_function(c->given, h->address);
	t->objects[0] = f->object == ANY ? entry_argument(h, 0) : 0;
	t->objects[1] = f->op == STRATEGY_WAIT && f->object == ANY ? entry_argument(h, 1) : 0;
	t->point = p;
	t->function = f->name;
	t->forks = f->object == ALL;
	t->entry_sp = h->regs.dwarf[ARCH_DWARF_SP];
	t->at_point = true;
	return HIT_SEEN;
}

static const struct site_owner function_owner = {.name = "point", .hit = hit_function};

static void points_put(struct run *s, struct run_process *p, struct tracee_thread *t,
		       uint64_t address, const struct site_owner *owner, unsigned what)
{
	const struct act act = {.owner = owner, .what = what};
	ERROR(ignored);
	struct site_use *use = sites_use(s, p, t, address, NULL, &ignored);

	if (use && is_grantable(&functions[what]))
		grants_open(s, t, address);
	if (use && !sites_has(use, &act))
		sites_act(use, &act);
}

/* ---- setting them -------------------------------------------------------------------------------- */

struct setting {
	struct run *run;
	struct run_process *process;
	struct tracee_thread *thread;
	const struct image *image;
};

/* Most of those that a sanitizer has in place of libc's call these. */
static bool is_passed_on(const struct setting *x, const struct sync_function *f)
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

static void put_named(void *ctx, const char *name, uint64_t offset)
{
	const struct setting *x = ctx;

	for (unsigned i = 0; offset && i < FUNCTIONS; i++)
		if (name[0] == functions[i].name[0] && strcmp(name, functions[i].name) == 0 &&
		    !is_passed_on(x, &functions[i]))
			points_put(x->run, x->process, x->thread, x->image->bias + offset,
				   &function_owner, i);
}

static void put_static(const struct setting *x)
{
	uint64_t offset;

	for (unsigned i = 0; i < FUNCTIONS; i++)
		if (module_symbol(x->image->module, functions[i].name, &offset, NULL) == 0)
			points_put(x->run, x->process, x->thread, x->image->bias + offset,
				   &function_owner, i);
}

static void image_settled(const struct setting *x)
{
	if (x->process->loader)
		module_each_dynamic(x->image->module, put_named, (void *)x);
	else
		put_static(x);
	freed_settled(x->run, x->process, x->thread, x->image);
	taken_settled(x->run, x->process, x->thread, x->image);
	accesses_settled(x->run, x->process, x->thread, x->image);
	lines_settled(x->run, x->process, x->thread, x->image);
}

void points_settled(struct run *s, struct run_process *p, struct tracee_thread *t)
{
	points_opened(s, p, t, p->images.items, p->images.count);
	loops_put(s, p, t);
	starts_settled(s, p, t);
	if ((s->options->sched->flags & SCHED_KEEPS))
		runtime_unseen(p, &function_owner);
}

void points_opened(struct run *s, struct run_process *p, struct tracee_thread *t,
		   const struct image *images, size_t count)
{
	for (size_t i = 0; i < count; i++)
		image_settled(&(struct setting){s, p, t, &images[i]});
}
