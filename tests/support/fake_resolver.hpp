#pragma once
#include <map>
#include <string>

#include <dlfcn.h>
#include <netdb.h>

/// Names that lead where a test wants, for all of a test program, by getaddrinfo() in front of
/// libc's. Include it in one file of the program.
namespace kubist::testing {

inline const std::map<std::string, const char*>& fake_names() {
  static const std::map<std::string, const char*> k_names{
      {"link-local.test", "169.254.7.7"},    {"link-local-6.test", "fe80::7"},
      {"mapped.test", "::ffff:169.254.7.7"}, {"unspecified.test", "0.0.0.0"},
      {"metadata-6.test", "fd00:ec2::254"},  {"loopback.test", "127.0.0.1"},
  };
  return k_names;
}

}  // namespace kubist::testing

extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  static const auto k_real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "getaddrinfo"));
  const auto& names = kubist::testing::fake_names();
  const auto found = node != nullptr ? names.find(node) : names.end();
  return k_real(found == names.end() ? node : found->second, service, hints, result);
}
