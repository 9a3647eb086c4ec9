// A workload in the tree: its name, status and place.
import { messages } from "../messages.ts";
import { useState } from "preact/hooks";
import type { Workload } from "../live/workloads.ts";
import { Age } from "../parts/age.tsx";
import { Chip } from "../parts/chip.tsx";
import { refOf, resourceOfKind } from "../live/reference.ts";
import { isOpened, useLive, workloadsOf } from "./context.ts";
import { ObjectButton } from "./object-button.tsx";

interface Props {
  readonly workload: Workload;
  readonly depth: number;
  readonly isOpen: boolean;
  /** Earlier revisions that can be unrolled. */
  readonly hidden: number;
  readonly toggle: () => void;
  readonly unroll: () => void;
}

export function WorkloadRow({ workload, depth, isOpen, hidden, toggle, unroll }: Props) {
  const live = useLive();
  const { kind, object, status, ready, restarts, node, ip, note, children, isHistory } = workload;
  const { name, uid = "", creationTimestamp, deletionTimestamp } = object.metadata;
  const [isNews] = useState(() => workloadsOf(live.cluster)[kind].isRecent(uid));
  const classes = [
    kind.toLowerCase(),
    isNews && "news",
    (isHistory || deletionTimestamp) && "faded",
    isOpened(live, refOf(resourceOfKind(kind) ?? "", object)) && "selected",
  ];
  return (
    <tr class={classes.filter(Boolean).join(" ")} data-kind={kind} data-name={name} style={{ "--depth": depth }}>
      <th scope="row">
        <div class="branch">
          {children.length > 0 ? (
            <button
              type="button"
              class="fold"
              aria-expanded={isOpen}
              aria-label={(isOpen ? messages.overview.fold : messages.overview.unfold)(name ?? "")}
              onClick={toggle}
            />
          ) : (
            <span class="fold" />
          )}
          <ObjectButton kind={kind} object={object} />
          {note && <small class="note">{note}</small>}
          {hidden > 0 && (
            <button type="button" class="history" onClick={unroll}>
              {messages.overview.earlier(hidden)}
            </button>
          )}
        </div>
      </th>
      <td data-label={messages.overview.status}>
        <Chip status={status} />
      </td>
      <td data-label={messages.overview.ready}>{ready}</td>
      <td data-label={messages.overview.restarts} class={restarts ? "troubled" : "nought"}>
        {restarts}
      </td>
      <td data-label={messages.overview.node}>{node}</td>
      <td data-label={messages.overview.ip}>{ip}</td>
      <td data-label={messages.overview.age}>
        <Age time={creationTimestamp} />
      </td>
    </tr>
  );
}
