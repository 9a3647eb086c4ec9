// A collection as the server's table: the columns and cells that kubectl prints, with the metadata of each row.
import type { KubeObject } from "../../shared/k8s/meta.ts";
import { type JsonObject, isObject } from "../../shared/schema/json-values.ts";
import { type ClusterAccess, ask, continued, listPage, stillWatch } from "../api/cluster.ts";
import { linesOf } from "../kubectl/cluster/lines.ts";
import { type Column, isTable, tableOf } from "../kubectl/print/table.ts";
import type { TableRow } from "./table-row.ts";
import type { ListSource, Page, WatchEvent } from "./informer.ts";

const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
const pageSize = 1000;
const plainColumns: readonly Column[] = [{ name: "Name", type: "string", format: "name" }, { name: "Age" }];

/**
 * Returns a source. `columns` receives the columns that the server sends. The watch is a request because WebSockets cannot request
 * tables.
 */
export function tableSource(
  access: ClusterAccess,
  path: string,
  columns: (columnList: readonly Column[]) => void,
): ListSource<TableRow> {
  let isFirst = true;
  const pass = async () => {
    if (!isFirst || access.gate.ended.value) await access.gate.pass();
    isFirst = false;
  };
  return {
    async page(next) {
      if (next === undefined) await pass();
      const body = await listPage(access, path, { limit: String(pageSize), ...continued(next) }, accept);
      return pageOf(isObject(body) ? body : {}, columns);
    },
    async watch(revision, handlers) {
      if (access.moment?.()) return stillWatch(handlers);
      const parameters = new URLSearchParams({ watch: "1", allowWatchBookmarks: "true", resourceVersion: revision });
      const stop = new AbortController();
      const { signal } = stop;
      const answer = await ask(access, `${path}?${parameters}`, { headers: { accept }, signal });
      void (async () => {
        if (answer.ok && answer.body) {
          handlers.opened();
          for await (const line of linesOf(answer.body, signal)) handlers.message(line);
        }
      })()
        .catch(() => undefined)
        .finally(() => {
          if (!signal.aborted) handlers.closed();
        });
      return () => stop.abort();
    },
    eventOf(line) {
      // Only the server writes here.
      const { type, object } = JSON.parse(line) as { type: WatchEvent<TableRow>["type"]; object: JsonObject };
      const [row] = isTable(object) ? rowsOf(object) : [rowOf(object)];
      return { type, object: row ?? { apiVersion: "", kind: "", metadata: {}, cells: [] } };
    },
  };
}

function pageOf(body: JsonObject, columns: (columnList: readonly Column[]) => void): Page<TableRow> {
  // The metadata has upstream's type.
  const { resourceVersion = "", continue: next } = (body.metadata ?? {}) as {
    resourceVersion?: string;
    continue?: string;
  };
  if (isTable(body)) {
    const { columns: tableColumns } = tableOf(body);
    if (tableColumns.length > 0) columns(tableColumns);
    return { items: rowsOf(body), revision: resourceVersion, next };
  }
  columns(plainColumns);
  const items = Array.isArray(body.items) ? body.items.filter(isObject) : [];
  return { items: items.map(rowOf), revision: resourceVersion, next };
}

function rowsOf(table: JsonObject): TableRow[] {
  return tableOf(table).rows.map(({ cells, object = {} }) => ({ ...withoutManagers(object), cells }));
}

/** Returns the row of an object without a table: its name and age. */
function rowOf(object: JsonObject): TableRow {
  const row = withoutManagers(object);
  return { ...row, cells: [row.metadata.name ?? "", ""] };
}

/** Removes the managed fields, which are half of a row's size and not shown here. */
function withoutManagers(object: JsonObject): KubeObject {
  const { managedFields: _, ...metadata } = isObject(object.metadata) ? object.metadata : {};
  // The server wrote this metadata.
  return { apiVersion: "", kind: "", metadata };
}
