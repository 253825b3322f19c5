#pragma once
/// \file
/// Something that was begun and goes on while whoever began it does other things: a collective call that does not
/// block.

namespace ayatori {

class Operation {
 public:
  virtual ~Operation() = default;

  /// Goes as far as is possible without waiting. True when the operation is over, after which it is not called again.
  /// Called by one thread at a time, by any.
  [[nodiscard]] virtual bool advance() = 0;
};

}  // namespace ayatori
