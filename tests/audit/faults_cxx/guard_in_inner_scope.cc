/* The guard ends with its block, and the last step is behind it. */
#include <mutex>

class Account {
public:
	void deposit(long amount)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		balance_ += amount;
	}

	bool withdraw(long amount)
	{
		{
			std::lock_guard<std::mutex> guard(mutex_);
			if (balance_ < amount)
				return false;
		}
		balance_ -= amount; /* finding: P3 balance_ */
		return true;
	}

	long balance()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return balance_;
	}

private:
	std::mutex mutex_;
	long balance_ = 0;
};
