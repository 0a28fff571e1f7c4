/**
 * Finds links in text: with a scheme, or a bare name under a known top-level domain. The rules are those of
 * twitter-text; a run of characters that could be a host name is scanned once, from its end.
 */
import { endOfTld } from './tlds.ts';

export interface Link {
  readonly url: string;
  /** UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
}

const LATIN =
  'À-ÖØ-öø-ÿ\\u0100-\\u024f\\u0253\\u0254\\u0256\\u0257\\u0259\\u025b\\u0263\\u0268\\u026f\\u0272\\u0289\\u028b\\u02bb\\u0300-\\u036f\\u1e00-\\u1eff';
const SPACES = '\\t-\\r \\u0085\\u00a0\\u1680\\u180e\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const INVALID = '\\u0000\\ufffe\\ufeff\\uffff\\u202a-\\u202e\\u061c\\u200e\\u200f\\u2066-\\u2069';

/** Characters that end a label: ASCII punctuation except backquote and double quote, spaces, non-printable characters. */
const DOMAIN_CHARACTER = new RegExp(`[^!'#%&()*+,\\\\\\-./:;<=>?@[\\]^_{|}~$${SPACES}${INVALID}]`);
const ASCII_CHARACTER = new RegExp(`[-.0-9a-z${LATIN}]`, 'i');
const NOT_BEFORE = /[A-Za-z0-9@＠$#＃\ufffe\ufeff\uffff]/;
const GENERAL = new RegExp(`[a-z0-9\\u0400-\\u04ff!*';:=+,.$/%#[\\]–_~@|&${LATIN}-]`, 'i');
const ENDING = new RegExp(`[a-z0-9\\u0400-\\u04ff=_#/+${LATIN}-]`, 'i');
const QUERY = /[a-z0-9!?*'@();:&=+$/%#[\]\-_.,~|]/i;
const QUERY_ENDING = /[a-z0-9\-_&=#/]/i;

export const isLatinAccent = (character: string): boolean => ACCENT.test(character);
const ACCENT = new RegExp(`[${LATIN}]`);

export function extractLinks(text: string): Link[] {
  const links: Link[] = [];
  if (!text.includes('.')) return links;
  // A link needs a character before it that is not part of another one.
  let taken = -1;
  for (let at = 0; at < text.length; ) {
    if (!isHostCharacter(text.charAt(at))) {
      at++;
      continue;
    }
    const runEnd = endOfRun(text, at);
    const labels = labelsOf(text, at, runEnd);
    for (let host = readHost(text, labels, taken); host !== undefined; host = readHost(text, labels, taken)) {
      const found = bareLinks(text, host.start, host.end);
      links.push(...found.links);
      taken = found.end;
      if (taken >= runEnd) break;
    }
    const start = startOfScheme(text, at, runEnd, taken);
    const found = start < 0 ? undefined : linkWithScheme(text, start, runEnd + 3);
    if (found !== undefined) {
      links.push(...found.links);
      taken = found.end;
    }
    at = Math.max(runEnd, taken);
  }
  return links;
}

const isHostCharacter = (character: string) =>
  character !== '' && ('-_.'.includes(character) || DOMAIN_CHARACTER.test(character));

function endOfRun(text: string, start: number): number {
  let end = start;
  while (end < text.length && isHostCharacter(text.charAt(end))) end++;
  return end;
}

/** The start of `http` or `https` at the end of this run, followed by `://`; otherwise −1. */
function startOfScheme(text: string, runStart: number, runEnd: number, taken: number): number {
  if (!text.startsWith('://', runEnd)) return -1;
  const scheme = /https?$/i.exec(text.slice(Math.max(runStart, runEnd - 5), runEnd))?.[0];
  const start = runEnd - (scheme?.length ?? 0);
  return scheme !== undefined && mayStart(text, start, taken) ? start : -1;
}

const mayStart = (text: string, at: number, taken: number) =>
  at === 0 || (at > taken && !NOT_BEFORE.test(text.charAt(at - 1)));

interface Found {
  readonly links: readonly Link[];
  /** The place at which to continue. */
  readonly end: number;
}

interface Label {
  readonly start: number;
  readonly dot: number;
  /** The end of the longest name that continues after this label, or −1. */
  readonly reach: number;
  /** A name may only start after this: its last label before the top-level domain has no underscore. */
  readonly notBefore: number;
}

/** The labels of a run, last first. Each has the end of a name that starts in it. */
function labelsOf(text: string, start: number, end: number): Label[] {
  const labels: Label[] = [];
  let next = -1;
  for (let dot = text.lastIndexOf('.', end - 1); dot >= start; dot = dot === 0 ? -1 : text.lastIndexOf('.', dot - 1)) {
    const first = dot === start ? start : Math.max(start, text.lastIndexOf('.', dot - 1) + 1);
    const closed = dot > first && isLabelEdge(text.charAt(dot - 1));
    const reach = closed ? Math.max(next, next > 0 ? -1 : endOfTld(text, dot + 1)) : -1;
    const notBefore = next > 0 ? -1 : text.slice(first, dot).lastIndexOf('_') + first;
    const label = { start: first, dot, reach, notBefore: next > 0 || notBefore < first ? -1 : notBefore };
    labels.push(label);
    next = label.reach > 0 && label.notBefore < first && isLabelEdge(text.charAt(first)) ? reach : -1;
  }
  return labels;
}

const isLabelEdge = (character: string) => DOMAIN_CHARACTER.test(character);

/** The first and longest name. Labels before it are dropped. */
function readHost(text: string, labels: Label[], taken: number): { start: number; end: number } | undefined {
  for (let label = labels.pop(); label !== undefined; label = labels.pop()) {
    if (label.reach < 0) continue;
    for (let at = Math.max(label.start, label.notBefore + 1, taken); at < label.dot; at++) {
      if (mayStart(text, at, taken) && isLabelEdge(text.charAt(at))) return { start: at, end: label.reach };
    }
  }
  return undefined;
}

/** A bare name is a link in its ASCII parts; the last of them takes the path. */
function bareLinks(text: string, start: number, end: number): Found {
  const { end: stop, path } = readTail(text, end);
  if (/[-_./]/.test(text.charAt(start - 1))) return { links: [], end: stop };
  const names = asciiNames(text.slice(start, end));
  const links = names.map(([from, to]) => ({ start: start + from, end: start + to }));
  const final = links.pop();
  if (final === undefined) return { links: [], end: stop };
  const spans = [...links, { start: final.start, end: path ? stop : final.end }];
  return {
    links: spans.map((span, index) => {
      const isFinal = index === spans.length - 1 && path;
      const url = isFinal
        ? text.slice(final.start, final.end) + text.slice(end, stop)
        : text.slice(span.start, span.end);
      return { url, ...span };
    }),
    end: stop,
  };
}

function asciiNames(domain: string): [number, number][] {
  const names: [number, number][] = [];
  for (let at = 0; at < domain.length; ) {
    let end = at;
    while (end < domain.length && ASCII_CHARACTER.test(domain.charAt(end))) end++;
    let start = at;
    while (start < end && domain.charAt(start) === '.') start++;
    let found = -1;
    for (let dot = domain.lastIndexOf('.', end - 1); dot > start && found < 0; dot = domain.lastIndexOf('.', dot - 1)) {
      found = endOfTld(domain, dot + 1);
    }
    if (found > 0) names.push([start, found]);
    at = Math.max(found, end, at + 1);
  }
  return names;
}

function linkWithScheme(text: string, start: number, hostStart: number): Found | undefined {
  const first = labelsOf(text, hostStart, endOfRun(text, hostStart)).at(-1);
  const starts = first !== undefined && first.notBefore < 0 && isLabelEdge(text.charAt(hostStart));
  if (!starts || first.reach < 0) return undefined;
  const domain = text.slice(hostStart, first.reach);
  const { end } = readTail(text, first.reach);
  const short = shortLinkEnd(text, start, end);
  if (short === undefined || !isResolvable(domain)) return { links: [], end };
  return { links: [{ url: text.slice(start, short), start, end: short }], end: short };
}

/** X's own short links end with their slug, and a slug has 40 characters at most. */
function shortLinkEnd(text: string, start: number, end: number): number | undefined {
  const short = /^https?:\/\/t\.co\/([a-z0-9]+)(\?[a-z0-9!?*'@();:&=+$/%#[\]\-_.,~|]*[a-z0-9\-_&=#/])?/i.exec(
    text.slice(start, end),
  );
  if (short === null) return end;
  return short[1]!.length > 40 ? undefined : start + short[0].length;
}

const LONGEST_DOMAIN = 253;

/** Whether each label, in its encoded form, is short enough for the domain name system. */
function isResolvable(domain: string): boolean {
  // In ASCII, a character takes one at least, and may have been two units.
  if (domain.length > 2 * LONGEST_DOMAIN) return false;
  let ascii = domain;
  if (/[^\0-\x7f]/.test(domain) || /xn--/i.test(domain)) {
    if (!URL.canParse(`http://${domain}`)) return false;
    ascii = new URL(`http://${domain}`).hostname;
  }
  return ascii.length <= LONGEST_DOMAIN && ascii.split('.').every((label) => label.length <= 63);
}

interface Tail {
  readonly end: number;
  readonly path: boolean;
}

function readTail(text: string, from: number): Tail {
  let end = from;
  const port = /^:\d+/.exec(text.slice(from, from + 12))?.[0];
  if (port !== undefined) end += port.length;
  const path = text.charAt(end) === '/';
  if (path) end = endOfPath(text, end + 1);
  if (text.charAt(end) === '?') end = endOfQuery(text, end);
  return { end, path };
}

function endOfPath(text: string, from: number): number {
  let good = from;
  for (let at = from; ; ) {
    const character = text.charAt(at);
    if (character === '(') {
      const close = endOfParentheses(text, at, true);
      if (close < 0) return good;
      at = close;
      good = close;
    } else if (character !== '' && GENERAL.test(character)) {
      at++;
      if (ENDING.test(character)) good = at;
    } else {
      return good;
    }
  }
}

/** Balanced parentheses, at most one pair inside the other. */
function endOfParentheses(text: string, open: number, nest: boolean): number {
  let at = open + 1;
  let nested = false;
  for (;;) {
    const character = text.charAt(at);
    if (character === ')') return at > open + 1 ? at + 1 : -1;
    if (character === '(' && nest && !nested) {
      at = endOfParentheses(text, at, false);
      nested = true;
      if (at < 0) return -1;
    } else if (character !== '' && GENERAL.test(character)) at++;
    else return -1;
  }
}

function endOfQuery(text: string, question: number): number {
  let good = question;
  for (let at = question + 1; at < text.length && QUERY.test(text.charAt(at)); at++) {
    if (QUERY_ENDING.test(text.charAt(at))) good = at + 1;
  }
  return good;
}
