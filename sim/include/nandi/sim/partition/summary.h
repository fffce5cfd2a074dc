// A figure over seeds: its mean and how far the mean itself is uncertain.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nandi/sim/yaml/tree.h"

namespace nandi::sim {

struct Summary {
  std::uint64_t samples = 0;
  double mean = 0;
  // Half the width of the 95 % confidence interval of the mean (Student's t); 0 for one sample.
  double half_width = 0;
  double least = 0;
  double most = 0;
};

// Sums in the order given: the same figures on every machine.
Summary summarise(const std::vector<double>& values);

// "1.104 ± 0.012"; without the second part for one sample or when it rounds to nothing.
std::string summary_text(const Summary& summary, int digits);
yaml::Tree summary_json(const Summary& summary);

// Quantile 0.975 of Student's t distribution, rounded up between the tabulated degrees of freedom.
double student_975(std::uint64_t degrees_of_freedom);

}  // namespace nandi::sim
