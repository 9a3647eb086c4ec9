// Generates the configuration for wrangler: the project's wrangler.toml with the settings of this deployment.
import { createHash } from "node:crypto";
import { type DeploySettings, databaseNames } from "./settings.ts";
import { valuesOf } from "./variables.ts";

/**
 * Returns the configuration. `ids`: ids of the databases by name. `before`: the previous number of databases, while tenants move to the
 * last one.
 */
export function configurationOf(
  toml: string,
  settings: DeploySettings,
  ids: ReadonlyMap<string, string>,
  before?: number,
): string {
  const { name, bucket, domain, wildcard, cpuMs, jurisdiction } = settings;
  const sharedTables = withoutTables(toml, ["[[d1_databases]]", "[[r2_buckets]]"]);
  const zone = settings.zone ?? domain?.split(".").slice(-2).join(".");
  const routes = [
    ...(domain ? [`{ pattern = ${text(domain)}, custom_domain = true }`] : []),
    ...(domain && wildcard ? [`{ pattern = ${text(`*.${domain}/*`)}, zone_name = ${text(zone ?? "")} }`] : []),
  ];
  const top = [
    `name = ${text(name)}`,
    // Keeps variables that were set in the dashboard or by hand.
    "keep_vars = true",
    ...(routes.length > 0 ? [`routes = [${routes.join(", ")}]`, "workers_dev = false"] : []),
  ];
  // Written also when it is empty, because the previous value would be kept.
  const growth: [string, string] = ["SANDBAR_DATABASES_BEFORE", before === undefined ? "" : String(before)];
  const vars = [...valuesOf(settings), growth].map(([variable, value]) => `${variable} = ${text(value)}`);
  const databases = databaseNames(settings).map((databaseName, at) =>
    [
      "[[d1_databases]]",
      `binding = ${text(at === 0 ? "DB" : `DB_${at}`)}`,
      `database_name = ${text(databaseName)}`,
      `database_id = ${text(ids.get(databaseName) ?? "00000000-0000-0000-0000-000000000000")}`,
      'migrations_dir = "migrations"',
    ].join("\n"),
  );
  const files = [
    ...["[[r2_buckets]]", 'binding = "FILES"', `bucket_name = ${text(bucket)}`],
    ...(jurisdiction ? [`jurisdiction = ${text(jurisdiction)}`] : []),
  ];
  const named = sharedTables
    .replace(/^name = .*$/m, top.join("\n"))
    .replace(/^namespace_id = .*$/m, (line) => (name === "sandbar" ? line : `namespace_id = ${text(numberOf(name))}`));
  const limits = cpuMs === undefined ? [] : [`[limits]\ncpu_ms = ${cpuMs}`];
  const tables = [["[vars]", ...vars].join("\n"), ...limits, ...databases, files.join("\n")];
  return `${[named.trimEnd(), ...tables].join("\n\n")}\n`;
}

/** Returns a number for the service's rate limits, because services of one account must not share theirs. */
function numberOf(name: string): string {
  return String(createHash("sha256").update(name).digest().readUInt32BE() % 1_000_000_000);
}

/** Removes tables, each from its heading to the next. */
function withoutTables(toml: string, headings: readonly string[]): string {
  let isLeftOut = false;
  const lines = toml.split("\n").filter((line) => {
    if (line.startsWith("[")) isLeftOut = headings.includes(line.trim());
    return !isLeftOut;
  });
  return lines.join("\n");
}

/** Quotes a text: a basic string of TOML is one of JSON. */
function text(value: string): string {
  return JSON.stringify(value);
}
