/* A local lambda is called with the lock in one place, and without in another. */
#include <mutex>

class Meter {
public:
	void measure(int value)
	{
		auto add = [&](int n) {
			sum_ += n; /* finding: P3 sum_ */
		};
		{
			std::lock_guard<std::mutex> guard(mutex_);
			add(value);
			count_++;
		}
		if (value > 100)
			add(-100);
	}

	int sum()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return sum_;
	}

	int mean()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return count_ ? sum_ / count_ : 0;
	}

private:
	std::mutex mutex_;
	int sum_ = 0;
	int count_ = 0;
};
