// The settings of a deployment, from a file or from answers on the terminal.
import * as z from "zod";
import { planNames } from "../../shared/contract/hosted/plan.ts";

const label = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?$/, "must consist of lower case letters, digits and '-'");
const domain = z
  .string()
  .regex(/^([a-z0-9]([-a-z0-9]*[a-z0-9])?\.)+[a-z]{2,}$/, "must be a domain, such as sandbar.example.org");

export const deploySettings = z.strictObject({
  /** The Worker's name. */
  name: label.default("sandbar"),
  /** The service's domain, below a zone of the account. Default: the platform's own name. */
  domain: domain.optional(),
  /** The zone. Default: the last two labels of the domain. */
  zone: domain.optional(),
  /** Whether each sandbox has its own name, `<id>.<domain>`. This needs a wildcard record and certificate. */
  wildcard: z.boolean().default(false),
  database: label.default("sandbar"),
  /** The number of databases for tenants. `npm run grow` increases it once there are tenants. */
  databases: z.int().min(1).max(10).default(1),
  bucket: label.default("sandbar"),
  /** The plan of tenants without another plan. */
  plan: z.enum(planNames).default("free"),
  trial: z.boolean().default(false),
  /** The first tenant, for which a key is created once. */
  tenant: label.optional(),
});

export type DeploySettings = z.output<typeof deploySettings>;

/** The questions if there is no file, with the meaning of an empty answer. */
export const questions: readonly { readonly field: keyof DeploySettings; readonly text: string }[] = [
  { field: "name", text: "Name of the Worker (sandbar): " },
  { field: "domain", text: "Domain of the service, below a zone of the account (none: the platform's own): " },
  { field: "wildcard", text: "A name of its own for each sandbox, <id>.<domain>? yes or no (no): " },
  { field: "plan", text: `Plan of new tenants: ${planNames.join(", ")} (free): ` },
  { field: "trial", text: "Trials without a key? yes or no (no): " },
  { field: "tenant", text: "First tenant, for which a key is made (none): " },
];

/** Parses answers as they were typed; empty ones are left out. Throws if one is not valid. */
export function settingsOf(answers: Readonly<Record<string, unknown>>): DeploySettings {
  const fields = Object.entries(answers)
    .filter(([, value]) => value !== "")
    .map(([field, value]) => [field, value === "yes" ? true : value === "no" ? false : value]);
  return deploySettings.parse(Object.fromEntries(fields));
}

/** Returns the names `sandbar`, `sandbar-1`, `sandbar-2`. The first has no number, because a service begins with one database. */
export function databaseNames({ database, databases }: Pick<DeploySettings, "database" | "databases">): string[] {
  return Array.from({ length: databases }, (_, at) => (at === 0 ? database : `${database}-${at}`));
}
