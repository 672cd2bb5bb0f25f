/* std::async runs its function beside the caller. */
#include <future>
#include <mutex>

class Index {
public:
	std::future<void> build()
	{
		return std::async(std::launch::async, [this] { build_now(); });
	}

	int size()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return size_;
	}

	void clear()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		size_ = 0;
	}

private:
	void build_now()
	{
		size_ = 42; /* finding: P3 size_ */
	}

	std::mutex mutex_;
	int size_ = 0;
};
