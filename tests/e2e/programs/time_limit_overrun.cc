#include <chrono>
#include <cstdio>
#include <thread>
#include <unistd.h>
#include <fcntl.h>
static void nap(int us) { std::this_thread::sleep_for(std::chrono::microseconds(us)); }
int main()
{
    int fd = open("/dev/null", O_WRONLY);
    std::thread a([&] { for (int i = 0; i < 60000; i++) { if (write(fd, &i, sizeof(i)) < 0) return; nap(1000); } });
    std::thread b([] { for (int i = 0; i < 60000; i++) nap(1000); });
    std::thread c([] { for (int i = 0; i < 60; i++) { nap(1000000); } });
    a.join();
    b.join();
    c.join();
}
