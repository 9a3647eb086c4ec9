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
  class MongoServerError extends Error { constructor(said) { super(said.error); this.name = "MongoServerError"; this.code = said.code; this.codeName = said.codeName; } }
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
    var said = node.ask("exchange", "mongo", Object.assign({ to: { host: to.host, port: to.port }, op: op, db: current, user: to.user, password: to.password }, more));
    if (said.lost) { var known = { refused: "connect ECONNREFUSED ", unresolved: "getaddrinfo ENOTFOUND " }[said.lost] || "Server selection timed out after 30000 ms: "; throw Object.assign(new Error(known + (said.lost === "unresolved" ? to.host : (said.address || to.host) + ":" + to.port)), { name: "MongoNetworkError" }); }
    if (said.error !== undefined) throw new MongoServerError(said);
    return said;
  }
  function same(a, b) { return JSON.stringify(packed(a)) === JSON.stringify(packed(b)); }
  function at(document, path) { return String(path).split(".").reduce(function (one, name) { return one === null || one === undefined ? undefined : Array.isArray(one) && !/^\d+$/.test(name) ? one.map(function (each) { return each && each[name]; }) : one[name]; }, document); }
  function put(document, path, value) { var names = path.split("."), last = names.pop(), one = names.reduce(function (own, name) { return own[name] && typeof own[name] === "object" ? own[name] : (own[name] = {}); }, document); if (value === undefined) delete one[last]; else one[last] = value; }
  function compare(a, b) { var x = a instanceof Date ? a.getTime() : a instanceof ObjectId ? a.hex : a, y = b instanceof Date ? b.getTime() : b instanceof ObjectId ? b.hex : b; return x === y ? 0 : x === undefined || x === null ? -1 : y === undefined || y === null ? 1 : x < y ? -1 : 1; }
  var operators = {
    $eq: function (value, wanted) { return fits(value, wanted); }, $ne: function (value, wanted) { return !fits(value, wanted); },
    $gt: function (value, wanted) { return typeof value === typeof wanted && compare(value, wanted) > 0; }, $gte: function (value, wanted) { return typeof value === typeof wanted && compare(value, wanted) >= 0; },
    $lt: function (value, wanted) { return typeof value === typeof wanted && compare(value, wanted) < 0; }, $lte: function (value, wanted) { return typeof value === typeof wanted && compare(value, wanted) <= 0; },
    $in: function (value, wanted) { return wanted.some(function (one) { return fits(value, one); }); }, $nin: function (value, wanted) { return !wanted.some(function (one) { return fits(value, one); }); },
    $exists: function (value, wanted) { return (value !== undefined) === Boolean(wanted); }, $size: function (value, wanted) { return Array.isArray(value) && value.length === wanted; },
    $regex: function (value, wanted, all) { return typeof value === "string" && new RegExp(wanted, all.$options || "").test(value); }, $options: function () { return true; },
    $not: function (value, wanted) { return !fits(value, wanted); }, $all: function (value, wanted) { return Array.isArray(value) && wanted.every(function (one) { return fits(value, one); }); },
    $elemMatch: function (value, wanted) { return Array.isArray(value) && value.some(function (one) { return matches(one, wanted); }); }
  };
  function fits(value, wanted) {
    if (wanted instanceof RegExp) return typeof value === "string" && wanted.test(value);
    if (wanted && typeof wanted === "object" && !(wanted instanceof ObjectId) && !(wanted instanceof Date) && Object.keys(wanted).some(function (name) { return name[0] === "$"; }))
      return Object.keys(wanted).every(function (name) { if (!operators[name]) throw new MongoServerError({ error: "unknown operator: " + name, code: 2, codeName: "BadValue" }); return operators[name](value, wanted[name], wanted); });
    if (Array.isArray(value) && !Array.isArray(wanted)) return value.some(function (one) { return same(one, wanted); });
    return wanted === null ? value === null || value === undefined : same(value, wanted);
  }
  function matches(document, query) {
    return Object.keys(query || {}).every(function (name) {
      if (name === "$or") return query.$or.some(function (one) { return matches(document, one); });
      if (name === "$and") return query.$and.every(function (one) { return matches(document, one); });
      if (name === "$nor") return !query.$nor.some(function (one) { return matches(document, one); });
      return fits(at(document, name), query[name]);
    });
  }
  function sorted(all, order) { return all.slice().sort(function (a, b) { for (var name of Object.keys(order)) { var found = compare(at(a, name), at(b, name)) * order[name]; if (found) return found; } return 0; }); }
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
    if (Array.isArray(value)) return value.map(function (one) { return term(document, one); });
    var name = Object.keys(value)[0] || "", given = value[name], all = [].concat(given).map(function (one) { return term(document, one); });
    if (name === "$add") return all.reduce(function (a, b) { return a + b; });
    if (name === "$subtract") return all[0] - all[1];
    if (name === "$multiply") return all.reduce(function (a, b) { return a * b; });
    if (name === "$divide") return all[0] / all[1];
    if (name === "$concat") return all.join("");
    if (name === "$size") return all[0].length;
    if (name === "$toUpper") return String(all[0]).toUpperCase();
    if (name[0] === "$") throw new MongoServerError({ error: "Unrecognized expression '" + name + "'", code: 168, codeName: "InvalidPipelineOperator" });
    var out = {};
    Object.keys(value).forEach(function (one) { out[one] = term(document, value[one]); });
    return out;
  }
  var gathers = { $sum: function (all) { return all.reduce(function (a, b) { return a + (typeof b === "number" ? b : 0); }, 0); }, $avg: function (all) { return all.length ? gathers.$sum(all) / all.length : null; }, $min: function (all) { return all.slice().sort(compare)[0]; }, $max: function (all) { return all.slice().sort(compare).pop(); }, $first: function (all) { return all[0]; }, $last: function (all) { return all[all.length - 1]; }, $push: function (all) { return all; }, $addToSet: function (all) { return all.filter(function (one, index) { return all.findIndex(function (each) { return same(each, one); }) === index; }); }, $count: function (all) { return all.length; } };
  function aggregate(all, stages) {
    return stages.reduce(function (found, stage) {
      var name = Object.keys(stage)[0], given = stage[name];
      if (name === "$match") return found.filter(function (one) { return matches(one, given); });
      if (name === "$sort") return sorted(found, given);
      if (name === "$limit") return found.slice(0, given);
      if (name === "$skip") return found.slice(given);
      if (name === "$project") return found.map(function (one) { return projected(one, given); });
      if (name === "$addFields" || name === "$set") return found.map(function (one) { var out = unpacked(packed(one)); Object.keys(given).forEach(function (field) { put(out, field, term(one, given[field])); }); return out; });
      if (name === "$count") { var one = {}; one[given] = found.length; return [one]; }
      if (name === "$unwind") { var path = (given.path || given).slice(1); return found.flatMap(function (one) { return [].concat(at(one, path) || []).map(function (value) { var out = unpacked(packed(one)); put(out, path, value); return out; }); }); }
      if (name === "$group") {
        var groups = new Map();
        found.forEach(function (one) { var id = term(one, given._id), key = JSON.stringify(packed(id === undefined ? null : id)); if (!groups.has(key)) groups.set(key, { id: id === undefined ? null : id, all: [] }); groups.get(key).all.push(one); });
        return Array.from(groups.values()).map(function (group) { var out = { _id: group.id }; Object.keys(given).forEach(function (field) { if (field === "_id") return; var how = Object.keys(given[field])[0]; out[field] = gathers[how](group.all.map(function (one) { return term(one, given[field][how]); })); }); return out; });
      }
      if (name === "$sortByCount") return aggregate(found, [{ $group: { _id: given, count: { $sum: 1 } } }, { $sort: { count: -1 } }]);
      if (name === "$lookup") {
        var others = ask("documents", { c: given.from, command: "aggregate" }).documents.map(unpacked);
        return found.map(function (one) { var out = unpacked(packed(one)), value = at(one, given.localField); put(out, given.as, others.filter(function (other) { var theirs = at(other, given.foreignField); return [].concat(value === undefined ? null : value).some(function (each) { return fits(theirs === undefined ? null : theirs, each); }); })); return out; });
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
        else if (how === "$addToSet") put(out, path, (before || []).some(function (one) { return same(one, value); }) ? before : (before || []).concat([value]));
        else if (how === "$pull") put(out, path, (before || []).filter(function (one) { return !fits(one, value); }));
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
    find(query, fields) { var own = this; return new Cursor(function () { return own._all("find").filter(function (one) { return matches(one, query); }).map(function (one) { return projected(one, fields); }); }); }
    findOne(query, fields) { return this.find(query, fields).limit(1).toArray()[0] || null; }
    insertOne(document) { var id = this.insertMany([document]).insertedIds[0]; return { acknowledged: true, insertedId: id }; }
    insertMany(all) {
      var before = this._all("insert"), ids = {}, name = current + "." + this._name;
      all = all.map(function (one, index) { var whole = one._id === undefined ? Object.assign({ _id: new ObjectId() }, one) : one; ids[index] = whole._id; return whole; });
      all.forEach(function (one) { if (before.some(function (each) { return same(each._id, one._id); })) throw new MongoServerError({ error: "E11000 duplicate key error collection: " + name + " index: _id_ dup key: { _id: " + node.inspect(one._id).replace(/'/g, '"') + " }", code: 11000 }); });
      this._unique().forEach(function (index) { all.forEach(function (one, mine) { var names = Object.keys(index.key), taken = before.concat(all.slice(0, mine)).some(function (each) { return names.every(function (field) { return same(at(each, field), at(one, field)); }); }); if (taken) throw new MongoServerError({ error: "E11000 duplicate key error collection: " + name + " index: " + index.name + " dup key: { " + names.map(function (field) { return field + ": " + node.inspect(at(one, field)).replace(/'/g, '"'); }).join(", ") + " }", code: 11000 }); }); });
      this._write({ put: all.map(packed) }, "insert");
      return { acknowledged: true, insertedIds: ids };
    }
    _update(query, change, isMany, options) {
      var found = this._all("update").filter(function (one) { return matches(one, query); });
      if (!isMany) found = found.slice(0, 1);
      var made = found.map(change), moved = made.filter(function (one, index) { return !same(one, found[index]); }), upserted = null;
      if (found.length === 0 && options && options.upsert) { var base = {}; Object.keys(query).forEach(function (name) { if (name[0] !== "$") base[name] = query[name]; }); var one = change(base); upserted = one._id === undefined ? new ObjectId() : one._id; moved = [Object.assign({ _id: upserted }, one)]; }
      if (moved.length > 0) this._write({ put: moved.map(packed) }, "update");
      return { acknowledged: true, insertedId: upserted, matchedCount: found.length, modifiedCount: upserted ? 0 : moved.length, upsertedCount: upserted ? 1 : 0 };
    }
    updateOne(query, update, options) { return this._update(query, function (one) { return changed(one, update); }, false, options); }
    updateMany(query, update, options) { return this._update(query, function (one) { return changed(one, update); }, true, options); }
    replaceOne(query, next, options) { return this._update(query, function (one) { return Object.assign(one._id === undefined ? {} : { _id: one._id }, next); }, false, options); }
    _delete(query, isMany) { var found = this._all("delete").filter(function (one) { return matches(one, query); }); if (!isMany) found = found.slice(0, 1); if (found.length > 0) this._write({ del: found.map(function (one) { return JSON.stringify(packed(one._id)); }) }, "delete"); return { acknowledged: true, deletedCount: found.length }; }
    deleteOne(query) { return this._delete(query, false); }
    deleteMany(query) { return this._delete(query, true); }
    countDocuments(query) { return this.find(query).count(); }
    estimatedDocumentCount() { return this.find().count(); }
    count(query) { return this.find(query).count(); }
    distinct(name, query) { return gathers.$addToSet(this.find(query).toArray().flatMap(function (one) { return at(one, name); })); }
    aggregate(stages) { var own = this, list = Array.isArray(stages) ? stages : Array.from(arguments); return new Cursor(function () { return aggregate(own._all("aggregate"), list); }); }
    drop() { this._write({ drop: true }, "drop"); return true; }
    createIndex(keys, options) { var name = (options && options.name) || Object.keys(keys).map(function (one) { return one + "_" + keys[one]; }).join("_"); ask("write", { c: "system.indexes", put: [packed({ _id: this._name + "." + name, ns: this._name, v: 2, key: keys, name: name, unique: Boolean(options && options.unique) })], command: "createIndexes" }); return name; }
    getIndexes() { var own = this; return [{ v: 2, key: { _id: 1 }, name: "_id_" }].concat(ask("documents", { c: "system.indexes", command: "listIndexes" }).documents.map(unpacked).filter(function (one) { return one.ns === own._name; }).map(function (one) { var out = { v: 2, key: one.key, name: one.name }; if (one.unique) out.unique = true; return out; })); }
    dropIndex(name) { ask("write", { c: "system.indexes", del: [JSON.stringify(this._name + "." + name)], command: "dropIndexes" }); return { nIndexesWas: this.getIndexes().length + 1, ok: 1 }; }
    _unique() { return this.getIndexes().filter(function (one) { return one.unique; }); }
  }
  var own = {
    getName: function () { return current; },
    getCollection: function (name) { return new Collection(name); },
    getCollectionNames: function () { return ask("collections", { command: "listCollections" }).names; },
    createCollection: function () { return { ok: 1 }; },
    getSiblingDB: function (name) { current = name; return database; },
    dropDatabase: function () { var before = current; own.getCollectionNames().forEach(function (name) { new Collection(name).drop(); }); return { ok: 1, dropped: before }; },
    adminCommand: function (command) { return own.runCommand(command); },
    runCommand: function (command) { if (command === "ping" || command.ping || command.hello || command.isMaster) { ask("collections", { command: "ping" }); return { ok: 1 }; } throw new MongoServerError({ error: "no such command: '" + (typeof command === "string" ? command : Object.keys(command)[0]) + "'", code: 59, codeName: "CommandNotFound" }); },
    createUser: function (user) { var before = current; current = "admin"; try { var known = ask("documents", { c: "system.users", command: "createUser" }).documents; if (known.some(function (one) { return one._id === user.user; })) throw new MongoServerError({ error: 'User "' + user.user + "@" + before + '" already exists', code: 51003, codeName: "Location51003" }); ask("write", { c: "system.users", put: [{ _id: user.user, user: user.user, db: before, roles: user.roles, pwd: user.pwd }], command: "createUser" }); } finally { current = before; } return { ok: 1 }; },
    getUsers: function () { var before = current; current = "admin"; try { return { users: ask("documents", { c: "system.users", command: "usersInfo" }).documents.filter(function (one) { return one.db === before; }).map(function (one) { return { _id: before + "." + one.user, user: one.user, db: before, roles: one.roles }; }), ok: 1 }; } finally { current = before; } },
    dropUser: function (name) { var before = current; current = "admin"; try { ask("write", { c: "system.users", del: [JSON.stringify(name)], command: "dropUser" }); } finally { current = before; } return { ok: 1 }; },
    version: function () { return "8.2.2"; },
    auth: function (user, password) { var before = [to.user, to.password]; to.user = user; to.password = password; try { ask("connect"); } catch (error) { to.user = before[0]; to.password = before[1]; throw error; } return { ok: 1 }; }
  };
  var database = new Proxy(own, { get: function (target, name) { return typeof name !== "string" ? undefined : name in target ? target[name] : new Collection(name); } });
  // A replica set as its configuration says it, kept in the database that was told: its members do not take over each other's documents.
  function inLocal(call) { var before = current; current = "local"; try { return call(); } finally { current = before; } }
  function configured() {
    var name = ask("replicaSet").name;
    if (!name) throw new MongoServerError({ error: "not running with --replSet", code: 76, codeName: "NoReplicationEnabled" });
    return { name: name, config: inLocal(function () { return ask("documents", { c: "system.replset", command: "replSetGetStatus" }).documents[0]; }) };
  }
  function needed() { var found = configured().config; if (!found) throw new MongoServerError({ error: "no replset config has been received", code: 94, codeName: "NotYetInitialized" }); return found; }
  function keep(config) { inLocal(function () { ask("write", { c: "system.replset", put: [config], command: "replSetReconfig" }); }); return { ok: 1 }; }
  var replicas = {
    initiate: function (config) {
      var known = configured();
      if (known.config) throw new MongoServerError({ error: "already initialized", code: 23, codeName: "AlreadyInitialized" });
      if (config && config._id !== known.name) throw new MongoServerError({ error: "Rejecting initiate with a set name that differs from command line set name, initiate set name: " + config._id + ", command line set name: " + known.name, code: 93, codeName: "InvalidReplicaSetConfig" });
      return keep({ _id: known.name, version: 1, members: ((config && config.members) || [{ _id: 0, host: (process.env.HOSTNAME || "localhost") + ":27017" }]) });
    },
    add: function (host) { var config = needed(), member = typeof host === "string" ? { host: host } : host; config.members.push(Object.assign({ _id: config.members.length }, member, { host: member.host.indexOf(":") < 0 ? member.host + ":27017" : member.host })); config.version++; return keep(config); },
    conf: function () { return needed(); },
    status: function () { var config = needed(); return { set: config._id, myState: 1, members: config.members.map(function (one, index) { return { _id: one._id, name: one.host, health: 1, state: index === 0 ? 1 : 2, stateStr: index === 0 ? "PRIMARY" : "SECONDARY" }; }), ok: 1 }; },
    isMaster: function () { var config = needed(); return { setName: config._id, ismaster: true, hosts: config.members.map(function (one) { return one.host; }), primary: config.members[0].host, ok: 1 }; }
  };
  replicas.config = replicas.conf; replicas.hello = replicas.isMaster;

  // Node's driver of MongoDB, and mongoose, as far as small programs use them.
  function addressOf(url) {
    var found = /^mongodb(?:\+srv)?:\/\/(?:([^:@/]*):([^@/]*)@)?([^:/?,]+)(?::(\d+))?[^/?]*(?:\/([^?]*))?/.exec(url) || [];
    return { host: found[3] === "localhost" ? "127.0.0.1" : found[3] || "127.0.0.1", port: Number(found[4] || 27017), user: found[1] ? decodeURIComponent(found[1]) : undefined, password: found[2] ? decodeURIComponent(found[2]) : undefined, database: found[5] || "test" };
  }
  function promised(place, name, call) { try { to = place; current = name; return Promise.resolve(call()); } catch (error) { return Promise.reject(error); } }
  function cursorOf(place, name, made) {
    var one = { toArray: function () { return promised(place, name, function () { return made.toArray(); }); }, next: function () { return promised(place, name, function () { return made.next(); }); }, hasNext: function () { return promised(place, name, function () { return made.hasNext(); }); }, forEach: function (call) { return one.toArray().then(function (all) { all.forEach(call); }); } };
    ["sort", "limit", "skip", "map"].forEach(function (step) { one[step] = function (given) { made[step](given); return one; }; });
    one.project = function (fields) { made._with(function (all) { return all.map(function (each) { return projected(each, fields); }); }); return one; };
    one[Symbol.asyncIterator] = async function* () { for (var each of await one.toArray()) yield each; };
    return one;
  }
  function collectionOf(place, name, own) {
    var real = new Collection(own), one = { collectionName: own };
    one.find = function (query, options) { return cursorOf(place, name, real.find(query, options && options.projection)); };
    one.aggregate = function (stages) { return cursorOf(place, name, real.aggregate(stages)); };
    one.findOne = function (query, options) { return promised(place, name, function () { return real.findOne(query, options && options.projection); }); };
    ["updateOne", "updateMany", "replaceOne"].forEach(function (op) { one[op] = function () { var given = arguments; return promised(place, name, function () { var found = real[op].apply(real, given); found.upsertedId = found.insertedId; delete found.insertedId; return found; }); }; });
    ["insertMany", "insertOne", "deleteOne", "deleteMany", "countDocuments", "estimatedDocumentCount", "distinct", "drop", "createIndex"].forEach(function (op) { one[op] = function () { var given = arguments; return promised(place, name, function () { var found = real[op].apply(real, given); if (op === "insertMany") found.insertedCount = Object.keys(found.insertedIds).length; return found; }); }; });
    one.indexes = function () { return promised(place, name, function () { return real.getIndexes(); }); };
    ["findOneAndUpdate", "findOneAndDelete"].forEach(function (op) { one[op] = function (query, update, options) { return promised(place, name, function () { var before = real.findOne(query); if (op === "findOneAndDelete") real.deleteOne(query); else real.updateOne(query, update, options); return before && options && options.returnDocument === "after" ? real.findOne({ _id: before._id }) : before; }); }; });
    return one;
  }
  function clientOf(url) {
    var place = addressOf(url), one = { connect: function () { return promised(place, place.database, function () { ask("connect"); return one; }); }, close: function () { return Promise.resolve(); } };
    one.db = function (name) { var own = name || place.database; return { databaseName: own, collection: function (each) { return collectionOf(place, own, each); }, createCollection: function (each) { return Promise.resolve(collectionOf(place, own, each)); }, listCollections: function () { return { toArray: function () { return promised(place, own, function () { return database.getCollectionNames().map(function (each) { return { name: each, type: "collection" }; }); }); } }; }, command: function () { return promised(place, own, function () { ask("connect"); return { ok: 1 }; }); }, admin: function () { return { ping: function () { return promised(place, own, function () { ask("connect"); return { ok: 1 }; }); } }; } }; };
    return one;
  }
  node.modules.mongodb = { isPackage: true, make: function () { function MongoClient(url) { return clientOf(url); } MongoClient.connect = function (url) { return clientOf(url).connect(); }; return { MongoClient: MongoClient, ObjectId: ObjectId, MongoServerError: MongoServerError }; } };

  function shown(value) {
    if (value instanceof Cursor) { var all = value.toArray(); return node.inspect(printable(all.slice(0, 20))) + (all.length > 20 ? "\nType \"it\" for more" : ""); }
    if (value === database) return current;
    return typeof value === "string" ? value : value === undefined ? "" : node.inspect(printable(value), { depth: 6 });
  }
  class Shown { constructor(text) { this.text = text; } }
  function printable(value) {
    if (value instanceof ObjectId) { var one = Object.create({ constructor: undefined }); return new Shown("ObjectId('" + value.hex + "')"); }
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
    if (/^(collections|tables)$/.test(show[1])) return own.getCollectionNames().join("\n");
    return "";
  }
  function evaluated(text) { var said = command(text); return said === undefined ? __compile(text.replace(/^(\s*)(?:const|let)\s/gm, "$1var "), "mongosh") : said; }
  function failure(error) { return (error instanceof SyntaxError ? "SyntaxError: " + error.message : error instanceof Error ? (error.name || "Error") + (error.codeName && error.code !== undefined && error.code !== 11000 ? "" : "") + ": " + error.message : "Uncaught: " + inspect(error)) + "\n"; }
  node.modules.mongosh = { isPackage: true, make: function () { return function (options) {
    to = options; current = options.database;
    Object.assign(globalThis, { db: database, ObjectId: function (hex) { return new ObjectId(hex); }, ISODate: function (text) { return text ? new Date(text) : new Date(); }, print: function () { console.log.apply(console, arguments); }, printjson: function (value) { console.log(shown(value)); }, load: function () { return true; }, quit: function (code) { node.exit(code || 0); }, NumberInt: Number, NumberLong: Number, rs: replicas, sleep: function (ms) { node.ask("wait", ms, false); } });
    try { ask("connect"); } catch (error) { node.ask("error", failure(error)); node.exit(1); }
    if (options.isEval || options.isScript) {
      try { var value = evaluated(options.text); __jobs(); if (options.isEval && value !== undefined) node.ask("out", shown(value) + "\n"); } catch (error) { node.ask("error", failure(error)); node.exit(1); }
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
      try { var result = evaluated(code); __jobs(); if (result !== undefined) node.ask("out", shown(result) + "\n"); } catch (error) { node.ask("out", failure(error)); }
    }
    node.exit(0);
  }; } };
})();
`;
