// mongosh's library: databases and collections, queries, updates, a small pipeline, and its own commands.

export const mongosh = String.raw`
(function () {
  var node = __node, to, current, count = 0;
  class ObjectId {
    constructor(hex) { this.hex = hex || Math.floor(node.ask("clock") / 1000).toString(16).padStart(8, "0") + ("0000000000000000" + (node.ask("random") * 4096 + count++).toString(16)).slice(-16); }
    toString() { return this.hex; }
    toHexString() { return this.hex; }
    toJSON() { return { $oid: this.hex }; }
  }
  class MongoServerError extends Error { constructor(reply) { super(reply.error); this.name = "MongoServerError"; this.code = reply.code; this.codeName = reply.codeName; } }
  function packed(value) {
    if (value instanceof ObjectId) return { $oid: value.hex };
    if (value instanceof Date) return { $date: value.toISOString() };
    if (Array.isArray(value)) return value.map(packed);
    if (value && typeof value === "object") { var out = {}; Object.keys(value).forEach(function (name) { out[name] = packed(value[name]); }); return out; }
    return value;
  }
  function unpacked(value) {
    if (Array.isArray(value)) return value.map(unpacked);
    if (!value || typeof value !== "object") return value;
    if (typeof value.$oid === "string") return new ObjectId(value.$oid);
    if (typeof value.$date === "string") return new Date(value.$date);
    var out = {};
    Object.keys(value).forEach(function (name) { out[name] = unpacked(value[name]); });
    return out;
  }
  function ask(op, more) {
    var reply = node.ask("exchange", "mongo", Object.assign({ to: { host: to.host, port: to.port }, op: op, db: current, user: to.user, password: to.password }, more));
    if (reply.lost) { var reason = { refused: "connect ECONNREFUSED ", unresolved: "getaddrinfo ENOTFOUND " }[reply.lost] || "Server selection timed out after 30000 ms: "; throw Object.assign(new Error(reason + (reply.lost === "unresolved" ? to.host : (reply.address || to.host) + ":" + to.port)), { name: "MongoNetworkError" }); }
    if (reply.error !== undefined) throw new MongoServerError(reply);
    return reply;
  }
  function same(a, b) { return JSON.stringify(packed(a)) === JSON.stringify(packed(b)); }
  function at(document, path) { return String(path).split(".").reduce(function (item, name) { return item === null || item === undefined ? undefined : Array.isArray(item) && !/^\d+$/.test(name) ? item.map(function (each) { return each && each[name]; }) : item[name]; }, document); }
  function put(document, path, value) { var names = path.split("."), last = names.pop(), item = names.reduce(function (parent, name) { return parent[name] && typeof parent[name] === "object" ? parent[name] : (parent[name] = {}); }, document); if (value === undefined) delete item[last]; else item[last] = value; }
  function compare(a, b) { var x = a instanceof Date ? a.getTime() : a instanceof ObjectId ? a.hex : a, y = b instanceof Date ? b.getTime() : b instanceof ObjectId ? b.hex : b; return x === y ? 0 : x === undefined || x === null ? -1 : y === undefined || y === null ? 1 : x < y ? -1 : 1; }
  var operators = {
    $eq: function (value, expected) { return fits(value, expected); }, $ne: function (value, expected) { return !fits(value, expected); },
    $gt: function (value, expected) { return typeof value === typeof expected && compare(value, expected) > 0; }, $gte: function (value, expected) { return typeof value === typeof expected && compare(value, expected) >= 0; },
    $lt: function (value, expected) { return typeof value === typeof expected && compare(value, expected) < 0; }, $lte: function (value, expected) { return typeof value === typeof expected && compare(value, expected) <= 0; },
    $in: function (value, expected) { return expected.some(function (item) { return fits(value, item); }); }, $nin: function (value, expected) { return !expected.some(function (item) { return fits(value, item); }); },
    $exists: function (value, expected) { return (value !== undefined) === Boolean(expected); }, $size: function (value, expected) { return Array.isArray(value) && value.length === expected; },
    $regex: function (value, expected, all) { return typeof value === "string" && new RegExp(expected, all.$options || "").test(value); }, $options: function () { return true; },
    $not: function (value, expected) { return !fits(value, expected); }, $all: function (value, expected) { return Array.isArray(value) && expected.every(function (item) { return fits(value, item); }); },
    $elemMatch: function (value, expected) { return Array.isArray(value) && value.some(function (item) { return matches(item, expected); }); }
  };
  function fits(value, expected) {
    if (expected instanceof RegExp) return typeof value === "string" && expected.test(value);
    if (expected && typeof expected === "object" && !(expected instanceof ObjectId) && !(expected instanceof Date) && Object.keys(expected).some(function (name) { return name[0] === "$"; }))
      return Object.keys(expected).every(function (name) { if (!operators[name]) throw new MongoServerError({ error: "unknown operator: " + name, code: 2, codeName: "BadValue" }); return operators[name](value, expected[name], expected); });
    if (Array.isArray(value) && !Array.isArray(expected)) return value.some(function (item) { return same(item, expected); });
    return expected === null ? value === null || value === undefined : same(value, expected);
  }
  function matches(document, query) {
    return Object.keys(query || {}).every(function (name) {
      if (name === "$or") return query.$or.some(function (item) { return matches(document, item); });
      if (name === "$and") return query.$and.every(function (item) { return matches(document, item); });
      if (name === "$nor") return !query.$nor.some(function (item) { return matches(document, item); });
      return fits(at(document, name), query[name]);
    });
  }
  function sorted(all, order) { return all.slice().sort(function (a, b) { for (var name of Object.keys(order)) { var fieldOrder = compare(at(a, name), at(b, name)) * order[name]; if (fieldOrder) return fieldOrder; } return 0; }); }
  function projected(document, fields) {
    var names = Object.keys(fields || {});
    if (names.length === 0) return document;
    var isPart = names.some(function (name) { return name !== "_id" && fields[name]; }), out = {};
    if (isPart) { if (fields._id !== 0 && fields._id !== false) out._id = document._id; names.forEach(function (name) { var value = typeof fields[name] === "string" || typeof fields[name] === "object" ? term(document, fields[name]) : fields[name] ? at(document, name) : undefined; if (value !== undefined) put(out, name, value); }); return out; }
    out = unpacked(packed(document));
    names.forEach(function (name) { put(out, name, undefined); });
    return out;
  }
  function term(document, value) {
    if (typeof value === "string" && value[0] === "$") return at(document, value.slice(1));
    if (!value || typeof value !== "object" || value instanceof Date || value instanceof ObjectId) return value;
    if (Array.isArray(value)) return value.map(function (item) { return term(document, item); });
    var name = Object.keys(value)[0] || "", args = value[name], all = [].concat(args).map(function (item) { return term(document, item); });
    if (name === "$add") return all.reduce(function (a, b) { return a + b; });
    if (name === "$subtract") return all[0] - all[1];
    if (name === "$multiply") return all.reduce(function (a, b) { return a * b; });
    if (name === "$divide") return all[0] / all[1];
    if (name === "$concat") return all.join("");
    if (name === "$size") return all[0].length;
    if (name === "$toUpper") return String(all[0]).toUpperCase();
    if (name[0] === "$") throw new MongoServerError({ error: "Unrecognized expression '" + name + "'", code: 168, codeName: "InvalidPipelineOperator" });
    var out = {};
    Object.keys(value).forEach(function (item) { out[item] = term(document, value[item]); });
    return out;
  }
  var gathers = { $sum: function (all) { return all.reduce(function (a, b) { return a + (typeof b === "number" ? b : 0); }, 0); }, $avg: function (all) { return all.length ? gathers.$sum(all) / all.length : null; }, $min: function (all) { return all.slice().sort(compare)[0]; }, $max: function (all) { return all.slice().sort(compare).pop(); }, $first: function (all) { return all[0]; }, $last: function (all) { return all[all.length - 1]; }, $push: function (all) { return all; }, $addToSet: function (all) { return all.filter(function (item, index) { return all.findIndex(function (each) { return same(each, item); }) === index; }); }, $count: function (all) { return all.length; } };
  function aggregate(all, stages) {
    return stages.reduce(function (documents, stage) {
      var name = Object.keys(stage)[0], args = stage[name];
      if (name === "$match") return documents.filter(function (item) { return matches(item, args); });
      if (name === "$sort") return sorted(documents, args);
      if (name === "$limit") return documents.slice(0, args);
      if (name === "$skip") return documents.slice(args);
      if (name === "$project") return documents.map(function (item) { return projected(item, args); });
      if (name === "$addFields" || name === "$set") return documents.map(function (item) { var out = unpacked(packed(item)); Object.keys(args).forEach(function (field) { put(out, field, term(item, args[field])); }); return out; });
      if (name === "$count") { var counted = {}; counted[args] = documents.length; return [counted]; }
      if (name === "$unwind") { var path = (args.path || args).slice(1); return documents.flatMap(function (item) { return [].concat(at(item, path) || []).map(function (value) { var out = unpacked(packed(item)); put(out, path, value); return out; }); }); }
      if (name === "$group") {
        var groups = new Map();
        documents.forEach(function (item) { var id = term(item, args._id), key = JSON.stringify(packed(id === undefined ? null : id)); if (!groups.has(key)) groups.set(key, { id: id === undefined ? null : id, all: [] }); groups.get(key).all.push(item); });
        return Array.from(groups.values()).map(function (group) { var out = { _id: group.id }; Object.keys(args).forEach(function (field) { if (field === "_id") return; var how = Object.keys(args[field])[0]; out[field] = gathers[how](group.all.map(function (item) { return term(item, args[field][how]); })); }); return out; });
      }
      if (name === "$sortByCount") return aggregate(documents, [{ $group: { _id: args, count: { $sum: 1 } } }, { $sort: { count: -1 } }]);
      if (name === "$lookup") {
        var foreign = ask("documents", { c: args.from, command: "aggregate" }).documents.map(unpacked);
        return documents.map(function (item) { var out = unpacked(packed(item)), value = at(item, args.localField); put(out, args.as, foreign.filter(function (foreignDocument) { var theirs = at(foreignDocument, args.foreignField); return [].concat(value === undefined ? null : value).some(function (each) { return fits(theirs === undefined ? null : theirs, each); }); })); return out; });
      }
      throw new MongoServerError({ error: "Unrecognized pipeline stage name: '" + name + "'", code: 40324, codeName: "Location40324" });
    }, all);
  }
  function changed(document, update) {
    var out = unpacked(packed(document));
    var isReplaced = !Object.keys(update).some(function (name) { return name[0] === "$"; });
    if (isReplaced) throw Object.assign(new Error("Update document requires atomic operators"), { name: "MongoInvalidArgumentError" });
    Object.keys(update).forEach(function (how) {
      Object.keys(update[how]).forEach(function (path) {
        var value = update[how][path], before = at(out, path);
        if (how === "$set") put(out, path, value);
        else if (how === "$unset") put(out, path, undefined);
        else if (how === "$inc") put(out, path, (before || 0) + value);
        else if (how === "$mul") put(out, path, (before || 0) * value);
        else if (how === "$push") put(out, path, (before || []).concat(value && value.$each ? value.$each : [value]));
        else if (how === "$addToSet") put(out, path, (before || []).some(function (item) { return same(item, value); }) ? before : (before || []).concat([value]));
        else if (how === "$pull") put(out, path, (before || []).filter(function (item) { return !fits(item, value); }));
        else if (how === "$rename") { put(out, value, before); put(out, path, undefined); }
        else if (how !== "$setOnInsert") throw new MongoServerError({ error: "Unknown modifier: " + how + ". Expected a valid update modifier or pipeline-style update specified as an array", code: 9, codeName: "FailedToParse" });
      });
    });
    return out;
  }
  class Cursor {
    constructor(load) { this._load = load; this._steps = []; }
    _with(step) { this._steps.push(step); return this; }
    sort(order) { return this._with(function (all) { return sorted(all, order); }); }
    limit(most) { return this._with(function (all) { return most ? all.slice(0, most) : all; }); }
    skip(less) { return this._with(function (all) { return all.slice(less); }); }
    pretty() { return this; }
    toArray() { return this._steps.reduce(function (all, step) { return step(all); }, this._load()); }
    count() { return this.toArray().length; }
    forEach(call) { this.toArray().forEach(call); }
    map(call) { return this._with(function (all) { return all.map(call); }); }
    hasNext() { this._left = this._left || this.toArray(); return this._left.length > 0; }
    next() { this._left = this._left || this.toArray(); return this._left.shift() || null; }
  }
  class Collection {
    constructor(name) { this._name = name; }
    _all(command) { return ask("documents", { c: this._name, command: command }).documents.map(unpacked); }
    _write(more, command) { ask("write", Object.assign({ c: this._name, command: command }, more)); }
    find(query, fields) { var self = this; return new Cursor(function () { return self._all("find").filter(function (item) { return matches(item, query); }).map(function (item) { return projected(item, fields); }); }); }
    findOne(query, fields) { return this.find(query, fields).limit(1).toArray()[0] || null; }
    insertOne(document) { var id = this.insertMany([document]).insertedIds[0]; return { acknowledged: true, insertedId: id }; }
    insertMany(all) {
      var before = this._all("insert"), ids = {}, name = current + "." + this._name;
      all = all.map(function (item, index) { var complete = item._id === undefined ? Object.assign({ _id: new ObjectId() }, item) : item; ids[index] = complete._id; return complete; });
      all.forEach(function (item) { if (before.some(function (each) { return same(each._id, item._id); })) throw new MongoServerError({ error: "E11000 duplicate key error collection: " + name + " index: _id_ dup key: { _id: " + node.inspect(item._id).replace(/'/g, '"') + " }", code: 11000 }); });
      this._unique().forEach(function (index) { all.forEach(function (item, mine) { var names = Object.keys(index.key), taken = before.concat(all.slice(0, mine)).some(function (each) { return names.every(function (field) { return same(at(each, field), at(item, field)); }); }); if (taken) throw new MongoServerError({ error: "E11000 duplicate key error collection: " + name + " index: " + index.name + " dup key: { " + names.map(function (field) { return field + ": " + node.inspect(at(item, field)).replace(/'/g, '"'); }).join(", ") + " }", code: 11000 }); }); });
      this._write({ put: all.map(packed) }, "insert");
      return { acknowledged: true, insertedIds: ids };
    }
    _update(query, change, isMany, options) {
      var matching = this._all("update").filter(function (item) { return matches(item, query); });
      if (!isMany) matching = matching.slice(0, 1);
      var updated = matching.map(change), moved = updated.filter(function (item, index) { return !same(item, matching[index]); }), upserted = null;
      if (matching.length === 0 && options && options.upsert) { var base = {}; Object.keys(query).forEach(function (name) { if (name[0] !== "$") base[name] = query[name]; }); var document = change(base); upserted = document._id === undefined ? new ObjectId() : document._id; moved = [Object.assign({ _id: upserted }, document)]; }
      if (moved.length > 0) this._write({ put: moved.map(packed) }, "update");
      return { acknowledged: true, insertedId: upserted, matchedCount: matching.length, modifiedCount: upserted ? 0 : moved.length, upsertedCount: upserted ? 1 : 0 };
    }
    updateOne(query, update, options) { return this._update(query, function (item) { return changed(item, update); }, false, options); }
    updateMany(query, update, options) { return this._update(query, function (item) { return changed(item, update); }, true, options); }
    replaceOne(query, next, options) { return this._update(query, function (item) { return Object.assign(item._id === undefined ? {} : { _id: item._id }, next); }, false, options); }
    _delete(query, isMany) { var matching = this._all("delete").filter(function (item) { return matches(item, query); }); if (!isMany) matching = matching.slice(0, 1); if (matching.length > 0) this._write({ del: matching.map(function (item) { return JSON.stringify(packed(item._id)); }) }, "delete"); return { acknowledged: true, deletedCount: matching.length }; }
    deleteOne(query) { return this._delete(query, false); }
    deleteMany(query) { return this._delete(query, true); }
    countDocuments(query) { return this.find(query).count(); }
    estimatedDocumentCount() { return this.find().count(); }
    count(query) { return this.find(query).count(); }
    distinct(name, query) { return gathers.$addToSet(this.find(query).toArray().flatMap(function (item) { return at(item, name); })); }
    aggregate(stages) { var self = this, list = Array.isArray(stages) ? stages : Array.from(arguments); return new Cursor(function () { return aggregate(self._all("aggregate"), list); }); }
    drop() { this._write({ drop: true }, "drop"); return true; }
    createIndex(keys, options) { var name = (options && options.name) || Object.keys(keys).map(function (item) { return item + "_" + keys[item]; }).join("_"); ask("write", { c: "system.indexes", put: [packed({ _id: this._name + "." + name, ns: this._name, v: 2, key: keys, name: name, unique: Boolean(options && options.unique) })], command: "createIndexes" }); return name; }
    getIndexes() { var self = this; return [{ v: 2, key: { _id: 1 }, name: "_id_" }].concat(ask("documents", { c: "system.indexes", command: "listIndexes" }).documents.map(unpacked).filter(function (item) { return item.ns === self._name; }).map(function (item) { var out = { v: 2, key: item.key, name: item.name }; if (item.unique) out.unique = true; return out; })); }
    dropIndex(name) { ask("write", { c: "system.indexes", del: [JSON.stringify(this._name + "." + name)], command: "dropIndexes" }); return { nIndexesWas: this.getIndexes().length + 1, ok: 1 }; }
    _unique() { return this.getIndexes().filter(function (item) { return item.unique; }); }
  }
  var methods = {
    getName: function () { return current; },
    getCollection: function (name) { return new Collection(name); },
    getCollectionNames: function () { return ask("collections", { command: "listCollections" }).names; },
    createCollection: function () { return { ok: 1 }; },
    getSiblingDB: function (name) { current = name; return database; },
    dropDatabase: function () { var before = current; methods.getCollectionNames().forEach(function (name) { new Collection(name).drop(); }); return { ok: 1, dropped: before }; },
    adminCommand: function (command) { return methods.runCommand(command); },
    runCommand: function (command) { if (command === "ping" || command.ping || command.hello || command.isMaster) { ask("collections", { command: "ping" }); return { ok: 1 }; } throw new MongoServerError({ error: "no such command: '" + (typeof command === "string" ? command : Object.keys(command)[0]) + "'", code: 59, codeName: "CommandNotFound" }); },
    createUser: function (user) { var before = current; current = "admin"; try { var users = ask("documents", { c: "system.users", command: "createUser" }).documents; if (users.some(function (item) { return item._id === user.user; })) throw new MongoServerError({ error: 'User "' + user.user + "@" + before + '" already exists', code: 51003, codeName: "Location51003" }); ask("write", { c: "system.users", put: [{ _id: user.user, user: user.user, db: before, roles: user.roles, pwd: user.pwd }], command: "createUser" }); } finally { current = before; } return { ok: 1 }; },
    getUsers: function () { var before = current; current = "admin"; try { return { users: ask("documents", { c: "system.users", command: "usersInfo" }).documents.filter(function (item) { return item.db === before; }).map(function (item) { return { _id: before + "." + item.user, user: item.user, db: before, roles: item.roles }; }), ok: 1 }; } finally { current = before; } },
    dropUser: function (name) { var before = current; current = "admin"; try { ask("write", { c: "system.users", del: [JSON.stringify(name)], command: "dropUser" }); } finally { current = before; } return { ok: 1 }; },
    version: function () { return "8.2.2"; },
    auth: function (user, password) { var before = [to.user, to.password]; to.user = user; to.password = password; try { ask("connect"); } catch (error) { to.user = before[0]; to.password = before[1]; throw error; } return { ok: 1 }; }
  };
  var database = new Proxy(methods, { get: function (target, name) { return typeof name !== "string" ? undefined : name in target ? target[name] : new Collection(name); } });
  // A replica set as its configuration says it, kept in the database that was told: its members do not take over each other's documents.
  function inLocal(call) { var before = current; current = "local"; try { return call(); } finally { current = before; } }
  function configured() {
    var name = ask("replicaSet").name;
    if (!name) throw new MongoServerError({ error: "not running with --replSet", code: 76, codeName: "NoReplicationEnabled" });
    return { name: name, config: inLocal(function () { return ask("documents", { c: "system.replset", command: "replSetGetStatus" }).documents[0]; }) };
  }
  function needed() { var config = configured().config; if (!config) throw new MongoServerError({ error: "no replset config has been received", code: 94, codeName: "NotYetInitialized" }); return config; }
  function keep(config) { inLocal(function () { ask("write", { c: "system.replset", put: [config], command: "replSetReconfig" }); }); return { ok: 1 }; }
  var replicas = {
    initiate: function (config) {
      var state = configured();
      if (state.config) throw new MongoServerError({ error: "already initialized", code: 23, codeName: "AlreadyInitialized" });
      if (config && config._id !== state.name) throw new MongoServerError({ error: "Rejecting initiate with a set name that differs from command line set name, initiate set name: " + config._id + ", command line set name: " + state.name, code: 93, codeName: "InvalidReplicaSetConfig" });
      return keep({ _id: state.name, version: 1, members: ((config && config.members) || [{ _id: 0, host: (process.env.HOSTNAME || "localhost") + ":27017" }]) });
    },
    add: function (host) { var config = needed(), member = typeof host === "string" ? { host: host } : host; config.members.push(Object.assign({ _id: config.members.length }, member, { host: member.host.indexOf(":") < 0 ? member.host + ":27017" : member.host })); config.version++; return keep(config); },
    conf: function () { return needed(); },
    status: function () { var config = needed(); return { set: config._id, myState: 1, members: config.members.map(function (item, index) { return { _id: item._id, name: item.host, health: 1, state: index === 0 ? 1 : 2, stateStr: index === 0 ? "PRIMARY" : "SECONDARY" }; }), ok: 1 }; },
    isMaster: function () { var config = needed(); return { setName: config._id, ismaster: true, hosts: config.members.map(function (item) { return item.host; }), primary: config.members[0].host, ok: 1 }; }
  };
  replicas.config = replicas.conf; replicas.hello = replicas.isMaster;

  // Node's driver of MongoDB, and mongoose, as far as small programs use them.
  function addressOf(url) {
    var match = /^mongodb(?:\+srv)?:\/\/(?:([^:@/]*):([^@/]*)@)?([^:/?,]+)(?::(\d+))?[^/?]*(?:\/([^?]*))?/.exec(url) || [];
    return { host: match[3] === "localhost" ? "127.0.0.1" : match[3] || "127.0.0.1", port: Number(match[4] || 27017), user: match[1] ? decodeURIComponent(match[1]) : undefined, password: match[2] ? decodeURIComponent(match[2]) : undefined, database: match[5] || "test" };
  }
  function promised(place, name, call) { try { to = place; current = name; return Promise.resolve(call()); } catch (error) { return Promise.reject(error); } }
  function cursorOf(place, name, cursor) {
    var asyncCursor = { toArray: function () { return promised(place, name, function () { return cursor.toArray(); }); }, next: function () { return promised(place, name, function () { return cursor.next(); }); }, hasNext: function () { return promised(place, name, function () { return cursor.hasNext(); }); }, forEach: function (call) { return asyncCursor.toArray().then(function (all) { all.forEach(call); }); } };
    ["sort", "limit", "skip", "map"].forEach(function (step) { asyncCursor[step] = function (args) { cursor[step](args); return asyncCursor; }; });
    asyncCursor.project = function (fields) { cursor._with(function (all) { return all.map(function (each) { return projected(each, fields); }); }); return asyncCursor; };
    asyncCursor[Symbol.asyncIterator] = async function* () { for (var each of await asyncCursor.toArray()) yield each; };
    return asyncCursor;
  }
  function collectionOf(place, name, collectionName) {
    var real = new Collection(collectionName), collection = { collectionName: collectionName };
    collection.find = function (query, options) { return cursorOf(place, name, real.find(query, options && options.projection)); };
    collection.aggregate = function (stages) { return cursorOf(place, name, real.aggregate(stages)); };
    collection.findOne = function (query, options) { return promised(place, name, function () { return real.findOne(query, options && options.projection); }); };
    ["updateOne", "updateMany", "replaceOne"].forEach(function (op) { collection[op] = function () { var args = arguments; return promised(place, name, function () { var outcome = real[op].apply(real, args); outcome.upsertedId = outcome.insertedId; delete outcome.insertedId; return outcome; }); }; });
    ["insertMany", "insertOne", "deleteOne", "deleteMany", "countDocuments", "estimatedDocumentCount", "distinct", "drop", "createIndex"].forEach(function (op) { collection[op] = function () { var args = arguments; return promised(place, name, function () { var outcome = real[op].apply(real, args); if (op === "insertMany") outcome.insertedCount = Object.keys(outcome.insertedIds).length; return outcome; }); }; });
    collection.indexes = function () { return promised(place, name, function () { return real.getIndexes(); }); };
    ["findOneAndUpdate", "findOneAndDelete"].forEach(function (op) { collection[op] = function (query, update, options) { return promised(place, name, function () { var before = real.findOne(query); if (op === "findOneAndDelete") real.deleteOne(query); else real.updateOne(query, update, options); return before && options && options.returnDocument === "after" ? real.findOne({ _id: before._id }) : before; }); }; });
    return collection;
  }
  function clientOf(url) {
    var place = addressOf(url), client = { connect: function () { return promised(place, place.database, function () { ask("connect"); return client; }); }, close: function () { return Promise.resolve(); } };
    client.db = function (name) { var databaseName = name || place.database; return { databaseName: databaseName, collection: function (each) { return collectionOf(place, databaseName, each); }, createCollection: function (each) { return Promise.resolve(collectionOf(place, databaseName, each)); }, listCollections: function () { return { toArray: function () { return promised(place, databaseName, function () { return database.getCollectionNames().map(function (each) { return { name: each, type: "collection" }; }); }); } }; }, command: function () { return promised(place, databaseName, function () { ask("connect"); return { ok: 1 }; }); }, admin: function () { return { ping: function () { return promised(place, databaseName, function () { ask("connect"); return { ok: 1 }; }); } }; } }; };
    return client;
  }
  node.modules.mongodb = { isPackage: true, make: function () { function MongoClient(url) { return clientOf(url); } MongoClient.connect = function (url) { return clientOf(url).connect(); }; return { MongoClient: MongoClient, ObjectId: ObjectId, MongoServerError: MongoServerError }; } };

  function formatted(value) {
    if (value instanceof Cursor) { var all = value.toArray(); return node.inspect(printable(all.slice(0, 20))) + (all.length > 20 ? "\nType \"it\" for more" : ""); }
    if (value === database) return current;
    return typeof value === "string" ? value : value === undefined ? "" : node.inspect(printable(value), { depth: 6 });
  }
  class Shown { constructor(text) { this.text = text; } }
  function printable(value) {
    if (value instanceof ObjectId) { var item = Object.create({ constructor: undefined }); return new Shown("ObjectId('" + value.hex + "')"); }
    if (Array.isArray(value)) return value.map(printable);
    if (value && typeof value === "object" && !(value instanceof Date) && !(value instanceof Error) && !(value instanceof RegExp)) { var out = {}; Object.keys(value).forEach(function (name) { out[name] = printable(value[name]); }); return out; }
    return value;
  }
  var inspect = node.inspect;
  node.inspect = function (value, options) { return inspect(value, options).replace(/Shown \{\s*text:\s*(?:"(ObjectId\('\w+'\))"|'(ObjectId\(\\'\w+\\'\))')\s*\}/g, function (_, a, b) { return a || b.replace(/\\/g, ""); }); };
  function command(line) {
    var use = /^\s*use\s+([\w-]+)\s*;?\s*$/.exec(line), show = /^\s*show\s+(\w+)\s*;?\s*$/.exec(line);
    if (use) { var isSame = current === use[1]; current = use[1]; return (isSame ? "already on db " : "switched to db ") + current; }
    if (!show) return undefined;
    if (/^(dbs|databases)$/.test(show[1])) return ask("databases", { command: "listDatabases" }).names.concat(["admin", "config", "local"]).sort().map(function (name) { return name.padEnd(8) + "40.00 KiB"; }).join("\n");
    if (/^(collections|tables)$/.test(show[1])) return methods.getCollectionNames().join("\n");
    return "";
  }
  function evaluated(text) { var reply = command(text); return reply === undefined ? __compile(text.replace(/^(\s*)(?:const|let)\s/gm, "$1var "), "mongosh") : reply; }
  function failure(error) { return (error instanceof SyntaxError ? "SyntaxError: " + error.message : error instanceof Error ? (error.name || "Error") + (error.codeName && error.code !== undefined && error.code !== 11000 ? "" : "") + ": " + error.message : "Uncaught: " + inspect(error)) + "\n"; }
  node.modules.mongosh = { isPackage: true, make: function () { return function (options) {
    to = options; current = options.database;
    Object.assign(globalThis, { db: database, ObjectId: function (hex) { return new ObjectId(hex); }, ISODate: function (text) { return text ? new Date(text) : new Date(); }, print: function () { console.log.apply(console, arguments); }, printjson: function (value) { console.log(formatted(value)); }, load: function () { return true; }, quit: function (code) { node.exit(code || 0); }, NumberInt: Number, NumberLong: Number, rs: replicas, sleep: function (ms) { node.ask("wait", ms, false); } });
    try { ask("connect"); } catch (error) { node.ask("error", failure(error)); node.exit(1); }
    if (options.isEval || options.isScript) {
      try { var value = evaluated(options.text); __jobs(); if (options.isEval && value !== undefined) node.ask("out", formatted(value) + "\n"); } catch (error) { node.ask("error", failure(error)); node.exit(1); }
      node.exit(0);
    }
    var isTerminal = node.start_.isTerminal, text = "", left = options.text === undefined || options.text === null ? null : options.text.split("\n");
    if (isTerminal && !options.isQuiet) node.ask("out", "Current Mongosh Log ID:\t" + new ObjectId().hex + "\nConnecting to:\t\tmongodb://" + to.host + ":" + to.port + "/" + current + "\nUsing MongoDB:\t\t8.2.2\nUsing Mongosh:\t\t2.5.9\n\n");
    for (;;) {
      if (isTerminal) node.ask("out", text ? "... " : current + "> ");
      var line = left ? (left.length > 0 ? left.shift() + "\n" : null) : node.ask("line");
      if (line === null || /^\s*(exit|quit|quit\(\)|\.exit)\s*;?\s*$/.test(line)) break;
      text += line;
      if (text.trim() === "") { text = ""; continue; }
      var depth = 0;
      text.replace(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\/\/.*|([([{])|([)\]}])/g, function (_, opens, closes) { depth += opens ? 1 : closes ? -1 : 0; });
      if (depth > 0) continue;
      var code = text;
      text = "";
      try { var result = evaluated(code); __jobs(); if (result !== undefined) node.ask("out", formatted(result) + "\n"); } catch (error) { node.ask("out", failure(error)); }
    }
    node.exit(0);
  }; } };
})();
`;
