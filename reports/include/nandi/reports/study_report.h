// The reports of partition, key-space and settling studies.
#pragma once

#include <string>

#include "nandi/reports/report.h"
#include "nandi/sim/keyspace/keyspace_study.h"
#include "nandi/sim/partition/partition_study.h"
#include "nandi/sim/settling/settling_study.h"

namespace nandi::reports {

/// `file`: as the user named it; its stem is the title. `command` shows the study again.
[[nodiscard]] Report partition_report(const std::string& file, const std::string& command,
                                      const sim::PartitionResult& result);
[[nodiscard]] Report keyspace_report(const std::string& file, const std::string& command,
                                     const sim::KeyspaceResult& result);

[[nodiscard]] Report settling_report(const std::string& file, const std::string& command,
                                     const sim::SettlingResult& result);

}  // namespace nandi::reports
