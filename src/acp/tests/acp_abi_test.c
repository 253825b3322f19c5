/* Sizes and numbers of acp.h that compiled programs rely on (LP64), and its functions' types, which are the original's but
 * for what acp_complete returns. */
#include "acp.h"

#define CONCATENATED(a, b) a##b
#define NAMED(line) CONCATENATED(holds_at_line_, line)
#define HOLDS(condition) typedef char NAMED(__LINE__)[(condition) ? 1 : -1]

HOLDS(sizeof(acp_ga_t) == 8 && (acp_ga_t)-1 > 0);
HOLDS(sizeof(acp_atkey_t) == 8 && (acp_atkey_t)-1 > 0);
HOLDS(sizeof(acp_handle_t) == 8 && (acp_handle_t)-1 < 0);
HOLDS(sizeof(acp_ch_t) == sizeof(void *) && sizeof(acp_request_t) == sizeof(void *));
HOLDS(ACP_GA_NULL == 0 && ACP_ATKEY_NULL == 0 && ACP_HANDLE_NULL == 0);
HOLDS((acp_handle_t)ACP_HANDLE_ALL == -1 && (acp_handle_t)ACP_HANDLE_CONT == -2);

static int (*const init)(int *, char ***) = acp_init;
static int (*const reset)(int) = acp_reset;
static int (*const nothing[])(void) = {acp_finalize, acp_sync, acp_rank, acp_procs, acp_colors};
static acp_ga_t (*const starter)(int) = acp_query_starter_ga;
static acp_atkey_t (*const add)(void *, size_t, int) = acp_register_memory;
static acp_ga_t (*const find)(acp_atkey_t, void *) = acp_query_ga;
static void *(*const address)(acp_ga_t) = acp_query_address;
static int (*const about[])(acp_ga_t) = {acp_query_rank, acp_query_color};
static acp_handle_t (*const copy)(acp_ga_t, acp_ga_t, size_t, acp_handle_t) = acp_copy;
static acp_handle_t (*const cas4)(acp_ga_t, acp_ga_t, uint32_t, uint32_t, acp_handle_t) = acp_cas4;
static acp_handle_t (*const cas8)(acp_ga_t, acp_ga_t, uint64_t, uint64_t, acp_handle_t) = acp_cas8;
static acp_handle_t (*const of4[])(acp_ga_t, acp_ga_t, uint32_t, acp_handle_t) = {acp_swap4, acp_add4, acp_xor4, acp_or4,
                                                                                  acp_and4};
static acp_handle_t (*const of8[])(acp_ga_t, acp_ga_t, uint64_t, acp_handle_t) = {acp_swap8, acp_add8, acp_xor8, acp_or8,
                                                                                  acp_and8};
static acp_ch_t (*const create)(int, int) = acp_create_ch;
static acp_request_t (*const messages[])(acp_ch_t, void *, size_t) = {acp_nbsend_ch, acp_nbrecv_ch};
static size_t (*const wait_for)(acp_request_t) = acp_wait_ch;
static int (*const wait_for_all)(acp_request_t *, int, size_t *) = acp_waitall_ch;

int main(void) {
    return init && reset && nothing[4] && starter && add && find && address && about[1] && copy && cas4 && cas8 && of4[4] &&
                   of8[4] && create && messages[1] && wait_for && wait_for_all && acp_error_message()[0] == '\0'
               ? 0
               : 1;
}
