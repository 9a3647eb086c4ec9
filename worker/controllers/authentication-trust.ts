// Keeps the ConfigMap by which the servers of aggregated APIs know whom to believe (upstream: ClusterAuthenticationTrustController).
import type { Namespace } from "../../shared/k8s/api/core-v1.ts";
import { configMaps } from "../kinds/core/config-map.ts";
import { namespaces } from "../kinds/core/namespace.ts";
import { type Controller, defineController, watch } from "../runtime/controller.ts";

/** Who the cluster is to the servers of aggregated APIs: PEM, and the name in the certificate. */
export interface FrontProxy {
  readonly authority: string;
  readonly name: string;
  readonly certificate: string;
  readonly key: string;
}

export interface AuthenticationTrust {
  /** Who signs the certificates of the cluster's own clients, as PEM. */
  clientAuthority(): string;
  frontProxy(): FrontProxy;
}

const namespace = "kube-system";
const name = "extension-apiserver-authentication";

export function authenticationTrust(trust: AuthenticationTrust): Controller {
  return defineController({
    name: "cluster-authentication-trust-controller",
    user: "system:apiserver",
    component: "kube-apiserver",
    watches: [
      watch<Namespace>(namespaces, function* (next, previous) {
        if (next && !previous && next.metadata.name === namespace) yield { namespace, name };
      }),
      watch(configMaps, function* (next, previous) {
        const { namespace: place, name: own } = (next ?? previous)?.metadata ?? {};
        if (previous && place === namespace && own === name) yield { namespace, name };
      }),
    ],
    reconcile(_request, { client }) {
      const found = client.get(configMaps, namespace, name);
      const data = { ...found?.data, ...trusted(trust) };
      if (!found) client.create(configMaps, { metadata: { namespace, name }, data });
      else if (JSON.stringify(found.data) !== JSON.stringify(data)) client.update(configMaps, { ...found, data });
      return undefined;
    },
  });
}

/** In the order of their names, as they are stored. */
function trusted({ clientAuthority, frontProxy }: AuthenticationTrust): Record<string, string> {
  const { authority, name: allowed } = frontProxy();
  const listed = (value: string) => JSON.stringify([value]);
  return {
    "client-ca-file": clientAuthority(),
    "requestheader-allowed-names": listed(allowed),
    "requestheader-client-ca-file": authority,
    "requestheader-extra-headers-prefix": listed("X-Remote-Extra-"),
    "requestheader-group-headers": listed("X-Remote-Group"),
    "requestheader-username-headers": listed("X-Remote-User"),
  };
}
