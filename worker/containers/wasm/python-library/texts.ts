// Python's modules for texts: JSON, logs, expressions, arguments.

export const json = String.raw`
from ujson import loads as _loads, dumps as _dumps
class JSONDecodeError(ValueError): pass
def loads(text, **more):
    try:
        return _loads(text)
    except ValueError:
        raise JSONDecodeError("Expecting value: line 1 column 1 (char 0)")
def load(f, **more):
    return loads(f.read())
def dumps(value, indent=None, sort_keys=False, separators=None, default=None, ensure_ascii=True):
    item, pair = separators or ("," if indent is not None else ", ", ": ")
    step = "" if indent is None else indent if isinstance(indent, str) else " " * indent
    def text(value, depth):
        if value is None or isinstance(value, (bool, int, float, str)):
            encoded = _dumps(value)
            return encoded
        if isinstance(value, dict):
            pairs = sorted(value.items(), key=lambda both: both[0]) if sort_keys else value.items()
            pieces = [_dumps(key if isinstance(key, str) else str(key)) + pair + text(both, depth + 1) for key, both in pairs]
            return wrapped("{", pieces, "}", depth)
        if isinstance(value, (list, tuple)):
            return wrapped("[", [text(each, depth + 1) for each in value], "]", depth)
        if default is not None:
            return text(default(value), depth)
        raise TypeError("Object of type %s is not JSON serializable" % type(value).__name__)
    def wrapped(first, pieces, last, depth):
        if indent is None or not pieces:
            return first + item.join(pieces) + last
        line = "\n" + step * (depth + 1)
        return first + line + (item + line).join(pieces) + "\n" + step * depth + last
    return text(value, 0)
def dump(value, f, **more):
    f.write(dumps(value, **more))
`;
export const logging = String.raw`
import sys, time
CRITICAL, ERROR, WARNING, INFO, DEBUG, NOTSET = 50, 40, 30, 20, 10, 0
_names = {50: "CRITICAL", 40: "ERROR", 30: "WARNING", 20: "INFO", 10: "DEBUG"}
_settings = {"level": WARNING, "format": "%(levelname)s:%(name)s:%(message)s", "datefmt": None, "stream": None}
_loggers = {}
def getLevelName(level):
    return _names.get(level, level)
class Formatter:
    def __init__(self, fmt=None, datefmt=None, style="%"):
        self.fmt, self.datefmt = fmt or "%(message)s", datefmt
class Handler:
    def __init__(self, stream=None):
        self.stream, self.formatter, self.level = stream, None, 0
    def setFormatter(self, formatter):
        self.formatter = formatter
    def setLevel(self, level):
        self.level = _level(level)
StreamHandler = Handler
class FileHandler(Handler):
    def __init__(self, name, mode="a"):
        super().__init__(open(name, mode))
def _level(level_or_name):
    return level_or_name if isinstance(level_or_name, int) else {name: level for level, name in _names.items()}[level_or_name.upper()]
def basicConfig(level=None, format=None, datefmt=None, stream=None, handlers=None, filename=None, force=False, **more):
    if level is not None:
        _settings["level"] = _level(level)
    if format is not None:
        _settings["format"] = format
    _settings["datefmt"] = datefmt
    _settings["stream"] = open(filename, "a") if filename else stream or (handlers[0].stream if handlers else None)
class Logger:
    def __init__(self, name):
        self.name, self.level, self.handlers, self.propagate = name, 0, [], True
    def setLevel(self, level):
        self.level = _level(level)
    def addHandler(self, handler):
        self.handlers.append(handler)
    def isEnabledFor(self, level):
        return level >= (self.level or _settings["level"])
    def log(self, level, text, *args, **more):
        if not self.isEnabledFor(level):
            return
        message = str(text) % args if args else str(text)
        now = time.time()
        for item in self.handlers or [None]:
            form, dates, stream = _settings["format"], _settings["datefmt"], _settings["stream"]
            if item is not None:
                form = item.formatter.fmt if item.formatter else "%(message)s"
                dates = item.formatter.datefmt if item.formatter else None
                stream = item.stream
            when = time.strftime(dates or "%Y-%m-%d %H:%M:%S", time.gmtime(now)) + ("" if dates else ",%03d" % (now * 1000 % 1000))
            fields = (("asctime", when), ("levelname", _names.get(level, str(level))), ("name", self.name), ("message", message),
                ("process", "1"), ("threadName", "MainThread"), ("filename", "app.py"), ("module", "app"), ("funcName", "<module>"), ("lineno", "1"))
            for name, value in fields:
                at = form.find("%%(%s)" % name)
                while at >= 0:
                    end = at
                    while form[end] not in "sd":
                        end += 1
                    if name.endswith(form[at + 2:end]) or True:
                        end = at + len(name) + 3
                        while form[end] not in "sd":
                            end += 1
                    width = form[at + len(name) + 3:end]
                    output = value if not width else (value + " " * (int(width[1:]) - len(value)) if width.startswith("-") else " " * (int(width) - len(value)) + value)
                    form = form[:at] + output + form[end + 1:]
                    at = form.find("%%(%s)" % name, at + len(output))
            (stream or sys.stderr).write(form + "\n")
    def debug(self, text, *args, **more):
        self.log(DEBUG, text, *args)
    def info(self, text, *args, **more):
        self.log(INFO, text, *args)
    def warning(self, text, *args, **more):
        self.log(WARNING, text, *args)
    warn = warning
    def error(self, text, *args, **more):
        self.log(ERROR, text, *args)
    exception = error
    def critical(self, text, *args, **more):
        self.log(CRITICAL, text, *args)
def getLogger(name=None):
    name = name or "root"
    if name not in _loggers:
        _loggers[name] = Logger(name)
    return _loggers[name]
root = getLogger()
debug, info, warning, error, critical, exception, log = root.debug, root.info, root.warning, root.error, root.critical, root.exception, root.log
def disable(level):
    _settings["level"] = level + 1
`;
export const re = String.raw`
import _host
IGNORECASE = I = 2
MULTILINE = M = 8
DOTALL = S = 16
VERBOSE = X = 64
class error(ValueError): pass
PatternError = error
def escape(text):
    return "".join(["\\" + item if item in ".^$*+?{}[]\\|()-#&~ " else item for item in text])
class Match:
    def __init__(self, match, text, pattern):
        self._start, self._end, self._groups = match
        self.string, self.re = text, pattern
        self.lastindex = len(self._groups) - 1 or None
    def _at(self, name):
        return self.re._names().index(name) + 1 if isinstance(name, str) else name
    def group(self, *names):
        if len(names) > 1:
            return tuple([self.group(item) for item in names])
        at = self._at(names[0]) if names else 0
        if at >= len(self._groups):
            raise IndexError("no such group")
        return self._groups[at]
    __getitem__ = group
    def groups(self, default=None):
        return tuple([default if item is None else item for item in self._groups[1:]])
    def groupdict(self, default=None):
        return {name: self._groups[at + 1] for at, name in enumerate(self.re._names()) if name}
    def start(self, group=0):
        return self._start
    def end(self, group=0):
        return self._end
    def span(self, group=0):
        return (self._start, self._end)
    def expand(self, to):
        out, at = "", 0
        while at < len(to):
            item = to[at]
            at += 1
            if item != "\\" or at >= len(to):
                out += item
                continue
            item = to[at]
            at += 1
            if item == "g" and to[at:at + 1] == "<":
                end = to.find(">", at)
                name = to[at + 1:end]
                out += self.group(int(name) if name.isdigit() else name) or ""
                at = end + 1
            elif item.isdigit():
                out += self.group(int(item)) or ""
            else:
                out += {"n": "\n", "t": "\t", "\\": "\\"}.get(item, "\\" + item)
        return out
    def __repr__(self):
        return "<re.Match object; span=(%d, %d), match=%r>" % (self._start, self._end, self._groups[0])
class Pattern:
    def __init__(self, pattern, flags=0):
        self.pattern, self.flags = pattern, flags
        marks = ("i" if flags & I else "") + ("m" if flags & M else "") + ("s" if flags & S else "")
        self._flags = "(?%s)" % marks if marks else ""
        self._found("", "", False)
    def _names(self):
        names, at, text = [], 0, self.pattern
        while at < len(text):
            if text[at] == "\\":
                at += 1
            elif text[at] == "(":
                if text[at + 1:at + 4] == "?P<":
                    names.append(text[at + 4:text.find(">", at)])
                elif text[at + 1:at + 2] != "?":
                    names.append(None)
            at += 1
        return names
    def _found(self, text, end, all):
        isBytes = isinstance(text, (bytes, bytearray))
        reply = _host.ask("match", self._flags + (self.pattern.decode() if isinstance(self.pattern, bytes) else self.pattern) + end, text.decode() if isBytes else text, all)
        if isinstance(reply, dict):
            raise error(reply["error"].replace("error parsing regexp: ", ""))
        return [Match(item, text, self) for item in reply]
    def search(self, text):
        match = self._found(text, "", False)
        return match[0] if match else None
    def _anchored(self, text, end):
        anchored = Pattern("^(?:" + self.pattern + ")" + end, self.flags & ~M)
        match = anchored._found(text, "", False)
        if match:
            match[0].re = self
        return match[0] if match else None
    def match(self, text):
        return self._anchored(text, "")
    def fullmatch(self, text):
        return self._anchored(text, "$")
    def finditer(self, text):
        return iter(self._found(text, "", True))
    def findall(self, text):
        out = []
        for item in self._found(text, "", True):
            groups = item.groups("")
            out.append(item.group() if not groups else groups[0] if len(groups) == 1 else groups)
        return out
    def sub(self, to, text, count=0):
        out, at = "", 0
        for done, item in enumerate(self._found(text, "", True)):
            if count and done >= count:
                break
            out += text[at:item._start] + (to(item) if callable(to) else item.expand(to))
            at = item._end
        return out + text[at:]
    def split(self, text, maxsplit=0):
        out, at = [], 0
        for done, item in enumerate(self._found(text, "", True)):
            if maxsplit and done >= maxsplit:
                break
            out.append(text[at:item._start])
            out += list(item.groups())
            at = item._end
        return out + [text[at:]]
    def __repr__(self):
        return "re.compile(%r)" % self.pattern
def compile(pattern, flags=0):
    return pattern if isinstance(pattern, Pattern) else Pattern(pattern, flags)
def match(pattern, text, flags=0):
    return compile(pattern, flags).match(text)
def search(pattern, text, flags=0):
    return compile(pattern, flags).search(text)
def fullmatch(pattern, text, flags=0):
    return compile(pattern, flags).fullmatch(text)
def findall(pattern, text, flags=0):
    return compile(pattern, flags).findall(text)
def finditer(pattern, text, flags=0):
    return compile(pattern, flags).finditer(text)
def sub(pattern, to, text, count=0, flags=0):
    return compile(pattern, flags).sub(to, text, count)
def split(pattern, text, maxsplit=0, flags=0):
    return compile(pattern, flags).split(text, maxsplit)
`;
export const argparse = String.raw`
import sys
class Namespace:
    def __init__(self, **fields):
        for name, value in fields.items():
            setattr(self, name, value)
class _Argument:
    pass
class ArgumentParser:
    def __init__(self, prog=None, description=None, **more):
        self.prog = prog or sys.argv[0].rsplit("/", 1)[-1]
        self.description, self._all = description, []
    def add_argument(self, *names, default=None, type=None, action=None, help=None, required=False, dest=None, nargs=None, choices=None, **more):
        argument = _Argument()
        argument.names, argument.default, argument.type, argument.action, argument.required, argument.nargs, argument.choices = names, default, type, action, required, nargs, choices
        argument.isOption = names[0].startswith("-")
        long = [name for name in names if name.startswith("--")] or names
        argument.dest = dest or long[0].lstrip("-").replace("-", "_")
        if action in ("store_true", "store_false") and default is None:
            argument.default = action == "store_false"
        self._all.append(argument)
        return argument
    def error(self, text):
        sys.stderr.write("usage: %s\n%s: error: %s\n" % (self.prog, self.prog, text))
        raise SystemExit(2)
    def _value(self, argument, text):
        try:
            value = text if argument.type is None else argument.type(text)
        except (ValueError, TypeError):
            self.error("argument %s: invalid %s value: %r" % ("/".join(argument.names), argument.type.__name__, text))
        if argument.choices and value not in argument.choices:
            self.error("argument %s: invalid choice: %r (choose from %s)" % ("/".join(argument.names), value, ", ".join([str(each) for each in argument.choices])))
        return value
    def parse_args(self, args=None):
        args = list(sys.argv[1:] if args is None else args)
        namespace = Namespace(**{argument.dest: argument.default for argument in self._all})
        used = set()
        rest = []
        while args:
            arg = args.pop(0)
            name, mark, value = arg.partition("=")
            option = [argument for argument in self._all if argument.isOption and name in argument.names]
            if not option:
                if arg.startswith("-") and len(arg) > 1:
                    self.error("unrecognized arguments: " + arg)
                rest.append(arg)
                continue
            argument = option[0]
            used.add(argument.dest)
            if argument.action in ("store_true", "store_false"):
                setattr(namespace, argument.dest, argument.action == "store_true")
            elif not mark and not args:
                self.error("argument %s: expected one argument" % "/".join(argument.names))
            else:
                setattr(namespace, argument.dest, self._value(argument, value if mark else args.pop(0)))
        for argument in self._all:
            if argument.isOption:
                if argument.required and argument.dest not in used:
                    self.error("the following arguments are required: " + "/".join(argument.names))
            elif argument.nargs in ("*", "+"):
                setattr(namespace, argument.dest, [self._value(argument, each) for each in rest])
                rest = []
            elif rest:
                setattr(namespace, argument.dest, self._value(argument, rest.pop(0)))
            elif argument.nargs != "?":
                self.error("the following arguments are required: " + argument.names[0])
        return namespace
`;
