// A Redis Cluster of the test's own: masters on free loopback ports, made by redis-cli.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "redis_server.h"

namespace nandi::test {

/// Precondition: redis-server and redis-cli are installed.
class PrivateCluster {
 public:
  explicit PrivateCluster(std::size_t masters) {
    for (std::size_t i = 0; i < masters; ++i) {
      // A bus port of its own: the default, ten thousand above, may not exist.
      servers_.push_back(std::make_unique<RedisServer>(std::vector<std::string>{
          "--cluster-enabled", "yes", "--cluster-port", std::to_string(free_port())}));
    }
    if (masters == 1) {
      servers_[0]->ask({"CLUSTER", "ADDSLOTSRANGE", "0", "16383"});
    } else {
      create();
    }
    for (const auto& server : servers_) await(*server);
  }

  [[nodiscard]] std::size_t size() const { return servers_.size(); }
  RedisServer& operator[](std::size_t i) { return *servers_[i]; }

 private:
  void create() {
    std::vector<std::string> command = {find_program("redis-cli").value(), "--cluster", "create"};
    for (const auto& server : servers_) {
      command.push_back("127.0.0.1:" + std::to_string(server->port()));
    }
    command.insert(command.end(), {"--cluster-replicas", "0", "--cluster-yes"});
    ChildProcess child(command, servers_[0]->directory(), "create");
    if (child.wait() != 0) throw std::runtime_error("redis-cli --cluster create failed");
  }

  void await(RedisServer& server) const {
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (server.ask({"CLUSTER", "INFO"}).find("cluster_state:ok") == std::string::npos) {
      if (std::chrono::steady_clock::now() > patience) {
        throw std::runtime_error("the cluster does not come up");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  std::vector<std::unique_ptr<RedisServer>> servers_;
};

}  // namespace nandi::test
