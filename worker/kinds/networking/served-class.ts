// The class of an Ingress, and the address of the sandbox's ingress controller.
import type { Ingress } from "../../../shared/k8s/api/networking-v1.ts";

/** Where their controller listens; no load balancer gets it. */
export const ingressAddress = "203.0.113.254";

const classAnnotation = "kubernetes.io/ingress.class";

/** The name of an Ingress' class; undefined where it has none. */
export function classOf({ metadata, spec }: Ingress): string | undefined {
  return spec.ingressClassName ?? metadata.annotations?.[classAnnotation];
}
