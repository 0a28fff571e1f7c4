/** The page that every source yields, in Firehose's shape, so that every rule of that platform works on it. */
import { createHash } from 'node:crypto';
import { parse } from 'tldts';
import type { Payload } from '../../domain/match.ts';
import { declaredLanguage, detectLanguage } from '../text/language.ts';

/** A document as Firehose delivers it, with the source that it came from. */
export interface Page extends Payload {
  readonly id: string;
  readonly url?: string;
  readonly source: { readonly name: string; readonly original: unknown };
}

export interface PageDraft {
  /** The source's name. */
  readonly source: string;
  /** The id stays the same for the same thing. Another version of it goes on with a slash. */
  readonly id: string;
  readonly url: string;
  readonly title?: string | undefined;
  /** Plain text. */
  readonly added?: string | readonly string[] | undefined;
  readonly removed?: string | readonly string[] | undefined;
  /** As declared; detected when it is missing. */
  readonly language?: unknown;
  readonly publishedAt?: Date | undefined;
  readonly types?: readonly string[];
  /** As it was read, for users who need more than the fields above. */
  readonly original: unknown;
}

/** The types of a post on a social network. */
export const POST_TYPES: readonly string[] = ['/User_Generated_Content', '/User_Generated_Content/Social_Media_Post'];

/** Longer text is cut: the whole event must stay well below the 1 MiB that ingest accepts. */
const MAX_TEXT = 200_000;
const MAX_TITLE = 2_000;
const MAX_ORIGINAL = 64 * 1024;

/** The id of a source's page. */
export const pageId = (source: string, id: string): string => `${source}:${id}`;

/** Fields without a value are left out, as Firehose does. */
export function pageOf(draft: PageDraft): Page {
  const chunks = [...chunksOf('del', draft.removed), ...chunksOf('ins', draft.added)];
  const title = draft.title?.slice(0, MAX_TITLE).toWellFormed() || undefined;
  const domain = registeredDomains(draft.url);
  const text = [title ?? '', ...chunks.map((chunk) => chunk.text)].join('\n');
  const language = declaredLanguage(draft.language) ?? detectLanguage(text);
  const time = draft.publishedAt;
  return {
    id: pageId(draft.source, draft.id),
    url: draft.url.toWellFormed(),
    ...(domain.length > 0 && { domain }),
    ...(title !== undefined && { title }),
    ...(time !== undefined && !Number.isNaN(time.getTime()) && { publish_time: time.toISOString().slice(0, 19) }),
    ...(chunks.length > 0 && { diff: { chunks } }),
    ...(draft.types !== undefined && { page_types: draft.types }),
    ...(language !== undefined && { language }),
    source: { name: draft.source, original: bounded(draft.original) },
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

/** The host, and every parent down to the registered name. None for a host over 253 characters, which is no name. */
export function registeredDomains(url: string): string[] {
  const { hostname, domain, isIp } = parse(url);
  if (hostname === null || hostname === '') return [];
  if (isIp || domain === null) return [hostname];
  const labels = hostname.slice(0, -domain.length).split('.').filter(Boolean);
  return [...labels.map((_, at) => [...labels.slice(at), domain].join('.')), domain];
}

/** The original is stored with every match, so its size is limited. */
function bounded(original: unknown): unknown {
  const json = JSON.stringify(original) ?? 'null';
  return json.length <= MAX_ORIGINAL && json.isWellFormed()
    ? original
    : { truncated: json.slice(0, MAX_ORIGINAL).toWellFormed() };
}

/** A short id for a version of something, made from its content. */
export const digestOf = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
