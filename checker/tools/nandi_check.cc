// nandi-check: parses the command line, calls the library, prints.
#include <CLI/CLI.hpp>

#include <iostream>
#include <string>
#include <vector>

#include "nandi/checker/proof/prove_command.h"

namespace {

constexpr int kUsage = 64;
constexpr int kOwnBug = 70;

int run(int argc, char** argv) {
  CLI::App app{"Explores, checks and proves the lease protocol.", "nandi-check"};
  app.require_subcommand(1);
  CLI::App* prove = app.add_subcommand("prove", "prove exclusivity for any group (prove --help)");
  // The subcommand reads its own flags, --help among them.
  prove->set_help_flag();
  prove->prefix_command();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  return nandi::checker::run_prove_command(prove->remaining(), std::cout, std::cerr);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "nandi-check: " << error.what() << '\n';
    return kOwnBug;
  }
}
