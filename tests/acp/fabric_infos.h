/* Part of fabric_program.c: what fi_getinfo answers. Other providers answer alike. */

static struct fi_info *wanted_of(const char *provider) {
  struct fi_info *hints = wanted();
  free(hints->fabric_attr->prov_name);
  hints->fabric_attr->prov_name = strdup(provider);
  hints->caps = FI_MSG | FI_RMA;
  hints->mode = ~0ULL;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
  hints->domain_attr->threading = FI_THREAD_UNSPEC;
  hints->domain_attr->data_progress = FI_PROGRESS_UNSPEC;
  return hints;
}

/* Whoever asks for this process gets a name for it. */
static void names_itself(struct fi_info *hints) {
  const struct {
    const char *node, *service;
    uint64_t flags;
  } questions[] = {
      {NULL, NULL, 0}, {"localhost", NULL, FI_SOURCE}, {NULL, "9228", FI_SOURCE}, {"localhost", "9228", FI_SOURCE}};
  for (size_t i = 0; i < sizeof questions / sizeof *questions; ++i) {
    struct fi_info *found, *again;
    CHECK(fi_getinfo(FI_VERSION(1, 17), questions[i].node, questions[i].service, questions[i].flags, hints, &found) ==
          0);
    for (struct fi_info *each = found; each; each = each->next) CHECK(each->src_addr && each->src_addrlen > 0);
    CHECK(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, found, &again) == 0);
    fi_freeinfo(again);
    fi_freeinfo(found);
  }
}

/* An order that the receiving side alone asks for holds there. One of both sides holds for accesses as long as is said.
 */
static void keeps_orders(struct fi_info *hints) {
  const uint64_t orders[] = {FI_ORDER_RAW, FI_ORDER_WAR, FI_ORDER_WAW};
  for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i) {
    struct fi_info *found;
    hints->tx_attr->msg_order = FI_ORDER_NONE;
    hints->rx_attr->msg_order = orders[i];
    const int error = fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &found);
    if (error == -FI_ENODATA) continue; /* some have no such order */
    CHECK(error == 0 && (found->rx_attr->msg_order & orders[i]));
    fi_freeinfo(found);
    hints->tx_attr->msg_order = orders[i];
    CHECK(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &found) == 0);
    const size_t longest[] = {found->ep_attr->max_order_raw_size, found->ep_attr->max_order_war_size,
                              found->ep_attr->max_order_waw_size};
    fi_freeinfo(found);
    CHECK(longest[i] > 0);
    if (longest[i] == SIZE_MAX) continue;
    size_t *const sizes[] = {&hints->ep_attr->max_order_raw_size, &hints->ep_attr->max_order_war_size,
                             &hints->ep_attr->max_order_waw_size};
    *sizes[i] = longest[i];
    CHECK(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &found) == 0);
    fi_freeinfo(found);
    *sizes[i] = longest[i] + 1;
    CHECK(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &found) == -FI_ENODATA);
    *sizes[i] = 0;
  }
}

/* Before version 1.5, a program that leaves the mode of memory open gets one of two. */
static void chooses_a_mode(struct fi_info *hints) {
  struct fi_info *found;
  hints->domain_attr->mr_mode = FI_MR_UNSPEC;
  const int error = fi_getinfo(FI_VERSION(1, 0), NULL, NULL, 0, hints, &found);
  if (error == -FI_ENODATA) return; /* some do not serve old programs */
  CHECK(error == 0);
  for (struct fi_info *each = found; each; each = each->next)
    CHECK(each->domain_attr->mr_mode == FI_MR_BASIC || each->domain_attr->mr_mode == FI_MR_SCALABLE);
  fi_freeinfo(found);
}

/* What was found is accepted as what is wanted, and a name for this process is none of a peer. */
static void found_again(struct fi_info *hints) {
  struct fi_info *first, *again;
  for (int with_hints = 0; with_hints < 2; ++with_hints) {
    CHECK(fi_getinfo(FI_VERSION(1, 17), "localhost", "7", FI_SOURCE, hints, &first) == 0);
    if (!with_hints) {
      fi_freeinfo(first);
      hints->caps = 0;
      hints->tx_attr->msg_order = hints->rx_attr->msg_order = FI_ORDER_RAW | FI_ORDER_WAW;
      CHECK(fi_getinfo(FI_VERSION(1, 17), NULL, "7", FI_SOURCE, hints, &first) == 0);
      CHECK((first->tx_attr->msg_order & FI_ORDER_RAW) && first->ep_attr->max_order_raw_size > 0);
    }
    CHECK(fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, first, &again) == 0);
    CHECK(again->caps == first->caps && again->tx_attr->msg_order == first->tx_attr->msg_order);
    CHECK(again->ep_attr->protocol == first->ep_attr->protocol &&
          again->domain_attr->av_type == first->domain_attr->av_type);
    fi_freeinfo(first);
    fi_freeinfo(again);
  }
}

static void infos(const char *provider) {
  void (*const parts[])(struct fi_info *) = {names_itself, keeps_orders, chooses_a_mode, found_again};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    struct fi_info *hints = wanted_of(provider);
    parts[i](hints);
    fi_freeinfo(hints);
  }
  fprintf(stderr, "rank %d: good\n", rank);
}
