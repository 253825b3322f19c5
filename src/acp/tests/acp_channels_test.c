/* Messages of all sizes around a ring, with two channels for each pair; buffers that are too small; and a sender that
 * frees its end early. */
#include "check.h"

#include <stdlib.h>

enum { messages = 40, max_size = 70000 };

static size_t size_of(int i) {
    return i % 4 == 0 ? (size_t)(i % 17) : (size_t)i * 1749 % max_size;
}

static void exchange(acp_ch_t out, acp_ch_t in, int shift) {
    unsigned char *sent = malloc((size_t)messages * max_size), *received = calloc(messages, max_size);
    acp_request_t sends[messages], receives[messages];
    size_t sizes[messages];
    for (int i = 0; i < messages; ++i) {
        memset(sent + (size_t)i * max_size, i + shift, max_size);
        sends[i] = acp_nbsend_ch(out, sent + (size_t)i * max_size, size_of(i));
        receives[i] = acp_nbrecv_ch(in, received + (size_t)i * max_size, i % 5 == 0 ? 100 : max_size);
        CHECK(sends[i] != ACP_REQUEST_NULL && receives[i] != ACP_REQUEST_NULL);
    }
    CHECK(acp_waitall_ch(receives, messages, sizes) == 0);
    CHECK(acp_waitall_ch(sends, messages, NULL) == 0);
    for (int i = 0; i < messages; ++i) {
        const size_t expected = i % 5 == 0 && size_of(i) > 100 ? 100 : size_of(i);
        const unsigned char *bytes = received + (size_t)i * max_size;
        CHECK(sizes[i] == expected);
        for (size_t b = 0; b < max_size; ++b) {
            const unsigned char sent_or_untouched = b < expected ? (unsigned char)(i + shift) : 0;
            CHECK(bytes[b] == sent_or_untouched);
            if (bytes[b] != sent_or_untouched) break;
        }
    }
    free(sent);
    free(received);
}

int main(void) {
    CHECK(acp_init(NULL, NULL) == 0);
    const int me = acp_rank(), procs = acp_procs(), next = (me + 1) % procs, before = (me + procs - 1) % procs;
    CHECK(acp_create_ch(me, me) == ACP_CH_NULL && errno == EINVAL);
    acp_ch_t out = acp_create_ch(me, next), second = acp_create_ch(me, next);
    acp_ch_t in = acp_create_ch(before, me), second_in = acp_create_ch(before, me);
    CHECK(acp_nbrecv_ch(out, &out, 1) == ACP_REQUEST_NULL && errno == EINVAL);
    exchange(out, in, 1);
    exchange(second, second_in, 100);

    /* One more receive than there are messages: it ends when the sender's end is closed. */
    char last;
    acp_request_t in_vain = acp_nbrecv_ch(in, &last, 1);
    acp_request_t closing[] = {acp_nbfree_ch(out), acp_nbfree_ch(second), acp_nbfree_ch(second_in)};
    CHECK(acp_wait_ch(in_vain) == (size_t)-1 && errno == EPIPE);
    CHECK(acp_free_ch(in) == 0);
    CHECK(acp_waitall_ch(closing, 3, NULL) == 0);
    CHECK(acp_finalize() == 0);
    return failures();
}
