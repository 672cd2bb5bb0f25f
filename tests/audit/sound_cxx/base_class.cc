/* The lock is of the base class; the constructor and destructor need none. */
#include <mutex>

class Shared {
protected:
	std::mutex mutex_;
	int users_ = 0;
};

class Service : public Shared {
public:
	Service() : name_(1)
	{
		users_ = 1;
		started_ = true;
	}

	virtual ~Service()
	{
		started_ = false;
	}

	virtual bool enter()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		users_++;
		return started_;
	}

	void stop()
	{
		std::lock_guard<std::mutex> guard(mutex_);
		started_ = false;
		users_ = 0;
	}

	int name() const
	{
		return name_;
	}

private:
	const int name_;
	bool started_ = false;
};
