// The first code that Python runs: calls to the container, names that CPython has built in, the program itself, and its end.

/** `_host`: calls to the container, and waits. */
export const host = String.raw`
import ujson as json
_way = open(3, "r+b")
handlers = {}
servers = {}
threads = []
start = None

def ask(*request):
    _way.write(json.dumps(request))
    return json.loads(_way.read())

def wait(seconds=None):
    """Time passes; visitors of servers that run beside, threads and signals have their turn meanwhile."""
    run_threads()
    left = None if seconds is None else seconds * 1000
    if left is None and servers and not handlers:
        ask("serve")
    until = None if left is None else ask("clock") + left
    while True:
        if not happened(ask("wait", left, len(servers) > 0)):
            return
        if until is not None:
            left = max(0, until - ask("now"))

def happened(event):
    if "visit" in event:
        visited(event["visit"])
    elif "signal" in event:
        handler = handlers.get(event["signal"])
        if callable(handler):
            handler(event["signal"], None)
    else:
        return False
    return True

def visited(visit):
    server = servers.get(visit["port"])
    if server is None:
        ask("respond", {"status": 502, "headers": [], "body": ""})
    else:
        server(visit)

def run_threads():
    while threads:
        threads.pop(0)._run()

def listen(port):
    if not ask("listen", port):
        raise OSError(98, "Address already in use")
`;

export const begin = String.raw`
import sys
sys.path[:] = ["/usr/local/lib/python3.13", "/usr/local/lib/python3.13/site-packages"]
import builtins, io, json
import _host

class FileNotFoundError(OSError): pass
class FileExistsError(OSError): pass
class PermissionError(OSError): pass
class IsADirectoryError(OSError): pass
class NotADirectoryError(OSError): pass
class ConnectionError(OSError): pass
class ConnectionRefusedError(ConnectionError): pass
class ConnectionResetError(ConnectionError): pass
class BrokenPipeError(ConnectionError): pass
class TimeoutError(OSError): pass
class ModuleNotFoundError(ImportError): pass
class RecursionError(RuntimeError): pass

_errors = {2: (FileNotFoundError, "No such file or directory"), 13: (PermissionError, "Permission denied"),
    17: (FileExistsError, "File exists"), 20: (NotADirectoryError, "Not a directory"),
    21: (IsADirectoryError, "Is a directory"), 30: (OSError, "Read-only file system"), 39: (OSError, "Directory not empty")}

def os_error(error, name):
    kind, text = _errors.get(error.errno, (OSError, "Input/output error"))
    return kind(error.errno, text, name)

_open = builtins.open
_print = builtins.print

def open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None):
    if "x" in mode:
        import os
        if os.path.exists(file):
            raise FileExistsError(17, "File exists", str(file))
        mode = mode.replace("x", "w")
    name = file if isinstance(file, int) else str(file)
    try:
        return _open(name, mode)
    except OSError as error:
        raise os_error(error, name)

class Out:
    def __init__(self, number):
        self.number = number
        self.encoding = "utf-8"
        self.buffer = self
    def write(self, text):
        if isinstance(text, (bytes, bytearray)):
            text = text.decode()
        if self.number == 1:
            _print(text, end="")
        else:
            _host.ask("error", text)
        return len(text)
    def writelines(self, lines):
        for line in lines:
            self.write(line)
    def flush(self):
        if self.number == 1:
            _host.ask("flush")
    def isatty(self):
        return False
    def fileno(self):
        return self.number
    def reconfigure(self, **more):
        pass

class In:
    encoding = "utf-8"
    def readline(self):
        return _host.ask("line") or ""
    def read(self, size=-1):
        return _host.ask("input") or ""
    def readlines(self):
        return list(self)
    def __iter__(self):
        return self
    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line
    def isatty(self):
        return False
    def fileno(self):
        return 0

def print(*values, sep=" ", end="\n", file=None, flush=False):
    out = sys_module.stdout if file is None else file
    sep = " " if sep is None else sep
    end = "\n" if end is None else end
    if out is stdout:
        _print(*values, sep=sep, end=end)
    elif out is not None:
        out.write(sep.join([str(item) for item in values]) + end)
    if flush and hasattr(out, "flush"):
        out.flush()

def input(prompt=""):
    stdout.write(str(prompt))
    stdout.flush()
    line = _host.ask("line")
    if line is None:
        raise EOFError("EOF when reading a line")
    return line[:-1] if line.endswith("\n") else line

stdout = Out(1)
import _sys as sys_module
sys.modules["sys"] = sys_module
sys_module.stdout = sys_module.__stdout__ = stdout
sys_module.stderr = sys_module.__stderr__ = Out(2)
sys_module.stdin = sys_module.__stdin__ = In()
sys_module.modules = sys.modules
sys_module.path = sys.path
sys_module.argv = []
builtins.open = open
builtins.print = print
builtins.input = input
builtins.exit = builtins.quit = sys_module.exit
for item in (FileNotFoundError, FileExistsError, PermissionError, IsADirectoryError, NotADirectoryError, ConnectionError,
    ConnectionRefusedError, ConnectionResetError, BrokenPipeError, TimeoutError, ModuleNotFoundError, RecursionError):
    setattr(builtins, item.__name__, item)
builtins.IOError = builtins.EnvironmentError = OSError

import _program
`;

export const sys = String.raw`
from sys import *
from sys import print_exception, implementation
import sys as _own
version = "3.13.9 (main, Oct 14 2025, 21:10:44) [GCC 14.2.0]"
class _Version(tuple):
    major = property(lambda self: self[0])
    minor = property(lambda self: self[1])
    micro = property(lambda self: self[2])
version_info = _Version((3, 13, 9, "final", 0))
platform = "linux"
executable = "/usr/local/bin/python3"
prefix = base_prefix = "/usr/local"
byteorder = "little"
maxsize = 9223372036854775807
def exit(code=None):
    raise SystemExit(code)
def getrecursionlimit():
    return 1000
def setrecursionlimit(limit):
    pass
def exc_info():
    return (None, None, None)
def getsizeof(value, default=0):
    return 64
def intern(text):
    return text
def excepthook(kind, value, trace):
    pass
def getdefaultencoding():
    return "utf-8"
`;

/** `_program`: the program, and its end. */
export const program = String.raw`
import sys, io, json, os, _host

_library = "/usr/local/lib/python3.13/"
_sources = {}
scope = {"__name__": "__main__", "__doc__": None, "__package__": None, "__annotations__": {}}

def source_line(name, number):
    if name not in _sources:
        try:
            with open(name) as f:
                _sources[name] = f.read().split("\n")
        except Exception:
            _sources[name] = []
    lines = _sources[name]
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""

_said = (("divide by zero", "division by zero"), ("isn't defined", "is not defined"), ("isn't callable", "is not callable"),
    ("isn't iterable", "is not iterable"), ("isn't subscriptable", "is not subscriptable"))

def message_of(error):
    kind = type(error).__name__
    text = str(error)
    if isinstance(error, OSError) and len(error.args) > 1:
        text = "[Errno %s] %s" % (error.args[0], error.args[1])
        if len(error.args) > 2:
            text += ": %r" % (error.args[2],)
    elif isinstance(error, KeyError) and error.args:
        text = repr(error.args[0])
    elif kind == "ImportError" and text.startswith("no module named"):
        kind = "ModuleNotFoundError"
        text = "N" + text[1:]
    elif kind == "RuntimeError" and (text.startswith("maximum recursion") or text.startswith("pystack")):
        kind = "RecursionError"
        text = "maximum recursion depth exceeded"
    elif kind == "IndexError" and text == "index out of range":
        text = "list index out of range"
    elif kind == "ValueError" and text.startswith("invalid syntax for"):
        text = text.replace("invalid syntax for integer with base", "invalid literal for int() with base")
    for before, after in _said:
        text = text.replace(before, after)
    place = getattr(type(error), "__module__", "")
    place = "" if place in ("", "builtins", "_begin", "__main__") else place[place[0] == "_":] + "."
    return place + kind + (": " + text if text else "")

def formatted(error):
    """Lines of a traceback as CPython writes them."""
    text = io.StringIO()
    sys.print_exception(error, text)
    frames = []
    for line in text.getvalue().split("\n"):
        if not line.startswith('  File "'):
            continue
        name = line[8:line.index('"', 8)]
        rest = line[line.index('"', 8) + 1:]
        if name.startswith(_library + "_") or name == "<stdin>":
            continue
        number = int(rest.split(",")[1].split()[1])
        frames.append((name, number, rest))
    lines = []
    if isinstance(error, SyntaxError):
        for name, number, rest in frames[-1:]:
            lines.append('  File "%s", line %d\n' % (name, number))
            output = source_line(name, number)
            if output:
                lines.append("    " + output + "\n")
    else:
        if frames:
            lines.append("Traceback (most recent call last):\n")
        for at, (name, number, rest) in enumerate(frames):
            if at >= 20 and at < len(frames) - 20:
                continue
            lines.append('  File "%s"%s\n' % (name, rest))
            output = source_line(name, number)
            if output:
                lines.append("    " + output + "\n")
    lines.append(message_of(error) + "\n")
    return lines

def ended(error):
    """The exit code of a program that ends so."""
    code = error.args[0] if error.args else None
    if code is None:
        return 0
    if isinstance(code, int):
        return int(code)
    sys.stderr.write(str(code) + "\n")
    return 1

def finish():
    _host.run_threads()
    import _exits
    _exits.run()
    if _host.servers:
        _host.wait()

def read(path):
    with open(path) as f:
        return f.read()

def main():
    with open(_library + ".start.json") as f:
        start = _host.start = json.loads(f.read())
    os.environ.update(start["environ"])
    sys.argv[:] = start["argv"]
    for name in start["packages"]:
        match = sys.modules[name] = __import__("_" + name)
        for piece, value in getattr(match, "_parts", {}).items():
            sys.modules[name + "." + piece] = value
    guarded(lambda: run(start))

def serve():
    """One event of a program that serves visitors for ever."""
    guarded(lambda: _host.happened(_host.ask("event")), False)

def run(start):
    text = read(_library + ".program.py")
    name = start["file"]
    sys.path.insert(0, start["folder"])
    if not name.startswith("<"):
        scope["__file__"] = name
    _sources[name] = text.split("\n")
    if start["isInteractive"]:
        import _repl
        _repl.run(scope)
    elif start["module"]:
        run_module(start["module"])
    else:
        exec(compile(text, name, "exec"), scope)
    finish()

def guarded(body, is_last=True):
    """Runs a part of the program, and ends the program after the last."""
    code = 0
    try:
        body()
        if not is_last:
            return
    except SystemExit as error:
        code = ended(error)
    except KeyboardInterrupt:
        code = 130
    except MemoryError:
        _host.ask("memory")
    except BaseException as error:
        sys.stdout.flush()
        sys.stderr.write("".join(formatted(error)))
        code = 1
    _host.ask("exit", code)

def run_module(name):
    if name == "http.server":
        import http.server
        http.server.main()
    elif hasattr(sys.modules.get(name), "main"):
        sys.modules[name].main()
    else:
        path = name.replace(".", "/")
        for folder in sys.path:
            for end in (".py", "/__main__.py"):
                try:
                    text = read((folder + "/" if folder else "") + path + end)
                except OSError:
                    continue
                scope["__file__"] = path + end
                exec(compile(text, path + end, "exec"), scope)
                return
        sys.stderr.write("%s: No module named %s\n" % (sys.executable, name))
        raise SystemExit(1)
`;

/** `_repl`: a line after the other, as a person types them. */
export const repl = String.raw`
import sys, _host, _program

def complete(lines):
    """Whether what was typed is whole."""
    text = "\n".join(lines)
    depth = 0
    quote = ""
    at = 0
    while at < len(text):
        item = text[at]
        if quote:
            if text.startswith(quote, at):
                at += len(quote) - 1
                quote = ""
            elif item == "\\":
                at += 1
        elif item == "#":
            end = text.find("\n", at)
            if end < 0:
                break
            at = end
        elif text.startswith('"""', at) or text.startswith("'''", at):
            quote = text[at:at + 3]
            at += 2
        elif item in "\"'":
            quote = item
        elif item in "([{":
            depth += 1
        elif item in ")]}":
            depth -= 1
        at += 1
    if depth > 0 or len(quote) == 3 or text.endswith("\\"):
        return False
    first = lines[0].strip()
    if first.endswith(":") or first.startswith("@"):
        return lines[-1].strip() == "" and len(lines) > 1
    return True

def run(scope):
    out = sys.stdout
    if _host.start["isTerminal"]:
        out.write("Python %s on linux\nType \"help\", \"copyright\", \"credits\" or \"license\" for more information.\n" % sys.version)
    lines = []
    while True:
        if _host.start["isTerminal"]:
            out.write("... " if lines else ">>> ")
        line = _host.ask("line")
        if line is None:
            if _host.start["isTerminal"]:
                out.write("\n")
            return
        lines.append(line[:-1] if line.endswith("\n") else line)
        if lines == [""]:
            lines = []
            continue
        if not complete(lines):
            continue
        text = "\n".join(lines)
        lines = []
        try:
            try:
                code = compile(text, "<stdin>", "eval")
            except SyntaxError:
                exec(compile(text + "\n", "<stdin>", "exec"), scope)
                continue
            value = eval(code, scope)
            if value is not None:
                scope["_"] = value
                print(repr(value))
        except SystemExit:
            raise
        except BaseException as error:
            output = _program.formatted(error)
            if not (output[0].startswith("Traceback") or output[0].startswith("  File")):
                output.insert(0, "Traceback (most recent call last):\n  File \"<stdin>\", line 1, in <module>\n")
            sys.stderr.write("".join(output))
`;
