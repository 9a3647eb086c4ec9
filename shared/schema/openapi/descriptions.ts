// The documentation texts of the API, which only OpenAPI needs. They are loaded on first use.
import type { KubernetesVersion } from "../../k8s/settings/release.ts";
import type { Describe } from "./schema.ts";

type TextIndexes = Readonly<Record<string, Readonly<Record<string, number>>>>;

interface Descriptions {
  readonly texts: readonly string[];
  readonly types: TextIndexes;
}

interface ReleaseTexts {
  readonly texts: readonly string[];
  readonly releases: Readonly<Record<string, TextIndexes>>;
}

/** Loads the texts of an older release, or those of the newest one. The result looks them up by type and field. */
export async function loadDescriptions(older?: KubernetesVersion): Promise<Describe> {
  const module = await import("../facts/descriptions.json", { with: { type: "json" } });
  // The generated JSON has this form; its inferred type has a property per field of the API.
  const { texts, types } = module.default as unknown as Descriptions;
  const newest: Describe = (type, field) => textAt(texts, types[type]?.[field]);
  if (older === undefined) return newest;
  const changed = (await import("../facts/release-texts.json", { with: { type: "json" } })).default as unknown;
  // As above.
  const { texts: olderTexts, releases } = changed as ReleaseTexts;
  const indexes = releases[older] ?? {};
  return (type, field) => textAt(olderTexts, indexes[type]?.[field]) ?? newest(type, field);
}

function textAt(texts: readonly string[], index: number | undefined): string | undefined {
  return index === undefined ? undefined : texts[index];
}
