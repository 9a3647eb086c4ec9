// What operators did, of all tenants: the newest first, a page at a time.
import { sandbarLine } from "../../api/lines.ts";
import type { Operator } from "../../api/operator.ts";
import { Alert } from "../../parts/alert.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { usePages } from "../../parts/pages.ts";
import { AuditTable } from "../audit-page.tsx";

export function OperatorsLog({ operator }: { readonly operator: Operator }) {
  const { items, more, failure } = usePages(async (cursor) => {
    const { entries, nextCursor } = await operator.audit(cursor);
    return { items: entries, nextCursor };
  }, operator);
  return (
    <>
      <div class="titled page">
        <h1>What operators did</h1>
      </div>
      <Alert text={failure} />
      {items?.length === 0 && (
        <p class="panel empty">
          Nothing yet. Each plan, limit and suspension that is given to a tenant is noted here, and in the tenant's own
          log.
        </p>
      )}
      {items && items.length > 0 && <AuditTable entries={items} />}
      {more && (
        <button type="button" class="quiet more" onClick={more}>
          Show more
        </button>
      )}
      <CommandLine line={sandbarLine("admin", "audit")} />
    </>
  );
}
