/* SPDX-License-Identifier: MIT */
#include "analyzer/util/unnamed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *xs_temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && access(folder, W_OK | X_OK) == 0 ? folder : "/tmp";
}

int xs_unnamed_open(const char *folder)
{
	char path[PATH_MAX];
	int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (file >= 0)
		return file;
	if (snprintf(path, sizeof(path), "%s/.xferspy.XXXXXX", folder) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	file = mkostemp(path, O_CLOEXEC);
	if (file < 0)
		return -errno;
	unlink(path);
	return file;
}
