// The panel of all events.
import { messages } from "../messages.ts";
import { useComputed } from "@preact/signals";
import { timeline } from "../live/timeline.ts";
import { useLive } from "./context.ts";
import { EventList } from "./event-list.tsx";

export function Events() {
  const { cluster, namespace } = useLive();
  const events = useComputed(() => timeline(cluster.events.all.value, namespace.value));
  return (
    <section class="panel" aria-label={messages.overview.events}>
      <h2>{messages.overview.events}</h2>
      {cluster.events.loaded.value && <EventList events={events.value} />}
    </section>
  );
}
