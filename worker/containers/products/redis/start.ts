// Starts redis-server: reads its settings and prints its messages.
import type { Task } from "../../../../shared/shell/task.ts";
import { absolute } from "../../shell/files.ts";
import { serve } from "../../shell/outside-input.ts";
import { edit } from "../../shell/process.ts";
import type { ProgramCall } from "../../shell/program.ts";
import { kernelMs, open } from "../../shell/programs/connection.ts";
import { begin } from "../../shell/listen.ts";
import { ListeningRedis } from "./answer.ts";
import { RedisConfig, type RedisSettings, settingsOf } from "./config.ts";
import { redisVersion } from "./versions.ts";

/** Returns the settings from variables, which Bitnami's image reads. */
function variableSettings({ shell: { variables } }: ProgramCall): RedisSettings {
  const settings: Record<string, string> = {};
  const password = variables.get("REDIS_PASSWORD");
  if (password) settings["requirepass"] = password;
  if (variables.get("REDIS_REPLICATION_MODE") === "slave" || variables.get("REDIS_REPLICATION_MODE") === "replica") {
    settings["replicaof"] =
      `${variables.get("REDIS_MASTER_HOST") ?? ""} ${variables.get("REDIS_MASTER_PORT_NUMBER") ?? "6379"}`;
    settings["masterauth"] = variables.get("REDIS_MASTER_PASSWORD") ?? "";
  }
  return settings;
}

export function* redisServerProgram(call: ProgramCall): Task<number> {
  const { process, args, out, err, shell } = call;
  const version = redisVersion(process.self.image);
  if (args[0] === "--version" || args[0] === "-v") {
    out(`Redis server v=${version} sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=1234567890abcdef\n`);
    return 0;
  }
  const isBitnami = /bitnami/.test(process.self.image);
  const parsedSettings = settingsOf(args, (path) => process.files.get(absolute(path, shell.folder))?.text);
  const stamp = (role: "C" | "M" | "S", sign: string) => {
    const text = new Date(process.clockMs).toUTCString();
    const ms = String(process.clockMs % 1000).padStart(3, "0");
    return `1:${role} ${text.slice(5, 16)} ${text.slice(17, 25)}.${ms} ${sign} `;
  };
  if ("missing" in parsedSettings) {
    err(
      `${stamp("C", "#")}Fatal error, can't open config file '${absolute(parsedSettings.missing, shell.folder)}': No such file or directory\n`,
    );
    return 1;
  }
  const settings = { ...(isBitnami ? variableSettings(call) : {}), ...parsedSettings.settings };
  const config = new RedisConfig(settings);
  out(
    `${stamp("C", "*")}oO0OoO0OoO0Oo Redis is starting oO0OoO0OoO0Oo\n${stamp("C", "*")}Redis version=${version}, bits=64, commit=00000000, modified=0, pid=1, just started\n`,
  );
  out(
    args.length === 0
      ? `${stamp("C", "#")}Warning: no config file specified, using the default config. In order to specify a config file use redis-server /path/to/redis.conf\n`
      : `${stamp("C", "*")}Configuration loaded\n`,
  );
  const role = config.primary ? "S" : "M";
  const { path } = config;
  const isThere = process.files.get(path)?.text !== undefined;
  if (!isThere && config.get("appendonly") === "yes") edit(process, { path, text: "" });
  if (isThere && !config.persists) edit(process, { path, text: undefined, removed: true });
  out(
    `${stamp(role, "*")}monotonic clock: POSIX clock_gettime\n${stamp(role, "*")}Running mode=standalone, port=${config.get("port")}.\n${stamp(role, "*")}Server initialized\n`,
  );
  if (isThere && config.persists)
    out(
      `${stamp(role, "*")}DB loaded from ${config.get("appendonly") === "yes" ? "append only file" : "disk"}: 0.000 seconds\n`,
    );
  begin(call, new ListeningRedis(settings), [Number(config.get("port"))]);
  process.heedsTerm = shell.takesProcess;
  out(`${stamp(role, "*")}Ready to accept connections tcp\n`);
  if (config.get("daemonize") === "yes") return 0;
  if (config.primary) yield* connect(call, config, (sign) => stamp("S", sign));
  return yield* serve(process);
}

/** Connects a replica to its primary at the start, and prints the result. */
function* connect({ process, out }: ProgramCall, config: RedisConfig, stamp: (sign: string) => string): Task<void> {
  const { host = "", port = 0 } = config.primary ?? {};
  out(`${stamp("*")}Connecting to MASTER ${host}:${port}\n`);
  out(`${stamp("*")}MASTER <-> REPLICA sync started\n`);
  const masterAuth = config.get("masterauth");
  const headers = masterAuth === "" ? [] : [["auth", masterAuth] as const];
  const command = ["PING"];
  const request = { method: "RESP", path: "/", headers, body: "", command };
  const { reached } = yield* open(process, { host, port, request, limitMs: kernelMs });
  if (process.paused) return;
  const { kind, answer } = reached;
  if (kind === "unresolved") out(`${stamp("#")}Unable to connect to MASTER: Name or service not known\n`);
  else if (kind !== "answered" && kind !== "open")
    out(`${stamp("#")}Error condition on socket for SYNC: Connection refused\n`);
  else if (answer?.body.startsWith("-")) out(`${stamp("#")}Unable to AUTH to MASTER: ${answer.body.trimEnd()}\n`);
  else {
    out(
      `${stamp("*")}Non blocking connect for SYNC fired the event.\n${stamp("*")}Master replied to PING, replication can continue...\n`,
    );
    out(`${stamp("*")}MASTER <-> REPLICA sync: Finished with success\n`);
  }
}
