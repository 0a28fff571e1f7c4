/** The common shape of feeds of every kind, in plain text. */

import { parseUrl } from '../../base/parse-url.ts';
import type { SkippedItem } from '../text/read-items.ts';

export interface Feed {
  readonly title: string;
  readonly link: string | undefined;
  readonly description: string;
  readonly updated: Date | undefined;
  readonly entries: readonly FeedEntry[];
  /** Entries that were left out, or of which something was. */
  readonly skipped: readonly SkippedItem[];
  /** How many entries were left out because nobody wants them. */
  readonly leftOut?: number;
  /** It ends in the middle: entries may be missing. */
  readonly isCutOff?: boolean;
}

export interface FeedEntry {
  /** The feed's own id; undefined when it gives none. */
  readonly id: string | undefined;
  readonly link: string | undefined;
  readonly title: string;
  readonly content: string;
  readonly summary: string;
  readonly published: Date | undefined;
  readonly updated: Date | undefined;
  readonly language: string | undefined;
  readonly author?: string | undefined;
  /** It stays on top, however old it is. */
  readonly isPinned?: boolean;
  /** As it was listed, for those who need more than the fields above. */
  readonly original?: unknown;
}

/** Resolves an address against each base in turn, the document's own address first. Undefined when it is none. */
export function resolve(address: string | undefined, bases: readonly string[], url: string): string | undefined {
  if (address === undefined || address.trim() === '') return undefined;
  if (/^https?:\/\//i.test(address.trim())) return parseUrl(address) === null ? undefined : address.trim();
  const base = bases.reduce((around, inner) => parseUrl(inner, around)?.href ?? around, url);
  return parseUrl(address.trim(), base)?.href;
}
