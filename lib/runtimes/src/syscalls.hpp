#pragma once

namespace kubist::runtimes {

// Seccomp filters (seccomp(2)) of this process and all that it starts, for ever. They need
// no_new_privs. Where the kernel or a container allows no filter, and under sanitizers, which need
// more calls, nothing happens: the other limits hold without. Async-signal-safe.

/// What no program needs that runs a policy or renders a chart fails with EPERM: to trace, to
/// mount, to make namespaces, keys, BPF programs and io_urings, to change the kernel and the clock,
/// to type into the terminal.
void refuse_dangerous_calls();

/// Only what evaluating takes: to read and write what is open, memory, its end. The rest fails with
/// EPERM.
void allow_evaluation_only();

}  // namespace kubist::runtimes
