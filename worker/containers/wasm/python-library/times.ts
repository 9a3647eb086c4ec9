// Python's `time` and `datetime`, on the sandbox's clock, in UTC.

export const time = String.raw`
from utime import time as _now, gmtime as _gmtime, mktime
import _host
timezone = 0
tzname = ("UTC", "UTC")

def sleep(seconds):
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    _host.wait(seconds)

def time():
    return _host.ask("clock") / 1000

def time_ns():
    return int(_host.ask("clock")) * 1000000

monotonic = perf_counter = process_time = time
monotonic_ns = perf_counter_ns = time_ns

class struct_time(tuple):
    tm_year = property(lambda self: self[0])
    tm_mon = property(lambda self: self[1])
    tm_mday = property(lambda self: self[2])
    tm_hour = property(lambda self: self[3])
    tm_min = property(lambda self: self[4])
    tm_sec = property(lambda self: self[5])
    tm_wday = property(lambda self: self[6])
    tm_yday = property(lambda self: self[7])

def gmtime(seconds=None):
    return struct_time(tuple(_gmtime(int(time() if seconds is None else seconds)))[:8] + (0,))

localtime = gmtime
_days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_months = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")

_forms = {
    "Y": lambda t: "%04d" % t[0], "y": lambda t: "%02d" % (t[0] % 100), "m": lambda t: "%02d" % t[1], "d": lambda t: "%02d" % t[2],
    "e": lambda t: "%2d" % t[2], "H": lambda t: "%02d" % t[3], "I": lambda t: "%02d" % (t[3] % 12 or 12), "M": lambda t: "%02d" % t[4],
    "S": lambda t: "%02d" % t[5], "p": lambda t: "AM" if t[3] < 12 else "PM", "a": lambda t: _days[t[6]][:3], "A": lambda t: _days[t[6]],
    "b": lambda t: _months[t[1] - 1][:3], "B": lambda t: _months[t[1] - 1], "j": lambda t: "%03d" % t[7], "%": lambda t: "%",
    "s": lambda t: str(mktime(tuple(t)[:8])), "n": lambda t: "\n", "w": lambda t: str((t[6] + 1) % 7),
    "F": lambda t: "%04d-%02d-%02d" % (t[0], t[1], t[2]), "T": lambda t: "%02d:%02d:%02d" % (t[3], t[4], t[5]),
    "X": lambda t: "%02d:%02d:%02d" % (t[3], t[4], t[5]), "D": lambda t: "%02d/%02d/%02d" % (t[1], t[2], t[0] % 100),
    "x": lambda t: "%02d/%02d/%02d" % (t[1], t[2], t[0] % 100),
    "c": lambda t: "%s %s %2d %02d:%02d:%02d %d" % (_days[t[6]][:3], _months[t[1] - 1][:3], t[2], t[3], t[4], t[5], t[0])}

def strftime(form, t=None, micros=0, zone="UTC", offset="+0000"):
    t = gmtime() if t is None else t
    pieces = form.split("%")
    out = pieces[0]
    at = 1
    while at < len(pieces):
        piece = pieces[at]
        at += 1
        if piece == "":
            out += "%" + (pieces[at] if at < len(pieces) else "")
            at += 1
            continue
        item = piece[0]
        if item == "f":
            text = "%06d" % micros
        elif item == "Z":
            text = zone
        elif item == "z":
            text = offset
        else:
            text = _forms[item](t) if item in _forms else "%" + item
        out += text + piece[1:]
    return out

def log_time(ms):
    t = _gmtime(ms // 1000)
    return "%02d/%s/%d %02d:%02d:%02d" % (t[2], _months[t[1] - 1][:3], t[0], t[3], t[4], t[5])

def http_time(ms):
    t = _gmtime(ms // 1000)
    return "%s, %02d %s %d %02d:%02d:%02d GMT" % (_days[t[6]][:3], t[2], _months[t[1] - 1][:3], t[0], t[3], t[4], t[5])

def asctime(t=None):
    return strftime("%c", t)

def ctime(seconds=None):
    return strftime("%c", gmtime(seconds))
`;

export const datetime = String.raw`
import time as _time
from utime import mktime as _mktime

class timedelta:
    def __init__(self, days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0, weeks=0):
        self._us = round((((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60000000 + seconds * 1000000 + milliseconds * 1000 + microseconds)
    days = property(lambda self: self._us // 86400000000)
    seconds = property(lambda self: self._us // 1000000 % 86400)
    microseconds = property(lambda self: self._us % 1000000)
    def total_seconds(self):
        return self._us / 1000000
    def __add__(self, operand):
        return operand + self if isinstance(operand, date) else _delta(self._us + operand._us)
    def __sub__(self, operand):
        return _delta(self._us - operand._us)
    def __mul__(self, count):
        return _delta(self._us * count)
    __rmul__ = __mul__
    def __truediv__(self, operand):
        return self._us / operand._us if isinstance(operand, timedelta) else _delta(self._us / operand)
    def __neg__(self):
        return _delta(-self._us)
    def __eq__(self, operand):
        return isinstance(operand, timedelta) and self._us == operand._us
    def __lt__(self, operand):
        return self._us < operand._us
    def __le__(self, operand):
        return self._us <= operand._us
    def __gt__(self, operand):
        return self._us > operand._us
    def __ge__(self, operand):
        return self._us >= operand._us
    def __hash__(self):
        return hash(self._us)
    def __str__(self):
        days, rest = self.days, self.seconds
        text = "%d:%02d:%02d" % (rest // 3600, rest // 60 % 60, rest % 60)
        if self.microseconds:
            text += ".%06d" % self.microseconds
        return text if days == 0 else "%d day%s, %s" % (days, "" if abs(days) == 1 else "s", text)
    def __repr__(self):
        return "datetime.timedelta(days=%d, seconds=%d, microseconds=%d)" % (self.days, self.seconds, self.microseconds)

def _delta(us):
    return timedelta(microseconds=us)

class tzinfo:
    pass

class timezone(tzinfo):
    def __init__(self, offset=None, name=None):
        self._offset = offset or timedelta()
    def utcoffset(self, when):
        return self._offset
    def _text(self, colon=":"):
        minutes = self._offset._us // 60000000
        return "%s%02d%s%02d" % ("-" if minutes < 0 else "+", abs(minutes) // 60, colon, abs(minutes) % 60)
    def tzname(self, when):
        return "UTC" if self._offset._us == 0 else "UTC" + self._text()
    def __repr__(self):
        return "datetime.timezone.utc" if self._offset._us == 0 else "datetime.timezone(%r)" % self._offset
    __str__ = lambda self: self.tzname(None)

timezone.utc = timezone()
UTC = timezone.utc

class date:
    def __init__(self, year, month, day):
        self._set(year, month, day, 0, 0, 0, 0, None)
    def _set(self, year, month, day, hour, minute, second, microsecond, tz):
        if not 1 <= month <= 12:
            raise ValueError("month must be in 1..12")
        if not 1 <= day <= 31:
            raise ValueError("day is out of range for month")
        self.year, self.month, self.day = year, month, day
        self.hour, self.minute, self.second, self.microsecond, self.tzinfo = hour, minute, second, microsecond, tz
        self._us = _mktime((year, month, day, hour, minute, second, 0, 0)) * 1000000 + microsecond
    @classmethod
    def today(cls):
        return cls._of(int(_time.time() * 1000000))
    @classmethod
    def fromtimestamp(cls, seconds, tz=None):
        return cls._of(int(seconds * 1000000), tz)
    @classmethod
    def fromisoformat(cls, text):
        return datetime.fromisoformat(text).date()
    @classmethod
    def _of(cls, us, tz=None):
        t = _time.gmtime(us // 1000000)
        return date(t[0], t[1], t[2])
    def _tuple(self):
        return _time.gmtime(self._us // 1000000)
    def weekday(self):
        return self._tuple()[6]
    def isoweekday(self):
        return self.weekday() + 1
    def timetuple(self):
        return self._tuple()
    def strftime(self, form):
        tz = self.tzinfo
        return _time.strftime(form, self._tuple(), self.microsecond, tz.tzname(self) if tz else "", tz._text("") if tz else "")
    def __format__(self, form):
        return self.strftime(form) if form else str(self)
    def isoformat(self):
        return "%04d-%02d-%02d" % (self.year, self.month, self.day)
    def __str__(self):
        return self.isoformat()
    def __repr__(self):
        return "datetime.date(%d, %d, %d)" % (self.year, self.month, self.day)
    def _utc(self):
        return self._us - (self.tzinfo.utcoffset(self)._us if self.tzinfo else 0)
    def __add__(self, delta):
        return type(self)._of(self._us + delta._us, self.tzinfo)
    def __sub__(self, operand):
        return type(self)._of(self._us - operand._us, self.tzinfo) if isinstance(operand, timedelta) else _delta(self._utc() - operand._utc())
    def __eq__(self, operand):
        return isinstance(operand, date) and self._utc() == operand._utc()
    def __lt__(self, operand):
        return self._utc() < operand._utc()
    def __le__(self, operand):
        return self._utc() <= operand._utc()
    def __gt__(self, operand):
        return self._utc() > operand._utc()
    def __ge__(self, operand):
        return self._utc() >= operand._utc()
    def __hash__(self):
        return hash(self._us)

class datetime(date):
    def __init__(self, year, month, day, hour=0, minute=0, second=0, microsecond=0, tzinfo=None):
        self._set(year, month, day, hour, minute, second, microsecond, tzinfo)
    @classmethod
    def now(cls, tz=None):
        us = int(_time.time() * 1000000)
        return cls._of(us + (tz.utcoffset(None)._us if tz else 0), tz)
    @classmethod
    def utcnow(cls):
        return cls.now()
    @classmethod
    def _of(cls, us, tz=None):
        t = _time.gmtime(us // 1000000)
        return datetime(t[0], t[1], t[2], t[3], t[4], t[5], us % 1000000, tz)
    @classmethod
    def fromisoformat(cls, text):
        tz = UTC if text.endswith("Z") or text.endswith("+00:00") else None
        text = text.replace("Z", "").replace("+00:00", "")
        day, _, clock = text.replace("T", " ").partition(" ")
        pieces = (clock or "0:0:0").split(":") + ["0", "0"]
        second, _, fraction = pieces[2].partition(".")
        y, m, d = [int(item) for item in day.split("-")]
        return datetime(y, m, d, int(pieces[0]), int(pieces[1]), int(second), int((fraction + "000000")[:6]), tz)
    def timestamp(self):
        return self._utc() / 1000000
    def date(self):
        return date(self.year, self.month, self.day)
    def replace(self, year=None, month=None, day=None, hour=None, minute=None, second=None, microsecond=None, tzinfo=True):
        pick = lambda new, old: old if new is None else new
        return datetime(pick(year, self.year), pick(month, self.month), pick(day, self.day), pick(hour, self.hour), pick(minute, self.minute),
            pick(second, self.second), pick(microsecond, self.microsecond), self.tzinfo if tzinfo is True else tzinfo)
    def astimezone(self, tz=None):
        tz = tz or UTC
        return datetime._of(self._utc() + tz.utcoffset(self)._us, tz)
    def isoformat(self, sep="T", timespec="auto"):
        text = "%04d-%02d-%02d%s%02d:%02d:%02d" % (self.year, self.month, self.day, sep, self.hour, self.minute, self.second)
        if timespec == "milliseconds":
            text += ".%03d" % (self.microsecond // 1000)
        elif self.microsecond and timespec == "auto":
            text += ".%06d" % self.microsecond
        return text + (self.tzinfo._text() if self.tzinfo else "")
    def __str__(self):
        return self.isoformat(" ")
    def __repr__(self):
        return "datetime.datetime(%d, %d, %d, %d, %d, %d, %d)" % (self.year, self.month, self.day, self.hour, self.minute, self.second, self.microsecond)
`;
