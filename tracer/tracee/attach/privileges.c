/*
 * Rights that the kernel withholds from a traced program: set-user-ID, set-group-ID and
 * file capabilities, if the tracer may not have them. The program then behaves
 * differently from an untraced run.
 */
#include "tracer/tracee/threads/procfs.h"
#include "tracer/tracee/tracee_internal.h"

#include <endian.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { NOBODY = 65534 }; /* overflow id: an owner that this user namespace does not have */

struct holder {
	unsigned long euid, egid;
	uint64_t permitted, bounding; /* capabilities */
	bool none_new;		      /* no_new_privs: exec gives no rights, traced or not */
};

/* Returns the second number of "Uid: real effective saved filesystem". */
static unsigned long effective(const char *text, const char *field)
{
	const char *at = strstr(text, field);
	char *end;

	if (!at)
		return 0;
	strtoul(at + strlen(field), &end, 10);
	return strtoul(end, NULL, 10);
}

static int look_holder(pid_t pid, struct holder *h)
{
	char text[4096];

	if (look_status_text(pid, text, sizeof(text)) <= 0)
		return -1;
	h->euid = effective(text, "\nUid:");
	h->egid = effective(text, "\nGid:");
	h->permitted = look_number(text, "CapPrm", 16);
	h->bounding = look_number(text, "CapBnd", 16);
	h->none_new = strstr(text, "\nNoNewPrivs:\t1") != NULL;
	return 0;
}

/* Returns the capabilities that setcap(8) has given to the file. */
static uint64_t capabilities_of(const char *path)
{
	struct vfs_ns_cap_data data;
	ssize_t n = getxattr(path, "security.capability", &data, sizeof(data));

	if (n < (ssize_t)XATTR_CAPS_SZ_2)
		return 0;
	return le32toh(data.data[0].permitted) | (uint64_t)le32toh(data.data[1].permitted) << 32;
}

static bool withheld(const char *path, const struct stat *file, const struct holder *h, char *what,
		     size_t size)
{
	const struct passwd *owner;
	const struct group *group;

	if (file->st_mode & S_ISUID && file->st_uid != NOBODY && file->st_uid != h->euid) {
		owner = getpwuid(file->st_uid);
		snprintf(what, size, "the rights of %s (set-user-ID)",
			 owner ? owner->pw_name : "its owner");
		return true;
	}
	if ((file->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
	    file->st_gid != NOBODY && file->st_gid != h->egid) {
		group = getgrgid(file->st_gid);
		snprintf(what, size, "the rights of the group %s (set-group-ID)",
			 group ? group->gr_name : "of its file");
		return true;
	}
	snprintf(what, size, "the capabilities of its file (setcap)");
	return capabilities_of(path) & h->bounding & ~h->permitted;
}

bool tracee_withheld(const struct tracee_process *process, char *what, size_t size)
{
	struct statvfs mount;
	struct holder holder;
	struct stat file;
	char path[64];
	/* call_seen.c sets no_new_privs to filter the program's calls. */
	bool may_be_ours = tracee_of(process)->calls && look_status(getpid(), "NoNewPrivs") <= 0;

	snprintf(path, sizeof(path), "/proc/%d/exe", process->pid);
	if (stat(path, &file) < 0 || statvfs(path, &mount) < 0 || mount.f_flag & ST_NOSUID ||
	    look_holder(process->pid, &holder) < 0 || (holder.none_new && !may_be_ours))
		return false;
	return withheld(path, &file, &holder, what, size);
}
