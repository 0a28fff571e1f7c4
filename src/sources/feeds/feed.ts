/** One shape for feeds of every kind, in plain text. */

export interface Feed {
  readonly title: string;
  readonly link: string | undefined;
  readonly description: string;
  readonly updated: Date | undefined;
  readonly entries: readonly Entry[];
}

export interface Entry {
  /** What the feed calls it; undefined when it has no name for it. */
  readonly id: string | undefined;
  readonly link: string | undefined;
  readonly title: string;
  readonly content: string;
  readonly summary: string;
  readonly published: Date | undefined;
  readonly updated: Date | undefined;
  readonly language: string | undefined;
}

/** Relative to each base in turn, the document's own address first. What is no address stays out. */
export function resolve(address: string | undefined, bases: readonly string[], url: string): string | undefined {
  if (address === undefined || address.trim() === '') return undefined;
  if (/^https?:\/\//i.test(address.trim())) return URL.canParse(address) ? address.trim() : undefined;
  const base = bases.reduce((around, inner) => URL.parse(inner, around)?.href ?? around, url);
  return URL.parse(address.trim(), base)?.href;
}
