/* As the sound one, but both places take the lock of the same struct, in two orders with the table's. */
#include <pthread.h>

struct mutex {
	pthread_mutex_t lock;
	const char *where;
};

struct rule {
	struct mutex mutex;
	int keys;
};

static struct mutex table = {PTHREAD_MUTEX_INITIALIZER, 0};
static int rules;

static void take(struct mutex *m)
{
	pthread_mutex_lock(&m->lock);
}

static void give(struct mutex *m)
{
	pthread_mutex_unlock(&m->lock);
}

void rule_use(struct rule *rule)
{
	take(&rule->mutex);
	rule->keys++;
	take(&table); /* finding: lock-order lock (or the other) */
	rules++;
	give(&table);
	give(&rule->mutex);
}

void rule_add(struct rule *rule)
{
	take(&table);
	rules++;
	take(&rule->mutex); /* finding: lock-order lock (or the other) */
	rule->keys++;
	give(&rule->mutex);
	give(&table);
}
