// What operators did, of all tenants: the newest first, a page at a time.
import { sandbarLine } from "../../api/lines.ts";
import type { Operator } from "../../api/operator.ts";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { usePages } from "../../parts/pages.ts";
import { AuditTable } from "../audit-page.tsx";
import { texts as all } from "../../messages/admin.ts";

const texts = all.operatorsLog;

export function OperatorsLog({ operator }: { readonly operator: Operator }) {
  const { items, more, failure } = usePages(async (cursor) => {
    const { entries, nextCursor } = await operator.audit(cursor);
    return { items: entries, nextCursor };
  }, operator);
  return (
    <>
      <div class="titled page">
        <h1>{texts.title}</h1>
      </div>
      <Alert text={failure} />
      {items?.length === 0 && <p class="panel empty">{texts.none}</p>}
      {items && items.length > 0 && <AuditTable entries={items} />}
      {more && (
        <button type="button" class="quiet more" onClick={more}>
          {texts.showMore}
        </button>
      )}
      <CommandLine line={sandbarLine("admin", "audit")} />
    </>
  );
}
