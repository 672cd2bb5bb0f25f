/* std::try_to_lock, try_lock(), owns_lock() and the conversion to bool. */
#include <chrono>
#include <mutex>

class Cache {
public:
	bool refresh(int value)
	{
		std::unique_lock<std::timed_mutex> lock(mutex_, std::try_to_lock);
		if (!lock.owns_lock())
			return false;
		value_ = value;
		return true;
	}

	bool refresh_soon(int value)
	{
		if (std::unique_lock<std::timed_mutex> lock(mutex_, std::chrono::seconds(1)); lock) {
			value_ = value;
			return true;
		}
		return false;
	}

	bool clear()
	{
		if (!mutex_.try_lock())
			return false;
		value_ = 0;
		mutex_.unlock();
		return true;
	}

	int value()
	{
		std::lock_guard<std::timed_mutex> guard(mutex_);
		return value_;
	}

private:
	std::timed_mutex mutex_;
	int value_ = 0;
};
