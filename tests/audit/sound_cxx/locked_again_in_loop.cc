/* A guard in each round of a loop, left by break, continue and goto. */
#include <mutex>

class Work {
public:
	int run(int rounds)
	{
		for (int i = 0; i < rounds; i++) {
			std::lock_guard<std::mutex> guard(mutex_);
			if (left_ == i)
				continue;
			if (!left_)
				break;
			if (left_ < 0)
				goto out;
			left_--;
		}
	out:
		std::lock_guard<std::mutex> guard(mutex_);
		return left_;
	}

	void add(int n)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		left_ += n;
	}

private:
	std::mutex mutex_;
	int left_ = 0;
};
