#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "nandi/engine/peer_feed.h"

namespace nandi {
namespace {

void add(int epoll, int descriptor) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = descriptor;
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0) {
    throw std::system_error(errno, std::generic_category(), "watching a descriptor");
  }
}

}  // namespace

WakeupSet::WakeupSet(int other) : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_ < 0) throw std::system_error(errno, std::generic_category(), "creating an epoll set");
  try {
    add(epoll_, timer_.descriptor());
    if (other >= 0) add(epoll_, other);
  } catch (...) {
    close(epoll_);
    throw;
  }
}

WakeupSet::~WakeupSet() { close(epoll_); }

}  // namespace nandi
