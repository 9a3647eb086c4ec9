// Commands about the server itself: connections, settings, and information.
import { globMatches, globOf } from "../../../../shared/shell/patterns/glob.ts";
import { type Command, type Commands, fail, integer, ok, pairsOf, type Session, syntaxError } from "./command.ts";
import type { Reply } from "../../databases/resp.ts";

const says = (reply: Reply): Command => ({ takes: "any", run: () => reply });

function info({ config, version, keys, nowMs, isLinked }: Session, requestedSections: readonly string[]): string {
  const { primary } = config;
  const replication = primary
    ? [
        "role:slave",
        `master_host:${primary.host}`,
        `master_port:${primary.port}`,
        `master_link_status:${isLinked() ? "up" : "down"}`,
        "slave_read_only:1",
        "connected_slaves:0",
      ]
    : ["role:master", "connected_slaves:0", "master_failover_state:no-failover"];
  const sections: Readonly<Record<string, readonly string[]>> = {
    Server: [
      `redis_version:${version}`,
      "redis_mode:standalone",
      "os:Linux 6.12.0 x86_64",
      "arch_bits:64",
      "process_id:1",
      `tcp_port:${config.get("port")}`,
      `server_time_usec:${nowMs * 1000}`,
    ],
    Clients: ["connected_clients:1", `maxclients:${config.get("maxclients")}`, "blocked_clients:0"],
    Memory: [
      "used_memory:1048576",
      "used_memory_human:1.00M",
      `maxmemory:${config.displayed("maxmemory")}`,
      `maxmemory_policy:${config.get("maxmemory-policy")}`,
    ],
    Persistence: ["loading:0", "rdb_bgsave_in_progress:0", `aof_enabled:${config.get("appendonly") === "yes" ? 1 : 0}`],
    Stats: ["total_connections_received:1", "expired_keys:0", "evicted_keys:0"],
    Replication: replication,
    Keyspace: keys.sizes().map(([database, all, expires]) => `db${database}:keys=${all},expires=${expires},avg_ttl=0`),
  };
  const names = requestedSections.map((section) => section.toLowerCase());
  const isAll = names.length === 0 || names.some((name) => /^(all|default|everything)$/.test(name));
  return Object.entries(sections)
    .filter(([name]) => isAll || names.includes(name.toLowerCase()))
    .map(([name, lines]) => `# ${name}\r\n${lines.map((line) => `${line}\r\n`).join("")}`)
    .join("\r\n");
}

function configure([verb = "", ...args]: readonly string[], session: Session): Reply {
  const { config } = session;
  switch (verb.toUpperCase()) {
    case "GET": {
      session.note();
      const globs = args.map((pattern) => globOf(pattern.toLowerCase()));
      const names = config.names().filter((name) => globs.some((glob) => globMatches(glob, name, () => true)));
      return names.flatMap((name) => [name, config.displayed(name)]);
    }
    case "SET":
      for (const [name, value] of pairsOf(args)) {
        if (!config.has(name.toLowerCase()))
          fail(`ERR Unknown option or number of arguments for CONFIG SET - '${name}'`);
        config.set(name.toLowerCase(), value);
      }
      return ok;
    case "RESETSTAT":
    case "REWRITE":
      session.note();
      return verb.toUpperCase() === "REWRITE" ? { error: "ERR The server is running without a config file" } : ok;
    default:
      return fail(`ERR unknown subcommand '${verb}'. Try CONFIG HELP.`);
  }
}

function client([verb = ""]: readonly string[]): Reply {
  const replies: Readonly<Record<string, Reply>> = {
    ID: 3,
    GETNAME: undefined,
    SETNAME: ok,
    SETINFO: ok,
    INFO: "id=3 addr=127.0.0.1:40000 laddr=127.0.0.1:6379 fd=8 name= db=0 cmd=client|info user=default",
    LIST: "id=3 addr=127.0.0.1:40000 laddr=127.0.0.1:6379 fd=8 name= db=0 cmd=client|list user=default\n",
  };
  const name = verb.toUpperCase();
  return Object.hasOwn(replies, name) ? replies[name] : fail(`ERR unknown subcommand '${verb}'. Try CLIENT HELP.`);
}

const notSimulated = (what: string): Reply => ({ error: `ERR ${what} not simulated in this sandbox` });

/** Answers ACL. There is only one user. */
function acl([verb = ""]: readonly string[], { config }: Session): Reply {
  const name = verb.toUpperCase();
  if (name === "WHOAMI") return "default";
  if (name === "USERS") return ["default"];
  if (name === "LIST")
    return [`user default on ${config.password === undefined ? "nopass" : "sanitize-payload"} ~* &* +@all`];
  return fail(`ERR unknown subcommand '${verb}'. Try ACL HELP.`);
}

export const administrationCommands: Commands = {
  PING: { takes: "any", run: ([text]) => text ?? { status: "PONG" } },
  ECHO: { takes: 1, run: ([text]) => text },
  QUIT: says(ok),
  SELECT: {
    takes: 1,
    run: ([text], { config }) => {
      const database = integer(text);
      return database >= 0 && database < Number(config.get("databases")) ? ok : fail("ERR DB index is out of range");
    },
  },
  HELLO: {
    takes: "any",
    run: ([protocol], { version }) => {
      if (protocol !== undefined && protocol !== "2") fail("NOPROTO unsupported protocol version");
      return [
        "server",
        "redis",
        "version",
        version,
        "proto",
        2,
        "id",
        3,
        "mode",
        "standalone",
        "role",
        "master",
        "modules",
        [],
      ];
    },
  },
  CLIENT: { takes: -1, run: client },
  COMMAND: { takes: "any", run: ([verb]) => (verb?.toUpperCase() === "COUNT" ? 240 : []) },
  INFO: { takes: "any", run: (args, session) => info(session, args) },
  CONFIG: { takes: -1, writes: true, run: configure },
  ROLE: {
    takes: 0,
    run: (_, { config, isLinked }) =>
      config.primary
        ? ["slave", config.primary.host, config.primary.port, isLinked() ? "connected" : "connect", 14]
        : ["master", 14, []],
  },
  SAVE: says(ok),
  BGSAVE: says({ status: "Background saving started" }),
  BGREWRITEAOF: says({ status: "Background append only file rewriting started" }),
  LASTSAVE: { takes: 0, run: (_, { nowMs }) => Math.floor(nowMs / 1000) },
  TIME: { takes: 0, run: (_, { nowMs }) => [String(Math.floor(nowMs / 1000)), String((nowMs % 1000) * 1000)] },
  PUBLISH: { takes: 2, writes: true, run: ([channel = ""], session) => session.subscribers(channel) },
  MEMORY: {
    takes: -1,
    run: ([verb = "", key = ""], { keys }) => {
      if (verb.toUpperCase() !== "USAGE") fail(syntaxError);
      return keys.get(key) ? 56 + key.length : undefined;
    },
  },
  EVAL: says(notSimulated("Lua scripts are")),
  EVALSHA: says(notSimulated("Lua scripts are")),
  SCRIPT: says(notSimulated("Lua scripts are")),
  FCALL: says(notSimulated("functions are")),
  REPLICAOF: says(notSimulated("a change of the primary is")),
  SLAVEOF: says(notSimulated("a change of the primary is")),
  WATCH: says(notSimulated("WATCH is")),
  UNWATCH: says(ok),
  ACL: { takes: -1, run: acl },
  SLOWLOG: says([]),
  LATENCY: says([]),
  MODULE: says([]),
  CLUSTER: says({ error: "ERR This instance has cluster support disabled" }),
};
