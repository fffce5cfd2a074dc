// A listener on a unix socket that answers each command with fixed bytes: servers that are not
// installed here, with the words of their sources.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

#include "nandi/engine/redis/redis_options.h"
#include "nandi/engine/redis/resp_reader.h"
#include "redis_server.h"

namespace nandi::test {

class ScriptedServer {
 public:
  /// `answers`: the bytes of the reply by the command's first word; anything else is answered +OK.
  explicit ScriptedServer(std::map<std::string, std::string> answers)
      : answers_(std::move(answers)), path_(directory_.path() + "/s.sock") {
    listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path_.c_str(), sizeof address.sun_path - 1);
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        listen(listener_, 4) != 0) {
      throw std::runtime_error("listening on " + path_);
    }
    thread_ = std::thread([this] { serve(); });
  }
  /// Precondition: the client has closed its connection.
  ~ScriptedServer() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  [[nodiscard]] RedisOptions options() const {
    RedisOptions options;
    options.url.path = path_;
    return options;
  }

 private:
  void serve() {
    for (int client = accept(listener_, nullptr, nullptr); client >= 0;
         client = accept(listener_, nullptr, nullptr)) {
      RespReader reader;
      for (;;) {
        const auto room = reader.prepare(4096);
        const ssize_t size = read(client, room.data(), room.size());
        if (size <= 0) break;
        reader.commit(static_cast<std::size_t>(size));
        while (reader.next() == RespReader::Status::complete) {
          const auto found = answers_.find(std::string(reader.reply()[1].text));
          const std::string answer = found == answers_.end() ? "+OK\r\n" : found->second;
          send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
        }
      }
      close(client);
    }
  }

  ScratchDirectory directory_;
  std::map<std::string, std::string> answers_;
  std::string path_;
  int listener_ = -1;
  std::thread thread_;
};

}  // namespace nandi::test
