// pymysql and mysql.connector, Python's drivers of MySQL, as far as small programs use them.

export const pymysql = String.raw`
import _host, _sql
from _sql import *
_sql.define_errors("pymysql.err", globals())
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
_kinds = {1062: IntegrityError, 1048: IntegrityError, 1452: IntegrityError, 1451: IntegrityError, 1146: ProgrammingError, 1064: ProgrammingError, 1054: OperationalError}
class Connection(_sql.Session):
    def __init__(self, to, kind, autocommit=False):
        super().__init__(to, autocommit)
        self._kind, self.db = kind, to["database"]
        self._run("", None)
    def commit(self): self._run("commit", None)
    def rollback(self): self._run("rollback", None)
    def begin(self): self._run("begin", None)
    start_transaction = begin
    def __exit__(self, *more):
        self.close()
        return False
    def _run(self, sql, args):
        to = self._to
        reply = self._send(_sql.filled(sql, args))
        kind = reply["kind"]
        if kind == "lost":
            raise OperationalError(2003, "Can't connect to MySQL server on '%s' (%s)" % (to["host"], _why.get(reply["why"], "[Errno 104] Connection reset by peer")))
        if kind in ("error", "refused"):
            code = int(reply["code"].split(" ")[0])
            failed = _kinds.get(code, OperationalError)(code, reply["message"])
            failed.errno, failed.msg = code, reply["message"]
            raise failed
        if kind == "rows":
            return reply["columns"], reply["rows"], len(reply["rows"]), None
        if reply["tag"].startswith("use "):
            to["database"] = reply["tag"][4:]
        last = None
        if sql.lstrip()[:6].lower() == "insert":
            reply_of_id = self._send("select last_insert_id()")
            last = reply_of_id["rows"][0][0] if reply_of_id["kind"] == "rows" else None
        return [], [], reply["changes"], last
    def cursor(self, kind=None, dictionary=False, **more):
        return _sql.Cursor(self, dict if dictionary or (kind or self._kind) is DictCursor else tuple)
    def select_db(self, name): self._to["database"] = name
    def ping(self, reconnect=True): self._run("", None)
    def is_connected(self): return not self.closed
    open = True
def connect(host="localhost", user=None, password="", database=None, port=3306, cursorclass=None, db=None, passwd=None, unix_socket=None, autocommit=False, **more):
    return Connection({"host": "127.0.0.1" if host == "localhost" else host, "port": int(port or 3306), "user": user or "root", "password": password or passwd or None, "database": database or db or ""}, cursorclass, autocommit)
Connect = connect
_parts = {"cursors": cursors, "err": err}
`;

/** Oracle's own driver, on the same. */
export const mysqlConnector = String.raw`
import _pymysql as connector
_parts = {"connector": connector}
`;
