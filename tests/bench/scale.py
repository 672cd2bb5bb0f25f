#!/usr/bin/env python3
"""Scale: orders and places by the thousand, as computing time (user and system) of the whole command. Called by bench.py."""
import os
import resource
import subprocess

SIZES = (1000, 2000, 4000, 8000)
FORMS = {
    "FUNC": lambda n, i: f"fn{i}",
    "FUNC%return": lambda n, i: f"fn{i}%return",
    "FUNC:+N": lambda n, i: f"fn{i}:+2",
    "FUNC;TEXT": lambda n, i: f"fn{i};g += {i};",
    "FILE:LINE": lambda n, i: f"functions{n}.c:{4 * i + 4}",
}


def computing(command):
    """Seconds of the processor that a command and its children take."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def write(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def compiled(directory, name, text):
    out = os.path.join(directory, name)
    subprocess.run(["gcc", "-g", "-O0", "-o", out, write(directory, name + ".c", text)], check=True)
    return out


def orders(gatectl, directory):
    """A chain of events, one on each line of main."""
    found = []
    for n in SIZES:
        program = compiled(directory, f"lines{n}", "static volatile int n;\nint main(void)\n{\n" + "\tn++;\n" * n + "\treturn 0;\n}\n")
        script = write(directory, f"order{n}.lua", "".join(f'at("lines{n}.c:{4 + i}"):event("e{i}")\n' for i in range(n))
                       + 'order "' + " -> ".join(f"e{i}" for i in range(n)) + '"\n')
        found.append(f"{n}: {computing([gatectl, 'run', '-g', script, program]):.2f} s")
    print("an order of so many events: " + ", ".join(found))


def places(gatectl, directory):
    for form, location in FORMS.items():
        found = []
        for n in (1000, 10000):
            program = compiled(directory, f"functions{n}", "static volatile int g;\n"
                               + "".join(f"void fn{i}(void)\n{{\n\tg += {i};\n}}\n" for i in range(n)) + "int main(void)\n{\n\treturn g;\n}\n")
            script = write(directory, "places.lua", "".join(f'at("{location(n, i)}", {{optional = true}}):run(function() end)\n' for i in range(n)))
            found.append(f"{n}: {computing([gatectl, 'run', '-g', script, program]):.2f} s")
        print(f"so many places by {form}: " + ", ".join(found))


def bench_scale(gatectl, out):
    directory = os.path.join(out, "scale")
    os.makedirs(directory, exist_ok=True)
    orders(gatectl, directory)
    places(gatectl, directory)
