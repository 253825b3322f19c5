/* Part of fabric_program.c: several pieces of memory, buffers for many messages, and accesses in order. */

/* Messages of several sizes, one behind the other in two buffers, of which some are fetched by the receiver. */
static void share_buffers(void) {
  enum { count = 40, room = 200000, least = 50000 };
  static unsigned char out[count][least], in[2][room];
  size_t option = least, size = sizeof option;
  int next_out = 0, next_in = 0, sent_ones = 0, released = 0;
  CHECK(fi_setopt(&endpoint->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &option, sizeof option) == 0);
  CHECK(fi_getopt(&endpoint->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &option, &size) == 0 && option == least);
  struct iovec piece = {NULL, room};
  struct fi_msg both = {.msg_iov = &piece, .iov_count = 1, .addr = FI_ADDR_UNSPEC};
  for (int i = 0; i < 2; ++i) {
    piece.iov_base = both.context = in[i];
    CHECK(fi_recvmsg(endpoint, &both, FI_MULTI_RECV | FI_COMPLETION) == 0);
  }
  for (;;) {
    const int all = sent_ones == count && next_in == count;
    const size_t bytes = (size_t)(next_out * 1237) % least;
    if (next_out < count) {
      fill(out[next_out], bytes, (unsigned)next_out);
      POST(fi_send(endpoint, out[next_out++], bytes, NULL, peer, out));
    }
    struct fi_cq_tagged_entry entry;
    const ssize_t read = fi_cq_sread(queue, &entry, 1, NULL, next_out < count || all ? 0 : 1000);
    CHECK(read == 1 || read == -FI_EAGAIN);
    if (read != 1 && all) break;
    if (read != 1) continue;
    if (entry.flags & FI_RECV) {
      unsigned char *const buffer = entry.op_context;
      CHECK((unsigned char *)entry.buf >= buffer && (unsigned char *)entry.buf + entry.len <= buffer + room);
      ++next_in;
      for (int i = 0, good = 0; !good; ++i) { /* long ones may end after later ones */
        CHECK(i < count);
        good = (size_t)(i * 1237) % least == entry.len;
        if (good) check(entry.buf, entry.len, (unsigned)i);
      }
    } else if (entry.flags & FI_SEND) {
      ++sent_ones;
    } else {
      CHECK(entry.flags == FI_MULTI_RECV);
      ++released;
      both.context = piece.iov_base = entry.op_context;
      CHECK(fi_recvmsg(endpoint, &both, FI_MULTI_RECV | FI_COMPLETION) == 0);
    }
  }
  CHECK(released > 2);
  meet();
  for (int i = 0; i < 2; ++i) CHECK(fi_cancel(&endpoint->fid, in[i]) == 0 && next_error() == FI_ECANCELED);
}

static void send_pieces(size_t each) {
  static unsigned char out[3][big], in[2][2 * big];
  struct iovec from[3] = {{out[0], each}, {out[1], 0}, {out[2], each}}, to[2] = {{in[0], each / 2}, {in[1], 2 * big}};
  fill(out[0], each, 1);
  fill(out[2], each, 2);
  POST(fi_trecvv(endpoint, to, NULL, 2, peer, 12, 0, in));
  POST(fi_tsendv(endpoint, from, NULL, 3, peer, 12, out));
  for (int seen = 0; seen < 2; ++seen) {
    const struct fi_cq_tagged_entry entry = next();
    CHECK((entry.flags & FI_RECV) == 0 || entry.len == 2 * each);
  }
  memmove(in[0] + each / 2, in[1], 2 * each - each / 2);
  check(in[0], each, 1);
  check(in[0] + each, each, 2);
  meet();
}

/* Each read sees the write before it, which the peer's memory gets in the order of the calls. */
static void write_then_read(void) {
  enum { rounds = 50, bytes = 20000 };
  static unsigned char shared[bytes], local[rounds][bytes], seen[rounds][bytes];
  struct fid_mr *region;
  CHECK(fi_mr_reg(domain, shared, sizeof shared, FI_REMOTE_READ | FI_REMOTE_WRITE, 0, key, 0, &region, NULL) == 0);
  meet();
  for (int i = 0; i < rounds; ++i) {
    struct iovec halves[2] = {{local[i], bytes / 2}, {local[i] + bytes / 2, bytes / 2}};
    struct iovec parts[2] = {{seen[i], 7}, {seen[i] + 7, bytes - 7}};
    fill(local[i], bytes, (unsigned)i);
    POST(fi_writev(endpoint, halves, NULL, 2, peer, 0, key, local));
    POST(fi_readv(endpoint, parts, NULL, 2, peer, 0, key, local));
  }
  for (int i = 0; i < 2 * rounds; ++i) (void)next();
  for (int i = 0; i < rounds; ++i) check(seen[i], bytes, (unsigned)i);
  meet();
  check(shared, bytes, rounds - 1);
  CHECK(fi_close(&region->fid) == 0);
}

static void pieces(void) {
  extra_order = FI_ORDER_RAW | FI_ORDER_WAR | FI_ORDER_WAW;
  extra_caps = FI_MULTI_RECV;
  open_all();
  meet();
  send_pieces(100);
  send_pieces(big);
  write_then_read();
  share_buffers();
  close_all();
  fprintf(stderr, "rank %d: good\n", rank);
}
