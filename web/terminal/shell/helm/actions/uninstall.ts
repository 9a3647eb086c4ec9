// `helm uninstall`.
import { asError } from "../../../../kubectl/errors.ts";
import { sortedByKind, sortManifests, splitManifests, uninstallOrder } from "../chart/manifests.ts";
import { readYaml } from "../../../../../shared/schema/yaml/read.ts";
import { isObject } from "../../../../../shared/schema/json-values.ts";
import { buildResources, deleteResources, isKept, type Resource } from "../release/resources.ts";
import { type Release, timestamp } from "../release/release.ts";
import { ReleaseNotFound } from "../release/storage.ts";
import { waitUntilGone } from "../release/wait.ts";
import { type Context, waiterOf } from "./context.ts";
import { runHooks } from "./hooks.ts";
import { nameProblem } from "../release/names.ts";

export interface UninstallOptions {
  readonly keepsHistory: boolean;
  readonly skipsHooks: boolean;
  readonly timeoutMs: number;
  readonly waits?: boolean;
  readonly isDry?: boolean;
  readonly ignoresMissing?: boolean;
  readonly propagation?: string;
  readonly description?: string;
}

/** Returns what to tell the user beside the success, or undefined if the release was missing and that is no error. */
export async function uninstall(
  context: Context,
  name: string,
  options: UninstallOptions,
): Promise<string | undefined> {
  const { storage, surroundings } = context;
  if (nameProblem(name)) throw new Error(`uninstall: Release name is invalid: ${name}`);
  let releases: Release[];
  try {
    releases = await storage.history(name);
  } catch (error) {
    if (!(error instanceof ReleaseNotFound)) throw error;
    if (options.ignoresMissing) return undefined;
    throw new Error(`uninstall: Release not loaded: ${name}: ${error.message}`);
  }
  const release = releases.at(-1);
  if (!release || options.isDry) return "";
  if (release.info.status === "uninstalled") {
    if (options.keepsHistory) throw new Error(`the release named ${JSON.stringify(name)} is already deleted`);
    for (const old of releases) await storage.delete(old);
    return "";
  }
  release.info.status = "uninstalling";
  release.info.deleted = timestamp(surroundings.clock.nowMs());
  release.info.description = "Deletion in progress (or silently failed)";
  if (!options.skipsHooks) await runHooks(context, release, "pre-delete", options.timeoutMs);
  await storage.update(release).catch(() => undefined);
  const { retained, resources } = await resourcesToDelete(context, release);
  const problems = await deleteResources(context.cluster, resources, propagationOf(options.propagation));
  if (problems.length > 0) throw new Error(`failed to delete release: ${name}`);
  const errors: Error[] = [];
  const attempt = async (work: Promise<void>) => {
    await work.catch((error: unknown) => errors.push(asError(error)));
  };
  if (options.waits) await attempt(waitUntilGone(waiterOf(context, options.timeoutMs), resources));
  if (!options.skipsHooks) await attempt(runHooks(context, release, "post-delete", options.timeoutMs));
  release.info.status = "uninstalled";
  release.info.description = options.description || "Uninstallation complete";
  if (options.keepsHistory) {
    await storage.update(release);
    for (const old of releases) {
      if (old.info.status !== "deployed") continue;
      old.info.status = "superseded";
      await storage.update(old);
    }
  } else for (const old of releases) await storage.delete(old);
  if (errors.length > 0)
    throw new Error(
      `uninstallation completed with ${errors.length} error(s): ${errors.map(({ message }) => message).join("; ")}`,
    );
  return retained === "" ? "" : `These resources were kept due to the resource policy:\n${retained}`;
}

function propagationOf(cascade: string | undefined): string {
  return cascade === "orphan" ? "Orphan" : cascade === "foreground" ? "Foreground" : "Background";
}

async function resourcesToDelete(
  { cluster, warn }: Context,
  release: Release,
): Promise<{ retained: string; resources: readonly Resource[] }> {
  const outputs = new Map(
    splitManifests(release.manifest).map((text, at) => [`manifest-${String(at).padStart(6, "0")}`, text]),
  );
  const manifests = sortedByKind(sortManifests(outputs, warn).manifests, uninstallOrder);
  const keeps = (text: string) => {
    const { value } = readYaml(text);
    return isObject(value) && isKept(value);
  };
  const retained = manifests.filter(({ text }) => keeps(text));
  const resources = await buildResources(
    cluster,
    manifests
      .filter((manifest) => !retained.includes(manifest))
      .map(({ text }) => `\n---\n${text}`)
      .join(""),
    release.namespace,
  ).catch(() => {
    throw new Error(`failed to delete release: ${release.name}`);
  });
  return { retained: retained.map(({ kind, name }) => `[${kind}] ${name}\n`).join(""), resources };
}
