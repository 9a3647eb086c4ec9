// The dialog that creates an API key with scopes and a lifetime. It shows the key once.
import { useState } from "preact/hooks";
import type { CreateKey, KeyWithSecret } from "../../shared/contract/key.ts";
import { allScopes, type Scope, scopeTable } from "../../shared/contract/scope.ts";
import type { Control } from "../api/control.ts";
import { option, sandbarLine } from "../api/lines.ts";
import { may } from "../api/session.ts";
import { ChoiceField } from "../parts/choice-field.tsx";
import { CommandLine } from "../parts/command-line.tsx";
import { ShownOnce } from "../parts/shown-once.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { FormEnd } from "../parts/form-end.tsx";
import { useSubmit } from "../parts/submit.ts";
import { TextField } from "../parts/text-field.tsx";
import { texts as all } from "../messages/account.ts";

const texts = all.keyDialog;

interface Props {
  readonly control: Control;
  readonly close: () => void;
}

export function KeyDialog({ control, close }: Props) {
  const [createdKey, setMade] = useState<KeyWithSecret>();
  return (
    <Dialog title={createdKey ? texts.createdTitle(createdKey.name) : texts.newKey} close={close}>
      {createdKey ? (
        <ShownOnce text={createdKey.key} file={`${createdKey.name}.key`} words={texts} close={close}>
          {texts.shownOnce}
        </ShownOnce>
      ) : (
        <KeyForm control={control} close={close} onCreated={setMade} />
      )}
    </Dialog>
  );
}

const day = 24 * 3600;
const lives: readonly (readonly [value: string, text: string])[] = [
  ["", texts.untilRevoked],
  [String(7 * day), "7 days"],
  [String(30 * day), "30 days"],
  [String(90 * day), "90 days"],
  [String(365 * day), "a year"],
];

/** The presets of scopes. */
const proposals: readonly (readonly [name: string, scopes: readonly Scope[]])[] = [
  [texts.namePlaceholder, ["sandboxes:read", "sandboxes:create", "sandboxes:connect", "sandboxes:delete"]],
  [texts.readOnly, allScopes.filter((scope) => scope.endsWith(":read"))],
  [texts.allPermissions, allScopes],
];

function KeyForm({ control, close, onCreated }: Props & { readonly onCreated: (key: KeyWithSecret) => void }) {
  const [name, setName] = useState("");
  const [life, setLife] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["sandboxes:read", "sandboxes:create", "sandboxes:delete"]);
  const input: CreateKey = { name, scopes: [...scopes], ...(life ? { ttlSeconds: Number(life) } : {}) };
  const { submit, busy, errorOf, bind, failure } = useSubmit(
    async () => onCreated(await control.createKey(input)),
    ["name", "ttlSeconds", "scopes"],
  );
  const line = sandbarLine(
    "create-key",
    ...option("name", name || "NAME"),
    ...option("scope", scopes.join(",")),
    ...option("ttl", life && `${life}s`),
  );
  return (
    <form noValidate onSubmit={submit}>
      <TextField label={texts.name} hint={texts.nameHint} {...bind("name", name, setName)} />
      <ChoiceField label={texts.validFor} choices={lives} {...bind("ttlSeconds", life, setLife)} />
      <ScopeField scopes={scopes} change={setScopes} error={errorOf("scopes")} />
      <CommandLine line={line} />
      <FormEnd failure={failure} close={close} busy={busy} action={texts.makeKey} doing={texts.making} />
    </form>
  );
}

interface ScopeProps {
  readonly scopes: readonly Scope[];
  readonly change: (scopes: readonly Scope[]) => void;
  readonly error: string | undefined;
}

function ScopeField({ scopes, change, error }: ScopeProps) {
  const toggle = (toggled: Scope) =>
    change(allScopes.filter((scope) => (scope === toggled ? !scopes.includes(toggled) : scopes.includes(scope))));
  return (
    <fieldset class="field">
      <legend>{texts.permissions}</legend>
      <div class="actions">
        {proposals.map(([text, proposed]) => (
          <button key={text} type="button" class="quiet" onClick={() => change(proposed.filter(may))}>
            {text}
          </button>
        ))}
      </div>
      {allScopes.filter(may).map((scope) => (
        <label key={scope} class="check">
          <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} /> {scope}{" "}
          <span class="hint">{scopeTable[scope].means}</span>
        </label>
      ))}
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  );
}
