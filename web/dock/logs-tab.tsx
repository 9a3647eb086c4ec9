// A dock tab with the logs of an object's pods.
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
  // The container and run chosen here are not part of the page's address.
  const tabContext = useMemo(() => ({ ...live, place: memoryPlace() }), [live]);
  if (!mapping) return <Loading />;
  return (
    <LiveProvider value={tabContext}>
      <Body mapping={mapping} of={of} />
    </LiveProvider>
  );
}

function Body({ mapping, of }: { readonly mapping: Mapping; readonly of: ObjectRef }) {
  const { object, isThere, isLoaded } = useObject(mapping, of);
  if (!object) return isLoaded ? <p class="empty">{messages.detail.notThere(mapping.kind, of.name)}</p> : <Loading />;
  return <LogsPane mapping={mapping} of={of} object={object} isThere={isThere} />;
}
