/* Threads that a vector makes in place. */
#include <mutex>
#include <thread>
#include <vector>

class Pool {
public:
	void start(int count)
	{
		for (int i = 0; i < count; i++)
			threads_.emplace_back([this] { work(); });
	}

	int jobs()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return jobs_;
	}

	void add()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		jobs_++;
	}

private:
	void work()
	{
		jobs_--; /* finding: P3 jobs_ */
	}

	std::mutex mutex_;
	int jobs_ = 0;
	std::vector<std::jthread> threads_;
};
