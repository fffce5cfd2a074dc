#include "mpi_ranks.h"

#include <fmt/format.h>
#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "ranks/following_rank.h"
#include "ranks/leading_rank.h"

namespace nandi::sim::cli {
namespace {

/// mpirun that is interrupted ends its ranks by force after a second.
constexpr std::chrono::milliseconds kGrace(500);

void check(int result, const char* what) {
  if (result == MPI_SUCCESS) return;
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  MPI_Error_string(result, text.data(), &length);
  text.resize(static_cast<std::size_t>(length));
  throw std::runtime_error(fmt::format("MPI: {} failed: {}", what, text));
}

/// Nothing here waits inside MPI, where waiting is a busy loop, and where a rank that died would
/// be waited for without end.
class MpiLink final : public RankLink {
 public:
  MpiLink() {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &ranks_), "MPI_Comm_size");
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int ranks() const override { return ranks_; }

  void send(int to, std::string text) override {
    forget_sent();
    // A buffer of MPI's stays where it is.
    Transfer& transfer = sent_.emplace_back();
    transfer.text = std::move(text);
    if (transfer.text.size() > std::numeric_limits<int>::max()) {
      throw std::length_error("a message of more than 2 GB");
    }
    check(MPI_Isend(transfer.text.data(), static_cast<int>(transfer.text.size()), MPI_CHAR, to,
                    kTag, MPI_COMM_WORLD, &transfer.request),
          "MPI_Isend");
  }

  [[nodiscard]] std::optional<Incoming> receive() override {
    forget_sent();
    if (!is_receiving_ && !begin_to_receive()) return std::nullopt;
    int is_done = 0;
    check(MPI_Test(&received_.request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
    if (is_done == 0) return std::nullopt;
    is_receiving_ = false;
    return Incoming{from_, std::move(received_.text)};
  }

  /// Waits until all that was sent is gone, no longer than `limit`; whether it is.
  bool drain(std::chrono::milliseconds limit) {
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
      forget_sent();
      if (sent_.empty()) return true;
      if (std::chrono::steady_clock::now() - start >= limit) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

 private:
  static constexpr int kTag = 0;
  struct Transfer {
    std::string text;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  bool begin_to_receive() {
    int is_there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status{};
    check(MPI_Improbe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &is_there, &message, &status),
          "MPI_Improbe");
    if (is_there == 0) return false;
    int size = 0;
    check(MPI_Get_count(&status, MPI_CHAR, &size), "MPI_Get_count");
    from_ = status.MPI_SOURCE;
    received_.text.assign(static_cast<std::size_t>(size), '\0');
    check(MPI_Imrecv(received_.text.data(), size, MPI_CHAR, &message, &received_.request),
          "MPI_Imrecv");
    is_receiving_ = true;
    return true;
  }

  void forget_sent() {
    while (!sent_.empty()) {
      int is_done = 0;
      check(MPI_Test(&sent_.front().request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
      if (is_done == 0) return;
      sent_.pop_front();
    }
  }

  int rank_ = 0;
  int ranks_ = 1;
  std::deque<Transfer> sent_;  ///< as far as not known to be gone
  bool is_receiving_ = false;
  int from_ = 0;
  Transfer received_;
};

int lead_ranks(MpiLink& link, const std::function<int(CampaignRunner)>& lead) {
  LeadingRank leading(link, kGrace);
  int status = kOwnBug;
  try {
    status = lead([&](const Simulator& simulator, const CampaignOptions& options) {
      return leading.run(simulator, options);
    });
  } catch (const std::exception& error) {
    std::cerr << "internal error: " << error.what() << "\n";
  }
  leading.end();
  return status;
}

}  // namespace

int run_over_mpi(int argc, char** argv, const std::atomic<bool>& stop,
                 const std::function<int(CampaignRunner)>& lead) {
  // Copying between processes by the kernel is forbidden in containers, which MPI tells everybody.
  setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int status = 0;
  bool is_clear = true;
  {
    MpiLink link;
    if (link.rank() == 0) {
      status = lead_ranks(link, lead);
    } else {
      FollowingRank(link, stop).serve();
    }
    is_clear = link.drain(kGrace);
  }
  // After a rank died, leaving in good order would wait for it without end.
  if (is_clear) MPI_Finalize();
  return status;
}

}  // namespace nandi::sim::cli
