#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "redis/stream.h"

namespace nandi::redis {
namespace {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Context = std::unique_ptr<SSL_CTX, Freed<SSL_CTX_free>>;
using Session = std::unique_ptr<SSL, Freed<SSL_free>>;

/// The oldest error of the library's queue, in words; empties the queue.
std::string library_error() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "unknown error";
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : fmt::format("error {:#x}", code);
}

// OpenSSL's own socket BIO writes without MSG_NOSIGNAL: a peer that is gone would end the process.

int bio_write(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const auto* socket = static_cast<const int*>(BIO_get_data(bio));
  const ssize_t sent =
      send(*socket, bytes, static_cast<std::size_t>(size), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(sent);
}

int bio_read(BIO* bio, char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  const auto* socket = static_cast<const int*>(BIO_get_data(bio));
  const ssize_t got = recv(*socket, bytes, static_cast<std::size_t>(size), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  if (got == 0) errno = 0;  // the end of the stream, not what failed before
  return static_cast<int>(got);
}

long bio_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

int bio_create(BIO* bio) {
  BIO_set_init(bio, 1);
  return 1;
}

BIO_METHOD* bio_method() {
  static BIO_METHOD* const kMethod = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "nandi socket");
    if (made == nullptr) throw std::runtime_error("TLS: " + library_error());
    BIO_meth_set_write(made, bio_write);
    BIO_meth_set_read(made, bio_read);
    BIO_meth_set_ctrl(made, bio_control);
    BIO_meth_set_create(made, bio_create);
    return made;
  }();
  return kMethod;
}

class TlsStream final : public Stream {
 public:
  TlsStream(SSL_CTX* context, int socket, const std::string& name, bool verify)
      : socket_(socket), session_(SSL_new(context)) {
    BIO* bio = session_ ? BIO_new(bio_method()) : nullptr;
    if (bio == nullptr) throw std::bad_alloc();
    BIO_set_data(bio, &socket_);
    SSL_set_bio(session_.get(), bio, bio);
    SSL_set_connect_state(session_.get());
    name_server(name, verify);
  }

  IoStatus handshake() override {
    ERR_clear_error();
    const int result = SSL_do_handshake(session_.get());
    return result == 1 ? IoStatus::done : status_of(result);
  }

  IoResult read(std::span<char> room) override {
    ERR_clear_error();
    std::size_t bytes = 0;
    const int result = SSL_read_ex(session_.get(), room.data(), room.size(), &bytes);
    if (result == 1) return {IoStatus::done, bytes, false};
    return {status_of(result)};
  }

  IoResult write(std::string_view bytes) override {
    ERR_clear_error();
    std::size_t written = 0;
    const int result = SSL_write_ex(session_.get(), bytes.data(), bytes.size(), &written);
    if (result == 1) return {IoStatus::done, written};
    return {status_of(result)};
  }

  [[nodiscard]] bool wants_to_write() const override { return wants_to_write_; }
  [[nodiscard]] std::string problem() const override { return problem_; }

 private:
  /// Addresses are verified as addresses and, by RFC 6066, not sent as SNI.
  void name_server(const std::string& name, bool verify) {
    in6_addr address{};
    const bool numeric = inet_pton(AF_INET, name.c_str(), &address) == 1 ||
                         inet_pton(AF_INET6, name.c_str(), &address) == 1;
    X509_VERIFY_PARAM* parameters = SSL_get0_param(session_.get());
    if (numeric) {
      if (verify) X509_VERIFY_PARAM_set1_ip_asc(parameters, name.c_str());
      return;
    }
    SSL_set_tlsext_host_name(session_.get(), name.c_str());
    if (verify) X509_VERIFY_PARAM_set1_host(parameters, name.data(), name.size());
  }

  IoStatus status_of(int result) {
    const int system_error = errno;
    wants_to_write_ = false;
    switch (SSL_get_error(session_.get(), result)) {
      case SSL_ERROR_WANT_READ: return IoStatus::again;
      case SSL_ERROR_WANT_WRITE: wants_to_write_ = true; return IoStatus::again;
      case SSL_ERROR_ZERO_RETURN: return IoStatus::closed;
      case SSL_ERROR_SYSCALL:
        if (system_error == 0) return IoStatus::closed;
        problem_ = std::generic_category().message(system_error);
        return IoStatus::failed;
      default: break;
    }
    const long verified = SSL_get_verify_result(session_.get());
    if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING) {
      ERR_clear_error();
      return IoStatus::closed;
    }
    problem_ = library_error();
    if (verified != X509_V_OK) {
      problem_ = fmt::format(
          "the server's certificate is refused: {}; check the CA file and the "
          "server's name",
          X509_verify_cert_error_string(verified));
    }
    return IoStatus::failed;
  }

  int socket_;
  Session session_;
  bool wants_to_write_ = false;
  std::string problem_;
};

[[noreturn]] void refuse(std::string_view what, const std::string& file) {
  throw std::invalid_argument(
      fmt::format("TLS: cannot use {} '{}': {}", what, file, library_error()));
}

class TlsStreams final : public StreamFactory {
 public:
  explicit TlsStreams(const TlsOptions& options)
      : name_(options.server_name), verify_(options.verify) {
    context_.reset(SSL_CTX_new(TLS_client_method()));
    if (!context_) throw std::runtime_error("TLS: " + library_error());
    SSL_CTX* context = context_.get();
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_verify(context, verify_ ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
    if (options.ca_file.empty()) {
      SSL_CTX_set_default_verify_paths(context);
    } else if (SSL_CTX_load_verify_file(context, options.ca_file.c_str()) != 1) {
      refuse("the CA file", options.ca_file);
    }
    if (options.certificate_file.empty() != options.key_file.empty()) {
      throw std::invalid_argument("TLS: a client certificate and its key are given together");
    }
    if (options.certificate_file.empty()) return;
    if (SSL_CTX_use_certificate_chain_file(context, options.certificate_file.c_str()) != 1) {
      refuse("the certificate file", options.certificate_file);
    }
    if (SSL_CTX_use_PrivateKey_file(context, options.key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
      refuse("the key file", options.key_file);
    }
    if (SSL_CTX_check_private_key(context) != 1) {
      refuse("the key, which is not that of the certificate,", options.key_file);
    }
  }

  std::unique_ptr<Stream> make(int socket, const std::string& host) override {
    return std::make_unique<TlsStream>(context_.get(), socket, name_.empty() ? host : name_,
                                       verify_);
  }

 private:
  std::string name_;
  bool verify_;
  Context context_;
};

}  // namespace

std::unique_ptr<StreamFactory> make_tls_streams(const TlsOptions& options) {
  return std::make_unique<TlsStreams>(options);
}

std::unique_ptr<StreamFactory> make_streams(const RedisOptions& options) {
  return options.url.tls ? make_tls_streams(options.tls) : make_plain_streams();
}

}  // namespace nandi::redis
