// Node.js's modules for the network: addresses, HTTP clients and servers, and a small Express.

export const network = String.raw`
(function () {
  var node = __node, emitter = node.emitter;
  var reasons = { 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 301: "Moved Permanently", 302: "Found", 304: "Not Modified", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 409: "Conflict", 422: "Unprocessable Entity", 429: "Too Many Requests", 500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout" };
  globalThis.URLSearchParams = class URLSearchParams {
    constructor(from) {
      var pairs = this._all = [];
      if (typeof from === "string") from.replace(/^\?/, "").split("&").filter(Boolean).forEach(function (item) { var at = item.indexOf("="); pairs.push([decoded(at < 0 ? item : item.slice(0, at)), at < 0 ? "" : decoded(item.slice(at + 1))]); });
      else if (from) (from[Symbol.iterator] ? Array.from(from) : Object.entries(from)).forEach(function (item) { pairs.push([String(item[0]), String(item[1])]); });
    }
    get(name) { var pair = this._all.find(function (item) { return item[0] === name; }); return pair ? pair[1] : null; }
    getAll(name) { return this._all.filter(function (item) { return item[0] === name; }).map(function (item) { return item[1]; }); }
    has(name) { return this.get(name) !== null; }
    set(name, value) { this.delete(name); this.append(name, value); }
    append(name, value) { this._all.push([name, String(value)]); }
    delete(name) { this._all = this._all.filter(function (item) { return item[0] !== name; }); }
    forEach(call) { this._all.forEach(function (item) { call(item[1], item[0]); }); }
    entries() { return this._all[Symbol.iterator](); }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this._all.map(function (item) { return encodeURIComponent(item[0]) + "=" + encodeURIComponent(item[1]); }).join("&"); }
  };
  function decoded(text) { try { return decodeURIComponent(text.replace(/\+/g, " ")); } catch (error) { return text; } }
  globalThis.URL = class URL {
    constructor(text, base) {
      text = String(text);
      if (base !== undefined && !/^[a-z][a-z+.-]*:/i.test(text)) { var from = new URL(base); text = from.origin + (text[0] === "/" ? text : from.pathname.replace(/[^/]*$/, "") + text); }
      var match = /^([a-z][a-z+.-]*:)\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^:/?#]*)(?::(\d+))?([^?#]*)(\?[^#]*)?(#.*)?$/i.exec(text);
      if (!match) throw Object.assign(new TypeError("Invalid URL"), { code: "ERR_INVALID_URL", input: text });
      this.protocol = match[1].toLowerCase(); this.username = match[2] || ""; this.password = match[3] || ""; this.hostname = match[4]; this.port = match[5] || "";
      this.pathname = match[6] || "/"; this.search = match[7] || ""; this.hash = match[8] || ""; this.searchParams = new URLSearchParams(this.search);
    }
    get host() { return this.hostname + (this.port ? ":" + this.port : ""); }
    get origin() { return this.protocol + "//" + this.host; }
    get href() { var search = this.searchParams.toString(); return this.origin + this.pathname + (search ? "?" + search : "") + this.hash; }
    toString() { return this.href; }
    toJSON() { return this.href; }
  };
  node.modules.url = { make: function () { return { URL: URL, URLSearchParams: URLSearchParams, parse: function (text, isQuery) { var at = text.indexOf("?"), parsed = /^https?:/.test(text) ? new URL(text) : null, query = at < 0 ? null : text.slice(at + 1); return { href: text, pathname: parsed ? parsed.pathname : at < 0 ? text : text.slice(0, at), search: query === null ? null : "?" + query, query: isQuery ? Object.fromEntries(new URLSearchParams(query || "")._all) : query, hostname: parsed && parsed.hostname, host: parsed && parsed.host, port: parsed && parsed.port, protocol: parsed && parsed.protocol }; }, fileURLToPath: function (item) { return String(item.href || item).replace(/^file:\/\//, ""); }, pathToFileURL: function (item) { return new URL("file://" + item); } }; } };
  node.modules.querystring = { make: function () { return { parse: function (text) { return Object.fromEntries(new URLSearchParams(text)._all); }, stringify: function (value) { return new URLSearchParams(value).toString(); } }; } };

  /** A program's server hears of its visitors here. */
  node.visited = function (visit) {
    var server = node.servers[visit.port];
    if (server) return server._visited(visit);
    node.ask("respond", { status: 502, headers: [], body: "" });
  };
  function lower(pairs) { var out = {}; pairs.forEach(function (item) { var name = item[0].toLowerCase(); out[name] = out[name] === undefined ? item[1] : out[name] + ", " + item[1]; }); return out; }
  class IncomingMessage extends node.EventEmitter {
    constructor(visit, request) {
      super();
      this._events = {};
      this.method = visit.method; this.url = visit.path; this.httpVersion = "1.1"; this.headers = lower(visit.headers); this.rawHeaders = visit.headers.flat();
      this.socket = this.connection = { remoteAddress: "::ffff:" + visit.from, remotePort: 40000, encrypted: false, on: function () {}, setTimeout: function () {}, destroy: function () {} };
      this._body = visit.body; this.complete = true;
    }
    setEncoding() { return this; }
    _flow() { var self = this; if (self._isRead) return; self._isRead = true; node.ticks.push(function () { if (self._body) self.emit("data", self._text ? self._body : Buffer.from(self._body)); self.emit("end"); self.emit("close"); }); }
    on(name, call) { super.on(name, call); if (name === "data" || name === "end") this._flow(); return this; }
    resume() { this._flow(); return this; }
    pipe(to) { this.on("data", function (item) { to.write(item); }); this.on("end", function () { to.end(); }); return to; }
    async *[Symbol.asyncIterator]() { if (this._body) yield Buffer.from(this._body); }
  }
  class ServerResponse extends node.EventEmitter {
    constructor(request) { super(); this._events = {}; this.req = request; this.statusCode = 200; this._headers = []; this._body = ""; this.headersSent = false; this.writableEnded = this.finished = false; }
    setHeader(name, value) { this.removeHeader(name); this._headers.push([String(name), Array.isArray(value) ? value.join(", ") : String(value)]); return this; }
    getHeader(name) { var header = this._headers.find(function (item) { return item[0].toLowerCase() === String(name).toLowerCase(); }); return header && header[1]; }
    getHeaders() { return lower(this._headers); }
    hasHeader(name) { return this.getHeader(name) !== undefined; }
    removeHeader(name) { this._headers = this._headers.filter(function (item) { return item[0].toLowerCase() !== String(name).toLowerCase(); }); }
    writeHead(status, reason, headers) { var self = this; this.statusCode = status; if (typeof reason === "object") headers = reason; if (Array.isArray(headers)) headers.forEach(function (item) { self.setHeader(item[0], item[1]); }); else Object.keys(headers || {}).forEach(function (name) { self.setHeader(name, headers[name]); }); this.headersSent = true; return this; }
    flushHeaders() {}
    write(text) {
      if (this.writableEnded) throw Object.assign(new Error("write after end"), { code: "ERR_STREAM_WRITE_AFTER_END" });
      if (typeof text !== "string" && !ArrayBuffer.isView(text)) throw Object.assign(new TypeError('The "chunk" argument must be of type string or an instance of Buffer, TypedArray, or DataView.' + (text === null ? " Received null" : " Received " + (typeof text === "object" ? "an instance of " + text.constructor.name : "type " + typeof text + " (" + String(text) + ")"))), { code: "ERR_INVALID_ARG_TYPE" });
      this._body += typeof text === "string" ? text : Buffer.from(text).toString();
      return true;
    }
    end(text, form, call) {
      if (this.writableEnded) return this;
      if (text !== undefined && text !== null && typeof text !== "function") this.write(text);
      this.writableEnded = this.finished = this.headersSent = true;
      node.ask("respond", { status: this.statusCode, headers: this._headers, body: this._body });
      this.emit("finish"); this.emit("close");
      return this;
    }
  }
  class Server extends node.EventEmitter {
    constructor(handler) { super(); this._events = {}; if (handler) this.on("request", handler); }
    listen() {
      var args = Array.prototype.slice.call(arguments), self = this, call = args.find(function (item) { return typeof item === "function"; });
      var first = args[0], port = Number(first && typeof first === "object" ? first.port : first) || 0;
      if (port === 0) port = 40000 + node.next++;
      if (call) this.on("listening", call);
      if (!node.ask("listen", port)) {
        var error = Object.assign(new Error("listen EADDRINUSE: address already in use :::" + port), { code: "EADDRINUSE", errno: -98, syscall: "listen", address: "::", port: port });
        node.ticks.push(function () { self.emit("error", error); });
        return this;
      }
      this._port = port; this.listening = true;
      node.servers[port] = this;
      node.ticks.push(function () { self.emit("listening"); });
      return this;
    }
    address() { return { address: "::", family: "IPv6", port: this._port }; }
    close(call) { delete node.servers[this._port]; this.listening = false; if (call) node.ticks.push(call); var self = this; node.ticks.push(function () { self.emit("close"); }); return this; }
    closeAllConnections() {}
    closeIdleConnections() {}
    setTimeout() { return this; }
    unref() { return this; }
    _visited(visit) { var request = new IncomingMessage(visit), response = new ServerResponse(request); this.emit("request", request, response); }
  }
  var failures = { refused: ["ECONNREFUSED", -111, "connect"], unresolved: ["ENOTFOUND", -3008, "getaddrinfo"], dropped: ["ETIMEDOUT", -110, "connect"], timeout: ["ETIMEDOUT", -110, "connect"], unreachable: ["EHOSTUNREACH", -113, "connect"] };
  function failed(reply) {
    var details = failures[reply.error] || ["ECONNRESET", -104, "read"], isName = reply.error === "unresolved";
    var place = isName ? " " + reply.host : details[2] === "connect" ? " " + reply.address + ":" + reply.port : "";
    var error = new Error(details[2] + " " + details[0] + place);
    return Object.assign(error, { errno: details[1], code: details[0], syscall: details[2] }, isName ? { hostname: reply.host } : details[2] === "connect" ? { address: reply.address, port: reply.port } : {});
  }
  function requests(scheme) {
    function request(url, options, call) {
      if (typeof url === "object" && !(url instanceof URL)) { call = options; options = url; url = null; }
      if (typeof options === "function") { call = options; options = {}; }
      options = options || {};
      var port = options.port ? ":" + options.port : "";
      var address = url ? String(url) : (options.protocol || scheme + ":") + "//" + (options.hostname || String(options.host || "localhost").split(":")[0]) + port + (options.path || "/");
      var outgoing = emitter({ _body: "", _headers: Object.assign({}, options.headers), setHeader: function (name, value) { this._headers[name] = value; }, write: function (text) { this._body += typeof text === "string" ? text : Buffer.from(text).toString(); return true; }, setTimeout: function (ms, then) { options.timeout = ms; if (then) this.on("timeout", then); return this; }, destroy: function (error) { this.isGone = true; if (error) this.emit("error", error); return this; }, abort: function () { this.isGone = true; }, flushHeaders: function () {} });
      outgoing.end = function (text) {
        if (text) outgoing.write(text);
        node.ticks.push(function () {
          if (outgoing.isGone) return;
          var reply = node.ask("fetch", { method: options.method || "GET", url: address, headers: Object.keys(outgoing._headers).map(function (name) { return [name, String(outgoing._headers[name])]; }), body: outgoing._body, timeoutMs: options.timeout || null });
          if (reply.error === "timeout") { outgoing.emit("timeout"); if (!outgoing.isGone) outgoing.emit("error", failed(reply)); return; }
          if (reply.error) { outgoing.emit("error", failed(reply)); return; }
          var response = new IncomingMessage({ method: null, path: "", headers: reply.headers, body: reply.body, from: "" });
          response.statusCode = reply.status; response.statusMessage = reply.reason;
          response.setEncoding = function () { response._text = true; return response; };
          if (call) node.guarded(function () { return call(response); });
          outgoing.emit("response", response);
        });
        return outgoing;
      };
      return outgoing;
    }
    return { request: request, get: function (url, options, call) { return request(url, options, call).end(); }, createServer: function (options, handler) { return new Server(typeof options === "function" ? options : handler); }, Server: Server, IncomingMessage: IncomingMessage, ServerResponse: ServerResponse, STATUS_CODES: reasons, METHODS: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"], Agent: class Agent {} };
  }
  node.modules.http = { make: function () { return requests("http"); } };
  node.modules.https = { make: function () { return requests("https"); } };
  node.modules.net = { make: function () { return {
    createServer: function (options, handler) {
      var call = typeof options === "function" ? options : handler, server = new Server();
      server._visited = function (visit) {
        var out = "", socket = emitter({ remoteAddress: "::ffff:" + visit.from, remotePort: 40000, write: function (text) { out += typeof text === "string" ? text : Buffer.from(text).toString(); return true; }, setEncoding: function () {}, setTimeout: function () {}, destroy: function () { this.end(); }, pipe: function (to) { this.on("data", function (item) { to.write(item); }); return to; }, end: function (text) {
          if (this.isOver) return;
          this.isOver = true;
          if (text) this.write(text);
          var match = /^HTTP\/\S+ (\d+)[^\n]*\n([\s\S]*?)\r?\n\r?\n([\s\S]*)$/.exec(out);
          node.ask("respond", match ? { status: Number(match[1]), headers: match[2].split(/\r?\n/).map(function (item) { return [item.split(":")[0], item.slice(item.indexOf(":") + 1).trim()]; }), body: match[3] } : { status: out ? 200 : 0, headers: [], body: out });
        } });
        if (call) call(socket);
        server.emit("connection", socket);
        var head = visit.method + " " + visit.path + " HTTP/1.1\r\n" + visit.headers.map(function (item) { return item[0] + ": " + item[1] + "\r\n"; }).join("") + "\r\n" + visit.body;
        node.ticks.push(function () { socket.emit("data", Buffer.from(head)); socket.emit("end"); node.ticks.push(function () { socket.end(); }); });
      };
      return server;
    },
    connect: connect, createConnection: connect, isIP: function (text) { return /^[\d.]+$/.test(text) ? 4 : 0; }
  }; } };
  function connect(port, host, call) {
    if (typeof port === "object") { call = host; host = port.host; port = port.port; }
    if (typeof host === "function") { call = host; host = undefined; }
    var socket = emitter({ write: function () { return true; }, end: function () { return this; }, destroy: function () { return this; }, setTimeout: function () { return this; }, setEncoding: function () { return this; } });
    node.ticks.push(function () {
      var address = node.ask("resolve", host || "localhost"), kind = address === null ? "unresolved" : node.ask("connect", { host: host || "localhost", port: Number(port), timeoutMs: null });
      if (failures[kind]) { socket.emit("error", failed({ error: kind, host: host, address: address, port: port })); socket.emit("close"); return; }
      if (call) call();
      socket.emit("connect");
    });
    return socket;
  }
  class Headers {
    constructor(from) { this._all = {}; var self = this; if (from) (Array.isArray(from) ? from : from instanceof Headers ? from.entries() : Object.entries(from)).forEach(function (item) { self._all[item[0].toLowerCase()] = String(item[1]); }); }
    get(name) { var value = this._all[name.toLowerCase()]; return value === undefined ? null : value; }
    has(name) { return this.get(name) !== null; }
    set(name, value) { this._all[name.toLowerCase()] = String(value); }
    entries() { return Object.entries(this._all); }
    forEach(call) { this.entries().forEach(function (item) { call(item[1], item[0]); }); }
    [Symbol.iterator]() { return this.entries()[Symbol.iterator](); }
  }
  globalThis.Headers = Headers;
  globalThis.AbortSignal = { timeout: function (ms) { return { timeoutMs: ms }; } };
  globalThis.AbortController = class AbortController { constructor() { this.signal = {}; } abort() {} };
  globalThis.fetch = function (url, options) {
    options = options || {};
    return new Promise(function (yes, no) {
      var reply, headers = new Headers(options.headers);
      for (var count = 0; count < 10; count++) {
        reply = node.ask("fetch", { method: options.method || "GET", url: String(url), headers: headers.entries(), body: options.body === undefined ? "" : String(options.body), timeoutMs: options.signal && options.signal.timeoutMs || null });
        var to = reply.headers && lower(reply.headers).location;
        if (!to || reply.status < 300 || reply.status > 399 || options.redirect === "manual") break;
        url = new URL(to, String(url));
      }
      if (reply.error) { no(Object.assign(new TypeError("fetch failed"), { cause: failed(reply) })); return; }
      yes({ status: reply.status, statusText: reply.reason, ok: reply.status >= 200 && reply.status < 300, url: String(url), headers: new Headers(reply.headers), text: function () { return Promise.resolve(reply.body); }, json: function () { return new Promise(function (good) { good(JSON.parse(reply.body)); }); }, arrayBuffer: function () { return Promise.resolve(Buffer.from(reply.body).buffer); } });
    });
  };
})();
`;

export const express = String.raw`
(function () {
  var node = __node;
  function matcher(path, isPrefix) {
    if (path instanceof RegExp) return function (url) { var match = path.exec(url); return match && { params: Object.assign({}, match.slice(1)), length: match[0].length }; };
    var names = [], source = String(path).replace(/\/$/, "").replace(/[.+^$()[\]{}|\\]/g, "\\$&").replace(/\/:(\w+)(\?)?/g, function (_, name, optional) { names.push(name); return optional ? "(?:/([^/]+))?" : "/([^/]+)"; }).replace(/\*(\w*)/g, function (_, name) { names.push(name || String(names.length)); return "(.*)"; });
    var pattern = new RegExp("^" + source + (isPrefix ? "(?=/|$)" : "/?$"), "i");
    return function (url) {
      var match = pattern.exec(url);
      if (!match) return null;
      var params = {};
      names.forEach(function (name, at) { if (match[at + 1] !== undefined) params[name] = decodeURIComponent(match[at + 1]); });
      return { params: params, length: match[0].length };
    };
  }
  function router() {
    function handle(request, response, next) { run(handle, request, response, next || function () {}); }
    handle.layers = [];
    function added(method, isPrefix) {
      return function (path) {
        var calls = Array.prototype.slice.call(arguments, 1).flat(Infinity);
        if (typeof path === "function" || Array.isArray(path) && typeof path[0] === "function") { calls = [path].flat(Infinity).concat(calls); path = "/"; }
        [path].flat().forEach(function (item) { handle.layers.push({ method: method, match: isPrefix && item === "/" ? function () { return { params: {}, length: 0 }; } : matcher(item, isPrefix), calls: calls, isPrefix: isPrefix }); });
        return handle;
      };
    }
    ["get", "post", "put", "patch", "delete", "head", "options"].forEach(function (method) { handle[method] = added(method.toUpperCase(), false); });
    handle.all = added(undefined, false);
    handle.use = added(undefined, true);
    handle.route = function (path) { var route = {}; ["get", "post", "put", "patch", "delete", "all"].forEach(function (method) { route[method] = function () { handle[method].apply(handle, [path].concat(Array.prototype.slice.call(arguments))); return route; }; }); return route; };
    return handle;
  }
  function run(handle, request, response, done) {
    var steps = [], path = request.url.split("?")[0];
    handle.layers.forEach(function (layer) {
      if (layer.method && layer.method !== request.method && !(layer.method === "GET" && request.method === "HEAD")) return;
      var match = layer.match(path);
      if (match) layer.calls.forEach(function (call) { steps.push({ call: call, params: match.params, length: layer.isPrefix ? match.length : 0 }); });
    });
    var at = 0, url = request.url, base = request.baseUrl || "", before = request.params;
    function next(error) {
      request.url = url; request.baseUrl = base;
      if (error === "route" || error === "router") error = undefined;
      var step = steps[at++];
      if (!step) { request.params = before; done(error); return; }
      if (error ? step.call.length !== 4 : step.call.length === 4) { next(error); return; }
      request.params = Object.assign({}, before, step.params);
      if (step.length) { request.baseUrl = base + path.slice(0, step.length); request.url = url.slice(step.length) || "/"; if (request.url[0] !== "/") request.url = "/" + request.url; }
      var result;
      try { result = error ? step.call(error, request, response, next) : step.call(request, response, next); } catch (thrown) { next(thrown); return; }
      if (result && typeof result.then === "function") result.then(undefined, next);
    }
    next();
  }
  function escaped(text) { return String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;").replace(/\n/g, "<br>"); }
  function page(response, status, text) { response.statusCode = status; response.setHeader("Content-Type", "text/html; charset=utf-8"); response.end("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Error</title>\n</head>\n<body>\n<pre>" + text + "</pre>\n</body>\n</html>\n"); }
  function equip(request, response, app) {
    var url = new URL("http://x" + request.url);
    request.app = response.app = app; request.res = response; response.req = request;
    request.path = url.pathname; request.originalUrl = request.url; request.query = Object.fromEntries(url.searchParams._all); request.params = {}; request.ip = request.socket.remoteAddress; request.protocol = "http";
    request.hostname = String(request.headers.host || "").split(":")[0]; request.cookies = {};
    request.get = request.header = function (name) { return request.headers[name.toLowerCase()]; };
    response.locals = {};
    response.status = function (code) { response.statusCode = code; return response; };
    response.set = response.header = function (name, value) { if (typeof name === "object") Object.keys(name).forEach(function (item) { response.setHeader(item, name[item]); }); else response.setHeader(name, value); return response; };
    response.get = function (name) { return response.getHeader(name); };
    response.type = function (kind) { response.setHeader("Content-Type", { html: "text/html; charset=utf-8", json: "application/json; charset=utf-8", txt: "text/plain; charset=utf-8", text: "text/plain; charset=utf-8" }[kind] || kind); return response; };
    response.json = function (value) { if (!response.hasHeader("content-type")) response.setHeader("Content-Type", "application/json; charset=utf-8"); response.end(JSON.stringify(value)); return response; };
    response.send = function (value) {
      if (typeof value === "object" && value !== null && !Buffer.isBuffer(value)) return response.json(value);
      if (!response.hasHeader("content-type")) response.setHeader("Content-Type", Buffer.isBuffer(value) ? "application/octet-stream" : "text/html; charset=utf-8");
      response.end(value === undefined || value === null ? "" : typeof value === "string" || Buffer.isBuffer(value) ? value : String(value));
      return response;
    };
    response.sendStatus = function (code) { response.statusCode = code; return response.type("txt").send(node.modules.http.instance.exports.STATUS_CODES[code] || String(code)); };
    response.redirect = function (code, to) { if (to === undefined) { to = code; code = 302; } response.statusCode = code; response.setHeader("Location", to); response.type("txt").send("Found. Redirecting to " + to); };
    response.sendFile = function (path) { var text = node.ask("read", path); if (typeof text !== "string") { page(response, 404, "Not Found"); return; } response.setHeader("Content-Type", typeOf(path)); response.end(text); };
    response.cookie = response.clearCookie = response.vary = function () { return response; };
  }
  function typeOf(path) { return { html: "text/html; charset=utf-8", css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8", json: "application/json; charset=utf-8", txt: "text/plain; charset=utf-8", svg: "image/svg+xml" }[path.slice(path.lastIndexOf(".") + 1)] || "application/octet-stream"; }
  node.modules.express = { isPackage: true, make: function () {
    var http = node.requirer("/")("http");
    function express() {
      var handler = router(), settings = {};
      function app(request, response, next) {
        if (!request.app) equip(request, response, app);
        run(handler, request, response, next || function (error) {
          if (response.writableEnded) return;
          if (!error) { page(response, 404, "Cannot " + request.method + " " + escaped(request.originalUrl.split("?")[0])); return; }
          if (!error.expose) node.ask("error", (error instanceof Error ? node.stackOf(error) : String(error)) + "\n");
          page(response, error.status || error.statusCode || 500, escaped(error instanceof Error ? node.stackOf(error) : error).replace(/ {2}/g, " &nbsp;"));
        });
      }
      Object.assign(app, handler);
      app.layers = handler.layers;
      var get = handler.get;
      app.get = function (name) { return arguments.length === 1 && typeof name === "string" ? settings[name] : (get.apply(null, arguments), app); };
      app.set = function (name, value) { settings[name] = value; return app; };
      app.enable = app.disable = function () { return app; };
      app.locals = {};
      app.listen = function () { var server = http.createServer(app); return server.listen.apply(server, arguments); };
      return app;
    }
    function body(kind, read) {
      return function () { return function (request, response, next) {
        if (request.body !== undefined || String(request.headers["content-type"] || "").indexOf(kind) < 0) { next(); return; }
        try { request.body = request._body ? read(request._body) : {}; } catch (error) { error.status = 400; next(error); return; }
        next();
      }; };
    }
    express.json = body("json", JSON.parse);
    express.urlencoded = body("urlencoded", function (text) { return Object.fromEntries(new URLSearchParams(text)._all); });
    express.text = body("text/", String);
    express.static = function (folder) { return function (request, response, next) {
      var path = node.normal((folder[0] === "/" ? folder : process.cwd() + "/" + folder) + decodeURIComponent(request.url.split("?")[0]));
      var text = node.ask("read", path);
      if (text === -21) { path += "/index.html"; text = node.ask("read", path); }
      if (typeof text !== "string" || request.method !== "GET" && request.method !== "HEAD") { next(); return; }
      response.setHeader("Content-Type", typeOf(path));
      response.end(text);
    }; };
    express.Router = router;
    return express;
  } };
})();
`;
