// All objects of one kind: columns, search, states and order, with the list of kinds beside them.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { type Mapping, groupResource, pathOf } from "../../kubectl/cluster/discovery.ts";
import { mappingOf } from "../../live/cluster-state.ts";
import { refText } from "../../live/reference.ts";
import type { Column, TableRow } from "../../live/table-row.ts";
import { tableSource } from "../../live/table-source.ts";
import { messages } from "../../messages.ts";
import { open, useLive } from "../../view/context.ts";
import { NamespaceFilter } from "../../view/namespace-filter.tsx";
import { actOn } from "../object-keys.ts";
import { bulkActions } from "./bulk.ts";
import { BulkBar } from "./bulk-bar.tsx";
import { Empty } from "./empty.tsx";
import { type State, matching, stateIn, states, withState } from "./filter.ts";
import { KindList } from "./kind-list.tsx";
import { ObjectTable } from "./object-table.tsx";
import { type Row, readSorting, rowsOf, sorted } from "./rows.ts";
import { Loading } from "../../parts/loading.tsx";

/** Changes of a busy cluster are collected for this time before rendering. */
const gatherMs = 120;

export function ObjectsPage() {
  const { cluster, place } = useLive();
  const resource = place.get("kind") || "pods";
  const mapping = mappingOf(cluster, resource);
  return (
    <div class="objects">
      <KindList chosen={resource} />
      <section class="panel list" aria-label={mapping?.kind ?? resource}>
        {mapping && <List key={`${groupResource(mapping)} ${mapping.version}`} mapping={mapping} />}
        {!mapping && (cluster.served.value ? <p class="empty">{messages.list.noSuchKind(resource)}</p> : <Loading />)}
      </section>
    </div>
  );
}

function List({ mapping }: { readonly mapping: Mapping }) {
  const live = useLive();
  const { place, namespace } = live;
  const resource = groupResource(mapping);
  const { columns, collection } = useTable(mapping);
  const rowCache = useMemo(() => new WeakMap<TableRow, Row>(), [columns.value]);
  const rows = useComputed(() => {
    const all = rowsOf(collection.all.value, columns.value, rowCache, Date.now());
    const some = matching(all, place.get("q"), mapping.namespaced ? namespace.value : "");
    return { all, shown: sorted(some, columns.value, readSorting(place.get("sort"), columns.value)) };
  });
  const uids = useSignal<ReadonlySet<string>>(new Set());
  const sorting = readSorting(place.get("sort"), columns.value);
  const { all, shown: visibleRows } = rows.value;
  const refOfRow = ({ name, namespace: within }: Row) => ({ resource, name, namespace: within });
  const opened = live.opened.value;
  const openedRow =
    opened?.resource === resource
      ? all.find((row) => row.name === opened.name && row.namespace === opened.namespace)
      : undefined;
  const refused = collection.state.value.phase === "refused" ? collection.state.value : undefined;
  const sort = (by: string) => {
    const isSame = sorting.by === by || (sorting.by === "" && by === "name");
    place.go({ sort: isSame && !sorting.isDown ? `-${by}` : by === "name" ? "" : by }, "replace");
  };
  return (
    <>
      <Tools mapping={mapping} shownCount={visibleRows.length} all={all.length} />
      {refused && (
        <p class="notice" role="alert">
          {refused.message}
        </p>
      )}
      {!collection.loaded.value && !refused && <Loading />}
      {collection.loaded.value && all.length === 0 && (
        <Empty kind={mapping.kind} resource={resource} namespace={namespace.value} />
      )}
      {all.length > 0 && visibleRows.length === 0 && <NoneMatches kind={mapping.kind} />}
      <BulkBar
        mapping={mapping}
        rows={visibleRows.filter(({ uid }) => uids.value.has(uid))}
        clear={() => void (uids.value = new Set())}
      />
      {visibleRows.length > 0 && (
        <ObjectTable
          label={mapping.kind}
          columns={columns.value}
          rows={visibleRows}
          withNamespace={mapping.namespaced && namespace.value === ""}
          sorting={sorting}
          sort={sort}
          openedUid={openedRow?.uid}
          open={(row) => open(live, refOfRow(row))}
          act={(row, key) => actOn(live, refOfRow(row), key)}
          selection={
            live.cluster.access.mayWrite && bulkActions(mapping).length > 0
              ? { uids: uids.value, set: (next) => void (uids.value = next) }
              : undefined
          }
          href={(row) => place.href({ open: refText(refOfRow(row)), pane: "" })}
        />
      )}
    </>
  );
}

/** Follows the table while the list is shown. */
function useTable(mapping: Mapping) {
  const { cluster } = useLive();
  const columns = useSignal<readonly Column[]>([]);
  const { stop, collection } = useMemo(() => {
    const stop = new AbortController();
    const source = tableSource(cluster.access, pathOf(mapping, ""), (servedColumns) => {
      columns.value = servedColumns;
    });
    return { stop, collection: cluster.follow(source, stop.signal, gatherMs) };
  }, [cluster]);
  useEffect(() => () => stop.abort(), [stop]);
  return { columns, collection };
}

function Tools({
  mapping,
  shownCount,
  all,
}: {
  readonly mapping: Mapping;
  readonly shownCount: number;
  readonly all: number;
}) {
  const { place } = useLive();
  const query = place.get("q");
  const counted = shownCount === all ? messages.list.count(all) : messages.list.countOf(shownCount, all);
  return (
    <div class="tools">
      <h2>
        {mapping.kind} <small role="status">{counted}</small>
      </h2>
      <input
        type="search"
        class="search"
        aria-label={messages.list.search}
        placeholder={messages.list.searchHint}
        spellcheck={false}
        autoComplete="off"
        value={query}
        onInput={({ currentTarget }) => place.go({ q: currentTarget.value }, "replace")}
        data-search
      />
      <select
        aria-label={messages.list.state}
        value={stateIn(query)}
        onChange={({ currentTarget }) =>
          place.go({ q: withState(query, currentTarget.value as State | "") }, "replace")
        }
      >
        <option value="">{messages.list.anyState}</option>
        {(Object.keys(states) as State[]).map((state) => (
          <option key={state} value={state}>
            {messages.list.states[state]}
          </option>
        ))}
      </select>
      {mapping.namespaced && <NamespaceFilter />}
    </div>
  );
}

function NoneMatches({ kind }: { readonly kind: string }) {
  const { place } = useLive();
  return (
    <p class="empty">
      {messages.list.noneMatches(kind)}{" "}
      <button type="button" class="quiet" onClick={() => place.go({ q: "", ns: "" })}>
        {messages.list.clear}
      </button>
    </p>
  );
}
