// The bootstrap signer: signs `kube-public/cluster-info`, if it exists, with every bootstrap token that allows signing.
import { base64UrlOfText } from "../../../shared/base/base64.ts";
import type { ConfigMap, Secret } from "../../../shared/k8s/api/core-v1.ts";
import { semanticEqual } from "../../../shared/k8s/equal.ts";
import { configMaps } from "../../kinds/core/config-map.ts";
import { secrets } from "../../kinds/core/secret.ts";
import { type Controller, type Request, defineController, watch } from "../../runtime/controller.ts";
import { isBootstrapToken, signingToken, tokenNamespace } from "../../../shared/k8s/token-secrets.ts";

const info: Request = { namespace: "kube-public", name: "cluster-info" };
const signaturePrefix = "jws-kubeconfig-";

/** An HMAC with SHA-256, in base64url. */
export type Mac = (key: string, text: string) => string;

export function bootstrapSigner(mac: Mac): Controller {
  return defineController({
    name: "bootstrap-signer",
    component: "bootstrap-signer",
    watches: [
      watch<ConfigMap>(configMaps, function* (next) {
        if (next?.metadata.namespace === info.namespace && next.metadata.name === info.name) yield info;
      }),
      watch<Secret>(secrets, function* (next, previous) {
        if ([next, previous].some((secret) => secret && isBootstrapToken(secret))) yield info;
      }),
    ],
    reconcile({ namespace, name }, { client, nowMs }) {
      const clusterInfo = client.get(configMaps, namespace, name);
      const content = clusterInfo?.data?.["kubeconfig"];
      if (!clusterInfo || content === undefined) return undefined;
      const unsignedEntries = Object.entries(clusterInfo.data ?? {}).filter(
        ([key]) => !key.startsWith(signaturePrefix),
      );
      const tokens = client
        .list(secrets, { namespace: tokenNamespace })
        .flatMap((secret) => (isBootstrapToken(secret) ? (signingToken(secret, nowMs) ?? []) : []));
      const signatures = tokens.map(({ id, secret }): [string, string] => [
        `${signaturePrefix}${id}`,
        signature(mac, content, id, secret),
      ]);
      const data = Object.fromEntries([...unsignedEntries, ...signatures]);
      if (!semanticEqual(data, clusterInfo.data)) client.update(configMaps, { ...clusterInfo, data });
      return undefined;
    },
  });
}

/** Returns a detached JSON web signature. */
function signature(mac: Mac, content: string, id: string, secret: string): string {
  const header = base64UrlOfText(JSON.stringify({ alg: "HS256", kid: id }));
  return `${header}..${mac(secret, `${header}.${base64UrlOfText(content)}`)}`;
}
