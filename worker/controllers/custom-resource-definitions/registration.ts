// Registers the served versions of definitions as Local APIServices (upstream: crd-autoregister).
import type { CustomResourceDefinition } from "../../../shared/k8s/api/apiextensions-v1.ts";
import { apiServices } from "../../kinds/apiregistration/api-service.ts";
import { customResourceDefinitions } from "../../kinds/apiextensions/custom-resource-definition/custom-resource-definition.ts";
import { defineController, self, watch } from "../../runtime/controller.ts";

const label = "kube-aggregator.kubernetes.io/automanaged";
const labels = { [label]: "true" };

export const crdRegistration = defineController({
  name: "crd-autoregister",
  user: "system:apiserver",
  component: "crd-autoregister",
  watches: [
    watch(customResourceDefinitions, (next, previous) => requests([next, previous])),
    self(apiServices, (next, previous) => (next ?? previous)?.metadata.labels?.[label] === "true"),
  ],
  reconcile({ name }, { client }) {
    const [version = "", ...rest] = name.split(".");
    const group = rest.join(".");
    const apiService = client.get(apiServices, "", name);
    // An APIService that a user created is not changed.
    if (apiService && apiService.metadata.labels?.[label] !== "true") return undefined;
    const isServed = client.list(customResourceDefinitions).some((definition) => serves(definition, group, version));
    if (apiService && !isServed) client.delete(apiServices, "", name);
    if (apiService || !isServed) return undefined;
    const spec = { group, version, groupPriorityMinimum: 1000, versionPriority: 100 };
    client.create(apiServices, { metadata: { name, labels }, spec });
    return undefined;
  },
});

function* requests(definitions: readonly (CustomResourceDefinition | undefined)[]) {
  const names = definitions.flatMap((definition) =>
    (definition?.spec.versions ?? []).map(({ name }) => `${name}.${definition?.spec.group ?? ""}`),
  );
  for (const name of new Set(names)) yield { namespace: "", name };
}

function serves({ spec }: CustomResourceDefinition, group: string, version: string): boolean {
  return spec.group === group && spec.versions.some(({ name, served }) => name === version && served);
}
