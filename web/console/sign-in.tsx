// The door: a passkey or GitHub, as the service has them, or an API key.
import { Alert } from "../parts/alert.tsx";
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../api/control-failure.ts";
import { signInByPasskey, signInWays } from "../api/passkeys.ts";
import { signedIn, signIn, signedOutBecause } from "../api/session.ts";
import { Field } from "../parts/field.tsx";
import { SecretField } from "../parts/text-field.tsx";
import type { SignInWays } from "../../shared/contract/sign-in.ts";
import { pathTo } from "./route.ts";
import { Logo } from "../parts/logo.tsx";
import { useSubmit } from "../parts/submit.ts";
import { texts as all } from "../messages/console.ts";

const texts = all.signIn;

/** `failed`: the code of why signing in elsewhere has failed. */
export function SignIn({ failed }: { readonly failed: string }) {
  return (
    <main class="door">
      <div class="card">
        <h1>
          <Logo /> {texts.sandbar}
        </h1>
        <p class="lead">{texts.tagline}</p>
        {signedOutBecause.value && <p class="notice">{signedOutBecause}</p>}
        {failed && (
          <p class="notice" role="alert">
            {whyFailed(failed)}
          </p>
        )}
        <Key />
        <People />
        <Organisation />
        <OtherWays />
      </div>
    </main>
  );
}

function Key() {
  const [key, setKey] = useState("");
  const { submit, busy, failure } = useSubmit(() => signIn(key), []);
  return (
    <form noValidate onSubmit={submit}>
      <SecretField
        label={texts.apiKey}
        hint={texts.apiKeyHint}
        error={failure || undefined}
        autoComplete="current-password"
        autoFocus
        value={key}
        change={setKey}
      />
      <button type="submit" class="primary" disabled={busy || key.trim() === ""}>
        {texts.signIn}
      </button>
    </form>
  );
}

function People() {
  const [failure, setFailure] = useState("");
  const [busy, setBusy] = useState(false);
  const byPasskey = async () => {
    setBusy(true);
    try {
      await signInByPasskey();
      await signedIn();
    } catch (error) {
      setFailure(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="ways">
      <button type="button" disabled={busy} onClick={() => void byPasskey()}>
        {texts.usePasskey}
      </button>
      <GithubLink query="" />
      <Alert text={failure} />
    </div>
  );
}

/** The form that sends the browser to an organisation's identity provider. */
function Organisation() {
  const [id, setId] = useState("");
  const isEmpty = id.trim() === "";
  const leave = (event: Event) => {
    event.preventDefault();
    // Not as a form: the page's policy keeps forms from being redirected to another origin.
    if (!isEmpty) location.assign(`/v1/sign-in/sso?tenant=${encodeURIComponent(id.trim())}`);
  };
  return (
    <details>
      <summary>{texts.signInWithOrganisation}</summary>
      <form noValidate onSubmit={leave}>
        <Field label={texts.organisationId} hint={texts.organisationIdHint}>
          {(wiring) => (
            <input
              {...wiring}
              autoComplete="organization"
              spellcheck={false}
              value={id}
              onInput={({ currentTarget }) => setId(currentTarget.value)}
            />
          )}
        </Field>
        <button type="submit" disabled={isEmpty}>
          {texts.signIn}
        </button>
      </form>
    </details>
  );
}

/** The links for users without an account: a trial, if the service offers one, and the public pages. */
function OtherWays() {
  const ways = useWays();
  return (
    <div class="ways">
      {ways?.trial && (
        <a class="button" href={pathTo("trial")}>
          {texts.tryWithoutAccount}
        </a>
      )}
      <p class="hint">
        <a href="/docs">{texts.documentation}</a> · <a href={pathTo("api")}>{texts.apiReference}</a> ·{" "}
        <a href={pathTo("admin")}>{texts.operatorSignIn}</a>
      </p>
    </div>
  );
}

/** Returns an empty list until the providers are known. */
function useWays(): SignInWays | undefined {
  const [ways, setWays] = useState<SignInWays>();
  useEffect(() => {
    signInWays().then(setWays, () => undefined);
  }, []);
  return ways;
}

/** The link that signs in with GitHub, or nothing if the service has no GitHub app. `query` begins with a question mark. */
export function GithubLink({ query }: { readonly query: string }) {
  if (!useWays()?.github) return null;
  return (
    <a class="button" href={`/v1/sign-in/github${query}`}>
      {texts.signInWithGithub}
    </a>
  );
}

/** The reasons of failed sign-ins by their codes. */
const reasons: Readonly<Record<string, string>> = {
  not_invited: texts.noOrganisation,
  limit_reached: texts.tooManyOrganisations,
  not_found: texts.invitationGone,
  invitation_used: texts.invitationUsed,
  no_sso: texts.noSso,
  sso_unavailable: texts.ssoUnavailable,
  deactivated: texts.deactivated,
};

function whyFailed(code: string): string {
  return (Object.hasOwn(reasons, code) ? reasons[code] : undefined) ?? texts.failed;
}
