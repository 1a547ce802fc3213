// SPDX-License-Identifier: Apache-2.0
// Measures the limits of this machine: multiply-accumulates of 8-bit integers and of floats, and reading memory.
//
//     cc -O2 -pthread limits.c -o limits && ./limits [THREADS] [amx|avx512|avx2|neon]
//
// Prints one JSON object: int8_gmacs and float_gmacs in 10^9 multiply-accumulates a second, read_gbs in 10^9 bytes a
// second, over all threads. Each is the best of several passes, because the limit is the undisturbed speed. Real kernels also
// do other work than what is counted here; compare each with the limit of its own instruction set:
// AVX-512 has a dot product of bytes (VNNI), AVX2 needs three instructions for one. AMX multiplies bytes in tiles; its
// other limits are those of AVX-512.

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__)
#include <immintrin.h>
#if defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { CHAINS = 12, PASSES = 30, ROUNDS = 2000000, BYTES = 192 << 20 };

// A kernel runs `count` times over its chains (or `count` bytes) and returns something that depends on all of them.
typedef int64_t (*kernel)(const uint8_t *data, int64_t count);

#if defined(__x86_64__)

// The compiler must not see that a chain's inputs never change.
#define OPAQUE(x) __asm__ volatile("" : "+x"(x))
#define OPAQUE512(x) __asm__ volatile("" : "+v"(x))

__attribute__((target("avx512f,avx512vnni"))) static int64_t int8_avx512(const uint8_t *data, int64_t count) {
    __m512i sums[CHAINS], a = _mm512_set1_epi8((char)data[0]), b = _mm512_set1_epi8(1);
    for (int i = 0; i < CHAINS; i++) sums[i] = _mm512_setzero_si512();
    for (int64_t n = 0; n < count; n++) {
        OPAQUE512(a);
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++) sums[i] = _mm512_dpbusd_epi32(sums[i], a, b);
    }
    for (int i = 1; i < CHAINS; i++) sums[0] = _mm512_add_epi32(sums[0], sums[i]);
    return _mm512_reduce_add_epi32(sums[0]);
}

#if defined(__linux__)

/// As many products as int8_avx512: a tile instruction has 256 times those of an AVX-512 register.
__attribute__((target("amx-tile,amx-int8"))) static int64_t int8_amx(const uint8_t *data, int64_t count) {
    _Alignas(64) uint8_t sizes[64] = {1};
    int32_t sums[256];
    for (int tile = 0; tile < 8; tile++) sizes[16 + 2 * tile] = 64, sizes[48 + tile] = 16;
    __asm__ volatile("" : : "r"(sizes) : "memory"); // GCC 12 would leave out the stores
    _tile_loadconfig(sizes);
    _tile_loadd(4, data, 64);
    _tile_loadd(5, data, 64);
    _tile_loadd(6, data, 64);
    _tile_loadd(7, data, 64);
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int64_t n = 0; n < count * CHAINS / 256; n += 4) {
        _tile_dpbssd(0, 4, 6);
        _tile_dpbssd(1, 4, 7);
        _tile_dpbssd(2, 5, 6);
        _tile_dpbssd(3, 5, 7);
    }
    _tile_stored(0, sums, 64);
    _tile_release();
    return sums[data[1]];
}

/// The processor has the instructions, and the system lends tiles to those who ask.
static int has_amx(void) {
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d >> 24 & 3) == 3 && !syscall(SYS_arch_prctl, 0x1023, 18);
}

#endif

__attribute__((target("avx512f"))) static int64_t float_avx512(const uint8_t *data, int64_t count) {
    __m512 sums[CHAINS], a = _mm512_set1_ps(data[0]), b = _mm512_set1_ps(1e-9f);
    for (int i = 0; i < CHAINS; i++) sums[i] = _mm512_setzero_ps();
    for (int64_t n = 0; n < count; n++) {
        OPAQUE512(a);
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++) sums[i] = _mm512_fmadd_ps(a, b, sums[i]);
    }
    for (int i = 1; i < CHAINS; i++) sums[0] = _mm512_add_ps(sums[0], sums[i]);
    return (int64_t)_mm512_reduce_add_ps(sums[0]);
}

__attribute__((target("avx512f"))) static int64_t read_avx512(const uint8_t *data, int64_t count) {
    __m512i sums[8];
    for (int i = 0; i < 8; i++) sums[i] = _mm512_setzero_si512();
    for (int64_t n = 0; n < count; n += 512) {
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) sums[i] = _mm512_add_epi64(sums[i], _mm512_load_si512(data + n + 64 * i));
    }
    for (int i = 1; i < 8; i++) sums[0] = _mm512_add_epi64(sums[0], sums[i]);
    return _mm512_reduce_add_epi64(sums[0]);
}

__attribute__((target("avx2"))) static int64_t sum_avx2(__m256i sum) {
    int32_t parts[8];
    int64_t total = 0;
    _mm256_storeu_si256((__m256i *)parts, sum);
    for (int i = 0; i < 8; i++) total += parts[i];
    return total;
}

__attribute__((target("avx2"))) static int64_t int8_avx2(const uint8_t *data, int64_t count) {
    __m256i sums[CHAINS], a = _mm256_set1_epi8((char)data[0]), b = _mm256_set1_epi8(1), ones = _mm256_set1_epi16(1);
    for (int i = 0; i < CHAINS; i++) sums[i] = _mm256_setzero_si256();
    for (int64_t n = 0; n < count; n++) {
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++) {
            OPAQUE(a); // else all chains would share one product
            sums[i] = _mm256_add_epi32(sums[i], _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), ones));
        }
    }
    for (int i = 1; i < CHAINS; i++) sums[0] = _mm256_add_epi32(sums[0], sums[i]);
    return sum_avx2(sums[0]);
}

__attribute__((target("avx2,fma"))) static int64_t float_avx2(const uint8_t *data, int64_t count) {
    __m256 sums[CHAINS], a = _mm256_set1_ps(data[0]), b = _mm256_set1_ps(1e-9f);
    for (int i = 0; i < CHAINS; i++) sums[i] = _mm256_setzero_ps();
    for (int64_t n = 0; n < count; n++) {
        OPAQUE(a);
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++) sums[i] = _mm256_fmadd_ps(a, b, sums[i]);
    }
    for (int i = 1; i < CHAINS; i++) sums[0] = _mm256_add_ps(sums[0], sums[i]);
    return sum_avx2(_mm256_castps_si256(sums[0]));
}

__attribute__((target("avx2"))) static int64_t read_avx2(const uint8_t *data, int64_t count) {
    __m256i sums[8];
    for (int i = 0; i < 8; i++) sums[i] = _mm256_setzero_si256();
    for (int64_t n = 0; n < count; n += 256) {
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++)
            sums[i] = _mm256_add_epi64(sums[i], _mm256_load_si256((const __m256i *)(data + n + 32 * i)));
    }
    for (int i = 1; i < 8; i++) sums[0] = _mm256_add_epi64(sums[0], sums[i]);
    return sum_avx2(sums[0]);
}

#elif defined(__aarch64__)

__attribute__((target("+dotprod"))) static int64_t int8_neon(const uint8_t *data, int64_t count) {
    int32x4_t sums[CHAINS];
    int8x16_t a = vdupq_n_s8((int8_t)data[0]), b = vdupq_n_s8(1);
    for (int i = 0; i < CHAINS; i++) sums[i] = vdupq_n_s32(0);
    for (int64_t n = 0; n < count; n++) {
        __asm__ volatile("" : "+w"(a));
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++) sums[i] = vdotq_s32(sums[i], a, b);
    }
    for (int i = 1; i < CHAINS; i++) sums[0] = vaddq_s32(sums[0], sums[i]);
    return vaddvq_s32(sums[0]);
}

static int64_t float_neon(const uint8_t *data, int64_t count) {
    float32x4_t sums[CHAINS], a = vdupq_n_f32(data[0]), b = vdupq_n_f32(1e-9f);
    for (int i = 0; i < CHAINS; i++) sums[i] = vdupq_n_f32(0);
    for (int64_t n = 0; n < count; n++) {
        __asm__ volatile("" : "+w"(a));
#pragma GCC unroll 12
        for (int i = 0; i < CHAINS; i++) sums[i] = vfmaq_f32(sums[i], a, b);
    }
    for (int i = 1; i < CHAINS; i++) sums[0] = vaddq_f32(sums[0], sums[i]);
    return (int64_t)vaddvq_f32(sums[0]);
}

static int64_t read_neon(const uint8_t *data, int64_t count) {
    uint64x2_t sums[8];
    for (int i = 0; i < 8; i++) sums[i] = vdupq_n_u64(0);
    for (int64_t n = 0; n < count; n += 128) {
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) sums[i] = vaddq_u64(sums[i], vreinterpretq_u64_u8(vld1q_u8(data + n + 16 * i)));
    }
    for (int i = 1; i < 8; i++) sums[0] = vaddq_u64(sums[0], sums[i]);
    return (int64_t)vaddvq_u64(sums[0]);
}

#endif

struct instruction_set {
    const char *name;
    kernel int8, floats, read;
    int bytes; // of a register
};

static const struct instruction_set instruction_sets[] = {
#if defined(__x86_64__)
#if defined(__linux__)
    {"amx", int8_amx, float_avx512, read_avx512, 64},
#endif
    {"avx512", int8_avx512, float_avx512, read_avx512, 64},
    {"avx2", int8_avx2, float_avx2, read_avx2, 32},
#elif defined(__aarch64__)
    {"neon", int8_neon, float_neon, read_neon, 16},
#endif
};

static int is_available(const char *name) {
#if defined(__x86_64__)
#if defined(__linux__)
    if (!strcmp(name, "amx")) return has_amx();
#endif
    if (!strcmp(name, "avx512")) return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni");
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    (void)name;
    return 1;
#endif
}

struct worker {
    pthread_t thread;
    pthread_barrier_t *barrier;
    kernel run;
    const uint8_t *data;
    int64_t count, result;
    double seconds[PASSES];
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *work(void *argument) {
    struct worker *worker = argument;
    for (int pass = 0; pass < PASSES; pass++) {
        pthread_barrier_wait(worker->barrier);
        double start = now();
        worker->result += worker->run(worker->data, worker->count);
        pthread_barrier_wait(worker->barrier); // a pass lasts as long as its slowest thread
        worker->seconds[pass] = now() - start;
    }
    return NULL;
}

// The shortest pass of `threads` threads that each run the kernel.
static double shortest(kernel run, int64_t count, struct worker *workers, int threads) {
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        workers[i].barrier = &barrier;
        workers[i].run = run;
        workers[i].count = count;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i])) exit(1);
    }
    for (int i = 0; i < threads; i++) pthread_join(workers[i].thread, NULL);
    pthread_barrier_destroy(&barrier);
    double best = workers[0].seconds[0];
    for (int pass = 1; pass < PASSES; pass++)
        if (workers[0].seconds[pass] < best) best = workers[0].seconds[pass];
    return best;
}

int main(int argc, char **argv) {
    int threads = argc > 1 ? atoi(argv[1]) : 1;
    const struct instruction_set *set = NULL;
    for (size_t i = 0; i < sizeof instruction_sets / sizeof *instruction_sets; i++) {
        const struct instruction_set *other = &instruction_sets[i];
        if (!set && is_available(other->name) && (argc < 3 || !strcmp(argv[2], other->name))) set = other;
    }
    if (!set || threads < 1 || threads > 1024) {
        fprintf(stderr, "usage: limits [THREADS] [amx|avx512|avx2|neon], an instruction set that this machine has\n");
        return 2;
    }
    struct worker *workers = calloc((size_t)threads, sizeof *workers);
    if (!workers) return 1;
    for (int i = 0; i < threads; i++) {
        uint8_t *data = aligned_alloc(64, BYTES);
        if (!data) return 1;
        memset(data, 1, BYTES); // pages that were never written share one page of zeros
        workers[i].data = data;
    }
    double products = (double)threads * ROUNDS * CHAINS * 1e-9;
    double int8 = products * set->bytes / shortest(set->int8, ROUNDS, workers, threads);
    double floats = products * (set->bytes / 4) / shortest(set->floats, ROUNDS, workers, threads);
    double read = (double)threads * BYTES * 1e-9 / shortest(set->read, BYTES, workers, threads);
    int64_t result = 0;
    for (int i = 0; i < threads; i++) {
        result += workers[i].result;
        free((void *)workers[i].data);
    }
    free(workers);
    printf(
        "{\"isa\": \"%s\", \"threads\": %d, \"int8_gmacs\": %.1f, \"float_gmacs\": %.1f, \"read_gbs\": %.1f}\n",
        set->name, threads, int8, floats, read);
    return result == 42; // uses the results, so that nothing above can be left out
}
