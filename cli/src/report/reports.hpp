#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include <kubist/cli/command.hpp>
#include <kubist/cli/sink.hpp>
#include <kubist/util/fd.hpp>

#include "report/report.hpp"

namespace kubist::cli {

/// The flag --report of every command that reports a run.
Flag report_flag();

/// The reports that a command line asks for, and where they go: one in place of the normal output
/// (--report FORMAT), any number in files (FORMAT=FILE) and behind the normal output (FORMAT=-).
/// With the form github the summary of the workflow's step is written, too, where there is one.
class Reports {
 public:
  /// Reads the flag and opens the files, so that what cannot be written is known before the
  /// command does anything; their folders are made. Usage: two forms in place of the output, a file
  /// twice, no file's name. Invalid: a file that cannot be written.
  util::Result<> open(const Arguments& arguments);

  /// What stands in place of the normal output: a form, or nothing.
  std::string_view in_place() const { return m_in_place; }
  /// Is the output for people?
  bool plain() const { return m_in_place.empty() || m_in_place == "text"; }

  /// Is there a document of that form to make?
  bool has(std::string_view form) const;
  /// Is there any?
  bool any() const { return !plain() || !m_targets.empty(); }

  /// Writes the report wherever it shall go. The last one counts: a file, and what the summary of a
  /// step has of this process, has no other, and standard output has all. `to_out`: false where the
  /// output has something else already.
  void deliver(RunReport report, Sink& out, bool to_out = true);
  bool delivered() const { return m_delivered; }
  /// Did standard output get annotations? A log of GitHub shows each, so that nothing may say the
  /// same beside them.
  bool annotated() const { return m_annotated; }
  /// The first file that could not be written.
  const std::optional<util::Error>& trouble() const { return m_trouble; }

 private:
  struct Target {
    std::string form;
    std::string file;  ///< "-": behind the normal output
    util::Fd fd;
  };
  util::Result<> add(const std::string& value);
  void write_file(const Target& target, std::string_view text);
  void write_summary(const RunReport& report);

  std::string m_title;
  std::string m_input;
  std::string m_in_place;
  std::vector<Target> m_targets;
  struct {
    off_t begin = 0;
    off_t end = -1;  ///< none was written
  } m_summary;       ///< where in the file of the step's summary the last one is
  bool m_delivered = false;
  bool m_annotated = false;
  void note(util::Error trouble);
  std::optional<util::Error> m_trouble;
};

}  // namespace kubist::cli
