#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include <unistd.h>

#include <kubist/runtimes/jsonnet.hpp>
#include <kubist/util/text.hpp>

#include "jsonnet_request.hpp"
#include "syscalls.hpp"

extern "C" {
#include <libjsonnet.h>
}

namespace kubist::runtimes {

namespace {

constexpr unsigned k_max_stack = 500;

[[noreturn]] void out_of_memory() {
  constexpr std::string_view k_text = "out of memory\n";
  [[maybe_unused]] auto written = ::write(STDERR_FILENO, k_text.data(), k_text.size());
  ::_exit(k_exit_memory);
}

// Both import and importstr come here.
char* refuse_import(void* context, const char* /*base*/, const char* wanted, char** found_here,
                    int* success) {
  auto* vm = static_cast<JsonnetVm*>(context);
  *success = 0;
  *found_here = nullptr;
  std::string text = util::cat("imports are not allowed: ", wanted);
  char* message = jsonnet_realloc(vm, nullptr, text.size() + 1);
  std::memcpy(message, text.c_str(), text.size() + 1);
  return message;
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 65536> buffer;
  ssize_t got = 0;
  while ((got = ::read(fd, buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t wrote = ::write(fd, text.data(), text.size());
    if (wrote <= 0) {
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

}  // namespace

int jsonnet_child_main() {
  // The parser and the interpreter are C++ that others' text goes through: what breaks out of them
  // finds nothing to open and nobody to call.
  allow_evaluation_only();
  std::set_new_handler(out_of_memory);
  auto request = read_request(read_all(STDIN_FILENO));
  if (!request) {
    std::fputs("no request\n", stderr);
    return 2;
  }
  JsonnetVm* vm = jsonnet_make();
  jsonnet_max_stack(vm, k_max_stack);
  jsonnet_import_callback(vm, refuse_import, vm);
  jsonnet_ext_var(vm, k_inputs_variable, request->inputs.c_str());
  int error = 0;
  char* output =
      jsonnet_evaluate_snippet(vm, request->name.c_str(), program_of(*request).c_str(), &error);
  std::string_view text(output);
  bool written = write_all(error != 0 ? STDERR_FILENO : STDOUT_FILENO, text);
  // The process ends here: freeing a large heap piece by piece would only cost time.
  std::fflush(stderr);
  ::_exit(error != 0 ? 1 : written ? 0 : 2);
}

}  // namespace kubist::runtimes
