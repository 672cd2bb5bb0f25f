/* Of two objects of the class one is locked. */
#include <mutex>

class Purse {
public:
	void put(long n)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		money_ += n;
	}

	void move_to(Purse &other, long n)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		money_ -= n;
		other.money_ += n; /* finding: P3 money_ */
	}

	long count()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return money_;
	}

private:
	std::mutex mutex_;
	long money_ = 0;
};
