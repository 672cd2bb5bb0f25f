/* A recursive mutex may be taken by functions that call each other. */
#include <mutex>

class Tree {
public:
	int count()
	{
		std::lock_guard<std::recursive_mutex> guard(mutex_);
		return left() + right();
	}

	int left()
	{
		std::lock_guard<std::recursive_mutex> guard(mutex_);
		return left_;
	}

	int right()
	{
		std::lock_guard<std::recursive_mutex> guard(mutex_);
		return right_;
	}

	void add()
	{
		std::lock_guard<std::recursive_mutex> guard(mutex_);
		if (left() > right())
			right_++;
		else
			left_++;
	}

	Tree() {}

private:
	std::recursive_mutex mutex_;
	int left_ = 0, right_ = 0;
};
