/* Timed waits, with and without a predicate, and a flag of the thread's end. */
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

class Timer {
public:
	void start()
	{
		thread_ = std::jthread([this] { run(); });
	}

	bool wait(int milliseconds)
	{
		std::unique_lock<std::mutex> lock(mutex_);
		return changed_.wait_for(lock, std::chrono::milliseconds(milliseconds),
					 [&] { return fired_ || stopped_; });
	}

	void stop()
	{
		{
			std::lock_guard<std::mutex> guard(mutex_);
			stopped_ = true;
		}
		changed_.notify_all();
	}

private:
	void run()
	{
		std::unique_lock<std::mutex> lock(mutex_);
		while (!stopped_)
			if (changed_.wait_for(lock, std::chrono::seconds(1)) == std::cv_status::timeout)
				fired_ = true;
	}

	std::mutex mutex_;
	std::condition_variable changed_;
	bool fired_ = false, stopped_ = false;
	std::jthread thread_;
};
