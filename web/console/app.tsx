// The console's frame: its header, and the page of the route; without a session, the door, but for pages that need none.
import { useEffect } from "preact/hooks";
import type { Control } from "../api/control.ts";
import { checking, me, resume, session, signInByLink } from "../api/session.ts";
import { offer } from "../palette/entries.ts";
import { isPaletteOpen } from "../palette/palette-key.ts";
import { Logo } from "../parts/logo.tsx";
import { onDemand } from "../parts/on-demand.tsx";
import { AccountPage } from "./account-page.tsx";
import { JoinPage } from "./join-page.tsx";
import { MembersPage } from "./members-page.tsx";
import { consoleSource } from "./palette-source.ts";
import { become, type OpenPage, type OwnPage, type Route, route } from "./route.ts";
import { SandboxPage } from "./sandbox-page.tsx";
import { SandboxesPage } from "./sandboxes-page.tsx";
import { Sidebar } from "./sidebar.tsx";
import { SignIn } from "./sign-in.tsx";
import { texts as all } from "../messages/console.ts";

const texts = all.app;

const LessonsPage = onDemand(async () => (await import("../learn/board/lessons-page.tsx")).LessonsPage);
const LtiPage = onDemand(async () => (await import("./lti/lti-page.tsx")).LtiPage);
const TemplatesPage = onDemand(async () => (await import("./templates/templates-page.tsx")).TemplatesPage);
const UsagePage = onDemand(async () => (await import("./usage/usage-page.tsx")).UsagePage);
const LimitsPage = onDemand(async () => (await import("./usage/limits-page.tsx")).LimitsPage);
const WebhooksPage = onDemand(async () => (await import("./webhooks/webhooks-page.tsx")).WebhooksPage);
const AuditPage = onDemand(async () => (await import("./audit-page.tsx")).AuditPage);
const KeysPage = onDemand(async () => (await import("./keys-page.tsx")).KeysPage);
const PublishablePage = onDemand(async () => (await import("./publishable/publishable-page.tsx")).PublishablePage);
const OrganisationPage = onDemand(async () => (await import("./organisation-page.tsx")).OrganisationPage);
const SignOnPage = onDemand(async () => (await import("./sign-on/sign-on-page.tsx")).SignOnPage);
const AdminPage = onDemand(async () => (await import("./admin/admin-page.tsx")).AdminPage);
const ApiPage = onDemand(async () => (await import("./api/api-page.tsx")).ApiPage);
const Palette = onDemand(async () => (await import("../palette/palette.tsx")).Palette);
const TrialPage = onDemand(async () => (await import("./trial-page.tsx")).TrialPage);

const titles: Readonly<Record<OwnPage | OpenPage, string>> = {
  lessons: texts.lessons,
  lti: texts.learningPlatforms,
  templates: texts.templates,
  usage: texts.usage,
  limits: texts.limits,
  webhooks: texts.webhooks,
  audit: texts.auditLog,
  keys: texts.apiKeys,
  "publishable-keys": texts.publishableKeys,
  members: texts.members,
  "sign-on": texts.signOn,
  organisation: texts.organisation,
  account: texts.account,
  admin: texts.operator,
  api: texts.apiReference,
  trial: texts.trial,
};

export function App() {
  const control = session.value;
  const where = route.value;
  useEffect(() => void (where.page === "link" ? follow(where.secret) : resume()), []);
  useEffect(() => {
    if (where.page === "link" && !checking.value) void follow(where.secret);
  }, [where]);
  useEffect(() => {
    if (where.page === "sandbox") return;
    document.title = where.page in titles ? `${titles[where.page as OwnPage]} · Sandbar` : "Sandbar";
  }, [where.page]);
  if (checking.value || where.page === "link") return null;
  if (where.page === "join") return <JoinPage key={where.code} code={where.code} control={control} />;
  const isOpen = where.page === "admin" || where.page === "api" || where.page === "trial";
  if (!control && !isOpen) return <SignIn failed={where.page === "sign-in" ? where.error : ""} />;
  const page = isOpen ? <OpenTo where={where} /> : control && <Page control={control} where={where} />;
  if (!control) {
    return (
      <>
        <header class="head">
          <a class="home" href="#/">
            <Logo /> {texts.sandbar}
          </a>
          <a href="#/">{texts.signIn}</a>
        </header>
        <main>{page}</main>
      </>
    );
  }
  return (
    <div class="shell">
      <Sidebar control={control} page={where.page} />
      {/* Of another organisation everything is another. */}
      <main key={me.value?.tenant?.id}>{page}</main>
      <PalettePlace control={control} />
    </div>
  );
}

/** Offers pages and sandboxes to the palette, which loads when it is first opened. */
function PalettePlace({ control }: { readonly control: Control }) {
  useEffect(() => offer(consoleSource(control)), [control]);
  return isPaletteOpen.value ? <Palette /> : null;
}

/** The address forgets the link before it is used. */
function follow(secret: string): Promise<void> {
  become("#/");
  return signInByLink(secret);
}

function OpenTo({ where }: { readonly where: Route & { readonly page: OpenPage } }) {
  if (where.page === "admin") return <AdminPage segments={where.segments} query={where.query} />;
  if (where.page === "api") return <ApiPage segments={where.segments} query={where.query} />;
  return <TrialPage />;
}

function Page({ control, where }: { readonly control: Control; readonly where: Route }) {
  if (where.page === "account" && me.value?.person) return <AccountPage control={control} segments={where.segments} />;
  if (where.page === "account" && !me.value?.person) return <p class="panel empty">{texts.noAccount}</p>;
  if (!me.value?.tenant) {
    return <p class="panel empty">{texts.noOrganisation}</p>;
  }
  switch (where.page) {
    case "sandbox":
      return <SandboxPage key={where.id} control={control} id={where.id} />;
    case "lessons":
      return <LessonsPage control={control} segments={where.segments} query={where.query} />;
    case "lti":
      return <LtiPage control={control} segments={where.segments} />;
    case "templates":
      return <TemplatesPage control={control} segments={where.segments} query={where.query} />;
    case "usage":
      return <UsagePage control={control} query={where.query} />;
    case "limits":
      return <LimitsPage control={control} />;
    case "webhooks":
      return <WebhooksPage control={control} segments={where.segments} />;
    case "audit":
      return <AuditPage control={control} query={where.query} />;
    case "members":
      return <MembersPage control={control} />;
    case "sign-on":
      return <SignOnPage control={control} segments={where.segments} />;
    case "organisation":
      return <OrganisationPage control={control} segments={where.segments} />;
    case "publishable-keys":
      return <PublishablePage control={control} segments={where.segments} />;
    case "keys":
      return <KeysPage control={control} segments={where.segments} />;
    default:
      return where.page === "sandboxes" ? (
        <SandboxesPage control={control} dialog={where.dialog} address={where.query} />
      ) : (
        <SandboxesPage control={control} dialog={undefined} address={new URLSearchParams()} />
      );
  }
}
