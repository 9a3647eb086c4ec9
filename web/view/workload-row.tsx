// One workload in the tree: what it is, how it is, where it runs.
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
  const [isNews] = useState(() => workloadsOf(live.cluster)[kind].isNews(uid));
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
              aria-label={`${isOpen ? "Fold" : "Unfold"} ${name}`}
              onClick={toggle}
            />
          ) : (
            <span class="fold" />
          )}
          <ObjectButton kind={kind} object={object} />
          {note && <small class="note">{note}</small>}
          {hidden > 0 && (
            <button type="button" class="history" onClick={unroll}>
              {hidden} earlier {hidden === 1 ? "revision" : "revisions"}
            </button>
          )}
        </div>
      </th>
      <td data-label="Status">
        <Chip status={status} />
      </td>
      <td data-label="Ready">{ready}</td>
      <td data-label="Restarts" class={restarts ? "troubled" : "nought"}>
        {restarts}
      </td>
      <td data-label="Node">{node}</td>
      <td data-label="IP">{ip}</td>
      <td data-label="Age">
        <Age time={creationTimestamp} />
      </td>
    </tr>
  );
}
