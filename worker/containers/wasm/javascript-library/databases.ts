// The common code of Node.js's database drivers: values, failures, and sending a statement.

export const databases = String.raw`
(function () {
  var node = __node, emitter = node.emitter;
  var why = { refused: ["ECONNREFUSED", -111, "connect"], unresolved: ["ENOTFOUND", -3008, "getaddrinfo"], timeout: ["ETIMEDOUT", -110, "connect"], dropped: ["ETIMEDOUT", -110, "connect"], unreachable: ["EHOSTUNREACH", -113, "connect"], closed: ["ECONNRESET", -104, "read"] };
  function lost(reason, to, address) {
    var details = why[reason] || why.closed, place = details[2] === "getaddrinfo" ? " " + to.host : details[2] === "connect" ? " " + (address || to.host) + ":" + to.port : "";
    return Object.assign(new Error(details[2] + " " + details[0] + place), { errno: details[1], code: details[0], syscall: details[2], address: address, port: to.port });
  }
  function literal(value) {
    if (value === null || value === undefined) return "NULL";
    if (typeof value === "number") return String(value);
    if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
    if (value instanceof Date) value = value.toISOString().slice(0, 19).replace("T", " ");
    if (Array.isArray(value)) return value.map(literal).join(", ");
    return "'" + (typeof value === "object" ? JSON.stringify(value) : String(value)).replace(/'/g, "''") + "'";
  }
  function rowsOf(reply) { return reply.rows.map(function (row) { var record = {}; reply.columns.forEach(function (name, at) { record[name] = row[at]; }); return record; }); }
  function settled(run, call) {
    if (typeof call !== "function") { try { return Promise.resolve(run()); } catch (error) { return Promise.reject(error); } }
    var result, failure = null;
    try { result = run(); } catch (error) { failure = error; }
    node.ticks.push(function () { failure ? call(failure) : call(null, result); });
  }
  function fromUrl(text, port) { var url = new URL(text); return { host: url.hostname, port: Number(url.port || port), user: decodeURIComponent(url.username), password: url.password ? decodeURIComponent(url.password) : undefined, database: url.pathname.slice(1) }; }

  // Each statement is sent with the changes of the session's transaction.
  function runSql(to, sql) {
    var reply = node.ask("sql", Object.assign({}, to, { sql: sql }));
    if (reply.kind !== "lost") to.transaction = reply.transaction || null;
    return reply;
  }

  node.drivers = { lost: lost, literal: literal, rowsOf: rowsOf, settled: settled, fromUrl: fromUrl, runSql: runSql };
})();
`;
