// The simulated ingress controller: sets its only address on every Ingress of its class.
import type { Ingress, IngressClass, IngressStatus } from "../../../../shared/k8s/api/networking-v1.ts";
import { semanticEqual } from "../../../../shared/k8s/equal.ts";
import { ingressClasses } from "../../../kinds/networking/ingress-class.ts";
import { ingresses } from "../../../kinds/networking/ingress.ts";
import { classOf, ingressAddress } from "../../../kinds/networking/served-class.ts";
import { isServedClass } from "./served-class.ts";
import type { Client } from "../../../registry/client.ts";
import { type Request, defineController, requestOf, watch } from "../../../runtime/controller.ts";

const served: IngressStatus = { loadBalancer: { ingress: [{ ip: ingressAddress }] } };
const unserved: IngressStatus = { loadBalancer: {} };

export const ingressStatusController = defineController({
  name: "simulated-ingress-controller",
  user: "system:serviceaccount:kube-system:ingress-controller",
  component: "nginx-ingress-controller",
  watches: [
    watch<Ingress>(ingresses, function* (next, _, client): Generator<Request> {
      if (next && (isOurs(next, client) || hasOurs(next))) yield requestOf(next);
    }),
    watch<IngressClass>(ingressClasses, function* (next, previous, client): Generator<Request> {
      if (!isServedClass(next) && !isServedClass(previous)) return;
      for (const ingress of client.each(ingresses)) {
        if (classOf(ingress) === (next ?? previous)?.metadata.name) yield requestOf(ingress);
      }
    }),
  ],
  reconcile({ namespace, name }, { client, event }) {
    const ingress = client.get(ingresses, namespace, name);
    if (!ingress || ingress.metadata.deletionTimestamp) return undefined;
    const isServed = isOurs(ingress, client);
    const status = isServed ? served : unserved;
    if (semanticEqual(ingress.status, status) || (!isServed && !hasOurs(ingress))) return undefined;
    if (isServed) event(ingress, "Normal", "Sync", "Scheduled for sync");
    client.updateStatus(ingresses, { ...ingress, status });
    return undefined;
  },
});

function isOurs(ingress: Ingress, client: Client): boolean {
  return isServedClass(client.get(ingressClasses, "", classOf(ingress) ?? ""));
}

function hasOurs({ status }: Ingress): boolean {
  return status.loadBalancer.ingress?.some(({ ip }) => ip === ingressAddress) ?? false;
}
