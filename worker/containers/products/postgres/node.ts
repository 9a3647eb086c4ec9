// pg, the Node.js driver of PostgreSQL, as far as small programs use it.

export const pg = String.raw`
(function () {
  var node = __node, lost = node.drivers.lost, literal = node.drivers.literal, rowsOf = node.drivers.rowsOf, settled = node.drivers.settled, fromUrl = node.drivers.fromUrl, asked = node.drivers.asked;
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
})();
`;
