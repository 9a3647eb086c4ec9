// The options of requests about sandboxes, and their query parameters.

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
