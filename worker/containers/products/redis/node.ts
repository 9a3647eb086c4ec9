// redis and ioredis, the Node.js drivers of Redis, as far as small programs use them.

export const redisDrivers = String.raw`
(function () {
  var node = __node, emitter = node.emitter, lost = node.drivers.lost, settled = node.drivers.settled, fromUrl = node.drivers.fromUrl;
  function redisOf(options) {
    var settings = typeof options === "string" ? { url: options } : options || {}, socket = settings.socket || settings;
    var address = settings.url ? fromUrl(settings.url, 6379) : { host: socket.host || "127.0.0.1", port: Number(socket.port || 6379), password: settings.password, database: settings.database || settings.db };
    return { host: address.host === "localhost" ? "127.0.0.1" : address.host, port: address.port, auth: address.password || null, database: address.database ? String(address.database) : null };
  }
  function askRedis(to, words) {
    var reply = node.ask("resp", Object.assign({}, to, { command: words.map(String) }));
    if (reply.length === 3) throw lost(reply[2], to);
    if (reply.length === 2) throw Object.assign(new Error(reply[1]), { name: "ReplyError", command: words[0] });
    return reply[0];
  }
  function pairs(flat) { var out = {}; for (var at = 0; at < flat.length; at += 2) out[flat[at]] = flat[at + 1]; return out; }
  function client(options) {
    var to = redisOf(options), connection = emitter({ isOpen: false, isReady: false });
    function send(words) { return settled(function () { return askRedis(to, words); }); }
    connection.connect = function () { return send(["PING"]).then(function () { connection.isOpen = connection.isReady = true; connection.emit("connect"); connection.emit("ready"); return connection; }, function (error) { connection.emit("error", error); throw error; }); };
    connection.quit = connection.disconnect = connection.destroy = connection.close = function () { connection.isOpen = false; return Promise.resolve("OK"); };
    connection.sendCommand = send;
    connection.duplicate = function () { return client(options); };
    "get incr decr incrBy decrBy exists del expire ttl keys lLen lRange lPop rPop hGet hDel sMembers sRem sCard sIsMember dbSize flushAll flushDb ping publish type strLen append getSet mGet lPush rPush sAdd zScore zRange".split(" ").forEach(function (name) {
      connection[name] = connection[name.toLowerCase()] = function () { return send([name.toUpperCase()].concat(Array.prototype.slice.call(arguments).flat())); };
    });
    connection.set = function (key, value, more) {
      var words = ["SET", key, value];
      if (typeof more === "string") words = words.concat(Array.prototype.slice.call(arguments, 2));
      else if (more) ["EX", "PX"].forEach(function (name) { if (more[name] !== undefined) words.push(name, more[name]); });
      if (more && more.NX) words.push("NX");
      return send(words);
    };
    connection.setEx = connection.setex = function (key, seconds, value) { return send(["SETEX", key, seconds, value]); };
    connection.hSet = connection.hset = function (key, field, value) { return send(["HSET", key].concat(typeof field === "object" ? Object.entries(field).flat() : [field, value])); };
    connection.hGetAll = connection.hgetall = function (key) { return send(["HGETALL", key]).then(pairs); };
    connection.hIncrBy = connection.hincrby = function (key, field, by) { return send(["HINCRBY", key, field, by]); };
    connection.zAdd = function (key, members) { return send(["ZADD", key].concat([].concat(members).flatMap(function (each) { return [each.score, each.value]; }))); };
    return connection;
  }
  node.modules.redis = { isPackage: true, make: function () { return { createClient: client }; } };
  node.modules.ioredis = { isPackage: true, make: function () {
    function Redis(port, host, more) {
      var options = typeof port === "number" || /^\d+$/.test(String(port)) ? Object.assign({ port: port, host: host }, more) : typeof port === "string" && port.indexOf("://") < 0 ? { host: port } : port;
      var connection = client(options);
      node.ticks.push(function () { connection.connect().catch(function () {}); });
      return connection;
    }
    Redis.default = Redis.Redis = Redis;
    return Redis;
  } };
})();
`;
