#pragma once
/// \file
/// Do two algorithms come to the same? Among few ranks many do: with two, a ring, a tree and recursive doubling may be
/// one and the same exchange. Times that are measured of them differ by chance only.

#include "ayatori/schedule/schedule.hpp"

namespace ayatori {

/// Whether each participant does the same in both, step by step and stream by stream, steps in which it is idle left
/// out: it sends to the same peers in the same order, receives from the same in the same order, and copies and combines
/// as much in the same order. Of a message, a copy or a reduction, what counts is how many bytes it has, and in how
/// many separate ranges of slots these lie; in which slots, and what is in them, does not count.
///
/// Takes time in proportion to the messages of the shorter one, up to the first difference.
[[nodiscard]] bool send_the_same_messages(const Schedule& a, const Schedule& b);

}  // namespace ayatori
