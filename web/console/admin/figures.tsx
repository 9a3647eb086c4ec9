// The service's own figures: some of what `/metrics` tells.
import { useCallback } from "preact/hooks";
import type { Operator } from "../../api/operator.ts";
import { Alert } from "../../parts/alert.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { bytesText, countText, shortCountText } from "../../parts/numbers.ts";

const shown: readonly (readonly [metric: string, name: string, text: (value: number) => string])[] = [
  ["sandbar_tenants", "Tenants", countText],
  ["sandbar_tenants_suspended", "Suspended", countText],
  ["sandbar_sandboxes_live", "Sandboxes", countText],
  ["sandbar_sandboxes_unfinished", "Being made or deleted", countText],
  ["sandbar_today_requests", "Requests today", shortCountText],
  ["sandbar_today_rows_written", "Rows written today", shortCountText],
  ["sandbar_stored_bytes", "Stored", bytesText],
];

export function Figures({ operator }: { readonly operator: Operator }) {
  const read = useCallback(async () => valuesIn(await operator.metrics()), [operator]);
  const { value, failure } = useLoaded(read);
  return (
    <>
      <Alert text={failure} />
      {value && (
        <dl class="tiles">
          {shown.map(([metric, name, text]) => (
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

/** Of Prometheus' text: those without labels. */
function valuesIn(text: string): ReadonlyMap<string, number> {
  const lines = text.split("\n").filter((line) => /^[a-z_]+ /.test(line));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(" ")), Number(line.slice(line.indexOf(" ") + 1))]));
}
