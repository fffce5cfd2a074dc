// A consumer with drain logic: works through its share, a mail every 20 ms, and drains when it is
// told to stand down.
#pragma once

#include <nandi/sim/simulated_group.h>

#include <chrono>
#include <cstdint>

class Mailer {
 public:
  /// `overhang`: how many mails it still sends once it was told to stand down. A right one: 0.
  explicit Mailer(int overhang) : overhang_(overhang) {}

  void adopt(const nandi::Peer& peer, nandi::sim::ConsumerContext& context) {
    if (peer.idle()) {
      if (!sending_) return context.done();
      draining_ = true;  // send() is done with it
      left_ = overhang_;
      return;
    }
    peer_ = peer;
    task_ = peer.index();
    sending_ = true;
    send(context);
    context.done();
  }

 private:
  void send(nandi::sim::ConsumerContext& context) {
    if (draining_ && left_-- == 0) {
      sending_ = draining_ = false;
      return context.done();
    }
    if (draining_ || peer_.still_valid()) {
      context.touch(task_);
      task_ += peer_.replicas();
    }
    context.after(std::chrono::milliseconds(20), [this, &context] { send(context); });
  }

  int overhang_;
  int left_ = 0;
  bool sending_ = false;
  bool draining_ = false;
  std::int64_t task_ = 0;
  nandi::Peer peer_;
};
