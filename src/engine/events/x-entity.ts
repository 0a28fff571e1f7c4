/** Entities of the posts that a rule sees: links, tags, mentions, annotations, and where their values show. */

import { type JsonRecord, listIn, numberIn, recordIn } from '../../base/json-fields.ts';
import { type Shown, shownAt } from './view-builder.ts';
import type { SeenPost } from './x-post.ts';

export interface Entity {
  readonly record: JsonRecord;
  readonly post: SeenPost;
  readonly kind: string;
  readonly index: number;
}

const NONE: readonly Entity[] = [];

/** A sign and a character; an annotation, which has no sign, may be one character. */
const SHORTEST = 2;

export function entitiesOf(seen: readonly SeenPost[], kind: string): readonly Entity[] {
  let found: Entity[] | undefined;
  for (const post of seen) {
    const list = listIn(post.entities[kind]);
    for (let index = 0; index < list.length; index++) {
      const record = recordIn(list[index]);
      if (record === undefined) continue;
      found ??= [];
      found.push({ record, post, kind, index });
    }
  }
  return found ?? NONE;
}

export const pathTo = ({ post, kind, index }: Entity, name: string): string =>
  `${post.entitiesPath}.${kind}.${index}.${name}`;

/**
 * At the entity's offsets in the text; by itself when it has none. The end of an annotation is its last character. The text
 * of a repost is cut, and what stood behind the cut is given the place of the `…`, which shows nothing of it.
 */
export function shownInText(entity: Entity, name: string, value: string, endsOn = 0): Shown {
  const { record, post } = entity;
  const start = numberIn(record['start']);
  const end = numberIn(record['end']);
  if (start === undefined || end === undefined || end + endsOn - start < SHORTEST - endsOn)
    return shownAt(pathTo(entity, name), value);
  return { path: post.textPath, source: post.text, span: { start, end: end + endsOn } };
}
