/* throw, rethrow, exception_ptr to another thread, and an exception nobody catches at the end. */
// lang: c++
// arrivals: 1
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sys/resource.h>
#include <thread>

static std::exception_ptr carried;

static void thrower()
{
	try {
		throw 7;
	} catch (...) {
		carried = std::current_exception(); /* gate: here */
	}
}

static void last_words()
{
	fprintf(stderr, "terminate\n");
	_Exit(21);
}

int main()
{
	std::set_terminate(last_words);
	std::thread t(thrower);
	t.join();
	try {
		std::rethrow_exception(carried);
	} catch (int n) {
		printf("caught %d\n", n);
		fflush(stdout);
	}
	throw 8;
}
