/* Sessions: the idle time belongs to the session's own lock; the sweep holds the lock of the whole table instead. */
#include <pthread.h>
#include <stdlib.h>

#define SESSIONS 2

struct session {
	pthread_mutex_t lock;
	int idle;
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static struct session *table[SESSIONS];

void session_open(int number)
{
	struct session *session = calloc(1, sizeof(*session));
	if (!session)
		return;
	pthread_mutex_init(&session->lock, NULL);
	pthread_mutex_lock(&table_lock);
	table[number] = session;
	pthread_mutex_unlock(&table_lock);
}

struct session *session_find(int number)
{
	pthread_mutex_lock(&table_lock);
	struct session *session = table[number];
	pthread_mutex_unlock(&table_lock);
	return session;
}

int session_idle(struct session *session, int more)
{
	pthread_mutex_lock(&session->lock);
	session->idle += more;
	int idle = session->idle;
	pthread_mutex_unlock(&session->lock);
	return idle;
}

void session_touch(struct session *session)
{
	pthread_mutex_lock(&session->lock);
	session->idle = 0;
	pthread_mutex_unlock(&session->lock);
}

void session_sweep(void)
{
	pthread_mutex_lock(&table_lock);
	for (int i = 0; i < SESSIONS; i++)
		if (table[i])
			table[i]->idle++; /* finding: P3 idle */
	pthread_mutex_unlock(&table_lock);
}

#ifdef DRIVER
static void *sweeper(void *unused)
{
	session_sweep();
	session_sweep();
	return unused;
}

static void *user(void *session)
{
	session_idle(session, 10);
	session_idle(session, 10);
	return NULL;
}

int main(void)
{
	pthread_t one, two;
	session_open(0);
	session_touch(session_find(0));
	pthread_create(&one, NULL, sweeper, NULL);
	pthread_create(&two, NULL, user, session_find(0));
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return session_idle(session_find(0), 0) != 22;
}
#endif
