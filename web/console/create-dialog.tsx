// The dialog that creates a sandbox. The API validates the fields, and each error is shown at its field.
import { useState } from "preact/hooks";
import { type KubernetesVersion, newestVersion } from "../../shared/k8s/settings/release.ts";
import type { CreateSandbox, SandboxWithToken } from "../../shared/contract/sandbox.ts";
import type { Control } from "../api/control.ts";
import { option, sandbarLine } from "../api/lines.ts";
import { CommandLine } from "../parts/command-line.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { type Duration, DurationField, secondsOf } from "../parts/duration-field.tsx";
import { useSubmit } from "../parts/submit.ts";
import { CodeField, CountField, TextField } from "../parts/text-field.tsx";
import { texts as all } from "../messages/console.ts";
import { VersionField } from "./version-field.tsx";

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
  const [version, setVersion] = useState<KubernetesVersion>(newestVersion);
  const [manifests, setManifests] = useState("");
  const input: CreateSandbox = {
    ...(name ? { name } : {}),
    ...(description ? { description } : {}),
    ttlSeconds: secondsOf(lifetime),
    nodes: nodes.trim() === "" ? Number.NaN : Number(nodes),
    ...(version === newestVersion ? {} : { version }),
    ...(manifests.trim() ? { manifests } : {}),
  };
  const form = useSubmit(
    async () => created(await control.create(input)),
    ["name", "description", "ttlSeconds", "nodes", "version", "manifests"],
  );
  return (
    <FormDialog title={texts.newSandbox} close={close} form={form} action={texts.createSandbox} doing={texts.creating}>
      <TextField label={texts.name} hint={texts.optional} {...form.bind("name", name, setName)} />
      <TextField
        label={texts.description}
        hint={texts.optional}
        {...form.bind("description", description, setDescription)}
      />
      <div class="row">
        <DurationField label={texts.livesFor} {...form.bind("ttlSeconds", lifetime, setLifetime)} />
        <CountField label={texts.nodes} {...form.bind("nodes", nodes, setNodes)} />
      </div>
      <VersionField label={texts.version} {...form.bind("version", version, setVersion)} />
      <CodeField
        label={texts.manifests}
        hint={texts.manifestsHint}
        rows={8}
        {...form.bind("manifests", manifests, setManifests)}
      />
      <CommandLine line={lineOf(input)} />
    </FormDialog>
  );
}

function lineOf({ name, description, ttlSeconds, nodes, version, manifests }: CreateSandbox): string {
  const ttl = ttlSeconds === undefined || Number.isNaN(ttlSeconds) ? undefined : `${ttlSeconds}s`;
  const file = manifests ? ["-f", "manifests.yaml"] : [];
  const named = [...option("name", name), ...option("description", description)];
  const sized = [...option("ttl", ttl), ...option("nodes", nodes), ...option("kubernetes-version", version)];
  return sandbarLine("create", ...named, ...sized, ...file);
}
