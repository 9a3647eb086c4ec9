// mysql and mysql2, the Node.js drivers of MySQL, as far as small programs use them.

export const mysqlDrivers = String.raw`
(function () {
  var node = __node, emitter = node.emitter, lost = node.drivers.lost, literal = node.drivers.literal, rowsOf = node.drivers.rowsOf, settled = node.drivers.settled, fromUrl = node.drivers.fromUrl, runSql = node.drivers.runSql;
  function mysql(options) {
    var settings = typeof options === "string" ? fromUrl(options, 3306) : options.uri ? fromUrl(options.uri, 3306) : options;
    return { host: !settings.host || settings.host === "localhost" ? "127.0.0.1" : settings.host, port: Number(settings.port || 3306), user: settings.user || "root", password: settings.password || null, database: settings.database || "" };
  }
  function askMysql(to, sql, values) {
    if (sql && typeof sql === "object") { values = sql.values || values; sql = sql.sql; }
    var at = 0, all = values === undefined ? [] : Array.isArray(values) ? values : [values];
    if (values !== undefined) sql = sql.replace(/\?\?|\?/g, function (mark) { var value = all[at++]; return mark === "??" ? "${"`"}" + value + "${"`"}" : literal(value); });
    var reply = runSql(to, sql);
    if (reply.kind === "lost") throw Object.assign(lost(reply.why, to, reply.address), { fatal: true });
    if (reply.kind === "error" || reply.kind === "refused") {
      var number = Number(reply.code.split(" ")[0]), names = { 1045: "ER_ACCESS_DENIED_ERROR", 1049: "ER_BAD_DB_ERROR", 1054: "ER_BAD_FIELD_ERROR", 1062: "ER_DUP_ENTRY", 1064: "ER_PARSE_ERROR", 1146: "ER_NO_SUCH_TABLE", 1050: "ER_TABLE_EXISTS_ERROR", 1044: "ER_DBACCESS_DENIED_ERROR", 1142: "ER_TABLEACCESS_DENIED_ERROR", 1048: "ER_BAD_NULL_ERROR", 1452: "ER_NO_REFERENCED_ROW_2" };
      throw Object.assign(new Error(reply.message), { code: names[number] || "ER_UNKNOWN_ERROR", errno: number, sql: sql, sqlState: (/\((\w+)\)/.exec(reply.code) || [])[1], sqlMessage: reply.message });
    }
    if (reply.kind === "rows") return [rowsOf(reply), reply.columns.map(function (name) { return { name: name }; })];
    if (reply.tag.indexOf("use ") === 0) to.database = reply.tag.slice(4);
    var id = 0;
    if (/^\s*insert/i.test(sql)) { var last = runSql(to, "select last_insert_id()"); if (last.kind === "rows") id = last.rows[0][0]; }
    return [{ affectedRows: reply.changes, insertId: id, warningStatus: 0 }, undefined];
  }
  function promised(options, address) {
    var to = address || mysql(options);
    function query(sql, values) { return settled(function () { return askMysql(to, sql, values); }); }
    var connection = emitter({ query: query, execute: query, end: function () { return Promise.resolve(); }, release: function () {}, destroy: function () {}, ping: function () { return query(""); }, beginTransaction: function () { return query("begin"); }, commit: function () { return query("commit"); }, rollback: function () { return query("rollback"); } });
    connection.getConnection = function () { return query("").then(function () { return promised(options, Object.assign({}, to, { transaction: null })); }); };
    return connection;
  }
  function called(options, address) {
    var to = address || mysql(options), connection;
    function query(sql, values, call) {
      if (typeof values === "function") { call = values; values = undefined; }
      var result, failure = null;
      try { result = askMysql(to, sql, values); } catch (error) { failure = error; }
      node.ticks.push(function () { if (call) { failure ? call(failure) : call(null, result[0], result[1]); } else if (failure) connection.emit("error", failure); });
    }
    connection = emitter({ query: query, execute: query, connect: function (call) { query("", call || function (error) { if (error) connection.emit("error", error); }); }, end: function (call) { if (call) node.ticks.push(call); }, destroy: function () {}, release: function () {}, ping: function (call) { query("", call); }, promise: function () { return promised(options, to); }, beginTransaction: function (call) { query("begin", call); }, commit: function (call) { query("commit", call); }, rollback: function (call) { query("rollback", call); }, escape: literal, threadId: 8 });
    connection.getConnection = function (call) { query("", function (error) { call(error, called(options, Object.assign({}, to, { transaction: null }))); }); };
    return connection;
  }
  function mysqlModule() { return { createConnection: called, createPool: called, escape: literal }; }
  node.modules.mysql = { isPackage: true, make: mysqlModule };
  node.modules.mysql2 = { isPackage: true, make: mysqlModule };
  node.modules["mysql2/promise"] = { isPackage: true, make: function () { return { createConnection: function (options) { var connection = promised(options); return connection.getConnection(); }, createPool: promised }; } };
})();
`;
