#include "proof/lemmas.h"

namespace nandi::checker::proof {

std::vector<LemmaMaker> all_lemmas() {
  std::vector<LemmaMaker> lemmas;
  for (const auto& part : {worker_lemmas(), lease_lemmas(), task_lemmas(), edge_lemmas()}) {
    lemmas.insert(lemmas.end(), part.begin(), part.end());
  }
  return lemmas;
}

}  // namespace nandi::checker::proof
