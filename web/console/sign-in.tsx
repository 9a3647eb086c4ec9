// The door: an API key, or nothing.
import { useState } from "preact/hooks";
import { messageOf } from "../api/control.ts";
import { signIn, signedOutBecause } from "../api/session.ts";
import { Field } from "../parts/field.tsx";
import { Logo } from "../parts/logo.tsx";

export function SignIn() {
  const [key, setKey] = useState("");
  const [wrong, setWrong] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    setBusy(true);
    try {
      await signIn(key);
    } catch (error) {
      setWrong(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <main class="door">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <h1>
          <Logo /> Sandbar
        </h1>
        <p class="lead">Kubernetes clusters behind a link.</p>
        {signedOutBecause.value && <p class="notice">{signedOutBecause}</p>}
        <Field
          label="API key"
          hint="On your own machine it is in .sandbar/api-key. It is kept until this tab is closed."
          error={wrong || undefined}
        >
          {(wiring) => (
            <input
              {...wiring}
              type="password"
              autoComplete="current-password"
              spellcheck={false}
              autoFocus
              value={key}
              onInput={({ currentTarget }) => {
                setKey(currentTarget.value);
                setWrong("");
              }}
            />
          )}
        </Field>
        <button type="submit" class="primary" disabled={busy || key.trim() === ""}>
          Sign in
        </button>
      </form>
    </main>
  );
}
