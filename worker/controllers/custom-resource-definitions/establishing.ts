// Establishes definitions whose names are accepted, which starts serving them (upstream: the establishing controller).
import { path } from "../../../shared/k8s/field.ts";
import { rfc3339 } from "../../../shared/k8s/time.ts";
import { isTrue, setCondition } from "../../kinds/apiextensions/custom-resource-definition/conditions.ts";
import { validateCaBundle } from "../../kinds/apiextensions/custom-resource-definition/conversion.ts";
import { customResourceDefinitions } from "../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { defineController, self } from "../../runtime/controller.ts";

export const crdEstablishingController = defineController({
  name: "crd-establishing-controller",
  user: "system:apiserver",
  component: "crd-establishing-controller",
  watches: [
    self(
      customResourceDefinitions,
      (next) => next !== undefined && isTrue(next, "NamesAccepted") && !isTrue(next, "Established"),
    ),
  ],
  reconcile({ name }, { client, nowMs }) {
    const definition = client.get(customResourceDefinitions, "", name);
    if (!definition || !isTrue(definition, "NamesAccepted") || isTrue(definition, "Established")) return undefined;
    const bundle = definition.spec.conversion?.webhook?.clientConfig?.caBundle;
    const isBad = Boolean(bundle) && validateCaBundle(bundle ?? "", path("")).length > 0;
    const state = isBad
      ? { status: "False", reason: "InvalidCABundle", message: "The conversion webhook CABundle is invalid" }
      : { status: "True", reason: "InitialNamesAccepted", message: "the initial names have been accepted" };
    const condition = { type: "Established", ...state };
    const conditions = setCondition(definition.status.conditions, condition, rfc3339(nowMs));
    client.updateStatus(customResourceDefinitions, { ...definition, status: { ...definition.status, conditions } });
    return undefined;
  },
});
