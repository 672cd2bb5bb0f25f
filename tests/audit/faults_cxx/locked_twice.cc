/* A member function that locks calls another that does. */
#include <mutex>

class Stack {
public:
	bool empty()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		return count_ == 0;
	}

	int pop()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		if (empty()) /* finding: double-lock mutex_ */
			return -1;
		return values_[--count_];
	}

private:
	std::mutex mutex_;
	int values_[16] = {};
	int count_ = 0;
};
