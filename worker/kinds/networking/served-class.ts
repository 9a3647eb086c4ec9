// Which Ingresses the sandbox serves: those of a class whose controller is ingress-nginx, or the sandbox's own.
import type { Ingress, IngressClass } from "../../../shared/k8s/api/networking-v1.ts";

/** The `spec.controller` of a class that is served. */
const controllers = new Set(["k8s.io/ingress-nginx", "sandbar.dev/ingress"]);

/** Where their controller listens; no load balancer gets it. */
export const ingressAddress = "203.0.113.254";

const classAnnotation = "kubernetes.io/ingress.class";

export function isServedClass(found: IngressClass | undefined): boolean {
  return controllers.has(found?.spec.controller ?? "");
}

/** The name of an Ingress' class; undefined where it has none. */
export function classOf({ metadata, spec }: Ingress): string | undefined {
  return spec.ingressClassName ?? metadata.annotations?.[classAnnotation];
}
