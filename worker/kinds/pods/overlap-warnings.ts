// What the API warns of where files of one volume stand in each other's way: upstream's `warningsForOverlappingVirtualPaths`.
import { trimmedEnd } from "../../../shared/base/trim.ts";
import type { Volume, VolumeProjection } from "../../../shared/k8s/api/core-v1.ts";

interface Placed {
  readonly path: string;
  readonly source: string;
}

export function overlapWarnings(volumes: readonly Volume[]): string[] {
  return volumes.flatMap(({ name, configMap, secret, downwardAPI, projected }) => [
    ...overlaps(`volume ${quoted(name)} (ConfigMap ${quoted(configMap?.name)})`, placed(configMap?.items)),
    ...overlaps(`volume ${quoted(name)} (Secret ${quoted(secret?.secretName)})`, placed(secret?.items)),
    ...overlaps(`volume ${quoted(name)} (DownwardAPI)`, placed(downwardAPI?.items)),
    ...(projected?.sources ?? [])
      .filter((source) => Object.keys(source).length === 0)
      .map(() => `volume ${quoted(name)} (Projected) has no sources provided`),
    ...overlaps(`volume ${quoted(name)} (Projected)`, (projected?.sources ?? []).flatMap(ofSource)),
  ]);
}

function quoted(text = ""): string {
  return JSON.stringify(text);
}

function placed(items: readonly { readonly path: string }[] | undefined, source = ""): Placed[] {
  return (items ?? []).map(({ path }) => ({ path, source }));
}

function ofSource(one: VolumeProjection): Placed[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle: bundle, podCertificate } = one;
  if (configMap?.items) return placed(configMap.items, `ConfigMap ${quoted(configMap.name)}`);
  if (secret?.items) return placed(secret.items, `Secret ${quoted(secret.name)}`);
  if (downwardAPI?.items) return placed(downwardAPI.items, "DownwardAPI");
  if (serviceAccountToken) return [{ path: serviceAccountToken.path, source: "ServiceAccountToken" }];
  if (bundle) return [{ path: bundle.path, source: `ClusterTrustBundle ${quoted(bundle.name ?? bundle.signerName)}` }];
  const { certificateChainPath = "", keyPath = "", credentialBundlePath = "" } = podCertificate ?? {};
  return [
    { path: certificateChainPath, source: "PodCertificate chain" },
    { path: keyPath, source: "PodCertificate key" },
    { path: credentialBundlePath, source: "PodCertificate credential bundle" },
  ].filter(({ path }) => path !== "");
}

/** Two of one path, or one inside the other. */
function overlaps(where: string, paths: readonly Placed[]): string[] {
  const bare = paths.map(({ path, source }) => ({ path: trimmedEnd(path, "/"), source }));
  return bare.flatMap((one, index) =>
    bare
      .slice(0, index)
      .filter((other) => one.path !== "" && other.path !== "" && isWithin(one.path, other.path))
      .map((other) => `${where}: overlapping paths: ${shown(one)} with ${shown(other)}`),
  );
}

function isWithin(a: string, b: string): boolean {
  return `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`);
}

function shown({ path, source }: Placed): string {
  return source === "" ? quoted(path) : `${quoted(path)} (${source})`;
}
