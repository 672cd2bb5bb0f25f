/* The object that all share is a static member; one of its functions forgets the lock. */
#include <mutex>

namespace app {

struct Session {
	std::mutex mutex;
	int users = 0;
};

class Server {
public:
	static void enter()
	{
		std::lock_guard<std::mutex> guard(session_.mutex);
		session_.users++;
	}

	static void leave()
	{
		session_.users--; /* finding: P3 users */
	}

	static int users()
	{
		std::lock_guard<std::mutex> guard(session_.mutex);
		return session_.users;
	}

private:
	static Session session_;
};

Session Server::session_;

} // namespace app
