// The settings of the sandbox: one row, written when the cluster is made and read whenever it is opened.
import type { SandboxStanding } from "../../../shared/contract/cluster/life.ts";
import type { KubernetesVersion } from "../../../shared/k8s/settings/release.ts";
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

export function writeVersion(sql: Sql, version: KubernetesVersion): void {
  writeSettings(sql, { ...readSettings(sql), version });
}

/** Stores the limits and the suspension of the tenant, and a pause if it changes. Returns the settings. */
export function writeStanding(sql: Sql, { suspended, paused, limits }: SandboxStanding): SandboxSettings {
  const settings = { ...readSettings(sql), suspended, limits, ...(paused === undefined ? {} : { paused }) };
  writeSettings(sql, settings);
  return settings;
}

/** Returns why every request is refused and nothing runs. Empty if the sandbox is neither suspended nor paused. */
export function suspensionIn({ suspended = "", paused = "" }: Pick<SandboxSettings, "suspended" | "paused">): string {
  return suspended === "" ? paused : suspended;
}

/** Reads the settings of a cluster that exists. */
export function readSettings(sql: Sql): SandboxSettings {
  const text = readMeta(sql, key);
  return sandboxSettings.parse(text === undefined ? separateSettings(sql) : JSON.parse(text));
}

/** Reads the rows of older versions, one for each setting. They are not rewritten, because the disk may have no space for that. */
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
