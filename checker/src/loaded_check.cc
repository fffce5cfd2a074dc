#include "loaded_check.h"

#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <string>

#include "check_report.h"
#include "nandi/sim/yaml/document.h"

namespace nandi::checker {
namespace {

using sim::yaml::Value;

/// States that a drawing shows; more are not to be looked at.
constexpr std::size_t kDrawnStates = 500;

/// The same error with its place: `key.key: what` is looked up in the file, as far as it is there.
[[noreturn]] void fail_in(const Value& root, const std::string& message) {
  const std::size_t colon = message.find(": ");
  if (colon == std::string::npos) root.fail(message, "see scenarios/README.md, `check`");
  Value at = root;
  for (std::size_t begin = 0; begin < colon;) {
    const std::size_t end = std::min(message.find('.', begin), colon);
    if (at.kind() != sim::yaml::NodeKind::mapping) break;
    const auto found = at.find(message.substr(begin, end - begin));
    if (!found) break;
    at = *found;
    begin = end + 1;
  }
  at.fail(message, "see scenarios/README.md, `check`");
}

}  // namespace

LoadedCheck load_check(const std::filesystem::path& path, const CheckRequest& request) {
  const sim::yaml::Document document = sim::yaml::load_yaml(path);
  if (sim::kind_of(document) != sim::ScenarioKind::lease) {
    document.root().find("kind")->fail("only scenarios of worker groups can be checked",
                                       "run it with nandi-sim");
  }
  LoadedCheck file;
  file.scenario = sim::read_scenario(document, sim::whole_language());
  if (auto& settings = file.scenario.check) {
    settings->symmetry = request.symmetry.value_or(settings->symmetry);
    settings->reduction = request.reduction.value_or(settings->reduction);
    settings->fingerprints = request.fingerprints.value_or(settings->fingerprints);
    settings->threads = request.threads.value_or(settings->threads);
  }
  try {
    file.check = lease_check_of(file.scenario);
    if (request.liveness) file.check.liveness = sim::liveness_property_names();
    if (const auto error = find_error(file.check)) throw std::invalid_argument("check." + *error);
  } catch (const std::invalid_argument& error) {
    fail_in(document.root(), error.what());
  }
  return file;
}

LeaseCheckOptions options_of(const CheckRequest& request, const sim::CheckSettings& settings,
                             std::ostream& err) {
  LeaseCheckOptions options;
  options.order = request.order;
  options.seed = request.seed;
  options.keep_searching = request.keep_searching;
  options.walk_steps =
      request.max_states.value_or(request.keep_searching ? Bounds::kUnbounded : options.walk_steps);
  options.explore.threads = settings.threads;
  options.explore.fingerprints = settings.fingerprints;
  options.explore.fingerprint_seed = request.seed;
  options.explore.checkpoint.save_to = request.checkpoint;
  options.explore.checkpoint.seconds = request.checkpoint_seconds;
  options.explore.checkpoint.resume_from = request.resume;
  options.graph_states = request.dot.empty() && request.graphml.empty() ? 0 : kDrawnStates;
  options.counterexamples = request.counterexamples;
  options.explore.bounds.max_states = request.max_states.value_or(settings.max_states);
  options.explore.bounds.max_bytes = request.max_memory.value_or(settings.max_memory);
  if (request.max_seconds) options.explore.bounds.max_seconds = *request.max_seconds;
  options.explore.interrupt = request.interrupt;
  if (request.draw_progress) {
    options.explore.progress = [&err](const Progress& progress) {
      err << "\r\033[K" << progress_text(progress) << std::flush;
    };
  }
  return options;
}

}  // namespace nandi::checker
