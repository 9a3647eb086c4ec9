// A definition that uses most features, like that of an operator.
import type { CustomResourceDefinitionVersion } from "../../../shared/k8s/api/apiextensions-v1.ts";

export const widgetSchema = {
  type: "object",
  required: ["spec"],
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 1, maximum: 10 },
        color: { type: "string", enum: ["red", "green", "blue"], default: "red" },
        label: { type: "string", maxLength: 5, pattern: "^[a-z]+$" },
        replicas: { type: "integer", format: "int32" },
        port: { "x-kubernetes-int-or-string": true },
        note: { type: "string", nullable: true },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        parts: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: {
            type: "object",
            required: ["name"],
            properties: { name: { type: "string" }, count: { type: "integer", default: 1 } },
          },
        },
        tags: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
    },
    status: {
      type: "object",
      properties: { phase: { type: "string" }, replicas: { type: "integer" }, selector: { type: "string" } },
    },
  },
} as const;

/** Returns version v1 of the definition of widgets, with changes. */
export function widgetVersion(change: object = {}): CustomResourceDefinitionVersion {
  // The form in which a client may write it.
  return {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: widgetSchema },
    subresources: {
      status: {},
      scale: {
        specReplicasPath: ".spec.replicas",
        statusReplicasPath: ".status.replicas",
        labelSelectorPath: ".status.selector",
      },
    },
    additionalPrinterColumns: [
      { name: "Size", type: "integer", jsonPath: ".spec.size" },
      { name: "Phase", type: "string", jsonPath: ".status.phase" },
      { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    ],
    selectableFields: [{ jsonPath: ".spec.color" }],
    ...change,
  } as unknown as CustomResourceDefinitionVersion;
}

export function widgetDefinition(versions: readonly object[] = [widgetVersion()], spec: object = {}) {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget", shortNames: ["wd"], categories: ["all"] },
      versions,
      ...spec,
    },
  };
}

export function widget(name: string, spec: object = { size: 3 }, metadata: object = {}, version = "v1") {
  return { apiVersion: `example.com/${version}`, kind: "Widget", metadata: { name, ...metadata }, spec };
}

export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const widgets = "/apis/example.com/v1/namespaces/default/widgets";
