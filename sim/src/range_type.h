// Ranges in scenario files.
#pragma once

#include <fmt/format.h>

#include <string>

#include "nandi/sim/yaml/record.h"

namespace nandi::sim {

// `x` or `{from: x, to: y}`.
template <class Range, class M>
yaml::Type<Range> range_type(const std::string& name, const yaml::Type<M>& end,
                             const std::string& example_from, const std::string& example_to) {
  const yaml::Type<Range> record =
      yaml::Record<Range>(name, "Drawn between two ends, uniformly.")
          .required("from", &Range::from, end, "Least value.", example_from)
          .required("to", &Range::to, end, "Greatest value.", example_to)
          .check([](const Range& range, const yaml::Value& value) {
            if (range.to < range.from) {
              value.find("to")->fail("`to` lies before `from`", "swap the two");
            }
          })
          .type();
  return {[end, record](const yaml::Value& value) {
            if (value.kind() == yaml::NodeKind::mapping) return record.read(value);
            const M both = end.read(value);
            return Range{both, both};
          },
          [end, record](const Range& range) {
            return range.from == range.to ? end.write(range.from) : record.write(range);
          },
          yaml::either_shape(fmt::format("{} or {}", end.shape->text, record.shape->text),
                             {end.shape, record.shape})};
}

}  // namespace nandi::sim
