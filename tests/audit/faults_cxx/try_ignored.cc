/* std::try_to_lock may fail, and nobody asks. */
#include <mutex>

class Cache {
public:
	void refresh(int value)
	{
		std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
		value_ = value; /* finding: P3 value_ */
	}

	int value()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return value_;
	}

	void clear()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		value_ = 0;
	}

private:
	std::mutex mutex_;
	int value_ = 0;
};
