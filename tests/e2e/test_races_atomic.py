"""gatectl races: locks and messages made of atomic operations that are plain instructions; and the same without the order."""

import json
import shutil
import subprocess

from harness import Skip, compile_text, params

# Each lock has a counter, each message its datum. LOCKED 0: nobody locks; ORDERED 0: the datum comes behind its message.
C = """#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#define SPIN(taken) while (taken) sched_yield()
struct lock { char pad; int word; };
static atomic_flag flag = ATOMIC_FLAG_INIT;
static int sync_, word, generic;
static struct lock pointed;
static unsigned char cleared;
static struct { atomic_uint next, owner; } ticket;
int by_flag, by_sync, by_pointer, by_clear, by_word, by_generic, by_ticket;
static void take(struct lock *l) { SPIN(__sync_lock_test_and_set(&l->word, 1)); }
static void leave(struct lock *l) { __sync_lock_release(&l->word); }
static void put(int *at) { int none = 0; __atomic_store(at, &none, __ATOMIC_RELEASE); }
static void *work(void *x)
{
	if (LOCKED) SPIN(atomic_flag_test_and_set_explicit(&flag, memory_order_acquire));
	by_flag++;
	if (LOCKED) atomic_flag_clear_explicit(&flag, memory_order_release);
	if (LOCKED) SPIN(__sync_lock_test_and_set(&sync_, 1));
	by_sync++;
	if (LOCKED) __sync_lock_release(&sync_);
	if (LOCKED) take(&pointed);
	by_pointer++;
	if (LOCKED) leave(&pointed);
	if (LOCKED) SPIN(__atomic_test_and_set(&cleared, __ATOMIC_ACQUIRE));
	by_clear++;
	if (LOCKED) __atomic_clear(&cleared, __ATOMIC_RELEASE);
	if (LOCKED) SPIN(__atomic_exchange_n(&word, 1, __ATOMIC_ACQUIRE));
	by_word++;
	if (LOCKED) __atomic_store_n(&word, 0, __ATOMIC_RELEASE);
	if (LOCKED) SPIN(__atomic_exchange_n(&generic, 1, __ATOMIC_ACQUIRE));
	by_generic++;
	if (LOCKED) put(&generic);
	unsigned own = atomic_fetch_add(&ticket.next, 1);
	if (LOCKED) SPIN(atomic_load_explicit(&ticket.owner, memory_order_acquire) != own);
	by_ticket++;
	if (LOCKED) atomic_store_explicit(&ticket.owner, own + 1, memory_order_release);
	return x;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""

COUNTERS = ["by_clear", "by_flag", "by_generic", "by_pointer", "by_sync", "by_ticket", "by_word"]

# An update that gives the old value, or none at all, is a loop, or a load, with some compilers.
MESSAGES = """#include <pthread.h>
#include <sched.h>
#define UNTIL(came) while (!(came)) sched_yield()
int stored, updated, old, masked, busy = 1, released = 1, first, second, third, fourth, fifth;
static void *give(void *x)
{
	if (ORDERED) first = 1;
	__atomic_store_n(&stored, 1, __ATOMIC_RELEASE);
	if (ORDERED) second = 1;
	old = __atomic_fetch_or(&updated, 1, __ATOMIC_RELEASE);
	if (ORDERED) third = 1;
	old += __sync_nand_and_fetch(&masked, 0);
	if (ORDERED) fourth = 1;
	__atomic_clear((unsigned char *)&busy, __ATOMIC_RELEASE);
	if (ORDERED) fifth = 1;
	__sync_lock_release(&released);
	if (!ORDERED) first = second = third = fourth = fifth = 1;
	return x;
}
static void *take(void *x)
{
	int sum = 0;
	UNTIL(__atomic_load_n(&stored, __ATOMIC_ACQUIRE));
	sum += first;
	UNTIL(__atomic_fetch_add(&updated, 0, __ATOMIC_ACQUIRE));
	sum += second;
	UNTIL(__sync_or_and_fetch(&masked, 0));
	sum += third;
	UNTIL(!__atomic_load_n((unsigned char *)&busy, __ATOMIC_ACQUIRE));
	sum += fourth;
	UNTIL(!__sync_fetch_and_or(&released, 0));
	sum += fifth;
	return sum == 5 ? x : &first;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, give, 0);
	pthread_create(&t[1], 0, take, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""

CXX = """#include <atomic>
#include <pthread.h>
#include <sched.h>
#define SPIN(taken) while (taken) sched_yield()
struct spin {
	std::atomic_flag flag = ATOMIC_FLAG_INIT;
	void lock() { SPIN(flag.test_and_set(std::memory_order_acquire)); }
	void unlock() { flag.clear(std::memory_order_release); }
};
static spin member;
static std::atomic_flag flag = ATOMIC_FLAG_INIT;
static std::atomic<bool> taken;
static int plain, stored;
int by_member, by_flag, by_taken, by_reference;
static void *work(void *x)
{
	if (LOCKED) member.lock();
	by_member++;
	if (LOCKED) member.unlock();
	if (LOCKED) SPIN(std::atomic_flag_test_and_set(&flag));
	by_flag++;
	if (LOCKED) std::atomic_flag_clear_explicit(&flag, std::memory_order_release);
	if (LOCKED) SPIN(taken.exchange(true));
	by_taken++;
	if (LOCKED) taken.store(false, std::memory_order_release);
	if (LOCKED) SPIN(__atomic_exchange_n(&plain, 1, __ATOMIC_ACQUIRE));
	by_reference++;
	if (LOCKED) std::atomic_ref<int>(plain).store(0, std::memory_order_release);
	return x;
}
int main()
{
	pthread_t t[2];
	for (auto &each : t)
		pthread_create(&each, nullptr, work, nullptr);
	for (auto each : t)
		pthread_join(each, nullptr);
	return 0;
}
"""

BUILDS = ["gcc -O0", "gcc -O2", "clang -O0", "clang -O2"]


def variables(t, program):
    r = t.gate("races", "-n", "60", "--report", t.path("races.json"), program)
    t.check("failed" not in r.err, "the program does what it should", r)
    with open(t.path("races.json")) as f:
        races = json.load(f)["races"]
    t.equal(r.status, 116 if races else 0, "status", r)
    return r, sorted({race["variable"] for race in races})


def check(t, name, text, build, what, expected, options="", names=None):
    compiler, level = build.split()
    compiler = names[compiler] if names else compiler
    for ordered in 1, 0:
        program = compile_text(name, text, f"-g -w -pthread {level} {options} -D{what}={ordered}", compiler=compiler)
        r, found = variables(t, program)
        t.equal(found, [] if ordered else expected, "races with %s %d" % (what, ordered), r)


@params(*BUILDS)
def test_locks(t, build):
    check(t, "locks.c", C, build, "LOCKED", COUNTERS)


@params(*BUILDS)
def test_messages(t, build):
    check(t, "messages.c", MESSAGES, build, "ORDERED", ["fifth", "first", "fourth", "second", "third"])


@params(*BUILDS)
def test_cxx(t, build):
    check(t, "locks.cc", CXX, build, "LOCKED", ["by_flag", "by_member", "by_reference", "by_taken"], "-std=c++20", {"gcc": "g++", "clang": "clang++"})


# At its address begin copies that have no instruction, before the one that it is of.
LOADED = """#include <atomic>
#include <thread>
static int plain;
static void work()
{
	std::atomic_ref<int> shared(plain);
#if LOCKED
	shared.store(shared.load() + 1);
#else
	plain = plain + 1;
#endif
}
int main()
{
	std::thread one(work), two(work);
	one.join();
	two.join();
}
"""


@params("g++ -O0", "g++ -O1", "g++ -O2", "g++ -O3")
def test_reference_is_loaded(t, build):
    check(t, "loaded.cc", LOADED, build, "LOCKED", ["plain"], "-std=c++20")


# A struct is atomic as a whole, and its first member stands where it does.
WHOLE = """#include <pthread.h>
#include <stdatomic.h>
struct pair { int a, b; };
#if WHOLE
typedef _Atomic(struct pair) shared;
#else
typedef struct pair shared;
#endif
static shared global;
static void *work(void *x)
{
	shared *local = x;
	struct pair copy = global;
	copy.a++;
	global = copy;
	copy = *local;
	copy.a++;
	*local = copy;
	return 0;
}
int main(void)
{
	pthread_t t[2];
	static shared given;
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, &given);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""


@params("gcc -O0", "clang -O2")
def test_struct(t, build):
    compiler, level = build.split()
    for whole in 1, 0:
        program = compile_text("whole.c", WHOLE, f"-g -w -pthread {level} -DWHOLE={whole}", compiler=compiler,
                               libs="-latomic")
        r, found = variables(t, program)
        t.equal(bool(found), not whole, "races with WHOLE %d" % whole, r)


# Locks, once, messages and atomics of Rust are made of the functions of core::sync::atomic.
RUST = """use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{mpsc, Arc, Mutex, Once, RwLock};
use std::thread;
static COUNT: AtomicUsize = AtomicUsize::new(0);
static FLAG: AtomicBool = AtomicBool::new(false);
static ONCE: Once = Once::new();
static mut PLAIN: usize = 0;
fn main() {
    let sum = Arc::new((Mutex::new(0), RwLock::new(0)));
    let (to, from) = mpsc::channel();
    let threads: Vec<_> = (0..2).map(|i| {
        let (sum, to) = (sum.clone(), to.clone());
        thread::spawn(move || {
            *sum.0.lock().unwrap() += 1;
            *sum.1.write().unwrap() += 1;
            COUNT.fetch_add(1, Ordering::SeqCst);
            FLAG.store(true, Ordering::Release);
            ONCE.call_once(|| { FLAG.load(Ordering::Acquire); });
            if std::env::args().count() > 1 { unsafe { PLAIN += 1 } }
            to.send(i).unwrap();
        })
    }).collect();
    let got = from.recv().unwrap() + from.recv().unwrap();
    for t in threads { t.join().unwrap(); }
    assert!(got == 1 && COUNT.load(Ordering::SeqCst) == 2 && FLAG.load(Ordering::Acquire));
}
"""


@params("-Copt-level=0", "-Copt-level=2")
def test_rust(t, level):
    if not shutil.which("rustc"):
        raise Skip("no rustc")
    source = t.file("shared.rs", RUST)
    subprocess.run(["rustc", "-Awarnings", "-g", level, "-o", t.path("shared"), source], check=True)
    for args, status in ((), 0), (("plain",), 116):
        r = t.gate("races", "-n", "20", t.path("shared"), *args)
        t.equal(r.status, status, "races with %s" % (args,), r)
        t.check("atomic.rs" not in r.stdout, "none of core's own", r)


# What waitpid() returns for has been done before, however the child has ended.
CHILD = r"""#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_SHARED, -1, 0);
	int status;
	pid_t pid = fork();
	if (!pid) {
		p[0] = 77;
		if (argv[1][0] == 'k')
			kill(getpid(), SIGKILL);
		if (argv[1][0] == 't')
			kill(getpid(), SIGTERM);
		if (argv[1][0] == 's')
			*(volatile int *)8 = 1;
		_exit(1);
	}
	if (argv[2][0] == 'w' && waitpid(pid, &status, 0) != pid)
		return 2;
	return p[0] == 78;
}
"""


@params("kill", "term", "segv", "exit")
def test_child_has_ended(t, how):
    program = compile_text("child.c", CHILD, "-g -w -O1")
    t.equal(t.gate("races", "-n", "20", program, how, "wait").status, 0, "after waitpid")
    t.equal(t.gate("races", "-n", "20", program, how, "none").status, 116, "without it")


# What updates and stores read and write besides their object is not atomic.
BESIDE = """#include <pthread.h>
static int bits, word, mask, given, lock;
int kept;
static void *work(void *x)
{
	kept = __atomic_fetch_or(&bits, mask, __ATOMIC_RELAXED);
	__atomic_store(&word, &given, __ATOMIC_RELAXED);
	__sync_lock_release(&lock); mask = 1;
	return x;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, 0);
	given = 1;
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""


@params("gcc -O0", "clang -O0")
def test_beside(t, build):
    compiler, level = build.split()
    r, found = variables(t, compile_text("beside.c", BESIDE, f"-g -pthread {level}", compiler=compiler))
    t.equal(found, ["given", "kept", "mask"], "all that are not atomic", r)


# Operations that a macro hides, which the debug information does not have; one of them is in a header.
MACROS = """#include <pthread.h>
#include <sched.h>
#include "order.h"
#define SPIN_LOCK(lock) while (__sync_lock_test_and_set(lock, 1)) sched_yield()
#define SPIN_UNLOCK(lock) \\
	RELEASE(lock)
#define RELEASE(lock) __sync_lock_release(lock)
#define PUT(at, n) (*(at) = (n))
#if 0
#define SET(at, n) __atomic_store_n(at, n, __ATOMIC_RELEASE)
#else
#define SET(at, n) (*(at) = (n))
#endif
static int lock, ready;
int counter, datum, put, set;
static void *work(void *x)
{
	if (!x) {
		if (ORDERED) datum = 1;
		STORE_RELEASE(&ready, 1);
		if (!ORDERED) datum = 1;
	} else {
		while (!LOAD_ACQUIRE(&ready)) sched_yield();
		if (datum == 7) return 0;
	}
	if (ORDERED) SPIN_LOCK(&lock);
	counter++;
	if (ORDERED) SPIN_UNLOCK(&lock);
	PUT(&put, 1);
	SET(&set, 1);
	return x;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, i ? t : 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""

HEADER = """#define STORE_RELEASE(at, n) __atomic_store_n( (at), (n), __ATOMIC_RELEASE)
#define LOAD_ACQUIRE(at) __atomic_load_n((at), __ATOMIC_ACQUIRE)
"""


@params("gcc -O0", "gcc -O2", "clang -O2")
def test_macros(t, build):
    """Known where the source has one definition of it; where it has two, only what both say."""
    compiler, level = build.split()
    t.file("order.h", HEADER)
    for ordered in 1, 0:
        source, program = t.file("macros.c", MACROS), t.path("macros")
        made = t.run([compiler, "-g", "-w", "-pthread", level, "-DORDERED=%d" % ordered, source, "-o", program])
        t.equal(made.status, 0, "it compiles", made)
        r, found = variables(t, program)
        t.equal(found, ["put", "set"] if ordered else ["counter", "datum", "put", "set"], "races with ORDERED %d" % ordered, r)
