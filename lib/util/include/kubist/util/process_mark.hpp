#pragma once
#include <string>
#include <string_view>

#include <sys/types.h>

namespace kubist::util {

/// What names a process among all of a machine since it booted: "BOOT-ID/HOST/PID-NAMESPACE/PID/
/// START", the last in clock ticks since then (proc(5)). Empty: it is not known. Any thread.
std::string process_mark(pid_t pid);
/// That of this process, which is read once.
const std::string& own_process_mark();

/// Has the process of that mark ended, a zombie among them? False also where nobody here can tell:
/// that of another machine, boot or PID namespace, and what is no mark. Any thread.
bool has_ended(std::string_view mark);

}  // namespace kubist::util
