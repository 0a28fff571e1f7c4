/** OPML, the lists of feeds that feed readers exchange. Pure. */
import type { ListedSource } from '../data/queries.ts';
import type { Outcome } from '../rules/in-turn.ts';

export interface ListedFeed {
  readonly name: string;
  readonly url: string;
}

const OUTLINE = /<outline\s([^<>]*)>/gi;
const ATTRIBUTE = /\b(\w{1,20})\s?=\s?(?:"([^"]*)"|'([^']*)')/g;
const REFERENCES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The feeds of a list, each address once; undefined when the text is no OPML. The page may make no document of a text. */
export function feedsIn(text: string): ListedFeed[] | undefined {
  if (!/<opml[\s>]/i.test(text)) return undefined;
  const feeds = new Map<string, ListedFeed>();
  for (const [, inside = ''] of text.matchAll(OUTLINE)) {
    const attributes = new Map(
      Array.from(inside.matchAll(ATTRIBUTE), ([, name, double, single]) => [
        name!.toLowerCase(),
        unescaped(double ?? single ?? '').trim(),
      ]),
    );
    const url = attributes.get('xmlurl') ?? '';
    if (!/^https?:\/\//i.test(url)) continue;
    feeds.set(url, { url, name: attributes.get('text') || attributes.get('title') || url });
  }
  return [...feeds.values()];
}

const unescaped = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => REFERENCES[name]!);

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => SIGNS[sign]!);

/** Feeds only: OPML knows nothing else. */
export function opmlOf(sources: readonly ListedSource[]): string {
  const feeds = sources
    .filter(({ kind }) => kind === 'feeds')
    .flatMap(({ name, options }) =>
      Array.isArray(options['urls']) ? options['urls'].map((url) => ({ name, url: String(url) })) : [],
    );
  const outlines = feeds.map(
    ({ name, url }) => `    <outline type="rss" text="${escaped(name)}" xmlUrl="${escaped(url)}"/>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0">\n  <head><title>Sluice</title></head>\n  <body>\n${outlines.join('\n')}\n  </body>\n</opml>\n`;
}

/** More would make the message longer than its reader. */
const MOST_NAMED = 3;

/** How many feeds were added, and which were not and why. */
export function broughtWords({ done, failed }: Outcome): string {
  const added = done.length === 1 ? 'One feed was added.' : `${done.length} feeds were added.`;
  if (failed.length === 0) return added;
  const named = failed.slice(0, MOST_NAMED).map(({ name, message }) => `“${name}” (${message})`);
  const more = failed.length > MOST_NAMED ? `, and ${failed.length - MOST_NAMED} more` : '';
  return `${added} ${failed.length} failed: ${named.join(', ')}${more}`;
}
