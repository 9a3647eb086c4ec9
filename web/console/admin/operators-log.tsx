// What operators did, of all tenants: the newest first, a page at a time.
import { sandbarLine } from "../../api/lines.ts";
import type { Operator } from "../../api/operator.ts";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { PagedList } from "../../parts/paged-list.tsx";
import { usePages } from "../../parts/pages.ts";
import { AuditTable } from "../audit-page.tsx";
import { texts as all } from "../../messages/admin.ts";

const texts = all.operatorsLog;

export function OperatorsLog({ operator }: { readonly operator: Operator }) {
  const pages = usePages(async (cursor) => {
    const { entries, nextCursor } = await operator.audit(cursor);
    return { items: entries, nextCursor };
  }, operator);
  return (
    <>
      <div class="titled page">
        <h1>{texts.title}</h1>
      </div>
      <Alert text={pages.failure} />
      <PagedList pages={pages} empty={texts.none}>
        {(entries) => <AuditTable entries={entries} />}
      </PagedList>
      <CommandLine line={sandbarLine("admin", "audit")} />
    </>
  );
}
