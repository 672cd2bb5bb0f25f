/* load() and store() of a std::atomic are two steps. */
#include <atomic>

class Highest {
public:
	void seen(int value)
	{
		if (highest_.load() < value)
			highest_.store(value); /* finding: compound highest_ */
	}

	int get() const
	{
		return highest_;
	}

private:
	std::atomic<int> highest_{0};
};
