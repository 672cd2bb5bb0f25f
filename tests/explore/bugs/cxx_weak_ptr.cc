// std::weak_ptr: expired() is asked, then lock() is used without looking.
// The last owner lets go between the two: lock() gives a null pointer.
#include <memory>
#include <thread>
#include "bug.h"

struct session {
	volatile int requests = 0;
};

static std::shared_ptr<session> owner = std::make_shared<session>();
static std::weak_ptr<session> observer = owner;

static void request()
{
	if (FIXED) {
		if (auto mine = observer.lock())
			mine->requests = 1;
		return;
	}
	if (!observer.expired())
		observer.lock()->requests = 1;
}

static void log_out()
{
	owner.reset();
}

int main()
{
	std::thread one(request), two(log_out);

	one.join();
	two.join();
	return 0;
}
