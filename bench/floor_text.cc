/* SPDX-License-Identifier: BSD-3-Clause */
#include "floor_text.h"

#include <charconv>
#include <cstring>
#include <memory>
#include <new>

#include <unistd.h>

namespace
{

constexpr size_t block = 256 * 1024;

/* Scan the row at `at`, which ends before `end`; return the start of the next row, or null. */
const char *scan_row(const char *at, const char *end, bool behind_id, double &sum)
{
    double first = 0, second = 0;

    if (behind_id) {
        at = static_cast<const char *>(std::memchr(at, ',', static_cast<size_t>(end - at)));
        if (!at)
            return nullptr;
        at++;
    }
    auto one = std::from_chars(at, end, first);
    if (one.ec != std::errc() || *one.ptr != ',')
        return nullptr;
    auto two = std::from_chars(one.ptr + 1, end, second);
    if (two.ec != std::errc())
        return nullptr;
    sum += first + second;
    if (*two.ptr == '\n')
        return two.ptr + 1;
    at = static_cast<const char *>(std::memchr(two.ptr, '\n', static_cast<size_t>(end - two.ptr)));
    return at ? at + 1 : nullptr;
}

/* Skip the '#' lines and the header. */
const char *skip_header(const char *at, const char *end)
{
    bool note;

    do {
        note = *at == '#';
        at = static_cast<const char *>(std::memchr(at, '\n', static_cast<size_t>(end - at)));
    } while (at && ++at < end && note);
    return at;
}

char *put_text(char *to, const char *text)
{
    size_t length = std::strlen(text);

    std::memcpy(to, text, length);
    to[length] = ',';
    return to + length + 1;
}

char *put_number(char *to, double value, char behind)
{
    to = std::to_chars(to, to + 32, value).ptr;
    *to = behind;
    return to + 1;
}

char *put_row(char *to, const floor_row &row)
{
    to = put_text(to, row.id);
    to = put_text(to, row.worker);
    to = put_number(to, row.number[0], ',');
    to = put_number(to, row.number[1], ',');
    to = put_text(to, row.state);
    to = put_number(to, row.number[2], ',');
    return put_number(to, row.number[3], '\n');
}

size_t room_of(const floor_row &row)
{
    return std::strlen(row.id) + std::strlen(row.worker) + std::strlen(row.state) + 160;
}

bool write_all(int fd, const char *at, const char *end)
{
    while (at < end) {
        ssize_t put = write(fd, at, static_cast<size_t>(end - at));

        if (put <= 0)
            return false;
        at += put;
    }
    return true;
}

} // namespace

double scan_numbers(int fd, int behind_id)
{
    std::unique_ptr<char[]> text(new (std::nothrow) char[2 * block]);
    size_t                  held = 0;
    bool                    in_rows = false;
    double                  sum = 0;
    ssize_t                 got;

    while (text && (got = read(fd, text.get() + held, block)) > 0) {
        const char *at = text.get(), *end = at + held + got, *stop = end;

        while (stop > at && stop[-1] != '\n')
            stop--;
        if (!in_rows)
            at = skip_header(at, stop);
        in_rows = true;
        while (at && at < stop)
            at = scan_row(at, stop, behind_id != 0, sum);
        if (!at)
            return -1;
        held = static_cast<size_t>(end - stop);
        if (held >= block)
            return -1;
        std::memmove(text.get(), stop, held);
    }
    return text && got == 0 && held == 0 ? sum : -1;
}

int write_plan_rows(int fd, const floor_row *rows, size_t count)
{
    std::unique_ptr<char[]> text(new (std::nothrow) char[block]);
    char                   *at = text.get(), *end = at + block;

    if (!text)
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (static_cast<size_t>(end - at) < room_of(rows[i])) {
            if (!write_all(fd, text.get(), at))
                return -1;
            at = text.get();
        }
        at = put_row(at, rows[i]);
    }
    return write_all(fd, text.get(), at) ? 0 : -1;
}
