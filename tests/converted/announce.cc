// The order of what is written is the outcome; the status is 0 in any case.
#include <chrono>
#include <cstdio>
#include <thread>

using namespace std::chrono_literals;

int main()
{
	std::thread a([] {
		std::this_thread::sleep_for(100ms);
		std::puts("second");
	});
	std::thread b([] {
		std::this_thread::sleep_for(200ms);
		std::puts("third");
	});
	std::thread c([] {
		std::puts("first");
	});

	std::this_thread::sleep_for(300ms);
	std::puts("last");
	a.join();
	b.join();
	c.join();
}
