// Joins a group on a server that is not there, is asked to stop, and is handed idle.
#include <nandi/engine/discover.h>
#include <nandi/engine/redis_feed.h>

#include <chrono>
#include <cstdio>

int main() {
  using namespace std::chrono_literals;
  nandi::Options options;
  options.name = "mail-sender";
  options.interval = 5s;
  std::stop_source stop;
  stop.request_stop();
  int handed = 0;
  for (const nandi::Peer& peer :
       nandi::discover("redis+unix:///nonexistent/socket", options, stop.get_token())) {
    if (!peer.idle() || peer.owns(0) || peer.still_valid()) return 1;
    ++handed;
  }
  const auto feed = nandi::redis_feed("redis+unix:///nonexistent/socket", options);
  feed->step();
  std::printf("handed %d\n", handed);
  return handed == 1 ? 0 : 1;
}
