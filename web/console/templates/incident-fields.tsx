// The incidents of a template: faults that its sandboxes have from the beginning, with the fields of each type.
import type { CreateTemplate } from "../../../shared/contract/template.ts";
import { texts } from "../../messages/templates.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { CodeField, CountField, TextField } from "../../parts/text-field.tsx";

type Incidents = NonNullable<CreateTemplate["incidents"]>;
type Type = Incidents[number]["type"];

export type IncidentText = Readonly<Record<Field, string>> & { readonly type: Type };

type Field = "kind" | "namespace" | "name" | "image" | "replicas" | "node" | "path" | "patch";

/** The fields of each type in order. */
const fieldsOf: Readonly<Record<Type, readonly Field[]>> = {
  bad_image: ["kind", "namespace", "name", "image"],
  crash_loop: ["kind", "namespace", "name"],
  scaled: ["kind", "namespace", "name", "replicas"],
  cordoned_node: ["node"],
  deleted: ["path"],
  patch: ["path", "patch"],
};
const types = Object.entries(texts.types);
const hints: Partial<Record<Field, string>> = {
  image: texts.imageHint,
  path: texts.pathHint,
  patch: texts.patchHint,
};

const newIncident: IncidentText = {
  type: "bad_image",
  kind: "Deployment",
  namespace: "default",
  name: "",
  image: "",
  replicas: "0",
  node: "",
  path: "",
  patch: "{}",
};

/** Converts the texts to the API's form. Empty fields are left out. */
export function incidentsOf(all: readonly IncidentText[]): Incidents {
  return all.map((incident) => {
    const fieldValues = fieldsOf[incident.type].map((field) => [field, valueOf(field, incident[field])] as const);
    // These are the fields of the type; the API validates their values.
    return {
      type: incident.type,
      ...Object.fromEntries(fieldValues.filter(([, value]) => value !== "")),
    } as Incidents[number];
  });
}

function valueOf(field: Field, text: string): unknown {
  if (field === "replicas") return text.trim() === "" ? Number.NaN : Number(text);
  if (field !== "patch") return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The text is sent unchanged, and the API reports that it is not an object.
    return text;
  }
}

interface Props {
  readonly incidents: readonly IncidentText[];
  readonly change: (incidents: readonly IncidentText[]) => void;
  /** Returns the error of a field by its path: `incidents.0.name`. */
  readonly errorOf: (field: string) => string | undefined;
}

export function IncidentFields({ incidents, change, errorOf }: Props) {
  const set = (at: number, changes: Partial<IncidentText>) =>
    change(incidents.map((incident, n) => (n === at ? { ...incident, ...changes } : incident)));
  return (
    <fieldset class="field">
      <legend>{texts.incidents}</legend>
      <p class="hint">{texts.incidentsHint}</p>
      {incidents.map((incident, at) => (
        <fieldset key={at} class="field">
          <legend>{texts.incident(at + 1)}</legend>
          <ChoiceField
            label={texts.type}
            value={incident.type}
            choices={types}
            change={(text) => set(at, { type: typeOf(text), kind: "Deployment" })}
          />
          {fieldsOf[incident.type].map((field) => (
            <OneField
              key={field}
              field={field}
              of={incident}
              change={(value) => set(at, { [field]: value })}
              error={errorOf(`incidents.${at}.${field}`)}
            />
          ))}
          <button type="button" class="quiet danger" onClick={() => change(incidents.filter((_, n) => n !== at))}>
            {texts.removeIncident(at + 1)}
          </button>
        </fieldset>
      ))}
      <button type="button" onClick={() => change([...incidents, newIncident])}>
        {texts.addIncident}
      </button>
    </fieldset>
  );
}

interface OneProps {
  readonly field: Field;
  readonly of: IncidentText;
  readonly change: (value: string) => void;
  readonly error: string | undefined;
}

function OneField({ field, of, change, error }: OneProps) {
  const wiring = { label: texts[field], hint: hints[field] ?? "", value: of[field], change, error };
  if (field === "replicas") return <CountField {...wiring} />;
  if (field === "patch") return <CodeField rows={3} {...wiring} />;
  if (field !== "kind") return <TextField {...wiring} />;
  // A daemon set cannot be scaled.
  const kinds = ["Deployment", "StatefulSet", ...(of.type === "scaled" ? [] : ["DaemonSet"])];
  return <ChoiceField {...wiring} choices={kinds.map((kind) => [kind, kind] as const)} />;
}

function typeOf(text: string): Type {
  return Object.hasOwn(fieldsOf, text) ? (text as Type) : "bad_image";
}
