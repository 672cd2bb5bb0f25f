#!/bin/sh
# One search in N parts with GNU parallel, a core for each: here, or on other machines by ssh.
#     sh parallel.sh N PROG [ARG...]
#     MACHINES=one,user@two sh parallel.sh N PROG [ARG...]
# PROG is a path from here. Machines need gatectl in PATH, and rsync: PROG is copied there, what is
# found is brought back. Status: 0 nothing found, 116 found, another: some part was not searched.
set -eu
n=$1
shift
case $1 in /*) echo "$1: give it as a path from here" >&2; exit 1 ;; esac

# This fails where an earlier search has left its folders: its failures would be taken for new ones.
parts=$(seq -s ' ' -f found.%.0f "$n")
# shellcheck disable=SC2086 # one word each
mkdir $parts

# The same seed for all: they are parts of the same search. -j 1: parallel knows the cores.
# That a part finds something is no error; anything else is, and no more parts are begun.
# shellcheck disable=SC2016 # for the shell of the part
seq "$n" | parallel --quote --tag --halt soon,fail=1 \
	${MACHINES:+--sshlogin "$MACHINES" --workdir ... --cleanup \
		--transferfile "$1" --return "found.{}"} \
	sh -c 'part=$1 n=$2 seed=$3; shift 3
	mkdir -p "found.$part" # also where it is elsewhere and finds nothing
	gatectl explore --shard "$part/$n" --seed "$seed" -j 1 -o "found.$part" -- "$@" ||
		[ $? -eq 116 ]' \
	part {} "$n" "${SEED:-1}" "$@"

# shellcheck disable=SC2086
exec gatectl explore --merge -o found $parts
