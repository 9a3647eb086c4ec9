// Making a sandbox. The API checks; what it says stands at the field it speaks of.
import { useState } from "preact/hooks";
import type { CreateSandbox, SandboxWithToken } from "../../shared/contract/sandbox.ts";
import type { Control } from "../api/control.ts";
import { Dialog } from "../parts/dialog.tsx";
import { type Duration, DurationField, secondsOf } from "../parts/duration-field.tsx";
import { Field } from "../parts/field.tsx";
import { useSubmit } from "../parts/submit.ts";

interface Props {
  readonly control: Control;
  readonly close: () => void;
  readonly created: (sandbox: SandboxWithToken) => void;
}

export function CreateDialog({ control, close, created }: Props) {
  const [name, setName] = useState("");
  const [lifetime, setLifetime] = useState<Duration>({ amount: "24", unit: "hours" });
  const [nodes, setNodes] = useState("3");
  const [manifests, setManifests] = useState("");
  const input: CreateSandbox = {
    ...(name ? { name } : {}),
    ttlSeconds: secondsOf(lifetime),
    nodes: nodes.trim() === "" ? Number.NaN : Number(nodes),
    ...(manifests.trim() ? { manifests } : {}),
  };
  const { submit, busy, errorOf, failure } = useSubmit(
    async () => created(await control.create(input)),
    ["name", "ttlSeconds", "nodes", "manifests"],
  );
  return (
    <Dialog title="New sandbox" close={close}>
      <form noValidate onSubmit={submit}>
        <Field label="Name" hint="May be left out." error={errorOf("name")}>
          {(wiring) => (
            <input
              {...wiring}
              autoComplete="off"
              spellcheck={false}
              value={name}
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
        </Field>
        <div class="row">
          <DurationField label="Lives for" value={lifetime} change={setLifetime} error={errorOf("ttlSeconds")} />
          <Field label="Nodes" error={errorOf("nodes")}>
            {(wiring) => (
              <input
                {...wiring}
                type="number"
                inputMode="numeric"
                min="0"
                value={nodes}
                onInput={({ currentTarget }) => setNodes(currentTarget.value)}
              />
            )}
          </Field>
        </div>
        <Field label="Manifests" hint="YAML to start with; may be left out." error={errorOf("manifests")}>
          {(wiring) => (
            <textarea
              {...wiring}
              class="code"
              rows={8}
              spellcheck={false}
              value={manifests}
              onInput={({ currentTarget }) => setManifests(currentTarget.value)}
            />
          )}
        </Field>
        {failure && (
          <p class="notice" role="alert">
            {failure}
          </p>
        )}
        <footer>
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={busy}>
            {busy ? "Creating…" : "Create sandbox"}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
