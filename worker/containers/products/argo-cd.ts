// The Secrets that Argo CD creates at its installation: the password of its Redis, which its pods wait for, and that of its administrator.
import type { Deployment } from "../../../shared/k8s/api/apps-v1.ts";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import { base64OfText } from "../../../shared/base/base64.ts";
import { deployments } from "../../kinds/apps/deployment.ts";
import { pods } from "../../kinds/core/pod/pod.ts";
import { secrets } from "../../kinds/core/secret.ts";
import { defineController, type Request, watch } from "../../runtime/controller.ts";
import { isAvailable, runsImage } from "./common/running-image.ts";
import type { Product } from "./module.ts";

const image = /\/argocd(:|@|$)/;
/** The key of each Secret. */
const secretKeys: Readonly<Record<string, string>> = {
  "argocd-redis": "auth",
  "argocd-initial-admin-secret": "password",
};

const controller = defineController({
  name: "simulated-argo-cd",
  user: "system:serviceaccount:argocd:argocd-server",
  component: "argocd-server",
  watches: [
    watch<Pod>(pods, function* (next): Generator<Request> {
      // The manifests create the password in an init container, the chart in a Job.
      const containers = [...(next?.spec.initContainers ?? []), ...(next?.spec.containers ?? [])];
      const isAsked = containers.some(({ command }) => command?.includes("redis-initial-password"));
      if (isAsked) yield { namespace: next?.metadata.namespace ?? "", name: "argocd-redis" };
    }),
    watch<Deployment>(deployments, function* (next): Generator<Request> {
      if (next?.metadata.name !== "argocd-server" || !runsImage(next, image) || !isAvailable(next)) return;
      yield { namespace: next.metadata.namespace ?? "", name: "argocd-initial-admin-secret" };
    }),
  ],
  reconcile({ namespace, name }, { client, random }) {
    const key = Object.hasOwn(secretKeys, name) ? secretKeys[name] : undefined;
    if (key === undefined || client.get(secrets, namespace, name)) return undefined;
    client.create(secrets, {
      metadata: { namespace, name },
      type: "Opaque",
      data: { [key]: base64OfText(random.suffix(16)) },
    });
    return undefined;
  },
});

export const argoCd: Product = { names: ["argo-cd"], controllers: () => [controller] };
