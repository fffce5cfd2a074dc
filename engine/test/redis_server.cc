#include "redis_server.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace nandi::test {
namespace {

using namespace std::chrono_literals;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

}  // namespace

std::uint16_t free_port() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (listener < 0 || bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    fail("finding a free port");
  }
  close(listener);
  return ntohs(address.sin_port);
}

std::optional<std::string> find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  std::string directories = path == nullptr ? "/usr/bin" : path;
  directories += ":/usr/sbin:";
  for (std::size_t begin = 0, end = 0; begin < directories.size(); begin = end + 1) {
    end = directories.find(':', begin);
    const std::string file = directories.substr(begin, end - begin) + "/" + std::string(name);
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return std::nullopt;
}

ChildProcess::ChildProcess(const std::vector<std::string>& command, const std::string& directory,
                           const std::string& log_name) {
  // Everything that allocates happens before fork(): other threads may hold the heap's lock.
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const std::string log = directory + "/" + log_name + ".log";
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) fail("fork");
  if (pid_ != 0) return;
  // A test that is killed must not leave its server behind.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent || chdir(directory.c_str()) != 0) _exit(127);
  const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int output = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  dup2(input, 0);
  dup2(output, 1);
  dup2(output, 2);
  execv(arguments[0], arguments.data());
  _exit(127);
}

ChildProcess::~ChildProcess() {
  if (pid_ <= 0) return;
  signal(SIGKILL);
  wait();
}

void ChildProcess::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

int ChildProcess::wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

bool ChildProcess::ended() {
  int status = 0;
  // Once waited for, the number may be another process's: it is never used again.
  if (pid_ > 0 && waitpid(pid_, &status, WNOHANG) == pid_) pid_ = -1;
  return pid_ <= 0;
}

ScratchDirectory::ScratchDirectory() {
  // Short on purpose: a unix socket's path has at most 107 bytes.
  char path[] = "/tmp/nandi-XXXXXX";
  if (mkdtemp(path) == nullptr) fail("making a directory");
  path_ = path;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

RedisClient::RedisClient(const std::string& socket_path) {
  socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket_path.c_str(), sizeof address.sun_path - 1);
  const timeval patience{10, 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    const int error = errno;
    close(socket_);
    errno = error;
    fail("connecting to " + socket_path);
  }
}

RedisClient::~RedisClient() { close(socket_); }

void RedisClient::send(const std::vector<std::string>& words) const {
  std::string bytes = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string& word : words) {
    bytes += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
  }
  if (::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(bytes.size())) {
    fail("writing to the server");
  }
}

std::string RedisClient::ask(const std::vector<std::string>& words) {
  send(words);
  return read_reply();
}

std::string RedisClient::read_reply() {
  const std::string line = read_line();
  switch (line.at(0)) {
    case '+':
    case ':': return line.substr(1);
    case '$': {
      if (line == "$-1") return "(nil)";
      const std::string text = read_exactly(std::stoul(line.substr(1)));
      read_exactly(2);
      return text;
    }
    case '*': {
      std::string result;
      const long elements = std::stol(line.substr(1));
      for (long i = 0; i < elements; ++i) result += (i == 0 ? "" : " ") + read_reply();
      return result;
    }
    default: return line;
  }
}

std::string RedisClient::read_line() {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n")) == std::string::npos) {
    char bytes[4096];
    const ssize_t size = recv(socket_, bytes, sizeof bytes, 0);
    if (size <= 0) fail("reading from the server");
    buffer_.append(bytes, static_cast<std::size_t>(size));
  }
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return line;
}

std::string RedisClient::read_exactly(std::size_t size) {
  while (buffer_.size() < size) {
    char bytes[4096];
    const ssize_t got = recv(socket_, bytes, sizeof bytes, 0);
    if (got <= 0) fail("reading from the server");
    buffer_.append(bytes, static_cast<std::size_t>(got));
  }
  std::string text = buffer_.substr(0, size);
  buffer_.erase(0, size);
  return text;
}

RedisServer::RedisServer(std::vector<std::string> settings, std::vector<std::string> launcher)
    : settings_(std::move(settings)),
      launcher_(std::move(launcher)),
      port_(free_port()),
      socket_path_(directory_.path() + "/redis.sock") {
  start();
}

bool RedisServer::installed() { return find_program("redis-server").has_value(); }

void RedisServer::start() {
  for (int attempt = 0; attempt < 5; ++attempt) {
    std::vector<std::string> command{find_program("redis-server").value(),
                                     "--port",
                                     std::to_string(port_),
                                     "--bind",
                                     "127.0.0.1",
                                     "--unixsocket",
                                     socket_path_,
                                     "--save",
                                     "",
                                     "--appendonly",
                                     "no",
                                     "--enable-debug-command",
                                     "local",
                                     "--dir",
                                     directory_.path(),
                                     "--loglevel",
                                     "warning"};
    command.insert(command.end(), settings_.begin(), settings_.end());
    command.insert(command.begin(), launcher_.begin(), launcher_.end());
    process_ = std::make_unique<ChildProcess>(command, directory_.path(), "redis-server");
    const auto patience = std::chrono::steady_clock::now() + 20s;
    while (std::chrono::steady_clock::now() < patience) {
      try {
        RedisClient probe(socket_path_);
        probe.ask({"PING"});
        return;
      } catch (const std::runtime_error&) {
      }
      if (process_->ended()) break;
      std::this_thread::sleep_for(5ms);
    }
    // Somebody else may have taken the port in between.
    port_ = free_port();
  }
  std::ifstream log(directory_.path() + "/redis-server.log");
  const std::string text((std::istreambuf_iterator<char>(log)), std::istreambuf_iterator<char>());
  throw std::runtime_error("redis-server does not start: " + text);
}

RedisOptions RedisServer::tcp() const {
  RedisOptions options;
  options.url.host = "127.0.0.1";
  options.url.port = port_;
  return options;
}

RedisOptions RedisServer::unix_socket() const {
  RedisOptions options;
  options.url.path = socket_path_;
  return options;
}

std::string RedisServer::ask(const std::vector<std::string>& words) {
  if (!client_) client_ = client();
  return client_->ask(words);
}

std::unique_ptr<RedisClient> RedisServer::client() const {
  return std::make_unique<RedisClient>(socket_path_);
}

void RedisServer::stop() {
  process_->signal(SIGSTOP);
  // Until the kernel says so, the process may still run.
  int status = 0;
  waitpid(process_->pid(), &status, WUNTRACED);
}

void RedisServer::resume() { process_->signal(SIGCONT); }

void RedisServer::kill() {
  client_.reset();
  process_.reset();
}

void RedisServer::restart(const std::vector<std::string>& settings) {
  settings_.insert(settings_.end(), settings.begin(), settings.end());
  unlink(socket_path_.c_str());
  start();
}

}  // namespace nandi::test
