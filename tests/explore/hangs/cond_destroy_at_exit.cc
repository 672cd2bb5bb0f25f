/* RocksDB, pull request 11351, "Force thread cleanup in threadpool destructor":
 * https://github.com/facebook/rocksdb/pull/11351
 *
 * Hangs: exit() runs the destructor of the static pool, which destroys the condition variable: since glibc 2.25
 * pthread_cond_destroy() waits for the threads that wait on it, and no thread wakes them.
 * When: the host program leaves by exit() without JoinThreads(), and a worker waits for work by then.
 * Written from the description and its stack. Two workers; the host runs two jobs, and leaves. */
#include <pthread.h>
#include <cstdlib>
#include <deque>
#include <memory>

class Pool
{
public:
	explicit Pool(int n)
	{
		for (int i = 0; i < n; i++)
			pthread_create(&threads[i], nullptr, worker, this);
		size = n;
	}

	~Pool()
	{
		pthread_cond_destroy(&signal);
		pthread_mutex_destroy(&mutex);
	}

	void schedule(int job)
	{
		pthread_mutex_lock(&mutex);
		queue.push_back(job);
		pthread_mutex_unlock(&mutex);
		pthread_cond_signal(&signal);
	}

	void join_threads()
	{
		pthread_mutex_lock(&mutex);
		leaving = true;
		pthread_mutex_unlock(&mutex);
		pthread_cond_broadcast(&signal);
		for (int i = 0; i < size; i++)
			pthread_join(threads[i], nullptr);
	}

private:
	static void *worker(void *p)
	{
		static_cast<Pool *>(p)->run();
		return nullptr;
	}

	void run()
	{
		pthread_mutex_lock(&mutex);
		for (;;) {
			while (queue.empty() && !leaving)
				pthread_cond_wait(&signal, &mutex);
			if (queue.empty())
				break;
			queue.pop_front();
		}
		pthread_mutex_unlock(&mutex);
	}

	pthread_t threads[8];
	int size = 0;
	bool leaving = false;
	std::deque<int> queue;
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t signal = PTHREAD_COND_INITIALIZER;
};

static std::unique_ptr<Pool> pool;

int main(int argc, char **)
{
	pool.reset(new Pool(2));
	pool->schedule(1);
	pool->schedule(2);
	if (argc > 1) /* what the host should have done */
		pool->join_threads();
	exit(0);
}
