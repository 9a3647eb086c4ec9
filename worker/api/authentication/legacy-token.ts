// Authenticates service account tokens in Secrets, which do not expire (upstream: the legacy validator).
import type { UserInfo } from "../../../shared/k8s/authorizer.ts";
import type { Secret, ServiceAccount } from "../../../shared/k8s/api/core-v1.ts";
import { must } from "../../../shared/base/assert.ts";
import { ApiError } from "../../../shared/k8s/status.ts";
import { invalidSinceKey, lastUsedKey } from "../../../shared/k8s/token-secrets.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { Kind } from "../../kinds/kind.ts";
import { draftOf, mustRead, read } from "../../registry/registry.ts";
import { update } from "../../registry/update.ts";
import type { ApiServer } from "../api-server.ts";
import { accountName } from "./claims.ts";

export const legacyIssuer = "kubernetes/serviceaccount";
const claimPrefix = "kubernetes.io/serviceaccount";
const dayMs = 24 * 3_600_000;

type Claims = Readonly<Record<string, unknown>>;

/** Returns the user of a verified token. Throws an ApiError with the reason if the token is invalid. */
export function legacyUser(server: ApiServer, token: string, claims: Claims): UserInfo {
  const claim = (key: string) => {
    const value = claims[`${claimPrefix}/${key}`];
    return typeof value === "string" ? value : "";
  };
  const [namespace, secretName, name] = [claim("namespace"), claim("secret.name"), claim("service-account.name")];
  const uid = claim("service-account.uid");
  const { registry } = server;
  const secret = read(registry, kindOf<Secret>(server, "Secret"), namespace, secretName);
  if (!secret || secret.metadata.deletionTimestamp) throw unauthorized("Token has been invalidated");
  if (atob(secret.data?.["token"] ?? "") !== token) throw unauthorized("Token does not match server's copy");
  const account = mustRead(registry, kindOf<ServiceAccount>(server, "ServiceAccount"), namespace, name);
  const accountPath = `${namespace}/${name}`;
  if (account.metadata.deletionTimestamp) throw unauthorized(`ServiceAccount ${accountPath} has been deleted`);
  if (account.metadata.uid !== uid) {
    throw unauthorized(`ServiceAccount UID (${account.metadata.uid}) does not match claim (${uid})`);
  }
  recordUse(server, secret);
  if (secret.metadata.labels?.[invalidSinceKey]) {
    throw unauthorized(
      `the token in secret ${namespace}/${secretName} for service account ${accountPath} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${invalidSinceKey}' label from the secret to temporarily allow use of this token`,
    );
  }
  return {
    name: accountName(namespace, name),
    uid: account.metadata.uid ?? "",
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
  };
}

/** Sets the last-used label of the secret, at most once a day. */
function recordUse(server: ApiServer, secret: Secret): void {
  const { registry } = server;
  const nowMs = registry.clock.nowMs();
  const [today = "", tomorrow] = [nowMs, nowMs + dayMs].map((ms) => rfc3339(ms).slice(0, 10));
  const lastUsed = secret.metadata.labels?.[lastUsedKey];
  if (lastUsed === today || lastUsed === tomorrow) return;
  const draft = draftOf(secret);
  draft.metadata.labels = { ...draft.metadata.labels, [lastUsedKey]: today };
  const { namespace = "", name = "" } = draft.metadata;
  const user = { name: "system:apiserver", groups: ["system:masters", "system:authenticated"] };
  const actor = { user, origin: "authentication", manager: "kube-apiserver" };
  server.turn(() => update(registry, kindOf(server, "Secret"), { namespace, name, subresource: "" }, draft, actor));
}

function kindOf<T extends KubeObject>(server: ApiServer, kind: string): Kind<T> {
  // The catalogue has the kind under this name.
  return must(server.registry.catalogue.byKind("v1", kind), kind) as unknown as Kind<T>;
}

function unauthorized(message: string): ApiError {
  return new ApiError(401, "Unauthorized", message);
}
