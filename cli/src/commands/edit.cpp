#include <algorithm>

#include <kubist/cli/context.hpp>
#include <kubist/cli/exit_codes.hpp>
#include <kubist/data/schema.hpp>
#include <kubist/data/yaml_writer.hpp>
#include <kubist/resources/object.hpp>
#include <kubist/util/text.hpp>

#include "../edit_patch.hpp"
#include "../editor.hpp"
#include "../output/object_printer.hpp"
#include "../query/targets.hpp"
#include "commands.hpp"

namespace kubist::cli {
namespace {

using data::Json;
using util::cat;
using util::ErrorKind;

/// The comments on top: kubectl's, and why the last attempt was refused.
std::string edit_header(const std::string& reason) {
  std::string header =
      "# Please edit the object below. Lines beginning with a '#' will be ignored,\n"
      "# and an empty file will abort the edit. If an error occurs while saving this file will be\n"
      "# reopened with the relevant failures.\n#\n";
  if (!reason.empty()) {
    for (const std::string& line : util::split(util::printable(reason), '\n')) {
      header += cat("# ", line, '\n');
    }
    header += "#\n";
  }
  return header;
}

/// Is there anything but comments?
bool has_content(const std::string& text) {
  const auto lines = util::split(text, '\n');
  return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    const std::string_view rest = util::trim(line);
    return !rest.empty() && rest[0] != '#';
  });
}

/// Can another edit mend it?
bool is_mendable(const util::Error& error) {
  return error.kind == ErrorKind::invalid || error.kind == ErrorKind::denied;
}

/// The edits of one object, until one is written or the user gives up.
class EditSession {
 public:
  EditSession(Context& context, LiveObject opened)
      : m_context(context), m_opened(std::move(opened)) {
    m_opened.object["metadata"].erase("managedFields");
    m_text = data::to_yaml(m_opened.object);
  }

  util::Result<> run() {
    while (true) {
      auto edited = m_file.edit(edit_header(m_reason), m_text);
      if (!edited) {
        return given_up(std::move(edited).error());
      }
      if (m_context.stop().stop_requested()) {
        return given_up(util::make_error(ErrorKind::cancelled, "stopped: nothing was written"));
      }
      if (!has_content(*edited)) {
        return cancelled("saved file was empty");
      }
      if (same_content(*edited, m_text)) {
        return m_reason.empty()
                   ? cancelled("no changes made")
                   : given_up(util::make_error(ErrorKind::invalid,
                                               "Edit cancelled, no valid changes were saved."));
      }
      m_text = *std::move(edited);
      const auto written = save();
      if (written) {
        const resources::ObjectView view(*written);
        m_context.out().write(
            cat(object_name(view.api_version(), view.kind(), view.name()), " edited\n"));
        return {};
      }
      if (!is_mendable(written.error())) {
        return given_up(written.error());
      }
      m_reason = written.error().to_string();
    }
  }

 private:
  util::Result<Json> save() {
    KUBIST_TRY(const Json edited, read_edited(m_opened.object, m_text));
    return write_edited(m_context, m_opened, edited);
  }

  util::Result<> cancelled(std::string_view why) {
    m_context.log().line(cat("Edit cancelled, ", why, '.'));
    return {};
  }

  /// What the user wrote is kept, where there is anything.
  util::Result<> given_up(util::Error error) {
    if (m_file.touched() || m_text != data::to_yaml(m_opened.object)) {
      m_context.log().line(cat("A copy of your changes has been stored to \"", m_file.keep(), '"'));
    }
    return util::fail(std::move(error));
  }

  Context& m_context;
  LiveObject m_opened;  ///< without its managed fields
  EditedFile m_file;
  std::string m_text;    ///< as it was shown last, without the header
  std::string m_reason;  ///< why the last attempt was refused
};

util::Result<int> run_edit(Context& context, const Arguments& arguments) {
  if (!names_objects(arguments.words())) {
    return util::fail(ErrorKind::usage, "'kubist edit' needs TYPE NAME or TYPE/NAME");
  }
  KUBIST_TRY(LiveObjects found, live_objects(context, arguments, {.words = arguments.words()}));
  for (LiveObject& live : found.list) {
    if (auto edited = EditSession(context, std::move(live)).run(); !edited) {
      found.errors.push_back(std::move(edited).error());
    }
  }
  if (!found.errors.empty()) {
    return util::fail(data::combine_errors(std::move(found.errors), "the objects"));
  }
  return k_ok;
}

}  // namespace

CommandSpec edit_command() {
  return {
      .path = "edit",
      .group = "Objects of any kind, as kubectl",
      .summary = "Change objects of the server in an editor",
      .details =
          "Opens each object as YAML, without managedFields, in $KUBE_EDITOR, else $EDITOR, else "
          "vi, and writes what you changed as a merge patch. What others change meanwhile stays; "
          "where both change the same list, nothing is written (exit code 6). What the server "
          "refuses is opened again with the reason on top, and your comments stay. A file without "
          "changes cancels. What could not be written is kept, and its path printed.",
      .arguments = "TYPE NAME... | TYPE/NAME...",
      .min_words = 1,
      .max_words = -1,
      .completes = Completes::resource_names,
      .examples = {{"A Deployment", "kubist edit deployment/web"},
                   {"In another editor", "KUBE_EDITOR='code --wait' kubist edit project shop"}},
      .run = run_edit};
}

}  // namespace kubist::cli
