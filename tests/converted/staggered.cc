// Three threads write in an order that their sleeps make.
#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

static std::mutex lock;
static std::string text;

static void say(const char *word, int ms)
{
	std::this_thread::sleep_for(std::chrono::milliseconds(ms));
	std::lock_guard<std::mutex> guard(lock);
	text += word;
}

int main()
{
	std::thread a([] { say("one ", 100); });
	std::thread b([] { say("two ", 200); });
	std::thread c([] { say("three", 300); });

	a.join();
	b.join();
	c.join();
	puts(text.c_str());
	return text == "one two three" ? 0 : 1;
}
