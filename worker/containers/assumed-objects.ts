// Creates the Secrets and ConfigMaps that software of an unknown image would create: certificates of an operator, say. A pod that cannot start
// without such an object gets it if a pod of the same release runs an unknown image and its service account may create it.
import { base64OfText } from "../../shared/base/base64.ts";
import type { Images, Unknown } from "../../shared/contract/sandbox.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { Keys } from "../controllers/common/keys.ts";
import { issued, signerOf } from "../controllers/common/issue.ts";
import { configMaps } from "../kinds/core/config-map.ts";
import { pods } from "../kinds/core/pod/pod.ts";
import { secrets } from "../kinds/core/secret.ts";
import type { Client } from "../registry/client.ts";
import {
  type Controller,
  defineController,
  type ReconcileContext,
  type Request,
  watch,
} from "../runtime/controller.ts";
import { exactImage, imageNamed } from "./images/named.ts";
import { type ImageSource, ownImagesOf } from "./images/own.ts";
import { type MissingObject, missingObjects } from "./missing-objects.ts";
import { unknownAnnotation } from "./run/unknown-policy.ts";

/** The time that the other software takes for it, after it has started. */
const creationMs = 3_000;
/** Labels whose value is the same for all pods of a release. */
const releaseLabels = ["app.kubernetes.io/instance", "app.kubernetes.io/part-of", "release"];

export interface AssumedObjectsOptions {
  readonly keys: Keys;
  readonly images?: Images | undefined;
  /** The policy of the sandbox for software that the simulator lacks. */
  readonly unknown?: Unknown | undefined;
}

export function assumedObjects({ keys, images, unknown = "succeed" }: AssumedObjectsOptions): Controller {
  const source: ImageSource = { ownImages: ownImagesOf(images) };
  return defineController({
    name: "simulated-software",
    component: "simulated-software",
    watches: [
      watch<Pod>(pods, function* (next, previous, client): Generator<Request> {
        if (!next) return;
        if (isWaiting(next) && !isWaiting(previous) && missingObjects(client, next).length > 0) yield requestOf(next);
        // The authorizer answers faster than a list of pods.
        if (!isStarted(next) || isStarted(previous) || !isCreator(next, client)) return;
        for (const pod of client.each(pods, { namespace: next.metadata.namespace ?? "" }))
          if (isWaiting(pod) && missingObjects(client, pod).length > 0) yield requestOf(pod);
      }),
    ],
    reconcile({ namespace, name }, context) {
      const pod = context.client.get(pods, namespace, name);
      if (!pod || !isWaiting(pod) || !isAllowed(pod)) return undefined;
      const missing = missingObjects(context.client, pod);
      if (missing.length === 0) return undefined;
      let waitMs = Number.POSITIVE_INFINITY;
      for (const object of missing) {
        const readyMs = creationTimeMs(object, pod, context.client);
        if (readyMs <= context.nowMs) create(object, pod, context, keys);
        else waitMs = Math.min(waitMs, readyMs - context.nowMs);
      }
      return waitMs === Number.POSITIVE_INFINITY ? undefined : { afterMs: waitMs };
    },
  });

  function isAllowed({ metadata }: Pod): boolean {
    return (metadata.annotations?.[unknownAnnotation] ?? unknown) !== "fail";
  }

  /** Returns when an object is created by a pod of the same release; infinity if none creates it. */
  function creationTimeMs({ kind, name }: MissingObject, waiting: Pod, client: Client): number {
    const { namespace = "" } = waiting.metadata;
    let firstMs = Number.POSITIVE_INFINITY;
    for (const pod of client.each(pods, { namespace })) {
      if (!isStarted(pod) || pod.metadata.name === waiting.metadata.name) continue;
      if (!isOfRelease(pod, waiting) && !JSON.stringify(pod.spec.containers).includes(name)) continue;
      if (isCreator(pod, client, [kind])) firstMs = Math.min(firstMs, startMs(pod) + creationMs);
    }
    return firstMs;
  }

  /** Reports whether a pod runs an unknown image and may create objects of one of the kinds in its namespace. */
  function isCreator(
    pod: Pod,
    client: Client,
    kinds: readonly MissingObject["kind"][] = [secrets, configMaps],
  ): boolean {
    if (!isAllowed(pod) || !pod.spec.containers.some(({ image }) => isUnknown(image))) return false;
    const { namespace = "" } = pod.metadata;
    const user = serviceAccountOf(pod);
    return kinds.some(({ plural }) => client.decide(user, { ...creation, plural, namespace, name: "" }).allowed);
  }

  function isUnknown(text: string | undefined): boolean {
    const image = imageNamed(text, source);
    return image !== undefined && image.own === undefined && exactImage(image) === undefined;
  }
}

const creation = { isResource: true, verb: "create", group: "", subresource: "", path: "" };

function isWaiting(pod: Pod | undefined): boolean {
  return (
    pod?.status.phase === "Pending" && pod.spec.nodeName !== undefined && pod.metadata.deletionTimestamp === undefined
  );
}

function isStarted(pod: Pod | undefined): boolean {
  return pod?.status.phase === "Running" || pod?.status.phase === "Succeeded";
}

function startMs({ status }: Pod): number {
  const times = (status.containerStatuses ?? []).map(({ state }) =>
    Date.parse(state.running?.startedAt ?? state.terminated?.startedAt ?? ""),
  );
  return Math.max(0, ...times.filter((time) => !Number.isNaN(time)));
}

function isOfRelease({ metadata }: Pod, other: Pod): boolean {
  return releaseLabels.some((label) => {
    const value = metadata.labels?.[label];
    return value !== undefined && value === other.metadata.labels?.[label];
  });
}

function serviceAccountOf({ metadata: { namespace = "" }, spec }: Pod) {
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  return { name: `system:serviceaccount:${namespace}:${spec.serviceAccountName ?? "default"}`, groups };
}

function requestOf({ metadata: { namespace = "", name = "" } }: Pod): Request {
  return { namespace, name };
}

function create({ kind, name, keys: names }: MissingObject, pod: Pod, context: ReconcileContext, keys: Keys): void {
  const { client, random, event } = context;
  const { namespace = "" } = pod.metadata;
  const spec = { secretName: name, dnsNames: [`*.${namespace}.svc`], isCA: false, duration: "87600h" };
  const authority = issued({ ...spec, commonName: "ca", dnsNames: [], isCA: true }, undefined, keys, context);
  const { data } = issued(spec, signerOf({ data: authority.data }, keys), keys, context);
  const certificateFiles = ["ca.crt", "tls.crt", "tls.key"];
  const entries = (names.length > 0 ? names : certificateFiles).map((key): [string, string] => [
    key,
    data[fileLike(key)] ?? base64OfText(random.suffix(16)),
  ]);
  if (kind.kind === secrets.kind) {
    client.create(secrets, { metadata: { namespace, name }, type: "Opaque", data: Object.fromEntries(entries) });
  } else {
    const binaryData = Object.fromEntries(entries.filter(([key]) => !key.endsWith(".key")));
    client.create(configMaps, { metadata: { namespace, name }, binaryData });
  }
  event(
    pod,
    "Normal",
    "Simulated",
    `Not simulated, assumed that a program of the same release creates it: ${kind.kind} ${name}`,
  );
}

/** Returns the file of a certificate that a key of a Secret names: `server-key.pem` is a key. */
function fileLike(key: string): string {
  if (/key/.test(key)) return "tls.key";
  if (/\bca\b|root/.test(key)) return "ca.crt";
  return /crt|cert|pem/.test(key) ? "tls.crt" : "";
}
