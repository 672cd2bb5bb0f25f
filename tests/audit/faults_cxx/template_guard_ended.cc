/* A guard that a template makes, and a queue that one makes: the size is read without. */
#include <cstddef>
#include <mutex>

template <class Lock> class Locked {
public:
	explicit Locked(Lock &lock) : lock_(lock) { lock_.lock(); }
	~Locked() { lock_.unlock(); }
	Locked(const Locked &) = delete;

private:
	Lock &lock_;
};

template <class T, std::size_t Size> class Ring {
public:
	bool push(const T &value)
	{
		Locked<std::mutex> lock(mutex_);
		if (count_ == Size)
			return false;
		values_[count_++] = value;
		return true;
	}

	bool pop(T &value)
	{
		Locked<std::mutex> lock(mutex_);
		if (!count_)
			return false;
		value = values_[--count_];
		return true;
	}

	std::size_t size() const
	{
		return count_; /* finding: P3 count_ */
	}

private:
	std::mutex mutex_;
	T values_[Size];
	std::size_t count_ = 0;
};

bool fill(Ring<int, 8> &ring)
{
	return ring.push(1) && ring.size() < 8;
}

int drain(Ring<int, 8> &ring)
{
	int value = 0;

	return ring.pop(value) ? value : -1;
}
