// Node.js's surroundings of JavaScript, in JavaScript: inspection, console, timers and their loop, modules, uncaught errors.

export const inspection = String.raw`
globalThis.global = globalThis;
globalThis.__node = { modules: {}, timers: [], next: 1, ticks: [], servers: {}, ended: false, exitCode: undefined, start: undefined };
__node.ask = function () { return JSON.parse(__ask(JSON.stringify(Array.prototype.slice.call(arguments)))); };
(function () {
  function quoted(text) {
    var mark = text.indexOf("'") < 0 ? "'" : text.indexOf('"') < 0 ? '"' : text.indexOf(String.fromCharCode(96)) < 0 ? String.fromCharCode(96) : "'";
    var out = "";
    for (var character of text) {
      if (character === "\n") out += "\\n";
      else if (character === "\t") out += "\\t";
      else if (character === "\r") out += "\\r";
      else if (character === "\\" || character === mark) out += "\\" + character;
      else out += character;
    }
    return mark + out + mark;
  }
  function key(name) {
    if (typeof name === "symbol") return "[" + String(name) + "]";
    return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
  }
  function plain(value) {
    if (typeof value === "string") return quoted(value);
    if (typeof value === "bigint") return value + "n";
    if (typeof value === "symbol") return String(value);
    if (typeof value === "function") {
      if (/^class\b/.test(Function.prototype.toString.call(value))) return "[class " + (value.name || "(anonymous)") + "]";
      return value.name ? "[Function: " + value.name + "]" : "[Function (anonymous)]";
    }
    return Object.is(value, -0) ? "-0" : String(value);
  }
  function nameOf(value) {
    var proto = Object.getPrototypeOf(value);
    return proto === null ? "[Object: null prototype]" : proto.constructor && proto.constructor.name || "Object";
  }
  function inspected(value, depth, ancestors, indent) {
    if (value === null || typeof value !== "object") {
      if (typeof value === "function" && Object.keys(value).length > 0) return wrapped(plain(value) + " {", texts(value, depth, ancestors, indent), "}", indent);
      return plain(value);
    }
    if (ancestors.indexOf(value) >= 0) return "[Circular *1]";
    if (value instanceof Error) return errorText(value, depth, ancestors, indent);
    if (value instanceof Date) return isNaN(value) ? "Invalid Date" : value.toISOString();
    if (value instanceof RegExp) return String(value);
    if (value instanceof Promise) return "Promise { <pending> }";
    if (value instanceof Number || value instanceof String || value instanceof Boolean) return "[" + nameOf(value) + ": " + plain(value.valueOf()) + "]";
    var name = nameOf(value);
    if (typeof value[Symbol.for("nodejs.util.inspect.custom")] === "function") return String(value[Symbol.for("nodejs.util.inspect.custom")](depth, {}));
    if (depth < 0) return Array.isArray(value) ? "[Array]" : "[" + name + "]";
    var more = ancestors.concat([value]);
    if (Array.isArray(value)) return listed(name === "Array" ? "[" : name + "(" + value.length + ") [", items(value, depth, more, indent), "]", indent, value);
    if (value instanceof Map) return wrapped("Map(" + value.size + ") {", Array.from(value, function (item) { return inspected(item[0], depth - 1, more, indent + 2) + " => " + inspected(item[1], depth - 1, more, indent + 2); }), "}", indent);
    if (value instanceof Set) return wrapped("Set(" + value.size + ") {", Array.from(value, function (item) { return inspected(item, depth - 1, more, indent + 2); }), "}", indent);
    if (globalThis.Buffer && value instanceof Buffer) return "<Buffer" + Array.from(value.slice(0, 50), function (item) { return " " + (item < 16 ? "0" : "") + item.toString(16); }).join("") + (value.length > 50 ? " ... " + (value.length - 50) + " more bytes" : "") + ">";
    if (ArrayBuffer.isView(value)) return listed(name + "(" + value.length + ") [", Array.from(value).slice(0, 100).map(plain), "]", indent, value);
    return wrapped(name === "Object" ? "{" : name + " {", texts(value, depth, more, indent), "}", indent);
  }
  function items(value, depth, ancestors, indent) {
    var out = [], empty = 0;
    for (var at = 0; at < Math.min(value.length, 100); at++) {
      if (!(at in value)) { empty++; continue; }
      if (empty > 0) { out.push("<" + empty + " empty item" + (empty > 1 ? "s" : "") + ">"); empty = 0; }
      out.push(inspected(value[at], depth - 1, ancestors, indent + 2));
    }
    if (empty > 0) out.push("<" + empty + " empty item" + (empty > 1 ? "s" : "") + ">");
    if (value.length > 100) out.push("... " + (value.length - 100) + " more item" + (value.length > 101 ? "s" : ""));
    Object.keys(value).forEach(function (name) { if (!/^\d+$/.test(name)) out.push(key(name) + ": " + inspected(value[name], depth - 1, ancestors, indent + 2)); });
    return out;
  }
  function texts(value, depth, ancestors, indent) {
    return Object.keys(value).map(function (name) {
      var descriptor = Object.getOwnPropertyDescriptor(value, name);
      if (descriptor.get) return key(name) + ": " + (descriptor.set ? "[Getter/Setter]" : "[Getter]");
      return key(name) + ": " + inspected(descriptor.value, depth - 1, ancestors, indent + 2);
    });
  }
  function wrapped(first, all, last, indent) {
    if (all.length === 0) return first + last;
    var line = first + " " + all.join(", ") + " " + last;
    if (all.join("").length + all.length <= 72 && line.length + indent <= 76 && line.indexOf("\n") < 0) return line;
    var space = "\n" + " ".repeat(indent + 2);
    return first + space + all.join("," + space) + "\n" + " ".repeat(indent) + last;
  }
  function listed(first, all, last, indent, value) {
    if (all.length > 6 && all.every(function (item) { return item.length <= 6 && item.indexOf("\n") < 0; })) {
      var width = Math.max.apply(null, all.map(function (item) { return item.length; })) + 2;
      var columns = Math.min(Math.round(Math.sqrt(2.5 * width * all.length) / width), Math.floor((80 - indent) / width), 16, 15);
      if (columns > 1) {
        var isNumber = typeof value[0] === "number" || typeof value[0] === "bigint";
        var widths = [];
        for (var column = 0; column < columns; column++) {
          var most = 0;
          for (var at = column; at < all.length; at += columns) most = Math.max(most, all[at].length);
          widths.push(most + 2);
        }
        var rows = [];
        for (var from = 0; from < all.length; from += columns) {
          rows.push(all.slice(from, from + columns).map(function (item, index) {
            var isLast = from + index === all.length - 1, isEnd = index === columns - 1 || isLast;
            var text = isLast ? item : item + ", ";
            if (isNumber) return (isLast ? item : item + ", ").padStart(widths[index] - (isLast ? 2 : 0));
            return isEnd ? text : text.padEnd(widths[index]);
          }).join("").replace(/ +$/, ""));
        }
        if (rows.length === 1) return first + " " + rows[0] + " " + last;
        var space = "\n" + " ".repeat(indent + 2);
        return first + space + rows.join(space) + "\n" + " ".repeat(indent) + last;
      }
    }
    return wrapped(first, all, last, indent);
  }
  function errorText(error, depth, ancestors, indent) {
    var text = __node.stackOf(error);
    var names = Object.keys(error).filter(function (name) { return name !== "stack" && name !== "message"; });
    if (error.cause !== undefined && names.indexOf("cause") < 0) text += " {\n  [cause]: " + inspected(error.cause, depth - 1, ancestors, indent + 2) + "\n}";
    if (names.length === 0) return text.indexOf("\n") < 0 && depth < 2 ? "[" + text + "]" : text;
    var properties = names.map(function (name) { return "  " + key(name) + ": " + inspected(error[name], depth - 1, ancestors, indent + 2); });
    return text + " {\n" + properties.join(",\n") + "\n}";
  }
  /** The stack as Node shows it: the error first, without what is ours. */
  __node.stackOf = function (error) {
    var head = error.name + (error.message ? ": " + error.message : "");
    var lines = String(error.stack || "").split("\n").filter(function (line) { return /^\s+at /.test(line) && !/node:internal|\(native\)/.test(line); });
    if (error instanceof SyntaxError) lines = lines.filter(function (line) { return !/at \/[^ ]*:\d+:\d+$/.test(line); });
    lines = lines.map(function (line) { return line.replace("at <anonymous> (", "at Object.<anonymous> (").replace("at <eval> (", "at Object.<anonymous> ("); });
    return head + lines.map(function (line) { return "\n" + line.replace(/^\s+/, "    "); }).join("");
  };
  __node.inspect = function (value, options) {
    var depth = options && options.depth !== undefined ? options.depth : 2;
    return inspected(value, depth === null ? 1000 : depth, [], 0);
  };
  __node.format = function () {
    var all = Array.prototype.slice.call(arguments), out = "";
    if (typeof all[0] === "string" && /%[sdifjoOc%]/.test(all[0]) && all.length > 1) {
      var form = all.shift();
      out = form.replace(/%([sdifjoOc%])/g, function (placeholder, kind) {
        if (kind === "%") return "%";
        if (all.length === 0) return placeholder;
        var item = all.shift();
        if (kind === "s") return typeof item === "object" && item !== null ? __node.inspect(item, { depth: 0 }) : String(item);
        if (kind === "d") return String(Number(item));
        if (kind === "i") return String(parseInt(item, 10));
        if (kind === "f") return String(parseFloat(item));
        if (kind === "j") return JSON.stringify(item);
        return kind === "c" ? "" : __node.inspect(item, { depth: 4 });
      });
      if (all.length > 0) out += " ";
    }
    return out + all.map(function (item) { return typeof item === "string" ? item : __node.inspect(item); }).join(" ");
  };
})();
`;

export const loop = String.raw`
(function () {
  var node = __node, indent = "", counts = {}, times = {};
  function lines(text) { return indent ? indent + text.split("\n").join("\n" + indent) : text; }
  function out() { node.ask("out", lines(node.format.apply(null, arguments)) + "\n"); }
  function err() { node.ask("error", lines(node.format.apply(null, arguments)) + "\n"); }
  globalThis.console = {
    log: out, info: out, debug: out, error: err, warn: err,
    trace: function () { err("Trace: " + node.format.apply(null, arguments)); },
    dir: function (value, options) { out(node.inspect(value, options)); },
    assert: function (holds) { if (!holds) err.apply(null, ["Assertion failed" + (arguments.length > 1 ? ":" : "")].concat(Array.prototype.slice.call(arguments, 1))); },
    group: function () { if (arguments.length) out.apply(null, arguments); indent += "  "; },
    groupEnd: function () { indent = indent.slice(2); },
    count: function (name) { name = name || "default"; counts[name] = (counts[name] || 0) + 1; out(name + ": " + counts[name]); },
    time: function (name) { times[name || "default"] = node.ask("clock"); },
    timeEnd: function (name) { name = name || "default"; out(name + ": " + (node.ask("clock") - times[name]) + "ms"); },
    table: function (rows) {
      var names = [], all = Object.keys(rows);
      all.forEach(function (item) { Object.keys(Object(rows[item])).forEach(function (name) { if (names.indexOf(name) < 0) names.push(name); }); });
      var cells = [["(index)"].concat(names)].concat(all.map(function (item) { return [item].concat(names.map(function (name) { var value = Object(rows[item])[name]; return value === undefined ? "" : node.inspect(value); })); }));
      var widths = cells[0].map(function (_, at) { return Math.max.apply(null, cells.map(function (row) { return row[at].length; })) + 2; });
      var line = function (a, b, c) { return a + widths.map(function (item) { return "─".repeat(item); }).join(b) + c; };
      var row = function (item) { return "│" + item.map(function (text, at) { return " " + text.padEnd(widths[at] - 1); }).join("│") + "│"; };
      out([line("┌", "┬", "┐"), row(cells[0]), line("├", "┼", "┤")].concat(cells.slice(1).map(row), [line("└", "┴", "┘")]).join("\n"));
    }
  };
  function Timer(id) { this.id = id; }
  Timer.prototype.ref = Timer.prototype.unref = function () { var id = this.id; node.timers.forEach(function (timer) { if (timer.id === id) timer.isIdle = true; }); return this; };
  Timer.prototype.hasRef = function () { return true; };
  Timer.prototype[Symbol.toPrimitive] = function () { return this.id; };
  function later(call, ms, args, every) {
    if (typeof call !== "function") throw new TypeError('The "callback" argument must be of type function. Received ' + node.inspect(call));
    ms = Math.max(1, Number(ms) || 1);
    var id = node.next++;
    node.timers.push({ id: id, atMs: node.ask("now") + ms, call: call, args: args, every: every ? ms : 0 });
    return new Timer(id);
  }
  function clear(timer) { if (timer !== undefined && timer !== null) { var id = Number(timer); node.timers = node.timers.filter(function (item) { return item.id !== id; }); } }
  globalThis.setTimeout = function (call, ms) { return later(call, ms, Array.prototype.slice.call(arguments, 2), false); };
  globalThis.setInterval = function (call, ms) { return later(call, ms, Array.prototype.slice.call(arguments, 2), true); };
  globalThis.setImmediate = function (call) { var args = Array.prototype.slice.call(arguments, 1); node.ticks.push(function () { call.apply(null, args); }); };
  globalThis.clearTimeout = globalThis.clearInterval = globalThis.clearImmediate = clear;
  globalThis.queueMicrotask = function (call) { Promise.resolve().then(call); };
  globalThis.structuredClone = function (value) { return JSON.parse(JSON.stringify(value)); };
  globalThis.performance = { now: function () { return node.ask("clock") - node.begunMs; } };

  /** Runs something of the program's; what it throws, or comes to reject, ends the program. */
  node.guarded = function (call) {
    try {
      var result = call();
      if (result && typeof result.then === "function") result.then(undefined, function (error) { node.uncaught(error, true); });
      return result;
    } catch (error) {
      node.uncaught(error, false);
    }
  };
  node.uncaught = function (error, fromPromise) {
    var event = fromPromise && process.listenerCount("unhandledRejection") > 0 ? "unhandledRejection" : "uncaughtException";
    if (process.listenerCount(event) > 0) { process.emit(event, error); return; }
    var place = error && /\(?((?:\/|\[)[^()\s]*):(\d+):(\d+)\)?/.exec(String(error.stack || "").split("\n").filter(function (line) { return line.indexOf("node:internal") < 0; }).join("\n"));
    var text = "";
    if (fromPromise) text = "node:internal/process/promises:394\n      triggerUncaughtException(err, true /* fromPromise */);\n      ^\n\n";
    else if (place) {
      var source = String(node.sourceOf(place[1]) || "").split("\n")[place[2] - 1] || "";
      text = place[1] + ":" + place[2] + "\n" + source + "\n" + " ".repeat(Math.max(0, error instanceof SyntaxError ? 0 : source.length - source.trimStart().length)) + "^\n\n";
    } else text = "node:internal/process/execution:451\n    throw e;\n    ^\n\n";
    if (error instanceof Error) text += node.inspect(error) + "\n";
    else text = text.replace(/\n\n$/, "\n") + "Uncaught:\n" + node.inspect(error) + "\n(Use " + String.fromCharCode(96) + "node --trace-uncaught ..." + String.fromCharCode(96) + " to show where the exception was thrown)\n";
    node.ask("error", text + "\nNode.js v24.11.1\n");
    node.exit(1);
  };
  node.exit = function (code) {
    if (!node.ended) {
      node.ended = true;
      process.exitCode = code;
      process.emit("exit", code);
      code = process.exitCode;
    }
    node.ask("exit", Number(code) || 0);
  };
  /** One thing that is waited for; false once there is none. */
  node.turn = function () {
    if (node.ticks.length > 0) {
      node.ticks.splice(0).forEach(node.guarded);
      return true;
    }
    var serving = Object.keys(node.servers).length > 0 || node.isReading;
    var first = node.timers.reduce(function (a, b) { return a && a.atMs <= b.atMs ? a : b; }, undefined);
    var isKept = serving || node.timers.some(function (item) { return !item.isIdle; });
    if (!isKept) {
      if (!node.beforeExit) { node.beforeExit = true; process.emit("beforeExit", process.exitCode || 0); return true; }
      node.exit(process.exitCode || 0);
      return false;
    }
    node.first = first;
    return JSON.stringify(["wait", first ? Math.max(0, first.atMs - node.ask("now")) : null, serving]);
  };
  node.resume = function (event) {
    var first = node.first;
    node.first = undefined;
    if (event.visit) node.guarded(function () { return node.visited(event.visit); });
    else if (event.signal) {
      if (process.listenerCount("SIGTERM") > 0) node.guarded(function () { process.emit("SIGTERM", "SIGTERM", 15); });
    } else if (first) {
      if (first.every) first.atMs += first.every;
      else clear(first.id);
      node.guarded(function () { return first.call.apply(null, first.args); });
    }
    return true;
  };
})();
`;

export const modules = String.raw`
(function () {
  var node = __node, cache = {};
  function dirname(path) { var at = path.lastIndexOf("/"); return at <= 0 ? "/" : path.slice(0, at); }
  function normal(path) {
    var segments = [];
    path.split("/").forEach(function (item) { if (item === "..") segments.pop(); else if (item !== "" && item !== ".") segments.push(item); });
    return "/" + segments.join("/");
  }
  node.normal = normal;
  function read(path) { var text = node.ask("read", path); return typeof text === "string" ? text : undefined; }
  node.sourceOf = function (path) { return path === "[eval]" ? node.start_.code : read(path); };
  function file(path) {
    var ends = ["", ".js", ".json", ".cjs", ".mjs"];
    for (var at = 0; at < ends.length; at++) if (read(path + ends[at]) !== undefined) return path + ends[at];
    var manifest = read(path + "/package.json");
    if (manifest !== undefined) { var main = JSON.parse(manifest).main; var mainFile = main && file(normal(path + "/" + main)); if (mainFile) return mainFile; }
    return read(path + "/index.js") === undefined ? undefined : path + "/index.js";
  }
  function resolve(name, folder) {
    if (/^\.{0,2}\//.test(name) || name === "." || name === "..") return file(normal(name[0] === "/" ? name : folder + "/" + name));
    for (var at = folder; ; at = dirname(at)) {
      var candidate = file(normal(at + "/node_modules/" + name));
      if (candidate || at === "/") return candidate;
    }
  }
  function Module(path) { this.id = this.filename = path; this.exports = {}; this.loaded = false; this.children = []; this.paths = []; }
  node.Module = Module;
  node.requirer = function (path) {
    var folder = path === "[eval]" || path === "repl" ? node.ask("chdir", ".") === 0 && process.cwd() : dirname(path);
    function require(name) {
      var bare = String(name).replace(/^node:/, "");
      var builtin = node.modules[bare];
      if (builtin && (bare.indexOf("node_modules") < 0) && (!builtin.isPackage || node.start_.packages.indexOf(bare) >= 0)) {
        if (!builtin.instance) builtin.instance = { exports: builtin.make() };
        return builtin.instance.exports;
      }
      var resolved = resolve(name, folder);
      if (resolved === undefined) {
        var error = new Error("Cannot find module '" + name + "'\nRequire stack:\n- " + path);
        error.code = "MODULE_NOT_FOUND";
        error.requireStack = [path];
        throw error;
      }
      return node.load(resolved);
    }
    require.resolve = function (name) { return node.modules[name] ? name : resolve(name, folder); };
    require.main = node.main;
    require.cache = cache;
    return require;
  };
  node.load = function (path) {
    if (cache[path]) return cache[path].exports;
    var module = cache[path] = new Module(path), text = read(path);
    if (/\.json$/.test(path)) { module.exports = JSON.parse(text); return module.exports; }
    module.loaded = true;
    node.compiled(text, path)(module.exports, node.requirer(path), module, path, dirname(path));
    return module.exports;
  };
  /** Imports and exports of modules, as calls of require. */
  function common(text) {
    if (!/^\s*(import|export)\b/m.test(text)) return text;
    var more = "";
    text = text.replace(/^([ \t]*)import\s+([^;'"]*?)\s+from\s+(['"][^'"]+['"])(?:\s+with\s+\{[^}]*\})?;?/gm, function (_, space, names, from) {
      var match = /^(?:([\w$]+)\s*,?\s*)?(?:\*\s+as\s+([\w$]+)|(\{[\s\S]*\}))?$/.exec(names.trim()) || [], out = [];
      if (match[1]) out.push("const " + match[1] + " = __node.defaultOf(require(" + from + "));");
      if (match[2]) out.push("const " + match[2] + " = require(" + from + ");");
      if (match[3]) out.push("const " + match[3].replace(/([\w$]+)\s+as\s+([\w$]+)/g, "$1: $2").replace(/\n/g, " ") + " = require(" + from + ");");
      return space + out.join(" ");
    });
    text = text.replace(/^([ \t]*)import\s+(['"][^'"]+['"]);?/gm, "$1require($2);");
    text = text.replace(/^([ \t]*)export\s+default\s+/gm, "$1module.exports.default = ");
    text = text.replace(/^([ \t]*)export\s+(async\s+function|function|class|const|let|var)\s+([\w$]+)/gm, function (_, space, kind, name) { more += "\nmodule.exports." + name + " = " + name + ";"; return space + kind + " " + name; });
    text = text.replace(/^([ \t]*)export\s+\{([^}]*)\};?/gm, function (_, space, names) {
      names.split(",").forEach(function (item) { var both = item.trim().split(/\s+as\s+/); if (both[0]) more += "\nmodule.exports." + (both[1] || both[0]) + " = " + both[0] + ";"; });
      return space;
    });
    return text + more;
  }
  node.defaultOf = function (moduleExports) { return moduleExports && moduleExports.default !== undefined ? moduleExports.default : moduleExports; };
  node.compiled = function (text, path) {
    text = text.replace(/^#!.*/, "");
    var isModule = /\.mjs$/.test(path) || /^\s*(import\s+[^(]|export\s)/m.test(text);
    var code = isModule ? common(text).replace(/\bimport\.meta\.url\b/g, "('file://' + __filename)") : text;
    var isAsync = isModule && /\bawait\b/.test(code);
    return __compile("(" + (isAsync ? "async " : "") + "function (exports, require, module, __filename, __dirname) { " + code + "\n})", path);
  };
  /** Begins the program. */
  node.start = function (options) {
    node.start_ = options;
    node.begunMs = node.ask("now");
    process.argv = options.argv;
    process.env = options.env;
    process.pid = options.pid;
    process.stdout.isTTY = process.stdin.isTTY = options.isTerminal || undefined;
    node.folder = options.folder;
    if (options.isInteractive) { node.repl(); return; }
    var path = options.file, module = node.main = new Module(path);
    cache[path] = module;
    var folder = path === "[eval]" ? options.folder : dirname(path), require = node.requirer(path);
    require.main = module;
    node.guarded(function () {
      if (path === "[eval]") {
        globalThis.require = require; globalThis.module = module; globalThis.exports = module.exports; globalThis.__filename = path; globalThis.__dirname = ".";
        var value = __compile(options.code, path);
        if (options.prints) console.log(value);
        return value;
      }
      if (/\.json$/.test(path)) return;
      return node.compiled(node.lastOf(options.code), path)(module.exports, require, module, path, folder);
    });
  };
  /** A program that ends with a call gives what it comes to: a promise that nobody looks at ends it if it is rejected. */
  node.lastOf = function (text) {
    return text.replace(/\n((?:await\s+)?[\w$.]+\(\s*\)\s*;?)\s*$/, "\nreturn $1");
  };
  node.repl = function () {
    globalThis.require = node.requirer("repl");
    var isTerminal = node.start_.isTerminal, text = "";
    if (isTerminal) node.ask("out", "Welcome to Node.js v24.11.1.\nType \".help\" for more information.\n");
    for (;;) {
      if (isTerminal) node.ask("out", text ? "... " : "> ");
      var line = node.ask("line");
      if (line === null || line.trim() === ".exit") break;
      text += line;
      if (text.trim() === "") { text = ""; continue; }
      var depth = 0;
      text.replace(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\/\/.*|([([{])|([)\]}])/g, function (_, opens, closes) { depth += opens ? 1 : closes ? -1 : 0; });
      if (depth > 0) continue;
      var code = text;
      text = "";
      try {
        var value;
        if (/^\s*\{[^;]*\}\s*$/.test(code)) { try { value = __compile("(" + code.trim() + ")", "REPL1"); } catch (error) { value = __compile(code, "REPL1"); } }
        else value = __compile(code.replace(/^(\s*)(?:const|let)\s/gm, "$1var "), "REPL1");
        __jobs();
        node.ask("out", node.inspect(value) + "\n");
      } catch (error) {
        node.ask("out", "Uncaught " + (error instanceof Error ? node.inspect(error).split("\n")[0] : node.inspect(error)) + "\n");
      }
    }
    if (isTerminal) node.ask("out", "\n");
    node.exit(0);
  };
})();
`;
