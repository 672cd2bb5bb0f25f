/* The predicate is evaluated with the lock that is waited with, which is another one. */
#include <condition_variable>
#include <mutex>

class Barrier {
public:
	void arrive()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		arrived_++;
		changed_.notify_all();
	}

	int count()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return arrived_;
	}

	void wait_for(int n)
	{
		std::unique_lock<std::mutex> lock(waiting_);
		changed_.wait(lock, [this, n] {
			return arrived_ >= n; /* finding: P3 arrived_ */
		});
	}

private:
	std::mutex mutex_, waiting_;
	std::condition_variable_any changed_;
	int arrived_ = 0;
};
