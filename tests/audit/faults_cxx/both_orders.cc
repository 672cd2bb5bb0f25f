/* Two guards in one function, in the other order in another. */
#include <mutex>

class Pair {
public:
	void there()
	{
		std::lock_guard<std::mutex> first(left_);
		std::lock_guard<std::mutex> second(right_); /* finding: lock-order left_ and right_ (or the other) */
		moved_++;
	}

	void back()
	{
		std::lock_guard<std::mutex> first(right_);
		std::lock_guard<std::mutex> second(left_); /* finding: lock-order left_ and right_ (or the other) */
		moved_--;
	}

private:
	std::mutex left_, right_;
	int moved_ = 0;
};
