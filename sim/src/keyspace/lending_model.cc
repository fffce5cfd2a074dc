#include "nandi/sim/keyspace/lending_model.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "nandi/engine/partition/item_hash.h"

namespace nandi::sim {

namespace {

double as_double(Fraction fraction) {
  return static_cast<double>(fraction.numerator()) / static_cast<double>(fraction.denominator());
}

}  // namespace

std::string_view key_hash_name(KeyHash hash) {
  return hash == KeyHash::fnv1a_32 ? "fnv1a-32" : "crc16";
}

std::string_view tagging_name(Tagging tagging) {
  switch (tagging) {
    case Tagging::none: return "none";
    case Tagging::branch: return "branch";
    case Tagging::book: break;
  }
  return "book";
}

std::string_view lesson_hashed_part(std::string_view key) {
  const std::size_t open = key.find('{');
  const std::size_t close = key.find('}');
  if (open == std::string_view::npos || close == std::string_view::npos || close <= open + 1) {
    return key;
  }
  return key.substr(open + 1, close - open - 1);
}

std::uint32_t slot_of(KeyHash hash, std::string_view key) {
  if (hash == KeyHash::crc16) return key_slot(key);
  return partition::fnv1a_32(lesson_hashed_part(key)) % kHashSlots;
}

LendingKeys lending_keys(Tagging tagging, std::uint32_t branch, std::uint32_t book) {
  switch (tagging) {
    case Tagging::none:
      return {fmt::format("catalog:{}", book), fmt::format("loan:{}:{}", branch, book),
              fmt::format("queue:{}", book), fmt::format("branch:{}:openLoans", branch)};
    case Tagging::branch:
      return {fmt::format("{{branch:{}}}catalog:{}", branch, book),
              fmt::format("{{branch:{}}}loan:{}", branch, book),
              fmt::format("{{branch:{}}}queue:{}", branch, book),
              fmt::format("{{branch:{}}}openLoans", branch)};
    case Tagging::book: break;
  }
  return {fmt::format("{{book:{}}}catalog:{}", book, book),
          fmt::format("{{book:{}}}loan:{}", book, branch),
          fmt::format("{{book:{}}}queue:{}", book, book),
          fmt::format("branch:{}:openLoans", branch)};
}

LendingData draw_lending(const LendingModel& model) {
  // Comparisons are made in doubles because the lesson makes them so: the running sums of its
  // shares are not the decimal ones, and a draw between the two would change branches. A quotient
  // of two integers below 2^53 rounds to the double that the decimal literal denotes.
  constexpr double kUnit = 4294967296.0;
  std::vector<double> thresholds;
  double sum = 0;
  for (const Fraction share : model.branch_shares) thresholds.push_back(sum += as_double(share));
  const double queue_share = as_double(model.queue_share);
  LessonGenerator generator(model.seed);
  LendingData data;
  data.loans.reserve(model.loans);
  for (std::uint32_t i = 0; i < model.loans; ++i) {
    const double x = generator.next() / kUnit;
    const auto above = std::find_if(thresholds.begin(), thresholds.end(),
                                    [x](double threshold) { return x < threshold; });
    const auto branch = std::min<std::size_t>(static_cast<std::size_t>(above - thresholds.begin()),
                                              thresholds.size() - 1);
    const std::uint64_t book = static_cast<std::uint64_t>(generator.next()) * model.books >> 32U;
    data.loans.push_back({static_cast<std::uint32_t>(branch), static_cast<std::uint32_t>(book)});
  }
  data.queued.reserve(model.books);
  for (std::uint32_t book = 0; book < model.books; ++book) {
    data.queued.push_back(generator.next() / kUnit < queue_share);
  }
  return data;
}

std::uint64_t LendingSpread::busiest_bytes() const {
  return node_bytes.empty() ? 0 : *std::max_element(node_bytes.begin(), node_bytes.end());
}

LendingSpread spread_lending(const LendingModel& model, const LendingData& data, KeyHash hash,
                             Tagging tagging, std::uint32_t nodes) {
  std::map<std::string, std::uint32_t> bytes_of;
  LendingSpread spread;
  spread.tagging = tagging;
  spread.nodes = nodes;
  spread.loans = data.loans.size();
  for (const Loan& loan : data.loans) {
    const LendingKeys keys = lending_keys(tagging, loan.branch, loan.book);
    bytes_of[keys.catalog] = model.catalog_bytes;
    bytes_of[keys.loan] = model.loan_bytes;
    if (data.queued[loan.book]) bytes_of[keys.queue] = model.queue_bytes;
    bytes_of[keys.counter] = model.counter_bytes;

    const std::array slots = {slot_of(hash, keys.catalog), slot_of(hash, keys.loan),
                              slot_of(hash, keys.queue), slot_of(hash, keys.counter)};
    const auto alike = [&slots](std::size_t count, auto place) {
      return std::all_of(slots.begin(), slots.begin() + static_cast<std::ptrdiff_t>(count),
                         [&](std::uint32_t slot) { return place(slot) == place(slots[0]); });
    };
    const auto node = [nodes](std::uint32_t slot) { return equal_range_node(slot, nodes); };
    const auto itself = [](std::uint32_t slot) { return slot; };
    spread.t1_on_one_node += alike(3, node) ? 1U : 0U;
    spread.t2_on_one_node += alike(4, node) ? 1U : 0U;
    spread.t1_in_one_slot += alike(3, itself) ? 1U : 0U;
    spread.t2_in_one_slot += alike(4, itself) ? 1U : 0U;
  }
  spread.keys = bytes_of.size();
  spread.node_bytes.assign(nodes, 0);
  spread.node_keys.assign(nodes, 0);
  std::set<std::uint32_t> slots;
  for (const auto& [key, bytes] : bytes_of) {
    const std::uint32_t slot = slot_of(hash, key);
    const std::uint32_t node = equal_range_node(slot, nodes);
    slots.insert(slot);
    spread.node_bytes[node] += bytes;
    spread.node_keys[node] += 1;
    spread.bytes += bytes;
  }
  spread.slots_used = static_cast<std::uint32_t>(slots.size());
  return spread;
}

}  // namespace nandi::sim
