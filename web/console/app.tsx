// The console's frame: its header, and the page of the route; without a session, the door.
import { useEffect } from "preact/hooks";
import { session, signOut } from "../api/session.ts";
import { Logo } from "../parts/logo.tsx";
import { route } from "./route.ts";
import { SandboxPage } from "./sandbox-page.tsx";
import { SandboxesPage } from "./sandboxes-page.tsx";
import { SignIn } from "./sign-in.tsx";

export function App() {
  const control = session.value;
  const where = route.value;
  useEffect(() => {
    if (where.page === "sandboxes") document.title = "Sandbar";
  }, [where]);
  if (!control) return <SignIn />;
  return (
    <>
      <header class="head">
        <a class="home" href="#/">
          <Logo /> Sandbar
        </a>
        <button type="button" class="quiet" onClick={signOut}>
          Sign out
        </button>
      </header>
      <main>
        {where.page === "sandbox" ? (
          <SandboxPage key={where.id} control={control} id={where.id} />
        ) : (
          <SandboxesPage control={control} />
        )}
      </main>
    </>
  );
}
