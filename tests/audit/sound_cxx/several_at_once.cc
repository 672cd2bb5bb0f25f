/* std::scoped_lock and std::lock take both in no order. */
#include <mutex>

class Purse {
public:
	void move_to(Purse &other, long n)
	{
		std::scoped_lock guard(mutex_, other.mutex_);
		money_ -= n;
		other.money_ += n;
	}

	void take_from(Purse &other, long n)
	{
		std::lock(other.mutex_, mutex_);
		std::lock_guard<std::mutex> mine(mutex_, std::adopt_lock);
		std::lock_guard<std::mutex> yours(other.mutex_, std::adopt_lock);
		other.money_ -= n;
		money_ += n;
	}

	void swap(Purse &other)
	{
		std::unique_lock<std::mutex> mine(mutex_, std::defer_lock);
		std::unique_lock<std::mutex> yours(other.mutex_, std::defer_lock);
		std::lock(mine, yours);
		long money = money_;
		money_ = other.money_;
		other.money_ = money;
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
