// What a deployment is told: of a file, or asked on the terminal.
import { z } from "zod";
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
  /** Where the service is, below a zone of the account; absent: at the platform's own name. */
  domain: domain.optional(),
  /** The zone, where it is not the last two parts of the domain. */
  zone: domain.optional(),
  /** Each sandbox has a name of its own, `<id>.<domain>`: a wildcard record and certificate are needed. */
  wildcard: z.boolean().default(false),
  database: label.default("sandbar"),
  /** How many databases tenants are spread over; with tenants it grows by `npm run grow`. */
  databases: z.int().min(1).max(10).default(1),
  bucket: label.default("sandbar"),
  /** The plan of tenants that nothing else is said of. */
  plan: z.enum(planNames).default("free"),
  trial: z.boolean().default(false),
  /** The first tenant: a key for it is made once. */
  tenant: label.optional(),
});

export type DeploySettings = z.output<typeof deploySettings>;

/** What is asked where there is no file, with what an empty answer means. */
export const questions: readonly { readonly field: keyof DeploySettings; readonly text: string }[] = [
  { field: "name", text: "Name of the Worker (sandbar): " },
  { field: "domain", text: "Domain of the service, below a zone of the account (none: the platform's own): " },
  { field: "wildcard", text: "A name of its own for each sandbox, <id>.<domain>? yes or no (no): " },
  { field: "plan", text: `Plan of new tenants: ${planNames.join(", ")} (free): ` },
  { field: "trial", text: "Trials without a key? yes or no (no): " },
  { field: "tenant", text: "First tenant, for which a key is made (none): " },
];

/** Answers as they were typed; empty ones are left out. Throws where one cannot be. */
export function settingsOf(answers: Readonly<Record<string, unknown>>): DeploySettings {
  const said = Object.entries(answers)
    .filter(([, value]) => value !== "")
    .map(([field, value]) => [field, value === "yes" ? true : value === "no" ? false : value]);
  return deploySettings.parse(Object.fromEntries(said));
}

/** `sandbar`, `sandbar-1`, `sandbar-2`: the first is as it was before there were more. */
export function databaseNames({ database, databases }: Pick<DeploySettings, "database" | "databases">): string[] {
  return Array.from({ length: databases }, (_, at) => (at === 0 ? database : `${database}-${at}`));
}
