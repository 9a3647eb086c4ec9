// Oneself: the passkeys that one signs in with, and where one is signed in.
import { Alert } from "../parts/alert.tsx";
import { useCallback } from "preact/hooks";
import type { Passkey, SessionList } from "../../shared/contract/sign-in.ts";
import { addPasskey } from "../api/passkeys.ts";
import type { Control } from "../api/control.ts";
import { me } from "../api/session.ts";
import { Age } from "../parts/age.tsx";
import { useLoaded } from "../parts/loaded.ts";

export function AccountPage({ control }: { readonly control: Control }) {
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
