// What a frame is to show: from its address, and from the service, which writes into its page whom it is shown to.

export const panes = ["lesson", "terminal", "live", "check"] as const;

export type Pane = (typeof panes)[number];

export interface Settings {
  /** The publishable key. */
  readonly key: string;
  /** What the service has signed for this page. */
  readonly ticket: string;
  /** Of the page around the frame. */
  readonly origin: string;
  readonly template: string | undefined;
  readonly lesson: string | undefined;
  /** Empty: all. */
  readonly namespace: string;
  readonly panes: readonly Pane[];
  readonly readOnly: boolean;
  readonly theme: "light" | "dark" | "auto";
  readonly language: string;
  /** It is an element's, whose page answers. */
  readonly isElement: boolean;
}

export function settingsOf(page: Document, { pathname, search }: Pick<Location, "pathname" | "search">): Settings {
  const query = new URLSearchParams(search);
  const said = (name: string) => page.querySelector<HTMLMetaElement>(`meta[name="sandbar-${name}"]`)?.content ?? "";
  const lesson = query.get("lesson") ?? undefined;
  const theme = query.get("theme");
  return {
    key: /^\/embed\/(\w+)$/.exec(pathname)?.[1] ?? "",
    ticket: said("ticket"),
    origin: said("origin"),
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

/** In the order of the address; what there is not is left out. */
function panesOf(text: string, isLesson: boolean): readonly Pane[] {
  const named = text.split(/[\s,]+/).flatMap((word) => panes.filter((one) => one === word));
  const some = [...new Set(named)].filter((one) => isLesson || (one !== "lesson" && one !== "check"));
  if (some.length > 0) return some;
  return isLesson ? ["lesson", "terminal"] : ["terminal", "live"];
}
