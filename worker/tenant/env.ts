// What a tenant's object reads of the Worker's bindings: see wrangler.toml.

export interface TenantEnv {
  /** The keys of webhooks follow from it. */
  readonly SANDBAR_SECRET: string;
  /** A run on the user's own machine has it: see the cluster's. */
  readonly OUTSIDE?: Fetcher;
}
