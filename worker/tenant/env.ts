// The Worker's bindings that a tenant's object uses: see wrangler.toml.

import type { SecretBindings } from "../../shared/base/secret.ts";

/** The bindings; the keys of webhooks are derived from the secret. */
export interface TenantEnv extends SecretBindings {
  /** The Node.js process on a user's machine: see the cluster's bindings. */
  readonly OUTSIDE?: Fetcher;
}
