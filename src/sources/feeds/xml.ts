/**
 * Parses XML as it is found in feeds, well-formed or not: the result is always a tree. A tag that is never closed ends with
 * the element around it, a lone `&` is itself, and HTML's references work without a declaration. It makes one pass without
 * recursion, and bounds what a document declares, so that no input makes it slow or large.
 */
import { decodeReferences } from '../text/plain-text.ts';

export interface Element {
  /** In lower case, without its prefix. */
  readonly name: string;
  readonly prefix: string;
  /** The namespace of its prefix, in lower case; undefined where none was declared. */
  readonly namespace: string | undefined;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: (Element | string)[];
  /** The bases of addresses inside it: every `xml:base` from the root on, the innermost last. */
  readonly bases: readonly string[];
  /** The innermost `xml:lang`. */
  readonly language: string | undefined;
  /** The document ends before its end. */
  isCutOff: boolean;
}

const MAX_DEPTH = 200;
const MAX_ELEMENTS = 200_000;

/** The element around the whole document. */
export function parseXml(source: string): Element {
  const { text, entities } = withoutDoctype(source);
  const root = newElement('', new Map(), new Map(), undefined);
  const open: { element: Element; namespaces: ReadonlyMap<string, string> }[] = [
    { element: root, namespaces: new Map() },
  ];
  let elements = 0;
  let last = 0;
  const addText = (raw: string, isLiteral = false) => {
    if (raw !== '') open.at(-1)!.element.children.push(isLiteral ? raw : expand(raw, entities));
  };

  for (const tag of tagsOf(text)) {
    addText(text.slice(last, tag.start));
    last = tag.end;
    if (tag.kind === 'literal') addText(tag.body, true);
    else if (tag.kind === 'close') closeElement(open, localOf(tag.name));
    else if (tag.kind === 'open' && open.length < MAX_DEPTH && elements++ < MAX_ELEMENTS) {
      const attributes = attributesOf(tag.body, entities);
      const namespaces = declared(attributes, open.at(-1)!.namespaces);
      const element = newElement(tag.name, namespaces, attributes, open.at(-1)!.element);
      open.at(-1)!.element.children.push(element);
      if (!tag.isEmpty) open.push({ element, namespaces });
    }
  }
  addText(text.slice(last));
  for (const { element } of open.slice(1)) element.isCutOff = true;
  return root;
}

function newElement(
  name: string,
  namespaces: ReadonlyMap<string, string>,
  attributes: ReadonlyMap<string, string>,
  around: Element | undefined,
): Element {
  const base = attributes.get('xml:base')?.trim();
  const bases = around?.bases ?? [];
  return {
    name: localOf(name),
    prefix: prefixOf(name),
    namespace: namespaces.get(prefixOf(name)),
    attributes,
    children: [],
    bases: base ? [...bases, base] : bases,
    language: attributes.get('xml:lang') ?? around?.language,
    isCutOff: false,
  };
}

function closeElement(open: { element: Element }[], name: string): void {
  const depth = open.findLastIndex(({ element }) => element.name === name);
  if (depth > 0) open.splice(depth);
}

type Tag =
  | {
      readonly kind: 'open';
      readonly name: string;
      readonly body: string;
      readonly isEmpty: boolean;
      readonly start: number;
      readonly end: number;
    }
  | { readonly kind: 'close'; readonly name: string; readonly start: number; readonly end: number }
  | { readonly kind: 'literal'; readonly body: string; readonly start: number; readonly end: number }
  | { readonly kind: 'other'; readonly start: number; readonly end: number };

const NAME = /[\p{L}_][\p{L}\p{N}_.:-]*/uy;

function* tagsOf(text: string): Iterable<Tag> {
  for (let start = text.indexOf('<'); start !== -1; ) {
    const tag = tagAt(text, start);
    if (tag !== undefined) yield tag;
    start = text.indexOf('<', tag?.end ?? start + 1);
  }
}

function tagAt(text: string, start: number): Tag | undefined {
  if (text.startsWith('<!--', start)) return { kind: 'other', start, end: after(text, '-->', start + 4) };
  if (text.startsWith('<![CDATA[', start)) {
    const end = after(text, ']]>', start + 9);
    return {
      kind: 'literal',
      body: text.slice(start + 9, text.startsWith(']]>', end - 3) ? end - 3 : end),
      start,
      end,
    };
  }
  const next = text[start + 1];
  if (next === '!' || next === '?') return { kind: 'other', start, end: after(text, '>', start + 1) };
  const isClose = next === '/';
  NAME.lastIndex = start + (isClose ? 2 : 1);
  const name = NAME.exec(text)?.[0];
  if (name === undefined) return undefined;
  const from = NAME.lastIndex;
  const close = tagEnd(text, from);
  if (close === undefined) return undefined;
  if (isClose) return { kind: 'close', name, start, end: close + 1 };
  const isEmpty = text[close - 1] === '/';
  return { kind: 'open', name, body: text.slice(from, isEmpty ? close - 1 : close), isEmpty, start, end: close + 1 };
}

/** The `>` of a tag, past those in quoted values. A tag that another tag interrupts has none: it is text. */
function tagEnd(text: string, from: number): number | undefined {
  let quote: string | undefined;
  for (let at = from; at < text.length; at++) {
    const character = text[at]!;
    if (character === '<') return undefined;
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
    } else if (character === '>') return at;
    else if ((character === '"' || character === "'") && /[=\s]/.test(text[at - 1]!)) quote = character;
  }
  return undefined;
}

/** The value is optional, so that a name without one is skipped whole. */
const ATTRIBUTE = /([\p{L}_][\p{L}\p{N}_.:-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+)))?/gu;

function attributesOf(body: string, entities: ReadonlyMap<string, string>): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name, double, single, bare] of body.matchAll(ATTRIBUTE)) {
    const key = name!.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, expand(double ?? single ?? bare ?? '', entities));
  }
  return attributes;
}

function declared(
  attributes: ReadonlyMap<string, string>,
  around: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const own = [...attributes].filter(([name]) => name === 'xmlns' || name.startsWith('xmlns:'));
  if (own.length === 0) return around;
  return new Map([...around, ...own.map(([name, uri]) => [name.slice(6), uri.trim().toLowerCase()] as const)]);
}

const prefixOf = (name: string): string => (name.includes(':') ? name.slice(0, name.indexOf(':')).toLowerCase() : '');
const localOf = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase();

/** The document type declaration of XML, and the entities that it declares. */
const MAX_ENTITIES = 200;
const MAX_ENTITY = 10_000;

/** Takes the entities from the document type declaration and removes it. No file is ever fetched. */
function withoutDoctype(source: string): { text: string; entities: ReadonlyMap<string, string> } {
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

/** The place at which the declaration begins: before the first element, and not in a comment. */
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
function expand(raw: string, entities: ReadonlyMap<string, string>): string {
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
function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at === -1 ? text.length : at + mark.length;
}

export const elementsIn = ({ children }: Element): Element[] => children.filter((child) => typeof child !== 'string');
