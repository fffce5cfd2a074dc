// A Type<T> knows how a T is read, how it is written, and what it looks like: the three never drift
// apart because they are made together. Larger types are built from smaller ones, see record.h.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nandi/engine/fraction.h"
#include "nandi/engine/time.h"
#include "nandi/sim/yaml/document.h"
#include "nandi/sim/yaml/scalar.h"
#include "nandi/sim/yaml/shape.h"
#include "nandi/sim/yaml/tree.h"

namespace nandi::sim::yaml {

template <class T>
struct Type {
  std::function<T(const Value&)> read;  ///< throws LoadError
  std::function<Tree(const T&)> write;  ///< read(write(x)) == x
  ShapePtr shape;
};

/// Durations of at least `least`; a negative least accepts every sign.
Type<Duration> duration_type(Duration least = Duration(0));

/// Ends that are absent do not bound.
struct FractionLimits {
  std::optional<Fraction> above;  ///< exclusive
  std::optional<Fraction> at_least;
  std::optional<Fraction> at_most;
  std::optional<Fraction> below;  ///< exclusive
};
Type<Fraction> fraction_type(const FractionLimits& limits = {});

Type<bool> boolean_type();
/// `on` and `off`, for rules of a protocol rather than truths.
Type<bool> switch_type();
Type<std::string> string_type();
/// A string out of a fixed set.
Type<std::string> known_string_type(std::string text, std::vector<std::string> names);
Type<std::int64_t> integer_type();
Type<std::uint64_t> size_type();
/// `7` or `1..1000`.
Type<std::pair<std::uint64_t, std::uint64_t>> count_range_type(std::uint64_t most);

Type<std::uint64_t> wide_count_type(std::uint64_t least, std::uint64_t most);

/// Unsigned integers of any width.
template <class Count>
Type<Count> count_type(std::uint64_t least, std::uint64_t most = 1'000'000'000) {
  static_assert(std::numeric_limits<Count>::is_integer && !std::numeric_limits<Count>::is_signed);
  const Type<std::uint64_t> wide = wide_count_type(least, most);
  return {[wide](const Value& value) { return static_cast<Count>(wide.read(value)); },
          [wide](const Count& count) { return wide.write(count); }, wide.shape};
}

template <class Enum>
Type<Enum> enum_type(std::vector<std::pair<Enum, std::string>> names) {
  std::vector<std::string> texts;
  for (const auto& entry : names) texts.push_back(entry.second);
  const Type<std::string> text = known_string_type("", std::move(texts));
  return {[names, text](const Value& value) {
            const std::string name = text.read(value);
            for (const auto& entry : names) {
              if (entry.second == name) return entry.first;
            }
            value.fail("a name without a meaning", "report this as a defect");
          },
          [names](const Enum& wanted) {
            for (const auto& entry : names) {
              if (entry.first == wanted) return Tree::string(entry.second);
            }
            return Tree::string("");
          },
          text.shape};
}

/// `[a, b]`, at least `least` items.
template <class T>
Type<std::vector<T>> list_type(const Type<T>& item, std::size_t least = 0) {
  return {[item, least](const Value& value) {
            if (value.kind() != NodeKind::sequence) {
              value.fail(fmt::format("{} stands where a list is wanted", value.description()),
                         "write `[a, b]` or one `- item` a line");
            }
            if (value.size() < least) value.fail("the list is empty", "remove the key or fill it");
            std::vector<T> items;
            for (std::size_t i = 0; i < value.size(); ++i) items.push_back(item.read(value.at(i)));
            return items;
          },
          [item](const std::vector<T>& items) {
            Tree tree = Tree::sequence();
            for (const T& each : items) tree.append(item.write(each));
            return tree;
          },
          list_shape(item.shape)};
}

/// A type that is read and written by way of another.
template <class T, class M>
Type<T> mapped(const Type<M>& type, std::function<T(const M&)> from,
               std::function<M(const T&)> back) {
  return {[type, from](const Value& value) { return from(type.read(value)); },
          [type, back](const T& mine) { return type.write(back(mine)); }, type.shape};
}

/// A struct that is written as its only member.
template <class T, class M>
Type<T> wrapped(const Type<M>& type, M T::*member) {
  return mapped<T, M>(
      type,
      [member](const M& value) {
        T whole;
        whole.*member = value;
        return whole;
      },
      [member](const T& whole) { return whole.*member; });
}

/// A further condition: `rule` inspects what was read and throws by value.fail.
template <class T>
Type<T> checked(Type<T> type, std::function<void(const T&, const Value&)> rule) {
  return {[type, rule](const Value& value) {
            T read = type.read(value);
            rule(read, value);
            return read;
          },
          type.write, type.shape};
}

}  // namespace nandi::sim::yaml
