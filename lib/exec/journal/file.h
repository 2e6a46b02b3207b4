/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_JOURNAL_FILE_H
#define HSI_EXEC_JOURNAL_FILE_H

#include <stddef.h>

#include "exec/journal/journal.h"

/* "cannot WHAT the journal 'PATH': why", by errno. Returns HS_EIO. */
hs_status hsi_journal_complain(const char *path, const char *what, int error, char why[HS_WHY]);

/*
 * Open for appending, locked against other processes. *made: it was not there; NULL: it must be.
 * HS_EINVAL: another process has it, it is no regular file, or that path cannot be one. HS_EIO.
 */
hs_status hsi_journal_file_open(const char *path, int *fd, int *made, char why[HS_WHY]);

/* The same, but nothing is made: *fd is -1 if it is not there, but could be. */
hs_status hsi_journal_file_look(const char *path, int *fd, char why[HS_WHY]);

/* All that is in it, with a NUL behind it: to be freed. HS_EIO, HS_ENOMEM. */
hs_status hsi_journal_file_load(const char *path, int fd, char **text, size_t *size,
                                char why[HS_WHY]);

/* All of it, whatever interrupts. 0, or errno. */
int hsi_journal_file_write(int fd, const char *at, size_t size);
int hsi_journal_file_sync(int fd);

/* Cut what is behind `size` bytes. 0, or errno. */
int hsi_journal_file_cut(int fd, size_t size);

/* Is `path` still the name of what was opened? */
int hsi_journal_file_is_named(int fd, const char *path);

/* Put the name of a new file on disk, too. 0, or errno. */
int hsi_journal_file_sync_name(const char *path);

#endif
