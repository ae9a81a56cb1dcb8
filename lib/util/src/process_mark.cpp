#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>

#include <unistd.h>

#include <kubist/util/fs.hpp>
#include <kubist/util/process_mark.hpp>
#include <kubist/util/text.hpp>

namespace kubist::util {
namespace {

/// What a link leads to; empty: it cannot be read.
std::string link(const char* path) {
  std::error_code error;
  return std::filesystem::read_symlink(path, error).string();
}

/// "BOOT-ID/HOST/PID-NAMESPACE"; empty: it is not known. /proc may be that of another namespace.
/// The host name tells copies of a virtual machine apart, which share the rest.
std::string here() {
  const auto boot = read_file("/proc/sys/kernel/random/boot_id");
  const std::string ns = link("/proc/self/ns/pid");
  const bool is_ours = link("/proc/self") == std::to_string(::getpid());
  std::array<char, 256> host{};
  const bool has_name = ::gethostname(host.data(), host.size() - 1) == 0;
  return boot && is_ours && has_name && !ns.empty() ? cat(trim(*boot), '/', host.data(), '/', ns)
                                                    : std::string();
}

/// Fields 3 and 22 of /proc/PID/stat. The name before them may have blanks and brackets in it.
struct Stat {
  std::string state, start;
};
Stat stat_of(pid_t pid) {
  constexpr std::size_t k_state = 0, k_start = 19;
  const auto text = read_file(cat("/proc/", pid, "/stat"));
  const std::size_t name_end = text ? text->rfind(") ") : std::string::npos;
  if (name_end == std::string::npos) {
    return {};
  }
  const auto fields = split(std::string_view(*text).substr(name_end + 2), ' ');
  return fields.size() > k_start ? Stat{std::string(fields[k_state]), std::string(fields[k_start])}
                                 : Stat{};
}

}  // namespace

std::string process_mark(pid_t pid) {
  const std::string place = here();
  const std::string start = stat_of(pid).start;
  return place.empty() || start.empty() ? std::string() : cat(place, '/', pid, '/', start);
}

const std::string& own_process_mark() {
  static const std::string mark = process_mark(::getpid());
  return mark;
}

bool has_ended(std::string_view mark) {
  const std::string place = here();
  if (place.empty() || !mark.starts_with(place + '/')) {
    return false;
  }
  const auto parts = split(mark.substr(place.size() + 1), '/');
  const auto pid = parts.size() == 2 ? parse_int(parts[0]) : std::nullopt;
  if (!pid || *pid <= 0 || *pid != static_cast<pid_t>(*pid) || parts[1].empty()) {
    return false;
  }
  const Stat now = stat_of(static_cast<pid_t>(*pid));
  if (now.start.empty()) {  // gone, or hidden from this user (hidepid of proc(5))
    return ::kill(static_cast<pid_t>(*pid), 0) != 0 && errno == ESRCH;
  }
  return now.start != parts[1] || now.state == "Z";
}

}  // namespace kubist::util
