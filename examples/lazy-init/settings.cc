// Settings that are read when they are first asked for (double-checked locking).
//
// The bug: the pointer is published before the settings have been read. Whoever asks in between
// passes the first check and gets an object with nothing in it. Here a thread asks early, to have
// the settings at hand, while the main thread prepares its table of routes. That takes long enough
// to hide the bug.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

static const char settings_text[] = "port 8080 timeout 30 workers 4";

class Settings
{
public:
	static Settings &get();
	int timeout() const { return timeout_; }
	int port() const { return port_; }

private:
	void load(const std::string &text);

	int port_ = 0, timeout_ = 0;
	static std::atomic<Settings *> instance_;
	static std::mutex lock_;
};

std::atomic<Settings *> Settings::instance_;
std::mutex Settings::lock_;

void Settings::load(const std::string &text)
{
	std::istringstream in(text);
	std::string name;
	int value;

	while (in >> name >> value) {
		if (name == "port")
			port_ = value;
		else if (name == "timeout")
			timeout_ = value;
	}
}

Settings &Settings::get()
{
	Settings *s = instance_.load(std::memory_order_acquire);

	if (s == nullptr) {
		std::lock_guard<std::mutex> guard(lock_);
		s = instance_.load(std::memory_order_relaxed);
		if (s == nullptr) {
			s = new Settings;
			instance_.store(s, std::memory_order_release);
			s->load(settings_text); // the bug: after the line above
		}
	}
	return *s;
}

// Answers one request; false if it ran into its time limit.
static bool handle_request(const std::vector<unsigned> &routes, unsigned wanted)
{
	bool known = std::binary_search(routes.begin(), routes.end(), wanted);
	int timeout = Settings::get().timeout();

	std::printf("request %u: %s, timeout %d s\n", wanted, known ? "found" : "unknown", timeout);
	std::fflush(stdout);
	return timeout > 0;
}

static void warm_up()
{
	std::fprintf(stderr, "listening on port %d\n", Settings::get().port());
}

static std::vector<unsigned> make_routes(size_t count)
{
	std::vector<unsigned> routes(count);
	std::mt19937 numbers(1);

	for (unsigned &route : routes)
		route = numbers();
	routes.front() = 4711;
	std::sort(routes.begin(), routes.end());
	return routes;
}

int main()
{
	std::thread early(warm_up);
	std::vector<unsigned> routes = make_routes(100000);

	std::puts("ready");
	bool in_time = handle_request(routes, 4711);
	early.join();
	return in_time ? 0 : 1;
}
