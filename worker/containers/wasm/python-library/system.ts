// Python's modules for the system around it: files, processes, signals, threads.

export const os = String.raw`
import uos as _os
import _host, sys
import _ospath as path
from _begin import os_error
name = "posix"
sep = "/"
linesep = "\n"
pathsep = ":"
devnull = "/dev/null"
environ = {}

class _Result(tuple):
    st_mode = property(lambda self: self[0])
    st_size = property(lambda self: self[6])
    st_mtime = property(lambda self: self[8])
    st_uid = property(lambda self: self[4])
    st_gid = property(lambda self: self[5])

def _called(call, *names):
    try:
        return call(*[str(item) for item in names])
    except OSError as error:
        raise os_error(error, str(names[0]))

def getenv(name, default=None):
    return environ.get(name, default)
def putenv(name, value):
    environ[name] = value
def listdir(folder="."):
    return [item[0] if isinstance(item, tuple) else item for item in _called(_os.listdir, folder)]
def mkdir(folder, mode=511):
    _called(_os.mkdir, folder)
def makedirs(folder, mode=511, exist_ok=False):
    full_path = path.abspath(folder)
    if path.isdir(full_path) and not exist_ok:
        raise FileExistsError(17, "File exists", folder)
    at = ""
    for piece in full_path.split("/")[1:]:
        at += "/" + piece
        if not path.isdir(at):
            mkdir(at)
def remove(file):
    _called(_os.remove, file)
unlink = remove
def rmdir(folder):
    _called(_os.rmdir, folder)
def rename(old, new):
    _called(_os.rename, old, new)
replace = rename
def stat(file):
    return _Result(_called(_os.stat, file))
def chdir(folder):
    _called(_os.chdir, folder)
def getcwd():
    return _os.getcwd()
def chmod(file, mode):
    stat(file)
def getpid():
    return _host.start["pid"]
def getppid():
    return 0
def getuid():
    return _host.start["uid"]
geteuid = getuid
def getgid():
    return _host.start["gid"]
def cpu_count():
    return 4
def urandom(count):
    import random
    return bytes([random.getrandbits(8) for item in range(count)])
class _Uname(tuple):
    sysname = property(lambda self: self[0])
    nodename = property(lambda self: self[1])
    release = property(lambda self: self[2])
    version = property(lambda self: self[3])
    machine = property(lambda self: self[4])
def uname():
    return _Uname(("Linux", _host.start["host"], "6.12.48+deb13-amd64", "#1 SMP PREEMPT_DYNAMIC", "x86_64"))
def system(command):
    done = _host.ask("run", ["sh", "-c", command], "")
    sys.stdout.write(done["out"])
    sys.stderr.write(done["err"])
    return done["code"] << 8
def popen(command):
    import io
    return io.StringIO(_host.ask("run", ["sh", "-c", command], "")["out"])
def _exit(code):
    raise SystemExit(code)
def abort():
    raise SystemExit(134)
def kill(pid, number):
    if pid == getpid():
        handler = _host.handlers.get(number)
        if callable(handler):
            handler(number, None)
        else:
            raise SystemExit(128 + number)
def walk(top):
    names = sorted(listdir(top))
    folders = [item for item in names if path.isdir(path.join(top, item))]
    yield top, folders, [item for item in names if item not in folders]
    for item in folders:
        for match in walk(path.join(top, item)):
            yield match
def fspath(path_like):
    return str(path_like)
sys.modules["os.path"] = path
`;

export const osPath = String.raw`
import uos as _os
sep = "/"
def join(first, *rest):
    joined = str(first)
    for name in rest:
        name = str(name)
        if name.startswith("/"):
            joined = name
        elif joined == "" or joined.endswith("/"):
            joined += name
        else:
            joined += "/" + name
    return joined
def _mode(name):
    try:
        return _os.stat(str(name))[0]
    except OSError:
        return 0
def exists(name):
    return _mode(name) != 0
lexists = exists
def isdir(name):
    return _mode(name) & 0o170000 == 0o40000
def isfile(name):
    return _mode(name) & 0o170000 == 0o100000
def islink(name):
    return False
def getsize(name):
    import os
    return os.stat(name).st_size
def getmtime(name):
    import os
    return os.stat(name).st_mtime
def basename(name):
    return str(name).rsplit("/", 1)[-1]
def dirname(name):
    head = str(name).rsplit("/", 1)
    return "" if len(head) == 1 else head[0] or "/"
def split(name):
    return dirname(name), basename(name)
def splitext(name):
    end = str(name).rfind(".")
    return (name, "") if end <= str(name).rfind("/") + 1 else (name[:end], name[end:])
def isabs(name):
    return str(name).startswith("/")
def normpath(name):
    pieces = []
    for item in str(name).split("/"):
        if item == "..":
            if pieces:
                pieces.pop()
        elif item not in ("", "."):
            pieces.append(item)
    return ("/" if isabs(name) else "") + "/".join(pieces) or "."
def abspath(name):
    return normpath(join(_os.getcwd(), name))
realpath = abspath
def expanduser(name):
    import os
    return name.replace("~", os.environ.get("HOME", "/root"), 1) if name.startswith("~") else name
def expandvars(name):
    return name
`;

export const pathlib = String.raw`
import os
class Path:
    def __init__(self, *pieces):
        self._name = os.path.join(*[str(item) for item in pieces]) if pieces else "."
    def __truediv__(self, operand):
        return Path(self._name, str(operand))
    def __str__(self):
        return self._name
    def __repr__(self):
        return "PosixPath(%r)" % self._name
    def __eq__(self, operand):
        return isinstance(operand, Path) and self._name == operand._name
    def __hash__(self):
        return hash(self._name)
    name = property(lambda self: os.path.basename(self._name))
    parent = property(lambda self: Path(os.path.dirname(self._name) or "."))
    stem = property(lambda self: os.path.splitext(self.name)[0])
    suffix = property(lambda self: os.path.splitext(self.name)[1])
    def exists(self):
        return os.path.exists(self._name)
    def is_file(self):
        return os.path.isfile(self._name)
    def is_dir(self):
        return os.path.isdir(self._name)
    def read_text(self, encoding=None):
        with open(self._name) as f:
            return f.read()
    def read_bytes(self):
        with open(self._name, "rb") as f:
            return f.read()
    def write_text(self, text, encoding=None):
        with open(self._name, "w") as f:
            return f.write(text)
    def touch(self, mode=438, exist_ok=True):
        open(self._name, "a").close()
    def open(self, mode="r", **more):
        return open(self._name, mode)
    def mkdir(self, mode=511, parents=False, exist_ok=False):
        if parents or exist_ok:
            os.makedirs(self._name, exist_ok=exist_ok)
        else:
            os.mkdir(self._name)
    def unlink(self, missing_ok=False):
        if self.exists() or not missing_ok:
            os.remove(self._name)
    def iterdir(self):
        return iter([self / item for item in sorted(os.listdir(self._name))])
    def resolve(self):
        return Path(os.path.abspath(self._name))
    absolute = resolve
    @classmethod
    def cwd(cls):
        return Path(os.getcwd())
PurePath = PosixPath = Path
`;

export const shutil = String.raw`
import os
def copyfile(a, b):
    with open(a, "rb") as f, open(b, "wb") as g:
        g.write(f.read())
    return b
def copy(a, b):
    return copyfile(a, os.path.join(b, os.path.basename(a)) if os.path.isdir(b) else b)
copy2 = copy
def move(a, b):
    os.rename(a, os.path.join(b, os.path.basename(a)) if os.path.isdir(b) else b)
    return b
def rmtree(folder, ignore_errors=False):
    for item in os.listdir(folder):
        full_path = os.path.join(folder, item)
        if os.path.isdir(full_path):
            rmtree(full_path)
        else:
            os.remove(full_path)
    os.rmdir(folder)
def which(name):
    import _host
    path_name = _host.ask("run", ["which", name], "")["out"].strip()
    return path_name or None
`;

export const signal = String.raw`
import _host
SIGHUP, SIGINT, SIGKILL, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGTERM, SIGCHLD = 1, 2, 9, 10, 12, 13, 14, 15, 17
SIG_DFL, SIG_IGN = 0, 1
class Signals:
    def __init__(self, number):
        self.value = number
        self.name = {1: "SIGHUP", 2: "SIGINT", 9: "SIGKILL", 15: "SIGTERM"}.get(number, str(number))
def signal(number, handler):
    before = _host.handlers.get(number, SIG_DFL)
    _host.handlers[number] = handler
    if number == SIGTERM and callable(handler):
        _host.ask("traps")
    return before
def getsignal(number):
    return _host.handlers.get(number, SIG_DFL)
def pause():
    _host.wait()
`;

export const subprocess = String.raw`
import _host, sys
PIPE, STDOUT, DEVNULL = -1, -2, -3
class SubprocessError(Exception): pass
class CalledProcessError(SubprocessError):
    def __init__(self, returncode, cmd, output=None, stderr=None):
        super().__init__(returncode, cmd)
        self.returncode, self.cmd, self.output, self.stdout, self.stderr = returncode, cmd, output, output, stderr
    def __str__(self):
        return "Command %r returned non-zero exit status %d." % (self.cmd, self.returncode)
class TimeoutExpired(SubprocessError): pass
class CompletedProcess:
    def __init__(self, args, returncode, stdout=None, stderr=None):
        self.args, self.returncode, self.stdout, self.stderr = args, returncode, stdout, stderr
    def check_returncode(self):
        if self.returncode:
            raise CalledProcessError(self.returncode, self.args, self.stdout, self.stderr)
    def __repr__(self):
        return "CompletedProcess(args=%r, returncode=%r)" % (self.args, self.returncode)
def run(args, input=None, capture_output=False, stdout=None, stderr=None, shell=False, check=False, text=False, universal_newlines=False,
        timeout=None, env=None, cwd=None, encoding=None, executable=None):
    words = ["sh", "-c", args if isinstance(args, str) else args[0]] if shell else [args] if isinstance(args, str) else [str(item) for item in args]
    if env is not None:
        words = ["env"] + ["%s=%s" % item for item in env.items()] + words
    if cwd is not None:
        words = ["sh", "-c", 'cd "$0" && "$@"', str(cwd)] + words
    standard_input = "" if input is None else input if isinstance(input, str) else input.decode()
    done = _host.ask("run", words, standard_input)
    if done["code"] == 127 and not shell and "not found" in done["err"]:
        raise FileNotFoundError(2, "No such file or directory", words[0])
    out, err = done["out"], done["err"]
    if stderr == STDOUT:
        out, err = out + err, ""
    is_text = text or universal_newlines or encoding
    decoded = lambda item: item if is_text else item.encode()
    result = CompletedProcess(args, done["code"])
    if capture_output or stdout == PIPE:
        result.stdout = decoded(out)
    elif stdout is None:
        sys.stdout.write(out)
        sys.stdout.flush()
    elif hasattr(stdout, "write"):
        stdout.write(out)
    if capture_output or stderr == PIPE:
        result.stderr = decoded(err)
    elif stderr is None:
        sys.stderr.write(err)
    if check:
        result.check_returncode()
    return result
def call(args, **more):
    return run(args, **more).returncode
def check_call(args, **more):
    run(args, check=True, **more)
    return 0
def check_output(args, **more):
    return run(args, stdout=PIPE, check=True, **more).stdout
def getoutput(command):
    return run(command, shell=True, stdout=PIPE, stderr=STDOUT, text=True).stdout.rstrip("\n")
class Popen:
    def __init__(self, args, stdin=None, **more):
        more.pop("bufsize", None)
        self.args = args
        done = run(args, **more)
        self.stdout, self.stderr, self.returncode, self.pid = done.stdout, done.stderr, done.returncode, 42
    def communicate(self, input=None, timeout=None):
        return self.stdout, self.stderr
    def wait(self, timeout=None):
        return self.returncode
    def poll(self):
        return self.returncode
    def __enter__(self):
        return self
    def __exit__(self, *error):
        pass
`;

export const threading = String.raw`
import _host
current = None
class Thread:
    def __init__(self, group=None, target=None, name=None, args=(), kwargs=None, daemon=None):
        self._target, self._args, self._kwargs = target, args, kwargs or {}
        self.name = name or "Thread-1"
        self.daemon = daemon
        self._alive = False
    def run(self):
        if self._target:
            self._target(*self._args, **self._kwargs)
    def start(self):
        self._alive = True
        _host.threads.append(self)
    def _run(self):
        global current
        before, current = current, self
        try:
            self.run()
        finally:
            current = before
            self._alive = False
    def join(self, timeout=None):
        _host.run_threads()
    def is_alive(self):
        return self._alive
class Lock:
    def acquire(self, blocking=True, timeout=-1):
        return True
    def release(self):
        pass
    def __enter__(self):
        return True
    def __exit__(self, *error):
        pass
RLock = Semaphore = Condition = Lock
class Event:
    def __init__(self):
        self._set = False
    def set(self):
        self._set = True
    def clear(self):
        self._set = False
    def is_set(self):
        return self._set
    def wait(self, timeout=None):
        if not self._set:
            _host.wait(timeout)
        return self._set
class Timer(Thread):
    def __init__(self, interval, function, args=(), kwargs=None):
        super().__init__(target=function, args=args, kwargs=kwargs)
        self._interval = interval
    def run(self):
        _host.wait(self._interval)
        super().run()
def current_thread():
    return current or Thread(name="MainThread")
main_thread = current_thread
`;
