// The formats in which helm prints: tables, JSON and YAML.
import { trimmedEnd } from "../../../../../shared/base/trim.ts";
import { goJson } from "../../../../../shared/k8s/go-text.ts";
import type { JsonObject } from "../../../../../shared/schema/json-values.ts";
import { goYaml } from "../../../../kubectl/print/yaml.ts";
import type { FlagValues } from "../../../../kubectl/flags.ts";
import { stringFlag } from "../../../../kubectl/flag.ts";
import { formatDate } from "../functions/dates.ts";
import type { Hook } from "../chart/manifests.ts";
import { plain } from "../template/values.ts";
import type { Release } from "../release/release.ts";

export const outputFlag = stringFlag(
  "output",
  "prints the output in the specified format. Allowed values: table, json, yaml",
  {
    short: "o",
    default: "table",
  },
);

/** Prints a value by `-o`; `table` is called for the default. */
export function printed(flags: FlagValues, value: unknown, table: () => string): string {
  const format = flags.text("output");
  if (format === "table") return table();
  if (format === "json") return `${goJson(value)}\n`;
  if (format === "yaml") return goYaml(plain(value));
  throw new Error(`invalid argument ${JSON.stringify(format)} for "-o, --output" flag: invalid format type`);
}

/** Formats rows in columns that tabs separate. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return rows.map((row) => `${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("\t")}\n`).join("");
}

/** Formats like Go's time.ANSIC, in UTC. */
export function ansiTime(text: string): string {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? "" : formatDate("Mon Jan _2 15:04:05 2006", date);
}

/** Formats like Go's `Time.String()`. */
export function fullTime(text: string): string {
  const [, day = "", clock = "", fraction = "", zone = "Z"] =
    /^(\S{10})T(\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  if (day === "") return "-";
  const digits = trimmedEnd(trimmedEnd(fraction, "0"), ".");
  return `${day} ${clock}${digits} ${zone === "Z" ? "+0000 UTC" : `${zone.replace(":", "")} ${zone.replace(":", "")}`}`;
}

/** Returns a release with its fields in Helm's order. */
export function releaseJson(release: Release, withChart: boolean): JsonObject {
  const { name, info, chart, config, manifest, hooks, version, namespace } = release;
  const { first_deployed, last_deployed, deleted, description, status, notes } = info;
  return {
    name,
    info: { first_deployed, last_deployed, deleted, description, status, ...(notes ? { notes } : {}) },
    ...(withChart ? { chart } : {}),
    ...(Object.keys(config).length > 0 ? { config } : {}),
    manifest,
    ...(hooks.length > 0 ? { hooks } : {}),
    version,
    namespace,
  };
}

function testText({ name, last_run }: Hook): string {
  if (last_run.started_at === "") return "";
  return `TEST SUITE:     ${name}\nLast Started:   ${ansiTime(last_run.started_at)}\nLast Completed: ${ansiTime(last_run.completed_at)}\nPhase:          ${last_run.phase}\n`;
}

export interface StatusTextOptions {
  readonly hidesNotes?: boolean;
  readonly showsDescription?: boolean;
}

export function statusText(release: Release, options: StatusTextOptions = {}): string {
  const { name, namespace, info, version, hooks, manifest } = release;
  const tests = hooks.filter(({ events }) => events.includes("test"));
  const notes = (info.notes ?? "").trim();
  const isDry = info.description === "Dry run complete";
  return [
    `NAME: ${name}\n`,
    `LAST DEPLOYED: ${ansiTime(info.last_deployed)}\n`,
    `NAMESPACE: ${namespace}\nSTATUS: ${info.status}\nREVISION: ${version}\n`,
    options.showsDescription ? `DESCRIPTION: ${info.description ?? ""}\n` : "",
    tests.length === 0 ? "TEST SUITE: None\n" : tests.map(testText).join(""),
    isDry
      ? `HOOKS:\n${hooks.map((hook) => `---\n# Source: ${hook.path}\n${hook.manifest}\n`).join("")}MANIFEST:\n${manifest}\n`
      : "",
    options.hidesNotes || notes === "" ? "" : `NOTES:\n${notes}\n`,
  ].join("");
}
