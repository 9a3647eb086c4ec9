// The form that creates a publishable key: its origins, what visitors may create, and its limits.
import { useState } from "preact/hooks";
import type { CreatePublishableKey, PublishableKey } from "../../../shared/contract/hosted/publishable-key.ts";
import type { Control } from "../../api/control.ts";
import { curlLine } from "../../api/lines.ts";
import { texts } from "../../messages/publishable.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { type Duration, DurationField, secondsOf } from "../../parts/duration-field.tsx";
import { FormEnd } from "../../parts/form-end.tsx";
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
  const { submit, busy, errorOf, failure } = useSubmit(
    async () => onCreated(await createPublishable(control, input)),
    ["name", "origins", "templates", "lessons", "ttlSeconds", ...limitNames.map((limitName) => `limits.${limitName}`)],
  );
  return (
    <Dialog title={texts.create} close={close}>
      <form noValidate onSubmit={submit}>
        <TextField label={texts.name} hint={texts.nameHint} value={name} change={setName} error={errorOf("name")} />
        <Lines
          label={texts.origins}
          hint={texts.originsHint}
          value={origins}
          change={setOrigins}
          error={errorOf("origins")}
        />
        <Lines
          label={texts.templates}
          hint={texts.templatesHint}
          value={templates}
          change={setTemplates}
          error={errorOf("templates")}
        />
        <Lines
          label={texts.lessons}
          hint={texts.lessonsHint}
          value={lessons}
          change={setLessons}
          error={errorOf("lessons")}
        />
        <DurationField
          label={texts.ttl}
          hint={texts.ttlHint}
          value={life}
          change={setLife}
          error={errorOf("ttlSeconds")}
        />
        <fieldset class="field">
          <legend>{texts.limits}</legend>
          {limitNames.map((limitName) => (
            <CountField
              key={limitName}
              label={texts.limitOf[limitName]}
              value={limits[limitName]}
              change={(value) => setLimits({ ...limits, [limitName]: value })}
              error={errorOf(`limits.${limitName}`)}
            />
          ))}
        </fieldset>
        <CommandLine line={curlLine("POST", keysPath, input)} />
        <FormEnd failure={failure} close={close} busy={busy} action={texts.makeKey} doing={texts.making} />
      </form>
    </Dialog>
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
