// Where an invitation's link leads: a new person joins with a passkey or by GitHub, one who has signed in at once.
import { useState } from "preact/hooks";
import type { Control } from "../api/control.ts";
import { joinByPasskey } from "../api/passkeys.ts";
import { becomes, me, signedIn } from "../api/session.ts";
import { Alert } from "../parts/alert.tsx";
import { Logo } from "../parts/logo.tsx";
import { useSubmit } from "../parts/submit.ts";
import { TextField } from "../parts/text-field.tsx";
import { go } from "./route.ts";
import { GithubLink } from "./sign-in.tsx";
import { texts as all } from "../messages/account.ts";

const texts = all.joinPage;

interface Props {
  readonly code: string;
  readonly control: Control | undefined;
}

export function JoinPage({ code, control }: Props) {
  const person = me.value?.person;
  return (
    <main class="door">
      <div class="card">
        <h1>
          <Logo /> {texts.sandbar}
        </h1>
        <p class="lead">{texts.invited}</p>
        {control && person ? <Known code={code} control={control} name={person.name} /> : <New code={code} />}
      </div>
    </main>
  );
}

function Known({ code, control, name }: { readonly code: string; readonly control: Control; readonly name: string }) {
  const { submit, busy, failure } = useSubmit(async () => {
    becomes(await control.takeInvitation(code));
    go("#/");
  }, []);
  return (
    <form onSubmit={submit}>
      <Alert text={failure} />
      <button type="submit" class="primary" disabled={busy}>
        {texts.joinAs} {name}
      </button>
    </form>
  );
}

function New({ code }: { readonly code: string }) {
  const [name, setName] = useState("");
  const { submit, busy, bind, failure } = useSubmit(async () => {
    await joinByPasskey(code, name);
    await signedIn();
    go("#/");
  }, ["name"]);
  return (
    <form noValidate onSubmit={submit}>
      <TextField label={texts.yourName} {...bind("name", name, setName)} />
      <Alert text={failure} />
      <div class="ways">
        <button type="submit" class="primary" disabled={busy}>
          {texts.joinWithPasskey}
        </button>
        <GithubLink query={`?invitation=${encodeURIComponent(code)}`} />
      </div>
    </form>
  );
}
