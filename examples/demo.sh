#!/bin/sh
# Shows each example without and with its gates. `make demo` runs it; alone:
#	GATECTL=build/gatectl EXAMPLES=build/examples sh examples/demo.sh
# Builds the examples first. The status is 0 when every run showed what it should.

GATECTL=${GATECTL:-build/gatectl}
EXAMPLES=${EXAMPLES:-build/examples}
here=$(dirname "$0")
make -s -j2 -f "$here/examples.mk" EXAMPLES="$EXAMPLES" examples || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0

# tally N COMMAND...: runs it N times, keeps the last run's output in $work/out and standard error
# in $work/err, and counts in $seen how often it succeeded and $want occurred in either.
tally()
{
	n=$1
	seen=0
	shift
	for _ in $(seq "$n"); do
		"$@" >"$work/out" 2>"$work/err" </dev/null || continue
		if cat "$work/out" "$work/err" | grep -qF "$want"; then
			seen=$((seen + 1))
		fi
	done
}

# line LABEL N [LEAST]: what the last tally saw, in one line. By itself nothing forces the order: on a
# busy machine the result may be wrong now and then.
line()
{
	printf '  %-14s %-52s %2d of %d\n' "$1" "$want" "$seen" "$2"
	if [ "$seen" -lt "${3:-$2}" ]; then
		failed=1
		sed 's/^/    | /' "$work/out" "$work/err"
	fi
}

# example N NAME SCRIPT RIGHT WRONG: the program says RIGHT by itself and WRONG under its gates.
example()
{
	program=$EXAMPLES/$2
	want=$4
	tally "$1" "$program"
	line 'by itself' "$1" 1
	want=$5
	tally "$1" "$GATECTL" run -g "$here/$2/$3" "$program"
	line 'with its gates' "$1"
}

# The deadlock has no output: what counts is that gatectl found it, and its status.
deadlock()
{
	want='Alice has 85.00'
	tally "$1" "$EXAMPLES/abba-deadlock"
	line 'by itself' "$1" 1
	seen=0
	for _ in $(seq "$1"); do
		"$GATECTL" run -g "$here/abba-deadlock/bank.lua" "$EXAMPLES/abba-deadlock" \
			>"$work/out" 2>"$work/err" </dev/null && seen=$((seen + 1))
	done
	want='(no thread can move: deadlock, as expected)'
	line 'with its gates' "$1"
}

# journal COMMAND...: three entries, then a compaction by COMMAND, then what recovery finds.
journal()
{
	rm -rf "$work/journal"
	mkdir "$work/journal"
	"$EXAMPLES/append-log" "$work/journal" add one two three
	"$@" "$EXAMPLES/append-log" "$work/journal" compact || return 1
	"$EXAMPLES/append-log" "$work/journal" show || true # 1 where something was lost
}

echo 'Two workers share a multiplier. Worker 1 sets it to 7, worker 2 multiplies 6 by it.'
echo 'Nothing makes worker 2 wait; it usually comes later. (examples/shared-memory/calc.c)'
echo
example 20 shared-memory calc.lua '6 * 7 = 42' '6 * 7 = 6'
echo
echo 'The gates that force the wrong result, on every run:'
echo
grep -v '^--' "$here/shared-memory/calc.lua" | sed -n '/./s/^/    /p'
echo
echo 'unspecified-time: a queue is closed when the worker already waits for a job'
example 5 unspecified-time jobs.lua '4 jobs done' "Assertion \`q->count > 0' failed"
echo 'string-buffer: append() asks for the length, then for the characters'
example 5 string-buffer strbuf.lua 'status: 3 files, 12 lines' 'append failed: Numerical result out of range'
echo 'array-list: two threads add to an array that has no lock'
example 5 array-list sensors.lua '2 sensors answered, 2 in the list' '2 sensors answered, 1 in the list'
echo 'lazy-init: a pointer is published before the object is complete'
example 5 lazy-init settings.lua 'found, timeout 30 s' 'found, timeout 0 s'
echo 'abba-deadlock: two locks in opposite orders'
deadlock 5
echo 'two-processes: a sample in shared memory is taken before it is written'
example 5 two-processes ring.lua 'sample 1: 20.5 C' 'sample 1: (empty)'
echo 'overdraft: a condition that looks at a local variable and at an object'
example 5 overdraft payments.lua 'the account is in order' 'the account is overdrawn'
echo 'append-log: the program is killed between two steps of a compaction'
want='3 entries, 0 lost'
tally 5 journal env
line 'by itself' 5 1
want='0 entries, 3 lost'
tally 5 journal "$GATECTL" run -g "$here/append-log/journal.lua"
line 'with its gates' 5

exit "$failed"
