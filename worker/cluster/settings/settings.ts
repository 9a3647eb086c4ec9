// The settings of the sandbox: one row, written when the cluster is made and read whenever it is opened.
import type { SandboxStanding } from "../../../shared/contract/cluster/life.ts";
import { type SandboxSettings, sandboxSettings } from "../../../shared/contract/sandbox-settings.ts";
import type { Sql } from "../../store/sql.ts";
import { readMeta, writeMeta } from "../../store/tables.ts";

const key = "settings";

export function writeSettings(sql: Sql, settings: SandboxSettings): void {
  writeMeta(sql, key, JSON.stringify(settings));
}

/** Returns what was written. */
export function writeExpiry(sql: Sql, expiresAtMs: number): number {
  writeSettings(sql, { ...readSettings(sql), expiresAtMs });
  return expiresAtMs;
}

/** What its tenant may do. */
export function writeStanding(sql: Sql, { suspended, limits }: SandboxStanding): void {
  writeSettings(sql, { ...readSettings(sql), suspended, limits });
}

/** Of a cluster that was made. */
export function readSettings(sql: Sql): SandboxSettings {
  const text = readMeta(sql, key);
  return sandboxSettings.parse(text === undefined ? separateSettings(sql) : JSON.parse(text));
}

/** What older versions wrote: a row for each setting. Nothing is rewritten, since there may be no room to open such a cluster then. */
function separateSettings(sql: Sql): object {
  const json = (name: string): unknown => JSON.parse(readMeta(sql, name) ?? "null") ?? undefined;
  return {
    admissionPlugins: (readMeta(sql, "admissionPlugins") ?? "").split(",").filter(Boolean),
    anonymousAccess: json("anonymousAccess"),
    oidcIssuers: json("oidcIssuers"),
    jwtAuthenticators: json("jwtAuthenticators"),
    expiresAtMs: Number(readMeta(sql, "expiresAtMs") ?? "0"),
    limits: json("limits"),
  };
}
