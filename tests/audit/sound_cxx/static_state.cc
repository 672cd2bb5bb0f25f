/* A namespace's object and a static member, each with its lock; a thread-local one without. */
#include <mutex>

namespace {

struct State {
	std::mutex mutex;
	int users = 0;
};

State state;
thread_local State own;

} // namespace

class Server {
public:
	static void enter()
	{
		{
			std::lock_guard<std::mutex> guard(state.mutex);
			state.users++;
		}
		std::lock_guard<std::mutex> guard(backup_.mutex);
		backup_.users++;
		own.users++;
	}

	static int users()
	{
		State &of = state;
		std::lock_guard<std::mutex> guard(of.mutex);
		return of.users + own.users;
	}

private:
	static State backup_;
};

State Server::backup_;
