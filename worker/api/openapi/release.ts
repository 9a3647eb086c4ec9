// The release whose OpenAPI documents are served: its version, its types and its texts.
import { newestRelease, type Release } from "../../../shared/k8s/settings/release.ts";
import { loadDescriptions } from "../../../shared/schema/openapi/descriptions.ts";
import { allGroupVersions, type GroupVersion } from "../../../shared/schema/openapi/facts.ts";
import type { Describe } from "../../../shared/schema/openapi/schema.ts";
import { releaseFacts } from "../../../shared/schema/facts/releases/release-facts.ts";
import { versionInfoOf } from "../non-resource/version.ts";

export interface OpenApiRelease {
  readonly info: OpenApiInfo;
  /** The group versions of all registered kinds. */
  readonly groupVersions: readonly GroupVersion[];
  /** Returns the group versions to which a document's options of deletions and events of watches belong. */
  optionVersions(ofDocument: readonly GroupVersion[]): readonly GroupVersion[];
  /** Returns the name under which the release's form of a type is found. */
  qualify(type: string): string;
  loadDescriptions(): Promise<Describe>;
}

export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
}

const releases = new Map<Release, OpenApiRelease>();

export function openApiRelease(release: Release): OpenApiRelease {
  const cached = releases.get(release);
  if (cached) return cached;
  const { version } = release;
  const facts = releaseFacts(version);
  const openApi: OpenApiRelease = {
    info: { title: "Kubernetes", version: versionInfoOf(release).gitVersion },
    groupVersions: facts?.groupVersions ?? allGroupVersions(),
    // Before 1.36, every document has those of all groups.
    optionVersions: (ofDocument) => facts?.groupVersions ?? ofDocument,
    qualify: facts?.scope.qualify ?? ((type: string) => type),
    loadDescriptions: () => loadDescriptions(facts && version),
  };
  releases.set(release, openApi);
  return openApi;
}

export const newestOpenApi = openApiRelease(newestRelease);
