// Database sessions through clients in a cluster: transactions, privileges, lists, dumps and scripts.
import { beforeAll, describe, expect, test } from "vitest";
import { configMaps } from "../../../worker/kinds/core/config-map.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { newCluster, type TestCluster } from "../../cluster.ts";
import { executed } from "../executed.ts";

let cluster: TestCluster;

const env = (all: Record<string, string>) => Object.entries(all).map(([name, value]) => ({ name, value }));

function createServer(
  name: string,
  image: string,
  port: number,
  variables: Record<string, string>,
  scripts = {},
): void {
  cluster.apply(configMaps, { metadata: { name, namespace: "default" }, data: scripts });
  const volumeMounts = [{ name: "scripts", mountPath: "/docker-entrypoint-initdb.d" }];
  cluster.apply(pods, {
    metadata: { name, namespace: "default", labels: { app: name } },
    spec: {
      containers: [{ name: "c", image, env: env(variables), volumeMounts }],
      volumes: [{ name: "scripts", configMap: { name } }],
    },
  });
  const spec = { selector: { app: name }, ports: [{ port }] };
  cluster.apply(services, { metadata: { name, namespace: "default" }, spec });
}

const postgresScripts = {
  "1-schema.sql":
    "create table notes (id serial primary key, text text not null);\ncreate table lines (id serial primary key, note int references notes(id), n int check (n > 0));\n",
  "2-user.sh":
    'set -e\npsql -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<-EOSQL\n\tCREATE USER web PASSWORD \'w\';\n\tCREATE DATABASE other;\nEOSQL\n',
  "3-ignored.txt": "nothing",
};

beforeAll(() => {
  cluster = newCluster({ base: "layered" });
  createServer("pg", "postgres:17", 5432, { POSTGRES_PASSWORD: "secret", POSTGRES_DB: "app" }, postgresScripts);
  createServer("broken", "postgres:17", 5432, { POSTGRES_PASSWORD: "secret" }, { "1.sql": "selec 1;" });
  const named = { MYSQL_DATABASE: "app", MYSQL_USER: "web", MYSQL_PASSWORD: "w" };
  createServer(
    "my",
    "mysql:8.4",
    3306,
    { MYSQL_ROOT_PASSWORD: "secret", ...named },
    {
      "1.sql":
        "create table notes (id int auto_increment primary key, text varchar(20) not null, unique key t (text));",
    },
  );
  cluster.step(20_000);
});

const pg = (script: string) => executed(cluster, "pg", `exec 2>&1\n${script}`);
const my = (script: string) => executed(cluster, "my", `exec 2>&1\nexport MYSQL_PWD=secret\n${script}`);
const asWeb = "PGPASSWORD=w psql -h pg -U web app";

describe("N22: transactions", () => {
  test.each([
    [
      "rolled back",
      "begin; insert into notes (text) values ('a'); select count(*) from notes; rollback; select count(*) from notes;",
      "BEGIN\nINSERT 0 1\n1\nROLLBACK\n0\n",
    ],
    ["a transaction that is left open", "begin; insert into notes (text) values ('a');", "BEGIN\nINSERT 0 1\n"],
    ["the state after an open transaction", "select count(*) from notes;", "0\n"],
    [
      "a rollback to a savepoint",
      "begin; insert into notes (id, text) values (7, 'a'); savepoint one; insert into notes (text) values ('b'); rollback to one; commit; select id, text from notes; delete from notes;",
      "BEGIN\nINSERT 0 1\nSAVEPOINT\nINSERT 0 1\nROLLBACK\nCOMMIT\n7|a\nDELETE 1\n",
    ],
    [
      "failed",
      "begin; insert into notes (text) values (null); select 1; commit; select count(*) from notes;",
      'BEGIN\nERROR:  null value in column "text" of relation "notes" violates not-null constraint\nERROR:  current transaction is aborted, commands ignored until end of transaction block\nROLLBACK\n0\n',
    ],
    [
      "statements without a transaction",
      "commit; rollback to x; begin; begin; rollback to x; rollback;",
      'WARNING:  there is no transaction in progress\nCOMMIT\nERROR:  ROLLBACK TO SAVEPOINT can only be used in transaction blocks\nBEGIN\nWARNING:  there is already a transaction in progress\nBEGIN\nERROR:  savepoint "x" does not exist\nROLLBACK\n',
    ],
    [
      "a transaction that locks a database",
      "begin; create database d; rollback;",
      "BEGIN\nERROR:  CREATE DATABASE cannot run inside a transaction block\nROLLBACK\n",
    ],
  ])("PostgreSQL: %s", async (_, sql, expected) => {
    expect(await pg(`psql -U postgres app -tA <<'EOF'\n${sql}\nEOF`)).toBe(expected);
  });

  test("psql runs one -c, and all of -1, as one transaction", async () => {
    const insert = "insert into notes (text) values ('a')";
    const count = "psql -U postgres app -tAc 'select count(*) from notes'";
    expect(await pg(`psql -q -U postgres app -c "${insert}; selec 1"; ${count}`)).toMatch(/syntax error[^]*\n0\n$/);
    expect(await pg(`psql -q -1 -U postgres app -c "${insert}" -c "selec 1"; ${count}`)).toMatch(
      /syntax error[^]*\n0\n$/,
    );
  });

  test.each([
    [
      "rolled back",
      "start transaction; insert into notes (text) values ('a'); rollback; select count(*) from notes;",
      "0\n",
    ],
    [
      "without autocommit",
      "set autocommit=0; insert into notes (text) values ('a'); rollback; select count(*) from notes;",
      "0\n",
    ],
    [
      "committed by a definition",
      "begin; insert into notes (text) values ('b'); create table d (a int); rollback; select text from notes; delete from notes; drop table d;",
      "b\n",
    ],
    [
      "failed in part",
      "begin; insert into notes (id, text) values (9, 'c'); insert into notes (text) values ('c'); commit;",
      "ERROR 1062 (23000) at line 1: Duplicate entry 'c' for key 'notes.text'\n",
    ],
  ])("MySQL: %s", async (_, sql, expected) => {
    expect(await my(`mysql -uroot -N app <<'EOF'\n${sql}\nEOF`)).toBe(
      expected.replace(/\n$/, expected.startsWith("ERROR") ? "\n[1]" : "\n"),
    );
  });
});

describe("N22: privileges", () => {
  test("PostgreSQL accepts grants to existing roles, and lets its users do everything", async () => {
    const root = "psql -q -U postgres app";
    expect(await pg(`${root} -c 'create role readers' -c 'grant select on notes to readers'`)).toBe("");
    expect(await pg(`${asWeb} -tAc 'select count(*) from notes'`)).toBe("0\n");
    expect(await pg("PGPASSWORD=x psql -h pg -U readers app -c 'select 1'")).toContain(
      'role "readers" is not permitted to log in',
    );
    expect(await pg(`${root} -c 'revoke select on notes from nobody'`)).toBe(
      'ERROR:  role "nobody" does not exist\n[1]',
    );
  });

  test("MySQL accepts grants to existing users, and lets its users do everything", async () => {
    await my(
      "mysql -uroot -e \"create user ann identified by 'a'; create database more; create table more.t (a int)\"",
    );
    await my("mysql -uroot -e \"grant select on more.t to 'ann'@'%'; flush privileges\"");
    expect(await my("MYSQL_PWD=a mysql -uann more -N -e 'select count(*) from t'")).toBe("0\n");
    expect(await my("mysql -uroot -e \"grant all on more.* to 'bob'@'%'\"")).toContain(
      "You are not allowed to create a user with GRANT",
    );
  });
});

describe("N22: initialization scripts of an image", () => {
  test("psql and a shell run the scripts in the order of their names", async () => {
    expect(await pg("psql -U postgres -tA -c 'select datname from pg_database order by 1'")).toBe(
      "app\nother\npostgres\ntemplate0\ntemplate1\n",
    );
    expect(await pg("psql -U postgres app -tA -c 'select rolname, rolcanlogin from pg_roles order by 1'")).toMatch(
      /^postgres\|t\n(readers\|f\n)?web\|t\n$/,
    );
  });

  test("the container exits with the code of the script that fails", () => {
    cluster.step(1000);
    const state = cluster.get(pods, "default", "broken").status.containerStatuses?.[0];
    expect((state?.lastState?.terminated ?? state?.state?.terminated)?.exitCode).toBe(3);
  });
});

describe("N22: psql", () => {
  test.each([
    [
      "\\dt",
      " Schema | Name  | Type  |  Owner   \n--------+-------+-------+----------\n public | lines | table | postgres\n public | notes | table | postgres\n",
    ],
    ["\\dt nope", 'Did not find any tables named "nope".\n'],
    [
      "\\d lines",
      '                           Table "public.lines"\n Column |  Type   | Collation | Nullable |              Default              \n--------+---------+-----------+----------+-----------------------------------\n id     | integer |           | not null | nextval(\'lines_id_seq\'::regclass)\n note   | integer |           |          | \n n      | integer |           |          | \nIndexes:\n    "lines_pkey" PRIMARY KEY, btree (id)\nForeign-key constraints:\n    "lines_note_fkey" FOREIGN KEY (note) REFERENCES notes(id)\n',
    ],
    ["\\du", "Superuser, Create role, Create DB, Replication, Bypass RLS"],
    ["\\x\nselect 1 as a, 'b' as long_name;", "Expanded display is on.\n-[ RECORD 1 ]\na         | 1\nlong_name | b\n"],
    ["\\timing\nselect 1;", "Time: "],
    [
      "select table_name, column_name, data_type from information_schema.columns where table_schema = 'public' and table_name = 'lines' order by ordinal_position;",
      " lines      | n           | integer\n",
    ],
    ["select tablename from pg_catalog.pg_tables where schemaname = 'public' order by 1;", " lines\n notes\n"],
    ["explain select * from notes;", "EXPLAIN is not simulated in this sandbox"],
    [
      "insert into lines (note, n) values (99, 1);",
      'ERROR:  insert or update on table "lines" violates foreign key constraint "lines_note_fkey"\nDETAIL:  Key (note) is not present in table "notes".\n',
    ],
    [
      "insert into lines (n) values (-1);",
      'ERROR:  new row for relation "lines" violates check constraint "lines_n_check"\n',
    ],
  ])("lists %s", async (words, expected) => {
    expect(await pg(`psql -U postgres app <<'EOF'\n${words}\nEOF`)).toContain(expected);
  });

  test("copies rows from a file and into a file", async () => {
    const script = `printf 'text\\n"a,b"\\nc\\n' > /tmp/in.csv
psql -U postgres app -c "\\copy notes (text) from '/tmp/in.csv' csv header" -c "\\copy notes (text) to '/tmp/out.csv' csv header" -c "copy notes (text) to stdout"
cat /tmp/out.csv
psql -q -U postgres app -c "delete from notes"`;
    expect(await pg(script)).toBe('COPY 2\nCOPY 2\na,b\nc\ntext\n"a,b"\nc\n');
  });
});

describe("N22: dumps", () => {
  test("pg_dump's output is restored by psql and pg_restore", async () => {
    const fill = "psql -q -U postgres app -c \"insert into notes (text) values ('it''s'), (E'tab')\"";
    const read = (database: string) =>
      `psql -U postgres ${database} -tA -c 'select id, text from notes order by id' -c "insert into notes (text) values ('next')" -c 'select count(*) from notes'`;
    const dumped = await pg(
      `${fill}; createdb -U postgres copy1; pg_dump -U postgres app > /tmp/a.sql; psql -q -U postgres -d copy1 -f /tmp/a.sql > /dev/null; ${read("copy1")}`,
    );
    expect(dumped).toMatch(/^\d+\|it's\n\d+\|tab\nINSERT 0 1\n3\n$/);
    const restored = await pg(
      `createdb -U postgres copy2; pg_dump -U postgres -Fc app -f /tmp/a.dump; pg_restore -U postgres -d copy2 /tmp/a.dump; ${read("copy2")}`,
    );
    expect(restored).toMatch(/^\d+\|it's\n\d+\|tab\nINSERT 0 1\n3\n$/);
    expect(await pg("pg_restore -U postgres -d copy2 /tmp/a.sql")).toBe(
      "pg_restore: error: input file appears to be a text format dump. Please use psql.\n[1]",
    );
    expect(await pg("pg_dump -h pg -U nobody app")).toMatch(
      /^pg_dump: error: connection to server at "pg" \([\d.]+\), port 5432 failed: FATAL: {2}role "nobody" does not exist\n\[1\]$/,
    );
  });

  test("mysqldump's output is restored by mysql", async () => {
    await my("mysql -uroot app -e \"insert into notes (text) values ('it\\'s'), ('two')\"");
    const done = await my(
      "mysqldump -uroot --databases app > /tmp/a.sql; mysql -uroot -e 'drop database app'; mysql -uroot < /tmp/a.sql; mysql -uroot app -N -e 'select text from notes order by id; describe notes'",
    );
    expect(done).toBe("it's\ntwo\nid\tint\tNO\tPRI\tNULL\tauto_increment\ntext\tvarchar(20)\tNO\t\tNULL\t\n");
    expect(await my("mysqldump -uroot nope")).toContain(
      "mysqldump: Got error: 1049: Unknown database 'nope' when selecting the database\n",
    );
    expect(await my("mysql -uroot app -N -e \"insert into notes (text) values ('two')\"")).toContain(
      "Duplicate entry 'two'",
    );
  });
});
