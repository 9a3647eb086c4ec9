// What the Worker is bound to: see wrangler.toml.
import type { SecretBindings } from "../shared/base/secret.ts";
import type { ClusterEnv } from "./cluster/env.ts";
import type { ClusterObject } from "./cluster/object.ts";
import type { TenantObject } from "./tenant/object.ts";

/** `SANDBAR_SECRET` is the root of every id and token; see `docs/decisions/0013-the-secret-has-two-values.md`. */
export interface Env extends ClusterEnv, SecretBindings {
  readonly TENANTS: DurableObjectNamespace<TenantObject>;
  readonly CLUSTERS: DurableObjectNamespace<ClusterObject>;
  readonly DB: D1Database;
  /** Further databases, where tenants are spread over several: without a gap, and the same ones for good. */
  readonly DB_1?: D1Database;
  readonly DB_2?: D1Database;
  readonly DB_3?: D1Database;
  readonly DB_4?: D1Database;
  readonly DB_5?: D1Database;
  readonly DB_6?: D1Database;
  readonly DB_7?: D1Database;
  readonly DB_8?: D1Database;
  readonly DB_9?: D1Database;
  /** While `npm run grow` moves tenants to the last of them: how many there were before. */
  readonly SANDBAR_DATABASES_BEFORE?: string;
  /** Counts failed authentication for all isolates of one of the platform's places. Undefined: each isolate counts its own. */
  readonly FAILURES?: RateLimit;
  /** The files of snapshots. */
  readonly FILES: R2Bucket;
  /** The built console. */
  readonly ASSETS: Fetcher;
  /** The base URL that kubeconfigs point at; default: the origin of the request. */
  readonly SANDBAR_SERVER?: string;
  /**
   * The domain below which each sandbox has a name of its own, `<id>.<domain>`, with its port where that is not the usual one: a wildcard
   * name and certificate lead there to this Worker. Absent: kubeconfigs point at `/c/<id>`; both ways are open in any case.
   */
  readonly SANDBAR_DOMAIN?: string;
  /**
   * Where clients' certificates are told: `cf`, by Cloudflare (mutual TLS must be on for the host), or the name of a header (`Client-Cert`
   * of RFC 9440, or DER as base64) that a proxy before the Worker sets, and takes off what clients send. Absent: nowhere.
   */
  readonly SANDBAR_CLIENT_CERTIFICATES?: string;
  /** The plan of tenants that nothing else is said of; default: `unmetered`. */
  readonly SANDBAR_PLAN?: string;
  /** What `/metrics` and `/v1/admin` are asked with; absent: nobody may. A secret. */
  readonly SANDBAR_OPERATOR_KEY?: string;
  /** `on`, or bits of work: whoever does that is given a small sandbox for an hour, see `POST /v1/trial`. */
  readonly SANDBAR_TRIAL?: string;
  /** Of an OAuth app of GitHub's whose callback is `/v1/sign-in/github/callback`; without both nobody signs in by GitHub. */
  readonly SANDBAR_GITHUB_CLIENT_ID?: string;
  readonly SANDBAR_GITHUB_CLIENT_SECRET?: string;
  /** Of an enterprise's own GitHub; default: https://github.com and https://api.github.com. */
  readonly SANDBAR_GITHUB_URL?: string;
  readonly SANDBAR_GITHUB_API?: string;
  /** `open`: who signs in by GitHub without an invitation gets an organisation of their own. Else people come by invitation. */
  readonly SANDBAR_SIGN_UP?: string;
  /** JSON of a `SandboxLimits`, in part: what new sandboxes have in place of the service's own limits. */
  readonly SANDBAR_LIMITS?: string;
}
