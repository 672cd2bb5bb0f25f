#!/bin/sh
# One search in N parts as a Slurm job array, then a job that joins them. In a folder that the nodes
# share, with gatectl in PATH:
#     sh slurm.sh N PROG [ARG...]
# Status: 0 nothing found, 116 found, another: some part was not searched; found.K.log tells why.
#SBATCH --job-name=explore --cpus-per-task=1 --output=found.%a.log
set -eu

if [ -n "${PARTS:-}" ]; then # one of them
	# The same seed for all: they are parts of the same search. -j 1: that is what was asked of Slurm.
	# That a part finds something is no error; anything else is.
	part=$SLURM_ARRAY_TASK_ID
	gatectl explore --shard "$part/$PARTS" --seed "${SEED:-1}" -j 1 -o "found.$part" -- "$@" ||
		[ $? -eq 116 ]
	exit
fi

n=$1
shift
# This fails where an earlier search has left its folders: its failures would be taken for new ones.
parts=$(seq -s ' ' -f found.%.0f "$n")
# shellcheck disable=SC2086 # one word each
mkdir $parts
rm -f found.log

array=$(PARTS=$n sbatch --parsable --array="1-$n" "$0" "$@")
# afterok: only if no part had an error; else Slurm takes the job away, and --wait says 0 of it: so
# it is the log that tells whether it was there.
status=0
sbatch --wait --dependency="afterok:${array%;*}" --kill-on-invalid-dep=yes \
	--job-name=explore-merge --output=found.log \
	--wrap="gatectl explore --merge -o found $parts" || status=$?
cat found.log || exit 1
exit $status
