// Random histories in both arms, as a property: a failing history is shrunk, told, and can be run
// again with the line that is printed.
#pragma once

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <cstdint>
#include <sstream>
#include <vector>

#include "conformance/history.h"

namespace nandi::test {

/// `count` histories; returns how many answers were compared.
template <class Model>
std::uint64_t check_histories(int count) {
  struct Silent : rc::detail::TestListener {
    void onTestCaseFinished(const rc::detail::CaseDescription&) override {}
    void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
    void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}
  };
  RealArm real;
  ModelArm<Model> model;
  std::uint64_t compared = 0;
  const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
  rc::detail::TestMetadata metadata;
  metadata.id = std::string(info->test_suite_name()) + "/" + info->name();
  metadata.description = info->name();
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = count;
  Silent silent;
  const auto result = rc::detail::checkProperty(
      rc::detail::toProperty([&] {
        // As large as they come from the first history on; up to 30 steps.
        const auto step = rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint32_t>());
        const auto numbers =
            *rc::gen::scale(0.3, rc::gen::container<std::vector<std::uint32_t>>(step));
        History<Model> history(real, model);
        const auto difference = history.run(numbers);
        compared += history.compared();
        if (difference) RC_FAIL(*difference);
      }),
      metadata, params, silent, rc::detail::configuration().reproduce);
  if (result.template is<rc::detail::SuccessResult>()) return compared;
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  if (result.template is<rc::detail::FailureResult>()) {
    rc::detail::Configuration again;
    again.reproduce[metadata.id] = result.template get<rc::detail::FailureResult>().reproduce;
    text << "\nagain: RC_PARAMS=\"" << rc::detail::configToMinimalString(again) << "\"";
  }
  ADD_FAILURE() << text.str();
  return compared;
}

}  // namespace nandi::test
