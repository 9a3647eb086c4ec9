// The settings of a frame: from its address, and from the page, into which the service writes the surrounding origin.

export const panes = ["lesson", "terminal", "live", "check"] as const;

export type Pane = (typeof panes)[number];

export interface Settings {
  /** The publishable key. */
  readonly key: string;
  /** The ticket that the service signed for this page. */
  readonly ticket: string;
  /** The origin of the page around the frame. */
  readonly origin: string;
  readonly template: string | undefined;
  readonly lesson: string | undefined;
  /** The namespace, or empty for all. */
  readonly namespace: string;
  readonly panes: readonly Pane[];
  readonly readOnly: boolean;
  readonly theme: "light" | "dark" | "auto";
  readonly language: string;
  /** Reports whether an element created the frame, so that the page answers. */
  readonly isElement: boolean;
}

export function settingsOf(page: Document, { pathname, search }: Pick<Location, "pathname" | "search">): Settings {
  const query = new URLSearchParams(search);
  const metaContent = (name: string) =>
    page.querySelector<HTMLMetaElement>(`meta[name="sandbar-${name}"]`)?.content ?? "";
  const lesson = query.get("lesson") ?? undefined;
  const theme = query.get("theme");
  return {
    key: /^\/embed\/(\w+)$/.exec(pathname)?.[1] ?? "",
    ticket: metaContent("ticket"),
    origin: metaContent("origin"),
    lesson,
    template: lesson === undefined ? (query.get("template") ?? "") : undefined,
    namespace: query.get("namespace") ?? "",
    panes: panesOf(query.get("panes") ?? "", lesson !== undefined),
    readOnly: query.has("read-only"),
    theme: theme === "light" || theme === "dark" ? theme : "auto",
    language: query.get("language") ?? navigator.language,
    isElement: query.has("element"),
  };
}

/** Returns the known panes in the order of the address. */
function panesOf(text: string, isLesson: boolean): readonly Pane[] {
  const named = text.split(/[\s,]+/).flatMap((word) => panes.filter((pane) => pane === word));
  const some = [...new Set(named)].filter((pane) => isLesson || (pane !== "lesson" && pane !== "check"));
  if (some.length > 0) return some;
  return isLesson ? ["lesson", "terminal"] : ["terminal", "live"];
}
