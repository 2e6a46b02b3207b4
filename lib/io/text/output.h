/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_IO_TEXT_OUTPUT_H
#define HSI_IO_TEXT_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

#include <hybridsched/status.h>

/*
 * Buffered output to a file descriptor, for all writers of this folder. After the first failure all
 * output is dropped, so a writer may ignore failures until hsi_output_close(), or check
 * hsi_output_failed() to leave a long loop early.
 */
typedef struct hsi_output {
    char  *buffer;
    size_t used;
    int    fd;
    int    error; /* errno of the first failure, or 0 */
} hsi_output;

/** Open an output; the caller keeps the descriptor. After HS_ENOMEM nothing is open. */
hs_status hsi_output_open(hsi_output *out, int fd);

/** Write out the buffer. HS_EIO: errno says why. */
hs_status hsi_output_flush(hsi_output *out);

/** Flush and free the buffer. HS_EIO: errno is from the first failure. */
hs_status hsi_output_close(hsi_output *out);

/** Free the buffer without writing its content; no effect after close. */
void hsi_output_free_buffer(hsi_output *out);

static inline bool hsi_output_failed(const hsi_output *out)
{
    return out->error != 0;
}

void hsi_output_bytes(hsi_output *out, const char *bytes, size_t length);
void hsi_output_char(hsi_output *out, char c);
void hsi_output_text(hsi_output *out, const char *text); /* NUL-terminated */
void hsi_output_u64(hsi_output *out, uint64_t value);
void hsi_output_i64(hsi_output *out, int64_t value);

/** Write the shortest decimal that reads back to `value`. */
void hsi_output_double(hsi_output *out, double value);

/** Write a coordinate: rounded to two decimals, no trailing zeros. |value| < 1e15. */
void hsi_output_coordinate(hsi_output *out, double value);

/**
 * Write like printf(), without locale: %s text, %c, %u, %zu, %d, %g a double in its shortest
 * decimal, %f a coordinate, %%. No further conversions exist.
 */
void hsi_output_format(hsi_output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/**
 * Write text of an XML element or double-quoted attribute. Invalid UTF-8 and characters not allowed
 * in XML 1.0 become U+FFFD.
 */
void hsi_output_xml(hsi_output *out, const char *text, size_t length);

/** Write the inside of a JSON string, without the quotes. Invalid UTF-8 becomes U+FFFD. */
void hsi_output_json(hsi_output *out, const char *text, size_t length);

#endif
