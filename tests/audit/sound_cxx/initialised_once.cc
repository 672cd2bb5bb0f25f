/* std::call_once for what is set up at its first use. */
#include <mutex>

class Lazy {
public:
	int get()
	{
		std::call_once(once_, [this] { value_ = 42; });
		return value_;
	}

	void count()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		uses_++;
	}

private:
	std::once_flag once_;
	std::mutex mutex_;
	int value_ = 0;
	int uses_ = 0;
};
