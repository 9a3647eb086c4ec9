// The kinds of an older release: those of the newest one with the resources, types and behavior that the release has.
import type { Release } from "../../shared/k8s/settings/release.ts";
import { graphSchema } from "../../shared/schema/object-schema.ts";
import { type ReleaseFacts, releaseFacts } from "../../shared/schema/facts/releases/release-facts.ts";
import { disabledFieldsOf } from "../../shared/schema/facts/releases/disabled-fields.ts";
import type { Kind } from "./kind.ts";

/** The kinds that a release serves. */
export interface ReleaseKinds {
  readonly kinds: readonly Kind[];
  /** The kinds by those of the newest release, which controllers name. Undefined for the newest release. */
  readonly variants?: ReadonlyMap<Kind, Kind>;
}

/** Returns the kinds of a release. `gates` are the feature gates that differ from their default. */
export function kindsOfRelease(
  newest: readonly Kind[],
  release: Release,
  gates: Readonly<Record<string, boolean>>,
): ReleaseKinds {
  const facts = releaseFacts(release.version);
  if (!facts) return { kinds: newest };
  const isEnabled = gateCheck(release, gates);
  const variants = new Map<Kind, Kind>();
  for (const kind of newest) {
    const variant = variantOf(kind, facts, { minor: release.minor, isEnabled });
    if (variant) variants.set(kind, variant);
  }
  return { kinds: [...variants.values()].map((kind) => withHub(kind, variants)), variants };
}

/**
 * Returns a function that reports whether a gate is on in a release. A gate that is off in the newest release too counts as on, because what
 * depends on it is off in the code.
 */
function gateCheck(release: Release, gates: Readonly<Record<string, boolean>>): (gate: string) => boolean {
  const changes = releaseFacts(release.version)?.gates ?? {};
  return (gate) => gates[gate] ?? (changes[gate] === undefined || changes[gate] === "on" || changes[gate] === "locked");
}

function variantOf(kind: Kind, { scope, resource }: ReleaseFacts, release: OlderRelease): Kind | undefined {
  const changes = resource(kind.group, kind.version, kind.plural);
  if (changes === null) return undefined;
  const type = scope.qualify(kind.type);
  return {
    ...kind,
    ...changes,
    verbs: changes?.verbs ? kind.verbs.filter((verb) => changes.verbs?.includes(verb)) : kind.verbs,
    ...(type === kind.type ? {} : { scopedType: type, schema: graphSchema(type) }),
    disabledFields: disabledFieldsOf(type, release.isEnabled),
    ...kind.inRelease?.(release),
  };
}

type OlderRelease = Parameters<NonNullable<Kind["inRelease"]>>[0];

/** A converted kind is stored as its hub. */
function withHub(kind: Kind, variants: ReadonlyMap<Kind, Kind>): Kind {
  const hub = kind.conversion?.hub && variants.get(kind.conversion.hub);
  // The variant was created for this release, so nothing else has it.
  return hub ? Object.assign(kind, { conversion: { ...kind.conversion, hub } }) : kind;
}
