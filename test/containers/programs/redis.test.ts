// Redis: answers, stored data, replication, and the output of redis-cli.
import { describe, expect, test } from "vitest";
import { redisReplied } from "../../../worker/containers/products/redis/server.ts";
import { formatReply } from "../../../worker/containers/products/redis/reply.ts";
import { persistentVolumeClaims } from "../../../worker/kinds/core/persistent-volume-claim/persistent-volume-claim.ts";
import { pods } from "../../../worker/kinds/core/pod/pod.ts";
import { services } from "../../../worker/kinds/core/service/service.ts";
import { applyEdit, Files } from "../../../worker/containers/shell/files.ts";
import { newCluster, type TestCluster } from "../../cluster.ts";
import { executed } from "../executed.ts";
import { startMs } from "./program-run.ts";

/** A server that gets commands in sequence, one second apart. */
class Server {
  readonly files = new Files();
  #count = 0;
  readonly #settings: Record<string, string>;

  constructor(settings: Record<string, string> = {}) {
    this.#settings = settings;
  }

  says(line: string, { password, id }: { readonly password?: string; readonly id?: string } = {}): string {
    const nowMs = startMs + ++this.#count * 1000;
    const server = { files: this.files, settings: this.#settings, version: "8.4.0", nowMs };
    const words = line.split(" ");
    const { reply, edit } = redisReplied(server, { words, database: 0, password, id: id ?? `id${this.#count}` });
    if (edit) applyEdit(this.files, { atMs: nowMs, ...edit });
    return formatReply(reply, true).trimEnd();
  }
}

const all = (lines: readonly string[], server = new Server()) => lines.map((line) => server.says(line));

describe("a Redis server", () => {
  test.each<readonly [what: string, given: readonly string[], expected: readonly string[]]>([
    [
      "strings",
      ["SET a 1", "GET a", "GET b", "APPEND a 2", "STRLEN a"],
      ["OK", '"1"', "(nil)", "(integer) 2", "(integer) 2"],
    ],
    [
      "unions and ranges of sorted sets",
      [
        "ZADD a 1 x 2 y 3 z",
        "ZADD b 5 y",
        "ZUNIONSTORE c 2 a b",
        "ZRANGE c 0 -1 WITHSCORES",
        "ZINTERSTORE d 2 a b",
        "ZREMRANGEBYSCORE a 2 +inf",
        "ZMSCORE a x q",
        "ZREMRANGEBYRANK c 0 0",
      ],
      [
        "(integer) 3",
        "(integer) 1",
        "(integer) 3",
        '1) "x"\n2) "1"\n3) "z"\n4) "3"\n5) "y"\n6) "7"',
        "(integer) 1",
        "(integer) 2",
        '1) "1"\n2) (nil)',
        "(integer) 1",
      ],
    ],
    [
      "commands that are not simulated",
      ["EVAL x 0", "WATCH a", "ACL WHOAMI"],
      [
        "(error) ERR Lua scripts are not simulated in this sandbox",
        "(error) ERR WATCH is not simulated in this sandbox",
        '"default"',
      ],
    ],
    [
      "numbers",
      ["INCR n", "INCRBY n 41", "DECR n", "INCRBYFLOAT n 0.5", "INCR n", "SET a x", "INCR a"],
      [
        "(integer) 1",
        "(integer) 42",
        "(integer) 41",
        '"41.5"',
        "(error) ERR value is not an integer or out of range",
        "OK",
        "(error) ERR value is not an integer or out of range",
      ],
    ],
    [
      "conditional writes of strings",
      ["SET a 1 NX", "SET a 2 NX", "SET a 3 XX GET", "GET a", "SETNX a 4", "SET a"],
      ["OK", "(nil)", '"1"', '"3"', "(integer) 0", "(error) ERR wrong number of arguments for 'set' command"],
    ],
    [
      "keys with an expiry",
      ["SET a 1 EX 3", "TTL a", "PTTL a", "GET a", "TTL a", "SET b 1", "EXPIRE b 100", "TTL b", "PERSIST b", "TTL b"],
      [
        "OK",
        "(integer) 2",
        "(integer) 1000",
        "(nil)",
        "(integer) -2",
        "OK",
        "(integer) 1",
        "(integer) 99",
        "(integer) 1",
        "(integer) -1",
      ],
    ],
    [
      "lists",
      [
        "RPUSH l a b c",
        "LPUSH l z",
        "LRANGE l 0 -1",
        "LPOP l",
        "RPOP l 2",
        "LLEN l",
        "LINDEX l 0",
        "LSET l 5 x",
        "GET l",
      ],
      [
        "(integer) 3",
        "(integer) 4",
        '1) "z"\n2) "a"\n3) "b"\n4) "c"',
        '"z"',
        '1) "c"\n2) "b"',
        "(integer) 1",
        '"a"',
        "(error) ERR index out of range",
        "(error) WRONGTYPE Operation against a key holding the wrong kind of value",
      ],
    ],
    [
      "hashes",
      [
        "HSET h name ann age 30",
        "HGET h name",
        "HGETALL h",
        "HINCRBY h age 1",
        "HDEL h name",
        "HLEN h",
        "HGET h nope",
        "TYPE h",
      ],
      [
        "(integer) 2",
        '"ann"',
        '1) "name"\n2) "ann"\n3) "age"\n4) "30"',
        "(integer) 31",
        "(integer) 1",
        "(integer) 1",
        "(nil)",
        "hash",
      ],
    ],
    [
      "sets",
      [
        "SADD s a b",
        "SADD s b c",
        "SCARD s",
        "SISMEMBER s c",
        "SADD t b d",
        "SINTER s t",
        "SDIFF s t",
        "SREM s a b c",
        "EXISTS s",
      ],
      [
        "(integer) 2",
        "(integer) 1",
        "(integer) 3",
        "(integer) 1",
        "(integer) 2",
        '1) "b"',
        '1) "a"\n2) "c"',
        "(integer) 3",
        "(integer) 0",
      ],
    ],
    [
      "sorted sets",
      [
        "ZADD z 2 bob 1 ann",
        "ZINCRBY z 5 ann",
        "ZRANGE z 0 -1 WITHSCORES",
        "ZREVRANGE z 0 0",
        "ZRANK z ann",
        "ZRANGEBYSCORE z (2 +inf",
        "ZADD z x y",
      ],
      [
        "(integer) 2",
        '"6"',
        '1) "bob"\n2) "2"\n3) "ann"\n4) "6"',
        '1) "ann"',
        "(integer) 1",
        '1) "ann"',
        "(error) ERR value is not a valid float",
      ],
    ],
    [
      "names",
      [
        "MSET user:1 a user:2 b other c",
        "KEYS user:*",
        "DEL user:1 nope",
        "DBSIZE",
        "RENAME other x",
        "RENAME other y",
        "FLUSHALL",
        "DBSIZE",
      ],
      [
        "OK",
        '1) "user:1"\n2) "user:2"',
        "(integer) 1",
        "(integer) 2",
        "OK",
        "(error) ERR no such key",
        "OK",
        "(integer) 0",
      ],
    ],
    [
      "server information",
      [
        "PING",
        "PING hi",
        "CONFIG GET maxmemory*",
        "CONFIG SET maxmemory 1mb",
        "CONFIG GET maxmemory",
        "CONFIG SET nope 1",
        "NOPE a",
        "INFO replication",
      ],
      [
        "PONG",
        '"hi"',
        '1) "maxmemory"\n2) "0"\n3) "maxmemory-policy"\n4) "noeviction"',
        "OK",
        '1) "maxmemory"\n2) "1048576"',
        "(error) ERR Unknown option or number of arguments for CONFIG SET - 'nope'",
        "(error) ERR unknown command 'NOPE', with args beginning with: 'a'",
        "# Replication\r\nrole:master\r\nconnected_slaves:0\r\nmaster_failover_state:no-failover",
      ],
    ],
  ])("answers %s", (_, commandLines, expected) => {
    expect(all(commandLines)).toEqual(expected);
  });

  test("requires its password", () => {
    const server = new Server({ requirepass: "secret" });
    expect(server.says("GET a")).toBe("(error) NOAUTH Authentication required.");
    expect(server.says("AUTH wrong")).toBe("(error) WRONGPASS invalid username-password pair or user is disabled.");
    expect(server.says("AUTH secret")).toBe("OK");
    expect(server.says("GET a", { password: "secret" })).toBe("(nil)");
    expect(new Server().says("AUTH x")).toContain("ERR AUTH <password> called without any password configured");
  });

  test("N3: counts a recomputed command once, and rewrites its file before it is too long", () => {
    const server = new Server();
    for (let at = 0; at < 600; at++) server.says("INCR n", { id: `id${Math.floor(at / 2)}x` });
    expect(server.says("GET n")).toBe('"300"');
    for (let at = 0; at < 1200; at++) server.says("INCR n", { id: `more${at}` });
    expect(server.says("GET n")).toBe('"1500"');
    expect(server.files.bytes).toBeLessThan(400_000);
  });

  test("N3: refuses writes past its memory bound, and frees memory by deletes", () => {
    const server = new Server();
    for (const key of ["a", "b", "c"]) server.says(`SET ${key} ${"x".repeat(100_000)}`);
    expect(server.says("SET d 1")).toBe("(error) OOM command not allowed when used memory > 'maxmemory'.");
    expect(server.says("DEL a b")).toBe("(integer) 2");
    expect(server.says("SET d 1")).toBe("OK");
    expect(server.says("STRLEN c")).toBe("(integer) 100000");
  });

  test("skips lines of its file that another program wrote", () => {
    const server = new Server();
    server.says("SET a 1");
    applyEdit(server.files, { atMs: startMs, path: "/data/dump.rdb", text: "nonsense\n{}\n[1]\n", appends: true });
    expect(server.says("GET a")).toBe('"1"');
  });
});

describe("Redis servers in pods", () => {
  const createPod = (
    cluster: TestCluster,
    name: string,
    args: readonly string[],
    more: object = {},
    spec: object = {},
  ) => {
    const containers = [{ name: "c", image: "redis:8", ...(args.length > 0 ? { args } : {}), ...more }];
    cluster.apply(pods, {
      metadata: { name, namespace: "default", labels: { app: name } },
      spec: { containers, ...spec },
    });
  };
  const createService = (cluster: TestCluster, name: string) =>
    cluster.apply(services, {
      metadata: { name, namespace: "default" },
      spec: { selector: { app: name }, ports: [{ port: 6379 }] },
    });
  const runScript = (cluster: TestCluster, script: string, name: string) => executed(cluster, name, script);

  test("a replica reads its primary's data, refuses writes, and reports when the primary is gone", async () => {
    const cluster = newCluster({ base: "layered" });
    createPod(cluster, "leader", []);
    createService(cluster, "leader");
    cluster.step(5000);
    createPod(cluster, "follower", ["--replicaof", "leader", "6379"]);
    createService(cluster, "follower");
    cluster.step(5000);
    expect(await runScript(cluster, "redis-cli -h leader set a 1; redis-cli -h follower get a", "leader")).toBe(
      "OK\n1\n",
    );
    expect(await runScript(cluster, "redis-cli -h follower set a 2", "leader")).toBe(
      "READONLY You can't write against a read only replica.\n\n",
    );
    expect(await runScript(cluster, "redis-cli info replication | grep -E 'role|link'", "follower")).toBe(
      "role:slave\r\nmaster_link_status:up\r\n",
    );
    cluster.client.delete(pods, "default", "leader");
    cluster.step(60_000);
    expect(await runScript(cluster, "redis-cli get a; redis-cli role | head -4 | tail -1", "follower")).toBe(
      "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.\n\nconnect\n",
    );
  });

  test("keys survive in a volume, and are lost without one", async () => {
    const cluster = newCluster({ base: "layered" });
    const claim = { name: "data", persistentVolumeClaim: { claimName: "data" } };
    cluster.apply(persistentVolumeClaims, {
      metadata: { name: "data", namespace: "default" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
    const volumeMounts = [{ name: "data", mountPath: "/data" }];
    const again = async (args: readonly string[], script: string) => {
      createPod(cluster, "a", args, { volumeMounts }, { volumes: [claim] });
      cluster.step(10_000);
      const text = await runScript(cluster, script, "a");
      cluster.client.delete(pods, "default", "a");
      cluster.step(60_000);
      return text;
    };
    expect(await again(["--appendonly", "yes"], "redis-cli rpush l a b; ls /data")).toBe("2\nappendonlydir\n");
    expect(await again(["--appendonly", "yes"], "redis-cli lrange l 0 -1")).toBe("a\nb\n");
    expect(await again(["--save", "", "--dir", "/data"], "redis-cli set x 1; redis-cli get x")).toBe("OK\n1\n");
    expect(await again(["--save", "", "--dir", "/data"], "redis-cli get x")).toBe("\n");
  });

  test("redis-cli takes options, standard input and transactions", async () => {
    const cluster = newCluster({ base: "layered" });
    createPod(cluster, "a", []);
    cluster.step(5000);
    expect(await runScript(cluster, "printf 'multi\\nset a 1\\nincr a\\nexec\\n' | redis-cli", "a")).toBe(
      "OK\nQUEUED\nQUEUED\nOK\n2\n",
    );
    expect(
      await runScript(
        cluster,
        "redis-cli -n 1 set b 1; redis-cli get b; redis-cli -n 1 get b; redis-cli info keyspace | grep db",
        "a",
      ),
    ).toBe("OK\n\n1\ndb0:keys=1,expires=0,avg_ttl=0\r\ndb1:keys=1,expires=0,avg_ttl=0\r\n");
    expect(
      await runScript(
        cluster,
        "redis-cli --no-raw get a; redis-cli -r 2 incr a; printf text | redis-cli -x set c; redis-cli --scan",
        "a",
      ),
    ).toBe('"2"\n3\n4\nOK\na\nc\n');
    expect(
      await runScript(cluster, "redis-cli -e nope; redis-cli -h nowhere ping; redis-cli -p 1 ping", "a"),
    ).toContain(
      "Could not connect to Redis at nowhere:6379: Name or service not known\nCould not connect to Redis at 127.0.0.1:1: Connection refused\n[1]",
    );
    expect(
      await runScript(
        cluster,
        "(redis-cli subscribe news) & sleep 2; redis-cli publish news hello; redis-cli publish other x; sleep 3",
        "a",
      ),
    ).toMatch(/^subscribe\nnews\n1\n1\n0\n(message\nnews\nhello\n)?/);
  });
});
