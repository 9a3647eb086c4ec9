// The summary of an object: diagnosis, conditions, containers, related objects and events.
import { useComputed } from "@preact/signals";
import type { Pod } from "../../../shared/k8s/api/core-v1.ts";
import type { KubeObject } from "../../../shared/k8s/meta.ts";
import type { ClusterState } from "../../live/cluster-state.ts";
import { eventsAbout, timelineOf } from "../../live/timeline.ts";
import { messages } from "../../messages.ts";
import { Age } from "../../parts/age.tsx";
import { EventList } from "../../view/event-list.tsx";
import { useLive } from "../../view/context.ts";
import { podsFor } from "../related.ts";
import type { DiagnosisContext, Finding } from "../wrong/finding.ts";
import { conditionsOf } from "../wrong/other-kinds.ts";
import { wrongWith } from "../wrong/wrong.ts";
import { Containers } from "./containers.tsx";
import type { PaneProps } from "./pane.ts";
import { Facts } from "./facts.tsx";
import { NodeUse } from "./node-use.tsx";
import { RelatedList } from "./related-list.tsx";

export function SummaryPane({ mapping, of, object, isThere }: PaneProps) {
  const { cluster } = useLive();
  const context = aroundOf(of.resource, object, cluster);
  const diagnosis = isThere ? wrongWith(of.resource, object, context) : undefined;
  const events = useComputed(() => eventsAbout(cluster.events.all.value, object)).value;
  const { status } = object as { status?: unknown };
  return (
    <div class="summary-pane">
      <Matter finding={diagnosis} />
      <Facts mapping={mapping} object={object} />
      {of.resource === "pods" && <Containers pod={object as Pod} />}
      {of.resource === "nodes" && <NodeUse node={object} pods={context.pods} />}
      <Conditions status={status} />
      <RelatedList resource={of.resource} kind={mapping.kind} object={object} />
      <h3>{messages.detail.events}</h3>
      <EventList events={events} isOfOne />
    </div>
  );
}

function aroundOf(resource: string, object: KubeObject, cluster: ClusterState): DiagnosisContext {
  const events = cluster.events.all.value;
  return {
    events: eventsAbout(events, object),
    pods: podsFor(resource, object, cluster),
    eventsOf: timelineOf(events),
    services: [],
    jobs: resource === "cronjobs.batch" ? cluster.jobs.all.value : [],
  };
}

function Matter({ finding }: { readonly finding: Finding | undefined }) {
  if (!finding) return null;
  return (
    <p class={`matter ${finding.tone}`} role="status" data-matter>
      {finding.text} {finding.next && <span class="next">{finding.next}</span>}
    </p>
  );
}

function Conditions({ status }: { readonly status: unknown }) {
  const conditions = conditionsOf(status) as (ReturnType<typeof conditionsOf>[number] & {
    lastTransitionTime?: string;
  })[];
  if (conditions.length === 0) return null;
  return (
    <>
      <h3>{messages.detail.conditions}</h3>
      <ul class="conditions">
        {conditions.map(({ type, status: conditionStatus, reason, message, lastTransitionTime }) => (
          <li key={type}>
            <p class="top">
              <strong>{type}</strong>
              <span class={isMeant(type, conditionStatus) ? "said-good" : "said-poor"}>{conditionStatus}</span>
              {reason && reason !== type && <span class="muted">{reason}</span>}
              <span class="when">
                <Age time={lastTransitionTime} />
              </span>
            </p>
            {message && <p class="message">{message}</p>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Reports whether a condition has its healthy status. For some conditions that is False. */
function isMeant(type: string, status: string): boolean {
  const isTrouble = /Pressure$|Unavailable$|Fail|Error|Degraded|Stalled|Problem/.test(type);
  return status === (isTrouble ? "False" : "True");
}
