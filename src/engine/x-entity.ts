/** Entities of the posts that a rule sees: links, tags, mentions, annotations, and where their values show. */
import { type Shown, shownAt } from './draft.ts';
import { type Json, listIn, numberIn, recordIn } from './payload.ts';
import type { SeenPost } from './x-post.ts';

export interface Entity {
  readonly record: Json;
  readonly path: string;
  readonly post: SeenPost;
}

const NONE: readonly Entity[] = [];

export function entitiesOf(seen: readonly SeenPost[], kind: string): readonly Entity[] {
  let found = NONE;
  for (const post of seen) {
    const list = listIn(post.entities[kind]);
    if (list.length > 0) found = [...found, ...entitiesIn(post, kind, list)];
  }
  return found;
}

function entitiesIn(post: SeenPost, kind: string, list: readonly unknown[]): Entity[] {
  const found: Entity[] = [];
  for (let at = 0; at < list.length; at++) {
    const record = recordIn(list[at]);
    if (record !== undefined) found.push({ record, path: `${post.entitiesPath}.${kind}.${at}`, post });
  }
  return found;
}

/** At the entity's offsets in the text; by itself when it has none. The end of an annotation is its last character. */
export function shownInText(entity: Entity, name: string, value: string, endsOn = 0): Shown {
  const start = numberIn(entity.record['start']);
  const end = numberIn(entity.record['end']);
  if (start === undefined || end === undefined) return shownAlone(entity, name, value);
  return { path: entity.post.textPath, source: entity.post.text, span: { start, end: end + endsOn } };
}

export const shownAlone = (entity: Entity, name: string, value: string): Shown =>
  shownAt(`${entity.path}.${name}`, value);
