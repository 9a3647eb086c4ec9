// pg, the Node.js driver of PostgreSQL, as far as small programs use it.

export const pg = String.raw`
(function () {
  var node = __node, lost = node.drivers.lost, literal = node.drivers.literal, rowsOf = node.drivers.rowsOf, settled = node.drivers.settled, fromUrl = node.drivers.fromUrl, runSql = node.drivers.runSql;
  function postgres(options) {
    if (typeof options === "string") options = { connectionString: options };
    options = options || {};
    var settings = options.connectionString ? fromUrl(options.connectionString, 5432) : options, env = process.env;
    var user = settings.user || env.PGUSER || "root";
    return { host: settings.host || env.PGHOST || "127.0.0.1", port: Number(settings.port || env.PGPORT || 5432), user: user, password: settings.password || env.PGPASSWORD || null, database: settings.database || env.PGDATABASE || user };
  }
  function askPostgres(to, text, values) {
    if (text && typeof text === "object") { values = text.values || values; text = text.text; }
    var sql = values ? text.replace(/\$(\d+)/g, function (_, at) { return literal(values[at - 1]); }) : text;
    var reply = runSql(to, sql);
    if (reply.kind === "lost") throw lost(reply.why, to, reply.address);
    if (reply.kind === "error" || reply.kind === "refused") throw Object.assign(new Error(reply.message), { length: 100, name: "error", severity: reply.kind === "refused" ? "FATAL" : "ERROR", code: reply.code, detail: reply.detail, position: reply.place === undefined ? undefined : String(reply.place + 1) });
    var isRows = reply.kind === "rows", words = String(text).trim().split(/\s+/);
    return { command: words[0].toUpperCase(), rowCount: isRows ? reply.rows.length : reply.changes, rows: isRows ? rowsOf(reply) : [], fields: isRows ? reply.columns.map(function (name) { return { name: name }; }) : [] };
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
      connect(call) { var connection = new Client(), to = Object.assign({}, this._to, { transaction: null }); connection._to = to; return settled(function () { askPostgres(to, ""); return connection; }, call && function (error, client) { call(error, client, function () {}); }); }
    }
    return { Client: Client, Pool: Pool, types: { setTypeParser: function () {} } };
  } };
})();
`;
