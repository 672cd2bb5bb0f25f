"""Limits that count the processor time a test could have had, not the time that passes.

With more runnable threads than processors a second of wall time is worth less than a second of work. A limit of
60 seconds is 60 seconds on a quiet machine with two processors and about 9 minutes at load 18.
"""

import os
import time


def share():
    """Part of a processor that one runnable thread gets now, from 0 to 1 (the first figure of proc(5)'s loadavg pair)."""
    with open("/proc/loadavg") as f:
        runnable = int(f.read().split()[3].split("/")[0]) - 1  # without the thread that reads this
    return min(1.0, (os.cpu_count() or 1) / max(1, runnable))


def wall(seconds):
    """Seconds that pass while so much work is done: for limits of gatectl's own (--for, --time-limit), which count those.

    A limit looks ahead, so the load of the last minute counts where it is higher than that of this moment.
    """
    with open("/proc/loadavg") as f:
        load = float(f.read().split()[0])
    return round(seconds / min(share(), (os.cpu_count() or 1) / max(1, load), 1), 3)


class Limit:
    """Seconds of work. The owner asks over() at least every half second while it waits."""

    def __init__(self, seconds, now=time.monotonic, share_now=share):
        self.seconds, self.spent = seconds, 0.0
        self.now, self.share_now = now, share_now
        self.last = now()

    def over(self):
        now = self.now()
        self.spent += (now - self.last) * self.share_now()
        self.last = now
        return self.spent > self.seconds
