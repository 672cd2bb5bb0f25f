"""The corpus for gatectl audit: small C modules that are faulty in one place each (faults/), and ones that look alike and are
sound (sound/); the same in C++ (faults_cxx/, sound_cxx/). A comment at the end of a line says what has to be told of it:

    /* finding: TAG text */                   this has to be told
    /* finding: TAG text (or the other) */    one of the lines of the module that say so has to be

TAG is one of FINDINGS of tracer/audit/checks/finding.h; the text is the field or the locks, and where a whole object escapes or is freed the tag of its struct.
Of a module NAME the files are NAME.c, or NAME.cc, and, where they exist, NAME.h and NAME_user.c, which is another module.
A fault that shows in a run has a driver: cc -std=gnu11 -g -O0 -pthread -DDRIVER -o x NAME.c; it ends with 0, with 1 when
the fault showed, or never when that is a deadlock or a wake-up that is lost.
"""
import os
import re
import sys
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = {"fault": "faults", "sound": "sound", "fault_cxx": "faults_cxx", "sound_cxx": "sound_cxx"}
with open(os.path.join(HERE, "..", "..", "tracer", "audit", "checks", "finding.h"), encoding="utf-8") as f:
    TAGS = tuple(re.findall(r'^\tONE\(\w+, "([^"]+)"', f.read(), re.M))
MARK = re.compile(r"/\* finding: (\S+) (.+?)( \(or the other\))? \*/$")


@dataclass
class Module:
    name: str
    kind: str  # one of FOLDERS
    files: list  # paths: NAME.c or NAME.cc first, then NAME.h and NAME_user.c where there are any
    findings: list = field(default_factory=list)  # (file, line, tag, text): each has to be told
    either: list = field(default_factory=list)  # (file, line, tag, text): at least one has to be told; empty if there is no such choice
    driver: bool = False

    def all(self):
        return self.findings + self.either

    @property
    def tags(self):
        return sorted({tag for _, _, tag, _ in self.all()})


def marks(path):
    """What is marked in a file: (line, tag, text, whether others will do)"""
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            m = MARK.search(line.rstrip())
            if m:
                yield number, m.group(1), m.group(2), bool(m.group(3))
            elif "finding:" in line:
                raise ValueError(f"{path}:{number}: not a mark: {line.strip()}")


def has_driver(path):
    with open(path, encoding="utf-8") as f:
        return re.search(r"^int main\(void\)$", f.read(), re.M) is not None


def module(kind, name):
    folder = os.path.join(HERE, FOLDERS[kind])
    files = [os.path.join(folder, name + end) for end in (".c", ".cc", ".h", "_user.c")]
    files = [path for path in files if os.path.exists(path)]
    made = Module(name, kind, files, driver=has_driver(files[0]))
    for path in files:
        for line, tag, text, other in marks(path):
            (made.either if other else made.findings).append((path, line, tag, text))
    return made


def modules():
    for kind, folder in FOLDERS.items():
        names = [os.path.splitext(name)[0] for name in sorted(os.listdir(os.path.join(HERE, folder))) if name.endswith((".c", ".cc"))]
        for name in names:
            if not (name.endswith("_user") and name[:-len("_user")] in names):
                yield module(kind, name)


def problems(each):
    """What is wrong with the corpus itself."""
    marked = each.all()
    is_fault = each.kind.startswith("fault")
    if not is_fault and marked:
        yield f"{each.name}: sound, but marked"
    if is_fault and (len(each.tags) != 1 or not set(each.tags) <= set(TAGS)):
        yield f"{each.name}: marked with {each.tags}, one of {TAGS} is wanted"
    if each.either and (each.findings or len(each.either) < 2):
        yield f"{each.name}: a choice between {len(each.either)} lines, beside {len(each.findings)} others"


def main():
    everything = list(modules())
    complaints = [p for each in everything for p in problems(each)]
    for tag in TAGS:
        names = [each.name for each in everything if tag in each.tags]
        print(f"{tag}: {len(names)}: {' '.join(names)}")
    kinds = [each.kind for each in everything]
    drivers = sum(each.driver for each in everything)
    counts = ", ".join(f"{kinds.count(kind)} in {folder}" for kind, folder in FOLDERS.items())
    print(f"{counts}; {drivers} with a driver, {len(complaints)} complaints")
    for c in complaints:
        print(c, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
