/* The lock moves to another function, which ends with it. */
#include <mutex>
#include <utility>

class Steps {
public:
	void run()
	{
		std::unique_lock<std::mutex> lock(mutex_);
		step_++;
		finish(std::move(lock));
		step_ = 0; /* finding: P3 step_ */
	}

	int step()
	{
		std::unique_lock<std::mutex> lock(mutex_);
		return step_;
	}

	void skip()
	{
		std::unique_lock<std::mutex> lock(mutex_);
		step_ += 2;
	}

private:
	void finish(std::unique_lock<std::mutex> lock)
	{
		step_++;
	}

	std::mutex mutex_;
	int step_ = 0;
};
