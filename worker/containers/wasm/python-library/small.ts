// Small modules of Python's library, as far as the programs of lessons use them.

export const http = String.raw`
class HTTPStatus:
    OK, CREATED, NO_CONTENT, FOUND, BAD_REQUEST, UNAUTHORIZED, FORBIDDEN, NOT_FOUND = 200, 201, 204, 302, 400, 401, 403, 404
    INTERNAL_SERVER_ERROR, SERVICE_UNAVAILABLE = 500, 503
`;
export const exits = String.raw`
calls = []
def run():
    while calls:
        call, args, more = calls.pop()
        call(*args, **more)
`;
export const atexit = String.raw`
import _exits
def register(call, *args, **more):
    _exits.calls.append((call, args, more))
    return call
`;
export const base64 = String.raw`
from binascii import b2a_base64, a2b_base64
def b64encode(data, altchars=None):
    return b2a_base64(data)[:-1]
def b64decode(data, altchars=None, validate=False):
    return a2b_base64(data)
def urlsafe_b64encode(data):
    return b64encode(data).replace(b"+", b"-").replace(b"/", b"_")
def urlsafe_b64decode(data):
    data = data.encode() if isinstance(data, str) else data
    return a2b_base64(data.replace(b"-", b"+").replace(b"_", b"/"))
`;
export const collections = String.raw`
from ucollections import *
class defaultdict(dict):
    def __init__(self, make=None, *more, **fields):
        super().__init__(*more, **fields)
        self.default_factory = make
    def __getitem__(self, key):
        if key not in self:
            if self.default_factory is None:
                raise KeyError(key)
            self[key] = self.default_factory()
        return super().__getitem__(key)
class Counter(dict):
    def __init__(self, of=()):
        super().__init__()
        self.update(of)
    def __getitem__(self, key):
        return self.get(key, 0)
    def update(self, of):
        for key in of:
            self[key] = self.get(key, 0) + (of[key] if isinstance(of, dict) else 1)
    def most_common(self, count=None):
        counted = sorted(self.items(), key=lambda item: -item[1])
        return counted if count is None else counted[:count]
`;
export const contextlib = String.raw`
class _Managed:
    def __init__(self, steps):
        self._steps = steps
    def __enter__(self):
        return next(self._steps)
    def __exit__(self, kind, value, trace):
        if kind is None:
            next(self._steps, None)
            return False
        try:
            self._steps.throw(value)
        except StopIteration:
            return True
        return False
def contextmanager(make):
    return lambda *args, **more: _Managed(make(*args, **more))
class suppress:
    def __init__(self, *kinds):
        self._kinds = kinds
    def __enter__(self):
        return self
    def __exit__(self, kind, value, trace):
        return kind is not None and issubclass(kind, self._kinds)
class redirect_stdout:
    def __init__(self, to):
        self._to = to
    def __enter__(self):
        import sys
        self._before, sys.stdout = sys.stdout, self._to
        return self._to
    def __exit__(self, *error):
        import sys
        sys.stdout = self._before
`;
export const copy = String.raw`
def copy(value):
    return value[:] if isinstance(value, list) else value.copy() if hasattr(value, "copy") else value
def deepcopy(item, memo=None):
    if isinstance(item, dict):
        return {key: deepcopy(value) for key, value in item.items()}
    if isinstance(item, (list, tuple)):
        return type(item)([deepcopy(value) for value in item])
    return item
`;
export const functools = String.raw`
def partial(call, *args, **more):
    return lambda *rest, **options: call(*(args + rest), **dict(list(more.items()) + list(options.items())))
def wraps(of, *more):
    return lambda call: call
def reduce(call, values, *first):
    values = iter(values)
    value = first[0] if first else next(values)
    for item in values:
        value = call(value, item)
    return value
def cache(call):
    cached = {}
    def wrapper(*args):
        if args not in cached:
            cached[args] = call(*args)
        return cached[args]
    wrapper_clear = cached.clear
    return wrapper
def lru_cache(size=128, typed=False):
    return cache(size) if callable(size) else cache
def cmp_to_key(compare):
    class Key:
        def __init__(self, value):
            self.value = value
        def __lt__(self, operand):
            return compare(self.value, operand.value) < 0
    return Key
total_ordering = lambda kind: kind
`;
export const getpass = String.raw`
def getuser():
    import os
    return os.environ.get("USER", "root")
`;
export const itertools = String.raw`
def count(start=0, step=1):
    while True:
        yield start
        start += step
def cycle(values):
    values = list(values)
    while values:
        for item in values:
            yield item
def repeat(value, times=None):
    while times is None or times > 0:
        yield value
        times = None if times is None else times - 1
def chain(*all):
    for values in all:
        for item in values:
            yield item
def islice(values, *bounds):
    start, stop = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
    step = bounds[2] if len(bounds) > 2 else 1
    at = 0
    for item in values:
        if stop is not None and at >= stop:
            return
        if at >= (start or 0) and (at - (start or 0)) % step == 0:
            yield item
        at += 1
def accumulate(values, call=lambda a, b: a + b):
    total = None
    for at, item in enumerate(values):
        total = item if at == 0 else call(total, item)
        yield total
def zip_longest(*all, fillvalue=None):
    all = [list(item) for item in all]
    for at in range(max([len(item) for item in all] or [0])):
        yield tuple([item[at] if at < len(item) else fillvalue for item in all])
def product(*all, repeat=1):
    match = [()]
    for values in [list(item) for item in all] * repeat:
        match = [before + (item,) for before in match for item in values]
    return iter(match)
def combinations(values, size):
    values = list(values)
    if size == 0:
        yield ()
        return
    for at, item in enumerate(values):
        for rest in combinations(values[at + 1:], size - 1):
            yield (item,) + rest
def permutations(values, size=None):
    values = list(values)
    if (len(values) if size is None else size) == 0:
        yield ()
        return
    for at, item in enumerate(values):
        for rest in permutations(values[:at] + values[at + 1:], None if size is None else size - 1):
            yield (item,) + rest
def takewhile(test, values):
    for item in values:
        if not test(item):
            return
        yield item
def groupby(values, key=lambda item: item):
    group, last = [], None
    for item in values:
        name = key(item)
        if group and name != last:
            yield last, iter(group)
            group = []
        group.append(item)
        last = name
    if group:
        yield last, iter(group)
`;
export const platform = String.raw`
import _host
def node():
    return _host.start["host"]
def python_version():
    return "3.13.9"
def system():
    return "Linux"
def release():
    return "6.12.48+deb13-amd64"
def machine():
    return "x86_64"
def platform():
    return "Linux-6.12.48+deb13-amd64-x86_64-with-glibc2.41"
def python_implementation():
    return "CPython"
`;
export const random = String.raw`
from urandom import getrandbits as _bits, seed as _seed
import _host
_seeded = False
def seed(value=None):
    global _seeded
    _seeded = value is not None
    if _seeded:
        _seed(value if isinstance(value, int) else hash(value))
def getrandbits(count):
    if not _seeded:
        _host.ask("random")
    value = 0
    while count > 0:
        some = min(count, 24)
        value = value << some | _bits(some)
        count -= some
    return value
def random():
    return getrandbits(48) / 281474976710656
def randrange(start, stop=None, step=1):
    start, stop = (0, start) if stop is None else (start, stop)
    count = (stop - start + step - 1) // step
    if count <= 0:
        raise ValueError("empty range for randrange()")
    return start + step * int(random() * count)
def randint(a, b):
    return randrange(a, b + 1)
def uniform(a, b):
    return a + (b - a) * random()
def choice(values):
    if not values:
        raise IndexError("Cannot choose from an empty sequence")
    return values[randrange(len(values))]
def choices(values, weights=None, k=1):
    if weights is None:
        return [choice(values) for item in range(k)]
    match = []
    for each in range(k):
        left = random() * sum(weights)
        for value, weight in zip(values, weights):
            left -= weight
            if left < 0:
                break
        match.append(value)
    return match
def shuffle(values):
    for at in range(len(values) - 1, 0, -1):
        operand = randrange(at + 1)
        values[at], values[operand] = values[operand], values[at]
def sample(values, k):
    values = list(values)
    shuffle(values)
    return values[:k]
def gauss(mu=0.0, sigma=1.0):
    return mu + sigma * (sum([random() for item in range(12)]) - 6)
normalvariate = gauss
`;
export const string = String.raw`
ascii_lowercase = "abcdefghijklmnopqrstuvwxyz"
ascii_uppercase = ascii_lowercase.upper()
ascii_letters = ascii_lowercase + ascii_uppercase
digits = "0123456789"
hexdigits = digits + "abcdefABCDEF"
punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_{|}~" + chr(96)
whitespace = " \t\n\r\x0b\x0c"
`;
export const tempfile = String.raw`
import os
_count = 0
def gettempdir():
    return "/tmp"
def mkdtemp(suffix="", prefix="tmp", dir="/tmp"):
    global _count
    _count += 1
    name = "%s/%s%08d%s" % (dir, prefix, _count, suffix)
    os.makedirs(name, exist_ok=True)
    return name
`;
export const textwrap = String.raw`
def dedent(text):
    lines = text.split("\n")
    least = min([len(item) - len(item.lstrip()) for item in lines if item.strip()] or [0])
    return "\n".join([item[least:] if item.strip() else "" for item in lines])
def indent(text, prefix):
    return "\n".join([prefix + item if item.strip() else item for item in text.split("\n")])
`;
export const traceback = String.raw`
import sys
def print_exc(*more, **options):
    error = sys.exc_info()[1]
    sys.stderr.write("Traceback (most recent call last):\n" if error is None else format_exc())
def format_exc(*more):
    import _program
    error = sys.exc_info()[1]
    return "" if error is None else "".join(_program.formatted(error))
def print_exception(error, *more, **options):
    import _program
    sys.stderr.write("".join(_program.formatted(more[0] if isinstance(error, type) else error)))
def format_exception(error, *more):
    import _program
    return _program.formatted(more[0] if isinstance(error, type) else error)
`;
export const typing = String.raw`
class _Any:
    def __getitem__(self, key):
        return self
    def __call__(self, *more, **options):
        return self
Any = Optional = Union = List = Dict = Tuple = Set = Callable = Iterable = Iterator = Sequence = Mapping = Generator = Type = ClassVar = _Any()
Literal = Final = TypeVar = Generic = Protocol = NoReturn = Awaitable = _Any()
TYPE_CHECKING = False
def cast(kind, value):
    return value
`;
export const uuid = String.raw`
import random
class UUID:
    def __init__(self, hex):
        self.hex = hex.replace("-", "")
        self.int = int(self.hex, 16)
    def __str__(self):
        h = self.hex
        return "-".join([h[:8], h[8:12], h[12:16], h[16:20], h[20:]])
    def __repr__(self):
        return "UUID('%s')" % self
    def __eq__(self, operand):
        return isinstance(operand, UUID) and self.hex == operand.hex
    def __hash__(self):
        return hash(self.hex)
def uuid4():
    text = "%032x" % random.getrandbits(128)
    return UUID(text[:12] + "4" + text[13:16] + "89ab"[random.getrandbits(2)] + text[17:])
uuid1 = uuid4
`;
