/* Two fields are locks of a type of the project's own: they are not one kind of lock. */
#include <pthread.h>

struct mutex {
	pthread_mutex_t lock;
	const char *where;
};

struct key {
	struct mutex mutex;
	int uses;
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

void key_use(struct key *key)
{
	take(&key->mutex);
	key->uses++;
	take(&table);
	rules++;
	give(&table);
	give(&key->mutex);
}

void rule_add(struct rule *rule)
{
	take(&table);
	rules++;
	take(&rule->mutex);
	rule->keys++;
	give(&rule->mutex);
	give(&table);
}
