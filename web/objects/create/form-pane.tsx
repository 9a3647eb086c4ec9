// The form of a kind beside the YAML that it makes.
import { useState } from "preact/hooks";
import { toYaml } from "../../live/yaml.ts";
import { messages } from "../../messages.ts";
import { texts as createTexts } from "../../messages/create.ts";
import { texts } from "../../messages/forms.ts";
import { Alert } from "../../parts/alert.tsx";
import { CodeField, CountField, TextField } from "../../parts/text-field.tsx";
import { Field } from "../../parts/field.tsx";
import type { Problem } from "../edit/problems.ts";
import { kindForms } from "./forms/catalogue.ts";
import { deploymentForm } from "./forms/pods.ts";
import { type FormField, initialValues, type Values } from "./forms/form.ts";

interface FormDraft {
  readonly kind: string;
  readonly values: Values;
}

const firstDraft: FormDraft = { kind: deploymentForm.kind, values: initialValues(deploymentForm) };

interface Props {
  readonly draft: FormDraft;
  readonly change: (draft: FormDraft) => void;
  readonly problems: readonly Problem[];
  readonly failure: string;
  readonly busy: boolean;
  readonly check: (yaml: string) => void;
  readonly takeYaml: (yaml: string) => void;
}

export function FormPane({ draft, change, problems, failure, busy, check, takeYaml }: Props) {
  const form = kindForms.find(({ kind }) => kind === draft.kind) ?? deploymentForm;
  const yaml = toYaml(form.objectOf(draft.values));
  const choose = (kind: string) => {
    const next = kindForms.find((candidate) => candidate.kind === kind) ?? deploymentForm;
    change({ kind: next.kind, values: initialValues(next) });
  };
  return (
    <form
      class="form-pane"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        check(yaml);
      }}
    >
      <div class="form-fields">
        <Field label={texts.kind}>
          {(wiring) => (
            <select {...wiring} value={form.kind} onChange={({ currentTarget }) => choose(currentTarget.value)}>
              {kindForms.map(({ kind }) => (
                <option key={kind}>{kind}</option>
              ))}
            </select>
          )}
        </Field>
        {form.fields.map((field) => (
          <FieldOf
            key={`${form.kind} ${field.id}`}
            field={field}
            value={draft.values[field.id] ?? ""}
            change={(value) => change({ ...draft, values: { ...draft.values, [field.id]: value } })}
          />
        ))}
      </div>
      <pre class="yaml" tabIndex={0} aria-label={texts.yaml} data-form-yaml>
        {yaml}
      </pre>
      {problems.length > 0 && (
        <div class="notice" role="alert">
          <strong>{createTexts.problems}</strong>
          <ul class="problems">
            {problems.map(({ line, message }) => (
              <li key={`${line} ${message}`}>
                <span class="muted">{messages.edit.atLine(line)}</span> {message}
              </li>
            ))}
          </ul>
        </div>
      )}
      <Alert text={failure} />
      <div class="actions">
        <button type="submit" class="primary" disabled={busy}>
          {busy ? createTexts.checking : createTexts.check}
        </button>
        <button type="button" class="quiet" onClick={() => takeYaml(yaml)}>
          {texts.takeYaml}
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  readonly field: FormField;
  readonly value: string;
  readonly change: (value: string) => void;
}

function FieldOf({ field: { id, form, among = [] }, value, change }: FieldProps) {
  const hint = texts.hints[id];
  const props = { label: texts.fields[id], value, change, ...(hint === undefined ? {} : { hint }) };
  if (form === "count") return <CountField {...props} />;
  if (form === "pairs") return <CodeField {...props} rows={2} />;
  if (form === "text") return <TextField {...props} />;
  return (
    <Field label={props.label}>
      {(wiring) => (
        <select {...wiring} value={value} onChange={({ currentTarget }) => change(currentTarget.value)}>
          {among.map((allowed) => (
            <option key={allowed}>{allowed}</option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Holds what was filled in while the dialog shows something else. */
export function useDraft() {
  return useState<FormDraft>(firstDraft);
}
