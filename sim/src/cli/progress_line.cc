#include "progress_line.h"

#include <fmt/format.h>

#include <ostream>

#include "nandi/sim/partition/text_table.h"

namespace nandi::sim::cli {

void ProgressLine::draw(const std::string& name, std::uint64_t done, std::uint64_t total,
                        std::uint64_t before, const std::string& more) {
  const Clock::time_point now = Clock::now();
  if (name != name_ || done < done_) {
    name_ = name;
    begun_ = now;
  }
  done_ = done;
  if (now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  is_there_ = true;
  const double elapsed = std::chrono::duration<double>(now - begun_).count();
  err_ << fmt::format("\r\x1b[K{}: {} of {} seeds", name, grouped(done), grouped(total));
  if (elapsed > 0 && done > before) {
    const double rate = static_cast<double>(done - before) / elapsed;
    err_ << fmt::format(", {:.0f}/s, {:.0f} s left", rate,
                        static_cast<double>(total - done) / rate);
  }
  err_ << more << std::flush;
}

void ProgressLine::remove() {
  if (is_there_) err_ << "\r\x1b[K" << std::flush;
  is_there_ = false;
}

}  // namespace nandi::sim::cli
