/* One of the two orders is by a member function that locks. */
#include <mutex>

class Bank {
public:
	void audit()
	{
		std::scoped_lock guard(report_);
		total(); /* finding: lock-order report_ and accounts_ (or the other) */
	}

	long total()
	{
		std::scoped_lock guard(accounts_);
		return total_;
	}

	void close()
	{
		std::scoped_lock guard(accounts_);
		std::scoped_lock print(report_); /* finding: lock-order report_ and accounts_ (or the other) */
		total_ = 0;
	}

private:
	std::mutex accounts_, report_;
	long total_ = 0;
};
