/* Members and operators of std::atomic and std::atomic_flag. */
#include <atomic>

class Flags {
public:
	void hit()
	{
		hits_++;
		total_ += 2;
		misses_.fetch_sub(1, std::memory_order_relaxed);
	}

	bool claim()
	{
		int none = 0;
		return owner_.compare_exchange_strong(none, 1) && !busy_.test_and_set();
	}

	void release()
	{
		busy_.clear();
		owner_ = 0;
		last_.store(hits_.load());
	}

	int sum() const
	{
		return hits_ + total_ + misses_ + last_;
	}

private:
	std::atomic<int> hits_{0}, total_{0}, misses_{0}, owner_{0}, last_{0};
	std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
};
