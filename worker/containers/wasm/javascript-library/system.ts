// Node.js's modules for the system around a program: process, events, buffers, files, paths, other programs.

export const system = String.raw`
(function () {
  var node = __node;
  function EventEmitter() { this._events = this._events || {}; }
  node.EventEmitter = EventEmitter;
  EventEmitter.prototype = {
    constructor: EventEmitter,
    _of: function (name) { if (!this._events || !Object.hasOwn(this, "_events")) this._events = {}; return this._events[name] = this._events[name] || []; },
    on: function (name, call) {
      this._of(name).push(call);
      if (this === process && name === "SIGTERM") node.ask("traps");
      if (this === process.stdin && (name === "data" || name === "readable" || name === "end")) node.readInput();
      return this;
    },
    once: function (name, call) { var self = this; function item() { self.off(name, item); return call.apply(self, arguments); } item.listener = call; return this.on(name, item); },
    off: function (name, call) { this._events[name] = this._of(name).filter(function (item) { return item !== call && item.listener !== call; }); return this; },
    emit: function (name) {
      var args = Array.prototype.slice.call(arguments, 1), self = this, all = this._of(name).slice();
      if (name === "error" && all.length === 0) throw args[0] instanceof Error ? args[0] : new Error("Unhandled error. (" + node.inspect(args[0]) + ")");
      all.forEach(function (item) { var result = item.apply(self, args); if (result && typeof result.then === "function") result.then(undefined, function (error) { node.uncaught(error, true); }); });
      return all.length > 0;
    },
    listenerCount: function (name) { return this._of(name).length; },
    listeners: function (name) { return this._of(name).slice(); },
    removeAllListeners: function (name) { if (name === undefined) this._events = {}; else this._events[name] = []; return this; },
    setMaxListeners: function () { return this; }
  };
  EventEmitter.prototype.addListener = EventEmitter.prototype.on;
  EventEmitter.prototype.removeListener = EventEmitter.prototype.off;
  EventEmitter.EventEmitter = EventEmitter;
  EventEmitter.once = function (from, name) { return new Promise(function (done) { from.once(name, function () { done(Array.prototype.slice.call(arguments)); }); }); };
  function emitter(more) { return Object.assign(Object.create(EventEmitter.prototype), { _events: {} }, more); }
  node.emitter = emitter;

  function bytesOf(text) {
    var out = [];
    for (var character of text) {
      var code = character.codePointAt(0);
      if (code < 128) out.push(code);
      else if (code < 2048) out.push(192 | code >> 6, 128 | code & 63);
      else if (code < 65536) out.push(224 | code >> 12, 128 | code >> 6 & 63, 128 | code & 63);
      else out.push(240 | code >> 18, 128 | code >> 12 & 63, 128 | code >> 6 & 63, 128 | code & 63);
    }
    return out;
  }
  function textOf(bytes) {
    var out = "";
    for (var at = 0; at < bytes.length;) {
      var item = bytes[at++];
      if (item < 128) out += String.fromCharCode(item);
      else if (item < 224) out += String.fromCodePoint((item & 31) << 6 | bytes[at++] & 63);
      else if (item < 240) out += String.fromCodePoint((item & 15) << 12 | (bytes[at++] & 63) << 6 | bytes[at++] & 63);
      else out += String.fromCodePoint((item & 7) << 18 | (bytes[at++] & 63) << 12 | (bytes[at++] & 63) << 6 | bytes[at++] & 63);
    }
    return out;
  }
  var digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  function base64(bytes) {
    var out = "";
    for (var at = 0; at < bytes.length; at += 3) {
      var bits = bytes[at] << 16 | (bytes[at + 1] || 0) << 8 | (bytes[at + 2] || 0);
      out += digits[bits >> 18] + digits[bits >> 12 & 63] + (at + 1 < bytes.length ? digits[bits >> 6 & 63] : "=") + (at + 2 < bytes.length ? digits[bits & 63] : "=");
    }
    return out;
  }
  function fromBase64(text) {
    var out = [], held = 0, bits = 0;
    for (var character of text.replace(/-/g, "+").replace(/_/g, "/")) {
      var value = digits.indexOf(character);
      if (value < 0) continue;
      held = held << 6 | value;
      bits += 6;
      if (bits >= 8) { bits -= 8; out.push(held >> bits & 255); }
    }
    return out;
  }
  globalThis.Buffer = class Buffer extends Uint8Array {
    static from(value, form) {
      if (typeof value !== "string") return new Buffer(value);
      if (form === "base64" || form === "base64url") return new Buffer(fromBase64(value));
      if (form === "hex") return new Buffer((value.match(/../g) || []).map(function (item) { return parseInt(item, 16); }));
      return new Buffer(bytesOf(value));
    }
    static alloc(size) { return new Buffer(size); }
    static concat(all) { return new Buffer(all.reduce(function (sum, item) { return sum.concat(Array.from(item)); }, [])); }
    static byteLength(value) { return typeof value === "string" ? bytesOf(value).length : value.length; }
    static isBuffer(value) { return value instanceof Buffer; }
    toString(form) {
      if (form === "base64") return base64(this);
      if (form === "hex") return Array.from(this, function (item) { return (item < 16 ? "0" : "") + item.toString(16); }).join("");
      return textOf(this);
    }
    toJSON() { return { type: "Buffer", data: Array.from(this) }; }
    equals(buffer) { return this.toString("hex") === Buffer.from(buffer).toString("hex"); }
  };
  globalThis.btoa = function (text) { return base64(Array.from(String(text), function (item) { return item.charCodeAt(0); })); };
  globalThis.atob = function (text) { return String.fromCharCode.apply(null, fromBase64(String(text))); };
  globalThis.TextEncoder = class TextEncoder { encode(text) { return new Uint8Array(bytesOf(String(text))); } };
  globalThis.TextDecoder = class TextDecoder { decode(bytes) { return bytes ? textOf(bytes) : ""; } };
  Math.random = function () { return (node.ask("random") * 4294967296 + node.ask("random")) / 18446744073709551616; };

  function stream(kind) {
    return emitter({ write: function (text) { node.ask(kind, typeof text === "string" ? text : textOf(text)); return true; }, end: function (text) { if (text) this.write(text); }, fd: kind === "out" ? 1 : 2, columns: 80 });
  }
  globalThis.process = emitter({
    version: "v24.11.1", versions: { node: "24.11.1", v8: "13.6.233.10-node.28" }, platform: "linux", arch: "x64", argv: [], env: {}, execPath: "/usr/local/bin/node",
    execArgv: [], title: "node", release: { name: "node" }, ppid: 0, exitCode: undefined,
    stdout: stream("out"), stderr: stream("error"),
    stdin: emitter({ setEncoding: function () { return this; }, resume: function () { return this; }, pause: function () { return this; }, unref: function () { return this; }, fd: 0 }),
    exit: function (code) { node.exit(code === undefined ? process.exitCode || 0 : code); },
    abort: function () { node.exit(134); },
    cwd: function () { return node.folder; },
    chdir: function (to) { if (node.ask("chdir", to) !== 0) throw failure(-2, "chdir", to); node.folder = to[0] === "/" ? to : node.normal(node.folder + "/" + to); },
    nextTick: function (call) { var args = Array.prototype.slice.call(arguments, 1); Promise.resolve().then(function () { node.guarded(function () { return call.apply(null, args); }); }); },
    uptime: function () { return (node.ask("clock") - node.begunMs) / 1000; },
    hrtime: Object.assign(function (from) { var ms = node.ask("clock"), now = [Math.floor(ms / 1000), ms % 1000 * 1e6]; return from ? [now[0] - from[0], now[1] - from[1]] : now; }, { bigint: function () { return BigInt(node.ask("clock")) * 1000000n; } }),
    memoryUsage: Object.assign(function () { return { rss: 42991616, heapTotal: 6537216, heapUsed: 4637184, external: 1423920, arrayBuffers: 10515 }; }, { rss: function () { return 42991616; } }),
    cpuUsage: function () { return { user: 30000, system: 8000 }; },
    getuid: function () { return 0; }, getgid: function () { return 0; }, umask: function () { return 18; }, emitWarning: function (text) { node.ask("error", "(node:1) Warning: " + text + "\n"); },
    kill: function (pid, signal) { if (pid === process.pid && !process.emit(signal || "SIGTERM", signal)) node.exit(143); return true; }
  });
  node.readInput = function () {
    if (node.isInputRead) return;
    node.isInputRead = true;
    node.isReading = true;
    node.ticks.push(function () {
      var line = node.ask("line");
      if (line === null) { node.isReading = false; process.stdin.emit("end"); process.stdin.emit("close"); return; }
      process.stdin.emit("data", line);
      node.isInputRead = false;
      node.readInput();
    });
  };

  var errors = { 2: ["ENOENT", "no such file or directory"], 17: ["EEXIST", "file already exists"], 20: ["ENOTDIR", "not a directory"], 21: ["EISDIR", "illegal operation on a directory"], 30: ["EROFS", "read-only file system"], 39: ["ENOTEMPTY", "directory not empty"] };
  function failure(number, call, path) {
    var details = errors[-number] || ["EIO", "i/o error"];
    var error = new Error(details[0] + ": " + details[1] + ", " + call + (path === undefined ? "" : " '" + path + "'"));
    return Object.assign(error, { errno: number, code: details[0], syscall: call }, path === undefined ? {} : { path: path });
  }
  node.failure = failure;
  function done(result, call, path) { if (typeof result === "number" && result < 0) throw failure(result, call, path); return result; }
  function named(path) { return path instanceof URL ? path.pathname : String(path).replace(/^file:\/\//, ""); }
  function encoded(text, options) { var form = typeof options === "string" ? options : options && options.encoding; return form ? text : Buffer.from(text); }
  function Stats(facts) { Object.assign(this, { mode: facts.mode, size: facts.size, uid: facts.uid, gid: facts.gid, mtimeMs: facts.changedMs, mtime: new Date(facts.changedMs) }); }
  Stats.prototype.isFile = function () { return (this.mode & 61440) === 32768; };
  Stats.prototype.isDirectory = function () { return (this.mode & 61440) === 16384; };
  Stats.prototype.isSymbolicLink = function () { return false; };
  var sync = {
    readFile: function (path, options) { var text = path === 0 || path === "/dev/stdin" ? node.ask("input") : node.ask("read", named(path)); if (text === -21) throw failure(-21, "read"); return encoded(done(text, "open", named(path)), options); },
    writeFile: function (path, data, options) { done(node.ask(options && options.flag === "a" ? "append" : "write", named(path), typeof data === "string" ? data : textOf(data)), "open", named(path)); },
    appendFile: function (path, data) { done(node.ask("append", named(path), typeof data === "string" ? data : textOf(data)), "open", named(path)); },
    stat: function (path, options) { var facts = node.ask("stat", named(path)); if (facts === -2 && options && options.throwIfNoEntry === false) return undefined; return new Stats(done(facts, "stat", named(path))); },
    readdir: function (path, options) { var names = done(node.ask("names", named(path)), "scandir", named(path)); return options && options.withFileTypes ? names.map(function (name) { var stats = sync.stat(named(path) + "/" + name); return { name: name, isFile: function () { return stats.isFile(); }, isDirectory: function () { return stats.isDirectory(); } }; }) : names; },
    mkdir: function (path, options) {
      if (!(options && options.recursive)) { done(node.ask("mkdir", named(path)), "mkdir", named(path)); return undefined; }
      var at = "", absolute = named(path)[0] === "/" ? named(path) : process.cwd() + "/" + named(path);
      absolute.split("/").filter(Boolean).forEach(function (item) { at += "/" + item; if (typeof node.ask("stat", at) === "number") done(node.ask("mkdir", at), "mkdir", path); });
    },
    unlink: function (path) { done(node.ask("unlink", named(path)), "unlink", named(path)); },
    rmdir: function (path) { done(node.ask("rmdir", named(path)), "rmdir", named(path)); },
    rm: function (path, options) {
      var facts = node.ask("stat", named(path));
      if (typeof facts === "number") { if (options && options.force) return; throw failure(facts, "rm", named(path)); }
      if ((facts.mode & 61440) === 16384) { sync.readdir(path).forEach(function (item) { sync.rm(named(path) + "/" + item, options); }); sync.rmdir(path); } else sync.unlink(path);
    },
    rename: function (from, to) { done(node.ask("rename", named(from), named(to)), "rename", named(from)); },
    copyFile: function (from, to) { sync.writeFile(to, sync.readFile(from, "utf8")); },
    access: function (path) { done(node.ask("stat", named(path)), "access", named(path)); },
    realpath: function (path) { return path; },
    chmod: function () {}
  };
  sync.lstat = sync.stat;
  node.modules.fs = { make: function () {
    var fs = { promises: {}, constants: { F_OK: 0, R_OK: 4, W_OK: 2 }, Stats: Stats };
    Object.keys(sync).forEach(function (name) {
      fs[name + "Sync"] = sync[name];
      fs.promises[name] = function () { var args = arguments; return new Promise(function (yes) { yes(sync[name].apply(null, args)); }); };
      fs[name] = function () {
        var args = Array.prototype.slice.call(arguments), call = args.pop(), error = null, result;
        try { result = sync[name].apply(null, args); } catch (item) { error = item; }
        node.ticks.push(function () { return error ? call(error) : call(null, result); });
      };
    });
    fs.existsSync = function (path) { return typeof node.ask("stat", named(path)) !== "number"; };
    fs.watch = fs.watchFile = function () { return emitter({ close: function () {} }); };
    fs.createReadStream = function (path) { var stream = emitter({ pipe: function (to) { to.end(sync.readFile(path, "utf8")); return to; }, setEncoding: function () { return this; } }); node.ticks.push(function () { var data; try { data = sync.readFile(path, "utf8"); } catch (error) { stream.emit("error", error); return; } if (stream.listenerCount("data")) { stream.emit("data", data); } stream.emit("end"); stream.emit("close"); }); return stream; };
    fs.createWriteStream = function (path, options) { var isMore = options && options.flags === "a"; sync[isMore ? "appendFile" : "writeFile"](path, ""); return emitter({ write: function (text) { sync.appendFile(path, text); return true; }, end: function (text) { if (text) this.write(text); this.emit("finish"); } }); };
    return fs;
  } };
  node.modules["fs/promises"] = { make: function () { return node.requirer("/")("fs").promises; } };
  node.modules.path = { make: function () {
    var path = { sep: "/", delimiter: ":" };
    path.normalize = function (item) { var isAbsolute = item[0] === "/", segments = []; item.split("/").forEach(function (piece) { if (piece === ".." && segments.length && segments[segments.length - 1] !== "..") segments.pop(); else if (piece === ".." && !isAbsolute) segments.push(piece); else if (piece !== "" && piece !== "." && piece !== "..") segments.push(piece); }); return (isAbsolute ? "/" : "") + segments.join("/") || "."; };
    path.join = function () { return path.normalize(Array.prototype.slice.call(arguments).filter(Boolean).join("/")); };
    path.resolve = function () { var joined = process.cwd(); Array.prototype.slice.call(arguments).forEach(function (item) { joined = item[0] === "/" ? item : joined + "/" + item; }); return path.normalize(joined); };
    path.dirname = function (item) { var at = item.lastIndexOf("/"); return at < 0 ? "." : item.slice(0, at) || "/"; };
    path.basename = function (item, end) { var name = item.slice(item.lastIndexOf("/") + 1); return end && name.endsWith(end) ? name.slice(0, -end.length) : name; };
    path.extname = function (item) { var name = path.basename(item), at = name.lastIndexOf("."); return at > 0 ? name.slice(at) : ""; };
    path.isAbsolute = function (item) { return item[0] === "/"; };
    path.relative = function (from, to) { return path.resolve(to).replace(path.resolve(from) + "/", ""); };
    path.parse = function (item) { var base = path.basename(item), ext = path.extname(item); return { root: item[0] === "/" ? "/" : "", dir: path.dirname(item), base: base, ext: ext, name: base.slice(0, base.length - ext.length) }; };
    path.posix = path;
    return path;
  } };
  node.modules.events = { make: function () { return EventEmitter; } };
  node.modules.buffer = { make: function () { return { Buffer: Buffer }; } };
  node.modules.process = { make: function () { return process; } };
  node.modules.os = { make: function () { return {
    hostname: function () { return node.start_.host; }, platform: function () { return "linux"; }, type: function () { return "Linux"; }, arch: function () { return "x64"; }, release: function () { return "6.12.48+deb13-amd64"; },
    cpus: function () { return [1, 2, 3, 4].map(function () { return { model: "cpu", speed: 2400, times: {} }; }); }, totalmem: function () { return 8589934592; }, freemem: function () { return 5368709120; }, uptime: function () { return 86400; },
    loadavg: function () { return [0.1, 0.1, 0.1]; }, tmpdir: function () { return "/tmp"; }, homedir: function () { return process.env.HOME || "/root"; }, userInfo: function () { return { username: "root", uid: 0, gid: 0 }; }, EOL: "\n",
    networkInterfaces: function () { return { lo: [{ address: "127.0.0.1", family: "IPv4", internal: true }], eth0: [{ address: node.start_.address, family: "IPv4", internal: false }] }; }
  }; } };
  node.modules.util = { make: function () { return {
    inspect: Object.assign(node.inspect, { custom: Symbol.for("nodejs.util.inspect.custom") }), format: node.format, isDeepStrictEqual: function (a, b) { return node.inspect(a, { depth: null }) === node.inspect(b, { depth: null }); },
    promisify: function (call) { if (call === setTimeout) return function (ms, value) { return new Promise(function (yes) { setTimeout(yes, ms, value); }); }; return function () { var self = this, args = Array.prototype.slice.call(arguments); return new Promise(function (yes, no) { call.apply(self, args.concat([function (error, value) { if (error) no(error); else yes(value); }])); }); }; },
    inherits: function (kind, from) { Object.setPrototypeOf(kind.prototype, from.prototype); }, types: {}, TextEncoder: TextEncoder, TextDecoder: TextDecoder
  }; } };
  node.modules.timers = { make: function () { return { setTimeout: setTimeout, setInterval: setInterval, setImmediate: setImmediate, clearTimeout: clearTimeout, clearInterval: clearInterval }; } };
  node.modules["timers/promises"] = { make: function () { return { setTimeout: function (ms, value) { return new Promise(function (yes) { setTimeout(yes, ms, value); }); } }; } };
  node.modules.child_process = { make: function () {
    function ran(words, options) { var env = options && options.env, cwd = options && options.cwd; if (env) words = ["env"].concat(Object.keys(env).map(function (name) { return name + "=" + env[name]; }), words); if (cwd) words = ["sh", "-c", 'cd "$0" && "$@"', cwd].concat(words); return node.ask("run", words, options && options.input || ""); }
    function encodedOutput(text, options) { return options && options.encoding && options.encoding !== "buffer" ? text : Buffer.from(text); }
    var all = {
      execSync: function (command, options) { var reply = ran(["sh", "-c", command], options); if (options && options.stdio === "inherit") process.stdout.write(reply.out); process.stderr.write(reply.err); if (reply.code !== 0) throw Object.assign(new Error("Command failed: " + command + "\n" + reply.err), { status: reply.code, stdout: encodedOutput(reply.out, options), stderr: encodedOutput(reply.err, options) }); return encodedOutput(reply.out, options); },
      spawnSync: function (name, args, options) { var reply = ran([name].concat(args || []), options); return { status: reply.code, stdout: encodedOutput(reply.out, options), stderr: encodedOutput(reply.err, options), signal: null, pid: 42 }; },
      execFileSync: function (name, args, options) { return all.execSync([name].concat(args || []).join(" "), options); },
      exec: function (command, options, call) { call = typeof options === "function" ? options : call; var reply = ran(["sh", "-c", command], options); var error = reply.code === 0 ? null : Object.assign(new Error("Command failed: " + command + "\n" + reply.err), { code: reply.code }); var child = emitter({ stdout: emitter({}), stderr: emitter({}), pid: 42 }); node.ticks.push(function () { child.stdout.emit("data", reply.out); child.emit("close", reply.code); child.emit("exit", reply.code); if (call) call(error, reply.out, reply.err); }); return child; },
      spawn: function (name, args, options) { var reply = ran([name].concat(args || []), options); var child = emitter({ stdout: emitter({ pipe: function (to) { this.on("data", function (item) { to.write(item); }); return to; }, setEncoding: function () {} }), stderr: emitter({ pipe: function () {} }), pid: 42, kill: function () {} }); if (options && options.stdio === "inherit") process.stdout.write(reply.out); else node.ticks.push(function () { if (reply.out) child.stdout.emit("data", Buffer.from(reply.out)); if (reply.err) child.stderr.emit("data", Buffer.from(reply.err)); child.emit("exit", reply.code); child.emit("close", reply.code); }); return child; }
    };
    all.execFile = function (name, args, options, call) { return all.exec([name].concat(args || []).join(" "), options, call); };
    return all;
  } };
  node.modules.crypto = { make: function () {
    function bytes(count) { var out = []; while (out.length < count) out.push(node.ask("random") >>> 8 & 255); return Buffer.from(out); }
    return { randomBytes: bytes, randomInt: function (from, to) { if (to === undefined) { to = from; from = 0; } return from + Math.floor(Math.random() * (to - from)); }, randomUUID: function () { var hex = bytes(16).toString("hex"); return hex.slice(0, 8) + "-" + hex.slice(8, 12) + "-4" + hex.slice(13, 16) + "-a" + hex.slice(17, 20) + "-" + hex.slice(20); },
      createHash: function (kind) { var text = ""; return { update: function (more) { text += more; return this; }, digest: function (form) { var hex = node.ask("hash", kind, text); return form === "base64" ? Buffer.from(hex, "hex").toString("base64") : hex; } }; } };
  } };
  globalThis.crypto = { randomUUID: function () { return node.requirer("/")("crypto").randomUUID(); } };
  node.modules.assert = { make: function () {
    function AssertionError(text) { var error = new Error(text); error.name = "AssertionError [ERR_ASSERTION]"; error.code = "ERR_ASSERTION"; return error; }
    function assert(holds, text) { if (!holds) throw AssertionError(text || "The expression evaluated to a falsy value"); }
    assert.ok = assert;
    assert.equal = assert.strictEqual = function (a, b, text) { if (!Object.is(a, b)) throw AssertionError(text || "Expected values to be strictly equal:\n\n" + node.inspect(a) + " !== " + node.inspect(b) + "\n"); };
    assert.notEqual = assert.notStrictEqual = function (a, b, text) { if (Object.is(a, b)) throw AssertionError(text || "Expected values to be different"); };
    assert.deepEqual = assert.deepStrictEqual = function (a, b, text) { if (node.inspect(a, { depth: null }) !== node.inspect(b, { depth: null })) throw AssertionError(text || "Expected values to be strictly deep-equal"); };
    return assert;
  } };
  node.modules.readline = { make: function () { return { createInterface: function (options) {
    var reader = emitter({ setPrompt: function () {}, prompt: function () {}, close: function () { if (!this.isClosed) { this.isClosed = true; this.emit("close"); } }, question: function (text, call) { process.stdout.write(text); var line = node.ask("line"); if (line !== null) node.ticks.push(function () { call(line.replace(/\n$/, "")); }); } });
    var rest = "";
    node.ticks.push(function () { if (!reader.listenerCount("line")) return; var text = node.ask("input") || ""; text.split("\n").forEach(function (line, at, all) { if (at < all.length - 1 || line) reader.emit("line", line); }); reader.close(); });
    return reader;
  } }; } };
  ["zlib", "stream", "cluster", "worker_threads", "dns", "tls", "vm", "v8", "http2", "dgram"].forEach(function (name) {
    node.modules[name] = { make: function () { throw new Error("the module " + name + " is not simulated in this sandbox"); } };
  });
})();
`;
