// Keys and certificates of a test, made by the openssl program.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "redis_server.h"

namespace nandi::test {

class TlsFiles {
 public:
  [[nodiscard]] static bool can_be_made() { return find_program("openssl").has_value(); }

  /// "ca", and by it "server" (localhost, 127.0.0.1) and "client". Precondition: can_be_made().
  TlsFiles() {
    make_authority("ca");
    make_certificate("server", "ca", "DNS:localhost,IP:127.0.0.1");
    make_certificate("client", "ca", "DNS:client");
  }

  [[nodiscard]] std::string file(const std::string& name) const {
    return directory_.path() + "/" + name;
  }

  void make_authority(const std::string& name) {
    run({"-subj", "/CN=" + name, "-keyout", name + ".key", "-out", name + ".pem"});
  }

  void make_certificate(const std::string& name, const std::string& authority,
                        const std::string& alternative_names) {
    run({"-subj", "/CN=" + name, "-addext", "subjectAltName=" + alternative_names, "-addext",
         "basicConstraints=critical,CA:FALSE", "-CA", authority + ".pem", "-CAkey",
         authority + ".key", "-keyout", name + ".key", "-out", name + ".pem"});
  }

  /// Settings of a RedisServer that listens with TLS on `port` too.
  [[nodiscard]] std::vector<std::string> settings(std::uint16_t port,
                                                  const std::string& authenticate_clients) const {
    return {"--tls-port",         std::to_string(port), "--tls-cert-file",    file("server.pem"),
            "--tls-key-file",     file("server.key"),   "--tls-ca-cert-file", file("ca.pem"),
            "--tls-auth-clients", authenticate_clients};
  }

 private:
  void run(const std::vector<std::string>& arguments) {
    std::vector<std::string> command{
        find_program("openssl").value(), "req",    "-x509", "-newkey", "ec", "-pkeyopt",
        "ec_paramgen_curve:P-256",       "-nodes", "-days", "2"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    ChildProcess child(command, directory_.path(), "openssl");
    if (child.wait() != 0) throw std::runtime_error("openssl cannot make a certificate");
  }

  ScratchDirectory directory_;
};

}  // namespace nandi::test
