/* Finds the start of the object that contains a futex word, and its owners as written by
 * glibc. If the words contradict the kind of object, it counts as unknown: no name is
 * better than a wrong one. */
#include "tracer/features/waiting/waiting_internal.h"
#include "tracer/run/modules/images.h"
#include "tracer/run/threads/threads.h"

#include <string.h>

enum {
	RWLOCK_READER_SHIFT = 3,
	RWLOCK_USED = 2, /* there are waiters */
	CONDITION_WAITER_SHIFT = 3,
	STREAM_TO_LOCK = 224, /* if fopen made it: the lock follows the FILE */
};

static void read_at(const struct waiter *w, uint64_t address, void *to, size_t n)
{
	struct tracee_process *p = run_process_tracee(run_process_of(w->thread));

	if (!p || tracee_read(p, address, to, n) < 0)
		memset(to, 0, n);
}

static uint32_t glibc_word(const struct waiter *w, uint64_t address)
{
	uint32_t word;

	read_at(w, address, &word, sizeof(word));
	return word;
}

static uint64_t glibc_pointer(const struct waiter *w, uint64_t address)
{
	uint64_t pointer;

	read_at(w, address, &pointer, sizeof(pointer));
	return pointer;
}

/* ---- start of the object ----------------------------------------------------------------- */

/* Readers wait at the phase or, if writers are preferred, at the count of readers. A writer waits
 * at the phase if it is next, else with the other writers. Some thread holds the lock meanwhile. */
static uint64_t rwlock_of(const struct waiter *w)
{
	uint64_t word = w->block.args[0], at;
	uint32_t expected = (uint32_t)w->block.args[2];

	if (w->what == WAITING_WRITE)
		at = word - (expected == RWLOCK_USED ? GLIBC_RWLOCK_PHASE : GLIBC_RWLOCK_WRITERS);
	else
		at = expected >> RWLOCK_READER_SHIFT ? word : word - GLIBC_RWLOCK_PHASE;
	return glibc_word(w, at + GLIBC_RWLOCK_SHARED) <= 1 &&
			       (glibc_word(w, at) || glibc_word(w, at + GLIBC_RWLOCK_WRITER))
		       ? at
		       : 0;
}

/* Returns the number of threads at the barrier, this one included, or 0 if it is no barrier. */
static uint32_t barrier_arrived(const struct waiter *w, uint64_t at)
{
	uint32_t arrived = glibc_word(w, at) - glibc_word(w, at + GLIBC_BARRIER_ROUND);

	return arrived <= glibc_word(w, at + GLIBC_BARRIER_COUNT) ? arrived : 0;
}

/* A condition has a futex word for each of two groups of waiters, after the count of all waiters,
 * at which pthread_cond_destroy waits. */
static uint64_t condition_of(const struct waiter *w)
{
	uint32_t waiters = glibc_condition_waiters(run_process_of(w->thread));
	uint64_t at = (w->block.args[0] - waiters - sizeof(waiters)) & ~(uint64_t)7;

	if (!waiters)
		return 0;
	if (w->what == WAITING_DESTROY)
		return w->block.args[0] - waiters;
	return glibc_word(w, at + waiters) >> CONDITION_WAITER_SHIFT ? at : 0;
}

/* Returns a standard stream, or a FILE that fopen made. */
static uint64_t stream_of(const struct waiter *w)
{
	static const char *const standard[] = {"_IO_2_1_stdout_", "_IO_2_1_stderr_",
					       "_IO_2_1_stdin_"};
	uint64_t offset, size, lock = w->block.args[0], file = lock - STREAM_TO_LOCK;

	array_each(const struct image, image, run_process_images(run_process_of(w->thread)))
		for (size_t i = 0; i < sizeof(standard) / sizeof(*standard); i++)
			if (module_symbol(image->module, standard[i], &offset, &size) == 0 &&
			    glibc_pointer(w, image->bias + offset + GLIBC_STREAM_LOCK) == lock)
				return image->bias + offset;
	return glibc_pointer(w, file + GLIBC_STREAM_LOCK) == lock ? file : 0;
}

static bool is_posix_barrier(const struct waiter *w)
{
	return w->what == WAITING_BARRIER && kinds_is_in(w, "pthread_barrier_wait");
}

void glibc_object(struct waiter *w)
{
	uint64_t word = w->block.args[0], barrier = word - GLIBC_BARRIER_ROUND;

	w->object = word;
	if (w->what == WAITING_READ || w->what == WAITING_WRITE)
		w->object = rwlock_of(w);
	else if (w->what == WAITING_CONDITION || w->what == WAITING_DESTROY)
		w->object = condition_of(w);
	else if (is_posix_barrier(w))
		w->object = barrier_arrived(w, barrier) ? barrier : 0;
	else if (w->what == WAITING_JOIN || w->what == WAITING_FUTURE)
		w->object = 0;
	else if (w->what == WAITING_STREAM)
		w->stream = stream_of(w);
}

/* ---- owners ------------------------------------------------------------------------------ */

static void add_thread(struct waiter *w, struct run_thread *t)
{
	array_each(const struct owner, o, &w->owners)
		if (o->thread == t)
			return;
	array_add(&w->owners)->thread = t;
}

/* Adds the thread that has, or last had, this id. */
static void add_tid(struct waiters *all, struct waiter *w, uint32_t tid)
{
	enum { TID_MOST = 1 << 22 }; /* the kernel's limit: with a higher number it is no mutex */
	const struct run *s = all->run;

	if (tid > TID_MOST)
		return;
	for (size_t i = run_thread_count(s); i-- > 0 && tid;) {
		struct run_thread *t = run_thread_at(s, i);

		if (run_thread_engine(t)->tid != (int)tid)
			continue;
		w->gone = !run_thread_lives(t) ||
			  futexes_left_behind(&w->wait, run_process_of(w->thread), t);
		add_thread(w, t);
		return;
	}
	w->gone = tid != 0;
	w->tid = tid;
}

/* If writers are preferred, a reader is not counted while a writer waits. */
bool glibc_is_behind_writer(const struct waiter *w)
{
	return w->what == WAITING_READ && w->block.args[0] == w->object;
}

static void rwlock_owners(struct waiters *all, struct waiter *w)
{
	uint32_t writer = glibc_word(w, w->object + GLIBC_RWLOCK_WRITER);

	if (writer)
		add_tid(all, w, writer);
	else
		w->readers = glibc_word(w, w->object) >> RWLOCK_READER_SHIFT;
	/* the waiter itself */
	if (w->what == WAITING_READ && w->readers && !glibc_is_behind_writer(w))
		w->readers--;
}

/* True if the thread runs the routine of a pthread_once or std::call_once: it is in a call that has
 * the object as an argument. */
static bool runs_routine(struct run *s, const struct waiter *other, uint64_t object)
{
	bool waits = other->what == WAITING_ONCE;

	for (size_t i = other->own; i < other->stack.count; i = caller_own(other, i + 1)) {
		if (!waits && locks_is_argument(s, &other->stack.items[i], object))
			return true;
		waits = false;
	}
	return false;
}

/* Returns how often the tester's function with the waiting call is on the other stack,
 * without that call itself. */
static unsigned entered(const struct waiter *other, const struct waiter *w)
{
	size_t i = other->what == w->what && other->object == w->object ? other->own + 1 : 0;
	const char *name = w->own < w->stack.count ? w->stack.items[w->own].function : NULL;
	unsigned times = 0;

	for (; name && i < other->stack.count; i++)
		times += other->stack.items[i].function &&
			 strcmp(other->stack.items[i].function, name) == 0;
	return times;
}

/* The initialiser has entered the same function: it is known if only one other thread has. */
static void initialiser(struct waiters *all, struct waiter *w)
{
	struct waiter *found = NULL;

	array_each(struct waiter, other, all) {
		if (run_process_of(other->thread) != run_process_of(w->thread) ||
		    !entered(other, w))
			continue;
		if (found)
			return;
		found = other;
	}
	if (found)
		add_thread(w, found->thread);
}

/* Adds the threads that run the routine of a once, or wait for the condition that is destroyed. */
static void add_sharers(struct waiters *all, struct waiter *w)
{
	array_each(struct waiter, other, all) {
		if (run_process_of(other->thread) != run_process_of(w->thread))
			continue;
		if (w->what == WAITING_ONCE ? runs_routine(all->run, other, w->object)
					    : w->object && other->what == WAITING_CONDITION &&
						      other->object == w->object)
			add_thread(w, other->thread);
	}
}

void glibc_owners(struct waiters *all, struct waiter *w)
{
	uint64_t thread;
	uint32_t tid;

	switch (w->what) {
	case WAITING_MUTEX:
		add_tid(all, w, glibc_word(w, w->object + GLIBC_MUTEX_OWNER));
		break;
	case WAITING_READ:
	case WAITING_WRITE:
		rwlock_owners(all, w);
		break;
	case WAITING_STREAM:
		thread = glibc_pointer(w, w->object + GLIBC_STREAM_OWNER);
		tid = glibc_thread_tid(run_process_of(w->thread));
		if (thread && tid)
			add_tid(all, w, glibc_word(w, thread + tid));
		break;
	case WAITING_DESTROY:
	case WAITING_ONCE:
		add_sharers(all, w);
		break;
	case WAITING_GUARD:
		initialiser(all, w);
		break;
	default:
		break;
	}
	if (w->wait.on)
		add_thread(w, threads_of(w->wait.on));
}

/* ---- state of the object ----------------------------------------------------------------- */

bool glibc_is_recursive(const struct waiter *w)
{
	return w->what == WAITING_MUTEX && glibc_word(w, w->object + GLIBC_MUTEX_COUNT) > 1;
}

void glibc_state(const struct waiter *w, struct str *out)
{
	uint32_t count;

	if (is_posix_barrier(w)) {
		uint32_t there = barrier_arrived(w, w->object);

		count = glibc_word(w, w->object + GLIBC_BARRIER_COUNT);
		if (there && there < count)
			str_addf(out, ", where %u of %u threads %s", there, count,
				 there == 1 ? "is" : "are");
	}
	if (w->what != WAITING_SEMAPHORE || !kinds_is_in(w, "sem_wait"))
		return;
	count = glibc_word(w, w->object + GLIBC_SEMAPHORE_WAITERS);
	if (count > 1)
		str_addf(out, " (%u threads wait for it)", count);
}
