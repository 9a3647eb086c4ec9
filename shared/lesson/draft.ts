// The name suffix of drafts: `sandbar lesson serve` publishes a lesson under it, and the pages of such a lesson check for changes often.
export const draftSuffix = "-draft";
