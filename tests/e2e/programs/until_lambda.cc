#include <cstdio>
#include <thread>
static int n;
__attribute__((noinline)) static void bump() { n++; }
namespace lib {
struct Case {
    void body();
};
void Case::body()
{
    std::thread a([] { bump(); });
    a.join();
}
}
int main()
{
    lib::Case().body();
    std::printf("n %d\n", n);
}
