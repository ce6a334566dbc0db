/* SPDX-License-Identifier: MIT */
#include "preload/util/process.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

struct xs_process xs_process_self(void)
{
	struct stat status = {0};
	const int kept_errno = errno;

	if (stat("/proc/self/ns/pid", &status))
		status.st_ino = 0;
	errno = kept_errno;
	return (struct xs_process){getpid(), status.st_ino};
}

bool xs_process_is_current(const struct xs_process *process)
{
	const struct xs_process self = xs_process_self();

	if (self.id != process->id)
		return false;
	return self.id_namespace == process->id_namespace ||
	       !self.id_namespace || !process->id_namespace;
}
