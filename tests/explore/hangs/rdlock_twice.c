/* jubatus_core, pull request 200 (issue 199), "fix double acquisition of read lock":
 * https://github.com/jubatus/jubatus_core/pull/200
 *
 * Hangs: a thread that holds the read lock asks for it again, and waits for the writer, which waits for the thread.
 * When: the writer asks between the two acquisitions. The lock prefers writers, as the report describes it.
 * Written from the description: a server with one thread that answers and one that updates. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t model_lock;
static double model[3] = { 1, 2, 3 };

static double norm(void)
{
	double sum = 0;

	pthread_rwlock_rdlock(&model_lock);
	for (int i = 0; i < 3; i++)
		sum += model[i] * model[i];
	pthread_rwlock_unlock(&model_lock);
	return sum;
}

/* Holds the lock already where it calls norm(). */
static double similarity(const double *query)
{
	double dot = 0;

	pthread_rwlock_rdlock(&model_lock);
	for (int i = 0; i < 3; i++)
		dot += model[i] * query[i];
	dot /= norm();
	pthread_rwlock_unlock(&model_lock);
	return dot;
}

static void *answer(void *arg)
{
	static const double query[3] = { 1, 0, 1 };

	for (int i = 0; i < 3; i++)
		similarity(query);
	return arg;
}

static void *update(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_rwlock_wrlock(&model_lock);
		model[i] += 1;
		pthread_rwlock_unlock(&model_lock);
	}
	return arg;
}

int main(void)
{
	pthread_rwlockattr_t attributes;
	pthread_t threads[2];

	pthread_rwlockattr_init(&attributes);
	pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&model_lock, &attributes);
	pthread_create(&threads[0], NULL, answer, NULL);
	pthread_create(&threads[1], NULL, update, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	printf("%.1f\n", model[0]);
	return 0;
}
