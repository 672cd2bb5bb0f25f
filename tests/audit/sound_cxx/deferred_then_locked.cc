/* std::defer_lock, lock(), unlock() and lock() again. */
#include <mutex>

class Gauge {
public:
	void set(int value)
	{
		std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
		if (value < 0)
			return;
		lock.lock();
		value_ = value;
		lock.unlock();
		wait();
		lock.lock();
		changes_++;
	}

	int get()
	{
		std::unique_lock<std::mutex> lock(mutex_, std::defer_lock);
		lock.lock();
		return value_ + changes_;
	}

private:
	static void wait() {}

	std::mutex mutex_;
	int value_ = 0, changes_ = 0;
};
