// Python's drivers of databases: sqlite3, psycopg2, pymysql and redis, as far as small programs use them. Each statement is a transaction.

/** What the drivers of SQL have in common. */
export const sqlBase = String.raw`
import _host
class Error(Exception): pass
class Warning(Exception): pass
class InterfaceError(Error): pass
class DatabaseError(Error): pass
class OperationalError(DatabaseError): pass
class ProgrammingError(DatabaseError): pass
class IntegrityError(DatabaseError): pass
class InternalError(DatabaseError): pass
class NotSupportedError(DatabaseError): pass
class DataError(DatabaseError): pass
names = ("Error", "Warning", "InterfaceError", "DatabaseError", "OperationalError", "ProgrammingError", "IntegrityError", "InternalError", "NotSupportedError", "DataError")
def own(module, scope):
    """Errors that are called after the driver, of the kinds that all have."""
    for name in names:
        kind = globals()[name]
        scope[name] = kind if name in ("Error", "Warning", "DatabaseError") else type(name, (kind,), {"__module__": module})
def literal(value):
    if value is None:
        return "NULL"
    if value is True:
        return "TRUE"
    if value is False:
        return "FALSE"
    if isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, (bytes, bytearray)):
        value = value.decode()
    if isinstance(value, (list, tuple)):
        return "(" + ", ".join([literal(one) for one in value]) + ")"
    return "'" + str(value).replace("'", "''") + "'"
def filled(sql, args):
    if args is None:
        return sql
    out, at, n = "", 0, 0
    while True:
        found = sql.find("%", at)
        if found < 0:
            break
        out += sql[at:found]
        next = sql[found + 1:found + 2]
        if next == "s":
            if n >= len(args):
                raise ProgrammingError("not enough arguments for format string")
            out += literal(args[n])
            n, at = n + 1, found + 2
        elif next == "(":
            end = sql.find(")s", found)
            out += literal(args[sql[found + 2:end]])
            at = end + 2
        else:
            out += "%"
            at = found + (2 if next == "%" else 1)
    return out + sql[at:]
class Cursor:
    arraysize = 1
    def __init__(self, connection, kind=tuple):
        self.connection, self._kind = connection, kind
        self.description, self.rowcount, self.lastrowid, self.rownumber = None, -1, None, 0
        self._rows = []
    def execute(self, sql, args=None):
        if args is not None and not isinstance(args, (list, tuple, dict)):
            args = (args,)
        columns, rows, count, self.lastrowid = self.connection._run(sql, args)
        self.description = [(name, None, None, None, None, None, None) for name in columns] if columns else None
        self._rows = [self._row(columns, row) for row in rows]
        self.rowcount = len(rows) if columns else count
        return self._done()
    def _done(self):
        return self.rowcount
    def _row(self, columns, row):
        return dict(zip(columns, row)) if self._kind is dict else tuple(row)
    def executemany(self, sql, all):
        count = 0
        for args in all:
            self.execute(sql, args)
            count += max(0, self.rowcount)
        self.rowcount = count
        return self._done()
    def fetchone(self):
        return self._rows.pop(0) if self._rows else None
    def fetchmany(self, size=None):
        size = size or self.arraysize
        found, self._rows = self._rows[:size], self._rows[size:]
        return found
    def fetchall(self):
        found, self._rows = self._rows, []
        return found
    def close(self): pass
    def __iter__(self):
        while self._rows:
            yield self._rows.pop(0)
    def __enter__(self): return self
    def __exit__(self, *more): return False
class Connection:
    closed = 0
    autocommit = False
    def commit(self): pass
    def rollback(self): pass
    def close(self): self.closed = 1
    def __enter__(self): return self
    def __exit__(self, *more): return False
`;

export const sqlite = String.raw`
import _host, _sql
from _sql import *
_sql.own("sqlite3", globals())
sqlite_version = "3.46.1"
version = "2.6.0"
PARSE_DECLTYPES = 1
PARSE_COLNAMES = 2
class Row:
    def __init__(self, columns, row): self._columns, self._row = columns, row
    def keys(self): return list(self._columns)
    def __getitem__(self, key): return self._row[self._columns.index(key) if isinstance(key, str) else key]
    def __len__(self): return len(self._row)
    def __iter__(self): return iter(self._row)
    def __repr__(self): return "<sqlite3.Row object at 0x7f0000000000>"
def _filled(sql, args):
    if not args:
        return sql
    out, quoted, n, at = "", False, 0, 0
    while at < len(sql):
        one = sql[at]
        if one == "'":
            quoted = not quoted
        if one == "?" and not quoted:
            if n >= len(args):
                raise ProgrammingError("Incorrect number of bindings supplied. The current statement uses %d, and there are %d supplied." % (sql.count("?"), len(args)))
            out += _sql.literal(args[n])
            n += 1
        elif one == ":" and not quoted and isinstance(args, dict):
            end = at + 1
            while end < len(sql) and (sql[end].isalpha() or sql[end].isdigit() or sql[end] == "_"):
                end += 1
            out += _sql.literal(args[sql[at + 1:end]])
            at = end - 1
        else:
            out += one
        at += 1
    return out
class Cursor(_sql.Cursor):
    def _done(self): return self
    def _row(self, columns, row):
        factory = self.connection.row_factory
        if factory is Row:
            return Row(columns, tuple(row))
        if factory is not None:
            self.description = [(name, None, None, None, None, None, None) for name in columns]
            return factory(self, tuple(row))
        return tuple(row)
    def executescript(self, text):
        for one in text.split(";"):
            if one.strip():
                self.execute(one)
        return self
class Connection(_sql.Connection):
    row_factory = None
    def __init__(self, path):
        self._path = None if path == ":memory:" else str(path)
        self._before = ""
        self.total_changes = 0
    def _run(self, sql, args):
        if self.closed:
            raise ProgrammingError("Cannot operate on a closed database.")
        said = _host.ask("sqlite", {"path": self._path, "before": self._before, "sql": _filled(sql, args)})
        if "error" in said:
            text = said["error"]
            raise (IntegrityError if "constraint failed" in text else OperationalError)(text)
        self._before += said["line"]
        self.total_changes += said["changes"]
        return said["columns"], said["rows"], said["changes"], said["id"]
    def cursor(self, *more): return Cursor(self)
    def execute(self, sql, args=None): return Cursor(self).execute(sql, args)
    def executemany(self, sql, all): return Cursor(self).executemany(sql, all)
    def executescript(self, text): return Cursor(self).executescript(text)
def connect(database, *more, **options):
    return Connection(database)
`;

export const psycopg2 = String.raw`
import _host, _sql
from _sql import *
_sql.own("psycopg2", globals())
__version__ = "2.9.11 (dt dec pq3 ext lo64)"
paramstyle = "pyformat"
class UndefinedTable(ProgrammingError): pass
class UndefinedColumn(ProgrammingError): pass
class DuplicateTable(ProgrammingError): pass
class SyntaxError(ProgrammingError): pass
class UniqueViolation(IntegrityError): pass
class NotNullViolation(IntegrityError): pass
class ForeignKeyViolation(IntegrityError): pass
class _Names: pass
errors = _Names()
extras = _Names()
extensions = _Names()
class RealDictCursor: pass
class DictCursor: pass
extras.RealDictCursor, extras.DictCursor = RealDictCursor, DictCursor
extras.execute_values = lambda cursor, sql, all, **more: cursor.execute(sql.replace("%s", ", ".join([_sql.literal(tuple(one)) for one in all])))
_codes = {"42P01": UndefinedTable, "42703": UndefinedColumn, "42P07": DuplicateTable, "42601": SyntaxError, "23505": UniqueViolation, "23502": NotNullViolation, "23503": ForeignKeyViolation}
for _one in _codes.values():
    setattr(errors, _one.__name__, _one)
_why = {"refused": "Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?\n", "timeout": "timeout expired\n", "dropped": "Connection timed out\n\tIs the server running on that host and accepting TCP/IP connections?\n", "unreachable": "No route to host\n\tIs the server running on that host and accepting TCP/IP connections?\n"}
class connection(_sql.Connection):
    def __init__(self, said):
        self._to = said
        self._run("", None)
    def _run(self, sql, args):
        if self.closed:
            raise InterfaceError("connection already closed")
        to = self._to
        said = _host.ask("sql", dict(to, sql=_sql.filled(sql, args)))
        kind = said["kind"]
        where = 'connection to server at "%s" (%s), port %d failed: ' % (to["host"], said.get("address", ""), to["port"])
        if kind == "lost":
            if said["why"] == "unresolved":
                raise OperationalError('could not translate host name "%s" to address: Name or service not known\n' % to["host"])
            raise OperationalError(where + _why.get(said["why"], "server closed the connection unexpectedly\n"))
        if kind == "refused":
            raise OperationalError(where + "FATAL:  " + said["message"] + "\n")
        if kind == "error":
            text = said["message"] + "\n" + ("DETAIL:  %s\n" % said["detail"] if said.get("detail") else "")
            raise _codes.get(said["code"], ProgrammingError)(text)
        if kind == "rows":
            return said["columns"], said["rows"], len(said["rows"]), None
        return [], [], said["changes"], None
    def cursor(self, name=None, cursor_factory=None, **more):
        made = Cursor(self, dict if cursor_factory is not None else tuple)
        return made
    def set_session(self, **more): pass
class Cursor(_sql.Cursor):
    def _done(self): return None
extensions.connection = connection
_parts = {"extras": extras, "errors": errors, "extensions": extensions}
def connect(dsn=None, host=None, port=None, user=None, password=None, dbname=None, database=None, **more):
    from os import environ
    if dsn and "://" in dsn:
        rest = dsn.split("://", 1)[1].split("?")[0]
        own, _, place = rest.rpartition("@")
        user, _, password = own.partition(":")
        place, _, dbname = place.partition("/")
        host, _, port = place.partition(":")
    elif dsn:
        for one in dsn.split():
            name, _, value = one.partition("=")
            if name == "host": host = value
            elif name == "port": port = value
            elif name == "user": user = value
            elif name == "password": password = value
            elif name == "dbname": dbname = value
    user = user or environ.get("PGUSER") or "root"
    return connection({"host": host or environ.get("PGHOST") or "127.0.0.1", "port": int(port or environ.get("PGPORT") or 5432), "user": user,
        "password": password or environ.get("PGPASSWORD"), "database": dbname or database or environ.get("PGDATABASE") or user})
`;

export const pymysql = String.raw`
import _host, _sql
from _sql import *
_sql.own("pymysql.err", globals())
__version__ = "1.1.2"
class MySQLError(Error): pass
class _Names: pass
err = _Names()
cursors = _Names()
for _name in _sql.names:
    setattr(err, _name, globals()[_name])
class DictCursor: pass
cursors.DictCursor, cursors.Cursor = DictCursor, _sql.Cursor
_why = {"refused": "[Errno 111] Connection refused", "unresolved": "[Errno -2] Name or service not known", "timeout": "timed out", "dropped": "timed out", "unreachable": "[Errno 113] No route to host"}
_kinds = {1062: IntegrityError, 1048: IntegrityError, 1452: IntegrityError, 1146: ProgrammingError, 1064: ProgrammingError, 1054: OperationalError}
class Connection(_sql.Connection):
    def __init__(self, to, kind):
        self._to, self._kind, self.db = to, kind, to["database"]
        self._run("", None)
    def _run(self, sql, args):
        to = self._to
        said = _host.ask("sql", dict(to, sql=_sql.filled(sql, args)))
        kind = said["kind"]
        if kind == "lost":
            raise OperationalError(2003, "Can't connect to MySQL server on '%s' (%s)" % (to["host"], _why.get(said["why"], "[Errno 104] Connection reset by peer")))
        if kind in ("error", "refused"):
            code = int(said["code"].split(" ")[0])
            raise _kinds.get(code, OperationalError)(code, said["message"])
        if kind == "rows":
            return said["columns"], said["rows"], len(said["rows"]), None
        if said["tag"].startswith("use "):
            to["database"] = said["tag"][4:]
        last = None
        if sql.lstrip()[:6].lower() == "insert":
            found = _host.ask("sql", dict(to, sql="select last_insert_id()"))
            last = found["rows"][0][0] if found["kind"] == "rows" else None
        return [], [], said["changes"], last
    def cursor(self, kind=None, dictionary=False, **more):
        return _sql.Cursor(self, dict if dictionary or (kind or self._kind) is DictCursor else tuple)
    def select_db(self, name): self._to["database"] = name
    def ping(self, reconnect=True): self._run("", None)
    def is_connected(self): return not self.closed
    open = True
def connect(host="localhost", user=None, password="", database=None, port=3306, cursorclass=None, db=None, passwd=None, unix_socket=None, **more):
    return Connection({"host": "127.0.0.1" if host == "localhost" else host, "port": int(port or 3306), "user": user or "root", "password": password or passwd or None, "database": database or db or ""}, cursorclass)
Connect = connect
_parts = {"cursors": cursors, "err": err}
`;

/** Oracle's own driver, on the same. */
export const mysqlConnector = String.raw`
import _pymysql as connector
_parts = {"connector": connector}
`;

export const redis = String.raw`
import _host
__version__ = "6.4.0"
class RedisError(Exception): pass
class ConnectionError(RedisError): pass
class TimeoutError(RedisError): pass
class ResponseError(RedisError): pass
class AuthenticationError(ConnectionError): pass
class ReadOnlyError(ResponseError): pass
class _Names: pass
exceptions = _Names()
for _one in (RedisError, ConnectionError, TimeoutError, ResponseError, AuthenticationError, ReadOnlyError):
    setattr(exceptions, _one.__name__, _one)
_why = {"refused": "Error 111 connecting to %s:%d. Connection refused.", "unresolved": "Error -2 connecting to %s:%d. Name or service not known.", "timeout": "Timeout connecting to server", "dropped": "Error 110 connecting to %s:%d. Connection timed out.", "unreachable": "Error 113 connecting to %s:%d. No route to host."}
def _text(value):
    if isinstance(value, (bytes, bytearray)):
        return value.decode()
    return str(value)
class Redis:
    def __init__(self, host="localhost", port=6379, db=0, password=None, decode_responses=False, **more):
        self._host, self._port, self._db, self._password, self._decode = host, int(port), db, password, decode_responses
    @classmethod
    def from_url(kind, url, **more):
        rest = url.split("://", 1)[1]
        own, _, place = rest.rpartition("@")
        place, _, db = place.partition("/")
        host, _, port = place.partition(":")
        return kind(host, int(port or 6379), int(db or 0), own.partition(":")[2] or None, **more)
    def execute_command(self, *words):
        said = _host.ask("redis", {"host": self._host, "port": self._port, "auth": self._password, "database": str(self._db) if self._db else None, "command": [_text(one) for one in words]})
        if len(said) == 3:
            text = _why.get(said[2], "Connection closed by server.")
            raise ConnectionError(text % (self._host, self._port) if "%" in text else text)
        if len(said) == 2:
            text = said[1]
            if text.startswith("NOAUTH") or text.startswith("WRONGPASS"):
                raise AuthenticationError(text.split(" ", 1)[1])
            kind, rest = (ReadOnlyError, text.split(" ", 1)[1]) if text.startswith("READONLY") else (ResponseError, text[4:] if text.startswith("ERR ") else text)
            raise kind(rest)
        return said[0]
    def _given(self, value):
        if isinstance(value, str):
            return value if self._decode else value.encode()
        return [self._given(one) for one in value] if isinstance(value, list) else value
    def ping(self): return self.execute_command("PING") == "PONG"
    def get(self, key): return self._given(self.execute_command("GET", key))
    def set(self, key, value, ex=None, px=None, nx=False, xx=False):
        more = (["EX", ex] if ex is not None else []) + (["PX", px] if px is not None else []) + (["NX"] if nx else []) + (["XX"] if xx else [])
        return True if self.execute_command("SET", key, value, *more) == "OK" else None
    def setex(self, key, time, value): return self.set(key, value, ex=time)
    def setnx(self, key, value): return self.execute_command("SETNX", key, value) == 1
    def incr(self, key, amount=1): return self.execute_command("INCRBY", key, amount)
    incrby = incr
    def decr(self, key, amount=1): return self.execute_command("DECRBY", key, amount)
    def exists(self, *keys): return self.execute_command("EXISTS", *keys)
    def delete(self, *keys): return self.execute_command("DEL", *keys)
    def expire(self, key, time): return self.execute_command("EXPIRE", key, time) == 1
    def ttl(self, key): return self.execute_command("TTL", key)
    def keys(self, pattern="*"): return self._given(self.execute_command("KEYS", pattern))
    def mget(self, *keys): return self._given(self.execute_command("MGET", *(keys[0] if len(keys) == 1 and isinstance(keys[0], list) else keys)))
    def lpush(self, key, *values): return self.execute_command("LPUSH", key, *values)
    def rpush(self, key, *values): return self.execute_command("RPUSH", key, *values)
    def lpop(self, key): return self._given(self.execute_command("LPOP", key))
    def rpop(self, key): return self._given(self.execute_command("RPOP", key))
    def blpop(self, keys, timeout=0):
        import time as _time
        keys = [keys] if isinstance(keys, str) else keys
        waited = 0
        while True:
            found = self.execute_command("BLPOP", *(list(keys) + [0]))
            if found is not None or (timeout and waited >= timeout):
                return tuple(self._given(found)) if found else None
            _time.sleep(1)
            waited += 1
    def lrange(self, key, start, end): return self._given(self.execute_command("LRANGE", key, start, end))
    def llen(self, key): return self.execute_command("LLEN", key)
    def hset(self, name, key=None, value=None, mapping=None):
        pairs = [key, value] if key is not None else []
        for one in (mapping or {}).items():
            pairs += list(one)
        return self.execute_command("HSET", name, *pairs)
    def hget(self, name, key): return self._given(self.execute_command("HGET", name, key))
    def hgetall(self, name):
        flat = self._given(self.execute_command("HGETALL", name))
        return {flat[at]: flat[at + 1] for at in range(0, len(flat), 2)}
    def hincrby(self, name, key, amount=1): return self.execute_command("HINCRBY", name, key, amount)
    def sadd(self, key, *values): return self.execute_command("SADD", key, *values)
    def smembers(self, key): return set(self._given(self.execute_command("SMEMBERS", key)))
    def zadd(self, key, mapping):
        flat = []
        for member, score in mapping.items():
            flat += [score, member]
        return self.execute_command("ZADD", key, *flat)
    def zincrby(self, key, amount, member): return float(self.execute_command("ZINCRBY", key, amount, member))
    def zrevrange(self, key, start, end, withscores=False):
        flat = self._given(self.execute_command("ZREVRANGE", key, start, end, *(["WITHSCORES"] if withscores else [])))
        return [(flat[at], float(flat[at + 1])) for at in range(0, len(flat), 2)] if withscores else flat
    def publish(self, channel, message): return self.execute_command("PUBLISH", channel, message)
    def dbsize(self): return self.execute_command("DBSIZE")
    def flushdb(self): return self.execute_command("FLUSHDB") == "OK"
    flushall = flushdb
    def info(self, section=None):
        text = self.execute_command("INFO", *([section] if section else []))
        found = {}
        for line in text.split("\r\n"):
            name, colon, value = line.partition(":")
            if colon:
                found[name] = int(value) if value.isdigit() else value
        return found
    def close(self): pass
StrictRedis = Redis
_parts = {"exceptions": exceptions}
def from_url(url, **more): return Redis.from_url(url, **more)
`;
