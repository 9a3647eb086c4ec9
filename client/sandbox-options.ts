// The options of requests about sandboxes, and their query parameters.
import type { ClientRequest } from "./ask.ts";
import type { CreateSandbox } from "./types.ts";

export interface SandboxFilter {
  readonly id?: string;
  readonly name?: string;
  /** Labels that a sandbox must have. "" is a value too. */
  readonly labels?: Readonly<Record<string, string>>;
}

export interface Creating {
  /** Whether to wait until the workloads are available. `notReady` of the answer lists those that are not in time. */
  readonly wait?: boolean;
  readonly waitSeconds?: number;
  /** The same request with the same key has the same answer for a day. Default: a random key. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export function labelWords(labels: Readonly<Record<string, string>>): string[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`);
}

export function waiting({ wait, waitSeconds }: Creating): Record<string, string | number | undefined> {
  return wait ? { wait: "ready", waitSeconds } : {};
}

const yamlType = "application/yaml";
/** The length of an import beyond which it is sent as the body, because a body of JSON is limited to 3 MiB. */
const longImport = 2_000_000;
/** The fields that the service reads from the query of a body of YAML. It reads all others from the parameter `settings`. */
const queryFields = ["name", "description", "ttlSeconds", "nodes"] as const;

/** Returns the body and the query of a creation. A long import is the body itself, which the service reads while it arrives. */
export function creationBody(
  input: CreateSandbox,
  query: ClientRequest["query"],
): Pick<ClientRequest, "body" | "type" | "query"> {
  const { import: imported, ...fields } = input;
  if (imported === undefined || imported.length <= longImport) return { body: input, query };
  const settings = Object.fromEntries(Object.entries(fields).filter(([name]) => !isQueryField(name)));
  const named = Object.fromEntries(queryFields.map((name) => [name, fields[name]]));
  const more = Object.keys(settings).length > 0 ? { settings: JSON.stringify(settings) } : {};
  return { body: imported, type: yamlType, query: { ...query, ...named, ...more } };
}

function isQueryField(name: string): boolean {
  return queryFields.some((field) => field === name);
}
