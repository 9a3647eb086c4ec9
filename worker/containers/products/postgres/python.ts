// psycopg2 and psycopg, Python's drivers of PostgreSQL, as far as small programs use them.

export const psycopg2 = String.raw`
import _host, _sql
from _sql import *
_sql.define_errors("psycopg2", globals())
__version__ = "2.9.11 (dt dec pq3 ext lo64)"
paramstyle = "pyformat"
class UndefinedTable(ProgrammingError): pass
class UndefinedColumn(ProgrammingError): pass
class DuplicateTable(ProgrammingError): pass
class SyntaxError(ProgrammingError): pass
class UniqueViolation(IntegrityError): pass
class NotNullViolation(IntegrityError): pass
class ForeignKeyViolation(IntegrityError): pass
class CheckViolation(IntegrityError): pass
class InsufficientPrivilege(ProgrammingError): pass
class InFailedSqlTransaction(InternalError): pass
class InvalidCatalogName(OperationalError): pass
class DuplicateDatabase(ProgrammingError): pass
class DuplicateObject(ProgrammingError): pass
class UndefinedFunction(ProgrammingError): pass
class ActiveSqlTransaction(InternalError): pass
class _Names: pass
errors = _Names()
extras = _Names()
extensions = _Names()
class RealDictCursor: pass
class DictCursor: pass
extras.RealDictCursor, extras.DictCursor = RealDictCursor, DictCursor
extras.execute_values = lambda cursor, sql, all, **more: cursor.execute(sql.replace("%s", ", ".join([_sql.literal(tuple(item)) for item in all])))
_codes = {"42P01": UndefinedTable, "42703": UndefinedColumn, "42P07": DuplicateTable, "42601": SyntaxError, "23505": UniqueViolation, "23502": NotNullViolation, "23503": ForeignKeyViolation, "23514": CheckViolation, "42501": InsufficientPrivilege, "25P02": InFailedSqlTransaction, "42P04": DuplicateDatabase, "42710": DuplicateObject, "42883": UndefinedFunction, "25001": ActiveSqlTransaction}
for _one in _codes.values():
    setattr(errors, _one.__name__, _one)
_why = {"refused": "Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?\n", "timeout": "timeout expired\n", "dropped": "Connection timed out\n\tIs the server running on that host and accepting TCP/IP connections?\n", "unreachable": "No route to host\n\tIs the server running on that host and accepting TCP/IP connections?\n"}
class connection(_sql.Session):
    _closes = False
    def __init__(self, to, autocommit=False):
        super().__init__(to, autocommit)
        self._run("", None)
    def commit(self): self._run("commit", None)
    def rollback(self): self._run("rollback", None)
    def __exit__(self, *more):
        super().__exit__(*more)
        if self._closes:
            self.close()
        return False
    def set_isolation_level(self, level): self.autocommit = level == 0
    def execute(self, sql, args=None):
        cursor = self.cursor()
        cursor.execute(sql, args)
        return cursor
    @property
    def info(self): return self
    def _run(self, sql, args):
        if self.closed:
            raise InterfaceError("connection already closed")
        to = self._to
        reply = self._send(_sql.filled(sql, args))
        kind = reply["kind"]
        where = 'connection to server at "%s" (%s), port %d failed: ' % (to["host"], reply.get("address", ""), to["port"])
        if kind == "lost":
            if reply["why"] == "unresolved":
                raise OperationalError('could not translate host name "%s" to address: Name or service not known\n' % to["host"])
            raise OperationalError(where + _why.get(reply["why"], "server closed the connection unexpectedly\n"))
        if kind == "refused":
            raise OperationalError(where + "FATAL:  " + reply["message"] + "\n")
        if kind == "error":
            text = reply["message"] + "\n" + ("DETAIL:  %s\n" % reply["detail"] if reply.get("detail") else "")
            where = reply.get("place")
            if where is not None:
                before = sql[:where].split("\n")
                head = "LINE %d: " % len(before)
                text += "%s%s\n%s^\n" % (head, sql.split("\n")[len(before) - 1], " " * (len(head) + len(before[-1])))
            failed = _codes.get(reply["code"], ProgrammingError)(text)
            failed.pgcode = failed.sqlstate = reply["code"]
            failed.pgerror = "ERROR:  " + text
            raise failed
        if kind == "rows":
            return reply["columns"], reply["rows"], len(reply["rows"]), None
        return [], [], reply["changes"], None
    _rows_are = None
    def cursor(self, name=None, cursor_factory=None, row_factory=None, **more):
        return Cursor(self, dict if cursor_factory is not None or (row_factory or self._rows_are) is dict_row else tuple)
    def set_session(self, autocommit=None, **more):
        if autocommit is not None:
            self.autocommit = autocommit
class Cursor(_sql.Cursor):
    def _done(self): return self if self.connection._closes else None
def dict_row(cursor): pass
class _Rows: pass
rows = _Rows()
rows.dict_row = dict_row
extensions.ISOLATION_LEVEL_AUTOCOMMIT = 0
extensions.connection = connection
_parts = {"extras": extras, "errors": errors, "extensions": extensions, "rows": rows}
def connect(dsn=None, host=None, port=None, user=None, password=None, dbname=None, database=None, autocommit=False, **more):
    from os import environ
    if dsn and "://" in dsn:
        rest = dsn.split("://", 1)[1].split("?")[0]
        credentials, _, place = rest.rpartition("@")
        user, _, password = credentials.partition(":")
        place, _, dbname = place.partition("/")
        host, _, port = place.partition(":")
    elif dsn:
        for item in dsn.split():
            name, _, value = item.partition("=")
            if name == "host": host = value
            elif name == "port": port = value
            elif name == "user": user = value
            elif name == "password": password = value
            elif name == "dbname": dbname = value
    user = user or environ.get("PGUSER") or "root"
    return (more.get("_kind") or connection)({"host": host or environ.get("PGHOST") or "127.0.0.1", "port": int(port or environ.get("PGPORT") or 5432), "user": user,
        "password": password or environ.get("PGPASSWORD"), "database": dbname or database or environ.get("PGDATABASE") or user}, autocommit)
`;

/** The third version of the driver: a connection runs statements itself, and its block closes it. */
export const psycopg = String.raw`
import _psycopg2
from _psycopg2 import *
__version__ = "3.2.13"
class Connection(_psycopg2.connection):
    _closes = True
def connect(conninfo="", row_factory=None, **more):
    connection = _psycopg2.connect(conninfo, _kind=Connection, **more)
    connection._rows_are = row_factory
    return connection
Connection.connect = connect
_parts = {"rows": _psycopg2.rows, "errors": _psycopg2.errors}
`;
