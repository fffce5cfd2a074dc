#include "nandi/sim/scenario_network.h"

#include <fmt/format.h>

#include "nandi/sim/latency_profile.h"
#include "scenario_types.h"

namespace nandi::sim {
namespace {

using yaml::Choice;
using yaml::duration_type;
using yaml::LoadError;
using yaml::Record;
using yaml::Type;
using yaml::Value;

const Duration kPositive{1};

Type<UniformDelay> uniform_type() {
  return Record<UniformDelay>("uniform_delay", "Every value between two ends alike.")
      .required("from", &UniformDelay::from, duration_type(), "Least value.", "1ms")
      .required("to", &UniformDelay::to, duration_type(), "Greatest value.", "5ms")
      .check([](const UniformDelay& delay, const Value& value) {
        if (delay.from > delay.to) {
          value.find("to")->fail("`to` lies before `from`", "swap the two");
        }
      })
      .type();
}

Type<NormalDelay> normal_type() {
  return Record<NormalDelay>("normal_delay", "A normal distribution, cut off at both ends.")
      .required("mean", &NormalDelay::mean, duration_type(), "Centre of the bell.", "2ms")
      .required("sd", &NormalDelay::deviation, duration_type(kPositive),
                "Standard deviation before the cut.", "500us")
      .required("min", &NormalDelay::least, duration_type(), "Least value.", "1ms")
      .required("max", &NormalDelay::most, duration_type(), "Greatest value.", "4ms")
      .check([](const NormalDelay& delay, const Value& value) {
        if (delay.least >= delay.most) {
          value.find("max")->fail("`max` is not above `min`", "widen the range");
        }
        if (delay.mean < delay.least || delay.mean > delay.most) {
          value.find("mean")->fail("`mean` lies outside `min` and `max`", "move it between them");
        }
      })
      .type();
}

Type<LognormalDelay> lognormal_type() {
  return Record<LognormalDelay>("lognormal_delay",
                                "A long tail, given by the two figures that are usually measured.")
      .required("median", &LognormalDelay::median, duration_type(kPositive),
                "Half of all values lie below.", "1ms")
      .required("p99", &LognormalDelay::p99, duration_type(kPositive),
                "99 of 100 values lie below.", "10ms")
      .check([](const LognormalDelay& delay, const Value& value) {
        if (delay.p99 < delay.median) {
          value.find("p99")->fail("`p99` lies below `median`", "swap the two");
        }
      })
      .type();
}

Type<ExponentialDelay> exponential_type() {
  return Record<ExponentialDelay>("exponential_delay", "Waiting times without memory.")
      .required("mean", &ExponentialDelay::mean, duration_type(kPositive), "Mean value.", "2ms")
      .type();
}

Type<ParetoDelay> pareto_type() {
  return Record<ParetoDelay>("pareto_delay", "A tail so heavy that its mean may not exist.")
      .required("scale", &ParetoDelay::scale, duration_type(kPositive), "Least value.", "1ms")
      .required("shape", &ParetoDelay::shape,
                yaml::fraction_type(
                    {.above = Fraction(0, 1), .at_least = {}, .at_most = {}, .below = {}}),
                "Exponent of the tail; the smaller, the heavier.", "1.5")
      .type();
}

void require_histogram(const HistogramDelay& histogram, const Value& value) {
  const Value buckets = *value.find("buckets");
  Duration last = histogram.from;
  bool some = false;
  for (std::size_t index = 0; index < histogram.buckets.size(); ++index) {
    const HistogramBucket& bucket = histogram.buckets[index];
    if (bucket.to <= last) {
      buckets.at(index).fail("a bucket does not end after the one before it",
                             "order the buckets by `to`, and keep them above `from`");
    }
    last = bucket.to;
    some = some || bucket.count > 0;
  }
  if (!some) buckets.fail("every bucket is empty", "give a count above 0");
}

Type<std::vector<HistogramBucket>> buckets_type() {
  // Counts of a sum below 2^63 are drawn by one integer.
  constexpr std::uint64_t kMostPerBucket = 1'000'000'000'000;
  return yaml::list_type(
      Record<HistogramBucket>("histogram_bucket", "So many values up to here.")
          .required("to", &HistogramBucket::to, duration_type(kPositive), "Upper end.", "2ms")
          .required("count", &HistogramBucket::count,
                    yaml::count_type<std::uint64_t>(0, kMostPerBucket), "Number of values.", "120")
          .type(),
      1);
}

struct HistogramSource {
  std::optional<std::string> file;
  Duration from;
  std::vector<HistogramBucket> buckets;
};

HistogramDelay histogram_of(const HistogramSource& source, const Value& value) {
  const auto buckets = value.find("buckets");
  if (source.file && buckets) {
    buckets->fail("`buckets` stands beside `file`", "keep one of the two");
  }
  if (source.file) {
    if (const auto from = value.find("from")) {
      from->fail("`from` stands beside `file`", "the file has its own: remove this one");
    }
    const auto path = value.directory() / *source.file;
    try {
      return histogram_values_type().read(yaml::load_yaml(path).root());
    } catch (const LoadError& error) {
      // The file's own place says more, unless it could not be read at all.
      if (error.position().line > 0) throw;
      value.find("file")->fail(error.what(), "name it relative to this file's directory");
    }
  }
  HistogramDelay histogram{source.from, source.buckets};
  if (!buckets) value.fail("a histogram without values", "give `file` or `buckets`");
  require_histogram(histogram, value);
  return histogram;
}

Type<HistogramDelay> histogram_type() {
  const Type<HistogramSource> source =
      Record<HistogramSource>("histogram_delay",
                              "Measured values, alike within a bucket. Either a file, which holds "
                              "`from` and `buckets` as they stand here, or the buckets themselves.")
          .optional("file", &HistogramSource::file, yaml::string_type(),
                    "File of `from` and `buckets`, relative to the scenario's directory.",
                    "latency.yaml", "none")
          .optional("from", &HistogramSource::from, duration_type(),
                    "Lower end of the first bucket.", "500us")
          .optional("buckets", &HistogramSource::buckets, buckets_type(),
                    "Rising; each reaches from the one before it up to `to`.",
                    "[{to: 1ms, count: 90}, {to: 5ms, count: 10}]")
          .type();
  return {[source](const Value& value) { return histogram_of(source.read(value), value); },
          [source](const HistogramDelay& histogram) {
            return source.write({std::nullopt, histogram.from, histogram.buckets});
          },
          source.shape};
}

}  // namespace

Type<HistogramDelay> histogram_values_type() {
  return Record<HistogramDelay>("histogram_values", "Measured values, alike within a bucket.")
      .optional("from", &HistogramDelay::from, duration_type(), "Lower end of the first bucket.",
                "500us")
      .required("buckets", &HistogramDelay::buckets, buckets_type(), "Rising.",
                "[{to: 1ms, count: 90}, {to: 5ms, count: 10}]")
      .check(require_histogram)
      .type();
}

Type<DelayDistribution> delay_type() {
  return Choice<DelayDistribution>("delay", "How long something takes: a distribution.")
      .of<ConstantDelay>("constant", yaml::wrapped(duration_type(), &ConstantDelay::value),
                         "Always the same.", "2ms")
      .of<UniformDelay>("uniform", uniform_type(), "All values between two ends alike.",
                        "{from: 1ms, to: 5ms}")
      .of<NormalDelay>("normal", normal_type(), "A bell, cut off at both ends.",
                       "{mean: 2ms, sd: 500us, min: 1ms, max: 4ms}")
      .of<LognormalDelay>("lognormal", lognormal_type(), "A realistic tail.",
                          "{median: 1ms, p99: 10ms}")
      .of<ExponentialDelay>("exponential", exponential_type(), "Without memory.", "{mean: 2ms}")
      .of<ParetoDelay>("pareto", pareto_type(), "A heavy tail.", "{scale: 1ms, shape: 1.5}")
      .of<HistogramDelay>("histogram", histogram_type(), "As measured.",
                          "{buckets: [{to: 1ms, count: 90}, {to: 5ms, count: 10}]}")
      .type();
}

Type<Fraction> probability_type() {
  return yaml::fraction_type(
      {.above = {}, .at_least = Fraction(0, 1), .at_most = Fraction(1, 1), .below = {}});
}

Type<DelayPair> delay_pair_type() {
  return Record<DelayPair>("delay_pair", "A delay for each direction.")
      .optional("request", &DelayPair::request, delay_type(), "On the way to the store.",
                "{exponential: {mean: 2ms}}")
      .optional("reply", &DelayPair::reply, delay_type(), "On the way back.",
                "{exponential: {mean: 2ms}}")
      .type();
}

Type<LossPair> loss_pair_type() {
  return Record<LossPair>("loss_pair", "The share of messages that disappear, for each direction.")
      .optional("request", &LossPair::request, probability_type(),
                "Of registrations on their way to the store.", "0.001")
      .optional("reply", &LossPair::reply, probability_type(), "Of replies on their way back.",
                "1/1000")
      .type();
}

namespace {

// Either a profile, or delays of one's own, with what both kinds of network have besides.
struct NetworkSource {
  std::optional<std::string> profile;
  DelayDistribution request;
  DelayDistribution reply;
  DelayPair jitter;
  LossPair loss;
};
struct OverrideSource {
  std::optional<std::string> profile;
  std::optional<DelayDistribution> request;
  std::optional<DelayDistribution> reply;
  std::optional<DelayPair> jitter;
  std::optional<LossPair> loss;
};

// Puts a profile's delays in the place of the source's own.
template <class Source>
void take_profile(Source& source, const Value& value) {
  if (!source.profile) return;
  for (const char* key : {"request", "reply"}) {
    if (const auto own = value.find(key)) {
      own->fail(fmt::format("`{}` stands beside `profile`", key),
                "the profile has its own: keep one of the two");
    }
  }
  try {
    const LatencyProfile profile = load_latency_profile(value.directory() / *source.profile);
    source.request = profile.request_delay();
    source.reply = profile.reply_delay();
  } catch (const LoadError& error) {
    // The file's own place says more, unless it could not be read at all.
    if (error.position().line > 0) throw;
    value.find("profile")->fail(error.what(), "name it relative to this file's directory");
  }
}

constexpr const char* kProfileText =
    "File that `nandi-worker probe` wrote, relative to the scenario's directory; takes the place "
    "of `request` and `reply`.";
constexpr const char* kProfileExample = "latency/loopback.profile";

}  // namespace

Type<NetworkSettings> network_type() {
  const Type<NetworkSource> source =
      Record<NetworkSource>("network", "The way between every worker and the store.")
          .optional("profile", &NetworkSource::profile, yaml::string_type(), kProfileText,
                    kProfileExample, "none")
          .optional("request", &NetworkSource::request, delay_type(),
                    "Latency of a registration on its way to the store.",
                    "{lognormal: {median: 1ms, p99: 10ms}}")
          .optional("reply", &NetworkSource::reply, delay_type(), "Latency of the reply.",
                    "{lognormal: {median: 1ms, p99: 10ms}}")
          .optional("jitter", &NetworkSource::jitter, delay_pair_type(),
                    "Added to the latency, drawn independently.",
                    "{request: {exponential: {mean: 2ms}}}")
          .optional("loss", &NetworkSource::loss, loss_pair_type(), "Messages that disappear.",
                    "{request: 0.001, reply: 0.001}")
          .type();
  return {[source](const Value& value) {
            NetworkSource read = source.read(value);
            take_profile(read, value);
            return NetworkSettings{read.request, read.reply, read.jitter, read.loss};
          },
          [source](const NetworkSettings& network) {
            return source.write(
                {std::nullopt, network.request, network.reply, network.jitter, network.loss});
          },
          source.shape};
}

Type<NetworkOverride> network_override_type() {
  const std::string fallback = "as in `network`";
  const Type<OverrideSource> source =
      Record<OverrideSource>("network_override", "What these workers have otherwise.")
          .optional("profile", &OverrideSource::profile, yaml::string_type(), kProfileText,
                    kProfileExample, "none")
          .optional("request", &OverrideSource::request, delay_type(), "Latency to the store.",
                    "{constant: 40ms}", fallback)
          .optional("reply", &OverrideSource::reply, delay_type(), "Latency of the reply.",
                    "{constant: 40ms}", fallback)
          .optional("jitter", &OverrideSource::jitter, delay_pair_type(), "Added to the latency.",
                    "{reply: {exponential: {mean: 2ms}}}", fallback)
          .optional("loss", &OverrideSource::loss, loss_pair_type(), "Messages that disappear.",
                    "{reply: 1%}", fallback)
          .type();
  return {[source](const Value& value) {
            OverrideSource read = source.read(value);
            take_profile(read, value);
            return NetworkOverride{read.request, read.reply, read.jitter, read.loss};
          },
          [source](const NetworkOverride& network) {
            return source.write(
                {std::nullopt, network.request, network.reply, network.jitter, network.loss});
          },
          source.shape};
}

}  // namespace nandi::sim
