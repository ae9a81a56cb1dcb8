#include "trial.hpp"

#include <cstdlib>
#include <map>
#include <memory>
#include <regex>

#include <doctest/doctest.h>

#include <kubist/util/text.hpp>

namespace faults {

using namespace kubist;
using it::Background;
using util::cat;

namespace {

/// How often each object was written, by what: "create configmaps ns/name".
using Writes = std::map<std::string, int>;

/// One row, from the start of kubist on.
class Trial {
 public:
  Trial(const it::World& world, const std::string& suffix, const Command& command, const Row& row)
      : m_row(row),
        m_command(command),
        m_suffix(suffix),
        m_name(world.name(suffix)),
        m_user(world.user() + suffix) {
    Json list = Json::array();
    for (const Json& object : command.objects(m_name)) {
      list.push_back(object);
    }
    REQUIRE(util::write_file(m_folder.path() / "objects.yaml",
                             Json{{"apiVersion", "v1"}, {"kind", "List"}, {"items", list}}.dump()));
    m_proxy.rules(row.rules);
    Words words = command.words;
    words.insert(words.end(), row.flags.begin(), row.flags.end());
    for (std::string& word : words) {
      word = word == "FOLDER" ? m_folder.path().string() : word == "NAME" ? m_name : word;
    }
    m_words = world.as_user(m_proxy.through(words), m_suffix);
    m_run = std::make_unique<Background>(m_words);
  }

  void end() {
    INFO(m_row.fault);
    const auto code = m_run->wait(80);
    INFO("exit code ", code.value_or(-1), '\n', m_run->output());
    CHECK(code == (m_row.code == 0 ? m_command.code : m_row.code));
    for (const std::string& word : m_row.says) {
      CHECK_MESSAGE(m_run->output().find(word) != std::string::npos, word);
    }
    for (const auto& count : m_proxy.counts()) {
      CHECK(count.acted > 0);
      m_acted += count.acted;
    }
    CHECK(m_command.converged(m_name) == !failed());
  }

  /// What there is now is what the run without a fault left.
  void check_left(Left& usual) const {
    INFO(m_row.fault);
    if (m_command.left == nullptr) {
      return;
    }
    const Left left =
        comparable(m_command.left(m_name),
                   {{m_user, "USER"}, {m_name, "NAME"}, {m_proxy.url(), "https://server"}});
    if (usual.empty()) {
      usual = left;
    }
    CHECK(difference(usual, left) == "");
  }

  /// Nothing was written more often than usual, but for patches and deletions: they may be sent
  /// again.
  void check_writes(it::Audit& audit, Writes& usual) const {
    INFO(m_row.fault);
    const std::regex own(m_suffix + "|[0-9a-f]{10}");  // its number, and an object's uid
    Writes writes;
    std::size_t reads = 0;  // none where the fault lets no request through
    for (const auto& write : audit.writes(m_user, &reads)) {
      if (write.resource == "leases" && write.verb == "update") {
        continue;  // as long as it takes
      }
      const std::string name = std::regex_replace(write.name, own, "");
      ++writes[cat(write.verb, ' ', write.resource, ' ', write.subresource, ' ', name)];
    }
    if (usual.empty()) {
      usual = writes;
    }
    for (const auto& [what, times] : writes) {
      const bool harmless = what.starts_with("patch ") || what.starts_with("delete ");
      CHECK_MESSAGE(times <= usual[what] + (harmless ? m_acted : 0), what);
    }
  }

  /// The next run mends what the fault left behind.
  void begin_again() {
    m_proxy.rules(Json::array());
    m_run = std::make_unique<Background>(m_words);
  }
  void end_again() {
    INFO(m_row.fault);
    const auto code = m_run->wait(80);
    CHECK_MESSAGE(code == m_command.code, m_run->output());
    CHECK(m_command.converged(m_name));
  }
  bool failed() const { return m_row.code != 0; }

 private:
  const Row& m_row;
  const Command& m_command;
  std::string m_suffix, m_name, m_user;
  util::TempDir m_folder{"faults"};
  it::FaultProxy m_proxy;
  Words m_words;
  std::unique_ptr<Background> m_run;
  int m_acted = 0;
};

}  // namespace

void try_all(const std::string& test, const Command& command, const std::vector<Row>& rows) {
  const it::World world(test);
  // What is cached goes by the server's address: another proxy may have had it.
  const util::TempDir cache("faults-cache");
  ::setenv("KUBECACHEDIR", cache.path().c_str(), 1);
  Words suffixes, names;
  for (std::size_t number = 0; number < rows.size(); ++number) {
    suffixes.push_back(cat(number < 10 ? "r0" : "r", number));
    names.push_back(world.name(suffixes.back()));
  }
  if (command.prepare != nullptr) {
    command.prepare(names);
  }
  it::Audit audit("home");
  std::vector<std::unique_ptr<Trial>> trials;
  trials.reserve(rows.size());
  for (std::size_t number = 0; number < rows.size(); ++number) {
    trials.push_back(std::make_unique<Trial>(world, suffixes[number], command, rows[number]));
  }
  for (const auto& trial : trials) {
    trial->end();
  }
  Writes usual;
  for (const auto& trial : trials) {
    trial->check_writes(audit, usual);
  }
  for (const auto& trial : trials) {
    if (trial->failed()) {
      trial->begin_again();
    }
  }
  Left left;
  for (const auto& trial : trials) {
    if (trial->failed()) {
      trial->end_again();
    }
    trial->check_left(left);
  }
}

}  // namespace faults
