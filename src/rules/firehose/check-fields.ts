/** Diagnostics of field names, and of values of exact fields that no page can have. */
import { trimEnd } from '../../base/parse-url.ts';
import type { Fix, Span } from '../diagnostic.ts';
import { isSayable } from '../habits/habit.ts';
import { escapeTerm, quote } from './escape.ts';
import { impossibleValue, urlWith } from './exact-values.ts';
import { VALUES } from './labels.ts';
import { nearest, type Report, replaceWith } from './messages.ts';
import { FIELDS, fieldNamed } from './syntax-table.ts';
import type { Leaf } from './syntax-tree.ts';

/** Names that people write for our fields, from other search engines and from the payload. */
const SYNONYMS: Readonly<Record<string, string>> = {
  site: 'domain',
  host: 'domain',
  hostname: 'domain',
  inurl: 'url',
  allinurl: 'url',
  link: 'url',
  intitle: 'title',
  headline: 'title',
  text: 'added',
  body: 'added',
  content: 'added',
  intext: 'added',
  deleted: 'removed',
  category: 'page_category',
  topic: 'page_category',
  page_categories: 'page_category',
  type: 'page_type',
  page_types: 'page_type',
  date: 'publish_time',
  published: 'publish_time',
  published_at: 'publish_time',
  rating: 'dr',
  domain_rating: 'dr',
  lang: 'language',
  website: 'domain',
  source: 'domain',
  publisher: 'domain',
  outlet: 'domain',
  added_text: 'added',
  published_date: 'publish_time',
  publish_date: 'publish_time',
  pub_date: 'publish_time',
  allintitle: 'title',
};

/** Operators of X that have no counterpart here or another spelling. */
const OPERATORS_OF_X: ReadonlySet<string> = new Set(
  'from to lang is has bio bio_name bio_location context entity place place_country point_radius bounding_box retweets_of conversation_id in_reply_to_tweet_id url_title url_description followers_count tweets_count sample'.split(
    ' ',
  ),
);

/** `value` is what stands after the colon. */
export function checkField(name: string, span: Span, value: FieldValue, report: Report): void {
  if (fieldNamed(name) !== undefined) return;
  if (name === '*') {
    report.add('unknown-field', span, '*: means something only in *:*, every page.');
    return;
  }
  const meant = meantField(name);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}:?`;
  const fixes = meant === undefined ? unnamedFixes(name, span, value) : namedFixes(name, meant, span, value);
  if (OPERATORS_OF_X.has(name)) {
    report.add('other-language', span, `${name}: is an operator of X; pages have no such field.${hint}`, fixes);
    return;
  }
  report.add('unknown-field', span, `There is no field ${name}, so this never matches.${hint}`, fixes);
}

export interface FieldValue {
  readonly text: string;
  /** As it is written, with quotes and escapes. */
  readonly raw: string;
  readonly isQuoted: boolean;
  /** A word or a quoted text, without anything behind it. */
  readonly isPlain: boolean;
  readonly end: number;
}

const NAMES = FIELDS.map((field) => field.name);

/** Short names are too similar to guess, and longer ones are no misspelling. */
const [SHORTEST_GUESSED, LONGEST_GUESSED] = [4, 30];

/** A rule is read many times while its fixes are proven, and may have the same wrong name a thousand times. */
const guesses = new Map<string, string | undefined>();
const MOST_GUESSES = 1_000;

function meantField(name: string): string | undefined {
  const known = SYNONYMS[name.toLowerCase()] ?? NAMES.find((field) => field === name.toLowerCase());
  if (known !== undefined) return known;
  if (name.length < SHORTEST_GUESSED || name.length > LONGEST_GUESSED || !/^[a-z_ -]+$/i.test(name)) return undefined;
  if (!guesses.has(name)) {
    if (guesses.size >= MOST_GUESSES) guesses.clear();
    guesses.set(name, nearest(name, NAMES));
  }
  return guesses.get(name);
}

/** Fixes with the same value under the right name, or with a value that such a field can have. */
function namedFixes(name: string, meant: string, span: Span, value: FieldValue): Fix[] {
  const whole = { start: span.start, end: value.end };
  // A range, a pattern or a group keeps its form.
  if (!value.isPlain) return [{ span: whole, text: `${meant}:${value.raw}` }];
  if (/^(?:inurl|allinurl)$/i.test(name)) {
    return [{ span: whole, text: urlWith(value.text), meaning: `addresses that contain ${value.text}` }];
  }
  if (meant === 'language' && LANGUAGE_NAMES[value.text.toLowerCase()] !== undefined) {
    return [{ span: whole, text: `language:${LANGUAGE_NAMES[value.text.toLowerCase()]}` }];
  }
  if (meant === 'language' && !VALUES.language.has(value.text)) {
    const base = value.text.toLowerCase().split(/[-_]/)[0]!;
    if (VALUES.language.has(base))
      return [{ span: whole, text: `language:${base}`, meaning: `pages in the language ${base}` }];
  }
  const label = meant === 'page_category' || meant === 'page_type' ? meantLabel(value.text, VALUES[meant]) : undefined;
  if (label !== undefined)
    return [{ span: whole, text: `${meant}:${quote(label)}`, meaning: `pages with the label ${label}` }];
  const instead = impossibleValue(meant, value.text)?.instead ?? [];
  if (instead.length === 0) return [{ span: whole, text: `${meant}:${value.raw}` }];
  return instead.map(([text, meaning]) => ({ span: whole, text, meaning }));
}

/** `12:30` and `note:this` are texts with a colon in them. */
function unnamedFixes(name: string, span: Span, value: FieldValue): Fix[] {
  if (!value.isPlain || value.isQuoted || OPERATORS_OF_X.has(name)) return [];
  const whole = { start: span.start, end: value.end };
  if (/^(?:filetype|ext)$/i.test(name) && /^\w+$/.test(value.text)) {
    return [{ span: whole, text: `url:*.${value.text}`, meaning: `addresses that end in .${value.text}` }];
  }
  const said = `${name}:${value.text}`;
  return isSayable(said) ? [{ span: whole, text: quote(said), meaning: `pages with the text ${said}` }] : [];
}

const LANGUAGE_NAMES: Readonly<Record<string, string>> = {
  english: 'en',
  german: 'de',
  french: 'fr',
  spanish: 'es',
  italian: 'it',
  portuguese: 'pt',
  dutch: 'nl',
  russian: 'ru',
  japanese: 'ja',
  korean: 'ko',
  chinese: 'zh-cn',
  zh: 'zh-cn',
  'zh-hans': 'zh-cn',
  'zh-hant': 'zh-tw',
  iw: 'he',
  nb: 'no',
  eng: 'en',
  deu: 'de',
  ger: 'de',
  fra: 'fr',
  fre: 'fr',
  spa: 'es',
  ita: 'it',
  por: 'pt',
  nld: 'nl',
  rus: 'ru',
  jpn: 'ja',
  kor: 'ko',
  zho: 'zh-cn',
};

/** The list of labels is long, so a rule gets at most this many look-ups of the nearest label. */
const MAX_LOOKUPS = 5;

export class ValueChecker {
  readonly #report: Report;
  #lookups = 0;

  constructor(report: Report) {
    this.#report = report;
  }

  check(leaf: Leaf): void {
    const { field, form, text } = leaf;
    if (form !== 'term' && form !== 'quoted') {
      this.#checkPattern(leaf);
      return;
    }
    if (leaf.tilde !== undefined && form === 'term') return;
    if (field === 'language') this.#checkLanguage(leaf);
    else if (field === 'page_category' || field === 'page_type') this.#checkLabel(leaf, field);
    else if (field === 'domain' && text !== text.toLowerCase()) {
      this.#report.add(
        'wrong-case',
        leaf,
        'Domains are stored in lower case.',
        replaceWith(leaf, written(text.toLowerCase())),
      );
    }
  }

  #checkLanguage(leaf: Leaf): void {
    const { text } = leaf;
    const lower = text.toLowerCase();
    if (VALUES.language.has(text)) return;
    if (VALUES.language.has(lower)) {
      this.#report.add('wrong-case', leaf, `Language codes are lower case: ${lower}.`, replaceWith(leaf, lower));
      return;
    }
    const codes = lower.split(/[,;|]/).map((code) => code.trim());
    if (codes.length > 1 && codes.every((code) => VALUES.language.has(code))) {
      const either: Fix = {
        ...replaceWith(leaf, `(${codes.join(' OR ')})`),
        meaning: `pages in any of ${codes.join(', ')}`,
        intent: { any: codes.map((code) => ({ clause: `language:${code}` })) },
      };
      this.#report.add('run-in-exact-field', leaf, 'language: takes one code; join several by OR.', either);
      return;
    }
    const meant =
      LANGUAGE_NAMES[lower] ?? (VALUES.language.has(lower.split(/[-_]/)[0]!) ? lower.split(/[-_]/)[0]! : undefined);
    const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
    this.#report.add(
      'unknown-language',
      leaf,
      `No page has the language ${text}.${hint}`,
      meant === undefined ? undefined : replaceWith(leaf, meant),
    );
  }

  #checkLabel(leaf: Leaf, field: 'page_category' | 'page_type'): void {
    const labels = VALUES[field];
    const { text } = leaf;
    if (labels.has(text) || isWildText(text)) return;
    const other = field === 'page_type' ? 'page_category' : 'page_type';
    if (VALUES[other].has(text)) {
      this.#report.add('unknown-label', leaf, `${text} is a label of ${other}, not of ${field}.`);
      return;
    }
    const meant = this.#lookups++ < MAX_LOOKUPS ? meantLabel(text, labels) : undefined;
    const fix = meant === undefined ? undefined : replaceWith(leaf, quote(meant));
    if (meant?.toLowerCase() === text.toLowerCase()) {
      this.#report.add('wrong-case', leaf, `Labels compare case and all: ${meant}.`, fix);
      return;
    }
    const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
    this.#report.add('unknown-label', leaf, `No page carries the label ${text}.${hint}`, fix);
  }

  #checkPattern(leaf: Leaf): void {
    const isLabel = leaf.field === 'page_category' || leaf.field === 'page_type';
    if (!isLabel || (leaf.form !== 'prefix' && leaf.form !== 'wildcard') || !/^\w/.test(leaf.text)) return;
    const fixed = `\\/${leaf.form === 'prefix' ? `${escapeTerm(leaf.text)}*` : leaf.text}`;
    this.#report.add(
      'unknown-label',
      leaf,
      'Labels begin with a slash; write \\/ before this.',
      replaceWith(leaf, fixed),
    );
  }
}

/** Topics by other names. */
const OTHER_LABELS: Readonly<Record<string, string>> = {
  tech: '/Computers_and_Electronics',
  technology: '/Computers_and_Electronics',
  politics: '/News/Politics',
  money: '/Finance',
  cars: '/Autos_and_Vehicles',
};

/** The label that a text spells, or nearly. */
function meantLabel(text: string, labels: ReadonlySet<string>): string | undefined {
  const spelt = `/${trimEnd(text.trim().replace(/^\/+/, ''), '/').replaceAll(' ', '_')}`;
  if (labels.has(spelt)) return spelt;
  const last = spelt.slice(spelt.lastIndexOf('/')).toLowerCase();
  const known = OTHER_LABELS[last.slice(1)];
  if (known !== undefined && labels.has(known)) return known;
  const first = (isMeant: (label: string) => boolean) => [...labels].find((label) => isMeant(label.toLowerCase()));
  return (
    nearest(spelt, labels) ?? first((label) => label.endsWith(last)) ?? first((label) => label.startsWith(`${last}_`))
  );
}

const isWildText = (text: string) => text.includes('*') || text.includes('?');

const written = (text: string) => (/^[\w.-]+$/.test(text) ? text : quote(text));
