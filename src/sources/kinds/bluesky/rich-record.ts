/**
 * The parts of a Bluesky record beside its text. A part that is not as the lexicon has it counts as absent; the rest is
 * read. The checks are written by hand: each post of a whole network goes through them.
 */
import { type JsonRecord, listIn, recordIn } from '../../../base/json.ts';

export interface RichRecord {
  readonly facets: readonly Facet[];
  readonly tags: readonly string[];
  readonly reply: { readonly root: RecordReference; readonly parent: RecordReference } | undefined;
  readonly embed: Embed | undefined;
}

export interface Facet {
  readonly byteStart: number;
  readonly byteEnd: number;
  readonly features: readonly Feature[];
}

interface Feature {
  readonly uri: string | undefined;
  readonly did: string | undefined;
  readonly tag: string | undefined;
}

export interface RecordReference {
  readonly uri: string;
  readonly cid: string;
}

export interface Card {
  readonly uri: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
}

interface Shown {
  readonly images: readonly { readonly alt: string | undefined }[];
  readonly hasVideo: boolean;
  readonly alt: string | undefined;
  readonly external: Card | undefined;
}

interface Embed extends Shown {
  readonly record: RecordReference | undefined;
  readonly media: Shown | undefined;
}

/** Returns undefined when the record is a text and no more, as most are. */
export function richIn(record: JsonRecord): RichRecord | undefined {
  const { facets, tags, reply, embed } = record;
  if (facets === undefined && tags === undefined && reply === undefined && embed === undefined) return undefined;
  return {
    facets: each(facets, facetIn),
    tags: each(tags, stringIn),
    reply: replyIn(reply),
    embed: embedIn(recordIn(embed)),
  };
}

const NONE: readonly never[] = [];

function each<T>(value: unknown, read: (one: unknown) => T | undefined): readonly T[] {
  const list = listIn(value);
  if (list.length === 0) return NONE;
  const found: T[] = [];
  for (const one of list) {
    const item = read(one);
    if (item !== undefined) found.push(item);
  }
  return found;
}

const stringIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const isPlace = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function facetIn(value: unknown): Facet | undefined {
  const facet = recordIn(value);
  const { byteStart, byteEnd } = recordIn(facet?.['index']) ?? {};
  if (!isPlace(byteStart) || !isPlace(byteEnd)) return undefined;
  return { byteStart, byteEnd, features: each(facet?.['features'], featureIn) };
}

function featureIn(value: unknown): Feature | undefined {
  const feature = recordIn(value);
  if (feature === undefined) return undefined;
  return { uri: stringIn(feature['uri']), did: stringIn(feature['did']), tag: stringIn(feature['tag']) };
}

function referenceIn(value: unknown): RecordReference | undefined {
  const { uri, cid } = recordIn(value) ?? {};
  return typeof uri === 'string' && typeof cid === 'string' ? { uri, cid } : undefined;
}

function replyIn(value: unknown): RichRecord['reply'] {
  const reply = recordIn(value);
  const [root, parent] = [referenceIn(reply?.['root']), referenceIn(reply?.['parent'])];
  return root === undefined || parent === undefined ? undefined : { root, parent };
}

function embedIn(embed: JsonRecord | undefined): Embed | undefined {
  if (embed === undefined) return undefined;
  const record = referenceIn(embed['record']) ?? referenceIn(recordIn(embed['record'])?.['record']);
  const media = recordIn(embed['media']);
  return { ...shownIn(embed), record, media: media && shownIn(media) };
}

const shownIn = (embed: JsonRecord): Shown => ({
  images: each(embed['images'], imageIn),
  hasVideo: embed['video'] !== undefined,
  alt: stringIn(embed['alt']),
  external: cardIn(embed['external']),
});

function imageIn(value: unknown): { alt: string | undefined } | undefined {
  const image = recordIn(value);
  const alt = image?.['alt'];
  return image !== undefined && (alt === undefined || typeof alt === 'string') ? { alt } : undefined;
}

function cardIn(value: unknown): Card | undefined {
  const { uri, title, description } = recordIn(value) ?? {};
  if (typeof uri !== 'string') return undefined;
  if (title !== undefined && typeof title !== 'string') return undefined;
  if (description !== undefined && typeof description !== 'string') return undefined;
  return { uri, title, description };
}
