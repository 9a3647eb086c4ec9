// What a tenant's object reads of the Worker's bindings: see wrangler.toml.

import type { SecretBindings } from "../../shared/base/secret.ts";

/** The keys of webhooks follow from the secret. */
export interface TenantEnv extends SecretBindings {
  /** A run on the user's own machine has it: see the cluster's. */
  readonly OUTSIDE?: Fetcher;
}
