// Python's sqlite3, and the common code of the drivers of database servers.

/** The common code of the SQL drivers. */
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
def define_errors(module, scope):
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
        return "(" + ", ".join([literal(item) for item in value]) + ")"
    return "'" + str(value).replace("'", "''") + "'"
def filled(sql, args):
    if args is None:
        return sql
    out, at, n = "", 0, 0
    while True:
        start = sql.find("%", at)
        if start < 0:
            break
        out += sql[at:start]
        next = sql[start + 1:start + 2]
        if next == "s":
            if n >= len(args):
                raise ProgrammingError("not enough arguments for format string")
            out += literal(args[n])
            n, at = n + 1, start + 2
        elif next == "(":
            end = sql.find(")s", start)
            out += literal(args[sql[start + 2:end]])
            at = end + 2
        else:
            out += "%"
            at = start + (2 if next == "%" else 1)
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
        rows, self._rows = self._rows[:size], self._rows[size:]
        return rows
    def fetchall(self):
        rows, self._rows = self._rows, []
        return rows
    def close(self): pass
    def __iter__(self):
        while self._rows:
            yield self._rows.pop(0)
    def __enter__(self): return self
    def __exit__(self, *more): return False
class Connection:
    closed = 0
    def commit(self): pass
    def rollback(self): pass
    def close(self): self.closed = 1
    def __enter__(self): return self
    def __exit__(self, kind=None, *more):
        if kind is None:
            self.commit()
        else:
            self.rollback()
        return False
class Session(Connection):
    """One with a server. What it has changed since its last commit goes with each statement."""
    _transaction = None
    def __init__(self, to, autocommit=False):
        self._to = to
        self.autocommit = autocommit
    def _get(self):
        return self._automatic
    def _set(self, on):
        self._automatic = bool(on)
        self._transaction = None if on else {"statements": [], "savepoints": [], "isManual": True}
    autocommit = property(_get, _set)
    def _send(self, sql):
        reply = _host.ask("sql", dict(self._to, sql=sql, transaction=self._transaction))
        if reply["kind"] != "lost":
            self._transaction = reply.get("transaction")
        return reply
`;

export const sqlite = String.raw`
import _host, _sql
from _sql import *
_sql.define_errors("sqlite3", globals())
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
        item = sql[at]
        if item == "'":
            quoted = not quoted
        if item == "?" and not quoted:
            if n >= len(args):
                raise ProgrammingError("Incorrect number of bindings supplied. The current statement uses %d, and there are %d supplied." % (sql.count("?"), len(args)))
            out += _sql.literal(args[n])
            n += 1
        elif item == ":" and not quoted and isinstance(args, dict):
            end = at + 1
            while end < len(sql) and (sql[end].isalpha() or sql[end].isdigit() or sql[end] == "_"):
                end += 1
            out += _sql.literal(args[sql[at + 1:end]])
            at = end - 1
        else:
            out += item
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
        self.connection.commit()
        for item in text.split(";"):
            if item.strip():
                self.execute(item)
        return self
class Connection(_sql.Connection):
    row_factory = None
    def __init__(self, path):
        self._path = None if path == ":memory:" else str(path)
        self._before = ""
        self._kept = ""
        self._own = False
        self._marks = []
        self.total_changes = 0
        self.isolation_level = ""
    def _end(self, keeps):
        if self._path is None:
            if not keeps:
                self._before = self._kept
            self._kept = self._before
        else:
            if keeps and self._before:
                _host.ask("sqlite", {"path": self._path, "before": self._before, "commits": True})
            self._before = ""
        self.in_transaction, self._own, self._marks = False, False, []
    in_transaction = False
    def commit(self):
        if self.closed:
            raise ProgrammingError("Cannot operate on a closed database.")
        self._end(True)
    def rollback(self):
        if self.in_transaction:
            self._end(False)
    def _step(self, sql):
        """Statements that begin, end and mark a transaction."""
        words = sql.strip().rstrip(";").lower().split()
        first = words[0] if words else ""
        if first == "begin":
            if self.in_transaction:
                raise OperationalError("cannot start a transaction within a transaction")
            self.in_transaction = self._own = True
        elif first in ("commit", "end") or (first == "rollback" and "to" not in words):
            if not self.in_transaction:
                raise OperationalError("cannot %s - no transaction is active" % ("rollback" if first == "rollback" else "commit"))
            self._end(first != "rollback")
        elif first == "savepoint":
            self.in_transaction = self._own = True
            self._marks.append((words[-1], self._before))
        elif first in ("rollback", "release"):
            names = [item[0] for item in self._marks]
            if words[-1] not in names:
                raise OperationalError("no such savepoint: " + words[-1])
            at = names.index(words[-1])
            if first == "rollback":
                self._before, self._marks = self._marks[at][1], self._marks[:at + 1]
            else:
                self._marks = self._marks[:at]
        else:
            return False
        return True
    def _run(self, sql, args):
        if self.closed:
            raise ProgrammingError("Cannot operate on a closed database.")
        if self._step(sql):
            return [], [], 0, None
        reply = _host.ask("sqlite", {"path": self._path, "before": self._before, "sql": _filled(sql, args)})
        if "error" in reply:
            text = reply["error"]
            raise (IntegrityError if "constraint failed" in text else OperationalError)(text)
        if reply["line"]:
            self._before += reply["line"]
            first = sql.strip()[:7].lower()
            if self._own or (self.isolation_level is not None and first[:6] in ("insert", "update", "delete", "replac")):
                self.in_transaction = True
            if not self.in_transaction:
                self._end(True)
        self.total_changes += reply["changes"]
        return reply["columns"], reply["rows"], reply["changes"], reply["id"]
    def cursor(self, *more): return Cursor(self)
    def execute(self, sql, args=None): return Cursor(self).execute(sql, args)
    def executemany(self, sql, all): return Cursor(self).executemany(sql, all)
    def executescript(self, text): return Cursor(self).executescript(text)
def connect(database, *more, **options):
    connection = Connection(database)
    if "isolation_level" in options:
        connection.isolation_level = options["isolation_level"]
    return connection
`;
