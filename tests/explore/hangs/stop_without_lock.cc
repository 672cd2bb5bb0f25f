/* mtrebi/thread-pool, issue 13, "Synchronization on shutdown": https://github.com/mtrebi/thread-pool/issues/13
 *
 * Hangs: shutdown() joins a worker that waits on the condition variable for ever.
 * When: the worker has found the flag unset and has not yet taken the mutex while shutdown() sets the flag and
 * notifies all. Neither of both holds the mutex there, and the wait has no predicate.
 * Written from the report's description. Three workers, as in the project's example. */
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class Pool
{
public:
	explicit Pool(int n) : threads(n)
	{
	}

	void init()
	{
		for (auto &t : threads)
			t = std::thread(&Pool::work, this);
	}

	void submit(std::function<void()> task)
	{
		{
			std::lock_guard<std::mutex> hold(queue_mutex);
			tasks.push(std::move(task));
		}
		changed.notify_one();
	}

	void shutdown()
	{
		stopped = true;
		changed.notify_all();
		for (auto &t : threads)
			t.join();
	}

private:
	bool pop(std::function<void()> &task)
	{
		std::lock_guard<std::mutex> hold(queue_mutex);

		if (tasks.empty())
			return false;
		task = std::move(tasks.front());
		tasks.pop();
		return true;
	}

	void work()
	{
		while (!stopped) {
			std::function<void()> task;

			{
				std::unique_lock<std::mutex> lock(mutex);
				if (empty())
					changed.wait(lock);
			}
			if (pop(task))
				task();
		}
	}

	bool empty()
	{
		std::lock_guard<std::mutex> hold(queue_mutex);

		return tasks.empty();
	}

	std::vector<std::thread> threads;
	std::queue<std::function<void()>> tasks;
	std::mutex queue_mutex, mutex;
	std::condition_variable changed;
	std::atomic<bool> stopped{false};
};

int main()
{
	std::atomic<int> sum{0};
	Pool pool(3);

	pool.init();
	for (int i = 1; i <= 3; i++)
		pool.submit([&sum, i] { sum += i; });
	pool.shutdown();
	return 0;
}
