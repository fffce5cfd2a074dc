// RankLink: how the ranks of a campaign reach each other. Rank 0 leads, the others follow.
#pragma once

#include <optional>
#include <string>

namespace nandi::sim {

struct Incoming {
  int from = 0;  ///< rank
  std::string text;
};

/// Texts between two ranks arrive whole and in order. One thread uses it.
class RankLink {
 public:
  RankLink() = default;
  RankLink(const RankLink&) = delete;
  RankLink& operator=(const RankLink&) = delete;
  virtual ~RankLink() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int ranks() const = 0;
  /// Does not wait for the receiver. Throws std::runtime_error where the link is broken.
  virtual void send(int to, std::string text) = 0;
  /// What has come, if anything: does not wait. Throws std::runtime_error likewise.
  [[nodiscard]] virtual std::optional<Incoming> receive() = 0;
};

}  // namespace nandi::sim
