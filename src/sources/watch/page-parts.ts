/** The parts of a page that show text, each with a selector that finds it again. */
import { tidy } from '../text/plain-text.ts';
import {
  attributeOf,
  type Child,
  childrenOf,
  classesOf,
  MAX_ELEMENTS,
  type PageTree,
  type TreeElement,
} from './tree.ts';

export interface PagePart {
  readonly selector: string;
  readonly text: string;
}

const MAX_PARTS = 80;
const MAX_TEXT = 300;
const MAX_SELECTOR = 300;
const HIDDEN: ReadonlySet<string> = new Set('head script style template noscript iframe object svg'.split(' '));
const BLOCKS: ReadonlySet<string> = new Set(
  'address article aside blockquote body dd div dl dt figcaption footer form h1 h2 h3 h4 h5 h6 header li main nav ol p pre section table td th tr ul'.split(
    ' ',
  ),
);
/** Ids and classes that people wrote: those made by programs change with each build. */
const WRITTEN = /^[a-z][a-z_-]{1,40}\d{0,2}$/i;

interface Walked extends Child {
  readonly parent: Walked | undefined;
  /** The nearest block around it. */
  readonly block: Walked | undefined;
  /** A block without blocks in it. */
  isLeaf: boolean;
}

export function partsOf(document: PageTree): PagePart[] {
  const all = walk(document.documentElement);
  const names = countNames(all);
  const parts: PagePart[] = [];
  for (const one of all) {
    if (parts.length === MAX_PARTS) break;
    if (!one.isLeaf) continue;
    const text = tidy((one.element.textContent ?? '').slice(0, MAX_TEXT * 4));
    const selector = text.length < 2 ? undefined : selectorOf(one, names);
    if (selector !== undefined) parts.push({ selector, text: text.slice(0, MAX_TEXT).toWellFormed() });
  }
  return parts;
}

/** All elements that readers see, in the order of the page. */
function walk(root: TreeElement | null): Walked[] {
  const found: Walked[] = [];
  const open: Walked[] =
    root === null ? [] : [{ element: root, nth: 1, nthOfType: 1, parent: undefined, block: undefined, isLeaf: false }];
  for (let one = open.pop(); one !== undefined && found.length < MAX_ELEMENTS; one = open.pop()) {
    found.push(one);
    one.isLeaf = BLOCKS.has(one.element.localName);
    if (one.isLeaf && one.block !== undefined) one.block.isLeaf = false;
    open.push(...seenIn(one).toReversed());
  }
  return found;
}

function seenIn(parent: Walked): Walked[] {
  const block = BLOCKS.has(parent.element.localName) ? parent : parent.block;
  return childrenOf(parent.element)
    .filter(({ element }) => !HIDDEN.has(element.localName))
    .map((child) => ({ ...child, parent, block, isLeaf: false }));
}

/** `#id` and `name.class`, as far as people wrote them. */
const namesOf = (element: TreeElement): string[] => [
  ...[attributeOf(element, 'id') ?? ''].filter((id) => WRITTEN.test(id)).map((id) => `#${id}`),
  ...classesOf(element)
    .filter((name) => WRITTEN.test(name))
    .map((name) => `${element.localName}.${name}`),
];

function countNames(all: readonly Walked[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { element } of all)
    for (const name of new Set(namesOf(element))) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** The way down from the nearest element with a name of its own; undefined when it is too long. */
function selectorOf(part: Walked, names: ReadonlyMap<string, number>): string | undefined {
  const steps: string[] = [];
  for (let one: Walked | undefined = part; one !== undefined; one = one.parent) {
    const own = namesOf(one.element).find((name) => names.get(name) === 1);
    const { localName } = one.element;
    const isOne = localName === 'body' || localName === 'html' || localName === 'main';
    steps.unshift(own ?? (isOne ? localName : `${localName}:nth-of-type(${one.nthOfType})`));
    if (own !== undefined || localName === 'body') break;
  }
  const selector = steps.join(' > ');
  return selector.length > MAX_SELECTOR ? undefined : selector;
}
