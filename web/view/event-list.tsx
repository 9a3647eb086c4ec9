// A list of events, newest first.
import { messages } from "../messages.ts";
import { useState } from "preact/hooks";
import type { Event } from "../../shared/k8s/api/core-v1.ts";
import { timesSeen, lastSeen } from "../live/timeline.ts";
import { Age } from "../parts/age.tsx";
import { KindBadge } from "../parts/kind-badge.tsx";
import { MoreButton } from "../parts/more-button.tsx";
import { open, subjectOf, useLive } from "./context.ts";

const eventsAtFirst = 60;

interface Props {
  readonly events: readonly Event[];
  /** Reports whether all events concern one object, so that its name is not shown. */
  readonly isOfOne?: boolean;
}

export function EventList({ events, isOfOne = false }: Props) {
  const [limit, setLimit] = useState(eventsAtFirst);
  if (events.length === 0) return <p class="empty">{messages.overview.noEvents}</p>;
  return (
    <>
      <ol class="events" aria-label={messages.overview.eventsList}>
        {events.slice(0, limit).map((event) => (
          <EventItem key={event.metadata.uid} event={event} isOfOne={isOfOne} />
        ))}
      </ol>
      <MoreButton
        more={events.length > limit ? () => setLimit(limit * 4) : undefined}
        label={messages.common.showMore(events.length - limit)}
      />
    </>
  );
}

function EventItem({ event, isOfOne }: { readonly event: Event; readonly isOfOne: boolean }) {
  const { cluster } = useLive();
  const { type, reason, message, metadata } = event;
  const [isNews] = useState(() => cluster.events.isRecent(metadata.uid ?? ""));
  const times = timesSeen(event);
  return (
    <li class={`${type === "Warning" ? "warning" : "normal"}${isNews ? " news" : ""}`}>
      <p class="top">
        <strong>{reason}</strong>
        {type === "Warning" && <span class="warns">{messages.overview.warning}</span>}
        {times > 1 && <span class="times">×{times}</span>}
        <span class="when">
          <Age time={lastSeen(event) ? `${lastSeen(event)}Z` : undefined} />
        </span>
      </p>
      {!isOfOne && <Subject event={event} />}
      <p class="message">{message}</p>
    </li>
  );
}

/** A button if the kind is known. */
function Subject({ event }: { readonly event: Event }) {
  const live = useLive();
  const { involvedObject } = event;
  const subject = subjectOf(live.cluster, involvedObject);
  const named = (
    <>
      <KindBadge kind={involvedObject.kind ?? ""} />
      <span class="name">{involvedObject.name}</span>
    </>
  );
  if (!subject) return <p class="subject">{named}</p>;
  return (
    <button type="button" class="object subject" onClick={() => open(live, subject)}>
      {named}
    </button>
  );
}
