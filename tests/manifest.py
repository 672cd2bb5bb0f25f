"""tests/manifest.tsv: every case of the tests, when it runs, and the seconds of processor that it takes.

Columns: case; tier (1: `make test`, 2: `make test-all` only); seconds; tier under the sanitizers (`-`: in neither);
seconds there; `u` for the cases of tier 1 that `make test` repeats as an ordinary user. Written by tests/measure.py;
which tier a case is in is decided by a person, by an edit.
"""
import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PATH = os.path.join(ROOT, "tests", "manifest.tsv")
HEADER = "# case\ttier\tseconds\tsanitized\tseconds\tuser"
MOST = 20 * 60  # seconds of processor that tier 1 may take


class Case:
    def __init__(self, name, tier="1", seconds=0.0, sanitized="2", sanitized_seconds=0.0, user="-"):
        self.name, self.tier, self.sanitized, self.user = name, tier, sanitized, user
        self.seconds, self.sanitized_seconds = float(seconds), float(sanitized_seconds)

    @property
    def end_to_end(self):
        return self.name.startswith("test_")

    def tier_1_seconds(self):
        plain = self.seconds if self.tier == "1" else 0
        sanitized = self.sanitized_seconds if self.sanitized == "1" else 0
        return plain + sanitized + (self.seconds if self.user == "u" else 0)

    def line(self):
        return "%s\t%s\t%.2f\t%s\t%.2f\t%s" % (self.name, self.tier, self.seconds, self.sanitized, self.sanitized_seconds, self.user)


def load():
    with open(PATH) as f:
        return {c.name: c for c in (Case(*line.rstrip("\n").split("\t")) for line in f if not line.startswith("#"))}


def save(cases):
    with open(PATH, "w") as f:
        f.write("\n".join([HEADER, *(c.line() for _, c in sorted(cases.items()))]) + "\n")


def complaints(cases, existing):
    """Faults of the manifest, as lines; `existing` has the names of the tests in the tree."""
    lines = ["%s is not in tests/manifest.tsv: tests/measure.py adds it" % n for n in sorted(existing - set(cases))]
    lines += ["tests/manifest.tsv has %s, which is no test any more: tests/measure.py drops it" % n for n in sorted(set(cases) - existing)]
    lines += ["tests/manifest.tsv: %s is for an ordinary user, but not in tier 1" % c.name for c in cases.values() if c.user == "u" and c.tier != "1"]
    total = sum(c.tier_1_seconds() for c in cases.values())
    if total > MOST:
        most = sorted(cases.values(), key=Case.tier_1_seconds, reverse=True)[:12]
        lines.append("tier 1 takes %.0f s of processor, more than %d: move cases to tier 2 in tests/manifest.tsv. The largest: %s" % (
            total, MOST, ", ".join("%s %.1f" % (c.name, c.tier_1_seconds()) for c in most)))
    return lines
