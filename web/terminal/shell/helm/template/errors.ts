// Errors of templates, with the positions and words of Go's text/template.

/** A problem of a template's text or execution. Its message is complete. */
export class TemplateError extends Error {
  override name = "TemplateError";
  /** The chart's own words, if it failed by `fail` or `required`. */
  readonly warning: string | undefined;

  constructor(message: string, warning?: string) {
    super(message);
    this.warning = warning;
  }
}

/** A problem of a function's arguments or work. The executor adds the position and the function's name. */
export class CallError extends Error {
  override name = "CallError";
}

/** A refusal because a template exceeds a limit. No function catches it. */
export class TemplateLimit extends Error {
  override name = "TemplateLimit";
}

/** The maximum length of a text that a function returns. */
const maxLength = 4 * 1024 * 1024;

export function checkLength(length: number): void {
  if (length > maxLength) throw new TemplateLimit(`a text of more than ${maxLength / 1024 / 1024} MB cannot be held`);
}
