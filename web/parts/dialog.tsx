// A modal dialog: the browser's own, with its focus, its Escape and its backdrop.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { texts as all } from "../messages/components.ts";

const texts = all.dialog;

interface Props {
  readonly title: string;
  readonly class?: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog that is open while it is mounted. */
export function Dialog({ title, class: kind, close, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const { current } = dialog;
    current?.showModal();
    // A form begins at its first field, unless that would raise a keyboard on the screen.
    if (!current || current.querySelector("[autofocus]") || !matchMedia("(pointer: fine)").matches) return;
    current.querySelector<HTMLElement>("form :is(input, select, textarea)")?.focus();
  }, []);
  return (
    <dialog ref={dialog} class={kind} aria-labelledby={titleId} onClose={close}>
      <header>
        <h2 id={titleId}>{title}</h2>
        <button type="button" class="quiet icon" aria-label={texts.close} onClick={() => dialog.current?.close()}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  );
}
