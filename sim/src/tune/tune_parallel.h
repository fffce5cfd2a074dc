// Runs numbered pieces of work in threads; what comes of them is put together by number, so that it
// does not depend on the threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace nandi::sim {

/// The results of work(0) to work(count - 1); empty where it was not begun before `stop` was set.
/// `done` is called after each, never by two threads at once. What a piece throws is thrown here.
template <class Result>
std::vector<std::optional<Result>> run_in_parallel(std::size_t count, unsigned jobs,
                                                   const std::atomic<bool>* stop,
                                                   const std::function<Result(std::size_t)>& work,
                                                   const std::function<void(std::size_t)>& done) {
  std::vector<std::optional<Result>> results(count);
  std::atomic<std::size_t> taken{0};
  std::mutex mutex;
  std::size_t finished = 0;
  std::exception_ptr failure;
  const auto loop = [&] {
    for (;;) {
      const std::size_t piece = taken.fetch_add(1);
      if (piece >= count || (stop != nullptr && stop->load())) return;
      try {
        results[piece] = work(piece);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
        taken = count;
        return;
      }
      const std::lock_guard lock(mutex);
      done(++finished);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned j = 1; j < jobs && j < count; ++j) threads.emplace_back(loop);
  loop();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  return results;
}

}  // namespace nandi::sim
