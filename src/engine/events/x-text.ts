/**
 * The way of an X text from the wire to what rules are compared with, and back: unescaped (X sends `&amp;`, `&lt;` and
 * `&gt;`, no more), then folded. The way back is walked only for highlights.
 */
import { type JsonRecord, listIn, numberIn, recordIn } from '../../base/json.ts';
import { JOINING } from '../../base/normalize.ts';
import { fold, scanWords } from '../../rules/x/words.ts';
import type { Piece } from './event-view.ts';
import { addText, addValue, type Shown, shownAt, type TextKind, type ViewBuilder } from './view-builder.ts';
import type { SeenPost } from './x-post.ts';

/** The gap is more than any rule has words, so that no phrase reaches from one text into the next. */
const POST_TEXT: TextKind = { scan: scanWords, gap: 4096 };

/** Adds a text cut into words, unless there is none. */
export function addWords(builder: ViewBuilder, field: string, source: unknown, path: string): void {
  if (typeof source === 'string' && source !== '') addFolded(builder, field, foldText(source), shownAt(path, source));
}

export const addFolded = (builder: ViewBuilder, field: string, text: string, shown: Shown): void =>
  addText(builder, POST_TEXT, field, text, shown);

/** Adds an exact value, unless there is none. */
export function addExact(builder: ViewBuilder, field: string, source: string | undefined, path: string): void {
  if (source !== undefined) addValue(builder, field, fold(source), shownAt(path, source));
}

export const foldText = (source: string): string => fold(source.includes('&') ? unescaped(source) : source);

/** `&amp;` comes last, so that what it uncovers is not taken for another escape. */
const unescaped = (source: string): string =>
  source.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** A character or an escape, with what may melt into it. */
const CHUNK = new RegExp(`(?:&(?:amp|lt|gt);|.)[${JOINING}]*`, 'suy');

const AMPERSAND = 0x26;
const FIRST_MARK = 0x300;

/** Characters of a source between two yields. */
const MAPPED_AT_ONCE = 16 * 1024;

/**
 * The way back: a text folds chunk by chunk, and where a chunk changes its length, all of it comes from its start. Yields the
 * characters that it has read.
 */
export function* sourceOffsets({ source, text }: Piece): Generator<number, Int32Array | undefined> {
  // Lower-casing alone never shortens, so with an equal length every unit is still in its place.
  if (source.length === text.length && source.toLowerCase() === text) return undefined;
  const offsets = new Int32Array(text.length + 1).fill(source.length);
  for (let from = 0, at = 0, next = MAPPED_AT_ONCE; from < source.length; ) {
    if (from >= next) {
      yield MAPPED_AT_ONCE;
      next = from + MAPPED_AT_ONCE;
    }
    const unit = source.charCodeAt(from);
    if (unit < 0x80 && unit !== AMPERSAND && !(source.charCodeAt(from + 1) >= FIRST_MARK)) {
      offsets[at++] = from++;
      continue;
    }
    CHUNK.lastIndex = from;
    const chunk = CHUNK.exec(source)?.[0] ?? source.slice(from);
    const { length } = foldText(chunk);
    for (let part = 0; part < length; part++) offsets[at++] = length === chunk.length ? from + part : from;
    from += chunk.length;
  }
  return offsets;
}

export interface Entity {
  readonly record: JsonRecord;
  readonly post: SeenPost;
  readonly kind: string;
  readonly index: number;
}

const NONE: readonly Entity[] = [];

/** A sign and a character; an annotation, which has no sign, may be one character. */
const SHORTEST = 2;

/** Entities of the posts that a rule sees: links, tags, mentions, annotations, and where their values show. */
export function entitiesOf(seen: readonly SeenPost[], kind: string): readonly Entity[] {
  let found: Entity[] | undefined;
  for (const one of seen) {
    for (let post: SeenPost | undefined = one; post !== undefined; post = post.cut) {
      const list = listIn(post.entities[kind]);
      for (let index = 0; index < list.length; index++) {
        const record = recordIn(list[index]);
        if (record === undefined) continue;
        found ??= [];
        found.push({ record, post, kind, index });
      }
    }
  }
  return found ?? NONE;
}

export const pathTo = ({ post, kind, index }: Entity, name: string): string =>
  `${post.entitiesPath}.${kind}.${index}.${name}`;

/**
 * At the entity's offsets in the text; by itself when it has none, or they are of another text. The end of an annotation is its
 * last character. The text of a repost is cut: behind the cut all has the place of the `…`, which shows nothing of it.
 */
export function shownInText(entity: Entity, name: string, value: string, endsOn = 0): Shown {
  const { record, post } = entity;
  const start = numberIn(record['start']) ?? Number.NaN;
  const end = (numberIn(record['end']) ?? Number.NaN) + endsOn;
  // No comparison holds of offsets that are not there.
  return end - start >= SHORTEST - endsOn && end <= post.offsetsEnd
    ? { path: post.textPath, source: post.text, span: { start, end } }
    : shownAt(pathTo(entity, name), value);
}
