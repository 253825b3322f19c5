#include "peers_alive.hpp"

#include "flagged_words.hpp"

namespace ayatori {

Result<PeersAlive> PeersAlive::make(AcpMemory& memory) {
  const auto place = memory.take(sizeof(acp_ga_t));
  if (!place) return Failure(place.error());
  const auto answer = memory.take(sizeof(std::uint64_t));
  if (!answer) return Failure(answer.error());
  const auto word = memory.make_private_word();
  if (!word) return Failure(word.error());
  store_word(memory.at(*place), *word);
  return PeersAlive(memory, *place, *answer);
}

Result<acp_ga_t> PeersAlive::word_of(Rank peer) {
  const auto known = words_.find(peer);
  if (known != words_.end()) return known->second;
  const auto copy = start_copy(memory_->at(memory_->self(), answer_), memory_->at(peer, place_), sizeof(acp_ga_t));
  if (!copy) return Failure(copy.error());
  if (acp_complete(*copy) != 0) return fail("a peer is asked whether it lives: {}", acp_error_message());
  return words_[peer] = load_word(memory_->at(answer_));
}

Result<> PeersAlive::ask(std::span<const Rank> peers) {
  if (question_) {
    const auto ended = has_ended(*question_);
    if (!ended) return Failure(ended.error());
    if (!*ended) return {};
  }
  for (const Rank peer : peers) {
    const auto word = word_of(peer);
    if (!word) return Failure(word.error());
    question_ = acp_add8(memory_->at(memory_->self(), answer_), *word, 0, ACP_HANDLE_NULL);
    if (*question_ == static_cast<acp_handle_t>(ACP_HANDLE_NULL)) return fail("acp_add8: {}", acp_error_message());
  }
  return {};
}

}  // namespace ayatori
