/* With std::defer_lock nothing is locked until lock(). */
#include <mutex>

class Gauge {
public:
	void set(int value)
	{
		std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
		value_ = value; /* finding: P3 value_ */
	}

	int get()
	{
		std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
		lock.lock();
		return value_;
	}

	void clear()
	{
		std::unique_lock<std::mutex> lock(mutex_);
		value_ = 0;
	}

private:
	std::mutex mutex_;
	int value_ = 0;
};
