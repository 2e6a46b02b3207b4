/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_SUPPORT_HASH_H
#define HSI_SUPPORT_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Multiply and fold both halves of the product. */
static inline uint64_t hsi_hash_mix(uint64_t a, uint64_t b)
{
    __uint128_t product = (__uint128_t)a * b;

    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Pack up to eight bytes into a word; different strings of one length give different words. */
static inline uint64_t hsi_hash_last_bytes(const char *at, size_t length)
{
    uint32_t low, high;

    if (length >= 4) {
        memcpy(&low, at, 4);
        memcpy(&high, at + length - 4, 4);
        return low | (uint64_t)high << 32;
    }
    if (length == 0)
        return 0;
    return (unsigned char)at[0] | (uint64_t)(unsigned char)at[length / 2] << 8 |
           (uint64_t)(unsigned char)at[length - 1] << 16;
}

/* Compare bytes as memcmp() == 0 does, without a function call at the usual lengths of names. */
static inline bool hsi_bytes_equal(const char *a, const char *b, size_t length)
{
    if (length > 16)
        return memcmp(a, b, length) == 0;
    if (length <= 8)
        return hsi_hash_last_bytes(a, length) == hsi_hash_last_bytes(b, length);
    return hsi_hash_last_bytes(a, 8) == hsi_hash_last_bytes(b, 8) &&
           hsi_hash_last_bytes(a + length - 8, 8) == hsi_hash_last_bytes(b + length - 8, 8);
}

/** Hash `length` bytes; every one of the 64 bits is usable. Depends on the machine's byte order. */
static inline uint64_t hsi_hash(const char *at, size_t length, uint64_t seed)
{
    uint64_t h = seed ^ hsi_hash_mix(length + 0x9e3779b97f4a7c15u, 0xd1342543de82ef95u), word;

    while (length > 8) {
        memcpy(&word, at, 8);
        h = hsi_hash_mix(h ^ word, 0xa0761d6478bd642fu);
        at += 8;
        length -= 8;
    }
    h = hsi_hash_mix(h ^ hsi_hash_last_bytes(at, length), 0xe7037ed1a0b428dbu);
    return h ^ (h >> 32);
}

#endif
