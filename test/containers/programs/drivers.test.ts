// Programs with database drivers of their language: results and errors.
import { beforeAll, describe, expect, test } from "vitest";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { newCluster, type TestCluster } from "../../cluster.ts";
import { executed } from "../executed.ts";
import { runProgram } from "./program-run.ts";

let cluster: TestCluster;

function createServer(name: string, image: string, port: number | undefined, more: object = {}): void {
  cluster.apply(pods, {
    metadata: { name, namespace: "default", labels: { app: name } },
    spec: { containers: [{ name: "c", image, ...more }] },
  });
  if (port === undefined) return;
  cluster.apply(services, {
    metadata: { name, namespace: "default" },
    spec: { selector: { app: name }, ports: [{ port }] },
  });
}

const env = (all: Record<string, string>) => ({ env: Object.entries(all).map(([name, value]) => ({ name, value })) });
const python = (code: string) =>
  executed(cluster, "py", `cat > /tmp/a.py <<'EOF'\n${code}\nEOF\npython /tmp/a.py 2>&1 | tail -8`);
const node = (code: string) =>
  executed(cluster, "js", `cat > /tmp/a.js <<'EOF'\n${code}\nEOF\nnode /tmp/a.js 2>&1 | tail -8`);

beforeAll(() => {
  cluster = newCluster({ base: "layered" });
  createServer("pg", "postgres:17", 5432, env({ POSTGRES_PASSWORD: "secret", POSTGRES_DB: "app" }));
  createServer("my", "mysql:8.4", 3306, env({ MYSQL_ROOT_PASSWORD: "secret", MYSQL_DATABASE: "app" }));
  createServer("red", "redis:8", 6379);
  createServer("py", "company.example/py:1", undefined, { command: ["sleep", "1d"] });
  createServer("js", "company.example/js:1", undefined, { command: ["sleep", "1d"] });
  cluster.step(15_000);
});

describe("Python", () => {
  test("writes to PostgreSQL with psycopg2", async () => {
    const code = `import psycopg2
from psycopg2.extras import RealDictCursor
conn = psycopg2.connect(host="pg", user="postgres", password="secret", dbname="app")
with conn.cursor() as cur:
    cur.execute("create table people (id serial primary key, name text, age int)")
    cur.execute("insert into people (name, age) values (%s, %s)", ("o'neil", 41))
    cur.execute("insert into people (name, age) values (%(n)s, %(a)s)", {"n": "bob", "a": None})
conn.commit()
cur = conn.cursor()
cur.execute("select id, name, age from people order by id")
print(cur.rowcount, cur.fetchone(), cur.fetchall())
cur = conn.cursor(cursor_factory=RealDictCursor)
cur.execute("select name from people where age > %s", (40,))
print(cur.fetchall())
try:
    cur.execute("select * from nope")
except psycopg2.Error as error:
    print(type(error).__name__, error)`;
    expect(await python(code)).toBe(
      `2 (1, "o'neil", 41) [(2, 'bob', None)]\n[{'name': "o'neil"}]\nUndefinedTable relation "nope" does not exist\nLINE 1: select * from nope\n                      ^\n\n`,
    );
    expect(await executed(cluster, "pg", "psql -U postgres app -tAc 'select count(*) from people'")).toBe("2\n");
  });

  test("N22: runs transactions with psycopg2, psycopg and pymysql, which commit or roll back", async () => {
    const code = `import psycopg2, psycopg, pymysql
from psycopg.rows import dict_row
to = dict(host="pg", user="postgres", password="secret", dbname="app")
conn = psycopg2.connect(**to)
cur = conn.cursor()
cur.execute("create table acts (id serial primary key, name text unique)")
conn.commit()
cur.execute("insert into acts (name) values ('a')")
conn.rollback()
try:
    with conn:
        cur.execute("insert into acts (name) values ('b')")
        cur.execute("insert into acts (name) values ('b')")
except psycopg2.errors.UniqueViolation as error:
    print(error.pgcode)
cur.execute("select count(*) from acts")
print(cur.fetchone())
with psycopg.connect("host=pg user=postgres password=secret dbname=app", row_factory=dict_row) as other:
    other.execute("insert into acts (name) values (%s)", ("c",))
    print(other.execute("select name from acts").fetchone())
cur.execute("select name from acts")
print(cur.fetchall())
my = pymysql.connect(host="my", user="root", password="secret", database="app")
with my.cursor() as cur:
    cur.execute("create table acts (id int auto_increment primary key, name varchar(9))")
    cur.execute("insert into acts (name) values ('a')")
    my.rollback()
    cur.execute("insert into acts (name) values ('b')")
my.commit()
with my.cursor() as cur:
    cur.execute("select name from acts")
    print(cur.fetchall())`;
    expect(await python(code)).toBe("23505\n(0,)\n{'name': 'c'}\n[('c',)]\n[('b',)]\n");
  });

  test("is refused with a wrong password, and by a host without a server", async () => {
    const fails = (host: string, password: string) =>
      python(`import psycopg2\npsycopg2.connect("host=${host} user=postgres password=${password} dbname=app")`);
    expect(await fails("pg", "wrong")).toMatch(
      /psycopg2\.OperationalError: connection to server at "pg" \(10\.[\d.]+\), port 5432 failed: FATAL: {2}password authentication failed for user "postgres"/,
    );
    expect(await fails("nowhere", "x")).toContain(
      'could not translate host name "nowhere" to address: Name or service not known',
    );
  });

  test("writes to MySQL with pymysql and mysql.connector", async () => {
    const code = `import pymysql, mysql.connector
conn = pymysql.connect(host="my", user="root", password="secret", database="app", cursorclass=pymysql.cursors.DictCursor)
cur = conn.cursor()
cur.execute("create table t (id int auto_increment primary key, name varchar(20))")
cur.execute("insert into t (name) values (%s)", "ann")
print(cur.lastrowid, cur.rowcount)
conn.commit()
other = mysql.connector.connect(host="my", user="root", password="secret", database="app")
cur = other.cursor()
cur.execute("select * from t")
print(cur.fetchall())
try:
    pymysql.connect(host="my", user="root", password="wrong")
except pymysql.err.OperationalError as error:
    print(error.args[0])`;
    expect(await python(code)).toBe("1 1\n[(1, 'ann')]\n1045\n");
  });

  test("writes to Redis with redis", async () => {
    const code = `import redis
r = redis.Redis(host="red", port=6379)
print(r.ping(), r.incr("hits"), r.incr("hits"), r.get("hits"), r.get("none"))
r = redis.from_url("redis://red:6379/0", decode_responses=True)
r.hset("h", mapping={"a": 1})
print(r.hgetall("h"), r.lpush("l", "x", "y"), r.lrange("l", 0, -1))
try:
    r.incr("h")
except redis.exceptions.ResponseError as error:
    print(error)
redis.Redis(host="red", port=1).ping()`;
    expect(await python(code)).toMatch(
      /^True 1 2 b'2' None\n\{'a': '1'\} 2 \['y', 'x'\]\nWRONGTYPE Operation against a key holding the wrong kind of value\n[^]*redis\.ConnectionError: /,
    );
    expect(await executed(cluster, "red", "redis-cli get hits")).toBe("2\n");
  });

  test("writes a file with sqlite3", () => {
    const code = `import sqlite3
conn = sqlite3.connect("/tmp/a.db")
conn.row_factory = sqlite3.Row
conn.execute("create table t (id integer primary key, name text unique)")
with conn:
    cur = conn.execute("insert into t (name) values (?)", ("o'neil",))
print(cur.lastrowid)
for row in conn.execute("select * from t where name = :n", {"n": "o'neil"}):
    print(row["id"], row[1], tuple(row))
try:
    conn.execute("insert into t (name) values (?)", ("o'neil",))
except sqlite3.IntegrityError as error:
    print(error)
memory = sqlite3.connect(":memory:")
memory.execute("create table m (a int)")
memory.executemany("insert into m values (?)", [(1,), (2,)])
print(memory.execute("select sum(a) from m").fetchone()[0])`;
    const { out, err } = runProgram(["python", "/a.py"], { files: { "/a.py": code } });
    expect([out, err]).toEqual(["1\n1 o'neil (1, \"o'neil\")\nUNIQUE constraint failed: t.name\n3\n", ""]);
  });

  test("N22: loses uncommitted changes of a file with sqlite3", () => {
    const code = `import sqlite3
one = sqlite3.connect("/tmp/t.db")
one.execute("create table t (a int)")
one.execute("insert into t values (1)")
print(one.in_transaction, sqlite3.connect("/tmp/t.db").execute("select count(*) from t").fetchone())
one.rollback()
one.execute("insert into t values (2)")
one.commit()
print(sqlite3.connect("/tmp/t.db").execute("select a from t").fetchall())`;
    const { out, err } = runProgram(["python", "/a.py"], { files: { "/a.py": code } });
    expect([out, err]).toEqual(["True (0,)\n[(2,)]\n", ""]);
  });

  test("N22: loses rolled back changes of a file with the sqlite3 command", () => {
    const script = `sqlite3 /t.db 'create table t (a int); begin; insert into t values (1); rollback; begin; insert into t values (2); savepoint s; insert into t values (3); rollback to s; commit; begin; insert into t values (4)'
sqlite3 /t.db 'select a from t'`;
    const { out, err } = runProgram(["sh", "-c", script]);
    expect([out, err]).toEqual(["2\n", ""]);
  });

  test("has no driver that is not installed", () => {
    const { err } = runProgram(["python", "-c", "import psycopg2"], { image: "python:3.13" });
    expect(err).toContain("ModuleNotFoundError: No module named 'psycopg2'");
  });
});

describe("Node.js", () => {
  test("writes to PostgreSQL with pg", async () => {
    const code = `const { Pool, Client } = require("pg");
(async () => {
  const pool = new Pool({ connectionString: "postgres://postgres:secret@pg:5432/app" });
  await pool.query("create table items (id serial primary key, name text)");
  await pool.query("insert into items (name) values ($1), ($2)", ["a'b", "c"]);
  const { rows, rowCount } = await pool.query("select * from items order by id");
  console.log(rowCount, JSON.stringify(rows));
  try { await new Client({ host: "pg", user: "postgres", password: "wrong", database: "app" }).connect(); } catch (error) { console.log(error.message); }
  try { await new Client({ host: "nowhere", user: "x" }).connect(); } catch (error) { console.log(error.message); }
})();`;
    expect(await node(code)).toBe(
      `2 [{"id":1,"name":"a'b"},{"id":2,"name":"c"}]\npassword authentication failed for user "postgres"\ngetaddrinfo ENOTFOUND nowhere\n`,
    );
  });

  test("N22: runs transactions with pg and mysql2", async () => {
    const code = `const { Pool } = require("pg"), mysql = require("mysql2/promise");
(async () => {
  const pool = new Pool({ connectionString: "postgres://postgres:secret@pg:5432/app" });
  await pool.query("create table moves (id serial primary key, n int)");
  const client = await pool.connect();
  await client.query("BEGIN");
  await client.query("insert into moves (n) values (1)");
  console.log((await client.query("select * from moves")).rowCount, (await pool.query("select * from moves")).rowCount);
  await client.query("ROLLBACK");
  try { await client.query("selec 1"); } catch (error) { console.log(error.code, error.position); }
  const conn = await mysql.createConnection({ host: "my", user: "root", password: "secret", database: "app" });
  await conn.query("create table moves (n int)");
  await conn.beginTransaction();
  await conn.query("insert into moves values (1)");
  await conn.rollback();
  const [rows] = await conn.query("select * from moves");
  console.log(rows.length);
})();`;
    expect(await node(code)).toBe("1 0\n42601 1\n0\n");
  });

  test("writes to MySQL with mysql2, with and without promises", async () => {
    const code = `const mysql = require("mysql2/promise"), plain = require("mysql2");
(async () => {
  const conn = await mysql.createConnection({ host: "my", user: "root", password: "secret", database: "app" });
  await conn.query("create table n (id int auto_increment primary key, name varchar(20))");
  const [result] = await conn.execute("insert into n (name) values (?)", ["it's"]);
  console.log(result.insertId, result.affectedRows);
  plain.createConnection({ host: "my", user: "root", password: "secret", database: "app" }).query("select * from n where id = ?", [1], (error, rows) => {
    console.log(JSON.stringify(rows));
    plain.createConnection({ host: "my", user: "root", password: "wrong" }).connect((error) => console.log(error.code));
  });
})();`;
    expect(await node(code)).toBe(`1 1\n[{"id":1,"name":"it's"}]\nER_ACCESS_DENIED_ERROR\n`);
  });

  test("writes to Redis with redis and ioredis", async () => {
    const code = `const { createClient } = require("redis"), Redis = require("ioredis");
(async () => {
  const client = createClient({ url: "redis://red:6379" });
  client.on("error", () => {});
  await client.connect();
  await client.set("js", "1", { EX: 100 });
  console.log(await client.incr("js"), await client.get("js"), await client.ttl("js") > 90);
  await client.hSet("o", { a: 1, b: 2 });
  console.log(JSON.stringify(await client.hGetAll("o")));
  console.log(await new Redis(6379, "red").get("js"));
})();`;
    expect(await node(code)).toBe('2 2 true\n{"a":"1","b":"2"}\n2\n');
  });
});

describe("mongosh", () => {
  beforeAll(() => {
    createServer(
      "mongo",
      "mongo:8",
      27017,
      env({ MONGO_INITDB_ROOT_USERNAME: "root", MONGO_INITDB_ROOT_PASSWORD: "secret" }),
    );
    cluster.step(5000);
  });
  const mongosh = (script: string, flags = "-u root -p secret") =>
    executed(
      cluster,
      "mongo",
      `cat > /tmp/a.js <<'EOF'\n${script}\nEOF\nmongosh ${flags} --quiet shop < /tmp/a.js 2>&1`,
    );

  test("inserts, finds, updates, deletes and aggregates, and keeps its changes", async () => {
    expect(
      await mongosh(
        'db.items.insertMany([{ _id: 1, name: "a", n: 2 }, { _id: 2, name: "b", n: 5 }, { _id: 3, name: "a", n: 1 }])',
      ),
    ).toBe("{ acknowledged: true, insertedIds: { '0': 1, '1': 2, '2': 3 } }\n");
    expect(await mongosh("db.items.find({ n: { $gt: 1 } }, { _id: 0 }).sort({ n: -1 })")).toBe(
      "[ { name: 'b', n: 5 }, { name: 'a', n: 2 } ]\n",
    );
    expect(
      await mongosh(
        'db.items.updateOne({ _id: 1 }, { $inc: { n: 1 }, $set: { "tag.x": true } })\ndb.items.findOne({ _id: 1 })',
      ),
    ).toBe(
      "{\n  acknowledged: true,\n  insertedId: null,\n  matchedCount: 1,\n  modifiedCount: 1,\n  upsertedCount: 0\n}\n{ _id: 1, name: 'a', n: 3, tag: { x: true } }\n",
    );
    expect(
      await mongosh('db.items.aggregate([{ $group: { _id: "$name", all: { $sum: "$n" } } }, { $sort: { _id: 1 } }])'),
    ).toBe("[ { _id: 'a', all: 4 }, { _id: 'b', all: 5 } ]\n");
    expect(
      await mongosh("db.items.deleteMany({ name: 'a' })\ndb.items.countDocuments()\nshow collections\nuse other\ndb"),
    ).toBe("{ acknowledged: true, deletedCount: 2 }\n1\nitems\nswitched to db other\nother\n");
    expect(await mongosh("db.items.insertOne({ _id: 2 })")).toBe(
      "MongoServerError: E11000 duplicate key error collection: shop.items index: _id_ dup key: { _id: 2 }\n",
    );
    expect(await mongosh("var one = db.people.insertOne({ x: 1 }); db.people.findOne()")).toMatch(
      /^\{ _id: ObjectId\('[0-9a-f]{24}'\), x: 1 \}\n$/,
    );
  });

  test("joins collections, and keeps indexes and users", async () => {
    expect(
      await mongosh(
        'db.o.insertMany([{ _id: 1, who: 1 }, { _id: 2, who: 9 }]); db.w.insertOne({ _id: 1, name: "x" }); db.o.aggregate([{ $lookup: { from: "w", localField: "who", foreignField: "_id", as: "by" } }, { $project: { n: { $size: "$by" } } }])',
      ),
    ).toBe("[ { _id: 1, n: 1 }, { _id: 2, n: 0 } ]\n");
    expect(
      await mongosh('db.w.createIndex({ name: 1 }, { unique: true })\ndb.w.insertOne({ name: "x" })\nshow collections'),
    ).toMatch(
      /^name_1\nMongoServerError: E11000 duplicate key error collection: shop\.w index: name_1 dup key: \{ name: "x" \}\n(items\n)?o\n(people\n)?w\n$/,
    );
    expect(await mongosh('db.createUser({ user: "ann", pwd: "a", roles: ["readWrite"] }).ok')).toBe("1\n");
    expect(await mongosh("db.o.countDocuments()", "-u ann -p a")).toBe("2\n");
    expect(await mongosh("rs.status()")).toBe("MongoServerError: not running with --replSet\n");
  });

  test("reports a replica set from its members' names", async () => {
    createServer("set-0", "mongo:8", undefined, { command: ["mongod", "--replSet", "rs0", "--bind_ip_all"] });
    cluster.step(5000);
    const script =
      'rs.initiate({ _id: "rs0", members: [{ _id: 0, host: "set-0.set:27017" }] }).ok; rs.add("set-1.set").ok; rs.status().members.map(function (one) { return one.name + " " + one.stateStr; }).join()';
    expect(await executed(cluster, "set-0", `mongosh --quiet --eval '${script}' 2>&1`)).toBe(
      "set-0.set:27017 PRIMARY,set-1.set:27017 SECONDARY\n",
    );
  });

  test("has a driver for Node.js", async () => {
    const code = `const { MongoClient } = require("mongodb");
(async () => {
  const client = new MongoClient("mongodb://root:secret@mongo:27017/?authSource=admin");
  await client.connect();
  const all = client.db("node").collection("all");
  const { insertedCount } = await all.insertMany([{ _id: 1, n: 1 }, { _id: 2, n: 2 }]);
  const { modifiedCount } = await all.updateOne({ _id: 1 }, { $inc: { n: 9 } });
  console.log(insertedCount, modifiedCount, JSON.stringify(await all.find({ n: { $gt: 1 } }).sort({ n: -1 }).toArray()));
  for await (const one of all.aggregate([{ $group: { _id: null, sum: { $sum: "$n" } } }])) console.log(one.sum);
  try { await all.insertOne({ _id: 1 }); } catch (error) { console.log(error.name, error.code); }
  try { await new MongoClient("mongodb://root:wrong@mongo/").connect(); } catch (error) { console.log(error.message); }
})();`;
    expect(await node(code)).toBe(
      '2 1 [{"_id":1,"n":10},{"_id":2,"n":2}]\n12\nMongoServerError 11000\nAuthentication failed.\n',
    );
  });

  test("requires authentication, also through the Service", async () => {
    expect(await mongosh("db.items.find()", "")).toBe("MongoServerError: Command find requires authentication\n");
    expect(await mongosh("1", "-u root -p wrong")).toBe("MongoServerError: Authentication failed.\n[1]");
    const through = (url: string) =>
      executed(cluster, "js", `mongosh '${url}' --quiet --eval 'db.items.countDocuments()' 2>&1`);
    expect(await through("mongodb://root:secret@mongo:27017/shop?authSource=admin")).toBe("1\n");
    expect(await through("mongodb://nowhere:27017/shop")).toBe("MongoNetworkError: getaddrinfo ENOTFOUND nowhere\n[1]");
  });
});
