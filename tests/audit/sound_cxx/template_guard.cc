/* Guards that templates make, one of them with another one as its member. */
#include <mutex>

template <class Lock> class Locked {
public:
	explicit Locked(Lock &lock) : lock_(lock) { lock_.lock(); }
	~Locked() { lock_.unlock(); }
	Locked(const Locked &) = delete;

private:
	Lock &lock_;
};

class Entered {
public:
	explicit Entered(std::mutex &mutex) : lock_(mutex) {}

private:
	std::unique_lock<std::mutex> lock_;
};

class Door {
public:
	bool enter()
	{
		Locked<std::mutex> lock(mutex_);
		if (inside_ == 10)
			return false;
		inside_++;
		return true;
	}

	void leave()
	{
		Entered entered(mutex_);
		if (inside_)
			inside_--;
	}

	int inside()
	{
		Entered entered(mutex_);
		return inside_;
	}

	void twice()
	{
		enter();
		leave();
		enter();
	}

private:
	std::mutex mutex_;
	int inside_ = 0;
};
