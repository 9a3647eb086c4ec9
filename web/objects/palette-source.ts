// The palette entries of a sandbox: its tabs, kinds and objects, and the actions on them as kubectl lines.
import { signal } from "@preact/signals";
import type { KubeObject } from "../../shared/k8s/meta.ts";
import type { JsonObject } from "../../shared/schema/json-values.ts";
import { collectionOf } from "../api/cluster.ts";
import { groupResource, type Mapping, pathOf } from "../kubectl/cluster/discovery.ts";
import { mappingOf } from "../live/cluster-state.ts";
import { type ObjectRef, refOf, resourceOfKind } from "../live/reference.ts";
import { messages } from "../messages.ts";
import { texts } from "../messages/palette.ts";
import type { Entry, Source } from "../palette/entries.ts";
import { type LiveContext, open, workloadsOf } from "../view/context.ts";
import { type Action, actionsFor } from "./actions.ts";
import { kindGroups } from "./kinds.ts";
import { lineOf } from "./run.ts";

/** An action that was chosen in the palette. Its dialog asks for its fields. */
export interface ChosenAction {
  readonly action: Action;
  readonly subject: string;
}

export const chosenAction = signal<ChosenAction | undefined>(undefined);

/** Kinds whose objects nobody searches by name. */
const unnamed =
  /^(events|endpoints|endpointslices\.|leases\.|controllerrevisions\.|componentstatuses|flowschemas\.|prioritylevel|csi|ipaddresses|nodes\.metrics|pods\.metrics|apiservices)/;
/** The number of concurrent requests, so that a sandbox with many custom kinds is not overloaded. */
const mostAtOnce = 4;

interface KindObjects {
  readonly mapping: Mapping;
  readonly objects: readonly KubeObject[];
}

export function sandboxSource(live: LiveContext, tabEntries: readonly Entry[]): Source {
  const otherObjects = signal<readonly KindObjects[]>([]);
  return {
    entries: () => {
      const followed = followedObjects(live);
      const all = [...followed, ...otherObjects.value];
      return [
        ...tabEntries,
        ...kindEntries(live),
        ...all.flatMap(({ mapping, objects }) => objects.map((object) => objectEntry(live, mapping, object))),
        ...(live.cluster.access.mayWrite ? followed.flatMap(actionEntries) : []),
      ];
    },
    load: (until) => void loadOtherKinds(live, until, (loaded) => void (otherObjects.value = loaded)),
  };
}

/** Returns the objects that the overview follows anyway. */
function followedObjects({ cluster }: LiveContext): KindObjects[] {
  const { nodes, services, namespaces } = cluster;
  const collections = { ...workloadsOf(cluster), Node: nodes, Service: services, Namespace: namespaces };
  return Object.entries(collections).flatMap(([kind, { all }]) => {
    const mapping = mappingOf(cluster, resourceOfKind(kind) ?? "");
    return mapping ? [{ mapping, objects: all.value }] : [];
  });
}

async function loadOtherKinds(
  { cluster }: LiveContext,
  until: AbortSignal,
  onLoaded: (all: readonly KindObjects[]) => void,
): Promise<void> {
  if (!cluster.served.value) return;
  const followedKinds = new Set(["Node", "Service", "Namespace", ...Object.keys(workloadsOf(cluster))]);
  const kinds = kindGroups(cluster.served.value, cluster.access.mayWrite)
    .flatMap(({ kinds: some }) => some)
    .filter((mapping) => !followedKinds.has(mapping.kind) && !unnamed.test(groupResource(mapping)));
  const all: KindObjects[] = [];
  const work = async () => {
    for (let mapping = kinds.shift(); mapping && !until.aborted; mapping = kinds.shift()) {
      const page = await collectionOf(cluster.access, pathOf(mapping, ""))
        .page(undefined)
        .catch(() => undefined);
      if (page && page.items.length > 0) all.push({ mapping, objects: page.items });
    }
  };
  await Promise.all(Array.from({ length: mostAtOnce }, work));
  if (!until.aborted) onLoaded(all);
}

function kindEntries({ cluster, place }: LiveContext): Entry[] {
  if (!cluster.served.value) return [];
  return kindGroups(cluster.served.value, cluster.access.mayWrite).flatMap(({ kinds }) =>
    kinds.map((mapping): Entry => {
      const resource = groupResource(mapping);
      return {
        id: `kind/${resource}`,
        group: texts.kinds,
        kind: mapping.kind,
        label: mapping.kind,
        line: lineOf(["get", mapping.resource, ...(mapping.namespaced ? ["-A"] : [])]),
        run: () => place.go({ tab: "objects", kind: resource, q: "", sort: "", open: "", pane: "" }),
      };
    }),
  );
}

function objectEntry(live: LiveContext, mapping: Mapping, object: KubeObject): Entry {
  const ref: ObjectRef = refOf(groupResource(mapping), object);
  return {
    id: `object/${ref.resource}/${ref.namespace}/${ref.name}`,
    group: texts.objects,
    kind: mapping.kind,
    label: ref.name,
    detail: ref.namespace,
    run: () => open(live, ref),
  };
}

function actionEntries({ mapping, objects }: KindObjects): Entry[] {
  return objects.flatMap((object) => {
    const { name = "", namespace = "" } = object.metadata;
    return actionsFor(mapping, object as unknown as JsonObject).map((action): Entry => {
      const { button } = messages.actions.of[action.id];
      return {
        id: `action/${action.id}/${mapping.kind}/${namespace}/${name}`,
        group: texts.actions,
        label: texts.action(button, mapping.kind, name),
        detail: namespace,
        line: lineOf(action.words(action.asks.map(({ beginning }) => beginning))),
        run: () => {
          chosenAction.value = { action, subject: `${mapping.kind} ${name}` };
        },
      };
    });
  });
}
