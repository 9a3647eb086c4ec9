// The files that a container finds under its mounts: ConfigMaps, Secrets, the downward API and its token.
import { limits } from "../../../shared/base/limits.ts";
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { Container, KeyToPath, Pod, Volume, VolumeMount } from "../../../shared/k8s/api/core-v1.ts";
import { knownImage } from "../images/catalogue.ts";
import { systemFiles } from "../images/files.ts";
import { type ImageReference, parseImage } from "../images/reference.ts";
import { type Files, newFiles } from "../shell/files.ts";
import { fieldOf, resourceOf } from "./environment.ts";
import { hostFiles } from "./host-files.ts";
import { networkFiles } from "./hosts.ts";
import { processFiles } from "./identity.ts";
import type { ClusterView } from "./world.ts";

export interface Mounted {
  readonly files: Files;
  readonly readOnly: readonly string[];
}

export function mountedFiles(pod: Pod, container: Container, view: ClusterView): Mounted {
  const files = newFiles();
  const readOnly: string[] = [];
  const reference = parseImage(container.image ?? "");
  const own = "error" in reference ? {} : imageFiles(reference);
  for (const [path, text] of Object.entries(own)) files.set(path, { text, mode: 0o644, changedMs: 0 });
  const volumes = new Map(pod.spec.volumes?.map((one) => [one.name, one]));
  for (const mount of container.volumeMounts ?? []) {
    // More than it can hold: whatever it does, it has no memory for it.
    if (files.bytes > limits.containerHeldBytes) break;
    const volume = volumes.get(mount.name);
    const texts = volume && textsOf(pod, container, volume, view);
    const at = trimmedEnd(mount.mountPath, "/");
    if (texts || mount.readOnly) readOnly.push(at);
    place(files, at, mount, texts ?? (volume && hostFiles(pod, volume)) ?? {});
  }
  // The kubelet's own stand above all but what is mounted in their very place.
  const mounted = new Set(container.volumeMounts?.map(({ mountPath }) => mountPath));
  for (const [path, text] of Object.entries({ ...networkFiles(pod), ...processFiles(pod, container) })) {
    if (!mounted.has(path)) files.set(path, { text, mode: 0o644, changedMs: 0 });
  }
  return { files, readOnly };
}

function imageFiles(reference: ImageReference): Readonly<Record<string, string>> {
  const known = knownImage(reference);
  if (!known || known.programs === "none") return known?.files ?? {};
  const worker = reference.base.startsWith("nginx") ? "nginx" : undefined;
  return { ...systemFiles(reference.base, reference.tag ?? "", worker), ...known.files };
}

function place(files: Files, at: string, { subPath = "" }: VolumeMount, texts: Readonly<Record<string, string>>): void {
  const entry = (text: string | undefined) => ({ text, mode: text === undefined ? 0o755 : 0o644, changedMs: 0 });
  const single = texts[subPath];
  if (single !== undefined) {
    files.set(at, entry(single));
    return;
  }
  // What the image has there is hidden.
  files.remove(at);
  files.set(at, entry(undefined));
  for (const [path, text] of Object.entries(texts)) {
    if (subPath === "") files.set(`${at}/${path}`, entry(text));
    else if (path.startsWith(`${subPath}/`)) files.set(at + path.slice(subPath.length), entry(text));
  }
}

/** By path within the volume; undefined if the volume is one to write into. */
function textsOf(
  pod: Pod,
  container: Container,
  { configMap, secret, downwardAPI, projected }: Volume,
  view: ClusterView,
): Readonly<Record<string, string>> | undefined {
  const namespace = pod.metadata.namespace ?? "";
  const sources = [
    ...(configMap ? [{ configMap }] : []),
    ...(secret ? [{ secret: { name: secret.secretName, ...(secret.items ? { items: secret.items } : {}) } }] : []),
    ...(downwardAPI ? [{ downwardAPI }] : []),
    ...(projected?.sources ?? []),
  ];
  if (!configMap && !secret && !downwardAPI && !projected) return undefined;
  const texts: Record<string, string> = {};
  for (const source of sources) {
    if (source.configMap)
      Object.assign(
        texts,
        picked(view.data("configmap", namespace, source.configMap.name ?? "", true), source.configMap.items),
      );
    if (source.secret)
      Object.assign(texts, picked(view.data("secret", namespace, source.secret.name ?? ""), source.secret.items));
    for (const { path, fieldRef, resourceFieldRef } of source.downwardAPI?.items ?? []) {
      if (fieldRef) texts[path] = fieldOf(pod, fieldRef.fieldPath);
      else if (resourceFieldRef) texts[path] = resourceOf(pod, container, resourceFieldRef);
    }
    if ("serviceAccountToken" in source && source.serviceAccountToken) {
      texts[source.serviceAccountToken.path] = view.token(pod, source.serviceAccountToken);
    }
  }
  return texts;
}

function picked(
  data: Readonly<Record<string, string>> | undefined,
  items: readonly KeyToPath[] | undefined,
): Record<string, string> {
  if (!items?.length) return { ...data };
  return Object.fromEntries(items.flatMap(({ key, path }) => (data?.[key] === undefined ? [] : [[path, data[key]]])));
}
