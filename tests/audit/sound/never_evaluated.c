/* A count of users by a macro that looks at the type of what it is given, in code that never runs. */
#include <pthread.h>

#define COUNT_UP(at) ((void)(0 ? *(at) ^ *(at) : 1), __atomic_fetch_add((at), 1, __ATOMIC_SEQ_CST))

struct shared {
	pthread_mutex_t lock;
	int users;
};

void shared_take(struct shared *shared)
{
	COUNT_UP(&shared->users);
}

int shared_users(struct shared *shared)
{
	return __atomic_load_n(&shared->users, __ATOMIC_SEQ_CST);
}
