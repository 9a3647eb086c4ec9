// The navigation: a sidebar with groups that collapses to icons, or a drawer on narrow screens.
import { signal } from "@preact/signals";
import { BookText, LogOut, Menu, PanelLeft, Rows3, Search } from "lucide";
import { useEffect, useRef } from "preact/hooks";
import type { Control } from "../api/control.ts";
import { becomes, me, signOut } from "../api/session.ts";
import { Icon } from "../parts/icon.tsx";
import { Logo } from "../parts/logo.tsx";
import { forgetLayout, isBoolean, remembered } from "../parts/remembered.ts";
import { askPalette } from "../palette/palette-key.ts";
import { readablePages } from "./pages.ts";
import type { Route } from "./route.ts";
import { texts as all } from "../messages/console.ts";

const texts = all.app;
const navTexts = all.nav;

const collapsed = remembered("sidebar-collapsed", false, isBoolean);
const comfortable = remembered("comfortable", false, isBoolean);
/** Reports whether the drawer is open. It is always closed on a wide screen. */
const drawer = signal(false);

interface Props {
  readonly control: Control;
  readonly page: Route["page"];
}

export function Sidebar({ control, page }: Props) {
  const isOpen = drawer.value;
  const isCollapsed = collapsed.value.value;
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    const close = () => void (drawer.value = false);
    addEventListener("hashchange", close);
    return () => removeEventListener("hashchange", close);
  }, []);
  useEffect(() => {
    if (!isOpen) return undefined;
    bar.current?.querySelector<HTMLElement>("[aria-current], a")?.focus();
    const press = ({ key }: KeyboardEvent) => {
      if (key === "Escape") drawer.value = false;
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [isOpen]);
  return (
    <>
      <Topbar />
      {isOpen && <div class="scrim" onClick={() => void (drawer.value = false)} />}
      <aside
        ref={bar}
        id="sidebar"
        class={`sidebar${isOpen ? " open" : ""}${isCollapsed ? " collapsed" : ""}`}
        aria-label={navTexts.sidebar}
      >
        <div class="sidebar-head">
          <a class="home" href="#/" title={texts.sandbar}>
            <Logo /> <span class="label">{texts.sandbar}</span>
          </a>
          <button
            type="button"
            class="quiet icon collapser"
            aria-label={isCollapsed ? navTexts.expand : navTexts.collapse}
            aria-expanded={!isCollapsed}
            onClick={() => collapsed.set(!isCollapsed)}
          >
            <Icon of={PanelLeft} />
          </button>
        </div>
        <button type="button" class="search-button" aria-keyshortcuts="Control+K" onClick={askPalette}>
          <Icon of={Search} /> <span class="label">{navTexts.searchShort}</span>{" "}
          <kbd class="label">{navTexts.searchKeys}</kbd>
        </button>
        <Pages current={page === "sandbox" ? "sandboxes" : page} />
        <Foot control={control} />
      </aside>
    </>
  );
}

/** The bar above the page on screens where the sidebar is a drawer. */
function Topbar() {
  return (
    <header class="topbar">
      <button
        type="button"
        class="quiet icon"
        aria-label={navTexts.menu}
        aria-expanded={drawer.value}
        aria-controls="sidebar"
        onClick={() => void (drawer.value = true)}
      >
        <Icon of={Menu} />
      </button>
      <a class="home" href="#/">
        <Logo /> {texts.sandbar}
      </a>
      <button type="button" class="quiet icon" aria-label={navTexts.search} onClick={askPalette}>
        <Icon of={Search} />
      </button>
    </header>
  );
}

function Pages({ current }: { readonly current: Route["page"] }) {
  return (
    <nav class="pages" aria-label={navTexts.pages}>
      {readablePages().map(({ title, pages }) => (
        <div key={title} class="page-group">
          {title && <h2 class="label">{title}</h2>}
          {pages.map(({ page: name, text, icon }) => (
            <a key={name} href={`#/${name}`} title={text} aria-current={name === current ? "page" : undefined}>
              <Icon of={icon} /> <span class="label">{text}</span>
            </a>
          ))}
        </div>
      ))}
    </nav>
  );
}

function Foot({ control }: { readonly control: Control }) {
  const isComfortable = comfortable.value.value;
  useEffect(() => void document.documentElement.classList.toggle("comfortable", isComfortable), [isComfortable]);
  return (
    <div class="sidebar-foot">
      <Organisations control={control} />
      <a class="line" href="/docs" title={navTexts.documentation}>
        <Icon of={BookText} /> <span class="label">{navTexts.documentation}</span>
      </a>
      <button
        type="button"
        class="quiet line"
        title={navTexts.comfortable}
        aria-pressed={isComfortable}
        onClick={() => comfortable.set(!isComfortable)}
      >
        <Icon of={Rows3} /> <span class="label">{navTexts.comfortable}</span>
      </button>
      <button
        type="button"
        class="quiet line"
        title={texts.signOut}
        onClick={() => {
          forgetLayout();
          signOut();
        }}
      >
        <Icon of={LogOut} /> <span class="label">{texts.signOut}</span>
      </button>
    </div>
  );
}

/** The choice of the organisation whose sandboxes are shown; a user may belong to several. */
function Organisations({ control }: { readonly control: Control }) {
  const { person, tenant, memberships = [] } = me.value ?? {};
  if (!person) return null;
  return (
    <span class="who label">
      <a href="#/account">{person.name}</a>
      {memberships.length > 1 && (
        <>
          {" "}
          {texts.in}{" "}
          <select
            aria-label={texts.organisation}
            value={tenant?.id}
            onChange={({ currentTarget }) => void control.changeMe({ tenant: currentTarget.value }).then(becomes)}
          >
            {memberships.map((membership) => (
              <option key={membership.tenant.id} value={membership.tenant.id}>
                {membership.tenant.name}
              </option>
            ))}
          </select>
        </>
      )}
    </span>
  );
}
