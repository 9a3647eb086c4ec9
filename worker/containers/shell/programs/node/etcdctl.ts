// etcdctl and etcdutl on the node of the control plane. A snapshot names a moment of the cluster's history; a folder that is restored from it
// takes effect when etcd starts with the folder.
import { stableHex } from "../../../../../shared/base/stable.ts";
import { charge } from "../../../../../shared/shell/meter.ts";
import { finished, type Task } from "../../../../../shared/shell/task.ts";
import { configMaps } from "../../../../kinds/core/config-map.ts";
import { pods } from "../../../../kinds/core/pod/pod.ts";
import { secrets } from "../../../../kinds/core/secret.ts";
import { databasePath, type EtcdSnapshot, readSnapshot, snapshotText } from "../../../node/etcd-data.ts";
import { absolute } from "../../files.ts";
import { notSimulated } from "../../not-simulated.ts";
import { edit, type Process } from "../../process.ts";
import type { ProgramCall } from "../../program.ts";
import { inspect, sleep } from "../../system-call.ts";
import { isOnNode, nodeName } from "./on-node.ts";

const version = "3.6.8";
const usualEndpoint = "127.0.0.1:2379";
/** The time after which a client without the right certificates gives up. */
const dialMs = 5_000;
const countWork = 500;
/** The bytes of a key with its value, on average, and of an empty database. */
const keyBytes = 1_500;
const emptyBytes = 98_304;

interface Arguments {
  readonly operands: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
}

const switches = new Set([
  "prefix",
  "keys-only",
  "cluster",
  "hex",
  "bump-revision",
  "mark-compacted",
  "skip-hash-check",
  "insecure-skip-tls-verify",
  "from-key",
  "count-only",
  "print-value-only",
]);
const letters: Readonly<Record<string, string>> = { w: "write-out" };

function parse({ args, shell }: ProgramCall): Arguments {
  const flags = new Map<string, string>();
  for (const name of ["endpoints", "cacert", "cert", "key", "data-dir"]) {
    const value = shell.variables.get(`ETCDCTL_${name.replace("-", "_").toUpperCase()}`);
    if (value !== undefined) flags.set(name, value);
  }
  const operands: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [, written, value] = /^--?([\w-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (written === undefined) operands.push(arg);
    else {
      const name = letters[written] ?? written;
      flags.set(name, value ?? (switches.has(name) ? "true" : (args[++at] ?? "")));
    }
  }
  return { operands, flags };
}

export function* etcdctl(call: ProgramCall): Task<number> {
  const { process, out, err, name } = call;
  if (!isOnNode(process) || !process.files.exists("/etc/kubernetes/pki/etcd")) return yield* notSimulated(call);
  const parsed = parse(call);
  const [command = "", verb = ""] = parsed.operands;
  const isClient = name === "etcdctl";
  if (command === "version") {
    out(
      isClient ? `etcdctl version: ${version}\nAPI version: 3.6\n` : `etcdutl version: ${version}\nAPI version: 3.6\n`,
    );
    return 0;
  }
  const rest = { ...parsed, operands: parsed.operands.slice(2) };
  if (command === "snapshot" && verb === "status") return status(call, rest);
  if (command === "snapshot" && verb === "restore") return yield* restore(call, rest);
  const online: Readonly<Record<string, () => number | Task<number>>> = {
    "snapshot save": () => save(call, rest),
    "member list": () => memberList(call, rest),
    "endpoint health": () => endpointHealth(call, rest),
    "endpoint status": () => endpointStatus(call, rest),
  };
  const run = isClient ? online[`${command} ${verb}`] : undefined;
  if (command === "get" && isClient)
    return yield* connected(call, parsed, () => get(call, { ...parsed, operands: parsed.operands.slice(1) }));
  if (run) return yield* connected(call, rest, run);
  err(`Error: unknown command "${command}${verb === "" ? "" : ` ${verb}`}" for "${name}"\n`);
  return 1;
}

/** Runs a command if etcd runs and accepts the certificates; otherwise the client gives up after some seconds. */
function* connected(call: ProgramCall, { flags }: Arguments, run: () => number | Task<number>): Task<number> {
  const { process, err } = call;
  for (const flag of ["cacert", "cert", "key"]) {
    const path = flags.get(flag);
    if (path !== undefined && process.files.get(absolute(path, call.shell.folder))?.text === undefined) {
      err(`Error: open ${path}: no such file or directory\n`);
      return 1;
    }
  }
  const endpoint = (flags.get("endpoints") ?? usualEndpoint).replace(/^https?:\/\//, "");
  const address = yield* inspect(process, ({ controlPlane }) => controlPlane?.address);
  const isThere =
    [usualEndpoint, "localhost:2379", `${address ?? ""}:2379`].includes(endpoint) && (yield* isRunning(process));
  const isTrusted =
    flags.get("cacert")?.endsWith("/etcd/ca.crt") === true &&
    /\/(etcd\/(server|peer|healthcheck-client)|apiserver-etcd-client)\.crt$/.test(flags.get("cert") ?? "") &&
    flags.has("key");
  if (isThere && isTrusted) return yield* finished(run());
  yield* sleep(process, dialMs);
  const why = isThere
    ? "authentication handshake failed: context deadline exceeded"
    : `dial tcp ${endpoint}: connect: connection refused`;
  err(
    `${JSON.stringify({ level: "warn", ts: new Date(process.clockMs).toISOString(), logger: "etcd-client", caller: "v3@v3.6.8/retry_interceptor.go:65", msg: "retrying of unary invoker failed", target: `etcd-endpoints://0xc000/${endpoint}`, attempt: 0, error: `rpc error: code = DeadlineExceeded desc = latest balancer error: last connection error: connection error: desc = "transport: ${why}"` })}\nError: context deadline exceeded\n`,
  );
  return 1;
}

/** Reports whether the node's etcd runs. */
function* isRunning(process: Process): Task<boolean> {
  const pod = yield* inspect(process, ({ client, controlPlane }) =>
    client.get(pods, "kube-system", `etcd-${controlPlane?.name ?? ""}`),
  );
  return pod?.status.containerStatuses?.[0]?.state.running !== undefined;
}

/** Counts the objects of the cluster, and finds its newest revision among those that change most. */
function* databaseOf(process: Process): Task<EtcdSnapshot> {
  charge(process, countWork);
  const facts = yield* inspect(process, ({ client }) => {
    const totalKeys = client.kinds().reduce((sum, kind) => sum + client.count(kind), 0);
    const recent = [...client.list(pods), ...client.list(configMaps), ...client.list(secrets)];
    const revision = Math.max(1, ...recent.map(({ metadata }) => Number(metadata.resourceVersion ?? 0)));
    return { totalKeys, revision };
  });
  const { totalKeys = 0, revision = 1 } = facts ?? {};
  const atMs = process.clockMs;
  return {
    atMs,
    totalKeys,
    revision,
    hash: stableHex(`etcd/${atMs}/${revision}`, 8),
    totalBytes: emptyBytes + totalKeys * keyBytes,
  };
}

function log({ process, err }: ProgramCall, caller: string, msg: string, more: object): void {
  err(`${JSON.stringify({ level: "info", ts: new Date(process.clockMs).toISOString(), caller, msg, ...more })}\n`);
}

function* save(call: ProgramCall, { operands }: Arguments): Task<number> {
  const { process, shell, out, err } = call;
  const [file] = operands;
  if (file === undefined || operands.length > 1) {
    err(`Error: snapshot save expects one argument\n`);
    return 128;
  }
  const path = absolute(file, shell.folder);
  const folder = path.slice(0, path.lastIndexOf("/")) || "/";
  if (!process.files.isFolder(folder)) {
    err(`Error: could not open ${file}.part (open ${file}.part: no such file or directory)\n`);
    return 5;
  }
  const database = yield* databaseOf(process);
  log(call, "snapshot/v3_snapshot.go:83", "created temporary db file", { path: `${file}.part` });
  log(call, "snapshot/v3_snapshot.go:96", "fetching snapshot", { endpoint: usualEndpoint });
  yield* sleep(process, 100);
  log(call, "snapshot/v3_snapshot.go:111", "fetched snapshot", {
    endpoint: usualEndpoint,
    size: megabytes(database.totalBytes),
    took: "100.2ms",
    "etcd-version": "3.6.0",
  });
  log(call, "snapshot/v3_snapshot.go:121", "saved", { path: file });
  edit(process, { path, text: snapshotText(database), mode: 0o600 });
  out(`Snapshot saved at ${file}\nServer version 3.6.0\n`);
  return 0;
}

function megabytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function status(call: ProgramCall, { operands, flags }: Arguments): number {
  const { process, shell, out, err } = call;
  const [file = ""] = operands;
  const text = process.files.get(absolute(file, shell.folder))?.text;
  const snapshot = readSnapshot(text);
  if (!snapshot) {
    err(
      text === undefined
        ? `Error: stat ${file}: no such file or directory\n`
        : "Error: snapshot file integrity check failed. 1 errors found.\ninvalid database\n",
    );
    return 1;
  }
  const { hash, revision, totalKeys, totalBytes } = snapshot;
  const format = flags.get("write-out") ?? "simple";
  if (format === "json")
    out(
      `${JSON.stringify({ hash: Number.parseInt(hash, 16), revision, totalKey: totalKeys, totalSize: totalBytes, version: "3.6.0" })}\n`,
    );
  else if (format === "table")
    out(
      boxed(
        ["HASH", "REVISION", "TOTAL KEYS", "TOTAL SIZE", "STORAGE VERSION"],
        [[hash, String(revision), String(totalKeys), megabytes(totalBytes), "3.6.0"]],
      ),
    );
  else out(`${hash}, ${revision}, ${totalKeys}, ${megabytes(totalBytes)}, 3.6.0\n`);
  return 0;
}

/** Formats a table as etcd's tools do. */
function boxed(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => (row[at] ?? "").length)));
  const rule = `+${widths.map((width) => "-".repeat(width + 2)).join("+")}+\n`;
  const centered = (text: string, width: number) => {
    const left = Math.floor((width - text.length) / 2);
    return `${" ".repeat(left)}${text}${" ".repeat(width - text.length - left)}`;
  };
  const body = rows.map((row) => `|${row.map((cell, at) => ` ${cell.padStart(widths[at] ?? 0)} `).join("|")}|\n`);
  return `${rule}|${head.map((title, at) => ` ${centered(title, widths[at] ?? 0)} `).join("|")}|\n${rule}${body.join("")}${rule}`;
}

function* restore(call: ProgramCall, { operands, flags }: Arguments): Task<number> {
  const { process, shell, err, name } = call;
  const [file = ""] = operands;
  if (name === "etcdctl") err("Deprecated: Use `etcdutl snapshot restore` instead.\n\n");
  const snapshot = readSnapshot(process.files.get(absolute(file, shell.folder))?.text);
  if (!snapshot) {
    err(
      process.files.exists(absolute(file, shell.folder))
        ? "Error: snapshot missing hash but --skip-hash-check=false\n"
        : `Error: open ${file}: no such file or directory\n`,
    );
    return 1;
  }
  const folder = absolute(flags.get("data-dir") ?? `${flags.get("name") ?? "default"}.etcd`, shell.folder);
  if (process.files.names(folder).length > 0) {
    err(`Error: data-dir ${JSON.stringify(folder)} not empty or could not be read\n`);
    return 1;
  }
  log(call, "snapshot/v3_snapshot.go:305", "restoring snapshot", {
    path: file,
    "wal-dir": `${folder}/member/wal`,
    "data-dir": folder,
    "snap-dir": `${folder}/member/snap`,
    "initial-memory-map-size": 10_737_418_240,
  });
  edit(process, { path: `${folder}/${databasePath}`, text: snapshotText(snapshot), mode: 0o600 });
  edit(process, { path: `${folder}/member/wal/0000000000000000-0000000000000000.wal`, text: "", mode: 0o600 });
  yield* sleep(process, 100);
  log(call, "membership/cluster.go:434", "added member", {
    "cluster-id": "cdf818194e3a8c32",
    "local-member-id": "0",
    "added-peer-id": "8e9e05c52164694d",
    "added-peer-peer-urls": ["http://localhost:2380"],
  });
  log(call, "snapshot/v3_snapshot.go:333", "restored snapshot", {
    path: file,
    "wal-dir": `${folder}/member/wal`,
    "data-dir": folder,
    "snap-dir": `${folder}/member/snap`,
  });
  return 0;
}

const memberId = "8e9e05c52164694d";

function* memberList({ process, out }: ProgramCall, { flags }: Arguments): Task<number> {
  const address = (yield* inspect(process, ({ controlPlane }) => controlPlane?.address)) ?? "";
  const [peer, client] = [`https://${address}:2380`, `https://${address}:2379`];
  const row = [memberId, "started", nodeName(process), peer, client, "false"];
  if (flags.get("write-out") === "table")
    out(boxed(["ID", "STATUS", "NAME", "PEER ADDRS", "CLIENT ADDRS", "IS LEARNER"], [row]));
  else out(`${row.join(", ")}\n`);
  return 0;
}

function endpointHealth({ out }: ProgramCall, { flags }: Arguments): number {
  const endpoint = flags.get("endpoints") ?? usualEndpoint;
  if (flags.get("write-out") === "table")
    out(boxed(["ENDPOINT", "HEALTH", "TOOK", "ERROR"], [[endpoint, "true", "9.8ms", ""]]));
  else out(`${endpoint} is healthy: successfully committed proposal: took = 9.8ms\n`);
  return 0;
}

function* endpointStatus({ process, out }: ProgramCall, { flags }: Arguments): Task<number> {
  const { totalBytes, revision } = yield* databaseOf(process);
  const endpoint = flags.get("endpoints") ?? usualEndpoint;
  const row = [
    endpoint,
    memberId,
    version,
    megabytes(totalBytes),
    "true",
    "false",
    "2",
    String(revision),
    String(revision),
    "",
  ];
  if (flags.get("write-out") === "table")
    out(
      boxed(
        [
          "ENDPOINT",
          "ID",
          "VERSION",
          "DB SIZE",
          "IS LEADER",
          "IS LEARNER",
          "RAFT TERM",
          "RAFT INDEX",
          "RAFT APPLIED INDEX",
          "ERRORS",
        ],
        [row],
      ),
    );
  else out(`${row.join(", ")}\n`);
  return 0;
}

/** The number of keys and the characters of one value that `get` prints. */
const mostKeys = 500;
const mostValue = 20_000;

interface StoredValue {
  readonly key: string;
  readonly json: string;
  /** Undefined if the value is not encrypted. */
  readonly encrypt: ((path: string, value: string) => string) | undefined;
}

/** Returns a value as etcd has it. */
function storedText(process: Process, { key, json, encrypt }: StoredValue): string {
  charge(process, json.length / (encrypt ? 8 : 64));
  const value = `k8s\u0000\n${json}`;
  return encrypt?.(key, value) ?? value;
}

/** Prints keys below `/registry`. Values are JSON behind the head of upstream's encoding, or encrypted. */
function* get({ process, out }: ProgramCall, { operands, flags }: Arguments): Task<number> {
  const [key = ""] = operands;
  const isPrefix = flags.has("prefix");
  const entries =
    (yield* inspect(process, ({ client }) => {
      const all: StoredValue[] = [];
      for (const kind of client.kinds()) {
        const base =
          kind.group === "" || /\.k8s\.io$|^apps$|^batch$|^policy$/.test(kind.group)
            ? kind.plural
            : `${kind.group}/${kind.plural}`;
        if (!`/registry/${base}/`.startsWith(key.slice(0, base.length + 11))) continue;
        for (const object of client.each(kind)) {
          const { namespace, name = "" } = object.metadata;
          const path = `/registry/${base}/${namespace ? `${namespace}/` : ""}${name}`;
          if (isPrefix ? !path.startsWith(key) : path !== key) continue;
          if (all.length >= mostKeys) continue;
          const encrypt = client.apiServer?.encryptionOf(kind, object);
          all.push({ key: path, json: JSON.stringify(object).slice(0, mostValue), encrypt });
        }
      }
      return all;
    })) ?? [];
  charge(process, 20 + entries.length);
  const limit = Number(flags.get("limit") ?? 0) || entries.length;
  for (const entry of entries.sort((a, b) => (a.key < b.key ? -1 : 1)).slice(0, limit)) {
    if (flags.has("keys-only")) out(`${entry.key}\n\n`);
    else out(`${flags.has("print-value-only") ? "" : `${entry.key}\n`}${storedText(process, entry)}\n`);
  }
  return 0;
}
