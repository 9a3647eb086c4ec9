// Lists of objects: filters, order, columns, and rendered rows.
import { describe, expect, test } from "vitest";
import type { TableRow } from "../../web/live/table-row.ts";
import { columnsFor, layoutFor } from "../../web/objects/list/columns.ts";
import { matching, stateIn, withState } from "../../web/objects/list/filter.ts";
import { readSorting, rowsOf, sorted } from "../../web/objects/list/rows.ts";
import { scrollTo, windowOf } from "../../web/objects/list/window.ts";

const columns = [
  { name: "Name" },
  { name: "Ready" },
  { name: "Status" },
  { name: "Restarts" },
  { name: "Age" },
  { name: "IP", priority: 1 },
];

function row(name: string, cells: readonly unknown[], more: object = {}): TableRow {
  const metadata = { uid: name, name, namespace: "default", creationTimestamp: "2026-01-01T00:00:00Z", ...more };
  return { apiVersion: "", kind: "", metadata, cells: [name, ...cells] };
}

const pods = [
  row("web-b", ["1/1", "Running", 12, "1m", "10.0.0.2"], { labels: { app: "web" } }),
  row("web-a", ["0/1", "Running", 3, "2m", null], {
    labels: { app: "web" },
    creationTimestamp: "2025-01-01T00:00:00Z",
  }),
  row("crash", ["0/1", "CrashLoopBackOff", "7 (5m ago)", "1m", ""], { namespace: "zoo" }),
  row("done", ["0/1", "Completed", 0, "1m", ""]),
  row("going", ["1/1", "Running", 0, "1m", ""], { deletionTimestamp: "2026-01-01T00:00:00Z" }),
];

const all = rowsOf(pods, columns, new WeakMap(), 0);
const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name);

describe("a list of objects", () => {
  test("shows at most 500 characters of a cell", () => {
    const long = [row("a", ["x".repeat(501), { a: "y".repeat(600) }])];
    expect(rowsOf(long, columns, new WeakMap(), 0)[0]?.texts.map(({ length }) => length)).toEqual([1, 500, 500]);
  });

  test("derives an object's state from its cells", () => {
    expect(all.map(({ tone }) => tone)).toEqual(["ok", "busy", "bad", "idle", "busy"]);
    const tones = (name: string, texts: readonly string[]) =>
      rowsOf(
        texts.map((text, at) => row(String(at), [text])),
        [{ name: "Name" }, { name }],
        new WeakMap(),
        0,
      ).map(({ tone }) => tone);
    expect(tones("Ready", ["2/2", "1/2", "0/0", "True", "False"])).toEqual(["ok", "busy", "idle", "ok", "bad"]);
    expect(tones("Status", ["Ready", "NotReady", "Bound", "Lost", "Pending"])).toEqual([
      "ok",
      "bad",
      "ok",
      "bad",
      "busy",
    ]);
    expect(tones("Data", ["3"])).toEqual([undefined]);
  });

  test.each([
    ["", "", ["web-b", "web-a", "crash", "done", "going"]],
    ["WEB", "", ["web-b", "web-a"]],
    ["app=web", "", ["web-b", "web-a"]],
    ["app!=web", "", ["crash", "done", "going"]],
    ["is:bad", "", ["crash"]],
    ["is:fine", "", ["web-b", "done"]],
    ["web is:busy", "", ["web-a"]],
    ["", "zoo", ["crash"]],
    ["10.0.0.2", "default", ["web-b"]],
    ["is:nonsense", "", []],
  ])("is filtered by %j in the namespace %j", (query, namespace, expected) => {
    expect(names(matching(all, query, namespace))).toEqual(expected);
  });

  test("has one state in its filter", () => {
    expect(withState("web is:bad", "busy")).toBe("web is:busy");
    expect(withState("web is:bad", "")).toBe("web");
    expect([stateIn("web is:bad"), stateIn("is:other"), stateIn("web")]).toEqual(["bad", "", ""]);
  });

  test.each([
    ["", ["done", "going", "web-a", "web-b", "crash"]],
    ["restarts", ["done", "going", "web-a", "crash", "web-b"]],
    ["-restarts", ["web-b", "crash", "web-a", "going", "done"]],
    ["-age", ["web-a"]],
  ])("is sorted by %j", (text, expected) => {
    expect(names(sorted(all, columns, readSorting(text))).slice(0, expected.length)).toEqual(expected);
  });

  test("creates a row once until the object changes", () => {
    const rowCache = new WeakMap();
    const [first] = rowsOf(pods, columns, rowCache, 0);
    expect(rowsOf(pods, columns, rowCache, 0)[0]).toBe(first);
  });

  test("shows the columns that fit: the name, the status and the age always", () => {
    const shownNames = (widthPx: number) => names(columnsFor(columns, all, { widthPx, withNamespace: true }));
    expect(shownNames(2000)).toEqual(["Name", "Namespace", "Ready", "Status", "Restarts", "Age", "IP"]);
    expect(shownNames(600)).not.toContain("IP");
    expect(shownNames(200)).toEqual(expect.arrayContaining(["Name", "Age"]));
    expect(shownNames(200).length).toBeLessThan(shownNames(600).length);
  });

  test("shrinks only the widest columns if space is short, and leaves room for an age to grow", () => {
    const long = rowsOf([row("n".repeat(100), ["1/1", "Running", 0, "6s", ""])], columns, new WeakMap(), 0);
    const width = (widthPx: number, name: string) =>
      columnsFor(columns, long, { widthPx, withNamespace: false }).find((column) => column.name === name)?.width ?? 0;
    expect(width(2000, "Name")).toBeGreaterThan(100);
    expect(width(700, "Name")).toBeLessThan(70);
    expect(width(700, "Age")).toBe(width(2000, "Age"));
    expect(width(700, "Age")).toBeGreaterThanOrEqual("10m30s".length);
  });

  test("drops columns rather than the end of a pod's name", () => {
    const name = "ingress-nginx-controller-5c64b5fd6-49bkr";
    const long = rowsOf([row(name, ["1/1", "CrashLoopBackOff", "4 (69s ago)", "6s", ""])], columns, new WeakMap(), 0);
    const shownColumns = columnsFor(columns, long, { widthPx: 650, withNamespace: true });
    expect(shownColumns[0]?.width).toBeGreaterThan(name.length);
    expect(names(shownColumns)).not.toContain("Restarts");
  });

  test("gives a message its own lines below the row if it does not fit beside the other columns", () => {
    const eventColumns = ["Last Seen", "Type", "Reason", "Object", "Message"].map((name) => ({ name }));
    const message = "Back-off restarting failed container worker in pod worker-55b7b79f4-wxtfs_default(162fe944)";
    const cells = ["Warning", "BackOff", "pod/worker-55b7b79f4-wxtfs", message];
    const events = rowsOf([row("3m12s", cells)], eventColumns, new WeakMap(), 0);
    const layout = (widthPx: number, isCard = false) => {
      const fit = { widthPx, withNamespace: true, isCard };
      const { shownColumns, below } = layoutFor(eventColumns, events, fit);
      return [names(shownColumns).includes("Message"), below?.at];
    };
    expect(layout(1600)).toEqual([true, undefined]);
    expect(layout(700)).toEqual([false, 4]);
    expect(layout(1600, true)).toEqual([false, 4]);
    expect(layoutFor(columns, events, { widthPx: 200, withNamespace: true }).below).toBeUndefined();
  });

  test("shows the newest events first, by when each was last seen", () => {
    const eventColumns = [{ name: "Last Seen" }, { name: "Reason" }];
    const event = (name: string, lastSeen: string, resourceVersion: string) =>
      ({
        ...row(name, []),
        metadata: { ...row(name, []).metadata, resourceVersion },
        cells: [lastSeen, name],
      }) as TableRow;
    const rowCache = new WeakMap();
    const early = [event("old", "3m20s", "1"), event("first", "5s", "2"), event("second", "5s", "3")];
    const rows = rowsOf(early, eventColumns, rowCache, 1_000_000);
    const later = rowsOf([...early, event("last", "9s", "4")], eventColumns, rowCache, 1_060_000);
    expect(names(sorted(rows, eventColumns, readSorting("", eventColumns)))).toEqual(["second", "first", "old"]);
    expect(names(sorted(later, eventColumns, readSorting("", eventColumns)))[0]).toBe("last");
  });

  test("renders the visible rows of ten thousand, and a few more", () => {
    const { from, to, offsetPx, totalPx } = windowOf(10_000, 36, { scrollPx: 36_000, heightPx: 720 });
    expect([from, to, offsetPx, totalPx]).toEqual([992, 1028, 992 * 36, 360_000]);
    expect(windowOf(0, 36, { scrollPx: 0, heightPx: 720 })).toEqual({ from: 0, to: 0, offsetPx: 0, totalPx: 0 });
    // Fewer rows than were scrolled past, after a search.
    expect(windowOf(3, 36, { scrollPx: 36_000, heightPx: 720 })).toMatchObject({ from: 0, to: 3 });
    const view = { scrollPx: 360, heightPx: 360 };
    expect([9, 10, 15, 19, 20].map((at) => scrollTo(at, 36, view))).toEqual([324, 360, 360, 360, 396]);
  });
});
