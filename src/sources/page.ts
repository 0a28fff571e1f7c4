/** What every source makes of what it reads: a page in Firehose's shape, so that every rule of that platform works on it. */
import { createHash } from 'node:crypto';
import { parse } from 'tldts';
import type { Payload } from '../domain/match.ts';
import { declaredLanguage, detectLanguage } from './text/language.ts';

/** A document as Firehose delivers it, and where it came from. */
export interface Page extends Payload {
  readonly id: string;
  readonly url?: string;
  readonly source: { readonly name: string; readonly original: unknown };
}

export interface Reading {
  /** The source's name. */
  readonly source: string;
  /** The same for the same thing, and another for another version of it. */
  readonly id: string;
  readonly url: string;
  readonly title?: string | undefined;
  /** Plain text. */
  readonly added?: string | readonly string[] | undefined;
  readonly removed?: string | readonly string[] | undefined;
  /** As declared; detected when there is none. */
  readonly language?: unknown;
  readonly publishedAt?: Date | undefined;
  readonly types?: readonly string[];
  /** As it was read, for whoever needs what the fields leave out. */
  readonly original: unknown;
}

/** A post of a person, wherever it was written. */
export const POST_TYPES: readonly string[] = ['/User_Generated_Content', '/User_Generated_Content/Social_Media_Post'];

/** Text beyond this is cut: the whole of an event must stay far below what the way in takes. */
const MAX_TEXT = 200_000;
const MAX_TITLE = 2_000;
const MAX_ORIGINAL = 64 * 1024;

/** Fields that nothing is known of are left out, as Firehose does. */
export function pageOf(reading: Reading): Page {
  const chunks = [...chunksOf('del', reading.removed), ...chunksOf('ins', reading.added)];
  const title = reading.title?.slice(0, MAX_TITLE).toWellFormed() || undefined;
  const domain = domainsOf(reading.url);
  const said = [title ?? '', ...chunks.map(({ text }) => text)].join('\n');
  const language = declaredLanguage(reading.language) ?? detectLanguage(said);
  const time = reading.publishedAt;
  return {
    id: `${reading.source}:${reading.id}`,
    url: reading.url.toWellFormed(),
    ...(domain.length > 0 && { domain }),
    ...(title !== undefined && { title }),
    ...(time !== undefined && !Number.isNaN(time.getTime()) && { publish_time: time.toISOString().slice(0, 19) }),
    ...(chunks.length > 0 && { diff: { chunks } }),
    ...(reading.types !== undefined && { page_types: reading.types }),
    ...(language !== undefined && { language }),
    source: { name: reading.source, original: bounded(reading.original) },
  };
}

function chunksOf(typ: 'ins' | 'del', given: string | readonly string[] | undefined): { typ: string; text: string }[] {
  const passages = given === undefined ? [] : typeof given === 'string' ? [given] : given;
  let room = MAX_TEXT;
  return passages.flatMap((passage) => {
    const text = passage.slice(0, room).toWellFormed();
    room -= text.length;
    return text === '' ? [] : [{ typ, text }];
  });
}

/** The host, and every parent down to the name that somebody registered. */
export function domainsOf(url: string): string[] {
  const { hostname, domain, isIp } = parse(url);
  if (hostname === null || hostname === '') return [];
  if (isIp || domain === null) return [hostname];
  const labels = hostname.slice(0, -domain.length).split('.').filter(Boolean);
  return [...labels.map((_, at) => [...labels.slice(at), domain].join('.')), domain];
}

/** An original of any size or shape would be stored with every match. */
function bounded(original: unknown): unknown {
  const json = JSON.stringify(original) ?? 'null';
  return json.length <= MAX_ORIGINAL && json.isWellFormed()
    ? original
    : { truncated: json.slice(0, MAX_ORIGINAL).toWellFormed() };
}

/** A short id for a version of something, from what it says. */
export const digestOf = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
