/* futex(2) for threads that are stopped before the call: a wait compares the word and leaves the
   thread stopped, a wake resumes it with its result. The strategy chooses among several waiters. */
#include "tracer/sched/sched_internal.h"
#include "tracer/sched/syscalls/futexes.h"
#include "tracer/tracee/threads/threads.h"
#include "tracer/tracee/syscalls/syscalls.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

enum { ALL_BITS = -1 };

static struct tracee_process *process_of(const struct sched_thread *t)
{
	return run_process_tracee(run_process_of(t->thread));
}

int futexes_op(const struct sched_thread *t)
{
	return (int)t->call.args[1] & FUTEX_CMD_MASK;
}

static struct futex_key key_of(const struct sched_thread *t, uint64_t address, uint64_t flags)
{
	return (struct futex_key){.a = (uint64_t)(uintptr_t)process_of(t)->space,
				  .c = address,
				  .unknown = flags & FUTEX_PRIVATE_FLAG ? NULL : process_of(t)};
}

/* Memory that processes share is mapped from a file, perhaps an unnamed one. */
void futexes_look_up(struct futex_key *key)
{
	struct tracee_mapping map;

	if (key->unknown && tracee_mapping_at(key->unknown, key->c, &map) == 0 && map.shared)
		*key = (struct futex_key){map.dev, map.ino, map.offset + (key->c - map.start),
					  NULL};
	key->unknown = NULL;
}

struct futex_key futexes_key(const struct sched_thread *t, uint64_t address)
{
	return key_of(t, address, t->call.args[1]);
}

static bool is_equal(const struct futex_key *x, const struct futex_key *y)
{
	return x->a == y->a && x->b == y->b && x->c == y->c;
}

static bool may_be_file(const struct futex_key *key)
{
	return key->unknown || key->b;
}

bool futexes_same(struct futex_key *x, struct futex_key *y)
{
	bool equal = is_equal(x, y);

	if (equal ? x->unknown == y->unknown : !may_be_file(x) || !may_be_file(y))
		return equal;
	futexes_look_up(x);
	futexes_look_up(y);
	return is_equal(x, y);
}

/* ---- waits ------------------------------------------------------------------------------- */

/* True if the thread is inside the function of its last point, so the wait belongs to that
   point. */
static bool futexes_is_inside(const struct sched_thread *t)
{
	uint64_t back;

	return t->function && t->call.sp < t->entry_sp &&
	       tracee_read(process_of(t), t->entry_sp, &back, sizeof(back)) == 0 &&
	       back == t->point.place;
}

void futexes_wait_at(struct sched_thread *t)
{
	if (!futexes_is_inside(t)) {
		t->point = (struct strategy_point){.op = STRATEGY_LOCK,
						   .object = t->call.args[0],
						   .place = t->call.pc,
						   .writes = true};
		t->function = NULL;
		t->known &= ~(unsigned)POINT_PLACED;
	}
	t->state = THREAD_FUTEX;
}

static void futex_wait(struct scheduler *c, struct sched_thread *t)
{
	const uint64_t *args = t->call.args;
	bool absolute = futexes_op(t) == FUTEX_WAIT_BITSET;
	uint32_t word;

	if (tracee_read(process_of(t), args[0], &word, sizeof(word)) < 0) {
		sched_thread_answer(t, -EFAULT);
		return;
	}
	/* the waiter has announced its wait in the word: wakers are ordered after it */
	watch_wake(c, t, args[0]);
	if (word != (uint32_t)args[2]) {
		sched_thread_answer(t, -EAGAIN);
		return;
	}
	times_wait(c, t, args[3], absolute,
		   args[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC);
	t->bits = absolute ? (uint32_t)args[5] : (uint32_t)ALL_BITS;
	t->waits = FUTEX_FOR_WAKE;
	t->key = futexes_key(t, args[0]);
	t->queued = ++c->queued;
	futexes_wait_at(t);
}

/* Reads the words of futex_waitv(2). Returns 0 if the kernel rejects the call. */
static size_t futexes_words_of(const struct sched_thread *t,
			       struct futex_waitv words[FUTEX_WAITV_MAX])
{
	size_t count = (size_t)t->call.args[1];

	if (count > FUTEX_WAITV_MAX || t->call.args[2] ||
	    tracee_read(process_of(t), t->call.args[0], words, count * sizeof(*words)) < 0)
		return 0;
	for (size_t i = 0; i < count; i++)
		if ((words[i].flags & ~(uint32_t)FUTEX_PRIVATE_FLAG) != FUTEX_32)
			return 0;
	return count;
}

bool futexes_wait_any(struct scheduler *c, struct sched_thread *t)
{
	struct futex_waitv words[FUTEX_WAITV_MAX];
	size_t count = futexes_words_of(t, words);
	uint32_t word;

	for (size_t i = 0; i < count; i++) {
		if (tracee_read(process_of(t), words[i].uaddr, &word, sizeof(word)) < 0)
			return false;
		if (word == (uint32_t)words[i].val)
			continue;
		sched_thread_answer(t, -EAGAIN);
		return true;
	}
	if (!count)
		return false;
	times_wait(c, t, t->call.args[3], true, (int)t->call.args[4]);
	t->waits = FUTEX_FOR_ANY;
	t->queued = ++c->queued;
	futexes_wait_at(t);
	t->point.object = STRATEGY_ANY_OBJECT;
	t->known &= ~(unsigned)POINT_PLACED;
	return true;
}

/* Sets the expected values to the current ones, so that the kernel lets the thread wait. */
static void let_wait_for_any(struct sched_thread *t)
{
	struct futex_waitv words[FUTEX_WAITV_MAX];
	size_t count = futexes_words_of(t, words);
	uint32_t word;

	for (size_t i = 0; i < count; i++)
		if (tracee_read(process_of(t), words[i].uaddr, &word, sizeof(word)) == 0)
			words[i].val = word;
	tracee_write(process_of(t), t->call.args[0], words, count * sizeof(*words));
}

void futexes_let_wait(struct sched_thread *t)
{
	uint32_t word;

	if (t->waits == FUTEX_FOR_LOCK)
		futexes_pi_let_wait(t);
	else if (t->waits == FUTEX_FOR_ANY)
		let_wait_for_any(t);
	else if (tracee_read(process_of(t), t->call.args[0], &word, sizeof(word)) == 0)
		tracee_argument(run_thread_tracee(t->thread), 2, word);
	sched_thread_goes(t);
}

/* ---- wakes ------------------------------------------------------------------------------- */

static bool waits_at(struct sched_thread *t, struct futex_key *key, uint32_t bits)
{
	return t->state == THREAD_FUTEX && t->waits == FUTEX_FOR_WAKE &&
	       futexes_same(&t->key, key) && (t->bits & bits);
}

/* Returns the result of the thread's call if it is woken there (with several words the index),
   or -1 if it does not wait there. */
static int64_t woken_at(struct sched_thread *t, struct futex_key *key, uint32_t bits)
{
	struct futex_waitv words[FUTEX_WAITV_MAX];
	size_t count;

	if (t->state != THREAD_FUTEX || t->waits != FUTEX_FOR_ANY)
		return waits_at(t, key, bits) ? 0 : -1;
	count = futexes_words_of(t, words);
	for (size_t i = 0; i < count; i++) {
		struct futex_key own = key_of(t, words[i].uaddr, words[i].flags);

		if (futexes_same(&own, key))
			return (int64_t)i;
	}
	return -1;
}

static size_t offer_waiters(struct scheduler *c, struct futex_key *key, uint32_t bits)
{
	scheduler_offer_none(c);
	array_each(struct sched_thread *, t, &c->threads)
		if (woken_at(*t, key, bits) >= 0)
			scheduler_offer(c, *t, STRATEGY_WAKE);
	return c->points.count;
}

static void offer_longest(struct scheduler *c)
{
	struct sched_thread *longest = c->at.items[0];

	array_each(struct sched_thread *, t, &c->at)
		if ((*t)->queued < longest->queued)
			longest = *t;
	scheduler_offer_none(c);
	scheduler_offer(c, longest, STRATEGY_WAKE);
}

static struct sched_thread *choose_waiter(struct scheduler *c)
{
	if ((c->given->flags & SCHED_WAKES_FIRST))
		offer_longest(c);
	return scheduler_choose(c);
}

/* Returns how many were woken, or -1 if the run is over. */
static int64_t wake(struct scheduler *c, struct futex_key *key, uint32_t bits, uint64_t most)
{
	int64_t woken = 0;
	size_t count;

	while ((uint64_t)woken < most && (count = offer_waiters(c, key, bits))) {
		struct sched_thread *chosen = count > 1 && count > most - (uint64_t)woken
						      ? choose_waiter(c)
						      : c->at.items[0];

		if (!chosen)
			return -1;
		sched_thread_answered(chosen, woken_at(chosen, key, bits));
		woken++;
	}
	return woken;
}

static void wake_call(struct scheduler *c, struct sched_thread *t)
{
	uint32_t bits =
		futexes_op(t) == FUTEX_WAKE ? (uint32_t)ALL_BITS : (uint32_t)t->call.args[5];
	struct futex_key key = futexes_key(t, t->call.args[0]);
	int64_t woken = wake(c, &key, bits, (uint32_t)t->call.args[2]);

	watch_wake(c, t, t->call.args[0]);
	if (woken >= 0)
		sched_thread_answer(t, woken);
}

static void futex_requeue(struct scheduler *c, struct sched_thread *t)
{
	bool compares = futexes_op(t) == FUTEX_CMP_REQUEUE;
	const uint64_t *args = t->call.args;
	struct futex_key from = futexes_key(t, args[0]), to = futexes_key(t, args[4]);
	uint64_t moved = 0;
	int64_t woken;
	uint32_t word;

	if (compares && tracee_read(process_of(t), args[0], &word, sizeof(word)) == 0 &&
	    word != (uint32_t)args[5]) {
		sched_thread_answer(t, -EAGAIN);
		return;
	}
	woken = wake(c, &from, (uint32_t)ALL_BITS, (uint32_t)args[2]);
	if (woken < 0)
		return;
	futexes_look_up(&to);
	array_each(struct sched_thread *, w, &c->threads) {
		if (moved == (uint32_t)args[3] || !waits_at(*w, &from, (uint32_t)ALL_BITS))
			continue;
		(*w)->key = to;
		(*w)->queued = ++c->queued;
		moved++;
	}
	sched_thread_answer(t, woken + (compares ? (int64_t)moved : 0));
}

/* FUTEX_WAKE_OP: changes the second word, then wakes at the first word, and at the second if its
   old value passes the comparison. */
static bool changes(struct sched_thread *t, uint32_t *old)
{
	uint32_t code = (uint32_t)t->call.args[5], arg = code >> 12 & 0xfff, now;
	uint64_t at = t->call.args[4];

	if (code >> 28 & FUTEX_OP_OPARG_SHIFT)
		arg = 1u << (arg & 31);
	if (tracee_read(process_of(t), at, old, sizeof(*old)) < 0)
		return false;
	switch (code >> 28 & 7) {
	case FUTEX_OP_SET:
		now = arg;
		break;
	case FUTEX_OP_ADD:
		now = *old + arg;
		break;
	case FUTEX_OP_OR:
		now = *old | arg;
		break;
	case FUTEX_OP_ANDN:
		now = *old & ~arg;
		break;
	default:
		now = *old ^ arg;
	}
	return tracee_write(process_of(t), at, &now, sizeof(now)) == 0;
}

static bool op_compares(uint32_t code, uint32_t old)
{
	int32_t value = (int32_t)old, than = (int32_t)(code << 20) >> 20;

	switch (code >> 24 & 0xf) {
	case FUTEX_OP_CMP_EQ:
		return value == than;
	case FUTEX_OP_CMP_NE:
		return value != than;
	case FUTEX_OP_CMP_LT:
		return value < than;
	case FUTEX_OP_CMP_LE:
		return value <= than;
	case FUTEX_OP_CMP_GT:
		return value > than;
	default:
		return value >= than;
	}
}

static void wake_op(struct scheduler *c, struct sched_thread *t)
{
	const uint64_t *args = t->call.args;
	struct futex_key first = futexes_key(t, args[0]), second = futexes_key(t, args[4]);
	int64_t woken, more = 0;
	uint32_t old;

	if (!changes(t, &old)) {
		sched_thread_answer(t, -EFAULT);
		return;
	}
	woken = wake(c, &first, (uint32_t)ALL_BITS, (uint32_t)args[2]);
	if (woken >= 0 && op_compares((uint32_t)args[5], old))
		more = wake(c, &second, (uint32_t)ALL_BITS, (uint32_t)args[3]);
	if (woken >= 0 && more >= 0)
		sched_thread_answer(t, woken + more);
}

bool futexes_call(struct scheduler *c, struct sched_thread *t)
{
	static const struct {
		int op;
		void (*handle)(struct scheduler *c, struct sched_thread *t);
		bool limited; /* the 4th argument is a time-out, which the kernel checks first */
	} rows[] = {
		{FUTEX_WAIT, futex_wait, true},
		{FUTEX_WAIT_BITSET, futex_wait, true},
		{FUTEX_WAKE, wake_call, false},
		{FUTEX_WAKE_BITSET, wake_call, false},
		{FUTEX_REQUEUE, futex_requeue, false},
		{FUTEX_CMP_REQUEUE, futex_requeue, false},
		{FUTEX_WAKE_OP, wake_op, false},
		{FUTEX_LOCK_PI, futexes_pi_lock, true},
		{FUTEX_LOCK_PI2, futexes_pi_lock, true},
		{FUTEX_TRYLOCK_PI, futexes_pi_lock, false},
		{FUTEX_UNLOCK_PI, futexes_pi_unlock, false},
		{FUTEX_WAIT_REQUEUE_PI, futexes_pi_wait_requeue, true},
		{FUTEX_CMP_REQUEUE_PI, futexes_pi_requeue, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int64_t wrong;

		if (rows[i].op != futexes_op(t))
			continue;
		wrong = rows[i].limited ? times_check(t, t->call.args[3]) : 0;
		if (wrong)
			sched_thread_answer(t, wrong);
		else
			rows[i].handle(c, t);
		return true;
	}
	return false;
}

/* ---- wakes by the kernel ----------------------------------------------------------------- */

struct futex_words { /* Set of words that the kernel wakes at a thread's exit. */
	ARRAY(struct futex_key) keys;
};

static void futexes_add_word(struct futex_words *words, struct futex_key key)
{
	array_each(struct futex_key, known, &words->keys)
		if (futexes_same(known, &key))
			return;
	*array_add(&words->keys) = key;
}

/* Returns the words that the thread waits for. The kernel's wake at exit is not private, so it
   does not reach private waits. */
static size_t words_waited_at(const struct sched_thread *t,
			      struct futex_waitv words[FUTEX_WAITV_MAX])
{
	if (t->state != THREAD_FUTEX)
		return 0;
	if (t->waits == FUTEX_FOR_ANY)
		return futexes_words_of(t, words);
	if (t->waits != FUTEX_FOR_WAKE)
		return 0;
	words[0] = (struct futex_waitv){.val = t->call.args[2],
					.uaddr = t->key.b ? t->call.args[0] : t->key.c,
					.flags = (uint32_t)t->call.args[1]};
	return 1;
}

/* A join waits until the word with the thread's id is 0. For a process's first thread the word
   is unknown: any word that expects its id. A robust lock has FUTEX_OWNER_DIED and FUTEX_WAITERS
   set (set_robust_list(2)). */
static bool is_left(const struct sched_thread *t, const struct futex_waitv *waited,
		    const struct sched_thread *gone)
{
	uint64_t clears = gone->clears;
	bool joined = clears ? clears == waited->uaddr
			     : (waited->val & FUTEX_TID_MASK) ==
				       (uint32_t)run_thread_engine(gone->thread)->tid;
	uint32_t word;

	if (tracee_read(process_of(t), waited->uaddr, &word, sizeof(word)) < 0)
		return false;
	return word ? word == (FUTEX_WAITERS | FUTEX_OWNER_DIED) : joined;
}

static void look_where_it_waits(struct sched_thread *t, const struct sched_thread *gone,
				struct futex_words *left)
{
	struct futex_waitv words[FUTEX_WAITV_MAX];
	size_t count = words_waited_at(t, words);

	for (size_t i = 0; i < count; i++)
		if (!(words[i].flags & FUTEX_PRIVATE_FLAG) && is_left(t, &words[i], gone))
			futexes_add_word(left, key_of(t, words[i].uaddr, words[i].flags));
}

void futexes_thread_gone(struct scheduler *c, const struct sched_thread *gone)
{
	struct futex_words left = {0};
	int64_t woken = 0;

	array_each(struct sched_thread *, t, &c->threads)
		look_where_it_waits(*t, gone, &left);
	for (size_t i = 0; i < left.keys.count && woken >= 0; i++)
		woken = wake(c, &left.keys.items[i], (uint32_t)ALL_BITS, 1);
	array_fini(&left.keys);
	if (woken >= 0)
		futexes_pi_thread_gone(c, (uint32_t)run_thread_engine(gone->thread)->tid);
}
