// The form that creates the next version of a template: from manifests and nodes, from the current state of a sandbox, or from a snapshot.
import { useCallback, useState } from "preact/hooks";
import type { CreateTemplate, Template } from "../../../shared/contract/template.ts";
import type { Control } from "../../api/control.ts";
import { curlLine, option, sandbarLine } from "../../api/lines.ts";
import { may } from "../../api/session.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { useLoaded } from "../../parts/loaded.ts";
import { useSubmit } from "../../parts/submit.ts";
import { CodeField, CountField, TextField } from "../../parts/text-field.tsx";
import { IncidentFields, type IncidentText, incidentsOf } from "./incident-fields.tsx";
import { UserFields, type UserText, usersOf } from "./user-fields.tsx";
import { texts as all } from "../../messages/template-pages.ts";

const texts = all.templateForm;

interface Props {
  readonly control: Control;
  /** The id of the preselected sandbox, or empty for none. */
  readonly sandbox: string;
  readonly close: () => void;
  readonly onCreated: (template: Template) => void;
}

type Origin = "parts" | "sandbox" | "snapshot";

const origins: readonly (readonly [Origin, string])[] = [
  ["parts", texts.nodesAndManifests],
  ["sandbox", texts.currentSandbox],
  ["snapshot", "A snapshot"],
];

export function TemplateForm({ control, sandbox, close, onCreated }: Props) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [origin, setOrigin] = useState<Origin>(sandbox ? "sandbox" : "parts");
  const [of, setOf] = useState(sandbox);
  const [nodes, setNodes] = useState("3");
  const [manifests, setManifests] = useState("");
  const [users, setUsers] = useState<readonly UserText[]>([]);
  const [incidents, setIncidents] = useState<readonly IncidentText[]>([]);
  const input: CreateTemplate = {
    name,
    ...(description ? { description } : {}),
    ...(origin === "parts"
      ? {
          nodes: nodes.trim() === "" ? Number.NaN : Number(nodes),
          ...(manifests.trim() ? { manifests } : {}),
          ...(incidents.length > 0 ? { incidents: incidentsOf(incidents) } : {}),
        }
      : { [origin]: of }),
    ...(users.length > 0 ? { users: usersOf(users) } : {}),
  };
  const form = useSubmit(
    async () => onCreated(await control.createTemplate(input)),
    [...(["name", "description", "nodes", "manifests", "sandbox", "snapshot"] as const), ...partsOf(input)],
  );
  return (
    <FormDialog title={texts.newTemplate} close={close} form={form} action={texts.makeTemplate} doing={texts.making}>
      <TextField label={texts.name} hint={texts.nameHint} {...form.bind("name", name, setName)} />
      <TextField label={texts.description} {...form.bind("description", description, setDescription)} />
      <ChoiceField
        label={texts.source}
        value={origin}
        choices={origins.filter(([originName]) => mayUse(originName))}
        change={(text) => {
          setOrigin(origins.find(([originName]) => originName === text)?.[0] ?? "parts");
          setOf("");
        }}
      />
      {origin === "parts" ? (
        <>
          <CountField label={texts.nodes} {...form.bind("nodes", nodes, setNodes)} />
          <CodeField
            label={texts.manifests}
            hint={texts.manifestsHint}
            rows={8}
            {...form.bind("manifests", manifests, setManifests)}
          />
          <IncidentFields incidents={incidents} change={setIncidents} errorOf={form.errorOf} />
        </>
      ) : (
        <OriginField control={control} origin={origin} {...form.bind(origin, of, setOf)} />
      )}
      <UserFields users={users} change={setUsers} errorOf={form.errorOf} />
      <CommandLine line={lineOf(input)} />
    </FormDialog>
  );
}

function mayUse(origin: Origin): boolean {
  if (origin === "sandbox") return may("sandboxes:connect");
  return origin === "parts" || may("snapshots:read");
}

interface OriginProps {
  readonly control: Control;
  readonly origin: "sandbox" | "snapshot";
  readonly value: string;
  readonly change: (id: string) => void;
  readonly error: string | undefined;
}

/** The field that chooses a sandbox or snapshot. */
function OriginField({ control, origin, value, change, error }: OriginProps) {
  const read = useCallback(async () => {
    const sources = origin === "sandbox" ? (await control.list()).sandboxes : (await control.snapshots()).snapshots;
    return sources.map(({ id, name }) => [id, `${name} (${id})`] as const);
  }, [control, origin]);
  const { value: choices = [], failure } = useLoaded(read);
  const first = origin === "sandbox" ? texts.chooseSandbox : texts.chooseSnapshot;
  const isListed = value === "" || choices.some(([id]) => id === value);
  return (
    <ChoiceField
      label={origin === "sandbox" ? texts.sandbox : texts.snapshot}
      hint={origin === "sandbox" ? texts.copyHint : ""}
      value={value}
      choices={[["", first], ...(isListed ? [] : [[value, value] as const]), ...choices]}
      change={change}
      error={error ?? (failure || undefined)}
    />
  );
}

/** Returns the paths of the user and incident fields in the form: `users.0.role`. */
function partsOf({ users = [], incidents = [] }: CreateTemplate): string[] {
  return [
    ...users.flatMap((_, at) => ["user", "groups", "role", "namespace"].map((field) => `users.${at}.${field}`)),
    ...incidents.flatMap((incident, at) => Object.keys(incident).map((field) => `incidents.${at}.${field}`)),
  ];
}

/** Returns the line of the command-line client, which has no options for users and incidents. */
function lineOf(input: CreateTemplate): string {
  const { name, description, nodes, manifests, sandbox, snapshot, users, incidents } = input;
  if (users || incidents) return curlLine("POST", "/v1/templates", input);
  return sandbarLine(
    "template",
    "save",
    name || "NAME",
    ...option("description", description),
    ...option("nodes", typeof nodes === "number" ? nodes : undefined),
    ...(manifests ? ["-f", "manifests.yaml"] : []),
    ...option("sandbox", sandbox),
    ...option("snapshot", snapshot),
  );
}
