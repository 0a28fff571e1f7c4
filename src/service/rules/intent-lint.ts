/**
 * Compares a rule with its intent: finds names and languages that the intent has and the rule does not, and words that the rule
 * asks for although the intent rules them out. Other words of an intent (serious, useful, complaints) are no note: a rule that asks
 * for them misses what is wanted. It prefers a missed hint to a false one; `npm run bench -- intents` measures what notes are worth.
 */
import { normalize } from '../../base/normalize.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Query } from '../../rules/query.ts';
import { isTelling } from '../../signal/terms.ts';
import { namesOfIntent } from './intent-names.ts';

export interface IntentNote {
  readonly kind: 'name' | 'negation' | 'language';
  readonly named: string;
  readonly message: string;
}

const MAX_NOTES = 20;

/** The words of a rule in lower case. */
interface Covered {
  readonly wanted: Set<string>;
  readonly unwanted: Set<string>;
  readonly languages: Set<string>;
}

export function lintIntent(platform: Platform, query: Query, intent: string): IntentNote[] {
  const covered: Covered = { wanted: new Set(), unwanted: new Set(), languages: new Set() };
  collect(query, false, covered);
  const { text, notes } = lintLanguages(platform, normalize(intent, 'NFC'), covered);
  const ruledOut = new Set<string>();
  for (const { word, isNegated } of namedWords(text.toLowerCase())) {
    if (!isNegated) continue;
    // Each is compared with every word of the rule.
    if (ruledOut.size < MAX_NOTES) notes.push(...negationNote(word, covered));
    ruledOut.add(word);
  }
  const isNamed = (name: string) => !name.split(' ').some((word) => ruledOut.has(word));
  notes.push(
    ...nameNotes(namesOfIntent(text, (word) => IDLE_WORDS.has(word) || NEGATORS.has(word)).filter(isNamed), covered),
  );
  return notes.slice(0, MAX_NOTES);
}

/** Whether a term has a word that the rule names or that its intent asks for, in any of its forms. */
export function namedIn(query: Query, intent: string): (term: string) => boolean {
  const covered: Covered = { wanted: new Set(), unwanted: new Set(), languages: new Set() };
  collect(query, false, covered);
  const named = new Set([...covered.wanted, ...covered.unwanted]);
  for (const { word, isNegated } of namedWords(normalize(intent, 'NFC').toLowerCase())) if (!isNegated) named.add(word);
  return (term) => term.split(' ').some((word) => hasForm(named, word.replace(/^[#@]/, '')));
}

/** The parts that a rule drafted from an intent asks for. All in lower case, each once, in order. */
export interface IntentParts {
  readonly names: readonly string[];
  /** Other words that say what is meant. */
  readonly words: readonly string[];
  readonly ruledOut: readonly string[];
  /** Codes of the languages that the intent names, each as the platforms may write it. */
  readonly languages: readonly (readonly string[])[];
}

export function readIntent(intent: string): IntentParts {
  const { text, found } = withoutLanguages(normalize(intent, 'NFC'));
  const said = [...namedWords(text.toLowerCase(), EXCLUDERS)].filter(({ word }) => !ASKING_WORDS.has(word));
  const ruledOut = said.filter(({ isNegated }) => isNegated).map(({ word }) => word);
  const names = namesOfIntent(text, (word) => IDLE_WORDS.has(word) || NEGATORS.has(word)).filter(
    (name) => !name.split(' ').some((word) => ruledOut.includes(word)),
  );
  const inNames = new Set(names.flatMap((name) => name.split(' ')));
  const wanted = said.filter(({ word, isNegated }) => !isNegated && !inNames.has(word)).map(({ word }) => word);
  const telling = wanted.filter(isTelling);
  return {
    names,
    // A sentence of general words alone is taken by its word.
    words: telling.length > 0 || names.length > 0 ? telling : wanted,
    ruledOut: ruledOut.filter(isTelling),
    languages: Object.keys(LANGUAGES)
      .filter((name) => found.has(name))
      .map((name) => LANGUAGES[name]!),
  };
}

/** Names that are pointed out. */
const MAX_NAMES = 3;

/** A rule that has one of the names is about what is meant: the others are where and of whom, and most texts do not say that. */
function nameNotes(names: readonly string[], { wanted }: Covered): IntentNote[] {
  const isCovered = (name: string) => name.split(/[ -]/).some((word) => hasForm(wanted, word));
  if (names.some(isCovered)) return [];
  return names.slice(0, MAX_NAMES).map((named) => ({
    kind: 'name',
    named,
    message: `The intent names "${named}", and nothing in the rule does. As an alternative (OR) it finds more.`,
  }));
}

/** The rule asks for what its intent rules out. That it does not exclude it is no note: an exclusion loses more than it leaves out. */
const negationNote = (word: string, { wanted, unwanted }: Covered): IntentNote[] =>
  hasForm(unwanted, word) || !hasForm(wanted, word)
    ? []
    : [{ kind: 'negation', named: word, message: `The intent rules out "${word}"; the rule asks for it.` }];

function collect(query: Query, isNegated: boolean, into: Covered): void {
  if (query.kind === 'not') {
    collect(query.query, !isNegated, into);
  } else if (query.kind === 'all' || query.kind === 'any') {
    for (const part of query.of) collect(part, isNegated, into);
  } else {
    const words =
      textOf(query)
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? [];
    const isLanguage = query.kind === 'term' && (query.field === 'lang' || query.field === 'language');
    const list = isNegated ? into.unwanted : into.wanted;
    for (const word of words) (isLanguage ? into.languages : list).add(word);
  }
}

function textOf(query: Query): string {
  switch (query.kind) {
    case 'term':
    case 'fuzzy':
      return query.term;
    case 'phrase':
      return query.terms.filter((term) => term !== null).join(' ');
    case 'literal':
    case 'contains':
      return query.text;
    case 'prefix':
      return query.prefix;
    case 'wildcard':
    case 'regex':
      return query.pattern;
    case 'upstream':
      return query.value;
    default:
      return '';
  }
}

/** Long enough to be a stem rather than a syllable. */
const STEM = 4;

function hasForm(words: ReadonlySet<string>, word: string): boolean {
  if (words.has(word)) return true;
  for (const one of words) if (isSame(one, word)) return true;
  return false;
}

/** Forms of one word, or one inside the other: eruption and erupting, volcano and volcanowatch. */
function isSame(left: string, right: string): boolean {
  const [shorter, longer] = left.length < right.length ? [left, right] : [right, left];
  if (longer.includes(shorter)) return shorter.length >= STEM || !/^[a-z]+$/.test(left + right);
  let shared = 0;
  while (shared < shorter.length && left[shared] === right[shared]) shared++;
  return shared >= STEM && shared >= 0.65 * shorter.length;
}

/** The meaningful words of the intent, each with whether the intent excludes it. */
function* namedWords(text: string, negators = NEGATORS): Iterable<{ word: string; isNegated: boolean }> {
  const seen = new Set<string>();
  let isNegated = false;
  const tokens = text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*|[.,;:!?]/gu) ?? [];
  for (const [at, token] of tokens.entries()) {
    if (/^[.,;:!?]$/.test(token) || token === 'but') isNegated = false;
    if (negators.has(token) && !/^(only|just)$/.test(tokens[at + 1] ?? '')) isNegated = true;
    const word = token.replace(/['’]s$/, '');
    if (word.length < 3 || NEGATORS.has(word) || IDLE_WORDS.has(word) || seen.has(word)) continue;
    if (/^[.,;:!?\d]+$/.test(word)) continue;
    seen.add(word);
    yield { word, isNegated };
  }
}

/** A language counts if the intent names it as one (`in French`, `French posts`); it is removed from the text. */
function lintLanguages(platform: Platform, intent: string, { languages }: Covered) {
  const notes: IntentNote[] = [];
  const { text, found } = withoutLanguages(intent);
  for (const [name, codes] of Object.entries(LANGUAGES)) {
    if (!found.has(name) || codes.some((code) => languages.has(code))) continue;
    const named = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
    const clause = platform === 'x' ? `lang:${codes[0]}` : `language:"${codes[0]}"`;
    notes.push({ kind: 'language', named, message: `The intent names ${named}; the rule has no ${clause}.` });
  }
  return { text, notes };
}

function withoutLanguages(intent: string) {
  const found = new Set<string | undefined>();
  const text = intent.replaceAll(AS_LANGUAGE, (_, after?: string, before?: string) => {
    found.add((after ?? before)?.toLowerCase());
    return ' ';
  });
  return { text, found };
}

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

const NEGATORS = setOf('not no without except excluding exclude excludes ignore ignoring never nor neither avoid skip');

/** Words after which a sentence says what it does not want. "No internet" and "without power" are what somebody does want. */
const EXCLUDERS = setOf('not except excluding exclude excludes ignore ignoring avoid skip');

/** Words of requests in other languages that are much written. */
const ASKING_WORDS = setOf(`
  cannot sag mir wenn über bitte zeig alle alles jemand leute finde suche möchte wissen dame dime cuando sobre avisa quiero
  busca todo alguien gente cuéntame muestra dis-moi quand préviens cherche tout gens quelqu parle parlent diga quando quero
  fala mostra alguém pessoas dimmi cerca voglio persone vertel wanneer iemand mensen zoek laat weten
`);

/** Words of requests and grammar, which no rule contains. */
const IDLE_WORDS = setOf(`
  the and but for are was were will would can could should may might must shall have has had been being with from into onto
  over under about after before between during while when where which who whom whose what why how that this these those
  there here their them they our your his her its him she you out off too very more most some any all each every other
  another than then also just only even still such same both few many much own per via until since because although
  though either let lets get gets got see show shows find finds tell tells told give gives want wants wanted need needs
  like likes keep keeps look looks looking know known watch watches watching follow follows following track tracks
  tracking monitor monitors monitoring alert alerts notify inform collect catch mention mentions mentioned mentioning
  say says said saying talk talks talking discuss discusses discussing discussed post posts posted posting tweet tweets
  page pages article articles news story stories report reports reported content people person anyone anybody someone
  somebody everyone everybody something anything everything thing things kind kinds related relevant regarding concerning
  around towards whenever soon new recent latest real time live please related interested interest topic topics subject
  web site sites website websites social media platform platforms rule rules user users account accounts name names
  word words term terms use uses used using does did don't doesn't isn't aren't
`);

const LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  arabic: ['ar'],
  bengali: ['bn'],
  bulgarian: ['bg'],
  catalan: ['ca'],
  chinese: ['zh'],
  croatian: ['hr'],
  czech: ['cs'],
  danish: ['da'],
  dutch: ['nl'],
  english: ['en'],
  estonian: ['et'],
  farsi: ['fa'],
  finnish: ['fi'],
  french: ['fr'],
  german: ['de'],
  greek: ['el'],
  hebrew: ['he', 'iw'],
  hindi: ['hi'],
  hungarian: ['hu'],
  indonesian: ['id', 'in'],
  italian: ['it'],
  japanese: ['ja'],
  korean: ['ko'],
  latvian: ['lv'],
  lithuanian: ['lt'],
  norwegian: ['no', 'nb'],
  persian: ['fa'],
  polish: ['pl'],
  portuguese: ['pt'],
  romanian: ['ro'],
  russian: ['ru'],
  serbian: ['sr'],
  slovak: ['sk'],
  slovenian: ['sl'],
  spanish: ['es'],
  swedish: ['sv'],
  tamil: ['ta'],
  thai: ['th'],
  turkish: ['tr'],
  ukrainian: ['uk'],
  urdu: ['ur'],
  vietnamese: ['vi'],
};

const NAMES = Object.keys(LANGUAGES).join('|');
const AS_LANGUAGE = new RegExp(
  `\\b(?:in|only) (${NAMES})\\b|\\b(${NAMES})(?:[ -](?:language|only|speaking|posts?|pages?|articles?|tweets?|texts?))\\b`,
  'giu',
);
