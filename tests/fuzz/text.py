#!/usr/bin/env python3
"""Mutated texts: gate scripts, orders, locations and options, on a small program with threads."""

import glob
import os
import re
import sys

import fuzz
from harness import compile_text

PROGRAM = r"""
#include <pthread.h>
#include <stdio.h>
struct node { int value; struct node *next; char name[8]; };
enum color { RED, GREEN };
static struct node nodes[2] = {{1, &nodes[1], "one"}, {2, 0, "two"}};
static volatile int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int step(struct node *n, enum color c, double d)
{
	counter += n->value + c + (int)d; /* gate: step */
	return counter;
}
static void *worker(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		step(arg, GREEN, 1.5);
		pthread_mutex_unlock(&lock); /* gate: unlock */
	}
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, worker, &nodes[0]);
	pthread_create(&b, NULL, worker, &nodes[1]);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", counter);
	return 0;
}
"""

SCRIPTS = [
    'local g = SimpleGate "g"\nat("//step", {hit = 2}):wait(g)\nat("worker", {thread = "worker#2"}):open(g)\nexpect { exit = 0 }\n',
    'local b = BarrierGate("b", 2, {serial = true})\nat("//unlock"):wait(b)\nlimits { gate = 1, run = 5 }\n',
    'at("step"):when(function(hit)\n  return hit.var.n.value == 1 or hit.count > 2\nend)\nlimits { gate = 1 }\n',
    'at("step", {after = true}):run(function(hit)\n  print(hit:eval "n->next->value", hit.arg[0].name, hit.var.c.name)\n'
    '  wait_until(function() return program.var.counter > 2 end)\nend)\nlimits { gate = 1 }\n',
    'at("step%return"):log("{hit.ret} {hit.var.counter}"):event("ret")\nat("worker"):event("in")\norder "in -> ret"\n',
    'local T = Gate.type "T"\nfunction T:init(n) self.n = n end\nfunction T:ready(hit) return hit.count >= self.n end\n'
    'function T:opened() end\nat("step;counter +="):wait(T("t", 2))\n',
    'order "worker@worker#1 -> //unlock@worker#2, [worker] -> \'step;counter += n->value\'@worker#2"\n',
    'on("thread-start"):run(function(hit) print(hit.thread.id) end)\non("exit"):log("out")\non("signal", {signal = "SIGUSR1"}):kill()\n',
    'for i = 1, 3 do at("text.c:" .. 10 + i, {optional = true}):log(("x"):rep(i)) end\nexpect { stdout = "16" }\n',
    'at("step"):run(function(hit) for f in pairs(hit:backtrace()) do print(f) end hit:call("step", nil, 0, 1.0) end)\n',
]
LOCATIONS = ["text.c:12", "step", "step:+2", "step%return", "step;counter += n->value", "text.c;lock(&lock)", "//step", "*0x1139",
             "libc.so!malloc", "text!worker#1", "text.c:12#2", "pthread_mutex_lock", "main;pthread_join(*)"]
ORDERS = ["worker -> main%return", "a -> b, [c] -> d", "'f;a -> b'@worker#1 -> step", "//step@worker#1 -> //unlock@worker#2"]
OPTIONS = ["--gate-limit", "--time-limit", "--repeat", "--report", "--no-follow", "-v", "-q", "--color", "--order", "-g", "--", "--help",
           "--skip-unavailable", "-gscript.lua", "--report=r.json", "--report=r.html", "--repeat=2", "--time-limit=3", "--gate-limit=1"]
WORDS = ["nil", "true", "function()", "end", "(", ")", "{", "}", "[", "]", '"', "'", "->", ",", "@", ";", "%", "%return", "//", "*0x", "#",
         "!", ":", "..", "at(", "on(", "order ", "hit", "hit.var", "hit:eval", ":wait(", ":open(", ":when(", ":run(", ":log(", ":kill(",
         "0", "-1", "1e308", "9223372036854775807", "0x7fffffffffffffff", "18446744073709551616", "0/0", "\n", "\t", "\0", "\x1b[31m",
         "\x80\xff", "ä", "%s%n%s", "../" * 20, "x" * 3000, "((((((((", "coroutine.wrap(", "string.rep('x', 1e7)", "setmetatable({}, ",
         "pcall(", "xpcall(error, ", "while true do ", "{step}", "*", "?", "error ", "fail ", "require ", "print("]

# What the first fuzzing left over: (command without the program, script)
NAMED = {
    "message-handler": (["run"], 'at("main"):when(function() xpcall(error, function() while true do end end) end)'),
    "nested-coroutines": (["run"], 'local function f(n) for i = 1, n > 0 and 900 or 0 do coroutine.wrap(f)(n - 1) end end\nat("main"):run(function() f(5) end)'),
    "long-instructions": (["run"], 'local a, b = ("x"):rep(6e7), ("x"):rep(6e7)\nat("main"):run(function() while a <= b do end end)'),
    "sort": (["run"], 'at("main"):run(function() local t = {} for i = 1, 1e6 do t[i] = i * 7919 % 1000007 end while true do table.sort(t) end end)'),
    "prints": (["run"], 'while true do print(("x"):rep(1e5)) end'),
    "control-characters": (["run"], 'at("no\\27[31m\\nsuch\\rfunction"):open(SimpleGate "a\\nb")'),
    "long-line": (["run"], 'error(("x"):rep(1e6))'),
    "long-order": (["run"], 'local t = {} for i = 1, 3000 do t[i] = "e" .. i end order(table.concat(t, " -> "))'),
    "cycle": (["run"], 'local t = {} for i = 1, 3000 do t[i] = "e" .. i end t[3001] = "e1" order(table.concat(t, " -> "))'),
    "many-places": (["run"], 'for i = 1, 3000 do at("step", {optional = true}):event("e" .. i) end'),
}


def corpus():
    found = list(SCRIPTS)
    for path in sorted(glob.glob(os.path.join(fuzz.ROOT, "examples", "*", "*.lua"))):
        with open(path) as f:
            found.append(f.read())
    return found


def mutate(text, r):
    for _ in range(r.choice((1, 1, 2, 3, 5, 8))):
        at = r.randrange(len(text) + 1)
        length = r.choice((1, 1, 2, 5, 20))
        kind = r.randrange(7)
        if kind == 0:
            text = text[:at] + text[at + length:]
        elif kind == 1:
            text = text[:at] + r.choice(WORDS) + text[at:]
        elif kind == 2:
            text = text[:at] + r.choice(WORDS) + text[at + length:]
        elif kind == 3:
            text = text[:at] + text[max(0, at - 40):at] * r.choice((1, 2, 50)) + text[at:]
        elif kind == 4:
            text = text[:at] + chr(r.randrange(256)) + text[at + 1:]
        elif kind == 5:
            text = re.sub(r"\d+", lambda m: r.choice(("0", "-1", "4294967296", "1e9", m.group(0))), text)
        else:
            other = r.choice(CORPUS)
            cut = r.randrange(len(other) + 1)
            text = text[:at] + other[cut:cut + r.choice((10, 60, 300))] + text[at:]
    return text


CORPUS = corpus()


def argument(text):
    """What can be a word of a command line."""
    return text.replace("\0", "").encode("utf-8", "surrogateescape")


def data(text):
    return text.encode("latin-1", "replace")


def make(number, r):
    program = compile_text("text.c", PROGRAM)
    if r is None:
        command, script = NAMED[number]
        return fuzz.Case(number, [*command, "--time-limit", "20", "-g", "script.lua", program], {"script.lua": data(script)})
    kind = r.choice(("script", "script", "script", "check", "order", "lines", "options"))
    files = {"script.lua": data(mutate(r.choice(CORPUS), r))}
    run = ["run", "--time-limit", "5", "--gate-limit", "1"]
    if kind == "script":
        return fuzz.Case(number, run + ["-g", "script.lua", program], files)
    if kind == "check":
        return fuzz.Case(number, ["check", "-g", "script.lua", program], files)
    if kind == "order":
        return fuzz.Case(number, run + ["--order", argument(mutate(r.choice(ORDERS), r)), program])
    if kind == "lines":
        return fuzz.Case(number, ["lines", program] + [argument(mutate(r.choice(LOCATIONS), r)) for _ in range(r.choice((1, 3)))])
    words = [r.choice(OPTIONS) if r.randrange(3) else argument(mutate(r.choice(OPTIONS + ORDERS + LOCATIONS), r))
             for _ in range(r.randrange(1, 6))]
    return fuzz.Case(number, [r.choice(("run", "check", "lines")), *words, "--time-limit=5", program], files)


if __name__ == "__main__":
    sys.exit(fuzz.main(__doc__, make, list(NAMED)))
