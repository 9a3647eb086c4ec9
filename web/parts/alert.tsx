// An error that screen readers announce at once.

/** Renders nothing if the text is empty. */
export function Alert({ text }: { readonly text: string | undefined }) {
  if (!text) return null;
  return (
    <p class="notice" role="alert">
      {text}
    </p>
  );
}
