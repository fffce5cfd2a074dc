// As conformance_property_test.cc, for as long as it takes to be sure.
#include "conformance/check_histories.h"

namespace nandi::test {
namespace {

TEST(ConformanceLong, the_model_answers_100000_histories_as_a_server_does) {
  NANDI_NEEDS_REDIS();
  const std::uint64_t compared = check_histories<sim::RedisModel<sim::HeapCounters>>(100'000);
  EXPECT_GT(compared, 700'000U) << "histories of some length";
}

}  // namespace
}  // namespace nandi::test
