/** The document type declaration of XML, and the entities that it declares. */
import { decodeReferences } from '../text/plain-text.ts';

const MAX_ENTITIES = 200;
const MAX_ENTITY = 10_000;

/** Takes the entities from the document type declaration and removes it. No file is ever fetched. */
export function withoutDoctype(source: string): { text: string; entities: ReadonlyMap<string, string> } {
  const start = doctypeIn(source);
  if (start === undefined) return { text: source, entities: new Map() };
  const bracket = source.indexOf('[', start);
  const simpleEnd = source.indexOf('>', start);
  const hasSubset = bracket !== -1 && bracket < simpleEnd;
  const subsetEnd = hasSubset ? source.indexOf(']', bracket) : -1;
  const end = after(source, '>', subsetEnd === -1 ? start : subsetEnd);
  const subset = subsetEnd === -1 ? '' : source.slice(bracket, subsetEnd).slice(0, MAX_ENTITIES * MAX_ENTITY);
  const entities = new Map<string, string>();
  for (const [, name, double, single] of subset.matchAll(/<!ENTITY\s+([\w.-]+)\s+(?:"([^"]*)"|'([^']*)')\s*>/g)) {
    if (entities.size < MAX_ENTITIES) entities.set(name!, (double ?? single ?? '').slice(0, MAX_ENTITY));
  }
  return { text: source.slice(0, start) + source.slice(end), entities };
}

/** Where the declaration begins: before the first element, and not in a comment. */
function doctypeIn(source: string): number | undefined {
  for (let at = source.indexOf('<'); at !== -1; at = source.indexOf('<', at)) {
    if (/^<!DOCTYPE/i.test(source.slice(at, at + 9))) return at;
    if (source.startsWith('<!--', at)) at = after(source, '-->', at + 4);
    else if (source.startsWith('<?', at)) at = after(source, '>', at);
    else return undefined;
  }
  return undefined;
}

/** Entities are replaced once: an entity inside an entity stays, so that the text cannot grow without limit. */
export function expand(raw: string, entities: ReadonlyMap<string, string>): string {
  if (!raw.includes('&')) return raw;
  if (entities.size === 0) return decodeReferences(raw);
  let room = MAX_ENTITY;
  const replaced = raw.replace(/&([\w.-]+);/g, (whole: string, name: string) => {
    const value = entities.get(name);
    if (value === undefined || value.length > room) return whole;
    room -= value.length;
    return value;
  });
  return decodeReferences(replaced);
}

/** The index behind the next `mark`; the end of the text when there is none. */
export function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? text.length : at + mark.length;
}
