// Node.js's modules for the network: addresses, HTTP clients and servers, and a small Express.

export const network = String.raw`
(function () {
  var node = __node, emitter = node.emitter;
  var reasons = { 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 301: "Moved Permanently", 302: "Found", 304: "Not Modified", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 409: "Conflict", 422: "Unprocessable Entity", 429: "Too Many Requests", 500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout" };
  globalThis.URLSearchParams = class URLSearchParams {
    constructor(from) {
      var own = this._all = [];
      if (typeof from === "string") from.replace(/^\?/, "").split("&").filter(Boolean).forEach(function (one) { var at = one.indexOf("="); own.push([decoded(at < 0 ? one : one.slice(0, at)), at < 0 ? "" : decoded(one.slice(at + 1))]); });
      else if (from) (from[Symbol.iterator] ? Array.from(from) : Object.entries(from)).forEach(function (one) { own.push([String(one[0]), String(one[1])]); });
    }
    get(name) { var found = this._all.find(function (one) { return one[0] === name; }); return found ? found[1] : null; }
    getAll(name) { return this._all.filter(function (one) { return one[0] === name; }).map(function (one) { return one[1]; }); }
    has(name) { return this.get(name) !== null; }
    set(name, value) { this.delete(name); this.append(name, value); }
    append(name, value) { this._all.push([name, String(value)]); }
    delete(name) { this._all = this._all.filter(function (one) { return one[0] !== name; }); }
    forEach(call) { this._all.forEach(function (one) { call(one[1], one[0]); }); }
    entries() { return this._all[Symbol.iterator](); }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this._all.map(function (one) { return encodeURIComponent(one[0]) + "=" + encodeURIComponent(one[1]); }).join("&"); }
  };
  function decoded(text) { try { return decodeURIComponent(text.replace(/\+/g, " ")); } catch (error) { return text; } }
  globalThis.URL = class URL {
    constructor(text, base) {
      text = String(text);
      if (base !== undefined && !/^[a-z][a-z+.-]*:/i.test(text)) { var from = new URL(base); text = from.origin + (text[0] === "/" ? text : from.pathname.replace(/[^/]*$/, "") + text); }
      var found = /^([a-z][a-z+.-]*:)\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^:/?#]*)(?::(\d+))?([^?#]*)(\?[^#]*)?(#.*)?$/i.exec(text);
      if (!found) throw Object.assign(new TypeError("Invalid URL"), { code: "ERR_INVALID_URL", input: text });
      this.protocol = found[1].toLowerCase(); this.username = found[2] || ""; this.password = found[3] || ""; this.hostname = found[4]; this.port = found[5] || "";
      this.pathname = found[6] || "/"; this.search = found[7] || ""; this.hash = found[8] || ""; this.searchParams = new URLSearchParams(this.search);
    }
    get host() { return this.hostname + (this.port ? ":" + this.port : ""); }
    get origin() { return this.protocol + "//" + this.host; }
    get href() { var search = this.searchParams.toString(); return this.origin + this.pathname + (search ? "?" + search : "") + this.hash; }
    toString() { return this.href; }
    toJSON() { return this.href; }
  };
  node.modules.url = { make: function () { return { URL: URL, URLSearchParams: URLSearchParams, parse: function (text, isQuery) { var at = text.indexOf("?"), found = /^https?:/.test(text) ? new URL(text) : null, query = at < 0 ? null : text.slice(at + 1); return { href: text, pathname: found ? found.pathname : at < 0 ? text : text.slice(0, at), search: query === null ? null : "?" + query, query: isQuery ? Object.fromEntries(new URLSearchParams(query || "")._all) : query, hostname: found && found.hostname, host: found && found.host, port: found && found.port, protocol: found && found.protocol }; }, fileURLToPath: function (one) { return String(one.href || one).replace(/^file:\/\//, ""); }, pathToFileURL: function (one) { return new URL("file://" + one); } }; } };
  node.modules.querystring = { make: function () { return { parse: function (text) { return Object.fromEntries(new URLSearchParams(text)._all); }, stringify: function (value) { return new URLSearchParams(value).toString(); } }; } };

  /** A program's server hears of its visitors here. */
  node.visited = function (visit) {
    var server = node.servers[visit.port];
    if (server) return server._visited(visit);
    node.ask("respond", { status: 502, headers: [], body: "" });
  };
  function lower(pairs) { var out = {}; pairs.forEach(function (one) { var name = one[0].toLowerCase(); out[name] = out[name] === undefined ? one[1] : out[name] + ", " + one[1]; }); return out; }
  class IncomingMessage extends node.EventEmitter {
    constructor(visit, request) {
      super();
      this._events = {};
      this.method = visit.method; this.url = visit.path; this.httpVersion = "1.1"; this.headers = lower(visit.headers); this.rawHeaders = visit.headers.flat();
      this.socket = this.connection = { remoteAddress: "::ffff:" + visit.from, remotePort: 40000, encrypted: false, on: function () {}, setTimeout: function () {}, destroy: function () {} };
      this._body = visit.body; this.complete = true;
    }
    setEncoding() { return this; }
    _flow() { var own = this; if (own._isRead) return; own._isRead = true; node.ticks.push(function () { if (own._body) own.emit("data", own._text ? own._body : Buffer.from(own._body)); own.emit("end"); own.emit("close"); }); }
    on(name, call) { super.on(name, call); if (name === "data" || name === "end") this._flow(); return this; }
    resume() { this._flow(); return this; }
    pipe(to) { this.on("data", function (one) { to.write(one); }); this.on("end", function () { to.end(); }); return to; }
    async *[Symbol.asyncIterator]() { if (this._body) yield Buffer.from(this._body); }
  }
  class ServerResponse extends node.EventEmitter {
    constructor(request) { super(); this._events = {}; this.req = request; this.statusCode = 200; this._headers = []; this._body = ""; this.headersSent = false; this.writableEnded = this.finished = false; }
    setHeader(name, value) { this.removeHeader(name); this._headers.push([String(name), Array.isArray(value) ? value.join(", ") : String(value)]); return this; }
    getHeader(name) { var found = this._headers.find(function (one) { return one[0].toLowerCase() === String(name).toLowerCase(); }); return found && found[1]; }
    getHeaders() { return lower(this._headers); }
    hasHeader(name) { return this.getHeader(name) !== undefined; }
    removeHeader(name) { this._headers = this._headers.filter(function (one) { return one[0].toLowerCase() !== String(name).toLowerCase(); }); }
    writeHead(status, reason, headers) { var own = this; this.statusCode = status; if (typeof reason === "object") headers = reason; if (Array.isArray(headers)) headers.forEach(function (one) { own.setHeader(one[0], one[1]); }); else Object.keys(headers || {}).forEach(function (name) { own.setHeader(name, headers[name]); }); this.headersSent = true; return this; }
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
      var given = Array.prototype.slice.call(arguments), own = this, call = given.find(function (one) { return typeof one === "function"; });
      var first = given[0], port = Number(first && typeof first === "object" ? first.port : first) || 0;
      if (port === 0) port = 40000 + node.next++;
      if (call) this.on("listening", call);
      if (!node.ask("listen", port)) {
        var error = Object.assign(new Error("listen EADDRINUSE: address already in use :::" + port), { code: "EADDRINUSE", errno: -98, syscall: "listen", address: "::", port: port });
        node.ticks.push(function () { own.emit("error", error); });
        return this;
      }
      this._port = port; this.listening = true;
      node.servers[port] = this;
      node.ticks.push(function () { own.emit("listening"); });
      return this;
    }
    address() { return { address: "::", family: "IPv6", port: this._port }; }
    close(call) { delete node.servers[this._port]; this.listening = false; if (call) node.ticks.push(call); var own = this; node.ticks.push(function () { own.emit("close"); }); return this; }
    closeAllConnections() {}
    closeIdleConnections() {}
    setTimeout() { return this; }
    unref() { return this; }
    _visited(visit) { var request = new IncomingMessage(visit), response = new ServerResponse(request); this.emit("request", request, response); }
  }
  var failures = { refused: ["ECONNREFUSED", -111, "connect"], unresolved: ["ENOTFOUND", -3008, "getaddrinfo"], dropped: ["ETIMEDOUT", -110, "connect"], timeout: ["ETIMEDOUT", -110, "connect"], unreachable: ["EHOSTUNREACH", -113, "connect"] };
  function failed(said) {
    var known = failures[said.error] || ["ECONNRESET", -104, "read"], isName = said.error === "unresolved";
    var place = isName ? " " + said.host : known[2] === "connect" ? " " + said.address + ":" + said.port : "";
    var error = new Error(known[2] + " " + known[0] + place);
    return Object.assign(error, { errno: known[1], code: known[0], syscall: known[2] }, isName ? { hostname: said.host } : known[2] === "connect" ? { address: said.address, port: said.port } : {});
  }
  function requests(scheme) {
    function request(url, options, call) {
      if (typeof url === "object" && !(url instanceof URL)) { call = options; options = url; url = null; }
      if (typeof options === "function") { call = options; options = {}; }
      options = options || {};
      var port = options.port ? ":" + options.port : "";
      var whole = url ? String(url) : (options.protocol || scheme + ":") + "//" + (options.hostname || String(options.host || "localhost").split(":")[0]) + port + (options.path || "/");
      var one = emitter({ _body: "", _headers: Object.assign({}, options.headers), setHeader: function (name, value) { this._headers[name] = value; }, write: function (text) { this._body += typeof text === "string" ? text : Buffer.from(text).toString(); return true; }, setTimeout: function (ms, then) { options.timeout = ms; if (then) this.on("timeout", then); return this; }, destroy: function (error) { this.isGone = true; if (error) this.emit("error", error); return this; }, abort: function () { this.isGone = true; }, flushHeaders: function () {} });
      one.end = function (text) {
        if (text) one.write(text);
        node.ticks.push(function () {
          if (one.isGone) return;
          var said = node.ask("fetch", { method: options.method || "GET", url: whole, headers: Object.keys(one._headers).map(function (name) { return [name, String(one._headers[name])]; }), body: one._body, timeoutMs: options.timeout || null });
          if (said.error === "timeout") { one.emit("timeout"); if (!one.isGone) one.emit("error", failed(said)); return; }
          if (said.error) { one.emit("error", failed(said)); return; }
          var response = new IncomingMessage({ method: null, path: "", headers: said.headers, body: said.body, from: "" });
          response.statusCode = said.status; response.statusMessage = said.reason;
          response.setEncoding = function () { response._text = true; return response; };
          if (call) node.guarded(function () { return call(response); });
          one.emit("response", response);
        });
        return one;
      };
      return one;
    }
    return { request: request, get: function (url, options, call) { return request(url, options, call).end(); }, createServer: function (options, handler) { return new Server(typeof options === "function" ? options : handler); }, Server: Server, IncomingMessage: IncomingMessage, ServerResponse: ServerResponse, STATUS_CODES: reasons, METHODS: ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"], Agent: class Agent {} };
  }
  node.modules.http = { make: function () { return requests("http"); } };
  node.modules.https = { make: function () { return requests("https"); } };
  node.modules.net = { make: function () { return {
    createServer: function (options, handler) {
      var call = typeof options === "function" ? options : handler, server = new Server();
      server._visited = function (visit) {
        var out = "", socket = emitter({ remoteAddress: "::ffff:" + visit.from, remotePort: 40000, write: function (text) { out += typeof text === "string" ? text : Buffer.from(text).toString(); return true; }, setEncoding: function () {}, setTimeout: function () {}, destroy: function () { this.end(); }, pipe: function (to) { this.on("data", function (one) { to.write(one); }); return to; }, end: function (text) {
          if (this.isOver) return;
          this.isOver = true;
          if (text) this.write(text);
          var found = /^HTTP\/\S+ (\d+)[^\n]*\n([\s\S]*?)\r?\n\r?\n([\s\S]*)$/.exec(out);
          node.ask("respond", found ? { status: Number(found[1]), headers: found[2].split(/\r?\n/).map(function (one) { return [one.split(":")[0], one.slice(one.indexOf(":") + 1).trim()]; }), body: found[3] } : { status: out ? 200 : 0, headers: [], body: out });
        } });
        if (call) call(socket);
        server.emit("connection", socket);
        var head = visit.method + " " + visit.path + " HTTP/1.1\r\n" + visit.headers.map(function (one) { return one[0] + ": " + one[1] + "\r\n"; }).join("") + "\r\n" + visit.body;
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
    constructor(from) { this._all = {}; var own = this; if (from) (Array.isArray(from) ? from : from instanceof Headers ? from.entries() : Object.entries(from)).forEach(function (one) { own._all[one[0].toLowerCase()] = String(one[1]); }); }
    get(name) { var found = this._all[name.toLowerCase()]; return found === undefined ? null : found; }
    has(name) { return this.get(name) !== null; }
    set(name, value) { this._all[name.toLowerCase()] = String(value); }
    entries() { return Object.entries(this._all); }
    forEach(call) { this.entries().forEach(function (one) { call(one[1], one[0]); }); }
    [Symbol.iterator]() { return this.entries()[Symbol.iterator](); }
  }
  globalThis.Headers = Headers;
  globalThis.AbortSignal = { timeout: function (ms) { return { timeoutMs: ms }; } };
  globalThis.AbortController = class AbortController { constructor() { this.signal = {}; } abort() {} };
  globalThis.fetch = function (url, options) {
    options = options || {};
    return new Promise(function (yes, no) {
      var said, headers = new Headers(options.headers);
      for (var count = 0; count < 10; count++) {
        said = node.ask("fetch", { method: options.method || "GET", url: String(url), headers: headers.entries(), body: options.body === undefined ? "" : String(options.body), timeoutMs: options.signal && options.signal.timeoutMs || null });
        var to = said.headers && lower(said.headers).location;
        if (!to || said.status < 300 || said.status > 399 || options.redirect === "manual") break;
        url = new URL(to, String(url));
      }
      if (said.error) { no(Object.assign(new TypeError("fetch failed"), { cause: failed(said) })); return; }
      yes({ status: said.status, statusText: said.reason, ok: said.status >= 200 && said.status < 300, url: String(url), headers: new Headers(said.headers), text: function () { return Promise.resolve(said.body); }, json: function () { return new Promise(function (good) { good(JSON.parse(said.body)); }); }, arrayBuffer: function () { return Promise.resolve(Buffer.from(said.body).buffer); } });
    });
  };
})();
`;

export const express = String.raw`
(function () {
  var node = __node;
  function matcher(path, isPrefix) {
    if (path instanceof RegExp) return function (url) { var found = path.exec(url); return found && { params: Object.assign({}, found.slice(1)), length: found[0].length }; };
    var names = [], source = String(path).replace(/\/$/, "").replace(/[.+^$()[\]{}|\\]/g, "\\$&").replace(/\/:(\w+)(\?)?/g, function (_, name, optional) { names.push(name); return optional ? "(?:/([^/]+))?" : "/([^/]+)"; }).replace(/\*(\w*)/g, function (_, name) { names.push(name || String(names.length)); return "(.*)"; });
    var pattern = new RegExp("^" + source + (isPrefix ? "(?=/|$)" : "/?$"), "i");
    return function (url) {
      var found = pattern.exec(url);
      if (!found) return null;
      var params = {};
      names.forEach(function (name, at) { if (found[at + 1] !== undefined) params[name] = decodeURIComponent(found[at + 1]); });
      return { params: params, length: found[0].length };
    };
  }
  function router() {
    function handle(request, response, next) { run(handle, request, response, next || function () {}); }
    handle.layers = [];
    function added(method, isPrefix) {
      return function (path) {
        var calls = Array.prototype.slice.call(arguments, 1).flat(Infinity);
        if (typeof path === "function" || Array.isArray(path) && typeof path[0] === "function") { calls = [path].flat(Infinity).concat(calls); path = "/"; }
        [path].flat().forEach(function (one) { handle.layers.push({ method: method, match: isPrefix && one === "/" ? function () { return { params: {}, length: 0 }; } : matcher(one, isPrefix), calls: calls, isPrefix: isPrefix }); });
        return handle;
      };
    }
    ["get", "post", "put", "patch", "delete", "head", "options"].forEach(function (method) { handle[method] = added(method.toUpperCase(), false); });
    handle.all = added(undefined, false);
    handle.use = added(undefined, true);
    handle.route = function (path) { var one = {}; ["get", "post", "put", "patch", "delete", "all"].forEach(function (method) { one[method] = function () { handle[method].apply(handle, [path].concat(Array.prototype.slice.call(arguments))); return one; }; }); return one; };
    return handle;
  }
  function run(handle, request, response, done) {
    var steps = [], path = request.url.split("?")[0];
    handle.layers.forEach(function (layer) {
      if (layer.method && layer.method !== request.method && !(layer.method === "GET" && request.method === "HEAD")) return;
      var found = layer.match(path);
      if (found) layer.calls.forEach(function (call) { steps.push({ call: call, params: found.params, length: layer.isPrefix ? found.length : 0 }); });
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
    response.set = response.header = function (name, value) { if (typeof name === "object") Object.keys(name).forEach(function (one) { response.setHeader(one, name[one]); }); else response.setHeader(name, value); return response; };
    response.get = function (name) { return response.getHeader(name); };
    response.type = function (kind) { response.setHeader("Content-Type", { html: "text/html; charset=utf-8", json: "application/json; charset=utf-8", txt: "text/plain; charset=utf-8", text: "text/plain; charset=utf-8" }[kind] || kind); return response; };
    response.json = function (value) { if (!response.hasHeader("content-type")) response.setHeader("Content-Type", "application/json; charset=utf-8"); response.end(JSON.stringify(value)); return response; };
    response.send = function (value) {
      if (typeof value === "object" && value !== null && !Buffer.isBuffer(value)) return response.json(value);
      if (!response.hasHeader("content-type")) response.setHeader("Content-Type", Buffer.isBuffer(value) ? "application/octet-stream" : "text/html; charset=utf-8");
      response.end(value === undefined || value === null ? "" : typeof value === "string" || Buffer.isBuffer(value) ? value : String(value));
      return response;
    };
    response.sendStatus = function (code) { response.statusCode = code; return response.type("txt").send(node.modules.http.made.exports.STATUS_CODES[code] || String(code)); };
    response.redirect = function (code, to) { if (to === undefined) { to = code; code = 302; } response.statusCode = code; response.setHeader("Location", to); response.type("txt").send("Found. Redirecting to " + to); };
    response.sendFile = function (path) { var text = node.ask("read", path); if (typeof text !== "string") { page(response, 404, "Not Found"); return; } response.setHeader("Content-Type", typeOf(path)); response.end(text); };
    response.cookie = response.clearCookie = response.vary = function () { return response; };
  }
  function typeOf(path) { return { html: "text/html; charset=utf-8", css: "text/css; charset=utf-8", js: "text/javascript; charset=utf-8", json: "application/json; charset=utf-8", txt: "text/plain; charset=utf-8", svg: "image/svg+xml" }[path.slice(path.lastIndexOf(".") + 1)] || "application/octet-stream"; }
  node.modules.express = { isPackage: true, make: function () {
    var http = node.requirer("/")("http");
    function express() {
      var own = router(), settings = {};
      function app(request, response, next) {
        if (!request.app) equip(request, response, app);
        run(own, request, response, next || function (error) {
          if (response.writableEnded) return;
          if (!error) { page(response, 404, "Cannot " + request.method + " " + escaped(request.originalUrl.split("?")[0])); return; }
          if (!error.expose) node.ask("error", (error instanceof Error ? node.stackOf(error) : String(error)) + "\n");
          page(response, error.status || error.statusCode || 500, escaped(error instanceof Error ? node.stackOf(error) : error).replace(/ {2}/g, " &nbsp;"));
        });
      }
      Object.assign(app, own);
      app.layers = own.layers;
      var get = own.get;
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
