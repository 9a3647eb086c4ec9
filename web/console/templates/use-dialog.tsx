// A sandbox of a template.
import { useState } from "preact/hooks";
import type { CreateSandbox } from "../../../shared/contract/sandbox.ts";
import type { Control } from "../../api/control.ts";
import { option, sandbarLine } from "../../api/lines.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { type Duration, DurationField, secondsOf } from "../../parts/duration-field.tsx";
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
  const form = useSubmit(async () => go(sandboxPath((await control.create(input)).id)), ["name", "ttlSeconds"]);
  const ttl = Number.isFinite(ttlSeconds) ? `${ttlSeconds}s` : undefined;
  return (
    <FormDialog
      title={texts.title(template)}
      close={close}
      form={form}
      action={texts.createSandbox}
      doing={texts.creating}
    >
      <TextField label={texts.name} hint={texts.optional} {...form.bind("name", name, setName)} />
      <DurationField label={texts.livesFor} {...form.bind("ttlSeconds", lifetime, setLifetime)} />
      <CommandLine
        line={sandbarLine("create", "--template", template, ...option("name", name), ...option("ttl", ttl))}
      />
    </FormDialog>
  );
}
