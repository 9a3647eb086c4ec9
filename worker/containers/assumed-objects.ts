// Creates the Secrets and ConfigMaps that software of an unknown image would create: certificates of an operator, say. A pod that cannot start
// without such an object gets it from a pod of the same release that runs, or ran, an unknown image and may create it.
import { base64OfText } from "../../shared/base/base64.ts";
import type { Images, Unknown } from "../../shared/contract/sandbox.ts";
import type { Pod } from "../../shared/k8s/api/core-v1.ts";
import type { Keys } from "../controllers/common/keys.ts";
import { issueCertificate, signerOf } from "../controllers/common/issue.ts";
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
import { exactImage, imageNamed } from "./images/image-lookup.ts";
import { type ImageSource, ownImagesOf } from "./images/own-images.ts";
import { type MissingObject, missingObjects } from "./missing-objects.ts";
import { unknownAnnotation } from "./run/unknown-policy.ts";

/** The time that the other software takes for it, after it has started. */
const creationMs = 3_000;
/** The time for which a program that has ended is remembered: a hook of a release deletes its Job before other pods start. */
const rememberedMs = 600_000;
const maxRemembered = 5;
const maxArgumentCharacters = 1_000;
/** Labels whose value is the same for all pods of a release. */
const releaseLabels = ["app.kubernetes.io/instance", "app.kubernetes.io/part-of", "release"];

export interface AssumedObjectsOptions {
  readonly keys: Keys;
  readonly images?: Images | undefined;
  /** The policy of the sandbox for software that the simulator lacks. */
  readonly unknown?: Unknown | undefined;
}

/** A pod with unknown software that may create objects in its namespace. */
interface Creator {
  readonly pod: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The texts of its containers, by which it names objects. */
  readonly text: string;
  /** The plural names of the kinds that it may create. */
  readonly plurals: readonly string[];
  readonly startMs: number;
  readonly hasEnded: boolean;
}

/** A request names a namespace. */
export function assumedObjects({ keys, images, unknown = "succeed" }: AssumedObjectsOptions): Controller {
  const source: ImageSource = { ownImages: ownImagesOf(images) };
  return defineController({
    name: "simulated-software",
    component: "simulated-software",
    watches: [
      watch<Pod>(pods, function* (next, previous, client): Generator<Request> {
        if (!next || (next.status.phase === previous?.status.phase && isWaiting(next) === isWaiting(previous))) return;
        const isRelevant = isWaiting(next)
          ? missingObjects(client, next).length > 0
          : isStarted(next) && creatorOf(next, client) !== undefined;
        if (isRelevant) yield { namespace: next.metadata.namespace ?? "", name: "" };
      }),
    ],
    reconcile({ namespace }, context) {
      const { client, nowMs, savedState } = context;
      const creators = new Map<string, Creator>();
      for (const creator of parseSavedState(savedState, nowMs)) creators.set(creator.pod, creator);
      const waitingPods: Pod[] = [];
      for (const pod of client.each(pods, { namespace })) {
        if (isWaiting(pod) && isAllowed(pod)) waitingPods.push(pod);
        const creator = isStarted(pod) ? creatorOf(pod, client) : undefined;
        if (creator) creators.set(creator.pod, creator);
      }
      const ended = [...creators.values()].filter(({ hasEnded }) => hasEnded).slice(-maxRemembered);
      let afterMs = ended.length > 0 ? rememberedMs : Number.POSITIVE_INFINITY;
      for (const pod of creators.size === 0 ? [] : waitingPods) {
        for (const object of missingObjects(client, pod)) {
          const creationTimeMs = creationMs + earliestStartMs(creators.values(), pod, object);
          if (creationTimeMs <= nowMs) createObject(object, pod, context, keys);
          else afterMs = Math.min(afterMs, creationTimeMs - nowMs);
        }
      }
      return afterMs === Number.POSITIVE_INFINITY ? undefined : { afterMs, savedState: JSON.stringify(ended) };
    },
  });

  function isAllowed({ metadata }: Pod): boolean {
    return (metadata.annotations?.[unknownAnnotation] ?? unknown) !== "fail";
  }

  /** Returns undefined if the images of a pod are known, or if it may create neither Secrets nor ConfigMaps. */
  function creatorOf(pod: Pod, client: Client): Creator | undefined {
    const { namespace = "", name = "", labels = {} } = pod.metadata;
    if (!isAllowed(pod) || !pod.spec.containers.some(({ image }) => isUnknown(image))) return undefined;
    const user = serviceAccountOf(pod);
    const attributes = { isResource: true, verb: "create", group: "", subresource: "", path: "", namespace, name: "" };
    const plurals = [secrets.plural, configMaps.plural].filter(
      (plural) => client.decide(user, { ...attributes, plural }).allowed,
    );
    if (plurals.length === 0) return undefined;
    const texts = pod.spec.containers.map(({ command, args, env }) => JSON.stringify([command, args, env]));
    return {
      pod: name,
      labels: Object.fromEntries(Object.entries(labels).filter(([label]) => releaseLabels.includes(label))),
      text: texts.join(" ").slice(0, maxArgumentCharacters),
      plurals,
      startMs: startMs(pod),
      hasEnded: pod.status.phase === "Succeeded",
    };
  }

  function isUnknown(text: string | undefined): boolean {
    const image = imageNamed(text, source);
    return image !== undefined && image.ownImage === undefined && exactImage(image) === undefined;
  }
}

function parseSavedState(savedState: string | undefined, nowMs: number): readonly Creator[] {
  const creators = JSON.parse(savedState ?? "[]") as readonly Creator[];
  return creators.filter((creator) => creator.startMs + rememberedMs > nowMs);
}

/** Returns when the first program started that creates an object for a pod; infinity if none does. */
function earliestStartMs(creators: Iterable<Creator>, waiting: Pod, { kind, name }: MissingObject): number {
  let earliestMs = Number.POSITIVE_INFINITY;
  for (const { pod, labels, text, plurals, startMs: creatorStartMs } of creators) {
    if (pod === waiting.metadata.name || !plurals.includes(kind.plural)) continue;
    const isSameRelease = Object.entries(labels).some(([label, value]) => waiting.metadata.labels?.[label] === value);
    if (isSameRelease || text.includes(name)) earliestMs = Math.min(earliestMs, creatorStartMs);
  }
  return earliestMs;
}

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

function serviceAccountOf({ metadata: { namespace = "" }, spec }: Pod) {
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  return { name: `system:serviceaccount:${namespace}:${spec.serviceAccountName ?? "default"}`, groups };
}

function createObject(
  { kind, name, keys: names }: MissingObject,
  pod: Pod,
  context: ReconcileContext,
  keys: Keys,
): void {
  const { client, random, event } = context;
  const { namespace = "" } = pod.metadata;
  const spec = { secretName: name, dnsNames: [`*.${namespace}.svc`], isCA: false, duration: "87600h" };
  const authority = issueCertificate({ ...spec, commonName: "ca", dnsNames: [], isCA: true }, undefined, keys, context);
  const { data } = issueCertificate(spec, signerOf({ data: authority.data }, keys), keys, context);
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
