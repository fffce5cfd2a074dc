#include "nandi/checker/crew.h"

#include <system_error>

namespace nandi::checker {

Crew::Crew(std::size_t threads) {
  threads_.reserve(threads);
  for (std::size_t number = 1; number < threads; ++number) {
    try {
      threads_.emplace_back([this, number] { serve(number); });
    } catch (const std::system_error&) {
      return;
    }
  }
}

Crew::~Crew() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  begun_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Crew::run(const std::function<void(std::size_t)>& work) {
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    busy_ = threads_.size();
    has_failed_ = false;
    ++round_;
  }
  begun_.notify_all();
  do_part(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
  return !has_failed_;
}

void Crew::serve(std::size_t number) {
  std::uint64_t served = 0;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      begun_.wait(lock, [&] { return is_over_ || round_ != served; });
      if (is_over_) return;
      served = round_;
    }
    do_part(number);
    bool is_last = false;
    {
      const std::lock_guard lock(mutex_);
      is_last = --busy_ == 0;
    }
    if (is_last) done_.notify_one();
  }
}

void Crew::do_part(std::size_t number) {
  try {
    (*work_)(number);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    has_failed_ = true;
  }
}

}  // namespace nandi::checker
