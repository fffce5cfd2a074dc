// The real registration script in a group of its own, one at a time.
#pragma once

#include <string>
#include <variant>

#include "nandi/engine/options.h"
#include "redis_session.h"

namespace nandi::tools {

/// One registration and a reading of the server's clock right behind it.
struct Trial {
  LocalTime sent;
  LocalTime received;       ///< the registration's reply
  LocalTime clock_read_by;  ///< the clock's reply
  StoreTime at;             ///< whole microseconds
};

/// The server's words, or why there are none.
struct Refused {
  std::string text;
  bool is_failure = false;  ///< no answer at all
};

class TrialGroup {
 public:
  /// Counts under `<prefix>{<name>}:<label>-<random>`, which has the hash slot and the rights of
  /// the group's own counters and is none of them; its keys expire within three seconds.
  TrialGroup(RedisSession& session, const Options& group, const std::string& label);

  /// EVALSHA and TIME in one write; the source first where the server does not know the script.
  [[nodiscard]] std::variant<Trial, Refused> once();

 private:
  RedisSession& session_;
  std::string key_;
};

}  // namespace nandi::tools
