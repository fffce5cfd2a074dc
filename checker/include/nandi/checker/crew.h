// A few threads that do one piece of work together, again and again.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace nandi::checker {

class Crew {
 public:
  // The caller's thread is one of `threads`; where the system refuses threads, there are fewer.
  explicit Crew(std::size_t threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  std::size_t size() const { return threads_.size() + 1; }

  // Calls work(0) to work(size() - 1), each in a thread of its own, the first in the caller's, and
  // returns when all have returned. False if one of them threw: what is lost.
  bool run(const std::function<void(std::size_t)>& work);

 private:
  void serve(std::size_t number);
  void do_part(std::size_t number);

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable begun_;
  std::condition_variable done_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::uint64_t round_ = 0;
  std::size_t busy_ = 0;
  bool has_failed_ = false;
  bool is_over_ = false;
};

}  // namespace nandi::checker
