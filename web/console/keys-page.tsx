// The API keys: which there are, what they may do and when they were last used; made, shown once, and revoked.
import { Alert } from "../parts/alert.tsx";
import { useCallback, useState } from "preact/hooks";
import type { Key, KeyWithSecret } from "../../shared/contract/key.ts";
import { allScopes, type Scope, scopeTable } from "../../shared/contract/scope.ts";
import type { Control } from "../api/control.ts";
import { may } from "../api/session.ts";
import { Age, TimeLeft } from "../parts/age.tsx";
import { CopyButton } from "../parts/copy-button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { FormEnd } from "../parts/form-end.tsx";
import { useLoaded } from "../parts/loaded.ts";
import { useSubmit } from "../parts/submit.ts";
import { TextField } from "../parts/text-field.tsx";

export function KeysPage({ control }: { readonly control: Control }) {
  const read = useCallback(() => control.keys(), [control]);
  const { value, failure, after } = useLoaded(read);
  const [asked, ask] = useState(false);
  const close = () => {
    ask(false);
    after(Promise.resolve());
  };
  return (
    <>
      <div class="titled page">
        <h1>API keys</h1>
        {may("keys:write") && (
          <button type="button" class="primary" onClick={() => ask(true)}>
            New key
          </button>
        )}
      </div>
      <Alert text={failure} />
      {value && <KeyTable keys={value.keys} revoke={(id) => after(control.revokeKey(id))} />}
      {asked && <KeyDialog control={control} close={close} />}
    </>
  );
}

function KeyTable({ keys, revoke }: { readonly keys: readonly Key[]; readonly revoke: (id: string) => void }) {
  return (
    <div class="panel scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">May</th>
            <th scope="col">Age</th>
            <th scope="col">Last used</th>
            <th scope="col">Expires in</th>
            <th scope="col">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map(({ id, name, scopes, createdAt, lastUsedAt, expiresAt }) => (
            <tr key={id} data-name={name}>
              <th scope="row">{name}</th>
              <td data-label="May">{scopes.length === allScopes.length ? "everything" : scopes.join(", ")}</td>
              <td data-label="Age">
                <Age time={createdAt} />
              </td>
              <td data-label="Last used">{lastUsedAt ? <Age time={lastUsedAt} /> : "never"}</td>
              <td data-label="Expires in">{expiresAt ? <TimeLeft time={expiresAt} /> : "never"}</td>
              <td class="actions">
                {may("keys:write") && (
                  <button type="button" class="quiet danger" onClick={() => revoke(id)}>
                    Revoke<span class="unseen"> {name}</span>
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function KeyDialog({ control, close }: { readonly control: Control; readonly close: () => void }) {
  const [made, setMade] = useState<KeyWithSecret>();
  return (
    <Dialog title={made ? `The key ${made.name}` : "New key"} close={close}>
      {made ? (
        <div class="made">
          <p>It is shown this once.</p>
          <div class="pair">
            <code>{made.key}</code>
            <CopyButton label="Copy" text={() => made.key} file={`${made.name}.key`} />
          </div>
          <footer>
            <button type="button" class="primary" onClick={close}>
              Done
            </button>
          </footer>
        </div>
      ) : (
        <KeyForm control={control} close={close} made={setMade} />
      )}
    </Dialog>
  );
}

interface FormProps {
  readonly control: Control;
  readonly close: () => void;
  readonly made: (key: KeyWithSecret) => void;
}

function KeyForm({ control, close, made }: FormProps) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["sandboxes:read", "sandboxes:create", "sandboxes:delete"]);
  const { submit, busy, errorOf, failure } = useSubmit(
    async () => made(await control.createKey({ name, scopes: [...scopes] })),
    ["name"],
  );
  const turn = (one: Scope) =>
    setScopes(scopes.includes(one) ? scopes.filter((other) => other !== one) : [...scopes, one]);
  return (
    <form noValidate onSubmit={submit}>
      <TextField label="Name" hint="What it is for." value={name} change={setName} error={errorOf("name")} />
      <fieldset class="field">
        <legend>What it may do</legend>
        {allScopes.filter(may).map((one) => (
          <label key={one} class="check" title={scopeTable[one].means}>
            <input type="checkbox" checked={scopes.includes(one)} onChange={() => turn(one)} /> {one}
          </label>
        ))}
      </fieldset>
      <FormEnd failure={failure} close={close} busy={busy} action="Make key" doing="Making…" />
    </form>
  );
}
