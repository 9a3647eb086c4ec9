// redis and ioredis, the Node.js drivers of Redis, as far as small programs use them.

export const redisDrivers = String.raw`
(function () {
  var node = __node, emitter = node.emitter, lost = node.drivers.lost, settled = node.drivers.settled, fromUrl = node.drivers.fromUrl;
  function redisOf(options) {
    var own = typeof options === "string" ? { url: options } : options || {}, socket = own.socket || own;
    var found = own.url ? fromUrl(own.url, 6379) : { host: socket.host || "127.0.0.1", port: Number(socket.port || 6379), password: own.password, database: own.database || own.db };
    return { host: found.host === "localhost" ? "127.0.0.1" : found.host, port: found.port, auth: found.password || null, database: found.database ? String(found.database) : null };
  }
  function askRedis(to, words) {
    var said = node.ask("resp", Object.assign({}, to, { command: words.map(String) }));
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
