#include "nandi/sim/tune/histogram_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

#include "nandi/sim/whole_file.h"
#include "nandi/sim/yaml/document.h"
#include "plain_duration.h"

namespace nandi::sim {
namespace {

// Counts of a sum below 2^63 are drawn by one integer.
constexpr std::uint64_t kMostCount = 1'000'000'000'000;

struct Column {
  std::string text;
  int number = 0;  ///< of its first byte, from 1
};

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool begins_a_number(const std::string& text) {
  return !text.empty() && text[0] >= '0' && text[0] <= '9';
}

class Reader {
 public:
  Reader(const std::string& file, const std::string& unit) : file_(file), unit_(unit) {}

  void read_line(std::string_view line) {
    ++line_;
    const std::vector<Column> columns = columns_of(line.substr(0, line.find('#')));
    if (columns.empty()) return;
    const bool is_first = !has_begun_;
    has_begun_ = true;
    const bool is_head = columns.size() > 1 && !begins_a_number(columns[0].text) &&
                         !begins_a_number(columns[1].text);
    if (is_first && is_head) {
      is_cumulative_ = columns[0].text == "Value";
      return;
    }
    if (is_cumulative_) {
      add_cumulative(columns);
    } else {
      add_bucket(columns);
    }
  }

  HistogramDelay finish() {
    const bool has_values =
        std::any_of(histogram_.buckets.begin(), histogram_.buckets.end(),
                    [](const HistogramBucket& bucket) { return bucket.count > 0; });
    if (!has_values) {
      throw yaml::LoadError(file_, {line_, 1}, "the histogram ends without a value",
                            "write lines such as `5ms,120`: an upper end and a count");
    }
    return std::move(histogram_);
  }

 private:
  [[noreturn]] void fail(const Column& at, const std::string& what,
                         const std::string& advice) const {
    throw yaml::LoadError(file_, {line_, at.number}, what, advice);
  }

  std::vector<Column> columns_of(std::string_view line) const {
    std::vector<Column> columns;
    bool has_comma = true;  // since the last column: one of them may stand there, or none
    for (std::size_t at = 0; at < line.size();) {
      const int number = static_cast<int>(at) + 1;
      if (is_blank(line[at])) {
        ++at;
      } else if (line[at] == ',') {
        if (has_comma) fail({"", number}, "a column is empty", "write a value before the comma");
        has_comma = true;
        ++at;
      } else {
        const std::size_t end = std::min(line.find_first_of(" \t\r,", at), line.size());
        std::string_view text = line.substr(at, end - at);
        const bool is_quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
        if (is_quoted) text = text.substr(1, text.size() - 2);
        columns.push_back({std::string(text), number});
        has_comma = false;
        at = end;
      }
    }
    if (has_comma && !columns.empty()) {
      fail({"", static_cast<int>(line.size())}, "a column is empty", "remove the last comma");
    }
    return columns;
  }

  Duration end_at(const Column& column) const {
    const bool has_unit = !column.text.empty() && column.text.back() >= 'a';
    if (!has_unit && unit_.empty() && begins_a_number(column.text)) {
      fail(column, fmt::format("`{}` has no unit", column.text),
           "write one behind it, such as `5ms`, or give the unit of the whole file (--unit ms)");
    }
    const auto end = plain_duration(has_unit ? column.text : column.text + unit_);
    if (!end) {
      fail(column, fmt::format("`{}` is no duration", column.text),
           "write a number and a unit, whole nanoseconds, such as `1.5ms`");
    }
    if (*end > kLongestDelay) {
      fail(column, fmt::format("`{}` is longer than an hour", column.text),
           "no group could be tuned for that: check the unit");
    }
    return *end;
  }

  std::uint64_t count_at(const Column& column) const {
    std::uint64_t count = 0;
    const char* const end = column.text.data() + column.text.size();
    const auto [rest, error] = std::from_chars(column.text.data(), end, count);
    if (error != std::errc() || rest != end || count > kMostCount) {
      fail(column, fmt::format("`{}` is no number of values", column.text),
           fmt::format("write plain digits, at most {}", kMostCount));
    }
    return count;
  }

  void require(const std::vector<Column>& columns, std::size_t least, std::size_t most,
               const char* advice) const {
    if (columns.size() < least) {
      fail(columns.back(), fmt::format("{} column(s) where {} are wanted", columns.size(), least),
           advice);
    }
    if (columns.size() > most) fail(columns[most], "a column too many", advice);
  }

  void add_bucket(const std::vector<Column>& columns) {
    require(columns, 2, 2, "write an upper end and a count, such as `5ms,120`");
    const Duration to = end_at(columns[0]);
    if (to <= last()) {
      fail(columns[0], fmt::format("`{}` is not above what stands before it", columns[0].text),
           "let the upper ends rise, from above 0");
    }
    const std::uint64_t count = count_at(columns[1]);
    if (histogram_.buckets.empty() && count == 0) {
      histogram_.from = to;
    } else {
      histogram_.buckets.push_back({to, count});
    }
  }

  // A value stands for all up to it, itself included; a bucket ends before its end.
  void add_cumulative(const std::vector<Column>& columns) {
    constexpr std::size_t kMost = 4;
    require(columns, 3, kMost, "write value, percentile and total count");
    const Duration value = end_at(columns[0]);
    const std::uint64_t total = count_at(columns[2]);
    if (total < total_) {
      fail(columns[2], fmt::format("{} values up to here, {} up to the line before", total, total_),
           "the third column counts from the start: it does not fall");
    }
    if (has_value_ && value < value_) {
      fail(columns[0], fmt::format("`{}` is below what stands before it", columns[0].text),
           "values rise with their percentiles");
    }
    if (!has_value_) histogram_.from = value;
    const std::uint64_t count = total - total_;
    if (count > 0 && has_value_ && value == value_ && !histogram_.buckets.empty() &&
        histogram_.buckets.back().to == value + Duration(1)) {
      histogram_.buckets.back().count += count;
    } else if (count > 0) {
      histogram_.buckets.push_back({value + Duration(1), count});
    }
    has_value_ = true;
    value_ = value;
    total_ = total;
  }

  [[nodiscard]] Duration last() const {
    return histogram_.buckets.empty() ? histogram_.from : histogram_.buckets.back().to;
  }

  const std::string& file_;
  const std::string& unit_;
  HistogramDelay histogram_;
  int line_ = 0;
  bool has_begun_ = false;
  bool is_cumulative_ = false;
  bool has_value_ = false;
  Duration value_{0};
  std::uint64_t total_ = 0;
};

}  // namespace

HistogramDelay read_histogram_file(std::string_view text, const std::string& file,
                                   const std::string& unit) {
  Reader reader(file, unit);
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // as spreadsheets write it
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    reader.read_line(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return reader.finish();
}

HistogramDelay load_histogram_file(const std::filesystem::path& path, const std::string& unit) {
  return read_histogram_file(whole_file(path), path.string(), unit);
}

}  // namespace nandi::sim
