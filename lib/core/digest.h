/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_DIGEST_H
#define HSI_CORE_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* FNV-1a, the basis of digests; hsched-formats(5) has the definition. */

#define HSI_FNV_BASIS 0xcbf29ce484222325u
#define HSI_FNV_PRIME 0x00000100000001b3u

static inline uint64_t hsi_digest_bytes(uint64_t digest, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    while (size--)
        digest = (digest ^ *at++) * HSI_FNV_PRIME;
    return digest;
}

/* Add a number, little-endian on every machine. */
static inline uint64_t hsi_digest_number(uint64_t digest, uint64_t number, int bytes)
{
    for (; bytes > 0; bytes--, number >>= 8)
        digest = (digest ^ (number & 0xff)) * HSI_FNV_PRIME;
    return digest;
}

static inline uint64_t hsi_digest_double(uint64_t digest, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return hsi_digest_number(digest, bits, 8);
}

/* Add a string with its NUL. */
static inline uint64_t hsi_digest_string(uint64_t digest, const char *string)
{
    return hsi_digest_bytes(digest, string ? string : "", string ? strlen(string) + 1 : 1);
}

/* Mix the bits, so every bit of the input affects every bit of the result. */
static inline uint64_t hsi_digest_finish(uint64_t digest)
{
    digest = (digest ^ (digest >> 33)) * 0xff51afd7ed558ccdu;
    digest = (digest ^ (digest >> 33)) * 0xc4ceb9fe1a85ec53u;
    return digest ^ (digest >> 33);
}

#endif
