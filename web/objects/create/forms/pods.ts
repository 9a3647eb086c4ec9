// The forms of kinds that run pods.
import type { JsonObject } from "../../../../shared/schema/json-values.ts";
import { type FormField, type KindForm, metadataOf, numberIn, optional, pairsIn, type Values } from "./form.ts";

const name: FormField = { id: "name", form: "text", initial: "web" };
const image: FormField = { id: "image", form: "text", initial: "nginx:1.27" };
const port: FormField = { id: "port", form: "count", initial: "80" };
const command: FormField = { id: "command", form: "text", initial: "" };
const environment: FormField = { id: "environment", form: "pairs", initial: "" };
const cpu: FormField = { id: "cpu", form: "text", initial: "" };
const memory: FormField = { id: "memory", form: "text", initial: "" };
const replicas: FormField = { id: "replicas", form: "count", initial: "2" };
const serverFields = [port, command, environment, cpu, memory];

const task: FormField = { id: "command", form: "text", initial: "echo hello" };
const taskImage: FormField = { id: "image", form: "text", initial: "busybox:1.36" };
const taskName: FormField = { id: "name", form: "text", initial: "hello" };

export const podForm: KindForm = {
  kind: "Pod",
  fields: [
    name,
    image,
    ...serverFields,
    { id: "restartPolicy", form: "choice", initial: "Always", among: ["Always", "OnFailure", "Never"] },
  ],
  objectOf: (values) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...metadataOf(values), labels: labelsOf(values) },
    spec: {
      containers: [containerOf(values)],
      ...(values["restartPolicy"] === "Always" ? {} : optional("restartPolicy", values["restartPolicy"])),
    },
  }),
};

export const deploymentForm: KindForm = {
  kind: "Deployment",
  fields: [name, image, replicas, ...serverFields],
  objectOf: (values) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: metadataOf(values),
    spec: { ...optional("replicas", numberIn(values["replicas"] ?? "")), ...podsOf(values) },
  }),
};

export const statefulSetForm: KindForm = {
  kind: "StatefulSet",
  fields: [
    { ...name, initial: "db" },
    { ...image, initial: "postgres:17" },
    replicas,
    { ...port, initial: "5432" },
    command,
    { ...environment, initial: "POSTGRES_PASSWORD=secret" },
    { id: "storage", form: "text", initial: "1Gi" },
    { id: "mountPath", form: "text", initial: "/var/lib/postgresql/data" },
  ],
  objectOf: (values) => {
    const storage = (values["storage"] ?? "").trim();
    const mounts = storage && [{ name: "data", mountPath: values["mountPath"] ?? "" }];
    return {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: metadataOf(values),
      spec: {
        serviceName: values["name"] ?? "",
        ...optional("replicas", numberIn(values["replicas"] ?? "")),
        ...podsOf(values, optional("volumeMounts", mounts)),
        ...(storage
          ? {
              volumeClaimTemplates: [
                {
                  metadata: { name: "data" },
                  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
                },
              ],
            }
          : {}),
      },
    };
  },
};

export const jobForm: KindForm = {
  kind: "Job",
  fields: [
    taskName,
    taskImage,
    task,
    environment,
    { id: "completions", form: "count", initial: "1" },
    { id: "parallelism", form: "count", initial: "1" },
    { id: "backoffLimit", form: "count", initial: "3" },
  ],
  objectOf: (values) => ({ apiVersion: "batch/v1", kind: "Job", metadata: metadataOf(values), spec: jobSpec(values) }),
};

export const cronJobForm: KindForm = {
  kind: "CronJob",
  fields: [
    taskName,
    { id: "schedule", form: "text", initial: "*/5 * * * *" },
    taskImage,
    task,
    environment,
    { id: "concurrencyPolicy", form: "choice", initial: "Allow", among: ["Allow", "Forbid", "Replace"] },
  ],
  objectOf: (values) => ({
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: metadataOf(values),
    spec: {
      schedule: values["schedule"] ?? "",
      ...(values["concurrencyPolicy"] === "Allow" ? {} : optional("concurrencyPolicy", values["concurrencyPolicy"])),
      jobTemplate: { spec: jobSpec(values) },
    },
  }),
};

function labelsOf({ name: app = "" }: Values): JsonObject {
  return { app };
}

function podsOf(values: Values, more: JsonObject = {}): JsonObject {
  const labels = labelsOf(values);
  return {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ ...containerOf(values), ...more }] } },
  };
}

function jobSpec(values: Values): JsonObject {
  const counts = ["completions", "parallelism", "backoffLimit"].map((id) => optional(id, numberIn(values[id] ?? "")));
  const countFields = Object.fromEntries(counts.flatMap((count) => Object.entries(count)));
  return {
    ...countFields,
    template: { spec: { restartPolicy: "Never", containers: [containerOf(values)] } },
  };
}

function containerOf(values: Values): JsonObject {
  const line = (values["command"] ?? "").trim();
  const containerPort = numberIn(values["port"] ?? "");
  const requests = {
    ...optional("cpu", (values["cpu"] ?? "").trim()),
    ...optional("memory", (values["memory"] ?? "").trim()),
  };
  return {
    name: values["name"] ?? "",
    image: (values["image"] ?? "").trim(),
    ...(line ? { command: ["sh", "-c", line] } : {}),
    ...(containerPort === undefined ? {} : { ports: [{ containerPort }] }),
    ...optional(
      "env",
      pairsIn(values["environment"] ?? "").map(([key, value]) => ({ name: key, value })),
    ),
    ...(Object.keys(requests).length > 0 ? { resources: { requests } } : {}),
  };
}
