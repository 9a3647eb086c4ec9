// Databases: answers of servers, output of clients, and errors.
import { beforeAll, describe, expect, test } from "vitest";
import { dataOf, lineText } from "../../../worker/containers/databases/data.ts";
import { mysqlDialect } from "../../../worker/containers/products/mysql/dialect.ts";
import { postgresDialect } from "../../../worker/containers/products/postgres/dialect.ts";
import { replyTo } from "../../../worker/containers/databases/server.ts";
import { clusterView } from "../../../worker/containers/network/cluster-view.ts";
import { execOutput, runOfStatus } from "../../../worker/containers/output.ts";
import { Files } from "../../../worker/containers/shell/files.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { configMaps } from "../../../worker/kinds/core/config-map.ts";
import { jobs } from "../../../worker/kinds/batch/job/job.ts";
import { persistentVolumeClaims } from "../../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { newCluster, type TestCluster } from "../../cluster.ts";
import { executed } from "../executed.ts";
import { startMs } from "./program-run.ts";

const dialects = { mysql: mysqlDialect, postgres: postgresDialect };
type DialectName = keyof typeof dialects;

/** Runs statements in sequence as a remote administrator, and returns the answer to the last one. */
function lastReply(dialect: DialectName, statements: readonly string[]): unknown {
  const path = "/data";
  let text = [{ user: "root", password: "secret", isAdmin: true }, { database: "app" }].map(lineText).join("");
  let last: unknown;
  for (const [at, sql] of statements.entries()) {
    const files = new Files([[path, { text, mode: 0o600, changedMs: 0 }]]);
    const server = { files, path, version: "18.1", from: "10.244.0.9", nowMs: startMs + at * 1000, number: at };
    const done = replyTo(dialects[dialect], server, { user: "root", password: "secret", database: "app", sql });
    text += done.more;
    const { reply } = done;
    last =
      reply.kind === "rows"
        ? reply.rows
        : reply.kind === "done"
          ? reply.tag || reply.changes
          : `${reply.code} ${reply.message}`;
  }
  return last;
}

test("N3: an equal statement counts twice in one moment, and once if it is recomputed", () => {
  const path = "/data";
  const begin = [{ user: "root", password: "secret", isAdmin: true }, { database: "app" }].map(lineText).join("");
  const after = (text: string, sql: string, number: number) => {
    const files = new Files([[path, { text, mode: 0o600, changedMs: 0 }]]);
    const server = { files, path, version: "18.1", from: "10.244.0.9", nowMs: startMs, number };
    return text + replyTo(mysqlDialect, server, { user: "root", password: "secret", database: "app", sql }).more;
  };
  const insert = "insert into t values (1)";
  const twice = after(after(after(begin, "create table t (a int)", 0), insert, 1), insert, 2);
  const rows = (text: string) => dataOf(text).statements("app").length;
  expect([rows(twice), rows(after(twice, insert, 2))]).toEqual([3, 3]);
});

const users =
  "CREATE TABLE `users` (`id` INT(11) UNSIGNED NOT NULL AUTO_INCREMENT, name VARCHAR(50) NOT NULL, email VARCHAR(9) UNIQUE, PRIMARY KEY (`id`), KEY idx_name (name)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4";

describe("a MySQL server", () => {
  test.each<readonly [statements: readonly string[], expected: unknown]>([
    [["select 1 + 1, now(), database(), user()"], [[2, "2026-01-01 00:00:00", "app", "root@10.244.0.9"]]],
    [[users, "insert into users (name) values ('ann'), ('bob')"], 2],
    [
      [users, "insert into users (name) values ('ann'), ('bob')", "select * from users where name like 'b%'"],
      [[2, "bob", null]],
    ],
    [[users, "show tables"], [["users"]]],
    [
      [users, "describe users"],
      [
        ["id", "int", "NO", "PRI", null, "auto_increment"],
        ["name", "varchar(50)", "NO", "", null, ""],
        ["email", "varchar(9)", "YES", "", null, ""],
      ],
    ],
    [
      ["create database more", "show databases"],
      [["app"], ["information_schema"], ["more"], ["mysql"], ["performance_schema"], ["sys"]],
    ],
    [["create database app"], "1007 (HY000) Can't create database 'app'; database exists"],
    [["select * from nope"], "1146 (42S02) Table 'app.nope' doesn't exist"],
    [[users, "select nope from users"], "1054 (42S22) Unknown column 'nope' in 'field list'"],
    [
      ["selec 1"],
      "1064 (42000) You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near 'selec 1' at line 1",
    ],
    [
      [users, "insert into users (id, name) values (1, 'a')", "insert into users (id, name) values (1, 'b')"],
      "1062 (23000) Duplicate entry '1' for key 'users.PRIMARY'",
    ],
    [[users, "insert into users (name) values (null)"], "1048 (23000) Column 'name' cannot be null"],
    [[users, users], "1050 (42S01) Table 'users' already exists"],
    [[users, "insert into users (name) values ('a')", "truncate table users", "select count(*) from users"], [[0]]],
    [
      [
        "create table t (at timestamp default current_timestamp(), x int)",
        "insert into t (x) values (1)",
        "select at from t",
      ],
      [["2026-01-01 00:00:01"]],
    ],
    [
      ["with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c"],
      "1105 (HY000) statement was too much work",
    ],
    [[`select '${"x".repeat(40_000)}'`], "1153 (08S01) Got a packet bigger than 'max_allowed_packet' bytes"],
  ])("answers %j", (statements, expected) => {
    expect(lastReply("mysql", statements)).toEqual(expected);
  });
});

describe("a PostgreSQL server", () => {
  const table = "create table t (id serial primary key, name varchar(20) not null, made timestamptz default now())";
  test.each<readonly [statements: readonly string[], expected: unknown]>([
    [[table], "CREATE TABLE"],
    [
      [table, "insert into t (name) values ('a'), ('b') returning id"],
      [[1], [2]],
    ],
    [[table, "insert into t (name) values ('a')"], "INSERT 0"],
    [
      [table, "insert into t (name) values ('a')", "select id, name, made from t where name ilike 'A'"],
      [[1, "a", "2026-01-01 00:00:01"]],
    ],
    [["select current_user, current_database(), 1::int, 'x'::text"], [["root", "app", 1, "x"]]],
    [["select * from generate_series(1, 3) as n"], [[1], [2], [3]]],
    [["create user web with password 'x'"], "CREATE ROLE"],
    [["create database app"], '42P04 database "app" already exists'],
    [["select * from nope"], '42P01 relation "nope" does not exist'],
    [["selec 1"], '42601 syntax error at or near "selec"'],
    [[table, "select nope from t"], '42703 column "nope" does not exist'],
    [
      [table, "insert into t (id, name) values (1, 'a')", "insert into t (id, name) values (1, 'a')"],
      '23505 duplicate key value violates unique constraint "t_pkey"',
    ],
    [
      [table, "insert into t (name) values (null)"],
      '23502 null value in column "name" of relation "t" violates not-null constraint',
    ],
    [["show max_connections"], [["100"]]],
    [["show nope"], '42704 unrecognized configuration parameter "nope"'],
  ])("answers %j", (statements, expected) => {
    expect(lastReply("postgres", statements)).toEqual(expected);
  });
});

test("a recomputed line counts once", () => {
  const line = lineText({ id: "a", sql: "insert into t values (1)", in: "app", atMs: 0 });
  expect(dataOf(line + line).statements("app")).toHaveLength(1);
  expect(dataOf(line, "a").statements("app")).toHaveLength(0);
  expect(dataOf(`${line}no line\n[1]\nnull\n`).isFull).toBe(false);
  expect(dataOf("{}\n".repeat(2000)).isFull).toBe(true);
});

/** The output of MySQL's client for each password on its command line. */
const insecure = "mysql: [Warning] Using a password on the command line interface can be insecure.\n";

describe("a database client", () => {
  let cluster: TestCluster;

  const createPod = (name: string, image: string, more: object) => {
    const metadata = { name, namespace: "default", labels: { app: name } };
    cluster.apply(pods, { metadata, spec: { nodeName: "node-1", containers: [{ name: "c", image, ...more }] } });
  };
  const createService = (name: string, port: number) =>
    cluster.apply(services, {
      metadata: { name, namespace: "default" },
      spec: { selector: { app: name }, ports: [{ port }] },
    });

  /** Returns the output of a script in a pod, with its exit code. */
  function outputOf(script: string, name = "client"): string {
    const nowMs = cluster.clock.nowMs();
    const [pod, view] = [cluster.get(pods, "default", name), clusterView(cluster.client)];
    const command = { words: ["sh", "-c", script], nowMs, untilMs: nowMs + 600_000 };
    const done = execOutput(pod, "c", view, runOfStatus(pod, "c", view, nowMs, false), command);
    if (!done || "missing" in done) return "not there";
    const text = done.chunks.map((chunk) => chunk.text).join("");
    return `${text.replace(insecure, "")}[${done.end?.exitCode ?? "runs"}]`;
  }

  beforeAll(() => {
    cluster = newCluster();
    cluster.runUntilQuiet();
    const env = (all: Record<string, string>) => ({
      env: Object.entries(all).map(([name, value]) => ({ name, value })),
    });
    createPod("client", "company.example/tools:1", { command: ["sleep", "3600"] });
    createPod(
      "my",
      "mysql:8.4",
      env({ MYSQL_ROOT_PASSWORD: "secret", MYSQL_DATABASE: "app", MYSQL_USER: "web", MYSQL_PASSWORD: "w" }),
    );
    createPod("pg", "postgres:17", env({ POSTGRES_PASSWORD: "secret", POSTGRES_DB: "app" }));
    createPod("open", "postgres:17", {});
    createPod("red", "redis:8", { args: ["--requirepass", "secret"] });
    createService("my", 3306);
    createService("pg", 5432);
    createService("red", 6379);
    cluster.step(8000);
  });

  test.each([
    ["mysql -h my -uroot -psecret -e 'select 1 as one, null as two'", "one\ttwo\n1\tNULL\n[0]"],
    ["mysql -h my -uroot -psecret -t -e 'select 1 as one'", "+-----+\n| one |\n+-----+\n|   1 |\n+-----+\n[0]"],
    [
      'mysql -h my -uroot -psecret -N app -e "create table t (a int); insert into t values (3), (4); select sum(a) from t"',
      "7\n[0]",
    ],
    ["echo 'show tables;' | mysql -h my -uweb -pw app", "[0]"],
    [
      "mysql -h my -uroot -pwrong -e 'select 1'",
      /ERROR 1045 \(28000\): Access denied for user 'root'@'10\.[\d.]+' \(using password: YES\)\n\[1\]$/,
    ],
    ["mysql -h my -uroot -psecret nope -e 'select 1'", "ERROR 1049 (42000): Unknown database 'nope'\n[1]"],
    [
      "mysql -h my -uroot -psecret app -e 'select * from nope'",
      "ERROR 1146 (42S02) at line 1: Table 'app.nope' doesn't exist\n[1]",
    ],
    [
      "mysql -h nowhere -uroot -psecret -e 'select 1'",
      "ERROR 2005 (HY000): Unknown MySQL server host 'nowhere' (-2)\n[1]",
    ],
    [
      "mysql -h my -P 3307 -uroot -psecret -e 'select 1'",
      "ERROR 2003 (HY000): Can't connect to MySQL server on 'my:3307' (110)\n[1]",
    ],
    ["mysqladmin -h my -uroot -psecret ping", "mysqld is alive\n[0]"],
    ["psql -h pg -U postgres app -c 'select 1 as one'", /fe_sendauth: no password supplied\n\[2\]$/],
    [
      "PGPASSWORD=wrong psql -h pg -U postgres app -c 'select 1 as one'",
      /^psql: error: connection to server at "pg" \([\d.]+\), port 5432 failed: FATAL: {2}password authentication failed for user "postgres"\n\[2\]$/,
    ],
    [
      "PGPASSWORD=secret psql -h pg -U postgres app -c 'select 1 as one, 2 as two'",
      " one | two \n-----+-----\n   1 |   2\n(1 row)\n\n[0]",
    ],
    ["PGPASSWORD=secret psql -h pg -U postgres nope -c 'select 1'", /FATAL: {2}database "nope" does not exist\n\[2\]$/],
    ["psql postgres://postgres:secret@pg:5432/app -tAc 'select 1, 2'", "1|2\n[0]"],
    [
      "PGPASSWORD=secret psql -h pg -U postgres app -c 'create table t (id serial primary key)' -c 'select * from nope'",
      'CREATE TABLE\nERROR:  relation "nope" does not exist\nLINE 1: select * from nope\n                      ^\n[1]',
    ],
    ["redis-cli -h red ping", "NOAUTH Authentication required.\n\n[0]"],
    [
      "redis-cli -h red -a wrong ping 2>&1",
      /AUTH failed: WRONGPASS invalid username-password pair or user is disabled.\nNOAUTH Authentication required.\n\n\[0\]$/,
    ],
    [
      "redis-cli -h red -a secret set a 1 2>/dev/null; redis-cli -h red -a secret incr a 2>/dev/null; REDISCLI_AUTH=secret redis-cli -h red get a",
      "OK\n2\n2\n[0]",
    ],
  ])("gets the answer: %s", (script, expected) => {
    if (typeof expected === "string") expect(outputOf(script)).toBe(expected);
    else expect(outputOf(script)).toMatch(expected);
  });

  test("needs no network in its server's own container", () => {
    expect(outputOf("psql -U postgres -d app -c 'select 1 as one'", "pg")).toBe(" one \n-----\n   1\n(1 row)\n\n[0]");
    expect(outputOf("mysql -uroot -psecret -e 'select 1 as one'", "my")).toBe("one\n1\n[0]");
    expect(outputOf("psql -U nobody -d app -c 'select 1 as one'", "pg")).toContain(
      'FATAL:  role "nobody" does not exist',
    );
  });

  test("finds no server that was started without a password, and that server logs the missing password", () => {
    const view = clusterView(cluster.client);
    const currentRun = runOfStatus(cluster.get(pods, "default", "open"), "c", view, cluster.clock.nowMs(), false);
    expect(currentRun?.run.chunks[0]?.text).toMatch(
      /^Error: Database is uninitialized and superuser password is not specified\.\n/,
    );
    expect(currentRun?.run.end?.exitCode).toBe(1);
  });
});

describe("N3: changes to a database", () => {
  const env = (all: Record<string, string>) => Object.entries(all).map(([name, value]) => ({ name, value }));
  const claimed = (cluster: TestCluster, name: string, path: string, container: object) => {
    cluster.apply(persistentVolumeClaims, {
      metadata: { name, namespace: "default" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: name } }];
    const volumeMounts = [{ name: "data", mountPath: path }];
    const start = () =>
      cluster.apply(pods, {
        metadata: { name, namespace: "default", labels: { app: name } },
        spec: { containers: [{ name: "c", image: "", volumeMounts, ...container }], volumes },
      });
    start();
    const [port] = [name === "my" ? 3306 : 5432];
    cluster.apply(services, {
      metadata: { name, namespace: "default" },
      spec: { selector: { app: name }, ports: [{ port }] },
    });
    return () => {
      cluster.client.delete(pods, "default", name);
      cluster.step(60_000);
      start();
      cluster.step(20_000);
    };
  };
  const job = (cluster: TestCluster, image: string, script: string, data: Record<string, string>) => {
    cluster.apply(configMaps, { metadata: { name: "seed", namespace: "default" }, data });
    const volumes = [{ name: "sql", configMap: { name: "seed" } }];
    const volumeContainer = {
      name: "c",
      image,
      command: ["sh", "-c", script],
      volumeMounts: [{ name: "sql", mountPath: "/sql" }],
    };
    const template = { spec: { restartPolicy: "Never" as const, containers: [volumeContainer], volumes } };
    cluster.apply(jobs, { metadata: { name: "seed", namespace: "default" }, spec: { template } });
    cluster.step(60_000);
    expect(cluster.get(jobs, "default", "seed").status.succeeded).toBe(1);
  };

  test("by a Job with mysql and a file are kept, also in the volume after the pod", async () => {
    const cluster = newCluster({ base: "layered" });
    const again = claimed(cluster, "my", "/var/lib/mysql", {
      image: "mysql:8.4",
      env: env({ MYSQL_ROOT_PASSWORD: "secret", MYSQL_DATABASE: "app" }),
    });
    cluster.step(10_000);
    const sql =
      "create table t (id int auto_increment primary key, name varchar(9));\ninsert into t (name) values ('ann'), ('bob');\ninsert into t (name) values ('eve');\n";
    job(cluster, "mysql:8.4", "mysql -h my -uroot -psecret app < /sql/seed.sql", { "seed.sql": sql });
    const select = "mysql -uroot -psecret app -N -e 'select count(*), max(name) from t' 2>/dev/null";
    expect(await executed(cluster, "my", select)).toBe("3\teve\n");
    again();
    expect(await executed(cluster, "my", select)).toBe("3\teve\n");
  });

  test("by a Job with psql -f are kept, after the Job has waited for the server", async () => {
    const cluster = newCluster({ base: "layered" });
    const again = claimed(cluster, "pg", "/var/lib/postgresql/data", {
      image: "postgres:17",
      env: env({ POSTGRES_PASSWORD: "secret", POSTGRES_DB: "app" }),
    });
    const script =
      "until pg_isready -h pg; do sleep 1; done; PGPASSWORD=secret psql -h pg -U postgres -d app -f /sql/seed.sql";
    job(cluster, "postgres:17", script, {
      "seed.sql": "create table t (id serial primary key, name text);\ninsert into t (name) values ('ann'), ('bob');\n",
    });
    const select = "psql -U postgres -d app -tAc 'select count(*), max(name) from t'";
    expect(await executed(cluster, "pg", select)).toBe("2|bob\n");
    again();
    expect(await executed(cluster, "pg", select)).toBe("2|bob\n");
  });

  test("by a Deployment in its first minutes are kept, without further runs of the program", async () => {
    const cluster = newCluster({ base: "layered" });
    cluster.apply(pods, {
      metadata: { name: "red", namespace: "default", labels: { app: "red" } },
      spec: { containers: [{ name: "c", image: "redis:8" }] },
    });
    cluster.apply(services, {
      metadata: { name: "red", namespace: "default" },
      spec: { selector: { app: "red" }, ports: [{ port: 6379 }] },
    });
    // Stored times are of whole seconds: what it did in the first was before the kubelet saw it start.
    cluster.step(10_700);
    const script = "for i in 1 2 3; do redis-cli -h red incr n; sleep 1; done; sleep infinity";
    cluster.apply(pods, {
      metadata: { name: "worker", namespace: "default" },
      spec: { containers: [{ name: "c", image: "redis:8", command: ["sh", "-c", script] }] },
    });
    cluster.step(60_000);
    expect(await executed(cluster, "red", "redis-cli get n")).toBe("3\n");
    const log = runOfStatus(
      cluster.get(pods, "default", "worker"),
      "c",
      clusterView(cluster.client),
      cluster.clock.nowMs(),
      false,
    );
    expect(log?.run.chunks.map(({ text }) => text).join("")).toBe("1\n2\n3\n");
    cluster.runUntilQuiet();
  });
});
