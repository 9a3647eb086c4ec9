// A sandbox of a template.
import { useState } from "preact/hooks";
import type { CreateSandbox } from "../../../shared/contract/sandbox.ts";
import type { Control } from "../../api/control.ts";
import { option, sandbarLine } from "../../api/lines.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { type Duration, DurationField, secondsOf } from "../../parts/duration-field.tsx";
import { FormEnd } from "../../parts/form-end.tsx";
import { useSubmit } from "../../parts/submit.ts";
import { TextField } from "../../parts/text-field.tsx";
import { go, sandboxPath } from "../route.ts";
import { texts as all } from "../../messages/template-pages.ts";

const texts = all.useDialog;

interface Props {
  readonly control: Control;
  /** `name`, or `name@version`. */
  readonly template: string;
  readonly close: () => void;
}

export function UseDialog({ control, template, close }: Props) {
  const [name, setName] = useState("");
  const [lifetime, setLifetime] = useState<Duration>({ amount: "24", unit: "hours" });
  const ttlSeconds = secondsOf(lifetime);
  const input: CreateSandbox = { template, ttlSeconds, ...(name ? { name } : {}) };
  const { submit, busy, errorOf, failure } = useSubmit(
    async () => go(sandboxPath((await control.create(input)).id)),
    ["name", "ttlSeconds"],
  );
  const ttl = Number.isFinite(ttlSeconds) ? `${ttlSeconds}s` : undefined;
  return (
    <Dialog title={texts.title(template)} close={close}>
      <form noValidate onSubmit={submit}>
        <TextField label={texts.name} hint={texts.optional} value={name} change={setName} error={errorOf("name")} />
        <DurationField label={texts.livesFor} value={lifetime} change={setLifetime} error={errorOf("ttlSeconds")} />
        <CommandLine
          line={sandbarLine("create", "--template", template, ...option("name", name), ...option("ttl", ttl))}
        />
        <FormEnd failure={failure} close={close} busy={busy} action={texts.createSandbox} doing={texts.creating} />
      </form>
    </Dialog>
  );
}
