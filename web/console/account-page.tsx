// The account page: the passkeys of the user, and their sessions.
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
import { texts as all } from "../messages/account.ts";

const texts = all.accountPage;

interface Props {
  readonly control: Control;
  readonly segments: readonly string[];
}

export function AccountPage({ control, segments: [open] }: Props) {
  const read = useCallback(async () => ({ ...(await control.passkeys()), ...(await control.sessions()) }), [control]);
  const { value, failure, after } = useLoaded(read);
  return (
    <>
      <div class="titled page">
        <h1>{me.value?.person?.name}</h1>
        <button type="button" onClick={() => after(addPasskey())}>
          {texts.addPasskey}
        </button>
      </div>
      <Alert text={failure} />
      {value && value.passkeys.length > 0 && (
        <Passkeys passkeys={value.passkeys} remove={(id) => after(control.removePasskey(id))} />
      )}
      {value && <Sessions sessions={value.sessions} end={(id) => after(control.endSession(id))} />}
      <CommandLine label={texts.removePasskey} line={curlOfSession("DELETE", "/v1/me/passkeys/PASSKEY")} />
      <CommandLine label={texts.endSession} line={curlOfSession("DELETE", "/v1/me/sessions/SESSION")} />
      <section class="panel padded">
        <h2>{texts.deleteAccount}</h2>
        <p>{texts.deletionMeans}</p>
        <a class="button danger" href={pathTo("account", ["delete"])}>
          {texts.openDeletion}
        </a>
      </section>
      {open === "delete" && (
        <ConfirmDialog
          title={texts.deletionTitle}
          action={texts.deleteAccount}
          doing={texts.deleting}
          line={curlOfSession("DELETE", "/v1/me")}
          run={async () => {
            await control.deleteMe();
            go("#/");
            forgetSession();
          }}
          close={() => location.hash === pathTo("account", ["delete"]) && go(pathTo("account"))}
        >
          <p>{texts.deletionWarning}</p>
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
      <h2>{texts.passkeys}</h2>
      <table>
        <tbody>
          {passkeys.map(({ id, name, createdAt, lastUsedAt }) => (
            <tr key={id} data-kind="passkey">
              <th scope="row">{name}</th>
              <td>
                <Age time={createdAt} /> {texts.old}
              </td>
              <td>
                {lastUsedAt ? (
                  <>
                    {texts.used} <Age time={lastUsedAt} /> {texts.ago}
                  </>
                ) : (
                  texts.notUsedYet
                )}
              </td>
              <td class="actions">
                <button type="button" class="quiet danger" onClick={() => remove(id)}>
                  {texts.remove}
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
      <h2>{texts.signedIn}</h2>
      <table>
        <tbody>
          {sessions.map(({ id, current, browser, address, createdAt }) => (
            <tr key={id} data-kind="session">
              <th scope="row">{current ? texts.thisSession : browser}</th>
              <td>{address}</td>
              <td>
                <Age time={createdAt} /> {texts.ago}
              </td>
              <td class="actions">
                {!current && (
                  <button type="button" class="quiet danger" onClick={() => end(id)}>
                    {texts.end}
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
