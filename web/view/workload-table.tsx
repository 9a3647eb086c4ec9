// The tree of workloads as a table, with one body for each namespace.
import { messages } from "../messages.ts";
import { useComputed, useSignal } from "@preact/signals";
import { useState } from "preact/hooks";
import { type Workload, workloadTree } from "../live/workloads.ts";
import { MoreButton } from "../parts/more-button.tsx";
import { useLive } from "./context.ts";
import { WorkloadRow } from "./workload-row.tsx";

const rowsAtFirst = 300;

interface Row {
  readonly workload: Workload;
  readonly depth: number;
  readonly isOpen: boolean;
  readonly hidden: number;
}

export function WorkloadTable() {
  const { cluster, namespace } = useLive();
  const folded = useSignal<ReadonlySet<string>>(new Set());
  const unrolled = useSignal<ReadonlySet<string>>(new Set());
  const [limit, setLimit] = useState(rowsAtFirst);
  const rows = useComputed(() => {
    const { deployments, replicaSets, statefulSets, daemonSets, cronJobs, jobs, pods } = cluster;
    const objects = {
      deployments: deployments.all.value,
      replicaSets: replicaSets.all.value,
      statefulSets: statefulSets.all.value,
      daemonSets: daemonSets.all.value,
      cronJobs: cronJobs.all.value,
      jobs: jobs.all.value,
      pods: pods.all.value,
    };
    const tree = workloadTree(objects, namespace.value);
    return flatten(tree, 0, { folded: folded.value, unrolled: unrolled.value });
  });
  const visibleRows = rows.value.slice(0, limit);
  if (visibleRows.length === 0) return <p class="empty">{messages.overview.nothingRuns}</p>;
  return (
    <>
      <div class="scroll">
        <table class="workloads">
          <thead>
            <tr>
              <th scope="col">{messages.overview.name}</th>
              <th scope="col">{messages.overview.status}</th>
              <th scope="col">{messages.overview.ready}</th>
              <th scope="col">{messages.overview.restarts}</th>
              <th scope="col">{messages.overview.node}</th>
              <th scope="col">{messages.overview.ip}</th>
              <th scope="col">{messages.overview.age}</th>
            </tr>
          </thead>
          {groups(visibleRows).map(([name, group]) => (
            <tbody key={name}>
              <tr class="group">
                <th scope="rowgroup" colSpan={7}>
                  {name}
                </th>
              </tr>
              {group.map(({ workload, ...row }) => {
                const uid = workload.object.metadata.uid ?? "";
                const toggle = () => void (folded.value = toggled(folded.value, uid));
                const unroll = () => void (unrolled.value = toggled(unrolled.value, uid));
                return <WorkloadRow key={uid} workload={workload} {...row} toggle={toggle} unroll={unroll} />;
              })}
            </tbody>
          ))}
        </table>
      </div>
      <MoreButton
        more={rows.value.length > limit ? () => setLimit(limit * 4) : undefined}
        label={messages.common.showMore(rows.value.length - limit)}
      />
    </>
  );
}

interface Folding {
  readonly folded: ReadonlySet<string>;
  /** The workloads whose earlier revisions are visible. */
  readonly unrolled: ReadonlySet<string>;
}

function flatten(workloads: readonly Workload[], depth: number, folding: Folding): Row[] {
  return workloads.flatMap((workload) => {
    const uid = workload.object.metadata.uid ?? "";
    const isOpen = !folding.folded.has(uid);
    const current = workload.children.filter(({ isHistory }) => !isHistory);
    const hidden = workload.children.length - current.length;
    const children = folding.unrolled.has(uid) ? workload.children : current;
    return [{ workload, depth, isOpen, hidden }, ...(isOpen ? flatten(children, depth + 1, folding) : [])];
  });
}

function groups(rows: readonly Row[]): [string, Row[]][] {
  return [...Map.groupBy(rows, ({ workload }) => workload.object.metadata.namespace ?? "")];
}

function toggled(set: ReadonlySet<string>, uid: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(uid)) next.add(uid);
  return next;
}
