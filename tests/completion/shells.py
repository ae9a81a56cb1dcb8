"""The shells, driven as a user's are: bash and zsh on a terminal of their own, fish by `complete -C`."""
import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
import time

TAB, ALL, SHOW, CLEAR = "\t", "\x18a", "\x18s", "\x15"

BASH = """PS1='> '
bind 'set enable-bracketed-paste off'
bind 'set bell-style none'
source {script}
bind '"\\C-xa": insert-completions'
show() {{ printf '%s\\n' "$READLINE_LINE" > {out}.part; mv {out}.part {out}; }}
bind -x '"\\C-xs": show'
show
"""
ZSH = """PS1='> '
unsetopt beep
fpath=({functions} $fpath)
autoload -Uz compinit
compinit -D -u
all() {{ _main_complete; compstate[insert]=all }}
zle -C all complete-word all
show() {{ print -r -- "$BUFFER" > {out}.part; mv {out}.part {out} }}
zle -N show
bindkey -e
bindkey '^Xa' all '^Xs' show
show
"""


class Terminal:
    """An interactive shell; its line is read back from a file that a key of ours writes."""

    def __init__(self, command, setup, folder, environment):
        self.out = os.path.join(folder, "line")
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 1000, 0, 0))
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, cwd=folder,
                                        env=environment, start_new_session=True)
        os.close(slave)
        self.master = master
        self.seen = b""
        threading.Thread(target=self.drain, daemon=True).start()
        self.send(f" source {setup}\r")
        self.read_line()

    def drain(self):
        try:
            while chunk := os.read(self.master, 65536):
                self.seen += chunk
        except OSError:
            pass

    def send(self, keys):
        os.write(self.master, keys.encode())

    def read_line(self):
        deadline = time.monotonic() + 60
        while not os.path.exists(self.out):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise AssertionError(f"the shell is stuck or gone; it said:\n{self.seen.decode(errors='replace')}")
            time.sleep(0.01)
        with open(self.out, encoding="utf-8") as file:
            line = file.read()[:-1]
        os.remove(self.out)
        return line

    def press(self, keys):
        """The line after these keys."""
        self.send(keys + SHOW)
        line = self.read_line()
        self.send(CLEAR)
        return line

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class Bash:
    def __init__(self, script, folder, environment):
        setup = write(os.path.join(folder, "setup"), BASH.format(script=script, out=os.path.join(folder, "line")))
        self.terminal = Terminal(["bash", "--norc", "--noprofile", "-i"], setup, folder, environment)
        self.press, self.close = self.terminal.press, self.terminal.close

    def candidates(self, line):
        # Each match replaces only what stands behind the last '=' or ':', or from the last '@' on.
        typed = line.split(" ")[-1]
        at = max(typed.rfind(character) for character in "=:@")
        head = typed[:at] if typed[at:at + 1] == "@" else typed[:at + 1]
        before = line[:len(line) - len(typed)] + head
        words = self.press(line + ALL).removeprefix(before).split()
        return {head + word for word in words} if words != [typed[len(head):]] or not typed else {typed}


class Zsh:
    def __init__(self, script, folder, environment):
        functions = os.path.join(folder, "functions")
        os.mkdir(functions)
        os.symlink(script, os.path.join(functions, "_kubist"))
        setup = write(os.path.join(folder, "setup"),
                      ZSH.format(functions=functions, out=os.path.join(folder, "line")))
        self.terminal = Terminal(["zsh", "-f", "-i"], setup, folder, environment)
        self.press, self.close = self.terminal.press, self.terminal.close

    def candidates(self, line):
        typed = line.split(" ")[-1]
        return set(self.press(line + ALL).removeprefix(line[:len(line) - len(typed)]).split())


class Fish:
    press = None  # `complete -C` has no line

    def __init__(self, script, folder, environment):
        self.script, self.folder, self.environment = script, folder, environment

    def candidates(self, line):
        out = subprocess.run(["fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", self.script, line],
                             cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=60,
                             check=True)
        assert not out.stderr, out.stderr
        return {entry.split("\t")[0] for entry in out.stdout.splitlines()}

    def close(self):
        pass


SHELLS = {"bash": Bash, "zsh": Zsh, "fish": Fish}
