/* Apache brpc, pull request 2986, "Fix race condition that causes TimerThread to hang during shutdown":
 * https://github.com/apache/brpc/pull/2986
 *
 * Hangs: stop_and_join() joins the timer thread, which sleeps on its futex without a time-out.
 * When: the timer thread has found stop unset and waits for the mutex while stop_and_join() sets nearest = 0 under
 * it. The thread then writes INT64_MAX over that, finds no task and no sign of the stop, and takes the number of
 * signals, which is raised already, for the one to wait on.
 * Written from the description: main schedules one task, and stops the thread. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct task {
	int64_t when;
	void (*function)(void);
};

static struct {
	pthread_t thread;
	pthread_mutex_t mutex;
	atomic_bool stop;
	int64_t nearest; /* guarded by the mutex, as are the task and the signals' changes */
	struct task pending;
	bool is_pending;
	atomic_int signals; /* the futex */
} timer = { .mutex = PTHREAD_MUTEX_INITIALIZER, .nearest = INT64_MAX };

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void sleep_until(int64_t when, int signals)
{
	int64_t left = when - now();
	struct timespec t = { left / 1000000000, left % 1000000000 };

	if (when == INT64_MAX)
		syscall(SYS_futex, &timer.signals, FUTEX_WAIT_PRIVATE, signals, NULL);
	else if (left > 0)
		syscall(SYS_futex, &timer.signals, FUTEX_WAIT_PRIVATE, signals, &t);
}

static void *run(void *arg)
{
	struct task mine = { INT64_MAX, NULL };

	while (!timer.stop) {
		int signals;

		pthread_mutex_lock(&timer.mutex);
		timer.nearest = INT64_MAX; /* forgotten before the tasks are collected */
		if (timer.is_pending)
			mine = timer.pending;
		timer.is_pending = false;
		pthread_mutex_unlock(&timer.mutex);
		if (mine.function && mine.when <= now()) {
			mine.function();
			mine = (struct task){ INT64_MAX, NULL };
		}
		pthread_mutex_lock(&timer.mutex);
		if (mine.when > timer.nearest) { /* an earlier one has come */
			pthread_mutex_unlock(&timer.mutex);
			continue;
		}
		timer.nearest = mine.when;
		signals = timer.signals;
		pthread_mutex_unlock(&timer.mutex);
		sleep_until(mine.when, signals);
	}
	return arg;
}

static void schedule(void (*function)(void), int64_t when)
{
	bool earlier;

	pthread_mutex_lock(&timer.mutex);
	timer.pending = (struct task){ when, function };
	timer.is_pending = true;
	earlier = when < timer.nearest;
	if (earlier) {
		timer.nearest = when;
		timer.signals++;
	}
	pthread_mutex_unlock(&timer.mutex);
	if (earlier)
		syscall(SYS_futex, &timer.signals, FUTEX_WAKE_PRIVATE, 1);
}

static void stop_and_join(void)
{
	timer.stop = true;
	pthread_mutex_lock(&timer.mutex);
	timer.nearest = 0;
	timer.signals++;
	pthread_mutex_unlock(&timer.mutex);
	syscall(SYS_futex, &timer.signals, FUTEX_WAKE_PRIVATE, 1);
	pthread_join(timer.thread, NULL);
}

static void beat(void)
{
}

int main(void)
{
	pthread_create(&timer.thread, NULL, run, NULL);
	schedule(beat, now());
	stop_and_join();
	return 0;
}
