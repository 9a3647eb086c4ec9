// The form that creates a publishable key: its origins, what visitors may create, and its limits.
import { useState } from "preact/hooks";
import type { CreatePublishableKey, PublishableKey } from "../../../shared/contract/hosted/publishable-key.ts";
import type { Control } from "../../api/control.ts";
import { curlLine } from "../../api/lines.ts";
import { texts } from "../../messages/publishable.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { type Duration, DurationField, secondsOf } from "../../parts/duration-field.tsx";
import { useSubmit } from "../../parts/submit.ts";
import { CodeField, CountField, TextField } from "../../parts/text-field.tsx";
import { wordsOf } from "../../parts/words.ts";
import { createPublishable, keysPath } from "./publishable-api.ts";

interface Props {
  readonly control: Control;
  readonly close: () => void;
  readonly onCreated: (key: PublishableKey) => void;
}

const limitNames = ["perVisitor", "atOnce", "perHour", "perAddress"] as const;
type Limits = Readonly<Record<(typeof limitNames)[number], string>>;

/** The service's default limits. */
const usual: Limits = { perVisitor: "2", atOnce: "20", perHour: "60", perAddress: "30" };

export function PublishableForm({ control, close, onCreated }: Props) {
  const [name, setName] = useState("");
  const [origins, setOrigins] = useState("");
  const [templates, setTemplates] = useState("");
  const [lessons, setLessons] = useState("");
  const [life, setLife] = useState<Duration>({ amount: "2", unit: "hours" });
  const [limits, setLimits] = useState(usual);
  const input: CreatePublishableKey = {
    name,
    origins: wordsOf(origins),
    templates: wordsOf(templates),
    lessons: wordsOf(lessons),
    ttlSeconds: secondsOf(life),
    limits: Object.fromEntries(limitNames.map((limitName) => [limitName, countOf(limits[limitName])])),
  };
  const form = useSubmit(
    async () => onCreated(await createPublishable(control, input)),
    ["name", "origins", "templates", "lessons", "ttlSeconds", ...limitNames.map((limitName) => `limits.${limitName}`)],
  );
  return (
    <FormDialog title={texts.create} close={close} form={form} action={texts.makeKey} doing={texts.making}>
      <TextField label={texts.name} hint={texts.nameHint} {...form.bind("name", name, setName)} />
      <Lines label={texts.origins} hint={texts.originsHint} {...form.bind("origins", origins, setOrigins)} />
      <Lines label={texts.templates} hint={texts.templatesHint} {...form.bind("templates", templates, setTemplates)} />
      <Lines label={texts.lessons} hint={texts.lessonsHint} {...form.bind("lessons", lessons, setLessons)} />
      <DurationField label={texts.ttl} hint={texts.ttlHint} {...form.bind("ttlSeconds", life, setLife)} />
      <fieldset class="field">
        <legend>{texts.limits}</legend>
        {limitNames.map((limitName) => (
          <CountField
            key={limitName}
            label={texts.limitOf[limitName]}
            value={limits[limitName]}
            change={(value) => setLimits({ ...limits, [limitName]: value })}
            error={form.errorOf(`limits.${limitName}`)}
          />
        ))}
      </fieldset>
      <CommandLine line={curlLine("POST", keysPath, input)} />
    </FormDialog>
  );
}

type LinesProps = Omit<Parameters<typeof CodeField>[0], "rows">;

function Lines(props: LinesProps) {
  return <CodeField rows={2} {...props} />;
}

/** Returns NaN if the text is not a number; the API then reports what it expects. */
function countOf(text: string): number {
  return text.trim() === "" ? Number.NaN : Number(text);
}
