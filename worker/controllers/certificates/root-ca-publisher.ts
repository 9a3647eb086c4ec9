// The root CA publisher: creates the ConfigMap `kube-root-ca.crt` in every active namespace.
import type { Namespace } from "../../../shared/k8s/api/core-v1.ts";
import { configMaps } from "../../kinds/core/config-map.ts";
import { namespaces } from "../../kinds/core/namespace.ts";
import { type Controller, defineController, watch } from "../../runtime/controller.ts";
import { isActive } from "../common/namespaces.ts";

const configMapName = "kube-root-ca.crt";
const descriptionKey = "kubernetes.io/description";
const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Returns the publisher of these certificate authorities, as PEM. */
export function rootCaController(bundle: () => string): Controller {
  return defineController({
    name: "root-ca-certificate-publisher-controller",
    user: "system:serviceaccount:kube-system:root-ca-cert-publisher",
    component: "root-ca-certificate-publisher-controller",
    watches: [
      watch<Namespace>(namespaces, function* (next, previous) {
        if (next && isActive(next) && !(previous && isActive(previous)))
          yield { namespace: "", name: next.metadata.name ?? "" };
      }),
      watch(configMaps, function* (next, previous) {
        const changed = next ?? previous;
        if (previous && changed?.metadata.name === configMapName)
          yield { namespace: "", name: changed.metadata.namespace ?? "" };
      }),
    ],
    reconcile({ name }, { client }) {
      const namespace = client.get(namespaces, "", name);
      if (!namespace || !isActive(namespace)) return;
      const caPem = bundle();
      const data = { "ca.crt": caPem };
      const configMap = client.get(configMaps, name, configMapName);
      if (!configMap) {
        const metadata = { namespace: name, name: configMapName, annotations: { [descriptionKey]: description } };
        client.create(configMaps, { metadata, data });
        return;
      }
      const annotations = configMap.metadata.annotations ?? {};
      const same = Object.keys(configMap.data ?? {}).length === 1 && configMap.data?.["ca.crt"] === caPem;
      if (same && annotations[descriptionKey] === description) return;
      const metadata = { ...configMap.metadata, annotations: { ...annotations, [descriptionKey]: description } };
      client.update(configMaps, { ...configMap, metadata, data });
      return undefined;
    },
  });
}
