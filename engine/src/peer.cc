#include "nandi/engine/peer.h"

#include <cassert>

namespace nandi {

std::uint32_t Peer::index() const {
  assert(pair_ && "an idle peer has no index");
  return pair_->index;
}

std::uint32_t Peer::replicas() const {
  assert(pair_ && "an idle peer has no replicas");
  return pair_->count;
}

}  // namespace nandi
