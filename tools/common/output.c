/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "common/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/message.h"
#include "common/progress.h"
#include "common/scratch.h"

static const char standard_output[] = "standard output";

/*
 * First error of standard output, kept because a failed flush discards the data and later flushes
 * succeed.
 */
static int stdout_error;

struct output {
    int         fd;
    FILE       *stream; /* stream on `fd`; NULL: not opened yet */
    int         error;  /* first error of the stream, or 0 */
    const char *path;   /* name in messages; owned by the caller */
    char       *target; /* final path */
    /* path until the rename; NULL, like `target`, if the file is written in place */
    char *temporary;
};

/* Temporary names in use, for the signal handler. */
enum { MAX_PENDING = 16 };
static char *volatile pending[MAX_PENDING];

static void remove_pending(void)
{
    for (int i = 0; i < MAX_PENDING; i++) {
        const char *path = pending[i];

        if (path)
            unlink(path);
    }
}

static void remove_all(void)
{
    remove_pending();
    scratch_remove();
}

static void on_signal(int number)
{
    remove_all();
    progress_hide_in_handler();
    _exit(128 + number);
}

/*
 * Open /dev/null on each closed standard stream. Otherwise an opened file would get the number of
 * the closed stream, and then tables or messages too. The access mode is the opposite of the
 * stream's, so that reading and writing still fail.
 */
static void occupy_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) == -1)
            _exit(EXIT_RESOURCE);
}

static void on_size_limit(int number)
{
    (void)number;
}

/*
 * Make a file that reaches a size limit an error like a full disk. Executed programs do not inherit
 * a handler, as they would an ignored signal.
 */
static void catch_size_limit(void)
{
    struct sigaction action = {.sa_handler = on_size_limit, .sa_flags = SA_RESTART};
    struct sigaction before;

    if (sigaction(SIGXFSZ, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &action, NULL);
}

void output_begin(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

    occupy_standard_streams();
    catch_size_limit();
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct sigaction action;

        /* Keep a signal ignored if the caller ignored it. */
        if (sigaction(ends[i], NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            continue;
        memset(&action, 0, sizeof action);
        action.sa_handler = on_signal;
        sigfillset(&action.sa_mask);
        sigaction(ends[i], &action, NULL);
    }
    atexit(remove_all);
}

int output_exit_code(int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case EACCES:
    case EPERM:
    case ELOOP:
    case ENAMETOOLONG:
        return EXIT_USAGE;
    case EPIPE:
        return 128 + SIGPIPE;
    default:
        return EXIT_RESOURCE;
    }
}

/* Report an error, once for standard output. Return the exit code. */
static int cannot_write(const char *path, int error)
{
    static bool stdout_reported;
    bool        is_stdout = path == standard_output;
    const char *quote = is_stdout ? "" : "'";

    if (error != EPIPE && !(is_stdout && stdout_reported)) /* EPIPE: the reader needs no message */
        message("cannot write %s%s%s: %s", quote, path, quote, strerror(error));
    stdout_reported = stdout_reported || is_stdout;
    return output_exit_code(error);
}

static void output_free(output *o)
{
    if (!o)
        return;
    for (int i = 0; i < MAX_PENDING; i++)
        if (o->temporary && pending[i] == o->temporary)
            pending[i] = NULL;
    free(o->target);
    free(o->temporary);
    free(o);
}

/*
 * Return the mode of the existing file, or the mode that an ordinary open() would give a new file.
 */
static mode_t final_mode(const char *target)
{
    struct stat st;
    mode_t      mask;

    if (stat(target, &st) == 0)
        return st.st_mode & 07777;
    mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Return the path of `name` in the folder of `path`; the caller frees it. */
static char *beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    int         length = slash ? (int)(slash + 1 - path) : 2;
    size_t      size = (size_t)length + strlen(name) + 1;
    char       *other = malloc(size);

    if (other)
        snprintf(other, size, "%.*s%s", length, slash ? path : "./", name);
    return other;
}

/*
 * Open a temporary file in the target's folder. Its name is short, because the target's name may
 * already have the largest length. Return 0, or an errno.
 */
static int open_beside(output *o)
{
    sigset_t all, before;
    int      slot = 0, error = 0;

    o->temporary = beside(o->target, ".hsched-XXXXXX");
    if (!o->temporary)
        return ENOMEM;
    while (slot < MAX_PENDING && pending[slot])
        slot++;
    if (slot == MAX_PENDING)
        return EMFILE;

    /* Block signals between the file's creation and its entry in `pending`. */
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    o->fd = mkostemp(o->temporary, O_CLOEXEC);
    if (o->fd < 0)
        error = errno;
    else
        pending[slot] = o->temporary;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (!error)
        (void)fchmod(o->fd, final_mode(o->target));
    return error;
}

/*
 * Return 0, or an errno if the file exists and is write-protected: such a file must not be
 * replaced.
 */
static int write_protection(const char *target)
{
    return access(target, F_OK) == 0 && access(target, W_OK) != 0 ? errno : 0;
}

/*
 * Find the file that writing to `path` replaces, which the caller frees; NULL: write in place.
 * Return 0, or an errno.
 */
static int find_target(const char *path, char **target)
{
    struct stat st;

    *target = NULL;
    if (!*path)
        return ENOENT;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return 0;
    *target = realpath(path, NULL); /* follow a symbolic link */
    if (*target || errno != ENOENT)
        return *target ? 0 : errno;
    if (stat(path, &st) == 0)
        return 0; /* a file without a name, e.g. /dev/stdout, is written in place */
    *target = strdup(path);
    return *target ? 0 : ENOMEM;
}

/* Open o->path. Return 0, or an errno. */
static int open_path(output *o)
{
    int error;

    if (strcmp(o->path, "-") == 0) {
        o->path = standard_output;
        o->fd = STDOUT_FILENO;
        return 0;
    }
    error = find_target(o->path, &o->target);
    if (error)
        return error;
    if (o->target) {
        error = write_protection(o->target);
        return error ? error : open_beside(o);
    }
    o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
    return o->fd < 0 ? errno : 0;
}

int output_open(const char *path, output **out)
{
    output *o = calloc(1, sizeof *o);
    int     error = ENOMEM, code;

    if (o) {
        o->fd = -1;
        o->path = path;
        error = open_path(o);
    }
    if (error) {
        code = cannot_write(path, error);
        output_free(o);
        return code;
    }
    *out = o;
    return EXIT_OK;
}

/* Check whether a file may be created or replaced at `target`. Return 0, or an errno. */
static int look_at_target(const char *target)
{
    char *folder = beside(target, "");
    int   error = ENOMEM;

    if (folder)
        error = access(folder, W_OK | X_OK) != 0 ? errno : write_protection(target);
    free(folder);
    return error;
}

int output_check_creatable(const char *path)
{
    struct stat st;
    char       *target;
    int         error;

    if (strcmp(path, "-") == 0)
        return EXIT_OK;
    error = find_target(path, &target);
    if (!error && target)
        error = look_at_target(target);
    else if (!error && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        error = EISDIR;
    else if (!error && access(path, W_OK) != 0)
        error = errno;
    free(target);
    return error ? cannot_write(path, error) : EXIT_OK;
}

int output_fd(const output *o)
{
    return o->fd;
}

/* Write for a stream, and keep the first error: it may occur long before the stream is closed. */
static ssize_t write_stream(void *data, const char *text, size_t size)
{
    output *o = data;
    size_t  done = 0;

    while (done < size && !o->error) {
        ssize_t wrote = write(o->fd, text + done, size - done);

        if (wrote >= 0)
            done += (size_t)wrote;
        else if (errno != EINTR)
            o->error = errno;
    }
    return (ssize_t)done;
}

FILE *output_stream(output *o)
{
    if (!o->stream)
        o->stream = output_is_stdout(o)
                        ? stdout
                        : fopencookie(o, "w", (cookie_io_functions_t){.write = write_stream});
    return o->stream;
}

bool output_is_stdout(const output *o)
{
    return o->fd == STDOUT_FILENO;
}

/* Flush and close the file, but only flush standard output. Return 0, or an errno. */
static int close_all(output *o)
{
    int error = 0;

    if (o->stream && (fflush(o->stream) != 0 || ferror(o->stream)))
        error = o->error ? o->error : errno ? errno : EIO;
    if (output_is_stdout(o))
        return error;
    if (o->stream && fclose(o->stream) != 0 && !error)
        error = errno;
    if (close(o->fd) != 0 && !error)
        error = errno;
    return error;
}

int output_close(output *o, hs_status written)
{
    int error = written != HS_EIO ? 0 : o->error ? o->error : errno, late = close_all(o);
    int code = EXIT_OK;

    if (written == HS_OK)
        error = late;
    if (written == HS_OK && !error && o->temporary && rename(o->temporary, o->target) != 0)
        error = errno;
    if (output_is_stdout(o) && !stdout_error)
        stdout_error = error;
    if (error)
        code = cannot_write(o->path, error);
    else if (written != HS_OK)
        code = message_status(written, o->path);
    if (code && o->temporary)
        unlink(o->temporary);
    output_free(o);
    return code;
}

void output_discard(output *o)
{
    if (!o)
        return;
    (void)close_all(o);
    if (o->temporary)
        unlink(o->temporary);
    output_free(o);
}

void output_flush(void)
{
    if ((fflush(stdout) != 0 || ferror(stdout)) && !stdout_error)
        stdout_error = errno ? errno : EIO;
}

int output_finish(int code)
{
    output_flush();
    return stdout_error ? cannot_write(standard_output, stdout_error) : code;
}

static bool is_same_inode(const struct stat *x, const struct stat *y)
{
    return x->st_dev == y->st_dev && x->st_ino == y->st_ino;
}

/* Return whether the paths have equal names in one folder; the files need not exist. */
static bool same_name(const char *a, const char *b)
{
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    char       *folder_a = beside(a, ""), *folder_b = beside(b, "");
    struct stat x, y;
    bool same = strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) == 0 && folder_a &&
               folder_b && stat(folder_a, &x) == 0 && stat(folder_b, &y) == 0 &&
               is_same_inode(&x, &y);

    free(folder_a);
    free(folder_b);
    return same;
}

bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    bool        a_is_there = stat(a, &x) == 0, b_is_there = stat(b, &y) == 0;

    if (strcmp(a, b) == 0)
        return true;
    if (!a_is_there && !b_is_there)
        return same_name(a, b);
    return a_is_there && b_is_there && S_ISREG(x.st_mode) && is_same_inode(&x, &y);
}
