// The texts of the documentation site that its scripts show. The pages themselves are Markdown.

export const texts = {
  search: "Search the documentation",
  searchHint: "Search (press /)",
  results: "Search results",
  count: (count: number) => (count === 1 ? "1 result" : `${count} results`),
  none: (query: string) => `No page has "${query}". Try fewer or shorter words.`,
  failed: "The search could not be loaded. Reload the page to try again.",
  copy: "Copy",
  copied: "Copied",
  notCopied: "Select the text and copy it",
};
