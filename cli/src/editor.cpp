#include "editor.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

#include <kubist/util/fd.hpp>
#include <kubist/util/fs.hpp>
#include <kubist/util/process.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {
namespace {

using util::cat;
using util::ErrorKind;

std::string editor_words() {
  for (const char* variable : {"KUBE_EDITOR", "EDITOR"}) {
    if (std::string editor = util::environment(variable); !editor.empty()) {
      return editor;
    }
  }
  return "vi";
}

/// Words with quotes are for the shell to take apart.
std::vector<std::string> editor_call(const std::string& editor, const std::string& path) {
  if (editor.find_first_of("\"'\\") != std::string::npos) {
    return {"/bin/sh", "-c", cat(editor, " \"$1\""), "kubist-edit", path};
  }
  std::vector<std::string> call;
  for (std::string& word : util::split(editor, ' ')) {
    if (!word.empty()) {
      call.push_back(std::move(word));
    }
  }
  call.push_back(path);
  return call;
}

util::Result<std::string> new_file() {
  std::string folder = util::environment("TMPDIR");
  constexpr std::string_view k_suffix = ".yaml";
  std::string path = cat(folder.empty() ? "/tmp" : folder, "/kubist-edit-XXXXXX", k_suffix);
  const util::Fd file(::mkstemps(path.data(), static_cast<int>(k_suffix.size())));  // of mode 0600
  if (!file) {
    return util::fail(ErrorKind::forbidden,
                      cat("cannot make the file to edit, ", path, ": ", std::strerror(errno)),
                      "$TMPDIR names the folder for it.");
  }
  return path;
}

}  // namespace

EditedFile::~EditedFile() {
  if (!m_path.empty() && !m_kept) {
    ::unlink(m_path.c_str());
  }
}

util::Result<std::string> EditedFile::edit(const std::string& header, const std::string& text) {
  if (m_path.empty()) {
    KUBIST_TRY(m_path, new_file());
  }
  m_written = header + text;
  KUBIST_CHECK(util::write_file(m_path, m_written));
  const std::string editor = editor_words();
  constexpr const char* k_hint = "$KUBE_EDITOR or $EDITOR names another one.";
  auto ended = util::run_command({.args = editor_call(editor, m_path),
                                  .inherit_stdin = true,
                                  .inherit_stdout = true,
                                  .inherit_stderr = true});
  if (!ended) {
    ended.error().hint = k_hint;
    return util::fail(std::move(ended).error());
  }
  if (ended->exit_code != 0) {
    return util::fail(ErrorKind::invalid,
                      cat("the editor \"", editor, "\" ended with exit code ", ended->exit_code),
                      k_hint);
  }
  KUBIST_TRY(std::string edited, util::read_file(m_path));
  if (const std::size_t at = edited.find(header); at != std::string::npos) {
    edited.erase(at, header.size());
  }
  return edited;
}

bool EditedFile::touched() const {
  const auto text = util::read_file(m_path);
  return text && *text != m_written;
}

const std::string& EditedFile::keep() {
  m_kept = true;
  return m_path;
}

}  // namespace kubist::cli
