// The configuration of a Redis server, from its command, its file, its variables and CONFIG SET.
import { linesOf } from "../../../../shared/shell/lines.ts";

/** Settings as they were written, sizes included. */
export type RedisSettings = Readonly<Record<string, string>>;

const defaults: RedisSettings = {
  appendfsync: "everysec",
  appendonly: "no",
  bind: "* -::*",
  databases: "16",
  dbfilename: "dump.rdb",
  dir: "/data",
  hz: "10",
  loglevel: "notice",
  masterauth: "",
  maxclients: "10000",
  maxmemory: "0",
  "maxmemory-policy": "noeviction",
  "notify-keyspace-events": "",
  port: "6379",
  "protected-mode": "no",
  replicaof: "",
  requirepass: "",
  save: "3600 1 300 100 60 10000",
  "tcp-keepalive": "300",
  timeout: "0",
};
const units = { k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

export class RedisConfig {
  readonly #values: Map<string, string>;

  constructor(settings: RedisSettings) {
    this.#values = new Map(Object.entries({ ...defaults, ...settings }));
  }

  get(name: string): string {
    return this.#values.get(name) ?? "";
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  set(name: string, value: string): void {
    this.#values.set(name, value);
  }

  names(): string[] {
    return [...this.#values.keys()].sort();
  }

  /** Returns a setting as CONFIG GET does, with sizes in bytes. */
  displayed(name: string): string {
    const value = this.get(name);
    const size = /^(\d+)([kmg])b$/i.exec(value);
    const unit = units[(size?.[2] ?? "").toLowerCase() as keyof typeof units] as number | undefined;
    return size && unit ? String(Number(size[1]) * unit) : value;
  }

  get password(): string | undefined {
    return this.get("requirepass") || undefined;
  }

  /** The primary of a replica; undefined for other servers. */
  get primary(): { readonly host: string; readonly port: number } | undefined {
    const [host = "", port = "6379"] = this.get("replicaof").split(/\s+/);
    return host === "" || host.toLowerCase() === "no" ? undefined : { host, port: Number(port) };
  }

  /** The path of the stored keys. Without snapshots and without a log they are lost when the server ends. */
  get path(): string {
    const folder = this.get("dir").replace(/\/$/, "");
    if (this.get("appendonly") === "yes") return `${folder}/appendonlydir/appendonly.aof.1.incr.aof`;
    return `${folder}/${this.get("dbfilename")}`;
  }

  get persists(): boolean {
    return this.get("appendonly") === "yes" || this.get("save").trim() !== "";
  }
}

const bare = (value: string) => value.replace(/^(["'])(.*)\1$/, "$2");

/** Parses the settings. `readText`: returns the text of a file, or undefined if it does not exist. Returns the name of a missing file. */
export function settingsOf(
  args: readonly string[],
  readText: (path: string) => string | undefined,
): { readonly settings: RedisSettings } | { readonly missing: string } {
  const settings: Record<string, string> = {};
  const put = (settingName: string, values: readonly string[]) => {
    const name = settingName.toLowerCase() === "slaveof" ? "replicaof" : settingName.toLowerCase();
    const value = values.map(bare).join(" ");
    // Each line of `save` adds a rule; an empty value removes all rules.
    settings[name] = name === "save" && value !== "" && settings[name] ? `${settings[name]} ${value}` : value;
  };
  const [file = ""] = args;
  if (file !== "" && !file.startsWith("-")) {
    const text = readText(file);
    if (text === undefined) return { missing: file };
    for (const line of linesOf(text).map((line) => line.trim())) {
      const [name = "", ...values] = line.split(/\s+/);
      if (name !== "" && !name.startsWith("#") && !/^(include|loadmodule|user|rename-command)$/.test(name))
        put(name, values);
    }
  }
  const options = file.startsWith("-") ? args : args.slice(1);
  for (let at = 0; at < options.length; ) {
    const name = (options[at++] ?? "").replace(/^-+/, "");
    const values: string[] = [];
    while (at < options.length && !(options[at] ?? "").startsWith("--"))
      values.push(...(options[at++] ?? "").split(/\s+/));
    if (name !== "") put(name, values);
  }
  return { settings };
}
