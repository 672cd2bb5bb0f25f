/* lock() and unlock() by hand; one way out has no unlock(). */
#include <mutex>

class Slots {
public:
	int take()
	{
		mutex_.lock();
		if (free_ == 0)
			return -1; /* finding: return-with-lock mutex_ */
		int slot = free_--;
		mutex_.unlock();
		return slot;
	}

	void give()
	{
		mutex_.lock();
		free_++;
		mutex_.unlock();
	}

private:
	std::mutex mutex_;
	int free_ = 8;
};
