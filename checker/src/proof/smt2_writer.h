// SMT-LIB 2 files of the queries, for another solver to decide.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "proof/lemma.h"

namespace nandi::checker::proof {

/// The whole text of one file. Its status is what z3 decided; a second solver's answer to the
/// (check-sat) at its end is to be compared with it.
[[nodiscard]] std::string smt2_text(const Query& query);

/// Writes <directory>/<name>.smt2 for each, making the directory if there is none.
/// Throws std::filesystem::filesystem_error or std::runtime_error naming the file.
void write_smt2_files(const std::filesystem::path& directory, const std::vector<QueryFile>& files);

}  // namespace nandi::checker::proof
