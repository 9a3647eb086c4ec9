// Wrangler's answers about a deployed Worker.
import * as z from "zod";
import { messageOfError } from "../command-words.ts";

/** Runs wrangler. Returns its output; throws its error output if it fails. */
export type Wrangler = (words: readonly string[]) => Promise<string>;

/** A record that wrangler writes to its output file: the result of an upload or a deployment. */
export const wranglerEvent = z.looseObject({
  type: z.string(),
  version_id: z.string().nullish(),
  targets: z.array(z.string()).nullish(),
});

export type WranglerEvent = z.output<typeof wranglerEvent>;

const deploymentShape = z.looseObject({
  id: z.string(),
  created_on: z.string(),
  versions: z.array(z.object({ version_id: z.string(), percentage: z.number() })),
});

export type Deployed = z.output<typeof deploymentShape>;

const versionShape = z.looseObject({
  id: z.string(),
  metadata: z.looseObject({ created_on: z.string().default("") }).default({ created_on: "" }),
  annotations: z.looseObject({ "workers/message": z.string().optional() }).nullish(),
  resources: z.looseObject({
    bindings: z.array(z.looseObject({ name: z.string(), type: z.string(), text: z.string().optional() })).default([]),
  }),
});

export interface DeployedVersion {
  readonly id: string;
  readonly message: string;
  readonly createdOn: string;
  /** The values of its variables. */
  readonly variables: ReadonlyMap<string, string>;
}

/** Reports whether wrangler has an account. A plain `whoami` succeeds also without one. */
export function isSignedIn(wrangler: Wrangler): Promise<boolean> {
  return wrangler(["whoami", "--json"]).then(
    () => true,
    () => false,
  );
}

export async function requireAccount(wrangler: Wrangler): Promise<void> {
  if (!(await isSignedIn(wrangler))) throw new Error("sign in with `npx wrangler login`, or set CLOUDFLARE_API_TOKEN");
}

/** Reports whether wrangler says that there is no such Worker. Any other error may hide an existing one. */
function isUnknownWorker(error: unknown): boolean {
  return /\b10007\b|worker\b[^\n]*\bnot found/i.test(messageOfError(error));
}

/** Runs a question about a Worker. Returns undefined if the Worker does not exist. */
export async function ifDeployed<T>(question: () => Promise<T>): Promise<T | undefined> {
  try {
    return await question();
  } catch (error) {
    if (isUnknownWorker(error)) return undefined;
    throw error;
  }
}

/** Lists deployments, the newest first. Returns none if the Worker does not exist. */
export async function deploymentsOf(wrangler: Wrangler, name: string): Promise<Deployed[]> {
  const listed = await ifDeployed(() => wrangler(["deployments", "list", "--name", name, "--json"]));
  if (listed === undefined) return [];
  const all = z.array(deploymentShape).parse(JSON.parse(listed));
  return all.sort((a, b) => b.created_on.localeCompare(a.created_on));
}

export async function versionOf(wrangler: Wrangler, name: string, id: string): Promise<DeployedVersion> {
  const text = await wrangler(["versions", "view", id, "--name", name, "--json"]);
  const { annotations, resources, metadata } = versionShape.parse(JSON.parse(text));
  const variables = resources.bindings.flatMap(({ name: variable, type, text: value }) =>
    type === "plain_text" && value !== undefined ? [[variable, value] as const] : [],
  );
  const message = annotations?.["workers/message"] ?? "";
  return { id, message, createdOn: metadata.created_on, variables: new Map(variables) };
}
