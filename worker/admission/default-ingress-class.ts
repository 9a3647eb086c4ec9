// DefaultIngressClass: sets the default class of an Ingress without one.
import { defaultClassAnnotation, ingressClasses } from "../kinds/networking/ingress-class.ts";
import { ingresses } from "../kinds/networking/ingress.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { newest } from "./common/default-class.ts";
import { writtenObject } from "./common/handled.ts";

export const defaultIngressClass: AdmissionPlugin = {
  name: "DefaultIngressClass",
  mutate(request) {
    const ingress = writtenObject(ingresses, request, "CREATE")?.object;
    if (!ingress || ingress.spec.ingressClassName !== undefined) return;
    if (ingress.metadata.annotations?.["kubernetes.io/ingress.class"] !== undefined) return;
    const marked = [...request.context.list(ingressClasses)].filter(
      ({ metadata }) => metadata.annotations?.[defaultClassAnnotation] === "true",
    );
    const name = newest(marked)?.metadata.name;
    if (name !== undefined) ingress.spec.ingressClassName = name;
  },
};
