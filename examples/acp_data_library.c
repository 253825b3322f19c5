/*
 * The ACP project's data library (acp_malloc, vectors, lists, maps, sets) over Ayatori's libacp. Link this file into a
 * program of that library, with its acp.h, instead of its basic layer. PREFIX is where `make install` has put it:
 *
 *     cc -I PREFIX/include program.c acp_data_library.c -lacp PREFIX/lib/libacpml.a
 *
 * The library allocates in the second half of starter memory, so ACP_STARTER_BYTES decides how much there is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <acp.h> /* the data library's, which needs those above */

/* Of the data library. */
int iacp_init_dl(void);
int iacp_finalize_dl(void);

/* What it expects of a basic layer: its heaps, and options, which stay zero. */
size_t iacp_starter_memory_size_dl;
uint64_t iacpbl_option[4096];

acp_ga_t iacp_query_starter_ga_dl(int rank)
{
    return acp_query_starter_ga(rank) + iacp_starter_memory_size_dl;
}

static int begin(int failed)
{
    const char *bytes = getenv("ACP_STARTER_BYTES");
    if (failed) return -1;
    iacp_starter_memory_size_dl = (bytes ? strtoull(bytes, NULL, 10) : 1 << 20) / 2 & ~(size_t)4095;
    if (iacp_init_dl() != 0) return -1;
    return acp_sync(); /* the heaps of all processes are ready */
}

int acp_init(int *argc, char ***argv)
{
    return begin(((int (*)(int *, char ***))dlsym(RTLD_NEXT, "acp_init"))(argc, argv));
}

int acp_reset(int rank)
{
    iacp_finalize_dl();
    return begin(((int (*)(int))dlsym(RTLD_NEXT, "acp_reset"))(rank));
}

int acp_finalize(void)
{
    iacp_finalize_dl();
    return ((int (*)(void))dlsym(RTLD_NEXT, "acp_finalize"))();
}
