// The service's own figures: a selection of the metrics at `/metrics`.
import { useCallback } from "preact/hooks";
import type { Operator } from "../../api/operator.ts";
import { Alert } from "../../parts/alert.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { bytesText, countText, shortCountText } from "../../parts/numbers.ts";
import { texts as all } from "../../messages/admin.ts";

const texts = all.figures;

const displayedMetrics: readonly (readonly [metric: string, name: string, text: (value: number) => string])[] = [
  ["sandbar_tenants", texts.tenants, countText],
  ["sandbar_tenants_suspended", texts.suspended, countText],
  ["sandbar_sandboxes_live", texts.sandboxes, countText],
  ["sandbar_sandboxes_unfinished", texts.beingMadeOrDeleted, countText],
  ["sandbar_today_requests", texts.requestsToday, shortCountText],
  ["sandbar_today_rows_written", texts.rowsWrittenToday, shortCountText],
  ["sandbar_stored_bytes", texts.stored, bytesText],
];

export function Figures({ operator }: { readonly operator: Operator }) {
  const read = useCallback(async () => valuesIn(await operator.metrics()), [operator]);
  const { value, failure } = useLoaded(read);
  return (
    <>
      <Alert text={failure} />
      {value && (
        <dl class="tiles">
          {displayedMetrics.map(([metric, name, text]) => (
            <div key={metric}>
              <dt>{name}</dt>
              <dd>{text(value.get(metric) ?? 0)}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

/** Parses the metrics without labels from Prometheus' text format. */
function valuesIn(text: string): ReadonlyMap<string, number> {
  const lines = text.split("\n").filter((line) => /^[a-z_]+ /.test(line));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(" ")), Number(line.slice(line.indexOf(" ") + 1))]));
}
