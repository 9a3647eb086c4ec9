// The class of an Ingress, and the address of the sandbox's ingress controller.
import type { Ingress } from "../../../shared/k8s/api/networking-v1.ts";

/** The address of the ingress controller, which no load balancer gets. */
export const ingressAddress = "203.0.113.254";

const classAnnotation = "kubernetes.io/ingress.class";

/** Returns the class name of an Ingress; undefined if it has none. */
export function classOf({ metadata, spec }: Ingress): string | undefined {
  return spec.ingressClassName ?? metadata.annotations?.[classAnnotation];
}
