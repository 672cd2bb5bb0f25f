"""All outcomes of a small program, by going through every interleaving of its steps. Shares nothing with gatectl.

A program is a list of threads, a thread a list of steps, a step a tuple:

    (read, r, v)       r = v                  (lock, m) (unlock, m)       a mutex
    (write, v, n)      v = n                  (trylock, r, m)             r = 1 and held, or r = 0
    (copy, v, r)       v = r + 1              (untry, r, m)               unlock, if r
    (add, r, v)        r = v++, atomic        (rdlock, w) (wrlock, w) (rwunlock, w)
    (cas, r, v, n)     r = (v == 0), then n   (post, s) (down, s)         a semaphore, 0 at first
    (quit, n, r)       exit(n), if r          (wait, c, m) (signal, c) (broadcast, c)   a condition variable

Registers r belong to the thread; variables and objects are shared, by number, and begin with 0."""

THREADS, REGISTERS, OBJECTS = 3, 3, 3
FREE, READERS = None, "readers"


class State:
    """`at`: the next step of each thread. `waits`: None, "asleep" on (c, m), or "woken", to take m again."""

    def __init__(self, other=None):
        self.at = list(other.at) if other else [0] * THREADS
        self.regs = [list(r) for r in other.regs] if other else [[0] * REGISTERS for _ in range(THREADS)]
        self.vars = list(other.vars) if other else [0] * OBJECTS
        self.mutex = list(other.mutex) if other else [FREE] * OBJECTS
        self.rw = [list(h) for h in other.rw] if other else [[] for _ in range(OBJECTS)]  # threads that hold it
        self.writer = list(other.writer) if other else [False] * OBJECTS
        self.sems = list(other.sems) if other else [0] * OBJECTS
        self.waits = list(other.waits) if other else [None] * THREADS

    def key(self):
        return (tuple(self.at), tuple(map(tuple, self.regs)), tuple(self.vars), tuple(self.mutex), tuple(map(tuple, self.rw)),
                tuple(self.writer), tuple(self.sems), tuple(self.waits))


def can_go(program, s, t):
    if s.waits[t]:
        return s.waits[t][0] == "woken" and s.mutex[s.waits[t][2]] is FREE
    if s.at[t] == len(program[t]):
        return False
    op, *a = program[t][s.at[t]]
    if op == "lock":
        return s.mutex[a[0]] is FREE
    if op == "rdlock":
        return not s.writer[a[0]]
    if op == "wrlock":
        return not s.rw[a[0]]
    if op == "down":
        return s.sems[a[0]] > 0
    return True


def sleepers(s, c):
    return [t for t in range(THREADS) if s.waits[t] and s.waits[t][:2] == ("asleep", c)]


def wake(s, t):
    s.waits[t] = ("woken",) + s.waits[t][1:]


def after(program, state, t):
    """The states after thread t's next step: several if a signal can wake several threads. A number: an exit status."""
    s = State(state)
    if s.waits[t]:
        s.mutex[s.waits[t][2]], s.waits[t] = t, None
        return [s]
    (op, *a), regs = program[t][s.at[t]], s.regs[t]
    s.at[t] += 1
    if op == "read":
        regs[a[0]] = s.vars[a[1]]
    elif op == "write":
        s.vars[a[0]] = a[1]
    elif op == "copy":
        s.vars[a[0]] = regs[a[1]] + 1
    elif op == "add":
        regs[a[0]], s.vars[a[1]] = s.vars[a[1]], s.vars[a[1]] + 1
    elif op == "cas":
        regs[a[0]] = int(s.vars[a[1]] == 0)
        s.vars[a[1]] = a[2] if regs[a[0]] else s.vars[a[1]]
    elif op == "quit":
        return [a[0]] if regs[a[1]] else [s]
    elif op == "lock":
        s.mutex[a[0]] = t
    elif op == "unlock":
        s.mutex[a[0]] = FREE
    elif op == "trylock":
        regs[a[0]] = int(s.mutex[a[1]] is FREE)
        s.mutex[a[1]] = t if regs[a[0]] else s.mutex[a[1]]
    elif op == "untry":
        s.mutex[a[1]] = FREE if regs[a[0]] else s.mutex[a[1]]
    elif op in ("rdlock", "wrlock"):
        s.rw[a[0]].append(t)
        s.rw[a[0]].sort()
        s.writer[a[0]] = op == "wrlock"
    elif op == "rwunlock":
        s.rw[a[0]].remove(t)
        s.writer[a[0]] = False
    elif op in ("post", "down"):
        s.sems[a[0]] += 1 if op == "post" else -1
    elif op == "wait":
        s.mutex[a[1]], s.waits[t] = FREE, ("asleep", a[0], a[1])
    elif op == "broadcast":
        for w in sleepers(s, a[0]):
            wake(s, w)
    elif op == "signal" and sleepers(s, a[0]):
        woken = [(State(s), w) for w in sleepers(s, a[0])]
        for one, w in woken:
            wake(one, w)
        return [one for one, _ in woken]
    return [s]


def outcomes(program):
    """The set of outcomes: registers and variables as text, "deadlock", or "status N"."""
    found, seen, stack = set(), set(), [State()]
    while stack:
        s = stack.pop()
        if isinstance(s, int):
            found.add(f"status {s}")
            continue
        if s.key() in seen:
            continue
        seen.add(s.key())
        going = [t for t in range(THREADS) if can_go(program, s, t)]
        for t in going:
            stack += after(program, s, t)
        if going:
            continue
        done = all(s.at[t] == len(program[t]) and not s.waits[t] for t in range(THREADS))
        found.add(" ".join(str(n) for row in s.regs + [s.vars] for n in row) if done else "deadlock")
    return found
