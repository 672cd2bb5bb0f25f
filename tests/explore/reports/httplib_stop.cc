// cpp-httplib issue 160: stop() of a server that has just begun to listen. Needs httplib.h: the parent of b5c79bf has
// the bug, b5c79bf the repair. The program is that of the report.
#include <chrono>
#include <httplib.h>
#include <thread>

int main()
{
	httplib::Server server;

	server.bind_to_any_port("127.0.0.1");
	std::thread listener([&] { server.listen_after_bind(); });
	while (!server.is_running())
		std::this_thread::sleep_for(std::chrono::milliseconds(1));
	server.stop();
	listener.join();
	return 0;
}
