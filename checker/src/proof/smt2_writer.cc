#include "proof/smt2_writer.h"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

namespace nandi::checker::proof {
namespace {

class Declarations {
 public:
  void collect(const z3::expr& term) {
    if (!seen_.insert(Z3_get_ast_id(term.ctx(), term)).second) return;
    if (term.is_const() && term.decl().decl_kind() == Z3_OP_UNINTERPRETED) {
      sorts_.emplace(term.decl().name().str(), term.get_sort().to_string());
    }
    for (unsigned i = 0; i < term.num_args(); ++i) collect(term.arg(i));
  }

  [[nodiscard]] std::string text() const {
    std::string text;
    for (const auto& [name, sort] : sorts_) {
      text += fmt::format("(declare-const {} {})\n", name, sort);
    }
    return text;
  }

 private:
  std::set<unsigned> seen_;
  std::map<std::string, std::string> sorts_;
};

}  // namespace

std::string smt2_text(const Query& query) {
  Declarations declarations;
  for (const Assertion& assertion : query.assertions) declarations.collect(assertion.formula);
  std::string text = fmt::format("; {}\n(set-logic {})\n(set-info :status {})\n{}", query.about,
                                 query.logic, query.status, declarations.text());
  for (const Assertion& assertion : query.assertions) {
    text += fmt::format("; {}\n(assert {})\n", assertion.name, assertion.formula.to_string());
  }
  return text + "(check-sat)\n";
}

void write_smt2_files(const std::filesystem::path& directory, const std::vector<QueryFile>& files) {
  std::filesystem::create_directories(directory);
  for (const QueryFile& file : files) {
    const std::filesystem::path path = directory / (file.name + ".smt2");
    std::ofstream stream(path, std::ios::trunc);
    stream << file.text;
    stream.close();
    if (!stream) throw std::runtime_error(fmt::format("cannot write {}", path.string()));
  }
}

}  // namespace nandi::checker::proof
