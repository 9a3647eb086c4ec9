// The logs of an object's pods in the dock, beside whatever else is looked at.
import { useMemo } from "preact/hooks";
import type { Mapping } from "../kubectl/cluster/discovery.ts";
import { mappingOf } from "../live/cluster-state.ts";
import { memoryPlace } from "../live/place.ts";
import type { ObjectRef } from "../live/reference.ts";
import { messages } from "../messages.ts";
import { LogsPane } from "../objects/detail/logs-pane.tsx";
import { useObject } from "../objects/detail/use-object.ts";
import { LiveProvider, useLive } from "../view/context.ts";
import { Loading } from "../parts/loading.tsx";

export function LogsTab({ of }: { readonly of: ObjectRef }) {
  const live = useLive();
  const mapping = mappingOf(live.cluster, of.resource);
  // The container and the run that are chosen here are not in the page's address.
  const own = useMemo(() => ({ ...live, place: memoryPlace() }), [live]);
  if (!mapping) return <Loading />;
  return (
    <LiveProvider value={own}>
      <Body mapping={mapping} of={of} />
    </LiveProvider>
  );
}

function Body({ mapping, of }: { readonly mapping: Mapping; readonly of: ObjectRef }) {
  const { object, isThere, isLoaded } = useObject(mapping, of);
  if (!object) return isLoaded ? <p class="empty">{messages.detail.notThere(mapping.kind, of.name)}</p> : <Loading />;
  return <LogsPane mapping={mapping} of={of} object={object} isThere={isThere} />;
}
