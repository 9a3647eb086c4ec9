// The classes of Ingresses that the sandbox serves: those of ingress-nginx's controller, and its own.
import type { IngressClass } from "../../../../shared/k8s/api/networking-v1.ts";

const controllers = new Set(["k8s.io/ingress-nginx", "sandbar.dev/ingress"]);

export function isServedClass(ingressClass: IngressClass | undefined): boolean {
  return controllers.has(ingressClass?.spec.controller ?? "");
}
