/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/text/field_value.h"

#include <math.h>
#include <string.h>

#include "support/decimal/decimal.h"

#define QUOTED(field) hsi_quote((field)->at, (field)->length, (char[HSI_QUOTE]){0})

bool hsi_text_to_whole(const char *at, size_t length, uint64_t *value)
{
    uint64_t number = 0;

    if (length == 0)
        return false;
    for (size_t i = 0; i < length; i++) {
        unsigned digit = (unsigned)(at[i] - '0');

        if (digit > 9 || number > UINT64_MAX / 10 || number * 10 > UINT64_MAX - digit)
            return false;
        number = number * 10 + digit;
    }
    *value = number;
    return true;
}

bool hsi_text_to_number(const char *at, size_t length, double *value)
{
    double number;

    if (length == 0 || hsi_decimal_read(at, at + length, &number) != at + length)
        return false;
    if (!isfinite(number))
        return false;
    *value = number;
    return true;
}

/*
 * Return whether the number has a digit other than 0 before its exponent: it is not zero, even if
 * it rounds to 0.
 */
static bool has_value(const struct hsi_field *field)
{
    for (size_t i = 0; i < field->length && (field->at[i] | 0x20) != 'e'; i++)
        if (field->at[i] >= '1' && field->at[i] <= '9')
            return true;
    return false;
}

/* Return why a number converted to `value` is out of range; NULL: it is in range. */
static const char *range_fault(const struct hsi_field *field, double value)
{
    if (isinf(value))
        return has_value(field) ? "is too large for a double" : "is not finite";
    if (value == 0 && has_value(field))
        return "is too small for a double";
    return NULL;
}

/*
 * Convert a time that is not a positive finite number: accept `inf` and the empty field as
 * INFINITY.
 */
static hs_status odd_time(struct hsi_csv *csv, const struct hsi_field *field, const char *name,
                          bool is_number, double *value)
{
    static const char expected[] = "expected a number > 0, or inf or nothing where the task has "
                                   "no implementation";
    const char       *fault = NULL;

    if (is_number && *value > 0 && !has_value(field))
        return HS_OK; /* the word inf, not a number beyond the range */
    if (!is_number)
        fault = "is not a number";
    else if (!(*value < 0))
        fault = range_fault(field, *value);
    return hsi_csv_fail(csv, field, "%s time %s %s; %s", name, QUOTED(field),
                        fault ? fault : "is not positive", expected);
}

hs_status hsi_field_read_time(struct hsi_csv *csv, const struct hsi_field *field, const char *name,
                              double *value)
{
    const char *end = field->at + field->length;
    bool        is_number;

    if (field->length == 0) {
        *value = INFINITY;
        return HS_OK;
    }
    is_number = hsi_decimal_read(field->at, end, value) == end;
    if (is_number && *value > 0 && *value < INFINITY)
        return HS_OK;
    return odd_time(csv, field, name, is_number, value);
}

hs_status hsi_field_read_number(struct hsi_csv *csv, const struct hsi_field *field,
                                const char *name, double least, double *value)
{
    const char *end = field->at + field->length, *fault;

    if (field->length == 0 || hsi_decimal_read(field->at, end, value) != end || isnan(*value))
        fault = "is not a number";
    else if (*value < least)
        fault = "is too small";
    else
        fault = range_fault(field, *value);
    if (!fault)
        return HS_OK;
    if (isinf(least))
        return hsi_csv_fail(csv, field, "%s %s %s; expected a finite number", name, QUOTED(field),
                            fault);
    return hsi_csv_fail(csv, field, "%s %s %s; expected a finite number, at least %g", name,
                        QUOTED(field), fault, least);
}

hs_status hsi_field_read_whole(struct hsi_csv *csv, const struct hsi_field *field, const char *name,
                               uint64_t least, uint64_t most, uint64_t *value)
{
    if (hsi_text_to_whole(field->at, field->length, value) && *value >= least && *value <= most)
        return HS_OK;
    return hsi_csv_fail(csv, field, "%s %s; expected a whole number from %llu to %llu", name,
                        QUOTED(field), (unsigned long long)least, (unsigned long long)most);
}

hs_status hsi_field_read_signed(struct hsi_csv *csv, const struct hsi_field *field,
                                const char *name, int64_t *value)
{
    bool     negative = field->length > 0 && field->at[0] == '-';
    uint64_t size, most = (uint64_t)INT64_MAX + (negative ? 1 : 0);

    if (!hsi_text_to_whole(field->at + negative, field->length - (size_t)negative, &size) ||
        size > most)
        return hsi_csv_fail(csv, field, "%s %s; expected a whole number of 64 bits", name,
                            QUOTED(field));
    *value = negative ? (int64_t)(0 - size) : (int64_t)size;
    return HS_OK;
}

hs_status hsi_field_check_name(struct hsi_csv *csv, const struct hsi_field *field,
                               size_t most_bytes)
{
    if (field->length <= most_bytes)
        return HS_OK;
    return hsi_csv_fail(csv, field, "an id of %zu bytes; expected at most %zu", field->length,
                        most_bytes);
}

hs_status hsi_field_read_worker(struct hsi_csv *csv, const struct hsi_field *field, unsigned cpus,
                                unsigned gpus, uint32_t *worker)
{
    const char *digits = field->at + 3;
    uint64_t    number;
    bool        is_gpu = field->length > 3 && memcmp(field->at, "gpu", 3) == 0;

    if (field->length < 4 || (!is_gpu && memcmp(field->at, "cpu", 3) != 0) ||
        !hsi_text_to_whole(digits, field->length - 3, &number) ||
        (digits[0] == '0' && field->length > 4))
        return hsi_csv_fail(csv, field, "worker %s; expected a name like cpu3 or gpu0",
                            QUOTED(field));
    if (number >= (is_gpu ? gpus : cpus))
        return hsi_csv_fail(csv, field, "worker %s is not there; expected one of %u CPUs (cpu0 "
                            "is the first) and %u GPUs (gpu0)", QUOTED(field), cpus, gpus);
    *worker = (uint32_t)number + (is_gpu ? cpus : 0);
    return HS_OK;
}
