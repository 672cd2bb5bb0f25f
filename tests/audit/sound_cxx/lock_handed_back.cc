/* A function returns the lock that it takes; another gets it, to release it. */
#include <mutex>
#include <utility>

class Steps {
public:
	void run()
	{
		auto lock = begin();
		step_++;
		pause(lock);
		step_++;
		finish(std::move(lock));
	}

	int step()
	{
		auto lock = begin();
		return step_;
	}

private:
	std::unique_lock<std::mutex> begin()
	{
		std::unique_lock<std::mutex> lock(mutex_);
		started_++;
		return lock;
	}

	void pause(std::unique_lock<std::mutex> &lock)
	{
		lock.unlock();
		lock.lock();
	}

	void finish(std::unique_lock<std::mutex> lock)
	{
		step_ = 0;
	}

	std::mutex mutex_;
	int step_ = 0, started_ = 0;
};
