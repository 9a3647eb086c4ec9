// The API keys: which there are, what they may do and when they were last used; made, shown once, and revoked.
import { useCallback, useState } from "preact/hooks";
import type { Key } from "../../shared/contract/key.ts";
import { allScopes } from "../../shared/contract/scope.ts";
import type { Control } from "../api/control.ts";
import { sandbarLine } from "../api/lines.ts";
import { may } from "../api/session.ts";
import { Age, TimeLeft } from "../parts/age.tsx";
import { Alert } from "../parts/alert.tsx";
import { CommandLine } from "../parts/command-line.tsx";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { useLoaded } from "../parts/loaded.ts";
import { KeyDialog } from "./key-dialog.tsx";
import { go, pathTo } from "./route.ts";

interface Props {
  readonly control: Control;
  readonly parts: readonly string[];
}

export function KeysPage({ control, parts: [open] }: Props) {
  const read = useCallback(() => control.keys(), [control]);
  const { value, failure, after } = useLoaded(read);
  const [revoked, ask] = useState<Key>();
  return (
    <>
      <div class="titled page">
        <h1>API keys</h1>
        {may("keys:write") && (
          <a class="button primary" href={pathTo("keys", ["new"])}>
            New key
          </a>
        )}
      </div>
      <Alert text={failure} />
      {value?.keys.length === 0 && (
        <p class="panel empty">
          No key yet. A key lets a program ask this service: a pipeline, the command line <code>sandbar</code>, or curl.
        </p>
      )}
      {value && value.keys.length > 0 && <KeyTable keys={value.keys} revoke={ask} />}
      <CommandLine line={sandbarLine("keys")} />
      {open === "new" && may("keys:write") && (
        <KeyDialog
          control={control}
          close={() => {
            go(pathTo("keys"));
            after(Promise.resolve());
          }}
        />
      )}
      {revoked && (
        <ConfirmDialog
          title={`Revoke ${revoked.name}?`}
          action="Revoke key"
          doing="Revoking…"
          line={sandbarLine("revoke-key", revoked.id)}
          run={async () => {
            await control.revokeKey(revoked.id);
            after(Promise.resolve());
          }}
          close={() => ask(undefined)}
        >
          <p>Whatever uses it is refused from then on, elsewhere within half a minute.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

function KeyTable({ keys, revoke }: { readonly keys: readonly Key[]; readonly revoke: (key: Key) => void }) {
  return (
    <div class="panel scroll" tabIndex={0} role="region" aria-label="Keys">
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
          {keys.map((key) => {
            const { id, name, scopes, createdAt, lastUsedAt, expiresAt } = key;
            return (
              <tr key={id} data-name={name}>
                <th scope="row">{name}</th>
                <td class="wide" data-label="May">
                  {scopes.length === allScopes.length ? "everything" : scopes.join(", ")}
                </td>
                <td data-label="Age">
                  <Age time={createdAt} />
                </td>
                <td data-label="Last used">{lastUsedAt ? <Age time={lastUsedAt} /> : "never"}</td>
                <td data-label="Expires in">{expiresAt ? <TimeLeft time={expiresAt} /> : "never"}</td>
                <td class="actions">
                  {may("keys:write") && (
                    <button type="button" class="quiet danger" onClick={() => revoke(key)}>
                      Revoke<span class="unseen"> {name}</span>
                    </button>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
