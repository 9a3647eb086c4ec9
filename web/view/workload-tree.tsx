// The tree of workloads beside a sandbox's page, on every part of it: search, states, and the arrow keys of a tree.
import { useComputed, useSignal } from "@preact/signals";
import { PanelLeftClose, PanelLeftOpen } from "lucide";
import { useRef, useState } from "preact/hooks";
import { refOf, refText, resourceOfKind } from "../live/reference.ts";
import { type TreeRow, treeGoal, treeRows } from "../live/tree-rows.ts";
import { workloadTree } from "../live/workloads.ts";
import { messages } from "../messages.ts";
import { texts } from "../messages/tree.ts";
import { Icon } from "../parts/icon.tsx";
import { KindBadge } from "../parts/kind-badge.tsx";
import { Loading } from "../parts/loading.tsx";
import { isBoolean, remembered } from "../parts/remembered.ts";
import { isLoaded, open, useLive } from "./context.ts";

const rowsAtMost = 500;

/** True while the tree is folded to a bar. */
export const treeFolded = remembered("tree-folded", false, isBoolean);

export function WorkloadTree() {
  const isFolded = treeFolded.value.value;
  return (
    <aside class="tree-pane" aria-label={texts.tree}>
      <div class="tree-head">
        {!isFolded && <h2>{messages.overview.workloads}</h2>}
        <button
          type="button"
          class="quiet icon"
          aria-expanded={!isFolded}
          aria-label={isFolded ? texts.unfold : texts.fold}
          title={isFolded ? texts.unfold : texts.fold}
          onClick={() => treeFolded.set(!isFolded)}
        >
          <Icon of={isFolded ? PanelLeftOpen : PanelLeftClose} />
        </button>
      </div>
      {!isFolded && <Body />}
    </aside>
  );
}

function Body() {
  const { cluster, namespace } = useLive();
  const search = useSignal("");
  const toggled = useSignal<ReadonlySet<string>>(new Set());
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
    return treeRows(workloadTree(objects, namespace.value), toggled.value, search.value);
  });
  const toggle = (key: string) => {
    const next = new Set(toggled.value);
    if (!next.delete(key)) next.add(key);
    toggled.value = next;
  };
  return (
    <>
      <input
        type="search"
        class="search"
        aria-label={texts.search}
        placeholder={texts.searchHint}
        spellcheck={false}
        autoComplete="off"
        value={search.value}
        onInput={({ currentTarget }) => void (search.value = currentTarget.value)}
      />
      {!isLoaded(cluster) && <Loading />}
      {isLoaded(cluster) && rows.value.length === 0 && (
        <p class="empty">{search.value ? texts.noneMatches : messages.overview.nothingRuns}</p>
      )}
      {isLoaded(cluster) && rows.value.length > 0 && <Rows rows={rows.value} toggle={toggle} />}
    </>
  );
}

interface RowsProps {
  readonly rows: readonly TreeRow[];
  readonly toggle: (key: string) => void;
}

function Rows({ rows, toggle }: RowsProps) {
  const live = useLive();
  const box = useRef<HTMLUListElement>(null);
  const [activeKey, setActiveKey] = useState("");
  const shownRows = rows.slice(0, rowsAtMost);
  const active = Math.max(
    0,
    shownRows.findIndex(({ key }) => key === activeKey),
  );
  const choose = ({ key, workload }: TreeRow) => {
    setActiveKey(key);
    if (!workload) return toggle(key);
    open(live, refOf(resourceOfKind(workload.kind) ?? "", workload.object));
  };
  const go = (to: number) => {
    setActiveKey(shownRows[to]?.key ?? "");
    box.current?.children[to]?.scrollIntoView({ block: "nearest" });
  };
  const press = (event: KeyboardEvent) => {
    const row = shownRows[active];
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const goal = treeGoal(shownRows, active, event.key);
    const folds = (event.key === "ArrowRight" && row.isOpen === false) || (event.key === "ArrowLeft" && row.isOpen);
    if (goal !== undefined) go(goal);
    else if (folds) toggle(row.key);
    else if (event.key === "Enter" || event.key === " ") choose(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <ul
        ref={box}
        class="tree"
        role="tree"
        tabIndex={0}
        aria-label={texts.tree}
        aria-activedescendant={`tree-${active}`}
        onKeyDown={press}
        data-tree
      >
        {shownRows.map((row, at) => (
          <Item
            key={row.key}
            id={`tree-${at}`}
            row={row}
            isActive={at === active}
            choose={() => choose(row)}
            toggle={() => toggle(row.key)}
          />
        ))}
      </ul>
      {rows.length > rowsAtMost && <p class="hint">{texts.more(rows.length - rowsAtMost)}</p>}
    </>
  );
}

interface ItemProps {
  readonly id: string;
  readonly row: TreeRow;
  readonly isActive: boolean;
  readonly choose: () => void;
  readonly toggle: () => void;
}

function Item({ id, row: { level, name, workload, tone, isOpen }, isActive, choose, toggle }: ItemProps) {
  const { place } = useLive();
  const ref = workload && refText(refOf(resourceOfKind(workload.kind) ?? "", workload.object));
  const isSelected = ref !== undefined && place.get("open") === ref;
  return (
    <li
      id={id}
      class={["tree-item", isActive && "active", isSelected && "selected"].filter(Boolean).join(" ")}
      role="treeitem"
      aria-level={level}
      aria-expanded={isOpen}
      aria-selected={isSelected}
      style={{ "--level": level }}
      onClick={choose}
      data-item={name}
    >
      <span
        class={isOpen === undefined ? "twist" : `twist ${isOpen ? "open" : "closed"}`}
        aria-hidden="true"
        onClick={(event) => {
          if (isOpen === undefined) return;
          event.stopPropagation();
          toggle();
        }}
      />
      <span class="unseen">{workload?.kind ?? texts.namespace} </span>
      {workload && (
        <span class="marks" aria-hidden="true" title={workload.status.text}>
          <span class={`lamp ${tone}`} />
          <KindBadge kind={workload.kind} />
        </span>
      )}
      <span class="name" title={name}>
        {name}
      </span>
      {workload && <span class="unseen"> {workload.status.text} </span>}
      {workload && workload.kind !== "Pod" && <small class="muted">{workload.ready}</small>}
    </li>
  );
}
