// Writes the archive of an organisation: the rows of D1 without hashes and sealed texts, the files, and the organisation's object. Each sandbox
// is a state file that can be imported. The archive is written while it is read, so memory does not bound its size.
import { copyLimits } from "../../../../shared/base/share-limits.ts";
import type { CopiedRows } from "../../../../shared/contract/hosted/copy.ts";
import { ControlError } from "../control-error.ts";
import { tarEnd, tarEntry } from "../http/tar.ts";
import type { ControlApiServer } from "../server.ts";
import { stateOfSandbox } from "../states.ts";

export const archiveType = "application/x-tar";

/** Tables that have only credentials. */
const secretTables = ["idempotency_keys", "sessions", "lti_keys"];
/** Columns with hashes of credentials, and with sealed ones. */
const secretColumns = ["hash", "sealed_secret"];
/** The sandboxes of one page of their list. */
const pageSize = 100;

type Exporting = Pick<
  ControlApiServer,
  "databases" | "files" | "directory" | "tenant" | "cluster" | "secret" | "nowMs"
>;

interface Organisation {
  readonly id: string;
  readonly name: string;
}

interface Entry {
  readonly name: string;
  readonly content: Uint8Array | string;
}

/** The last entry of the archive. */
interface Contents {
  readonly rows: Record<string, number>;
  files: number;
  sandboxes: number;
  /** Sandboxes whose states could not be read, with the reasons. */
  readonly failures: string[];
}

export function exportTenant(controlApi: ControlApiServer, organisation: Organisation): ReadableStream<Uint8Array> {
  const chunks = archive(controlApi, organisation);
  return new ReadableStream({
    pull: async (controller) => {
      const next = await chunks.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: async () => void (await chunks.return(undefined)),
  });
}

async function* archive(controlApi: Exporting, organisation: Organisation): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const atMs = controlApi.nowMs();
  const contents: Contents = { rows: {}, files: 0, sandboxes: 0, failures: [] };
  const entries = [
    oneEntry("organisation.json", { ...organisation, exportedAt: new Date(atMs).toISOString() }),
    rowEntries(controlApi, organisation.id, contents),
    fileEntries(controlApi, organisation.id, contents),
    objectEntries(controlApi, organisation.id),
    sandboxEntries(controlApi, organisation.id, contents),
    oneEntry("contents.json", contents),
  ];
  for (const some of entries)
    for await (const { name, content } of some) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      yield* tarEntry(name, bytes, atMs);
    }
  yield tarEnd();
}

async function* oneEntry(name: string, value: unknown): AsyncGenerator<Entry> {
  yield { name, content: `${JSON.stringify(value, undefined, 2)}\n` };
}

async function* rowEntries({ databases }: Exporting, tenantId: string, { rows }: Contents): AsyncGenerator<Entry> {
  for (const [database, source] of databases.entries()) {
    for (const first of await source.read(undefined, tenantId)) {
      const { table } = first;
      if (secretTables.includes(table)) continue;
      let number = 0;
      for (let page: CopiedRows | undefined = first; page; ) {
        if (page.rows.length > 0)
          yield { name: `rows/${table}.${database}.${padded(number++)}.jsonl`, content: linesOf(page) };
        rows[table] = (rows[table] ?? 0) + page.rows.length;
        page = page.after === undefined ? undefined : (await source.read({ table, after: page.after }, tenantId))[0];
      }
    }
  }
}

/** Returns a row as an object in each line. */
function linesOf({ columns, rows }: CopiedRows): string {
  const objects = rows.map((row) => {
    const pairs = columns.map((column, at) => [column, row[at]] as const);
    return Object.fromEntries(pairs.filter(([column]) => !secretColumns.includes(column)));
  });
  return objects.map((row) => `${JSON.stringify(row)}\n`).join("");
}

async function* fileEntries({ files }: Exporting, tenantId: string, contents: Contents): AsyncGenerator<Entry> {
  const prefix = `${tenantId}/`;
  for (let cursor: string | undefined; ; ) {
    const page = await files.list(copyLimits.files, cursor, prefix);
    for (const { key } of page.files) {
      const content = await files.get(key);
      if (!content) continue;
      contents.files++;
      yield { name: `files/${key.slice(prefix.length)}`, content };
    }
    if (page.cursor === undefined) return;
    cursor = page.cursor;
  }
}

/** The organisation's object has the usage, the webhooks, and the recorded events. */
async function* objectEntries({ tenant }: Exporting, tenantId: string): AsyncGenerator<Entry> {
  const object = tenant(tenantId);
  let page = await object.copyPage(undefined);
  if (!page.ok && page.code === "not_found") return;
  for (let number = 0; ; number++) {
    if (!page.ok) throw new ControlError(409, "busy", page.message);
    yield { name: `object/${padded(number)}.jsonl`, content: page.text };
    if (page.isLast) return;
    page = await object.copyPage(page.session);
  }
}

async function* sandboxEntries(controlApi: Exporting, tenantId: string, contents: Contents): AsyncGenerator<Entry> {
  const { directory, nowMs } = controlApi;
  let rows = await directory.list(tenantId, nowMs(), pageSize);
  while (rows.length > 0) {
    for (const { id } of rows) {
      try {
        const { bytes } = await stateOfSandbox(controlApi, id);
        contents.sandboxes++;
        yield { name: `sandboxes/${id}.state`, content: bytes };
      } catch (error) {
        if (!(error instanceof ControlError)) throw error;
        contents.failures.push(`${id}: ${error.message}`);
      }
    }
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    rows = await directory.list(tenantId, nowMs(), pageSize, last);
  }
}

function padded(number: number): string {
  return String(number).padStart(5, "0");
}
