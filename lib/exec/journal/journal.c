/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The journal of a run. The thread that adds a record writes the record at once: it has reached the
 * kernel and survives the end of this process. The syncer, a thread of the journal, puts records on
 * disk in groups. A group is synced when it has HSI_JOURNAL_LAG records, or when its oldest record
 * would otherwise be on disk later than LAG_NS after its write, if the sync takes as long as the
 * previous sync did.
 */

#include "exec/journal/journal.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "exec/journal/file.h"
#include "exec/journal/text.h"
#include "support/clock.h"
#include "support/cond.h"
#include "support/spin.h"

#define LAG_NS 10000000

struct hsi_journal {
    const hs_instance *in;
    char              *path;
    int                fd, made;
    pthread_t          syncer;
    pthread_mutex_t    mutex;      /* guards all fields below */
    pthread_cond_t     work, room; /* conditions of the syncer, and of threads that add records */
    uint64_t           chain;
    uint64_t           written, durable;     /* bytes of the file: written, on disk */
    uint64_t           added, taken, synced; /* records since the journal was opened: written, part
                                                of a sync that has begun, on disk */
    uint64_t done, done_synced;              /* done tasks among `added` and among `synced` */
    int64_t  oldest;                         /* ns: write time of the first record not taken */
    int64_t  sync_ns;                        /* duration of the last sync */
    bool     urgent;                         /* a thread waits for the sync of its record */
    int      closing, error;                 /* error: errno of the first failure */
    bool     nameless;                       /* the failure is a lost name of the file */
};

/* Write a line and count its bytes. Return 0 or errno. */
static int write_line(hsi_journal *j, const char *line, size_t length)
{
    int error = hsi_journal_file_write(j->fd, line, length);

    if (!error)
        j->written += length;
    return error;
}

/* Count all records as lost: a file without a name, on disk or not, cannot be opened again. */
static void note_lost_name(hsi_journal *j)
{
    j->error = ENOENT;
    j->nameless = true;
    j->done_synced = 0;
}

/* Wait until a group is due. Return false if the journal closes and no group is left. */
static bool wait_for_group(hsi_journal *j)
{
    int64_t         due;
    struct timespec until;

    while (j->added == j->taken && !j->closing)
        pthread_cond_wait(&j->work, &j->mutex);
    due = j->oldest + (j->sync_ns < LAG_NS ? LAG_NS - j->sync_ns : 0);
    until = hsi_timespec(due);
    while (j->added - j->taken < HSI_JOURNAL_LAG && !j->urgent && !j->closing)
        if (pthread_cond_timedwait(&j->work, &j->mutex, &until) != 0)
            break;
    return j->added > j->taken;
}

/*
 * Sync the written records; unlock the mutex meanwhile. Return false if the disk failed or the file
 * lost its name. A record that could not be written does not prevent the sync of earlier records.
 */
static bool sync_group(hsi_journal *j)
{
    uint64_t taken = j->taken = j->added, done = j->done, size = j->written;
    int64_t  start = hsi_clock_ns(), ns;
    int      error, is_named;

    j->urgent = false;
    pthread_mutex_unlock(&j->mutex);
    error = hsi_journal_file_sync(j->fd);
    ns = hsi_clock_ns() - start;
    is_named = hsi_journal_file_is_at_path(j->fd, j->path);
    pthread_mutex_lock(&j->mutex);
    j->sync_ns = ns;
    if (error && !j->error)
        j->error = error;
    if (!error) {
        j->durable = size;
        j->synced = taken;
        j->done_synced = done;
        if (!is_named)
            note_lost_name(j);
    }
    pthread_cond_broadcast(&j->room);
    return !error && is_named;
}

/* Write the line that ends a run. A journal without this line loses no record: skip the sync. */
static void write_closed(hsi_journal *j)
{
    char line[HSI_JOURNAL_LINE];

    write_line(j, line, hsi_journal_put_closed(line, j->durable, &j->chain));
}

static void *sync_groups(void *data)
{
    hsi_journal *j = data;

    pthread_mutex_lock(&j->mutex);
    while (wait_for_group(j) && sync_group(j))
        ;
    if (!j->error && !hsi_journal_file_is_at_path(j->fd, j->path))
        note_lost_name(j);
    if (!j->error)
        write_closed(j);
    pthread_mutex_unlock(&j->mutex);
    return NULL;
}

/* Start the syncer with all signals blocked: signals are for the program's own threads, and SIGXFSZ
 * must become an error of write(). */
static int start_syncer(hsi_journal *j)
{
    sigset_t all, old;
    int      error;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    error = pthread_create(&j->syncer, NULL, sync_groups, j);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return error;
}

/* Count a record that was written. Hold the lock. */
static void count_record(hsi_journal *j, bool is_done)
{
    if (j->added++ == j->taken) {
        j->oldest = hsi_clock_ns();
        pthread_cond_signal(&j->work);
    }
    j->done += (uint64_t)is_done;
    if (j->added - j->taken == HSI_JOURNAL_LAG)
        pthread_cond_signal(&j->work);
}

/* Wait until fewer than HSI_JOURNAL_LAG records are unsynced, then complete a line with
 * hsi_journal_seal() and write it. Hold the lock. */
static hs_status add_line(hsi_journal *j, char *line, size_t length, bool is_done)
{
    while (!j->error && j->added - j->synced == HSI_JOURNAL_LAG)
        pthread_cond_wait(&j->room, &j->mutex);
    if (!j->error) {
        length = hsi_journal_seal(line, length, j->durable, &j->chain);
        j->error = write_line(j, line, length);
    }
    if (j->error)
        return HS_EIO;
    count_record(j, is_done);
    return HS_OK;
}

hs_status hsi_journal_add(hsi_journal *j, const hsi_journal_record *record)
{
    char      line[HSI_JOURNAL_LINE];
    size_t    length = hsi_journal_put_record(line, j->in, record);
    hs_status st;

    hsi_spin_lock(&j->mutex);
    st = add_line(j, line, length, record->attempt.outcome == HS_OUTCOME_DONE);
    pthread_mutex_unlock(&j->mutex);
    return st;
}

hs_status hsi_journal_undo(hsi_journal *j, uint32_t task)
{
    char      line[HSI_JOURNAL_LINE];
    size_t    length = hsi_journal_put_undone(line, j->in, task);
    uint64_t  number;
    hs_status st;

    hsi_spin_lock(&j->mutex);
    st = add_line(j, line, length, false);
    number = j->added;
    if (st == HS_OK) {
        j->urgent = true;
        pthread_cond_signal(&j->work);
    }
    while (!j->error && j->synced < number)
        pthread_cond_wait(&j->room, &j->mutex);
    if (j->error)
        st = HS_EIO;
    pthread_mutex_unlock(&j->mutex);
    return st;
}

static int start_locks(hsi_journal *j)
{
    int error = pthread_mutex_init(&j->mutex, NULL);

    if (error)
        return error;
    error = hsi_cond_init(&j->work);
    if (error)
        goto no_work;
    error = hsi_cond_init(&j->room);
    if (error)
        goto no_room;
    return 0;
no_room:
    pthread_cond_destroy(&j->work);
no_work:
    pthread_mutex_destroy(&j->mutex);
    return error;
}

static hs_status refuse_new(const char *path, const char *text, size_t size, hs_error *error)
{
    if (hsi_is_journal_text(text, size))
        return hsi_error_set(error, HS_EINVAL,
                             "the journal '%.300s' exists: resume it, or remove it to start again",
                             path);
    return hsi_error_set(error, HS_EINVAL,
                         "'%.300s' is not a journal and was not changed: name another file", path);
}

/* Load a journal that other processes may be writing unless it has to be idle; an absent one is
 * empty. The caller frees *text. */
static hs_status load_other(const char *path, bool is_idle, char **text, hsi_journal_text *out,
                            hs_error *error)
{
    int       fd;
    hs_status st = hsi_journal_file_open_reading(path, is_idle, &fd, error);

    *out = (hsi_journal_text){.path = path};
    if (st != HS_OK || fd < 0)
        return st;
    st = hsi_journal_file_load(path, fd, text, &out->size, error);
    close(fd);
    out->text = *text;
    return st;
}

/* Fill *past from the journal `own` and the other journals, and *found from `own`. */
static hs_status read_past(const hsi_journal_text *own, const hs_instance *in,
                           hsi_journal_past *past, hsi_journal_found *found, hs_error *error)
{
    size_t            count = past->other_count, loaded = 0;
    hsi_journal_text *all = calloc(count + 1, sizeof *all);
    char            **text = calloc(count + 1, sizeof *text);
    hs_status         st = all && text ? HS_OK : HS_ENOMEM;

    for (; st == HS_OK && loaded < count; loaded++)
        st = load_other(past->others[loaded], loaded < past->idle_count, &text[loaded],
                        &all[loaded + 1], error);
    if (st == HS_OK) {
        all[0] = *own;
        st = hsi_journal_read(all, count + 1, in, past, found, error);
    }
    while (loaded > 0)
        free(text[--loaded]);
    free(text);
    free(all);
    return st;
}

hs_status hsi_journal_read_others(const hs_instance *in, hsi_journal_past *past, hs_error *error)
{
    hsi_journal_found found = {0};

    return read_past(&(hsi_journal_text){.path = "", .text = ""}, in, past, &found, error);
}

/* Read the file, if `fd` is open, and set *size to its length. If the run resumes, fill *past and
 * *found; else refuse a file that is not empty. */
static hs_status read_file(const char *path, int fd, const hs_instance *in, int resume,
                           hsi_journal_past *past, hsi_journal_found *found, size_t *size,
                           hs_error *error)
{
    char     *text = NULL;
    hs_status st = fd < 0 ? HS_OK : hsi_journal_file_load(path, fd, &text, size, error);

    if (st == HS_OK && resume && (*size > 0 || past->other_count > 0))
        st = read_past(&(hsi_journal_text){path, text, *size}, in, past, found, error);
    else if (st == HS_OK && *size > 0)
        st = refuse_new(path, text, *size, error);
    free(text);
    return st;
}

/* Continue an existing file: fill *past, set the chain, and cut off an unfinished end. Sync the
 * file, since the process that wrote it may have been killed before its last sync. */
static hs_status continue_file(hsi_journal *j, int resume, hsi_journal_past *past, hs_error *error)
{
    hsi_journal_found found = {0};
    size_t            size = 0;
    int               code;
    hs_status         st = read_file(j->path, j->fd, j->in, resume, past, &found, &size, error);

    if (st == HS_OK && found.end < size &&
        (code = hsi_journal_file_truncate(j->fd, found.end)) != 0)
        st = hsi_journal_io_error(j->path, "cut off the end of", code, error);
    if (st == HS_OK && found.end > 0 && (code = hsi_journal_file_sync(j->fd)) != 0)
        st = hsi_journal_io_error(j->path, "sync", code, error);
    j->written = j->durable = found.end;
    j->chain = found.chain;
    return st;
}

/* Write the first lines of a run, and sync before a task runs: no record can be read without these
 * lines. */
static hs_status write_start(hsi_journal *j, hs_error *error)
{
    char   line[HSI_JOURNAL_LINE];
    int    is_new = j->written == 0, code;
    size_t length = is_new ? hsi_journal_put_header(line, &j->chain) : 0;

    length += hsi_journal_put_run(line + length, j->durable, &j->chain);
    code = write_line(j, line, length);
    if (!code)
        code = hsi_journal_file_sync(j->fd);
    if (!code && is_new)
        code = hsi_journal_file_sync_folder(j->path);
    if (code == ENOMEM)
        return HS_ENOMEM;
    if (!code)
        j->durable = j->written;
    return code ? hsi_journal_io_error(j->path, "write", code, error) : HS_OK;
}

static hs_status open_file(hsi_journal *j, int resume, hsi_journal_past *past, hs_error *error)
{
    hs_status st = hsi_journal_file_open(j->path, &j->fd, &j->made, error);
    int       code;

    if (st != HS_OK)
        return st;
    st = continue_file(j, resume, past, error);
    if (st == HS_OK)
        st = write_start(j, error);
    if (st == HS_OK && (code = start_syncer(j)) != 0)
        st = code == EAGAIN ? HS_ENOMEM : hsi_journal_io_error(j->path, "write", code, error);
    if (st != HS_OK) {
        if (j->made)
            unlink(j->path);
        close(j->fd);
    } else if (resume && j->made && past->other_count == 0) {
        snprintf(past->note, sizeof past->note,
                 "the journal '%.300s' did not exist: it was created, and all tasks are run",
                 j->path);
    }
    return st;
}

static void free_journal(hsi_journal *j)
{
    pthread_cond_destroy(&j->room);
    pthread_cond_destroy(&j->work);
    pthread_mutex_destroy(&j->mutex);
    free(j->path);
    free(j);
}

static hs_status no_memory(const char *path, hs_error *error)
{
    return hsi_error_set(error, HS_ENOMEM, "out of memory for the journal '%.300s'", path);
}

static hs_status create(const char *path, const hs_instance *in, hsi_journal **out)
{
    hsi_journal *j = calloc(1, sizeof *j);

    if (!j)
        return HS_ENOMEM;
    j->in = in;
    j->path = strdup(path);
    if (!j->path || start_locks(j) != 0) {
        free(j->path);
        free(j);
        return HS_ENOMEM;
    }
    *out = j;
    return HS_OK;
}

hs_status hsi_journal_open(const char *path, const hs_instance *in, int resume,
                           hsi_journal_past *past, hsi_journal **out, hs_error *error)
{
    hsi_journal *j = NULL;
    hs_status    st = create(path, in, &j);

    past->note[0] = '\0';
    if (st == HS_OK)
        st = open_file(j, resume, past, error);
    if (st == HS_OK)
        *out = j;
    else if (j)
        free_journal(j);
    return st == HS_ENOMEM ? no_memory(path, error) : st;
}

hs_status hsi_journal_inspect(const char *path, const hs_instance *in, bool resume,
                              hsi_journal_past *past, hs_error *error)
{
    hsi_journal_found found = {0};
    size_t            size = 0;
    int               fd;
    hs_status         st;

    st = hsi_journal_file_open_existing(path, &fd, error);
    if (st == HS_OK)
        st = read_file(path, fd, in, resume, past, &found, &size, error);
    if (fd >= 0)
        close(fd);
    past->note[0] = '\0';
    return st == HS_ENOMEM ? no_memory(path, error) : st;
}

hs_status hsi_journal_close(hsi_journal *j, uint64_t *lost, hs_error *error)
{
    hs_status st = HS_OK;

    *lost = 0;
    if (!j)
        return HS_OK;
    pthread_mutex_lock(&j->mutex);
    j->closing = 1;
    pthread_cond_signal(&j->work);
    pthread_mutex_unlock(&j->mutex);
    pthread_join(j->syncer, NULL);
    if (j->nameless)
        st =
            hsi_error_set(error, HS_EIO,
                          "the journal '%.300s' was removed or renamed during the run: its records "
                          "are lost",
                          j->path);
    else if (j->error)
        st = hsi_journal_io_error(j->path, "write", j->error, error);
    *lost = j->done - j->done_synced;
    close(j->fd);
    free_journal(j);
    return st;
}
