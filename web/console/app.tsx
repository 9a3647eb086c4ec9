// The console's frame: its header, and the page of the route; without a session, the door.
import { useEffect } from "preact/hooks";
import type { Control } from "../api/control.ts";
import { becomes, checking, may, me, resume, session, signOut } from "../api/session.ts";
import { Later } from "../parts/later.tsx";
import { Logo } from "../parts/logo.tsx";
import { AccountPage } from "./account-page.tsx";
import { JoinPage } from "./join-page.tsx";
import { KeysPage } from "./keys-page.tsx";
import { MembersPage } from "./members-page.tsx";
import { type Route, route } from "./route.ts";
import { SandboxPage } from "./sandbox-page.tsx";
import { SandboxesPage } from "./sandboxes-page.tsx";
import { SignIn } from "./sign-in.tsx";

const lessonsPage = () => import("../learn/board/lessons-page.tsx").then(({ LessonsPage }) => LessonsPage);

export function App() {
  const control = session.value;
  const where = route.value;
  useEffect(() => void resume(), []);
  useEffect(() => {
    if (where.page !== "sandbox") document.title = "Sandbar";
  }, [where]);
  if (checking.value) return null;
  if (where.page === "join") return <JoinPage key={where.code} code={where.code} control={control} />;
  if (!control) return <SignIn failed={where.page === "sign-in" ? where.error : ""} />;
  return (
    <>
      <header class="head">
        <a class="home" href="#/">
          <Logo /> Sandbar
        </a>
        <nav class="actions">
          {may("lessons:read") && <a href="#/lessons">Lessons</a>}
          {may("members:read") && <a href="#/members">Members</a>}
          {may("keys:read") && <a href="#/keys">API keys</a>}
        </nav>
        <Organisations control={control} />
        <button type="button" class="quiet" onClick={signOut}>
          Sign out
        </button>
      </header>
      {/* Of another organisation everything is another. */}
      <main key={me.value?.tenant?.id}>
        <Page control={control} where={where} />
      </main>
    </>
  );
}

function Page({ control, where }: { readonly control: Control; readonly where: Route }) {
  if (where.page === "account" && me.value?.person) return <AccountPage control={control} />;
  if (!me.value?.tenant) {
    return <p class="panel empty">You belong to no organisation: ask somebody of one for an invitation.</p>;
  }
  switch (where.page) {
    case "sandbox":
      return <SandboxPage key={where.id} control={control} id={where.id} hasTerminal={where.hasTerminal} />;
    case "lessons":
      return <Later load={lessonsPage} props={{ control, lesson: where.lesson }} />;
    case "members":
      return <MembersPage control={control} />;
    case "keys":
      return <KeysPage control={control} />;
    default:
      return <SandboxesPage control={control} />;
  }
}

/** Whose sandboxes are shown; a person may belong to several. */
function Organisations({ control }: { readonly control: Control }) {
  const { person, tenant, memberships = [] } = me.value ?? {};
  if (!person) return null;
  const account = (
    <a class="who" href="#/account">
      {person.name}
    </a>
  );
  if (memberships.length < 2) return account;
  return (
    <span class="who">
      {account} in{" "}
      <select
        aria-label="Organisation"
        value={tenant?.id}
        onChange={({ currentTarget }) => void control.changeMe({ tenant: currentTarget.value }).then(becomes)}
      >
        {memberships.map((one) => (
          <option key={one.tenant.id} value={one.tenant.id}>
            {one.tenant.name}
          </option>
        ))}
      </select>
    </span>
  );
}
