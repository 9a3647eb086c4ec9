// The forms of Services, Ingresses, settings and claims.
import type { JsonObject } from "../../../../shared/schema/json-values.ts";
import { type FormField, type KindForm, metadataOf, numberIn, optional, pairsIn } from "./form.ts";

const name: FormField = { id: "name", form: "text", initial: "web" };

export const serviceForm: KindForm = {
  kind: "Service",
  fields: [
    name,
    { id: "type", form: "choice", initial: "ClusterIP", among: ["ClusterIP", "NodePort", "LoadBalancer"] },
    { id: "selector", form: "pairs", initial: "app=web" },
    { id: "port", form: "count", initial: "80" },
    { id: "targetPort", form: "text", initial: "" },
  ],
  objectOf: (values) => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: metadataOf(values),
    spec: {
      ...(values["type"] === "ClusterIP" ? {} : optional("type", values["type"])),
      ...optional("selector", objectOf(values["selector"])),
      ports: [
        {
          ...optional("port", numberIn(values["port"] ?? "")),
          ...optional("targetPort", numberIn(values["targetPort"] ?? "")),
        },
      ],
    },
  }),
};

export const ingressForm: KindForm = {
  kind: "Ingress",
  fields: [
    name,
    { id: "host", form: "text", initial: "web.example.com" },
    { id: "path", form: "text", initial: "/" },
    { id: "service", form: "text", initial: "web" },
    { id: "port", form: "text", initial: "80" },
    { id: "ingressClass", form: "text", initial: "" },
  ],
  objectOf: (values) => {
    const port = numberIn(values["port"] ?? "");
    const service = {
      name: values["service"] ?? "",
      port: typeof port === "number" ? { number: port } : { name: port },
    };
    return {
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: metadataOf(values),
      spec: {
        ...optional("ingressClassName", (values["ingressClass"] ?? "").trim()),
        rules: [
          {
            ...optional("host", (values["host"] ?? "").trim()),
            http: { paths: [{ path: values["path"] || "/", pathType: "Prefix", backend: { service } }] },
          },
        ],
      },
    };
  },
};

export const configMapForm: KindForm = {
  kind: "ConfigMap",
  fields: [
    { ...name, initial: "settings" },
    { id: "data", form: "pairs", initial: "LOG_LEVEL=info" },
  ],
  objectOf: (values) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: metadataOf(values),
    ...optional("data", objectOf(values["data"])),
  }),
};

export const secretForm: KindForm = {
  kind: "Secret",
  fields: [
    { ...name, initial: "credentials" },
    { id: "data", form: "pairs", initial: "password=" },
  ],
  objectOf: (values) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: metadataOf(values),
    ...optional("stringData", objectOf(values["data"])),
  }),
};

export const claimForm: KindForm = {
  kind: "PersistentVolumeClaim",
  fields: [
    { ...name, initial: "data" },
    { id: "storage", form: "text", initial: "1Gi" },
    {
      id: "accessMode",
      form: "choice",
      initial: "ReadWriteOnce",
      among: ["ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany", "ReadWriteOncePod"],
    },
    { id: "storageClass", form: "text", initial: "" },
  ],
  objectOf: (values) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: metadataOf(values),
    spec: {
      accessModes: [values["accessMode"] ?? ""],
      ...optional("storageClassName", (values["storageClass"] ?? "").trim()),
      resources: { requests: { storage: (values["storage"] ?? "").trim() } },
    },
  }),
};

function objectOf(text: string | undefined): JsonObject {
  return Object.fromEntries(pairsIn(text ?? ""));
}
