"""A program that drops or maps anew the memory of its own code takes our traps with it: nobody is told that nobody came."""

from harness import compile_text, params

PROGRAM = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
enum { PAGE = 4096 };
extern char __executable_start[];
static volatile int n;
static void early(void)
{
	n++; /* gate: early */
}
static void late(void)
{
	n++; /* gate: late */
}
static void drop(char *page)
{
	if (madvise(page, PAGE, MADV_DONTNEED))
		perror("madvise");
}
static void map(char *page)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	if (mmap(page, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, page - __executable_start) != page)
		perror("mmap");
	close(fd);
}
static void take_away(const char *how, void (*function)(void))
{
	char *page = (char *)((uintptr_t)function & -PAGE);
	if (!strcmp(how, "drop"))
		drop(page);
	else if (!strcmp(how, "map"))
		map(page);
}
int main(int argc, char **argv)
{
	for (int i = 0; i < 3; i++)
		early();
	take_away(argv[1], early);
	take_away(argv[1], late);
	early();
	late();
	printf("%d\n", n);
	return 0;
}
"""
SCRIPT = 'at "//early":run(function() end)\nat "//late":run(function() end)\n'


def run(t, how):
    program = compile_text("vanished.c", PROGRAM)
    r = t.run_gated(program, script=SCRIPT, args=[how])
    t.equal(r.stdout, "5\n", "stdout", r)
    return r


@params("drop", "map")
def test_vanished(t, how):
    """What was counted before stands, and is marked."""
    r = run(t, how)
    t.check("never called" not in t.verdict(r, 120).err, "that is not known", r)
    t.equal([(t.place(r, p)["arrivals"], t.place(r, p)["vanished"]) for p in ("//early", "//late")],
            [(3, True), (0, True)], "arrivals, vanished", r)
    t.check("the trap was gone from then on" in r.err, "why is not told", r)


def test_in_place(t):
    r = t.clean(run(t, "nothing"))
    t.equal([(t.place(r, p)["arrivals"], t.place(r, p)["vanished"]) for p in ("//early", "//late")],
            [(4, False), (1, False)], "arrivals, vanished", r)
