// The history of a sandbox: each change with its user, and the difference between two times.
import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { must } from "../../../shared/base/assert.ts";
import type { Snapshot, StateDiff } from "../../../shared/contract/snapshot.ts";
import { messageOf } from "../../api/control-failure.ts";
import { messages } from "../../messages.ts";
import { Alert } from "../../parts/alert.tsx";
import { KindBadge } from "../../parts/kind-badge.tsx";
import { NamespaceFilter } from "../../view/namespace-filter.tsx";
import { useLive } from "../../view/context.ts";
import { Command } from "../command.tsx";
import { Changes, Fields } from "./changes.tsx";
import { sandbarLine } from "./cli-line.ts";
import { Loading } from "../../parts/loading.tsx";

const texts = messages.history;

export function HistoryPage() {
  const { place, namespace } = useLive();
  const ofUsers = useSignal(true);
  const again = useSignal(0);
  const from = place.get("from");
  const query: Record<string, string> = namespace.value ? { namespace: namespace.value } : {};
  return (
    <div class="main">
      <section class="panel list" aria-label={texts.differences}>
        <div class="tools">
          <h2>{texts.differences}</h2>
          <Moments />
        </div>
        {from && <Differences key={`${from} ${place.get("to")}`} from={from} to={place.get("to") || "now"} />}
        {!from && <p class="empty">{texts.chooseMoments}</p>}
      </section>
      <section class="panel list" aria-label={messages.tabs.history}>
        <div class="tools">
          <h2>{texts.changes}</h2>
          <label class="inline">
            <input
              type="checkbox"
              checked={ofUsers.value}
              onChange={({ currentTarget }) => void (ofUsers.value = currentTarget.checked)}
            />
            {texts.ofUsers}
          </label>
          <NamespaceFilter />
          <button type="button" class="small" onClick={() => void (again.value += 1)}>
            {texts.again}
          </button>
        </div>
        <Changes query={query} version={String(again.value)} isOfOne={false} ofUsers={ofUsers.value} />
      </section>
    </div>
  );
}

/** Snapshots to choose from, and any revision. */
function Moments() {
  const { place, states } = useLive();
  const [snapshots, setSnapshots] = useState<readonly Snapshot[]>([]);
  const [revision, setRevision] = useState("");
  useEffect(() => {
    states?.snapshots().then(setSnapshots, () => undefined);
  }, [states]);
  const from = place.get("from");
  const isKnown = snapshots.some(({ id }) => id === from);
  return (
    <form
      class="moments"
      onSubmit={(event) => {
        event.preventDefault();
        place.go({ from: revision, to: "now" });
      }}
    >
      <select
        aria-label={texts.since}
        value={from}
        onChange={({ currentTarget }) => place.go({ from: currentTarget.value, to: "now" })}
      >
        <option value="">{texts.noMoment}</option>
        {!isKnown && from && <option value={from}>{texts.revision(from)}</option>}
        {snapshots.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <input
        inputMode="numeric"
        aria-label={texts.revisionField}
        placeholder={texts.revisionField}
        value={revision}
        onInput={({ currentTarget }) => setRevision(currentTarget.value)}
      />
      <button type="submit" class="small" disabled={!/^\d+$/.test(revision)}>
        {texts.compare}
      </button>
    </form>
  );
}

function Differences({ from, to }: { readonly from: string; readonly to: string }) {
  const states = must(useLive().states, "the states of a sandbox of the console");
  const [diff, setDiff] = useState<StateDiff>();
  const [failure, setFailure] = useState("");
  useEffect(() => {
    states.diff(from, to).then(setDiff, (error: unknown) => setFailure(messageOf(error)));
  }, []);
  return (
    <div class="text-pane">
      <Command line={sandbarLine("diff", states.sandbox.name, { from, ...(to === "now" ? {} : { to }) })} />
      <Alert text={failure} />
      {!diff && !failure && <Loading />}
      {diff?.objects.length === 0 && <p class="empty">{texts.nothingDiffers}</p>}
      <ul class="changed-objects">
        {diff?.objects.map(({ change, kind, namespace, name, fields }) => (
          <li key={`${kind} ${namespace ?? ""} ${name}`}>
            <details>
              <summary>
                <KindBadge kind={kind} /> <strong>{name}</strong>{" "}
                {namespace && <small class="within">{namespace}</small>} <span class="muted">{texts.diff[change]}</span>
              </summary>
              <Fields fields={fields} />
            </details>
          </li>
        ))}
      </ul>
      {diff?.truncated && <p class="muted">{texts.truncated}</p>}
    </div>
  );
}
