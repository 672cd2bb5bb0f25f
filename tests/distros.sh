#!/bin/sh
# Clean Debian systems: `make demo` and `make test` in each, as root and as an ordinary user, and the Debian package from
# its Build-Depends alone.
#
#	tests/distros.sh [OPTION]... [bookworm|trixie|sid]...	  without a name: all three
#
#	--demo, --test, --package	  only these of the three
#	-k PATTERN			  only the end-to-end tests that match, in place of `make test`
#	--run COMMAND			  a shell command in the tree, in place of all; its output is shown
#	--as root|user			  only as this one
#	--roots DIR			  the systems are made in DIR, stay there, and are used again
#
# Prints one line for each system and user: the last line of its tests. The logs are build/distros/*.log. Status 1 if
# one failed. Needs root: mmdebstrap makes the systems, unshare runs them, and nothing of them outlives this script.
# The proxies and time checks of this machine's apt are used in the systems, too; MIRROR overrides its mirror.
set -eu
cd "$(dirname "$0")/.."

steps= suites= users='root user' pattern= command= roots= kept=
while [ $# -gt 0 ]; do
	case $1 in
	--demo | --test | --package) steps="$steps ${1#--}" ;;
	-k) pattern=$2; shift ;;
	--run) command=$2; shift ;;
	--as) users=$2; shift ;;
	--roots) roots=$2 kept=1; shift ;;
	bookworm | trixie | sid) suites="$suites $1" ;;
	*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
	esac
	shift
done
: "${suites:=bookworm trixie sid}"
[ -z "$pattern" ] || steps=${steps:-test}
: "${steps:=demo test package}"
logs=$PWD/build/distros

if [ "$(id -u)" != 0 ]; then
	echo "$0: only root can make a system of its own: try sudo $0" >&2
	exit 2
fi
command -v mmdebstrap >/dev/null || {
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends mmdebstrap >/dev/null
}
mkdir -p "$logs"
: "${roots:=$(mktemp -d /var/tmp/gatectl-distros.XXXXXX)}"
mkdir -p "$roots"
chmod 755 "$roots"
settings=$(mktemp)
trap 'rm -f "$settings"; [ -n "$kept" ] || rm -rf --one-file-system "$roots"' EXIT
trap 'exit 130' INT TERM HUP

# ---- a system ------------------------------------------------------------------------------------

apt-config dump | grep -E '^Acquire::(https?|Check-|Languages|Retries)' >"$settings" || :
mirror=${MIRROR:-$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' |
	sed -n 's,^Debian \(.*/debian/*\)$,\1,p' | head -n 1)}

# make_system SUITE DIR: as small as mmdebstrap makes it, with what a README may take for granted.
make_system()
{
	rm -rf --one-file-system "$2"
	mmdebstrap --variant=minbase --include=make --aptopt="$settings" "$1" "$2" \
		"${mirror:-http://deb.debian.org/debian}"
	inside "$2" root 'useradd -m -s /bin/sh user'
}

# copy_system FROM TO
copy_system()
{
	rm -rf --one-file-system "$2"
	cp -a --reflink=auto "$1" "$2"
}

# inside DIR USER COMMAND: in namespaces of its own; all processes end with it. A root by pivot_root(2), since programs
# in a chroot(2) may not have user namespaces.
inside()
{
	unshare --mount --pid --ipc --uts --fork --kill-child --propagation private \
		sh -euc "$enter" enter "$@" </dev/null
}

enter='
root=$1 user=$2 command=$3
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t tmpfs -o mode=755 dev dev
mkdir -m 755 dev/pts
mkdir -m 1777 dev/shm
mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts dev/pts
mount -t tmpfs -o mode=1777 shm dev/shm
for node in null:3 zero:5 full:7 random:8 urandom:9; do
	mknod -m 666 "dev/${node%:*}" c 1 "${node#*:}"
done
mknod -m 666 dev/tty c 5 0
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
for fd in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${fd%:*}" "dev/${fd#*:}"; done
cp /etc/resolv.conf etc/resolv.conf 2>/dev/null || :
cp /etc/hosts etc/hosts
hostname clean
mkdir -p .outside
pivot_root . .outside
umount -l /.outside
rmdir /.outside
export LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
unset TMPDIR LD_LIBRARY_PATH
cd /
if [ "$user" = root ]; then
	HOME=/root exec sh -euc "$command"
fi
exec setpriv --reuid "$user" --regid "$user" --init-groups --reset-env \
	env LANG="$LANG" PATH="$PATH" sh -euc "$command"
'

# copy_tree DIR/TREE: the files of this tree; what was built there before stays.
copy_tree()
{
	mkdir -p "$1"
	find "$1" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
	git -c safe.directory="$PWD" ls-files -z --cached --others --exclude-standard |
		tar -c --null --ignore-failed-read -T - | tar -x --no-same-owner -C "$1"
}

# ---- what is run in it ---------------------------------------------------------------------------

# Root's tree is one that others may enter. The user gets what root has built, but for programs whose debug information
# leads to root's sources; everything is installed then: no rights are needed.
user_tree='rm -rf /home/user/gatectl
cp -a /srv/gatectl /home/user/gatectl
cd /home/user/gatectl/build && rm -rf examples e2e targets unit
chown -R user: /home/user'

demo='make demo'
tests='make test'
[ -z "$pattern" ] || tests="sh .ci/setup test && make -j\$(nproc) all && \
	python3 tests/e2e/run.py -k '$pattern'"

# A user who builds it first, and only then a package of it; the packages that it needs are those of Build-Depends.
package='
apt-get update -qq
apt-get install -y -qq --no-install-recommends build-essential lintian >/dev/null
cp -r examples/packaging/debian .
apt-get build-dep -y -qq --no-install-recommends . >/dev/null
dpkg-buildpackage -us -uc -b
lintian --allow-root --fail-on error ../gatectl_*.changes
apt-get install -y -qq ../gatectl_*.deb >/dev/null
gatectl --version'

failed=0
# report SYSTEM USER STEP COMMAND...: runs it with a log, and prints the log's last line.
report()
{
	name="$1 $2 $3" log=$logs/$1-$2-$3.log
	shift 3
	status=0
	"$@" >"$log" 2>&1 || status=$?
	echo "$name: $([ $status = 0 ] || echo "FAILED ($status, $log): ")$(tail -n 1 "$log")"
	[ $status = 0 ] || failed=1
}

run_as()
{
	case $2 in
	root) home=/srv ;;
	*) home=/home/user && inside "$1" root "$user_tree" ;;
	esac
	inside "$1" "$2" "cd $home/gatectl; $3"
}

for suite in $suites; do
	system=$roots/$suite
	if [ ! -d "$system-clean" ] &&
		! make_system "$suite" "$system-clean" >"$logs/$suite.log" 2>&1; then
		echo "$suite: FAILED: $(tail -n 1 "$logs/$suite.log")"
		rm -rf --one-file-system "$system-clean"
		failed=1
		continue
	fi
	case $command,$steps in ,*package*)
		copy_system "$system-clean" "$system-package"
		copy_tree "$system-package/srv/gatectl"
		report "$suite" root package run_as "$system-package" root "$package"
		rm -rf --one-file-system "$system-package"
		;;
	esac
	[ -d "$system" ] || copy_system "$system-clean" "$system"
	copy_tree "$system/srv/gatectl"
	for user in $users; do
		if [ -n "$command" ]; then
			run_as "$system" "$user" "$command" || failed=1
			continue
		fi
		case $steps in *demo*) report "$suite" "$user" demo run_as "$system" "$user" "$demo" ;; esac
		case $steps in *test*) report "$suite" "$user" test run_as "$system" "$user" "$tests" ;; esac
	done
	[ -n "$kept" ] || rm -rf --one-file-system "$system" "$system-clean"
done
exit $failed
