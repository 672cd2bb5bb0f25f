/* A broker that writes its journal under its lock, and a journal that asks for the broker's load under its own. */
#include <pthread.h>
#include <stdlib.h>

struct journal {
	pthread_mutex_t j_lock;
	int lines;
};

struct broker {
	pthread_mutex_t b_lock;
	int load;
};

static struct journal journal = {.j_lock = PTHREAD_MUTEX_INITIALIZER};
static struct broker broker = {.b_lock = PTHREAD_MUTEX_INITIALIZER};

static void journal_add(int lines)
{
	pthread_mutex_lock(&journal.j_lock); /* finding: lock-order b_lock j_lock (or the other) */
	journal.lines += lines;
	pthread_mutex_unlock(&journal.j_lock);
}

static int broker_load(void)
{
	pthread_mutex_lock(&broker.b_lock); /* finding: lock-order j_lock b_lock (or the other) */
	int load = broker.load;
	pthread_mutex_unlock(&broker.b_lock);
	return load;
}

void broker_accept(void)
{
	pthread_mutex_lock(&broker.b_lock);
	broker.load++;
	journal_add(1); /* finding: lock-order b_lock j_lock (or the other) */
	pthread_mutex_unlock(&broker.b_lock);
}

int journal_status(void)
{
	pthread_mutex_lock(&journal.j_lock);
	int load = broker_load(); /* finding: lock-order j_lock b_lock (or the other) */
	int difference = load - journal.lines;
	pthread_mutex_unlock(&journal.j_lock);
	return difference;
}

#ifdef DRIVER
static void *accepting(void *unused)
{
	broker_accept();
	broker_accept();
	return unused;
}

static void *watching(void *unused)
{
	journal_status();
	journal_status();
	return unused;
}

int main(void)
{
	pthread_t one, two;
	pthread_create(&one, NULL, accepting, NULL);
	pthread_create(&two, NULL, watching, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return journal_status() != 0;
}
#endif
