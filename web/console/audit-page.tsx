// The audit log: newest entries first, page by page, filtered by a text in the address.
import type { AuditEntry } from "../../shared/contract/control-audit.ts";
import type { Control } from "../api/control.ts";
import { option, sandbarLine } from "../api/lines.ts";
import { Age } from "../parts/age.tsx";
import { Alert } from "../parts/alert.tsx";
import { CommandLine } from "../parts/command-line.tsx";
import { PagedList } from "../parts/paged-list.tsx";
import { usePages } from "../parts/pages.ts";
import { SearchField } from "../parts/search-field.tsx";
import { Table } from "../parts/table.tsx";
import { become, pathTo } from "./route.ts";
import { texts as all } from "../messages/account.ts";

const texts = all.auditPage;

interface Props {
  readonly control: Control;
  readonly query: URLSearchParams;
}

export function AuditPage({ control, query }: Props) {
  const pages = usePages(async (cursor) => {
    const { entries, nextCursor } = await control.audit(cursor);
    return { items: entries, nextCursor };
  }, control);
  const sought = query.get("q") ?? "";
  return (
    <>
      <div class="titled page">
        <h1>{texts.auditLog}</h1>
        <SearchField
          label={texts.filter}
          placeholder={texts.filterHint}
          value={sought}
          change={(value) => become(pathTo("audit", [], { q: value }))}
        />
      </div>
      <Alert text={pages.failure} />
      <PagedList
        pages={pages}
        matches={(entry) => matches(entry, sought)}
        empty={texts.none}
        noMatch={(count) => `${texts.noMatchStart} ${count} ${texts.noMatchEnd}`}
      >
        {(entries) => <AuditTable entries={entries} />}
      </PagedList>
      <CommandLine line={sandbarLine("audit", ...option("limit", Math.max(100, pages.items?.length ?? 0)))} />
    </>
  );
}

type Shown = AuditEntry & { readonly tenant?: string };

/** Shows entries. `tenant` is set in the operator's own log. */
export function AuditTable({ entries }: { readonly entries: readonly Shown[] }) {
  const hasTenants = entries.some(({ tenant }) => tenant !== undefined);
  return (
    <Table
      label={texts.entries}
      rows={entries}
      keyOf={(entry) => `${entry.at}-${entries.indexOf(entry)}`}
      nameOf={({ action }) => action}
      columns={[
        {
          name: texts.when,
          cell: (entry) => (
            <>
              <Age time={entry.at} /> {texts.ago}
            </>
          ),
        },
        ...(hasTenants ? [{ name: texts.tenant, cell: ({ tenant }: Shown) => tenant }] : []),
        {
          name: texts.who,
          cell: ({ by }) => (
            <>
              {by.name || texts.deletedUser} <span class="hint">{by.kind}</span>
            </>
          ),
        },
        { name: texts.what, cell: ({ action }) => action },
        {
          name: texts.target,
          cell: ({ target, changed }) => (
            <>
              <code>{target}</code>
              {changed && <code class="audit-change">{JSON.stringify(changed)}</code>}
            </>
          ),
        },
        { name: texts.outcome, cell: ({ outcome, code }) => (code ? `${outcome}: ${code}` : outcome) },
        { name: texts.from, cell: ({ address }) => address },
      ]}
    />
  );
}

function matches({ by, action, target, outcome, address }: AuditEntry, sought: string): boolean {
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [by.name, by.id, by.kind, action, target, outcome, address].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}
