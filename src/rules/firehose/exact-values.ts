/** Values that no page has in `url`, `domain`, `publish_time` and `dr`: the reason, and what was probably meant. */
import { trimEnd } from '../../base/parse-url.ts';
import { endOf } from '../habits/conditions.ts';
import { escapeTerm, quote } from './escape.ts';
import type { Range } from './syntax-tree.ts';

/** Clauses to write instead, each with what it finds. */
export interface Impossible {
  readonly why: string;
  readonly instead: readonly (readonly [text: string, meaning: string])[];
}

const DOMAIN = /^(?:[\w-]+\.)+[a-z]{2,}$/i;
/** The endings of sites' names; a site of that name alone is rare. */
const ENDING = /^(?:com|org|net|edu|gov|mil|int|info|biz|[a-z]{2})$/;
const WHOLE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
const DATE = /^\d{4}(?:-\d\d){0,2}$/;

export function impossibleValue(field: string, value: string): Impossible | undefined {
  switch (field) {
    case 'url':
      return impossibleUrl(value);
    case 'domain':
      return impossibleDomain(value);
    case 'publish_time':
      return impossibleTime(value);
    default:
      return undefined;
  }
}

/** `url:*part*` */
export const urlWith = (part: string): string => `url:*${escapeTerm(part)}*`;

function impossibleUrl(value: string): Impossible | undefined {
  if (/^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(value)) return undefined;
  const why = 'url: is compared with the whole address, from https:// to its end.';
  if (/[\s*?]/.test(value) || value === '') return { why, instead: [] };
  const parts: [string, string][] = [[urlWith(value), `addresses that contain ${value}`]];
  if (DOMAIN.test(value)) parts.unshift([`domain:${value.toLowerCase()}`, `pages of the site ${value.toLowerCase()}`]);
  return { why, instead: parts };
}

/** The text that every match of a pattern on `url` starts with. */
export const beginsUrl = (prefix: string): boolean => {
  const common = Math.min(prefix.length, 4);
  return 'http'.slice(0, common) === prefix.slice(0, common);
};

function impossibleDomain(value: string): Impossible | undefined {
  if (value !== value.toLowerCase()) return undefined;
  if (/^\[?[\w:]*\]?$/.test(value) && value.includes(':')) return undefined;
  const sites = value.split(/[,;|]/).map((site) => site.trim());
  if (sites.length > 1 && sites.every((site) => DOMAIN.test(site))) {
    const why = 'domain: is compared with one host; join several by OR.';
    return { why, instead: [[`domain:(${sites.join(' OR ')})`, `pages of any of ${sites.join(', ')}`]] };
  }
  const bare = value.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  const [, host = '', rest = ''] = /^([^/?#:\s,;|]*)(?::\d+)?([/?#]\S*)?$/.exec(bare) ?? [];
  const isHost = /^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+$/u.test(host);
  if (host === 'localhost' || (host === value && isHost)) return undefined;
  const name = trimEnd(host.replace(/^[.@*]+/, ''), '.');
  const site: [string, string] = [`domain:${name}`, `pages of the site ${name}`];
  if (DOMAIN.test(name)) {
    const isPart = rest !== '' && rest !== '/';
    const why = 'domain: is compared with the bare host, such as example.com, without scheme or path.';
    return { why, instead: isPart ? [[urlWith(host + rest), `addresses that contain ${host}${rest}`], site] : [site] };
  }
  const why = 'domain: is compared with the whole host, such as example.com.';
  if (ENDING.test(name)) return { why, instead: [[`domain:*.${name}`, `sites whose names end in .${name}`]] };
  return {
    why,
    instead: /^[\w-]+$/.test(value) ? [[`domain:${value}.*`, `sites named ${value}, under any ending`]] : [],
  };
}

const SPANS: Readonly<Record<string, string>> = {
  today: '24h',
  yesterday: '2d',
  'last week': '7d',
  'last month': '1mo',
};

function impossibleTime(value: string): Impossible | undefined {
  if (WHOLE_TIME.test(value)) return undefined;
  const why = 'publish_time: is compared with a whole time such as 2026-02-13T08:06:32.';
  const span = recentSpan(value) ?? SPANS[value.toLowerCase().replace(/[_-]/g, ' ')];
  if (span !== undefined) return { why, instead: [[`recent:${span}`, `pages of the last ${span}`]] };
  const [, from, to] = /^(\d{4}(?:-\d\d){0,2})(?:\.\.|\s*,\s*|\/)(\d{4}(?:-\d\d){0,2})$/.exec(value) ?? [];
  if (to !== undefined)
    return { why, instead: [[`publish_time:[${from} TO ${endOf(to)}]`, `pages published from ${from} to ${to}`]] };
  return { why, instead: DATE.test(value) ? [[`publish_time:${value}*`, `pages published in ${value}`]] : [] };
}

/** `now-7d` in Elasticsearch's way. */
function recentSpan(value: string): string | undefined {
  const [, count = '', unit = ''] = /^now-(\d{1,4})([hdwM])(?:\/[hdwM])?$/.exec(value) ?? [];
  if (count === '') return undefined;
  return unit === 'w' ? `${Number(count) * 7}d` : `${count}${unit === 'M' ? 'mo' : unit}`;
}

/** A range without any value; for times, also one without any valid time. */
export function impossibleRange(
  field: string,
  { from, to, fromInclusive, toInclusive }: Range,
): Impossible | undefined {
  if (field === 'publish_time') {
    const span = from === undefined ? undefined : recentSpan(from);
    const isNow = to === undefined || /^now$/i.test(to);
    if (span !== undefined && isNow)
      return {
        why: 'times are compared as text, and now is no time.',
        instead: [[`recent:${span}`, `pages of the last ${span}`]],
      };
    if ((from ?? '') >= '3' || (to !== undefined && to < '1'))
      return { why: 'times are compared as text and look like 2026-02-13T08:06:32; write the bounds so.', instead: [] };
  }
  if (from === undefined || to === undefined) return undefined;
  if (from === to && field === 'publish_time' && DATE.test(from)) {
    const instead = [[`publish_time:${from}*`, `pages published in ${from}`]] as const;
    return { why: `times are compared as text, and every time of ${from} sorts behind ${from}.`, instead };
  }
  if (from === to && !(fromInclusive && toInclusive))
    return { why: 'no value lies between a bound and itself when it is excluded.', instead: [] };
  if (from <= to) return undefined;
  const [open, close] = [fromInclusive ? '[' : '{', toInclusive ? ']' : '}'];
  const isPlain = /^[\w.:-]+$/.test(from + to);
  const swapped = [[`${field}:${open}${to} TO ${from}${close}`, `from ${to} to ${from}`]] as const;
  return { why: 'the bounds are the wrong way round.', instead: isPlain ? swapped : [] };
}

/** Characters that no tokenizer leaves inside a word. */
const NEVER_IN_WORD = /[\s!$%&()+\-/<=>?@[\\\]^`{|}~]/;

/** Whether a piece of text can stand inside a word of a page. */
export const mayBeInWord = (text: string): boolean => !NEVER_IN_WORD.test(text);

/** A pattern on words with a character that no word contains. Suggests the separate words, and the word without the sign. */
export function impossiblePattern(field: string, prefix: string, isPhrase: boolean): Impossible {
  const named = (text: string) => (field === 'added' ? text : `${field}:${text}`);
  const why = 'no word of a page holds this sign or blank: words are cut there.';
  if (isPhrase) return { why, instead: [[named(quote(prefix)), `the words ${prefix} side by side`]] };
  const joined = prefix.replaceAll('-', '');
  const isPlain = /^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)+$/u.test(prefix);
  return {
    why,
    instead: isPlain
      ? [
          [named(`${joined}*`), `words that begin with ${joined}`],
          [named(quote(prefix)), `the words ${prefix.replaceAll('-', ' ')} side by side`],
        ]
      : [],
  };
}
