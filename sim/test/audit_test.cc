#include "nandi/sim/audit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "cli/audit_command.h"

namespace nandi::sim {
namespace {

// Lines as engine/README.md, "The log", describes them.
std::string line(const std::string& worker, const std::string& message,
                 const std::string& members) {
  return fmt::format(
      R"({{"level":"trace","message":"{}","group":"g","worker":"{}","time_ms":1,"local_us":1{}}})"
      "\n",
      message, worker, members.empty() ? "" : "," + members);
}
std::string started(const std::string& worker) {
  return line(worker, "discover started", R"("interval":1000.000,"gap":0.15,"prefix":"")");
}
std::string granted(const std::string& worker, int i, int n, int at, int expires) {
  return line(worker, "lease granted",
              fmt::format(R"("i":{},"n":{},"interval":5,"store_us":[{},{}],"expires_us":[{},{}])",
                          i, n, at, at + 10, expires, expires + 10));
}
std::string released(const std::string& worker, int i, int n, int at,
                     const std::string& message = "lease released") {
  return line(worker, message,
              fmt::format(R"("i":{},"n":{},"interval":6,"store_us":[{},{}],"cause":"late")", i, n,
                          at, at + 10));
}
std::string registered(const std::string& worker, int interval, int index, int replicas) {
  return line(worker, "registration completed",
              fmt::format(R"("interval":{},"index":{},"replicas":{})", interval, index, replicas));
}

/// A neighbour that holds 1 of 2 all the time, so that there is something to compare with.
std::string neighbour() {
  return granted("z", 1, 2, 500, 20'000) +
         line("z", "pair handed to the loop", R"("i":1,"n":2,"store_us":[501,502])");
}

AuditReport audit_of(const std::string& log) {
  AuditReader reader;
  std::istringstream in(log);
  reader.add(in, "log");
  return audit(reader.group());
}

Verdict verdict_of(const AuditReport& report, const std::string& property) {
  for (const AuditFinding& finding : report.findings) {
    if (finding.property == property) return finding.verdict;
  }
  ADD_FAILURE() << "no property " << property;
  return Verdict::unknown;
}

std::string answered(const std::string& worker, int at) {
  return line(worker, "registration completed",
              fmt::format(R"("interval":1,"index":0,"replicas":null,"store_us":[{},{}])", at, at));
}
std::string failed(const std::string& worker, const std::string& error, int at) {
  return line(worker, "registration failed",
              fmt::format(R"("error":"{}","store_us":[{},{}])", error, at, at));
}

TEST(Audit, calls_a_time_in_which_nobody_was_answered_one_stall_of_the_server) {
  const AuditReport report =
      audit_of(started("a") + answered("a", 100) + failed("a", "timeout", 300) +
               failed("a", "busy", 500) + answered("a", 900) + started("b") + answered("b", 200) +
               failed("b", "busy", 400) + failed("b", "busy", 600) + answered("b", 800));
  ASSERT_EQ(report.stalls.size(), 1U);
  EXPECT_EQ(report.stalls[0].from, (StoreBounds{300, 300}));
  EXPECT_EQ(report.stalls[0].until, (StoreBounds{800, 800}));
  EXPECT_EQ(report.stalls[0].workers, 2U);
  EXPECT_EQ(report.stalls[0].failures.at("busy"), 3U);
  EXPECT_EQ(report.stalls[0].failures.at("timeout"), 1U);
}

TEST(Audit, calls_one_workers_failures_no_stall_of_the_server) {
  const AuditReport report =
      audit_of(started("a") + failed("a", "timeout", 300) + failed("a", "timeout", 500) +
               started("b") + failed("b", "timeout", 200) + answered("b", 250));
  EXPECT_TRUE(report.stalls.empty());
}

TEST(Audit, reads_a_worker_that_never_knew_the_servers_clock) {
  const AuditReport report = audit_of(
      started("a") + line("a", "pair handed to the loop", R"("i":null,"n":null,"store_us":null)") +
      line("a", "registration failed", R"("error":"connection","store_us":null)"));
  EXPECT_TRUE(report.stalls.empty());
}

TEST(Audit, holds_when_an_index_is_taken_up_after_it_was_let_go) {
  const AuditReport report = audit_of(started("a") + neighbour() + granted("a", 0, 2, 1000, 9000) +
                                      released("a", 0, 2, 5000) + granted("b", 0, 2, 6000, 9000));
  EXPECT_EQ(report.verdict, Verdict::holds);
  // b's grant lies in 6000..6010, a's end in 5000..5010.
  ASSERT_TRUE(report.closest);
  EXPECT_EQ(report.closest->distance, (StoreBounds{990, 1010}));
  EXPECT_EQ(report.closest->before, "a");
}

TEST(Audit, is_violated_when_two_workers_hold_an_index_at_once_for_certain) {
  const AuditReport report =
      audit_of(started("a") + granted("a", 1, 2, 1000, 9000) + granted("b", 1, 2, 2000, 9000) +
               released("a", 1, 2, 5000) + released("b", 1, 2, 6000));
  EXPECT_EQ(report.verdict, Verdict::violated);
  EXPECT_EQ(verdict_of(report, "lease-exclusive"), Verdict::violated);
}

TEST(Audit, is_unknown_when_the_bounds_do_not_tell_two_holdings_apart) {
  // a's end lies in 5000..5010, b's grant in 5005..5015.
  const AuditReport report =
      audit_of(started("a") + granted("a", 1, 2, 1000, 9000) + granted("b", 1, 2, 5005, 9000) +
               released("a", 1, 2, 5000) + released("b", 1, 2, 6000));
  EXPECT_EQ(report.verdict, Verdict::unknown);
}

TEST(Audit, is_violated_when_pairs_of_different_counts_share_tasks) {
  // 1 of 2 and 3 of 4 both own task 3.
  const AuditReport report =
      audit_of(started("a") + granted("a", 1, 2, 1000, 9000) + granted("b", 3, 4, 2000, 9000) +
               released("a", 1, 2, 5000) + released("b", 3, 4, 6000));
  EXPECT_EQ(verdict_of(report, "lease-exclusive"), Verdict::holds);
  EXPECT_EQ(verdict_of(report, "tasks-disjoint"), Verdict::violated);
  EXPECT_EQ(verdict_of(report, "one-count"), Verdict::violated);
}

TEST(Audit, counts_a_killed_worker_until_its_lease_ran_out) {
  // a's log ends with its grant: it may have held 0 until 9010, so b at 8000 may be too early.
  const AuditReport report = audit_of(started("a") + granted("a", 0, 1, 1000, 9000) +
                                      granted("b", 0, 1, 8000, 9000) + released("b", 0, 1, 8500));
  EXPECT_EQ(report.verdict, Verdict::unknown);
  const AuditReport later = audit_of(started("a") + neighbour() + granted("a", 0, 2, 1000, 9000) +
                                     granted("b", 0, 2, 9010, 9900) + released("b", 0, 2, 9500));
  EXPECT_EQ(later.verdict, Verdict::holds);
}

TEST(Audit, is_unknown_when_nothing_could_have_overlapped) {
  const AuditReport report = audit_of(started("a") + granted("a", 0, 1, 1000, 9000));
  EXPECT_EQ(report.verdict, Verdict::unknown);
}

TEST(Audit, asks_for_trace_when_no_registration_was_logged) {
  AuditReader reader;
  std::istringstream in(started("a"));
  reader.add(in, "log");
  std::ostringstream out;
  write_audit_text(reader.group(), audit(reader.group()), out);
  EXPECT_NE(out.str().find("they have to be logged with --log trace"), std::string::npos);
}

TEST(Audit, is_violated_when_a_pair_is_handed_without_idle_before_it) {
  const auto handed = [](const std::string& pair) {
    return line("a", "pair handed to the loop", pair + R"(,"store_us":[1,2])");
  };
  const std::string pair = handed(R"("i":0,"n":2)");
  const std::string idle = handed(R"("i":null,"n":null)");
  EXPECT_EQ(verdict_of(audit_of(pair + idle + pair + idle), "hand-over"), Verdict::holds);
  EXPECT_EQ(verdict_of(audit_of(pair + pair), "hand-over"), Verdict::violated);
  EXPECT_EQ(verdict_of(audit_of(pair + idle + idle), "hand-over"), Verdict::violated);
}

TEST(Audit, is_unknown_where_no_two_holdings_could_be_compared) {
  // One after the other on different indexes: neither ever met what it is compared with.
  const AuditReport report =
      audit_of(started("a") + granted("a", 0, 2, 1000, 2000) + released("a", 0, 2, 1500) +
               granted("b", 1, 2, 6000, 9000) + released("b", 1, 2, 8000));
  EXPECT_EQ(report.verdict, Verdict::unknown);
  EXPECT_EQ(verdict_of(report, "lease-exclusive"), Verdict::unknown);
  EXPECT_EQ(verdict_of(report, "tasks-disjoint"), Verdict::unknown);
  EXPECT_EQ(verdict_of(report, "one-count"), Verdict::unknown);
  EXPECT_EQ(verdict_of(report, "hand-over"), Verdict::unknown);
  EXPECT_EQ(verdict_of(report, "index-below-count"), Verdict::holds);
  EXPECT_EQ(report.findings.front().applied, 0U);
}

TEST(Audit, holds_in_a_settled_group_where_no_index_ever_passes_on) {
  const AuditReport report = audit_of(started("a") + neighbour() + granted("a", 0, 2, 1000, 9000));
  EXPECT_EQ(report.verdict, Verdict::holds);
  EXPECT_EQ(report.findings.front().applied, 1U);
}

TEST(Audit, names_the_indexes_that_nobody_was_given_and_those_given_twice) {
  // Interval 5 closed with 3 members; the logs know 0 and 2 of them. Index 0 of 6 came twice.
  const AuditReport report = audit_of(registered("a", 5, 0, 2) + registered("b", 5, 2, 2) +
                                      registered("a", 6, 0, 3) + registered("b", 6, 0, 3));
  ASSERT_EQ(report.uncovered.size(), 1U);
  EXPECT_EQ(report.uncovered[0].interval, 5);
  EXPECT_EQ(report.uncovered[0].index, 1U);
  EXPECT_EQ(report.uncovered[0].count, 3U);
  EXPECT_EQ(report.repeated_indexes, 1U);
}

TEST(Audit, passes_over_a_commands_output_and_a_line_cut_off_at_the_end) {
  AuditReader reader;
  std::istringstream in(started("a") + "hello from the command\n" + R"({"level":"trace","mess)");
  reader.add(in, "log");
  EXPECT_EQ(reader.group().lines, 1U);
  EXPECT_EQ(reader.group().foreign_lines, 2U);
}

TEST(Audit, refuses_what_is_no_such_log_with_file_and_line) {
  const auto error_of = [](const std::string& log) {
    AuditReader reader;
    std::istringstream in(log);
    try {
      reader.add(in, "w.log");
    } catch (const AuditError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(error_of("nothing\n").find("w.log: no line of a worker's log"), 0U);
  EXPECT_EQ(error_of(started("a") + "{\"level\":}\n" + started("a")).find("w.log:2:"), 0U);
  EXPECT_EQ(error_of(released("a", 0, 1, 5)).find("w.log:1: a lease ends that was never granted"),
            0U);
  EXPECT_EQ(error_of(line("a", "lease granted", R"("i":-1,"n":2,"expires_us":[1,2])"))
                .find("w.log:1: `i` is out of range"),
            0U);
  std::string other = started("b");
  other.replace(other.find(R"("group":"g")"), 11, R"("group":"h")");
  EXPECT_EQ(error_of(started("a") + other).find("w.log:2: of the group `h`"), 0U);
}

TEST(Audit, refuses_a_log_that_was_read_before) {
  const auto error_of = [](const std::string& first, const std::string& second) {
    AuditReader reader;
    std::istringstream one(first);
    std::istringstream two(second);
    reader.add(one, "a.log");
    try {
      reader.add(two, "b.log");
    } catch (const AuditError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::string log = started("a") + registered("a", 5, 0, 2);
  EXPECT_EQ(error_of(log, log).find("b.log:1: the worker a started before, at a.log:1"), 0U);
  // Without the line of its start, its clock tells.
  std::string later = registered("a", 6, 0, 2);
  later.replace(later.find(R"("local_us":1)"), 12, R"("local_us":9)");
  EXPECT_EQ(error_of(log + later, registered("a", 5, 0, 2)).find("b.log:1: the worker a was read"),
            0U);
  // The pieces of one log, in order, and the log of another worker are neither.
  EXPECT_EQ(error_of(log, later), "accepted");
  EXPECT_EQ(error_of(log, started("b")), "accepted");
}

TEST(Audit, reads_the_standard_input_too) {
  cli::AuditRequest request;
  request.logs = {"-"};
  request.quiet = true;
  std::istringstream in(started("a") + neighbour() + granted("a", 0, 2, 1000, 9000));
  std::ostringstream out;
  std::ostringstream err;
  EXPECT_EQ(cli::run_audit(request, in, out, err), 0) << err.str();
  EXPECT_EQ(out.str(), "holds\n");
  std::istringstream nothing;
  EXPECT_EQ(cli::run_audit(request, nothing, out, err), 65);
  EXPECT_EQ(err.str().find("standard input: no line of a worker's log"), 0U);
}

TEST(Audit, writes_the_same_answer_as_text_and_as_json) {
  AuditReader reader;
  std::istringstream in(started("a") + neighbour() + granted("a", 0, 2, 1000, 9000) +
                        released("a", 0, 2, 5000) + granted("b", 0, 2, 6000, 9000));
  reader.add(in, "log");
  const AuditedGroup group = reader.group();
  const AuditReport report = audit(group);
  std::ostringstream text;
  write_audit_text(group, report, text);
  EXPECT_NE(text.str().find("group g, interval 1000.000 ms: holds (3 workers"), std::string::npos);
  EXPECT_NE(text.str().find("index 0: at least 0.990 ms, at most 1.010 ms between a and b"),
            std::string::npos);
  std::ostringstream json;
  write_audit_json(group, report, json);
  EXPECT_NE(json.str().find(R"("verdict": "holds")"), std::string::npos);
}

}  // namespace
}  // namespace nandi::sim
