// The console's pages in their groups, as the sidebar and the palette show them.
import {
  type IconNode,
  BookOpen,
  Boxes,
  Building2,
  ChartColumn,
  Code,
  FileClock,
  Gauge,
  Globe,
  GraduationCap,
  KeyRound,
  LayoutTemplate,
  IdCard,
  Users,
  Webhook,
} from "lucide";
import type { Scope } from "../../shared/contract/scope.ts";
import { may } from "../api/session.ts";
import type { Route } from "./route.ts";
import { texts as all } from "../messages/console.ts";

const texts = all.nav;

export interface ConsolePage {
  readonly page: Route["page"];
  readonly text: string;
  readonly icon: IconNode;
  readonly scope?: Scope;
}

export interface PageGroup {
  readonly title: string;
  readonly pages: readonly ConsolePage[];
}

const groups: readonly PageGroup[] = [
  { title: "", pages: [{ page: "sandboxes", text: texts.sandboxes, icon: Boxes, scope: "sandboxes:read" }] },
  {
    title: texts.learn,
    pages: [
      { page: "lessons", text: texts.lessons, icon: BookOpen, scope: "lessons:read" },
      { page: "lti", text: texts.learningPlatforms, icon: GraduationCap, scope: "lti:read" },
    ],
  },
  {
    title: texts.build,
    pages: [
      { page: "templates", text: texts.templates, icon: LayoutTemplate, scope: "templates:read" },
      { page: "keys", text: texts.apiKeys, icon: KeyRound, scope: "keys:read" },
      { page: "publishable-keys", text: texts.publishableKeys, icon: Globe, scope: "keys:read" },
      { page: "webhooks", text: texts.webhooks, icon: Webhook, scope: "webhooks:read" },
      { page: "api", text: texts.apiReference, icon: Code },
    ],
  },
  {
    title: texts.organisationGroup,
    pages: [
      { page: "members", text: texts.members, icon: Users, scope: "members:read" },
      { page: "sign-on", text: texts.signOn, icon: IdCard, scope: "tenant:read" },
      { page: "usage", text: texts.usage, icon: ChartColumn, scope: "usage:read" },
      { page: "limits", text: texts.limits, icon: Gauge, scope: "usage:read" },
      { page: "audit", text: texts.audit, icon: FileClock, scope: "audit:read" },
      { page: "organisation", text: texts.organisation, icon: Building2, scope: "tenant:read" },
    ],
  },
];

/** Returns the pages that the signed-in user may read. Groups without pages are left out. */
export function readablePages(): readonly PageGroup[] {
  return groups
    .map(({ title, pages }) => ({
      title,
      pages: pages.filter(({ scope }) => scope === undefined || may(scope)),
    }))
    .filter(({ pages }) => pages.length > 0);
}
