// The Worker's bindings: see wrangler.toml.
import type { SecretBindings } from "../shared/base/secret.ts";
import type { ClusterEnv } from "./cluster/env.ts";
import type { ClusterObject } from "./cluster/object.ts";
import type { MetricsEnv, MetricsObject } from "./metrics/object.ts";
import type { TenantObject } from "./tenant/object.ts";

/** `SANDBAR_SECRET` is the root of every id and token; see `docs/decisions/0013-the-secret-has-two-values.md`. */
export interface Env extends Omit<ClusterEnv, "METRICS">, SecretBindings, MetricsEnv {
  readonly TENANTS: DurableObjectNamespace<TenantObject>;
  readonly METRICS?: DurableObjectNamespace<MetricsObject>;
  readonly CLUSTERS: DurableObjectNamespace<ClusterObject>;
  /** The clusters of the other processes of a local service, by their numbers from 1: see `edge/service/processes.ts`. */
  readonly [further: `CLUSTERS_${number}`]: DurableObjectNamespace<ClusterObject> | undefined;
  /** The number of processes of a local service. Undefined on the platform. */
  readonly SANDBAR_PROCESSES?: string;
  /** The number of this process, from 0. */
  readonly SANDBAR_PROCESS?: string;
  readonly DB: D1Database;
  /** Further databases, if tenants are spread over several. They are numbered without gaps, and never change. */
  readonly DB_1?: D1Database;
  readonly DB_2?: D1Database;
  readonly DB_3?: D1Database;
  readonly DB_4?: D1Database;
  readonly DB_5?: D1Database;
  readonly DB_6?: D1Database;
  readonly DB_7?: D1Database;
  readonly DB_8?: D1Database;
  readonly DB_9?: D1Database;
  /** The previous number of databases, while `npm run grow` moves tenants to the last of them. */
  readonly SANDBAR_DATABASES_BEFORE?: string;
  /** Counts failed authentication for all isolates of one location of the platform. Undefined: each isolate counts its own. */
  readonly FAILURES?: RateLimit;
  /** The files of snapshots. */
  readonly FILES: R2Bucket;
  /** The built console. */
  readonly ASSETS: Fetcher;
  /** The base URL of kubeconfigs. Default: the origin of the request. */
  readonly SANDBAR_SERVER?: string;
  /**
   * The domain below which each sandbox has its own name, `<id>.<domain>`, with its port unless it is the default one. A wildcard name and
   * certificate must lead to this Worker. Undefined: kubeconfigs have the path `/c/<id>`. Both addresses always work.
   */
  readonly SANDBAR_DOMAIN?: string;
  /**
   * The source of the client's certificate. `cf`: from Cloudflare, if mutual TLS is on for the host. Otherwise the name of a header
   * (`Client-Cert` of RFC 9440, or DER as base64) that a proxy before the Worker sets, after removing the client's. Undefined: certificates
   * are not read.
   */
  readonly SANDBAR_CLIENT_CERTIFICATES?: string;
  /** The plan of tenants without another plan. Default: `unmetered`. */
  readonly SANDBAR_PLAN?: string;
  /** The secret key for `/metrics` and `/v1/admin`. Undefined: both are closed. */
  readonly SANDBAR_OPERATOR_KEY?: string;
  /** `on`, or the difficulty in bits: enables small sandboxes for an hour after a proof of work, see `POST /v1/trial`. */
  readonly SANDBAR_TRIAL?: string;
  /** The client id of a GitHub OAuth app with the callback `/v1/sign-in/github/callback`. Sign-in by GitHub requires it and the secret. */
  readonly SANDBAR_GITHUB_CLIENT_ID?: string;
  readonly SANDBAR_GITHUB_CLIENT_SECRET?: string;
  /** The address of an enterprise's own GitHub. Default: https://github.com and https://api.github.com. */
  readonly SANDBAR_GITHUB_URL?: string;
  readonly SANDBAR_GITHUB_API?: string;
  /** `open`: a person who signs in by GitHub without an invitation gets an organization. Otherwise an invitation is required. */
  readonly SANDBAR_SIGN_UP?: string;
  /** JSON of `MailSettings`: the request by which a provider of e-mail sends an invitation. Undefined: no e-mail is sent. */
  readonly SANDBAR_MAIL?: string;
  /** The secret of that request, which its headers can contain as `{key}`. */
  readonly SANDBAR_MAIL_KEY?: string;
  /** JSON of some fields of `SandboxLimits`: the limits of new sandboxes, in place of the service's defaults. */
  readonly SANDBAR_LIMITS?: string;
}
