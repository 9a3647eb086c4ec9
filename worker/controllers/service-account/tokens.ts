// The tokens controller: fills token secrets with a token that does not expire, and deletes them with their account.
import type { Secret, ServiceAccount } from "../../../shared/k8s/api/core-v1.ts";
import { secrets } from "../../kinds/core/secret.ts";
import { serviceAccounts } from "../../kinds/core/service-account.ts";
import type { Client } from "../../registry/client.ts";
import { type Controller, type Request, defineController, requestOf, watch } from "../../runtime/controller.ts";

/** The number of retries, after which the next change is awaited. */
const maxRetries = 10;

export interface TokenOptions {
  /** Signs the claims of a token. */
  sign(claims: object): string;
  /** Returns the certificate authorities for `ca.crt` as PEM. */
  bundle(): string;
}

export function serviceAccountToken({ sign, bundle }: TokenOptions): Controller {
  return defineController({
    name: "serviceaccount-token-controller",
    user: "system:kube-controller-manager",
    component: "serviceaccount-token-controller",
    watches: [
      watch<Secret>(secrets, function* (next, previous): Generator<Request> {
        const secret = next ?? previous;
        if (secret?.type === accountTokenType) yield requestOf(secret);
      }),
      watch<ServiceAccount>(serviceAccounts, function* (next, previous, client): Generator<Request> {
        if (!previous || next?.metadata.uid === previous.metadata.uid) return;
        const { namespace = "" } = previous.metadata;
        for (const secret of client.each(secrets, { namespace }))
          if (isTokenOf(secret, previous)) yield requestOf(secret);
      }),
    ],
    reconcile({ namespace, name }, { client, attempts }) {
      if (attempts > maxRetries) return undefined;
      const secret = client.get(secrets, namespace, name);
      if (!secret) return forget(client, namespace, name);
      if (secret.type !== accountTokenType) return undefined;
      const annotations = secret.metadata.annotations ?? {};
      const account = client.get(serviceAccounts, namespace, annotations[accountNameKey] ?? "");
      const uid = annotations[accountUidKey] ?? "";
      if (!account || (uid !== "" && uid !== account.metadata.uid)) {
        client.tryDelete(secrets, namespace, name, { uid: secret.metadata.uid ?? "" });
        return undefined;
      }
      const data = completeData(secret, account, sign, bundle());
      if (data === undefined) return undefined;
      const names = { [accountNameKey]: account.metadata.name ?? "", [accountUidKey]: account.metadata.uid ?? "" };
      const metadata = { ...secret.metadata, annotations: { ...annotations, ...names } };
      client.update(secrets, { ...secret, metadata, data });
      return undefined;
    },
  });
}

function isTokenOf({ type, metadata: { annotations = {} } }: Secret, { metadata }: ServiceAccount): boolean {
  return type === accountTokenType && annotations[accountNameKey] === metadata.name;
}

/** Returns the data with the missing fields; undefined if none are missing. */
function completeData(
  secret: Secret,
  account: ServiceAccount,
  sign: TokenOptions["sign"],
  bundle: string,
): Secret["data"] | undefined {
  const { data = {} } = secret;
  const { namespace = "" } = secret.metadata;
  const ca = bundle === "" ? data["ca.crt"] : base64OfAscii(bundle);
  const isComplete = data["ca.crt"] === ca && data["namespace"] && data["token"];
  if (isComplete) return undefined;
  return {
    ...data,
    ...(ca === undefined ? {} : { "ca.crt": ca }),
    namespace: data["namespace"] || base64OfAscii(namespace),
    token: data["token"] || base64OfAscii(sign(legacyClaims(secret, account))),
  };
}

/** Returns the data of an imported secret with a token and authorities of this cluster; undefined if it has no token. */
export function signedAnew(secret: Secret, { sign, bundle }: TokenOptions): Secret["data"] | undefined {
  const { type, data = {}, metadata } = secret;
  if (type !== accountTokenType || !data["token"]) return undefined;
  const { [accountNameKey]: name = "", [accountUidKey]: uid = "" } = metadata.annotations ?? {};
  const account = { metadata: { namespace: metadata.namespace ?? "", name, uid } };
  const token = base64OfAscii(sign(legacyClaims(secret, account)));
  return { ...data, ...(bundle() === "" ? {} : { "ca.crt": base64OfAscii(bundle()) }), token };
}

/** Returns the claims in upstream's order. */
function legacyClaims(secret: Secret, { metadata }: Pick<ServiceAccount, "metadata">): object {
  const { namespace = "", name = "", uid = "" } = metadata;
  const prefix = "kubernetes.io/serviceaccount";
  return {
    iss: "kubernetes/serviceaccount",
    [`${prefix}/namespace`]: namespace,
    [`${prefix}/secret.name`]: secret.metadata.name ?? "",
    [`${prefix}/service-account.name`]: name,
    [`${prefix}/service-account.uid`]: uid,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
}

/** Removes references to a deleted secret from accounts. */
function forget(client: Client, namespace: string, name: string): undefined {
  for (const account of client.list(serviceAccounts, { namespace })) {
    if (!account.secrets?.some((reference) => reference.name === name)) continue;
    client.update(serviceAccounts, {
      ...account,
      secrets: account.secrets.filter((reference) => reference.name !== name),
    });
  }
  return undefined;
}

export const accountTokenType = "kubernetes.io/service-account-token";
export const accountNameKey = "kubernetes.io/service-account.name";
export const accountUidKey = "kubernetes.io/service-account.uid";

/** Encodes ASCII text: names, certificates and tokens. */
function base64OfAscii(text: string): string {
  return btoa(text);
}
