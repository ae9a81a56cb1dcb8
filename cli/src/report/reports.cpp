#include "report/reports.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <unistd.h>

#include <kubist/util/fs.hpp>
#include <kubist/util/text.hpp>

namespace kubist::cli {

using util::cat;
using util::ErrorKind;

namespace {

constexpr std::string_view k_github = "github";

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno != EINTR) {
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  return true;
}

util::Error cannot_write(const std::string& file, int code) {
  return util::make_error(ErrorKind::invalid,
                          cat("cannot write the report ", file, ": ", std::strerror(code)));
}

}  // namespace

Flag report_flag() {
  // The flags of all commands live for ever, as their texts have to.
  static const auto choices = [] {
    static std::vector<std::string> to_files;
    std::vector<std::string_view> all = report_forms();
    for (const std::string_view form : report_forms()) {
      to_files.push_back(cat(form, '='));
    }
    all.insert(all.end(), to_files.begin(), to_files.end());
    return all;
  }();
  return {
      "report",
      0,
      FlagKind::list,
      "FORMAT[=FILE]",
      "report the run as text, json, junit, sarif, github, gitlab or html: in place of the output, "
      "or beside it in FILE ('-': behind it); may be repeated",
      "",
      Completes::choices,
      {},
      choices};
}

util::Result<> Reports::open(const Arguments& arguments) {
  const auto& flags = arguments.spec().flags;
  const auto has = [&](std::string_view name) {
    return std::any_of(flags.begin(), flags.end(),
                       [&](const Flag& flag) { return flag.name == name; });
  };
  if (!has("report")) {
    return {};
  }
  m_title = cat("kubist ", arguments.spec().path);
  if (has("filename") && arguments.given("filename")) {
    const std::string first = arguments.list("filename").front();
    m_input = first == "-" ? "stdin" : first;
  }
  for (const std::string& value : arguments.list("report")) {
    KUBIST_CHECK(add(value));
  }
  return {};
}

util::Result<> Reports::add(const std::string& value) {
  const std::size_t equals = value.find('=');
  const std::string form = value.substr(0, equals);
  if (equals == std::string::npos) {
    if (!m_in_place.empty() && m_in_place != form) {
      return util::fail(ErrorKind::usage,
                        cat("--report ", m_in_place, " and --report ", form,
                            " cannot both be in place of the output"),
                        cat("Give a file for one: --report ", form, "=FILE."));
    }
    m_in_place = form;
    return {};
  }
  Target target{form, value.substr(equals + 1), util::Fd()};
  if (target.file.empty() ||
      std::any_of(m_targets.begin(), m_targets.end(), [&](const Target& other) {
        return target.file != "-" && other.file == target.file;
      })) {
    return util::fail(ErrorKind::usage,
                      cat("--report ", value,
                          target.file.empty() ? " names no file" : " names the file of another"));
  }
  if (target.file != "-") {
    std::error_code ignored;  // the file says what is wrong
    std::filesystem::create_directories(std::filesystem::path(target.file).parent_path(), ignored);
    constexpr int k_mode = 0666;
    target.fd.reset(::open(target.file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, k_mode));
    if (!target.fd) {
      return util::fail(cannot_write(target.file, errno));
    }
  }
  m_targets.push_back(std::move(target));
  return {};
}

bool Reports::has(std::string_view form) const {
  return m_in_place == form ||
         std::any_of(m_targets.begin(), m_targets.end(),
                     [&](const Target& target) { return target.form == form; });
}

void Reports::deliver(RunReport report, Sink& out, bool to_out) {
  report.title = m_title;
  report.input = m_input;
  if (report.cases.empty()) {
    report.cases.emplace_back();  // readers take a suite without a case for a failure
  }
  if (!plain() && to_out) {
    out.write(report_document(m_in_place, report));
    m_annotated = m_in_place == k_github;
  }
  bool summary = m_in_place == k_github;
  for (const Target& target : m_targets) {
    const std::string text = report_document(target.form, report);
    summary = summary || target.form == k_github;
    if (target.file == "-") {
      out.write(text);
      m_annotated = m_annotated || target.form == k_github;
    } else {
      write_file(target, text);
    }
  }
  out.flush();
  if (summary) {
    write_summary(report);
  }
  m_delivered = true;
}

void Reports::note(util::Error trouble) {
  if (!m_trouble) {
    m_trouble = std::move(trouble);
  }
}

void Reports::write_file(const Target& target, std::string_view text) {
  if (::lseek(target.fd.get(), 0, SEEK_SET) == 0 && ::ftruncate(target.fd.get(), 0) != 0 &&
      errno != EINVAL) {  // pipes and devices have no length
    note(cannot_write(target.file, errno));
  } else if (!write_all(target.fd.get(), text)) {
    note(cannot_write(target.file, errno));
  }
}

void Reports::write_summary(const RunReport& report) {
  const std::string file = util::environment("GITHUB_STEP_SUMMARY");
  if (file.empty()) {
    return;
  }
  constexpr int k_mode = 0666;
  const util::Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, k_mode));
  if (!fd) {
    note(cannot_write(file, errno));
    return;
  }
  const off_t end = ::lseek(fd.get(), 0, SEEK_END);
  if (m_summary.end != end) {  // the file has another's text at its end
    m_summary.begin = end;
  }
  const std::string text = github_summary(report);
  if (::ftruncate(fd.get(), m_summary.begin) != 0 ||
      ::lseek(fd.get(), m_summary.begin, SEEK_SET) != m_summary.begin ||
      !write_all(fd.get(), text)) {
    note(cannot_write(file, errno));
  }
  m_summary.end = m_summary.begin + static_cast<off_t>(text.size());
}

}  // namespace kubist::cli
