// Oneself: the passkeys that one signs in with, and where one is signed in.
import { Alert } from "../parts/alert.tsx";
import { useCallback } from "preact/hooks";
import type { Passkey, SessionList } from "../../shared/contract/sign-in.ts";
import { addPasskey } from "../api/passkeys.ts";
import type { Control } from "../api/control.ts";
import { curlOfSession } from "../api/lines.ts";
import { forgetSession, me } from "../api/session.ts";
import { Age } from "../parts/age.tsx";
import { CommandLine } from "../parts/command-line.tsx";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { useLoaded } from "../parts/loaded.ts";
import { go, pathTo } from "./route.ts";

interface Props {
  readonly control: Control;
  readonly parts: readonly string[];
}

export function AccountPage({ control, parts: [open] }: Props) {
  const read = useCallback(async () => ({ ...(await control.passkeys()), ...(await control.sessions()) }), [control]);
  const { value, failure, after } = useLoaded(read);
  return (
    <>
      <div class="titled page">
        <h1>{me.value?.person?.name}</h1>
        <button type="button" onClick={() => after(addPasskey())}>
          Add a passkey
        </button>
      </div>
      <Alert text={failure} />
      {value && value.passkeys.length > 0 && (
        <Passkeys passkeys={value.passkeys} remove={(id) => after(control.removePasskey(id))} />
      )}
      {value && <Sessions sessions={value.sessions} end={(id) => after(control.endSession(id))} />}
      <CommandLine label="Remove a passkey" line={curlOfSession("DELETE", "/v1/me/passkeys/PASSKEY")} />
      <CommandLine label="End a session" line={curlOfSession("DELETE", "/v1/me/sessions/SESSION")} />
      <section class="panel padded">
        <h2>Delete me</h2>
        <p>
          Your name, passkeys, sessions, memberships and the keys you made go at once; sandboxes stay with their
          organisation. In the logs your id alone is left.
        </p>
        <a class="button danger" href={pathTo("account", ["delete"])}>
          Delete me…
        </a>
      </section>
      {open === "delete" && (
        <ConfirmDialog
          title="Delete yourself?"
          action="Delete me"
          doing="Deleting…"
          line={curlOfSession("DELETE", "/v1/me")}
          run={async () => {
            await control.deleteMe();
            go("#/");
            forgetSession();
          }}
          close={() => location.hash === pathTo("account", ["delete"]) && go(pathTo("account"))}
        >
          <p>This cannot be taken back. Whoever is an organisation's last owner first makes somebody else one.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

interface PasskeyProps {
  readonly passkeys: readonly Passkey[];
  readonly remove: (id: string) => void;
}

function Passkeys({ passkeys, remove }: PasskeyProps) {
  return (
    <section class="panel scroll">
      <h2>Passkeys</h2>
      <table>
        <tbody>
          {passkeys.map(({ id, name, createdAt, lastUsedAt }) => (
            <tr key={id} data-kind="passkey">
              <th scope="row">{name}</th>
              <td>
                <Age time={createdAt} /> old
              </td>
              <td>
                {lastUsedAt ? (
                  <>
                    used <Age time={lastUsedAt} /> ago
                  </>
                ) : (
                  "not used yet"
                )}
              </td>
              <td class="actions">
                <button type="button" class="quiet danger" onClick={() => remove(id)}>
                  Remove
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface SessionProps {
  readonly sessions: SessionList["sessions"];
  readonly end: (id: string) => void;
}

function Sessions({ sessions, end }: SessionProps) {
  return (
    <section class="panel scroll">
      <h2>Signed in</h2>
      <table>
        <tbody>
          {sessions.map(({ id, current, browser, address, createdAt }) => (
            <tr key={id} data-kind="session">
              <th scope="row">{current ? "here" : browser}</th>
              <td>{address}</td>
              <td>
                <Age time={createdAt} /> ago
              </td>
              <td class="actions">
                {!current && (
                  <button type="button" class="quiet danger" onClick={() => end(id)}>
                    End
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
