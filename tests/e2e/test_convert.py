"""gatectl convert: tests that sleep to order their threads become gate scripts, unattended.

The samples are in tests/converted. Quick: the scripts of those that sleep for a short time are verified 5
times, and run 5 times more. Full: 1,000 runs each, with both processors busy.
"""

import os
import re
import subprocess
import time

import test_examples
from harness import ROOT, Process, compile_text, params, timeout
from patience import wall

SAMPLES = os.path.join(ROOT, "tests", "converted")

# For each: options, sleeps converted and left, orders that the script has to have.
CONVERTED = {
    "handoff.c": (("--needed",), 1, 1, ["worker_past_value -> main_goes_on"]),
    "signal_lost.c": ((), 1, 0, ["[sleeper_waits_woken] -> main_goes_on"]),
    "child_waits.c": ((), 2, 0, ["[p1_main_waits", "] -> main_goes_on_2"]),
    "connect.c": ((), 1, 0, ["[serve_waits_peer] -> main_goes_on"]),
    "trylock.c": ((), 3, 0, ["holder_past_pthread_mutex_lock -> main_goes_on"]),
    "cond_as_sleep.c": (("--needed",), 1, 1, ["producer_past_pthread_mutex_unlock -> main_goes_on"]),
    "handler.c": ((), 2, 0, ["[reader_waits_failed] -> main_goes_on"]),
    "writers.c": ((), 1, 0, ["worker_1_past -> main_goes_on", "worker_2_past -> main_goes_on_2"]),
    "rwlock.c": ((), 3, 0, ["[writer_waits_pthread_rwlock_wrlock] -> second_reader_goes_on"]),
    "ping_pong.c": ((), 3, 0, ["pong_past_strcat_2 -> main_goes_on_2"]),
    "lost_update.c": ((), 1, 0, ['on "rest":open(withdraw_goes_on_1)']),
    "staggered.cc": ((), 1, 0, []),
    "announce.cc": ((), 3, 0, ["main_lambda_3_1_past_puts -> main_lambda_1_1_goes_on"]),
    "deadlock.c": ((), 2, 0, ["a_then_b_past_pthread_mutex_lock -> b_then_a_goes_on",
                              "b_then_a_past_pthread_mutex_lock -> a_then_b_goes_on"]),
    "use_after_free.c": (("--needed",), 1, 1, ["reaper_past_free -> user_goes_on"]),
}

# Those that sleep long, or whose wrong orders end by a time limit only, are for --full.
SLOW = ("child_waits.c", "handler.c", "ping_pong.c")


def sample(name):
    with open(os.path.join(SAMPLES, name)) as f:
        text = f.read()
    return compile_text(name, text, "-g -O0 -pthread -w", "g++" if name.endswith("cc") else "gcc")


def convert(t, program, *options):
    """Converts without a limit of time of its own: that of the test counts work (patience.py)."""
    script = t.path("converted.lua")
    r = t.gate("convert", "--for", "0", *options, "-o", script, "--", program, seconds=900 if t.full else 120)  # 1,000 runs
    r.script = None
    if os.path.exists(script):
        with open(script) as f:
            r.script = f.read()
    return r, script


TAKES_TURNS = """#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int stage;
static void *reader(void *a)
{
	usleep(50000);
	printf("read %d\\n", stage);
	usleep(100000);
	printf("read %d\\n", stage);
	return a;
}
static void *writer(void *a)
{
	stage = 1;
	usleep(100000);
	stage = 2;
	return a;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, reader, 0);
	pthread_create(&u, 0, writer, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
"""


def test_event_before_its_order(t):
    """Events that several sleeps wait for are defined where the first order names them."""
    r, _ = convert(t, compile_text("takes_turns.c", TAKES_TURNS))
    t.equal(r.status, 0, "converted", r)
    defined, orders = set(), 0
    for line in r.script.splitlines():
        defined |= set(re.findall(r'event "(\w+)"', line))
        named = set(re.findall(r"\w+", line[6:])) if line.startswith("order ") else set()
        orders += line.count("->") if named else 0
        t.check(named <= defined, "%s of %s is defined above:\n%s" % (named - defined, line, r.script))
    t.check(orders >= 4, "orders:\n%s" % r.script)


@timeout(3600)
def test_sample(t, name):
    options, converted, left, orders = CONVERTED[name]
    program = sample(name)
    with test_examples.load(t):
        runs = ("-n", "1000") if t.full else ("-n", "5")
        r, script = convert(t, program, *runs, *options)
        t.equal(r.status, 0, "status", r)
        t.equal(r.err, "", "standard error", r)
        for word, count in (("converted", converted), ("left", left)):
            t.equal(len(re.findall(r"^  %s " % word, r.stdout, re.M)), count, word, r)
        for order in orders:
            t.check(order in r.script, "the script has the order %s" % order, r)
        t.equal(t.gate("check", "-g", script, program).status, 0, "check of the script", r)
        for _ in range(5):
            again = t.gate("run", "-q", "-g", script, "--", program)
            t.equal(again.status, 0, "as the script expects", again)


test_sample.make_params = lambda options: [n for n in CONVERTED if options.full or n not in SLOW]


def test_nothing_for_ordering(t):
    r, _ = convert(t, sample("poll_flag.c"), "--needed")
    t.equal(r.status, 125, "status", r)
    t.equal(r.script, None, "no script is written", r)
    t.check("poll_flag.c:21 in main: usleep" in r.err, "the loop is named", r)
    t.check(re.search(r"polls: sleeps until ready at poll_flag.c:\d+|it waits in a loop for an event", r.err), "why", r)


def test_spinning(t):
    """Who works for longer than a sleep lasts is not waited for."""
    program = compile_text("spinning.c", """
        #include <pthread.h>
        #include <unistd.h>
        static volatile int flag;
        static void *spin(void *arg)
        {
            while (!flag)
                ;
            return arg;
        }
        int main(void)
        {
            pthread_t thread;
            pthread_create(&thread, NULL, spin, NULL);
            usleep(100000);
            flag = 1;
            pthread_join(thread, NULL);
            return 0;
        }""")
    r, _ = convert(t, program, "--needed")
    t.equal(r.status, 125, "status", r)
    t.check("usleep of 100 ms: not for ordering: " in r.first, "why", r)


def test_clock(t):
    """The clock that the program sees goes on by what it sleeps and works, whatever its calls are."""
    program = compile_text("clock.c", """
        #include <pthread.h>
        #include <sys/time.h>
        #include <time.h>
        #include <unistd.h>
        static volatile int value;
        static double now(void)
        {
            struct timespec t;
            clock_gettime(CLOCK_MONOTONIC, &t);
            return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
        }
        static double day(void)
        {
            struct timeval t;
            gettimeofday(&t, NULL);
            return (double)t.tv_sec + (double)t.tv_usec / 1e6;
        }
        static void *work(void *arg)
        {
            double end = now() + 0.05;
            while (now() < end)
                ;
            value = 42;
            return arg;
        }
        int main(void)
        {
            double begin = now(), began = day();
            time_t second = time(NULL);
            pthread_t thread;
            struct timespec until;
            pthread_create(&thread, NULL, work, NULL);
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_sec += (until.tv_nsec += 300000000) / 1000000000;
            until.tv_nsec %= 1000000000;
            clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
            int seen = value;
            double took = now() - begin, passed = day() - began;
            pthread_join(thread, NULL);
            if (took < 0.3 || passed < 0.3 || time(NULL) < second)
                return 2; /* it has not slept: that is what keeps it from being converted */
            return seen != 42;
        }""")
    r, _ = convert(t, program)
    t.equal(r.status, 125, "status", r)
    # on a busy machine already a run with longer sleeps may end differently
    t.check(re.search(r"clock_nanosleep of (about )?(2\d\d|300) ms: it measures the time: |"
                      r" measures the time: it reads the clock before and after clock_nanosleep ", r.first), "why", r)


def test_child_ends(t):
    """A child's last deed is that it leaves."""
    program = compile_text("leaving.c", """
        #include <stdio.h>
        #include <sys/wait.h>
        #include <unistd.h>
        int main(void)
        {
            int status;
            pid_t child = fork();
            if (child == 0) {
                usleep(20000);
                puts("child");
                fflush(stdout);
                _exit(3);
            }
            usleep(150000);
            puts("parent");
            fflush(stdout);
            waitpid(child, &status, 0);
            return WEXITSTATUS(status);
        }""")
    r, script = convert(t, program, "-n", "5")
    t.equal(r.status, 0, "status", r)
    t.check('on("exit", { thread = "p1/main" })' in r.script, "it is waited for that it ends", r)
    again = t.gate("run", "-q", "-g", script, "--", program)
    t.equal((again.status, again.stdout), (0, "child\nparent\n"), "with the script", again)


def test_handler_sleeps(t):
    """A signal ends a sleep, and its handler sleeps itself."""
    program = compile_text("handler_sleeps.c", """
        #include <pthread.h>
        #include <signal.h>
        #include <unistd.h>
        static volatile int value, seen;
        static void handler(int signal)
        {
            (void)signal;
            usleep(50000);
            value = 1;
        }
        static void *sender(void *arg)
        {
            usleep(60000);
            pthread_kill(*(pthread_t *)arg, SIGUSR1);
            usleep(150000);
            seen = value;
            return NULL;
        }
        int main(void)
        {
            pthread_t self = pthread_self(), thread;
            signal(SIGUSR1, handler);
            pthread_create(&thread, NULL, sender, &self);
            int slept = usleep(2000000);
            pthread_join(thread, NULL);
            return slept == 0 || !seen;
        }""")
    r, script = convert(t, program, "-n", "5")
    t.equal(r.status, 0, "status", r)
    t.check("usleep of 2000 ms" not in r.stdout, "the sleep that was cut short is none", r)
    t.equal(t.gate("run", "-q", "-g", script, "--", program).status, 0, "status with the script", r)


@timeout(300)
def test_asks_all_the_time(t):
    """Who sleeps for a moment only, again and again, makes no run endless, and others still sleep."""
    program = compile_text("asking.c", """
        #include <pthread.h>
        #include <unistd.h>
        static volatile int value;
        static void *ask(void *arg)
        {
            while (value < 2)
                usleep(10);
            return arg;
        }
        int main(void)
        {
            pthread_t thread;
            pthread_create(&thread, NULL, ask, NULL);
            usleep(300000);
            value = 1;
            usleep(300000);
            value = 2;
            pthread_join(thread, NULL);
            return 0;
        }""")
    r, _ = convert(t, program, "--needed")
    t.equal(r.status, 125, "status", r)
    t.check("in ask: usleep of 10 us" in r.first, "the one that asks", r)
    # on a busy machine a run without one of them may come to its time limit: then each has a reason of its own
    t.check(re.search(r"^others: .*15 in main: usleep of 300 ms(, |: not for ordering[^;]*; ).*17 in main: usleep of 300 ms: not for ordering",
                      r.err, re.M), "the others, with their reasons", r)
    t.equal(len(r.err.splitlines()), 3, "lines of the refusal", r)
    r, script = convert(t, program, "-n", "5")
    t.equal(r.status, 0, "status without --needed", r)
    t.check("2 of 3 sleeps converted" in r.stdout, "how often it asks is no order", r)
    t.check("(arrival " not in r.script, "not in the script, either", r)


BY_CLOCK = """
    #include <pthread.h>
    #include <time.h>
    #include <unistd.h>
    static volatile int value;
    static double now(void)
    {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
    }
    static void by_wait(double seconds)
    {
        pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        pthread_cond_t c = PTHREAD_COND_INITIALIZER;
        double end = now() + seconds;
        struct timespec t = {(time_t)end, (long)((end - (double)(time_t)end) * 1e9)};
        pthread_mutex_lock(&m);
        do
            pthread_cond_timedwait(&c, &m, &t);
        while (now() < end);
        pthread_mutex_unlock(&m);
    }
    static void by_rounds(double seconds)
    {
        double end = now() + seconds;
        while (now() < end)
            usleep(1000);
    }
    static void by_few_rounds(double seconds)
    {
        double end = now() + seconds;
        do {
            usleep(20000);
        } while (now() < end);
    }
    static void *worker(void *arg)
    {
        my_sleep(0.1);
        value = 1;
        return arg;
    }
    int main(void)
    {
        pthread_t thread;
        pthread_create(&thread, NULL, worker, NULL);
        my_sleep(0.2);
        int seen = value;
        pthread_join(thread, NULL);
        return seen != 1;
    }
"""


@params("by_wait", "by_rounds", "by_few_rounds")
def test_sleeps_by_the_clock(t, how):
    """Who looks at the clock and sleeps again until that says so is refused for that reason, and soon."""
    program = compile_text("by_clock.c", BY_CLOCK, "-g -O0 -pthread -Dmy_sleep=" + how)
    r, _ = convert(t, program)
    t.equal((r.status, r.script), (125, None), "refused", r)
    t.check("it reads the clock and sleeps again until a deadline" in r.first, "why", r)
    t.check(len(r.err.splitlines()) <= 3, "lines", r)
    t.check(r.spent < 60, "it took all the time that there is", r)


def test_reads_clock_and_works(t):
    """Who works until the clock has gone on is not waited for by shorter sleeps."""
    program = compile_text("works.c", """
        #include <pthread.h>
        #include <time.h>
        #include <unistd.h>
        static volatile int value;
        static double now(void)
        {
            struct timespec t;
            clock_gettime(CLOCK_MONOTONIC, &t);
            return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
        }
        static void *worker(void *arg)
        {
            usleep(20000);
            value = 1;
            return arg;
        }
        int main(void)
        {
            pthread_t thread;
            pthread_create(&thread, NULL, worker, NULL);
            double end = now() + WORKS;
            while (now() < end)
                ;
            int seen = value;
            pthread_join(thread, NULL);
            return seen;
        }""", "-g -O0 -pthread -DWORKS=%g" % wall(0.2))
    r, _ = convert(t, program, "--needed")
    t.equal(r.status, 125, "status", r)
    t.check("usleep of 20 ms: not for ordering: " in r.first, "it was learned", r)


def test_sleeps_of_no_time(t):
    """usleep(0) is no sleep, and comes by all the same: that makes no loop of it, and the hits are counted."""
    program = compile_text("no_time.c", """
        #include <pthread.h>
        #include <string.h>
        #include <unistd.h>
        static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
        static char order[8];
        static void note(char c)
        {
            pthread_mutex_lock(&lock);
            order[strlen(order)] = c;
            pthread_mutex_unlock(&lock);
        }
        static void *worker(void *arg)
        {
            usleep(50000);
            note('a');
            usleep(100000);
            note('b');
            return arg;
        }
        int main(void)
        {
            pthread_t thread;
            pthread_create(&thread, NULL, worker, NULL);
            for (int i = 0; i < 3; i++) {
                usleep(i * 100000);
                note((char)('0' + i));
            }
            pthread_join(thread, NULL);
            return strcmp(order, "0a1b2") != 0;
        }""")
    r, script = convert(t, program, "-n", "5")
    t.equal(r.status, 0, "status", r)
    t.check("3 of 3 sleeps converted" in r.stdout, "all are converted", r)
    t.check('at("main;usleep", { hit = 2 }):event "main_goes_on"' in r.script, "which arrival", r)
    t.check('at("main;for (int i = 0; i < 3; i++)"' in r.script, "a statement is no call", r)
    t.equal(t.gate("run", "-q", "-g", script, "--repeat", "5", "--", program).status, 0, "status with the script", r)


def test_ends_by_itself_at_times(t):
    """A wait whose time is over only in some cases is left: in the others somebody has to come first."""
    program = compile_text("at_times.cc", """
        #include <chrono>
        #include <condition_variable>
        #include <mutex>
        #include <thread>
        using namespace std::chrono_literals;
        static std::mutex m;
        static std::condition_variable cv;
        static int queue, popped, got[3];
        static int pop()
        {
            std::unique_lock<std::mutex> l(m);
            if (!cv.wait_for(l, 150ms, [] { return queue != 0; }))
                return -1;
            int value = queue;
            queue = 0;
            return value;
        }
        static void push(int value)
        {
            std::lock_guard<std::mutex> l(m);
            queue = value;
            cv.notify_one();
        }
        static void popper()
        {
            for (int i = 0; i < 3; i++) {
                got[i] = pop();
                popped++;
            }
        }
        int main()
        {
            std::thread thread(popper);
            std::this_thread::sleep_for(50ms);
            push(1);
            std::this_thread::sleep_for(200ms);
            push(popped);
            thread.join();
            return !(got[0] == 1 && got[1] == -1 && got[2] == 2);
        }""", "-g -O0 -pthread", "g++")
    r, script = convert(t, program, "-n", "5")
    t.equal(r.status, 0, "status", r)
    t.check(re.search(r"left +at_times.cc:13 in pop: wait_for of (about )?1[45]\d ms: at other times a wake-up or a signal ends it", r.stdout),
            "why", r)
    t.check("converted  at_times.cc:37 in main" in r.stdout, "the other", r)
    t.equal(t.gate("run", "-q", "-g", script, "--repeat", "5", "--", program).status, 0, "status with the script", r)


def test_output_has_the_duration(t):
    """As GoogleTest does: that is no outcome, and may be the same in all the runs with sleeps."""
    program = compile_text("how_long.c", """
        #include <pthread.h>
        #include <stdio.h>
        #include <time.h>
        #include <unistd.h>
        static volatile int value;
        static void *worker(void *arg)
        {
            value = 42;
            return arg;
        }
        int main(void)
        {
            pthread_t thread;
            time_t begin = time(NULL);
            pthread_create(&thread, NULL, worker, NULL);
            usleep(1100000);
            printf("[ OK ] %d in %s (%d ms total)\\n", value, time(NULL) > begin ? "1 s" : "0.0 s",
                   time(NULL) > begin ? 1100 : 0);
            return pthread_join(thread, NULL);
        }""")
    r, script = convert(t, program, "-n", "5")
    t.equal(r.status, 0, "status", r)
    again = t.gate("run", "-q", "-g", script, "--", program)
    t.check("[ OK ] 42 in " in again.stdout, "with the script", again)


def test_orders_only_alone(t):
    """A sleep that shifts a loop against another orders something, but nothing that their gates do not."""
    program = compile_text("shift.c", """
        #include <pthread.h>
        #include <stdio.h>
        #include <unistd.h>
        static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
        static int items;
        static void *producer(void *arg)
        {
            for (int i = 0; i < 3; i++) {
                usleep(i ? 100000 : 140000);
                pthread_mutex_lock(&lock);
                items++;
                pthread_mutex_unlock(&lock);
            }
            return arg;
        }
        int main(void)
        {
            pthread_t thread;
            pthread_create(&thread, NULL, producer, NULL);
            usleep(90000); /* without: 0, 0, 1, 2 */
            for (int i = 0; i < 4; i++) {
                pthread_mutex_lock(&lock);
                printf("%d\\n", items);
                pthread_mutex_unlock(&lock);
                usleep(100000);
            }
            return pthread_join(thread, NULL);
        }""")
    r, script = convert(t, program, "--needed", "-n", "5")
    t.equal(r.status, 0, "status", r)
    t.check("3 of 3 sleeps converted" in r.stdout, "all are converted", r)
    t.check("_goes_on_2_2" not in r.script, "names", r)
    again = t.gate("run", "-q", "-g", script, "--", program)
    t.equal(again.stdout, "0\n1\n2\n3\n", "with the script", again)


HELPER = {"c": """
    #include <pthread.h>
    #include <stdio.h>
    #include <time.h>
    static volatile int value;
    static void nap(long ms)
    {
        struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
        nanosleep(&t, NULL);
    }
    static void *worker(void *x)
    {
        value = 42;
        return x;
    }
    int main(void)
    {
        pthread_t t;
        pthread_create(&t, NULL, worker, NULL);
        nap(100);
        int seen = value;
        pthread_join(t, NULL);
        return seen != 42;
    }""", "cc": """
    #include <chrono>
    #include <thread>
    static volatile int value;
    static void nap(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }
    static void worker()
    {
        value = 42;
    }
    int main()
    {
        std::thread t(worker);
        nap(100);
        int seen = value;
        t.join();
        return seen != 42;
    }"""}


@params("c gcc", "c clang", "cc g++", "cc clang++")
def test_optimised_helper(t, build):
    """At -O2 the helper that sleeps is inlined, and what the worker does begins at its very entry."""
    ending, compiler = build.split()
    program = compile_text("helper." + ending, HELPER[ending], "-g -O2 -pthread -w", compiler)
    r, script = convert(t, program, "-n", "5")
    t.equal(r.status, 0, "status", r)
    t.check("in main: nap of 100 ms: 1 order" in r.stdout, "the call that sleeps", r)
    t.check(re.search(r"worker_(past_value|exits) -> main_goes_on", r.script), "the order", r)
    t.check('elide_sleep("main;nap")' in r.script, "the sleep", r)


def test_two_on_a_line(t):
    """The reason names no file that is gone."""
    program = compile_text("two_on_a_line.c", """
        #include <pthread.h>
        #include <stdio.h>
        #include <unistd.h>
        static char order[8];
        static int n;
        static void *a(void *arg) { usleep(200000); order[n++] = 'a'; return arg; }
        static void *b(void *arg) { usleep(100000); order[n++] = 'b'; usleep(200000); order[n++] = 'B'; return arg; }
        int main(void)
        {
            pthread_t threads[2];
            pthread_create(&threads[0], NULL, a, NULL);
            pthread_create(&threads[1], NULL, b, NULL);
            pthread_join(threads[0], NULL);
            pthread_join(threads[1], NULL);
            return order[0] != 'b' || order[1] != 'a' || order[2] != 'B';
        }""")
    r, _ = convert(t, program, "-n", "5")
    text = r.stdout + r.err + (r.script or "")
    t.check("in b: usleep of 200 ms, 2 times" in text, "the line", r)
    t.check(not re.search(r"gatectl-\w{6}\.lua", text), "its own file is not named", r)


def test_opposite_runs_on(t):
    """Who passes where it would have waited is first to execute what comes next, not only to begin it."""
    program = compile_text("runs_on.c", """
        #include <pthread.h>
        #include <string.h>
        static char moves[8];
        static void *pong(void *arg)
        {
            int begin = 1;
            strcat(moves, "o");
            return begin ? arg : NULL;
        }
        int main(void)
        {
            pthread_t thread;
            pthread_create(&thread, NULL, pong, NULL);
            strcat(moves, "i");
            pthread_join(thread, NULL);
            return strcmp(moves, "io") != 0;
        }""")
    script = t.path("opposite.lua")
    with open(script, "w") as f:
        f.write("""
        at("main;strcat"):event "main_moved"
        at("pong;int begin"):event "pong_begins"
        at("pong;strcat"):event "pong_moved"
        at("main;return strcmp"):event "main_ends"
        order "main_moved -> pong_begins"
        order "pong_moved -> main_ends"
        """)
    r = t.gate("prove", "-n", "20", "-g", script, "--", program, seconds=120)
    t.equal(r.status, 0, "status", r)
    found = re.search(r"other way round: order main_moved -> pong_begins .* (\d+) of 20", r.stdout)
    t.check(found and int(found.group(1)) <= 10, "each run that is made the other way round comes out so", r)


# Those that go on when somebody has signalled: the sleep lets the other thread wait first.
SLEEPS_TO_BE_SECOND = {
    "condition.c": ("""
        #include <pthread.h>
        #include <stdio.h>
        #include <unistd.h>
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
        static int ready, waited;
        static void *signaller(void *arg)
        {
            usleep(30000);
            pthread_mutex_lock(&m);
            ready = 1;
            pthread_cond_signal(&c);
            pthread_mutex_unlock(&m);
            return arg;
        }
        int main(void)
        {
            pthread_t thread;
            pthread_create(&thread, NULL, signaller, NULL);
            pthread_mutex_lock(&m);
            while (!ready) {
                waited++;
                pthread_cond_wait(&c, &m);
            }
            pthread_mutex_unlock(&m);
            pthread_join(thread, NULL);
            printf("waited %d\\n", waited);
            return waited != 1;
        }""", "order \"[main_waits_pthread_cond_wait] -> signaller_goes_on\""),
    "condition.cc": ("""
        #include <chrono>
        #include <condition_variable>
        #include <cstdio>
        #include <mutex>
        #include <thread>
        static std::mutex m;
        static std::condition_variable c;
        static bool ready;
        static int waited;
        static void signaller()
        {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            std::lock_guard<std::mutex> hold(m);
            ready = true;
            c.notify_one();
        }
        int main()
        {
            std::thread thread(signaller);
            {
                std::unique_lock<std::mutex> hold(m);
                while (!ready) {
                    waited++;
                    c.wait(hold);
                }
            }
            thread.join();
            std::printf("waited %d\\n", waited);
            return waited != 1;
        }""", "order \"[main_waits_wait] -> signaller_goes_on\""),
    "select.c": ("""
        #include <pthread.h>
        #include <stdio.h>
        #include <sys/select.h>
        #include <time.h>
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
        static int ready, waited;
        static void *signaller(void *arg)
        {
            struct timeval time = {0, 30000};
            select(0, NULL, NULL, NULL, &time);
            pthread_mutex_lock(&m);
            ready = 1;
            pthread_cond_signal(&c);
            pthread_mutex_unlock(&m);
            return arg;
        }
        static int wait_ready(const struct timespec *until)
        {
            int r = 0;
            pthread_mutex_lock(&m);
            while (!ready && r == 0) {
                waited++;
                r = pthread_cond_timedwait(&c, &m, until);
            }
            pthread_mutex_unlock(&m);
            return r;
        }
        int main(void)
        {
            pthread_t thread;
            struct timespec until;
            pthread_create(&thread, NULL, signaller, NULL);
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_sec += 5;
            int r = wait_ready(&until);
            pthread_join(thread, NULL);
            printf("%d, waited %d\\n", r, waited);
            return r != 0 || waited != 1;
        }""", "order \"[main_waits_r] -> signaller_goes_on\""),
    "polling.c": ("""
        #include <pthread.h>
        #include <stdio.h>
        #include <unistd.h>
        static volatile int flag;
        static void *setter(void *arg)
        {
            usleep(35000);
            flag = 1;
            return arg;
        }
        int main(void)
        {
            pthread_t thread;
            int n = 0;
            pthread_create(&thread, NULL, setter, NULL);
            while (!flag) {
                usleep(10000);
                n++;
            }
            pthread_join(thread, NULL);
            puts(n ? "polled" : "not once");
            return n == 0;
        }""", "order \"main_past"),
}


@params(*SLEEPS_TO_BE_SECOND)
def test_sleeps_to_be_second(t, name):
    """The opposite is that the other thread is held before its creator looks whether it has to wait: that is
    forced, so the answer is the same in every conversion."""
    text, order = SLEEPS_TO_BE_SECOND[name]
    program = compile_text(name, text, "-g -O0 -pthread -w", "g++" if name.endswith("cc") else "gcc")
    for _ in range(20 if t.full else 2):
        r, script = convert(t, program, "-n", "2")
        t.equal((r.status, r.err), (0, ""), "status and standard error", r)
        t.check(order in r.script, "the script has the order", r)
        os.unlink(script)


@params("while (!ready)\n                usleep(30000);", "while (!ready) usleep(30000);")
def test_polls_once(t, loop):
    """A loop that waits for something is one though it sleeps once in every run that is watched."""
    program = compile_text("polls_once.c", """
        #include <pthread.h>
        #include <unistd.h>
        static volatile int ready, value, seen;
        static void *worker(void *arg)
        {
            usleep(10000);
            ready = 1;
            usleep(100000);
            seen = value;
            return arg;
        }
        int main(void)
        {
            pthread_t thread;
            ready = value = 0;
            pthread_create(&thread, NULL, worker, NULL);
            LOOP
            value = 1;
            pthread_join(thread, NULL);
            return !seen;
        }""".replace("LOOP", loop))
    r, script = convert(t, program, "-n", "5")
    t.equal(r.status, 0, "status", r)
    t.check(re.search(r"left +polls_once.c:\d+ in main: usleep of 30 ms: polls: sleeps until ready at polls_once.c:\d+", r.stdout), "the loop", r)
    t.check("converted  polls_once.c:9 in worker" in r.stdout, "the sleep", r)
    t.equal(t.gate("run", "-q", "-g", script, "--", program).status, 0, "status with the script", r)


@params("asks", "counts")
def test_polls_by_a_call(t, kind):
    """A loop whose condition is a call, with lines between its head and its sleep, polls; one that counts its rounds does not."""
    program = compile_text("tries_join.c", """
        #define _GNU_SOURCE
        #include <errno.h>
        #include <pthread.h>
        #include <stdlib.h>
        #include <unistd.h>
        static volatile int rounds, state;
        static void *worker(void *arg)
        {
            while (state < 3)
                ;
            return arg;
        }
        int main(void)
        {
            pthread_t thread;
            int val = 0;
            pthread_create(&thread, NULL, worker, NULL);
            LOOP {
                if (val && val != EBUSY)
                    exit(1);
                state++;
                usleep(20000);
            }
            state = 3;
            return COUNTS ? pthread_join(thread, NULL) : 0;
        }""".replace("LOOP", "while ((val = pthread_tryjoin_np(thread, NULL)) != 0)" if kind == "asks" else "while (rounds++ < 2)")
                           .replace("COUNTS", "0" if kind == "asks" else "1"))
    r, _ = convert(t, program, "-n", "5")
    t.equal("polls: sleeps until !((val = pthread_tryjoin_np" in r.err, kind == "asks", "refused as a loop that polls", r)
    t.equal("polls" in r.err + r.stdout, kind == "asks", "named so at all", r)


def test_unstable(t):
    program = compile_text("unstable.c", """
        #include <unistd.h>
        int main(void) { usleep(1000); return getpid() % 100; }""")
    r, _ = convert(t, program)
    t.equal(r.status, 125, "status", r)
    t.check(r.first.startswith("gatectl: error: the outcome of "), "first line", r)
    t.check("is not stable" in r.first, "why", r)
    t.equal(r.script, None, "no script is written", r)


def test_no_sleep(t):
    program = compile_text("awake.c", "int main(void) { return 0; }")
    r, _ = convert(t, program)
    t.equal(r.status, 125, "status", r)
    t.check("does not sleep" in r.first, "why", r)
    t.check("try: there is nothing to convert" in r.err, "what to do", r)


def test_no_debug_information(t):
    program = compile_text("stripped.c", """
        #include <unistd.h>
        int main(void) { usleep(1000); return 0; }""", "-O0 -pthread")
    r, _ = convert(t, program)
    t.equal(r.status, 125, "status", r)
    t.check("has no debug information" in r.first, "why", r)
    t.check("try: build it with -g" in r.err, "what to do", r)


def test_no_order(t):
    program = compile_text("alone.c", """
        #include <unistd.h>
        int main(void) { usleep(1000); return 3; }""")
    r, _ = convert(t, program, "--needed")
    t.equal(r.status, 125, "status", r)
    t.check("usleep of 1 ms: not for ordering: " in r.first, "why", r)
    t.check("try: without --needed" in r.err, "what to do", r)


def test_newline_in_an_argument(t):
    """The script's first line is a comment whatever the test is called with."""
    program = compile_text("awake_a_little.c", "#include <unistd.h>\nint main(void)\n{\n\tusleep(1000);\n\treturn 3;\n}\n")
    script = t.path("newline.lua")
    r = t.gate("convert", "--for", "0", "-n", "2", "-o", script, "--", program, "a\nb = = c")
    t.equal(r.status, 0, "status", r)
    t.equal(t.gate("check", "-g", script, program).status, 0, "check of the script", r)


@timeout(300)
def test_signal_between_runs(t):
    """At any moment SIGTERM ends it with its status, and no file of it is left."""
    program = compile_text("awake_a_little.c", "#include <unistd.h>\nint main(void)\n{\n\tusleep(1000);\n\treturn 3;\n}\n")
    os.mkdir(t.path("tmp"))
    for i in range(200 if t.full else 25):
        p = Process([t.gatectl, "convert", "-n", "100000", "-o", t.path("s.lua"), "--", program],
                             env=dict(t.env, TMPDIR=t.path("tmp")), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        while not os.listdir(t.path("tmp")):
            t.check(p.poll() is None, "it has ended before")
        time.sleep(i * 0.0173 % 0.3)
        p.terminate()
        out = p.communicate(timeout=280)[0]
        t.equal((p.returncode, out, os.listdir(t.path("tmp"))), (143, b"", []), "round %d" % i)


def test_usage(t):
    program = compile_text("awake.c", "int main(void) { return 0; }")
    r = t.gate("convert", program)
    t.equal(r.status, 125, "status without -o", r)
    t.check("no file for the script was given" in r.first, "why", r)
    r = t.gate("convert", "-o", t.path("."), program)
    t.check("cannot be written: Is a directory" in r.first, "a directory", r)
    r = t.gate("convert", "-o", "/proc/none/x.lua", program)
    t.equal(r.status, 125, "status", r)
    t.check("/proc/none/x.lua cannot be written" in r.first, "why", r)


READS = """#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static volatile int value;
static void *worker(void *arg)
{
	char text[5] = "";
	value = read(0, text, 4) == 4 && text[0] == 'm' ? 42 : 1;
	return arg;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, worker, NULL);
	usleep(50000);
	printf("%d\\n", value);
	pthread_join(thread, NULL);
	return value != 42;
}
"""


def test_standard_input_from_a_file(t):
    """Each run reads it anew: with nothing to read the test would come out otherwise."""
    path, script = t.file("in.txt", "mine"), t.path("converted.lua")
    r = t.gate("convert", "--for", "0", "-n", "2", "-o", script, "--", compile_text("reads_late.c", READS, "-g -O0 -pthread"),
               preexec=lambda: os.dup2(os.open(path, os.O_RDONLY), 0))
    t.equal(r.status, 0, "status", r)
    t.check("(exit status 0)" in r.stdout, "the outcome of a test that reads its input", r)


def test_names_and_times_are_those_of_the_source(t):
    """What libc calls __GI___poll is poll; of what is left of 100 ms nobody says that it is written so."""
    program = compile_text("names.cc", r"""
        #include <condition_variable>
        #include <cstdio>
        #include <poll.h>
        #include <sys/select.h>
        static void look(int n)
        {
            if (n == 1)
                poll(NULL, 0, 60);
            timeval a_while = {0, 70000};
            if (n == 2)
                select(0, NULL, NULL, NULL, &a_while);
        }
        int main()
        {
            std::mutex m;
            std::condition_variable cv;
            std::unique_lock<std::mutex> l(m);
            cv.wait_for(l, std::chrono::milliseconds(100));
            look(1);
            look(2);
            puts("done");
        }
        """, flags="-g -O0 -pthread")
    r = t.gate("convert", "--for", "0", "--needed", "-o", t.path("o.lua"), program, seconds=60)
    for words in ("in look: poll of 60 ms", "in look: select of 70 ms", r"in main: wait_for of (about )?\d+ ms"):
        t.check(re.search(words, r.err), words, r)


def test_time_itself(t):
    """No order can do for a sleep that nobody else does anything in."""
    program = compile_text("time_itself.c", r"""
        #include <stdio.h>
        #include <time.h>
        #include <unistd.h>
        int main(void)
        {
            struct timespec from, to;
            clock_gettime(CLOCK_MONOTONIC, &from);
            usleep(80000);
            clock_gettime(CLOCK_MONOTONIC, &to);
            return to.tv_sec == from.tv_sec && to.tv_nsec - from.tv_nsec < 50000000;
        }
        """, flags="-g -O0")
    r = t.gate("convert", "--for", "0", "-o", t.path("o.lua"), program, seconds=60)
    t.error(r, 125, "usleep of 80 ms: it measures the time: the program reads the clock before and after it")


SEVERAL = r"""
#include <pthread.h>
#include <unistd.h>
static int stage, seen;
static void *writer(void *arg)
{
	usleep(20000);
	stage = 1;
	return arg;
}
static void *reader(void *arg)
{
	usleep(50000); seen += stage; usleep(65000); seen += stage;
	return arg;
}
static void *last(void *arg)
{
	usleep(90000);
	stage = 10;
	return arg;
}
int main(void)
{
	void *(*const start[])(void *) = {writer, reader, last};
	pthread_t t[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, start[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return seen != 11;
}
"""


def test_reasons_beside_a_line_of_two_sleeps(t):
    """The sleeps that were not removed alone are not said to be without consequence."""
    r = t.gate("convert", "-o", t.path("x.lua"), compile_text("several.c", SEVERAL, "-g -O0 -pthread"))
    t.equal(r.status, 125, "status", r)
    t.check("several sleeps are on this line; put each on a line of its own" in r.err, "the line of two", r)
    t.check("usleep of 90 ms: the observed orders do not keep the outcome: with them, exit status 1" in r.err, "the others", r)
    t.check("not for ordering" not in r.err, "they are for ordering", r)
    t.equal(r.err.splitlines()[-1], "try: put each sleep on a line of its own, and convert the test again", "try", r)
