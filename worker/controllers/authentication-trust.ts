// Maintains the ConfigMap with the certificate authorities that aggregated API servers trust (upstream:
// ClusterAuthenticationTrustController).
import type { Namespace } from "../../shared/k8s/api/core-v1.ts";
import { configMaps } from "../kinds/core/config-map.ts";
import { namespaces } from "../kinds/core/namespace.ts";
import { type Controller, defineController, watch } from "../runtime/controller.ts";

/** The identity of the cluster towards aggregated API servers: its certificate as PEM, and the name in it. */
export interface FrontProxy {
  readonly authority: string;
  readonly name: string;
  readonly certificate: string;
  readonly key: string;
}

export interface AuthenticationTrust {
  /** Returns the authority of the cluster's client certificates as PEM. */
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
        const { namespace: place, name: changedName } = (next ?? previous)?.metadata ?? {};
        if (previous && place === namespace && changedName === name) yield { namespace, name };
      }),
    ],
    reconcile(_request, { client }) {
      const configMap = client.get(configMaps, namespace, name);
      const data = { ...configMap?.data, ...configMapData(trust) };
      if (!configMap) client.create(configMaps, { metadata: { namespace, name }, data });
      else if (JSON.stringify(configMap.data) !== JSON.stringify(data))
        client.update(configMaps, { ...configMap, data });
      return undefined;
    },
  });
}

/** Returns the data of the ConfigMap, ordered by key as stored. */
function configMapData({ clientAuthority, frontProxy }: AuthenticationTrust): Record<string, string> {
  const { authority, name: allowed } = frontProxy();
  const jsonList = (value: string) => JSON.stringify([value]);
  return {
    "client-ca-file": clientAuthority(),
    "requestheader-allowed-names": jsonList(allowed),
    "requestheader-client-ca-file": authority,
    "requestheader-extra-headers-prefix": jsonList("X-Remote-Extra-"),
    "requestheader-group-headers": jsonList("X-Remote-Group"),
    "requestheader-username-headers": jsonList("X-Remote-User"),
  };
}
