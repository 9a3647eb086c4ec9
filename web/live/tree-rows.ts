// The rows of the tree of workloads: namespaces, their workloads and pods, without what is folded or not searched. Independent of the page.
import { uidOf } from "./collection.ts";
import type { Tone } from "./status.ts";
import type { Workload } from "./workloads.ts";

export interface TreeRow {
  readonly key: string;
  /** The level from 1. */
  readonly level: number;
  readonly name: string;
  /** The workload. Undefined for a namespace. */
  readonly workload: Workload | undefined;
  /** The worst state below. */
  readonly tone: Tone;
  /** Undefined for a row without children. */
  readonly isOpen: boolean | undefined;
}

/** With more roots than this, workloads begin folded. */
const mostUnfolded = 30;
const tones: readonly Tone[] = ["idle", "ok", "busy", "bad"];

/** Returns the rows. `toggled` are the keys of rows that the user folded or unfolded. */
export function treeRows(roots: readonly Workload[], toggled: ReadonlySet<string>, search: string): readonly TreeRow[] {
  const text = search.trim().toLowerCase();
  const matchingRoots = text === "" ? roots : roots.flatMap((root) => matching(root, text));
  const startsOpen = text !== "" || roots.length <= mostUnfolded;
  const isOpen = (key: string, byDefault: boolean) => byDefault !== toggled.has(key);
  const rowsOf = (workload: Workload, level: number): TreeRow[] => {
    const key = uidOf(workload.object);
    const children = childrenOf(workload);
    const isUnfolded = children.length > 0 ? isOpen(key, startsOpen) : undefined;
    const row = { key, level, workload, name: workload.object.metadata.name ?? "", tone: toneOf(workload) };
    const below = isUnfolded ? children.flatMap((child) => rowsOf(child, level + 1)) : [];
    return [{ ...row, isOpen: isUnfolded }, ...below];
  };
  const groups = Map.groupBy(matchingRoots, ({ object }) => object.metadata.namespace ?? "");
  return [...groups].flatMap(([name, workloads]) => {
    const key = `namespace ${name}`;
    const isUnfolded = isOpen(key, text !== "" || !name.startsWith("kube-"));
    const tone = worst(workloads.map(toneOf));
    const row: TreeRow = { key, level: 1, name, workload: undefined, tone, isOpen: isUnfolded };
    return [row, ...(isUnfolded ? workloads.flatMap((workload) => rowsOf(workload, 2)) : [])];
  });
}

/** Returns the children without earlier revisions. The pods of the only revision stand below the Deployment itself. */
function childrenOf({ kind, children }: Workload): readonly Workload[] {
  const current = children.filter(({ isHistory }) => !isHistory);
  const [only] = current;
  return kind === "Deployment" && only && current.length === 1 ? only.children : current;
}

/** Keeps a workload whose name has the text, and otherwise those below it whose name has it. */
function matching(workload: Workload, text: string): Workload[] {
  if ((workload.object.metadata.name ?? "").toLowerCase().includes(text)) return [workload];
  const children = workload.children.flatMap((child) => matching(child, text));
  return children.length > 0 ? [{ ...workload, children }] : [];
}

function toneOf({ status, children }: Workload): Tone {
  return worst([status.tone, ...children.filter(({ isHistory }) => !isHistory).map(toneOf)]);
}

function worst(all: readonly Tone[]): Tone {
  return all.reduce((left, right) => (tones.indexOf(right) > tones.indexOf(left) ? right : left), "idle");
}

/** Returns the row that a key of the keyboard leads to. */
export function treeGoal(rows: readonly TreeRow[], at: number, key: string): number | undefined {
  const row = rows[at];
  switch (key) {
    case "ArrowDown":
      return Math.min(rows.length - 1, at + 1);
    case "ArrowUp":
      return Math.max(0, at - 1);
    case "Home":
      return 0;
    case "End":
      return rows.length - 1;
    case "ArrowRight":
      return row?.isOpen === true ? at + 1 : undefined;
    case "ArrowLeft": {
      if (!row || row.isOpen === true) return undefined;
      const parent = rows.slice(0, at).findLastIndex(({ level }) => level < row.level);
      return parent < 0 ? undefined : parent;
    }
    default:
      return undefined;
  }
}
