// Node's drivers of databases: pg, mysql, mysql2, redis and ioredis, as far as small programs use them.

export const databases = String.raw`
(function () {
  var node = __node, emitter = node.emitter;
  var why = { refused: ["ECONNREFUSED", -111, "connect"], unresolved: ["ENOTFOUND", -3008, "getaddrinfo"], timeout: ["ETIMEDOUT", -110, "connect"], dropped: ["ETIMEDOUT", -110, "connect"], unreachable: ["EHOSTUNREACH", -113, "connect"], closed: ["ECONNRESET", -104, "read"] };
  function lost(reason, to, address) {
    var known = why[reason] || why.closed, place = known[2] === "getaddrinfo" ? " " + to.host : known[2] === "connect" ? " " + (address || to.host) + ":" + to.port : "";
    return Object.assign(new Error(known[2] + " " + known[0] + place), { errno: known[1], code: known[0], syscall: known[2], address: address, port: to.port });
  }
  function literal(value) {
    if (value === null || value === undefined) return "NULL";
    if (typeof value === "number") return String(value);
    if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
    if (value instanceof Date) value = value.toISOString().slice(0, 19).replace("T", " ");
    if (Array.isArray(value)) return value.map(literal).join(", ");
    return "'" + (typeof value === "object" ? JSON.stringify(value) : String(value)).replace(/'/g, "''") + "'";
  }
  function rowsOf(said) { return said.rows.map(function (row) { var one = {}; said.columns.forEach(function (name, at) { one[name] = row[at]; }); return one; }); }
  function settled(run, call) {
    if (typeof call !== "function") { try { return Promise.resolve(run()); } catch (error) { return Promise.reject(error); } }
    var result, failure = null;
    try { result = run(); } catch (error) { failure = error; }
    node.ticks.push(function () { failure ? call(failure) : call(null, result); });
  }
  function fromUrl(text, port) { var url = new URL(text); return { host: url.hostname, port: Number(url.port || port), user: decodeURIComponent(url.username), password: url.password ? decodeURIComponent(url.password) : undefined, database: url.pathname.slice(1) }; }

  // What a session has changed since its transaction began goes with each statement.
  function asked(to, sql) {
    var said = node.ask("sql", Object.assign({}, to, { sql: sql }));
    if (said.kind !== "lost") to.transaction = said.transaction || null;
    return said;
  }

  function postgres(options) {
    if (typeof options === "string") options = { connectionString: options };
    options = options || {};
    var own = options.connectionString ? fromUrl(options.connectionString, 5432) : options, env = process.env;
    var user = own.user || env.PGUSER || "root";
    return { host: own.host || env.PGHOST || "127.0.0.1", port: Number(own.port || env.PGPORT || 5432), user: user, password: own.password || env.PGPASSWORD || null, database: own.database || env.PGDATABASE || user };
  }
  function askPostgres(to, text, values) {
    if (text && typeof text === "object") { values = text.values || values; text = text.text; }
    var sql = values ? text.replace(/\$(\d+)/g, function (_, at) { return literal(values[at - 1]); }) : text;
    var said = asked(to, sql);
    if (said.kind === "lost") throw lost(said.why, to, said.address);
    if (said.kind === "error" || said.kind === "refused") throw Object.assign(new Error(said.message), { length: 100, name: "error", severity: said.kind === "refused" ? "FATAL" : "ERROR", code: said.code, detail: said.detail, position: said.place === undefined ? undefined : String(said.place + 1) });
    var isRows = said.kind === "rows", words = String(text).trim().split(/\s+/);
    return { command: words[0].toUpperCase(), rowCount: isRows ? said.rows.length : said.changes, rows: isRows ? rowsOf(said) : [], fields: isRows ? said.columns.map(function (name) { return { name: name }; }) : [] };
  }
  node.modules.pg = { isPackage: true, make: function () {
    class Client extends node.EventEmitter {
      constructor(options) { super(); this._events = {}; this._to = postgres(options); }
      connect(call) { var to = this._to; return settled(function () { askPostgres(to, ""); }, call); }
      query(text, values, call) { if (typeof values === "function") { call = values; values = undefined; } var to = this._to; return settled(function () { return askPostgres(to, text, values); }, call); }
      end(call) { return settled(function () {}, call); }
      release() {}
    }
    class Pool extends Client {
      connect(call) { var own = new Client(), to = Object.assign({}, this._to, { transaction: null }); own._to = to; return settled(function () { askPostgres(to, ""); return own; }, call && function (error, client) { call(error, client, function () {}); }); }
    }
    return { Client: Client, Pool: Pool, types: { setTypeParser: function () {} } };
  } };

  function mysql(options) {
    var own = typeof options === "string" ? fromUrl(options, 3306) : options.uri ? fromUrl(options.uri, 3306) : options;
    return { host: !own.host || own.host === "localhost" ? "127.0.0.1" : own.host, port: Number(own.port || 3306), user: own.user || "root", password: own.password || null, database: own.database || "" };
  }
  function askMysql(to, sql, values) {
    if (sql && typeof sql === "object") { values = sql.values || values; sql = sql.sql; }
    var at = 0, all = values === undefined ? [] : Array.isArray(values) ? values : [values];
    if (values !== undefined) sql = sql.replace(/\?\?|\?/g, function (mark) { var value = all[at++]; return mark === "??" ? "${"`"}" + value + "${"`"}" : literal(value); });
    var said = asked(to, sql);
    if (said.kind === "lost") throw Object.assign(lost(said.why, to, said.address), { fatal: true });
    if (said.kind === "error" || said.kind === "refused") {
      var number = Number(said.code.split(" ")[0]), names = { 1045: "ER_ACCESS_DENIED_ERROR", 1049: "ER_BAD_DB_ERROR", 1054: "ER_BAD_FIELD_ERROR", 1062: "ER_DUP_ENTRY", 1064: "ER_PARSE_ERROR", 1146: "ER_NO_SUCH_TABLE", 1050: "ER_TABLE_EXISTS_ERROR", 1044: "ER_DBACCESS_DENIED_ERROR", 1142: "ER_TABLEACCESS_DENIED_ERROR", 1048: "ER_BAD_NULL_ERROR", 1452: "ER_NO_REFERENCED_ROW_2" };
      throw Object.assign(new Error(said.message), { code: names[number] || "ER_UNKNOWN_ERROR", errno: number, sql: sql, sqlState: (/\((\w+)\)/.exec(said.code) || [])[1], sqlMessage: said.message });
    }
    if (said.kind === "rows") return [rowsOf(said), said.columns.map(function (name) { return { name: name }; })];
    if (said.tag.indexOf("use ") === 0) to.database = said.tag.slice(4);
    var id = 0;
    if (/^\s*insert/i.test(sql)) { var last = asked(to, "select last_insert_id()"); if (last.kind === "rows") id = last.rows[0][0]; }
    return [{ affectedRows: said.changes, insertId: id, warningStatus: 0 }, undefined];
  }
  function promised(options, known) {
    var to = known || mysql(options);
    function query(sql, values) { return settled(function () { return askMysql(to, sql, values); }); }
    var one = emitter({ query: query, execute: query, end: function () { return Promise.resolve(); }, release: function () {}, destroy: function () {}, ping: function () { return query(""); }, beginTransaction: function () { return query("begin"); }, commit: function () { return query("commit"); }, rollback: function () { return query("rollback"); } });
    one.getConnection = function () { return query("").then(function () { return promised(options, Object.assign({}, to, { transaction: null })); }); };
    return one;
  }
  function called(options, known) {
    var to = known || mysql(options), one;
    function query(sql, values, call) {
      if (typeof values === "function") { call = values; values = undefined; }
      var result, failure = null;
      try { result = askMysql(to, sql, values); } catch (error) { failure = error; }
      node.ticks.push(function () { if (call) { failure ? call(failure) : call(null, result[0], result[1]); } else if (failure) one.emit("error", failure); });
    }
    one = emitter({ query: query, execute: query, connect: function (call) { query("", call || function (error) { if (error) one.emit("error", error); }); }, end: function (call) { if (call) node.ticks.push(call); }, destroy: function () {}, release: function () {}, ping: function (call) { query("", call); }, promise: function () { return promised(options, to); }, beginTransaction: function (call) { query("begin", call); }, commit: function (call) { query("commit", call); }, rollback: function (call) { query("rollback", call); }, escape: literal, threadId: 8 });
    one.getConnection = function (call) { query("", function (error) { call(error, called(options, Object.assign({}, to, { transaction: null }))); }); };
    return one;
  }
  function mysqlModule() { return { createConnection: called, createPool: called, escape: literal }; }
  node.modules.mysql = { isPackage: true, make: mysqlModule };
  node.modules.mysql2 = { isPackage: true, make: mysqlModule };
  node.modules["mysql2/promise"] = { isPackage: true, make: function () { return { createConnection: function (options) { var one = promised(options); return one.getConnection(); }, createPool: promised }; } };

  function redisOf(options) {
    var own = typeof options === "string" ? { url: options } : options || {}, socket = own.socket || own;
    var found = own.url ? fromUrl(own.url, 6379) : { host: socket.host || "127.0.0.1", port: Number(socket.port || 6379), password: own.password, database: own.database || own.db };
    return { host: found.host === "localhost" ? "127.0.0.1" : found.host, port: found.port, auth: found.password || null, database: found.database ? String(found.database) : null };
  }
  function askRedis(to, words) {
    var said = node.ask("redis", Object.assign({}, to, { command: words.map(String) }));
    if (said.length === 3) throw lost(said[2], to);
    if (said.length === 2) throw Object.assign(new Error(said[1]), { name: "ReplyError", command: words[0] });
    return said[0];
  }
  function pairs(flat) { var out = {}; for (var at = 0; at < flat.length; at += 2) out[flat[at]] = flat[at + 1]; return out; }
  function client(options) {
    var to = redisOf(options), one = emitter({ isOpen: false, isReady: false });
    function send(words) { return settled(function () { return askRedis(to, words); }); }
    one.connect = function () { return send(["PING"]).then(function () { one.isOpen = one.isReady = true; one.emit("connect"); one.emit("ready"); return one; }, function (error) { one.emit("error", error); throw error; }); };
    one.quit = one.disconnect = one.destroy = one.close = function () { one.isOpen = false; return Promise.resolve("OK"); };
    one.sendCommand = send;
    one.duplicate = function () { return client(options); };
    "get incr decr incrBy decrBy exists del expire ttl keys lLen lRange lPop rPop hGet hDel sMembers sRem sCard sIsMember dbSize flushAll flushDb ping publish type strLen append getSet mGet lPush rPush sAdd zScore zRange".split(" ").forEach(function (name) {
      one[name] = one[name.toLowerCase()] = function () { return send([name.toUpperCase()].concat(Array.prototype.slice.call(arguments).flat())); };
    });
    one.set = function (key, value, more) {
      var words = ["SET", key, value];
      if (typeof more === "string") words = words.concat(Array.prototype.slice.call(arguments, 2));
      else if (more) ["EX", "PX"].forEach(function (name) { if (more[name] !== undefined) words.push(name, more[name]); });
      if (more && more.NX) words.push("NX");
      return send(words);
    };
    one.setEx = one.setex = function (key, seconds, value) { return send(["SETEX", key, seconds, value]); };
    one.hSet = one.hset = function (key, field, value) { return send(["HSET", key].concat(typeof field === "object" ? Object.entries(field).flat() : [field, value])); };
    one.hGetAll = one.hgetall = function (key) { return send(["HGETALL", key]).then(pairs); };
    one.hIncrBy = one.hincrby = function (key, field, by) { return send(["HINCRBY", key, field, by]); };
    one.zAdd = function (key, members) { return send(["ZADD", key].concat([].concat(members).flatMap(function (each) { return [each.score, each.value]; }))); };
    return one;
  }
  node.modules.redis = { isPackage: true, make: function () { return { createClient: client }; } };
  node.modules.ioredis = { isPackage: true, make: function () {
    function Redis(port, host, more) {
      var options = typeof port === "number" || /^\d+$/.test(String(port)) ? Object.assign({ port: port, host: host }, more) : typeof port === "string" && port.indexOf("://") < 0 ? { host: port } : port;
      var one = client(options);
      node.ticks.push(function () { one.connect().catch(function () {}); });
      return one;
    }
    Redis.default = Redis.Redis = Redis;
    return Redis;
  } };
})();
`;
