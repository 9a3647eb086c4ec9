// The dialog that creates a sandbox. The API validates the fields, and each error is shown at its field.
import { useState } from "preact/hooks";
import type { CreateSandbox, SandboxWithToken } from "../../shared/contract/sandbox.ts";
import type { Control } from "../api/control.ts";
import { option, sandbarLine } from "../api/lines.ts";
import { CommandLine } from "../parts/command-line.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { type Duration, DurationField, secondsOf } from "../parts/duration-field.tsx";
import { FormEnd } from "../parts/form-end.tsx";
import { useSubmit } from "../parts/submit.ts";
import { CodeField, CountField, TextField } from "../parts/text-field.tsx";
import { texts as all } from "../messages/console.ts";

const texts = all.createDialog;

interface Props {
  readonly control: Control;
  readonly close: () => void;
  readonly created: (sandbox: SandboxWithToken) => void;
}

export function CreateDialog({ control, close, created }: Props) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [lifetime, setLifetime] = useState<Duration>({ amount: "24", unit: "hours" });
  const [nodes, setNodes] = useState("3");
  const [manifests, setManifests] = useState("");
  const input: CreateSandbox = {
    ...(name ? { name } : {}),
    ...(description ? { description } : {}),
    ttlSeconds: secondsOf(lifetime),
    nodes: nodes.trim() === "" ? Number.NaN : Number(nodes),
    ...(manifests.trim() ? { manifests } : {}),
  };
  const { submit, busy, errorOf, failure } = useSubmit(
    async () => created(await control.create(input)),
    ["name", "description", "ttlSeconds", "nodes", "manifests"],
  );
  return (
    <Dialog title={texts.newSandbox} close={close}>
      <form noValidate onSubmit={submit}>
        <TextField label={texts.name} hint={texts.optional} value={name} change={setName} error={errorOf("name")} />
        <TextField
          label={texts.description}
          hint={texts.optional}
          value={description}
          change={setDescription}
          error={errorOf("description")}
        />
        <div class="row">
          <DurationField label={texts.livesFor} value={lifetime} change={setLifetime} error={errorOf("ttlSeconds")} />
          <CountField label={texts.nodes} value={nodes} change={setNodes} error={errorOf("nodes")} />
        </div>
        <CodeField
          label={texts.manifests}
          hint={texts.manifestsHint}
          rows={8}
          value={manifests}
          change={setManifests}
          error={errorOf("manifests")}
        />
        <CommandLine line={lineOf(input)} />
        <FormEnd failure={failure} close={close} busy={busy} action={texts.createSandbox} doing={texts.creating} />
      </form>
    </Dialog>
  );
}

function lineOf({ name, description, ttlSeconds, nodes, manifests }: CreateSandbox): string {
  const ttl = ttlSeconds === undefined || Number.isNaN(ttlSeconds) ? undefined : `${ttlSeconds}s`;
  const file = manifests ? ["-f", "manifests.yaml"] : [];
  const named = [...option("name", name), ...option("description", description)];
  return sandbarLine("create", ...named, ...option("ttl", ttl), ...option("nodes", nodes), ...file);
}
