// The base of all embedded elements: the frame, which is created when the element becomes visible, and attributes, events and methods.
import type { EmbedEvent } from "../../../shared/contract/hosted/embed-messages.ts";
import { type FrameLink, newFrameLink } from "./frame-link.ts";
import { languageOf, lookOf, onLookChange, themeOf } from "./look.ts";
import { texts as all } from "../../messages/element.ts";

const words = all.element;

/** The result of `run` and `apply`. */
export interface CommandResult {
  readonly exitCode: number;
  /** Both outputs. Absent if a terminal shows them. */
  readonly output?: string;
}

/** The address of the service, and the default key of elements. */
export interface Service {
  readonly origin: string;
  readonly key: string;
}

const ofFrame = ["key", "template", "lesson", "id", "namespace", "panes", "read-only"];
const ofLook = ["theme", "language", "style", "class"];

const style = `
:host { display: block; height: var(--sandbar-height, 30rem); contain: content; }
:host([hidden]) { display: none; }
iframe { display: block; width: 100%; height: 100%; border: var(--sandbar-border, 1px solid color-mix(in srgb, currentColor 20%, transparent)); border-radius: var(--sandbar-radius, 10px); background: transparent; color-scheme: normal; box-sizing: border-box; }
p { margin: 0; padding: 1rem; }
`;

/** Creates the element classes. The page's script calls it once with its service. */
export function elementsOf(service: Service): Readonly<Record<string, CustomElementConstructor>> {
  return {
    "sandbar-cluster": class extends SandbarElement {
      protected override readonly service = service;
    },
    "sandbar-terminal": class extends SandbarElement {
      protected override readonly service = service;
      protected override readonly usualPanes = "terminal";
    },
    "sandbar-lesson": class extends SandbarElement {
      protected override readonly service = service;
      protected override readonly isLesson = true;
      protected override readonly usualPanes = "lesson terminal";
    },
    "sandbar-check": class extends SandbarElement {
      protected override readonly service = service;
      protected override readonly isLesson = true;
      protected override readonly usualPanes = "check";
      protected override readonly isAsHighAsShown = true;
    },
  };
}

abstract class SandbarElement extends HTMLElement {
  static readonly observedAttributes = [...ofFrame, ...ofLook];
  protected abstract readonly service: Service;
  /** The default panes. Empty to use the frame's default. */
  protected readonly usualPanes: string = "";
  protected readonly isLesson: boolean = false;
  protected readonly isAsHighAsShown: boolean = false;
  readonly #root = this.attachShadow({ mode: "open" });
  #link: FrameLink | undefined;
  #leave: (() => void) | undefined;

  connectedCallback(): void {
    const rules = document.createElement("style");
    rules.textContent = style;
    this.#root.replaceChildren(rules);
    const visibility = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) this.#load();
    });
    visibility.observe(this);
    const stopLooking = onLookChange(() => this.#link?.look(lookOf(this)));
    this.#leave = () => {
      visibility.disconnect();
      stopLooking();
    };
  }

  disconnectedCallback(): void {
    this.#leave?.();
    this.#unload();
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before === now || !this.#link || (name === "id" && !this.isLesson)) return;
    if (ofLook.includes(name)) return this.#link.look(lookOf(this));
    this.#unload();
    this.#load();
  }

  /** Runs a kubectl command line such as `kubectl get pods`, in the terminal if there is one. */
  run(line: string): Promise<CommandResult> {
    return this.#call("run", line) as Promise<CommandResult>;
  }

  /** Applies YAML manifests. */
  apply(yaml: string): Promise<CommandResult> {
    return this.#call("apply", yaml) as Promise<CommandResult>;
  }

  /** Resets the cluster to its initial state, or to the beginning of the lesson's step. */
  reset(): Promise<unknown> {
    return this.#call("reset", "");
  }

  /** Grades the current step of a lesson. */
  check(): Promise<unknown> {
    return this.#call("check", "");
  }

  /** Calls the frame. Loads it first if the element was not visible yet. */
  #call(method: "run" | "apply" | "reset" | "check", text: string): Promise<unknown> {
    this.#load();
    if (!this.#link) return Promise.reject(new Error(words.notInPage));
    return this.#link.call(method, text);
  }

  #load(): void {
    if (this.#link || !this.isConnected) return;
    const key = this.getAttribute("key") || this.service.key;
    if (key === "") return this.#say(words.needsKey);
    const frame = document.createElement("iframe");
    frame.title = this.getAttribute("title") || (this.isLesson ? words.kubernetesLesson : words.kubernetesCluster);
    // The service checks the page's origin, so the frame always sends it, whatever referrer policy the page has.
    frame.referrerPolicy = "origin";
    frame.allow = "clipboard-read; clipboard-write; fullscreen";
    frame.src = this.#address(key);
    const { origin } = this.service;
    this.#link = newFrameLink({
      frame,
      origin,
      key,
      look: () => lookOf(this),
      event: (event) => this.#tell(event),
      height: (pixels) => {
        if (this.isAsHighAsShown) this.style.height = `${pixels + borderPixels}px`;
      },
    });
    this.#root.querySelector("p")?.remove();
    this.#root.append(frame);
  }

  #unload(): void {
    this.#link?.end();
    this.#link?.frame.remove();
    this.#link = undefined;
  }

  #address(key: string): string {
    const url = new URL(`/embed/${encodeURIComponent(key)}`, this.service.origin);
    const lesson = this.getAttribute("lesson") || this.id;
    const parameters = {
      ...(this.isLesson ? { lesson } : { template: this.getAttribute("template") ?? "" }),
      namespace: this.getAttribute("namespace") ?? "",
      panes: this.getAttribute("panes") || this.usualPanes,
      theme: themeOf(this, getComputedStyle(this)),
      language: languageOf(this),
    };
    for (const [name, value] of Object.entries(parameters)) if (value !== "") url.searchParams.set(name, value);
    url.searchParams.set("element", "");
    if (this.hasAttribute("read-only")) url.searchParams.set("read-only", "");
    return url.href;
  }

  #tell({ type, ...detail }: EmbedEvent): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  #say(text: string): void {
    const sentence = document.createElement("p");
    sentence.textContent = text;
    this.#root.querySelector("p")?.remove();
    this.#root.append(sentence);
  }
}

/** The height of the frame's borders. */
const borderPixels = 2;

/** Attributes that are also properties of the element. */
const texts = ["key", "template", "lesson", "namespace", "panes", "theme", "language"] as const;
for (const name of texts) {
  Object.defineProperty(SandbarElement.prototype, name, {
    get(this: HTMLElement) {
      return this.getAttribute(name) ?? "";
    },
    set(this: HTMLElement, value: string) {
      this.setAttribute(name, value);
    },
  });
}
Object.defineProperty(SandbarElement.prototype, "readOnly", {
  get(this: HTMLElement) {
    return this.hasAttribute("read-only");
  },
  set(this: HTMLElement, value: boolean) {
    this.toggleAttribute("read-only", value);
  },
});
