#pragma once
#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace kubist::http {

/// Bytes of the bodies that arrive at the same time from servers of members, by all workers: each
/// may be long, and together they may take the memory. Any thread.
class Arriving {
 public:
  static constexpr std::size_t k_most = std::size_t{256} << 20U;  ///< of all servers
  /// So much of one server is taken beyond that, until all have four times as much: who fills it
  /// by one server delays no other.
  static constexpr std::size_t k_free_server = std::size_t{64} << 20U;
  /// A body of so much is taken whatever else arrives: objects and common pages of lists.
  static constexpr std::size_t k_free_body = std::size_t{8} << 20U;

  /// `origin`: the server, as "https://host:port".
  void add(const std::string& origin, std::size_t bytes);
  /// These arrive no more: the exchange has ended.
  void end(const std::string& origin, std::size_t bytes);
  /// May a body of that server, which has `body` bytes by now, go on?
  bool has_room(const std::string& origin, std::size_t body);

 private:
  std::mutex m_mutex;  ///< guards what follows
  std::size_t m_all = 0;
  std::map<std::string, std::size_t> m_by_origin;
};

/// That of the process.
Arriving& arriving();

}  // namespace kubist::http
