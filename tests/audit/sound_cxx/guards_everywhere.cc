/* lock_guard, unique_lock and scoped_lock, on all ways out. */
#include <mutex>

namespace stats {

class Counter {
public:
	void add(long n)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		total_ += n;
	}

	bool take(long n)
	{
		std::unique_lock lock(mutex_);

		for (int tries = 0; tries < 3; tries++) {
			if (total_ < n)
				continue;
			total_ -= n;
			return true;
		}
		if (total_ == 0)
			goto none;
		total_--;
		return false;
	none:
		total_ = 1;
		return false;
	}

	long total() const
	{
		std::scoped_lock guard(mutex_);
		return total_;
	}

private:
	mutable std::mutex mutex_;
	long total_ = 0;
};

} // namespace stats

stats::Counter counter;
