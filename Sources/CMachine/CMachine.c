#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include "CMachine.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <stdatomic.h>

enum {
    READ = 1, AVX2 = 2, AVX_VNNI = 4, AVX512 = 8, AVX512_VNNI = 16, AVX512_VBMI = 32, AVX512_BF16 = 64, AMX_INT8 = 128,
    AMX_BF16 = 256, AVX512_IN_HALVES = 512
};

// Whether the processor is a Zen 4, which computes 512-bit vectors in halves of 256 bits: AMD's family 19h with AVX-512.
static bool is_zen4(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(0, &a, &b, &c, &d) || b != signature_AMD_ebx || !__get_cpuid(1, &a, &b, &c, &d)) return false;
    return (a >> 8 & 0xf) + (a >> 20 & 0xff) == 0x19;
}

// The extensions that the processor has, and whose registers the operating system saves: of these states, bits 1 and 2 are SSE
// and AVX, bits 5 to 7 AVX-512, and bits 17 and 18 AMX.
static unsigned read_extensions(void) {
    unsigned a, b, c, d, low, high, found = READ;
    unsigned needed = bit_AVX512F | bit_AVX512VL | bit_AVX512BW | bit_AVX512DQ;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_FMA)) return found;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 0x6) != 0x6 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2)) return found;
    found |= AVX2;
    if ((low & 0xe6) == 0xe6 && (b & needed) == needed) {
        found |= is_zen4() ? AVX512 | AVX512_IN_HALVES : AVX512;
        if (c & 1 << 11) found |= AVX512_VNNI;
        if (c & 1 << 1) found |= AVX512_VBMI;
        bool has_tiles = (low & 0x60000) == 0x60000 && d & 1 << 24;
        if (has_tiles && c & 1 << 11 && d & 1 << 25) found |= AMX_INT8;
        if (has_tiles && d & 1 << 22) found |= AMX_BF16;
    }
    if (a < 1 || !__get_cpuid_count(7, 1, &a, &b, &c, &d)) return found;
    if (a & 1 << 4) found |= AVX_VNNI;
    if (a & 1 << 5 && found & AVX512) found |= AVX512_BF16;
    return found;
}

// In a virtual machine, each cpuid takes microseconds, so the answers are kept. Two threads may read them at the same time.
static bool has(unsigned extension) {
    static _Atomic unsigned kept;
    unsigned found = atomic_load_explicit(&kept, memory_order_relaxed);
    if (!found) atomic_store_explicit(&kept, found = read_extensions(), memory_order_relaxed);
    return found & extension;
}

bool thaw_has_avx2(void) { return has(AVX2); }
bool thaw_has_avx512(void) { return has(AVX512); }
bool thaw_has_avx2_vnni(void) { return has(AVX_VNNI); }
bool thaw_has_avx512_vnni(void) { return has(AVX512_VNNI); }
bool thaw_has_avx512_vbmi(void) { return has(AVX512_VBMI); }
bool thaw_has_avx512_bf16(void) { return has(AVX512_BF16); }
bool thaw_has_avx512_in_halves(void) { return has(AVX512_IN_HALVES); }

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>

// Linux saves the tiles of a thread only for processes that have asked for it (ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA).
static bool may_use_tiles;
static void request_tiles(void) { may_use_tiles = syscall(SYS_arch_prctl, 0x1023, 18) == 0; }

static bool are_tiles_granted(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, request_tiles);
    return may_use_tiles;
}

bool thaw_has_amx_int8(void) { return has(AMX_INT8) && are_tiles_granted(); }
bool thaw_has_amx_bf16(void) { return has(AMX_BF16) && are_tiles_granted(); }
#else
bool thaw_has_amx_int8(void) { return false; }
bool thaw_has_amx_bf16(void) { return false; }
#endif
#else
bool thaw_has_amx_int8(void) { return false; }
bool thaw_has_amx_bf16(void) { return false; }
bool thaw_has_avx2(void) { return false; }
bool thaw_has_avx512(void) { return false; }
bool thaw_has_avx2_vnni(void) { return false; }
bool thaw_has_avx512_vnni(void) { return false; }
bool thaw_has_avx512_vbmi(void) { return false; }
bool thaw_has_avx512_bf16(void) { return false; }
bool thaw_has_avx512_in_halves(void) { return false; }
#endif

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>

// The bits are HWCAP_ASIMDDP, HWCAP2_I8MM and HWCAP2_BF16, which not every C library's headers name.
bool thaw_has_dotprod(void) { return getauxval(AT_HWCAP) & 1 << 20; }
bool thaw_has_i8mm(void) { return getauxval(AT_HWCAP2) & 1 << 13; }
bool thaw_has_bf16(void) { return getauxval(AT_HWCAP2) & 1 << 14; }
#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>

static bool has_feature(const char *name) {
    int value = 0;
    size_t size = sizeof value;
    return sysctlbyname(name, &value, &size, NULL, 0) == 0 && value;
}

bool thaw_has_dotprod(void) { return has_feature("hw.optional.arm.FEAT_DotProd"); }
bool thaw_has_i8mm(void) { return has_feature("hw.optional.arm.FEAT_I8MM"); }
bool thaw_has_bf16(void) { return has_feature("hw.optional.arm.FEAT_BF16"); }
#else
bool thaw_has_dotprod(void) { return false; }
bool thaw_has_i8mm(void) { return false; }
bool thaw_has_bf16(void) { return false; }
#endif

#if defined(__linux__)
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

void thaw_wait(int32_t *word, int32_t expected) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, 0, 0, 0);
}

void thaw_wake(int32_t *word) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
}
#else
// One lock and one condition for all words: wakeups are rare, and early returns are allowed.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void thaw_wait(int32_t *word, int32_t expected) {
    pthread_mutex_lock(&lock);
    if (thaw_load(word) == expected) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

void thaw_wake(int32_t *word) {
    (void)word;
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}
#endif

#include <stdio.h>
#if defined(__linux__)
#include <fcntl.h>

int thaw_exchange_names(const char *a, const char *b) {
    // By system call number: not every C library has a function for it. 2 is RENAME_EXCHANGE.
    return (int)syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, 2u);
}
#else
int thaw_exchange_names(const char *a, const char *b) { return renamex_np(a, b, RENAME_SWAP); }
#endif

bool thaw_is_ignored(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

static int32_t forks;

static void count_fork(void) { forks++; }

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, count_fork); }

int32_t thaw_fork_count(void) { return forks; }

int32_t thaw_affinity_count(void) {
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    return 0;
}
