// C++: threads, locks, futures and exceptions that go from one thread to another; iostream.
#include <condition_variable>
#include <future>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::mutex lock;
static std::condition_variable changed;
static std::vector<std::string> names;

static void add(int n)
{
	{
		std::lock_guard<std::mutex> hold(lock);
		names.push_back("name " + std::to_string(n));
		std::cout << names.back() << "\n";
	}
	changed.notify_all();
}

int main()
{
	std::promise<int> promise;
	std::thread first(add, 1), second(add, 2), third([&promise] {
		std::unique_lock<std::mutex> hold(lock);
		changed.wait(hold, [] { return names.size() == 2; });
		promise.set_exception(std::make_exception_ptr(std::runtime_error(names[0])));
	});
	int status = 0;

	try {
		promise.get_future().get();
	} catch (const std::runtime_error &e) {
		std::cout << "caught " << e.what() << std::endl;
		status = e.what()[5] - '0';
	}
	first.join();
	second.join();
	third.join();
	return 7 + status;
}
