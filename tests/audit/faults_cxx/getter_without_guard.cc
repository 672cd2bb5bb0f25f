/* A counter behind a std::mutex, whose getter reads it without. */
#include <mutex>

namespace stats {

class Counter {
public:
	void add(long n)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		total_ += n;
	}

	void reset()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		total_ = 0;
	}

	long total() const
	{
		return total_; /* finding: P3 total_ */
	}

private:
	mutable std::mutex mutex_;
	long total_ = 0;
};

} // namespace stats

stats::Counter counter;
