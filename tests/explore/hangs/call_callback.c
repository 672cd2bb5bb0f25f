/* PJSIP, issue 1371, "Soft deadlock when application query call info of other call inside a callback":
 * https://github.com/pjsip/pjproject/issues/1371
 *
 * Hangs: both threads that process SIP messages, each with a lock that the other one waits for.
 * When: the state of call A changes, and the application's callback asks for the info of call B: the thread holds call
 * A, takes the library's mutex and wants call B. At that moment the state of call B changes: the other thread holds
 * call B and wants the library's mutex.
 * Written from the description, with its two threads. */
#include <pthread.h>
#include <stdio.h>

enum state { CALLING, CONFIRMED };

struct call {
	pthread_mutex_t lock;
	enum state state;
	int changes;
};

static pthread_mutex_t library;
static struct call calls[2];
static void (*on_call_state)(int id);

static void recursive(pthread_mutex_t *m)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(m, &a);
	pthread_mutexattr_destroy(&a);
}

static enum state call_get_info(int id)
{
	enum state s;

	pthread_mutex_lock(&library);
	pthread_mutex_lock(&calls[id].lock);
	s = calls[id].state;
	pthread_mutex_unlock(&calls[id].lock);
	pthread_mutex_unlock(&library);
	return s;
}

/* A message has changed the state of a call. The library's own record comes first, then the application's. */
static void state_changed(int id, enum state state)
{
	pthread_mutex_lock(&calls[id].lock);
	calls[id].state = state;
	pthread_mutex_lock(&library);
	calls[id].changes++;
	pthread_mutex_unlock(&library);
	on_call_state(id);
	pthread_mutex_unlock(&calls[id].lock);
}

static void application(int id)
{
	if (id == 0 && call_get_info(1) == CONFIRMED)
		puts("both calls are up");
}

static void *worker(void *call)
{
	state_changed((int)((struct call *)call - calls), CONFIRMED);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	recursive(&library);
	recursive(&calls[0].lock);
	recursive(&calls[1].lock);
	on_call_state = application;
	pthread_create(&threads[0], NULL, worker, &calls[0]);
	pthread_create(&threads[1], NULL, worker, &calls[1]);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
