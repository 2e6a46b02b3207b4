/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_JOURNAL_FILE_H
#define HSI_EXEC_JOURNAL_FILE_H

#include <stddef.h>

#include "exec/journal/journal.h"

/* Write "cannot WHAT the journal 'PATH': REASON" into *error, with the text of the errno
 * `errno_value`. Return HS_EIO. */
hs_status hsi_journal_io_error(const char *path, const char *action, int errno_value,
                               hs_error *error);

/*
 * Open a journal for appending and lock it against other processes. *made: whether the file was
 * created; `created` NULL: the file must exist. Return HS_OK, HS_EIO, or HS_EINVAL: another process
 * has locked the file, it is not a regular file, or the path cannot name a journal.
 */
hs_status hsi_journal_file_open(const char *path, int *fd, int *created, hs_error *error);

/* Open an existing journal as hsi_journal_file_open() does, and create nothing. *fd is -1 if the
 * file does not exist but could be created. */
hs_status hsi_journal_file_open_existing(const char *path, int *fd, hs_error *error);

/* Open a journal for reading. *fd is -1 if the file does not exist. `is_idle`: lock the file
 * against processes that write it, until it is closed; HS_EINVAL: another process is writing it. */
hs_status hsi_journal_file_open_reading(const char *path, bool is_idle, int *fd, hs_error *error);

/* Read the whole file into *text, which ends with a NUL and is to be freed. Return HS_OK, HS_EIO or
 * HS_ENOMEM. */
hs_status hsi_journal_file_load(const char *path, int fd, char **text, size_t *size,
                                hs_error *error);

/* Write `size` bytes, and repeat interrupted calls. hsi_journal_file_sync() puts the data on disk.
 * Both return 0 or errno. */
int hsi_journal_file_write(int fd, const char *at, size_t size);
int hsi_journal_file_sync(int fd);

/* Truncate the file to `size` bytes. Return 0 or errno. */
int hsi_journal_file_truncate(int fd, size_t size);

/* Return true if `path` still names the open file. */
bool hsi_journal_file_is_at_path(int fd, const char *path);

/* Put the name of a new file on disk. Return 0 or errno. */
int hsi_journal_file_sync_folder(const char *path);

#endif
