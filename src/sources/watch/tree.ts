/** A page as a tree, as much of it as is walked here. */

export interface TreeElement extends WithAttributes {
  readonly localName: string;
  readonly textContent: string | null;
  readonly outerHTML: string;
  readonly firstElementChild: TreeElement | null;
  readonly nextElementSibling: TreeElement | null;
  remove(): void;
}

export interface WithAttributes {
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
  getAttribute(name: string): string | null;
}

/** A node as the text in it is collected: an element, or a text with `data`. */
export interface PageNode {
  readonly nodeType: number;
  readonly firstChild: PageNode | null;
  readonly nextSibling: PageNode | null;
  readonly data?: string;
}

export interface PageTree {
  readonly documentElement: TreeElement | null;
}

/** Elements of a page beyond these are not walked. */
export const MAX_ELEMENTS = 20_000;

/** Old pages write the names of attributes in capitals, and the tree keeps them. */
export function attributeOf(element: WithAttributes, wanted: string): string | undefined {
  const plain = element.getAttribute(wanted);
  if (plain !== null && plain !== '') return plain;
  for (const { name, value } of element.attributes) if (name.toLowerCase() === wanted) return value;
  return undefined;
}

const TEXT_NODE = 3;
/** Nodes that are looked at for the beginning of a text. */
const MOST_NODES = 500;

/**
 * The beginning of the text in an element. Elements that nest, each asked for the whole of its text, would take time that grows with the
 * square of the page.
 */
export function textAtStart(element: { readonly firstChild: PageNode | null }, most: number): string {
  let text = '';
  const open = element.firstChild === null ? [] : [element.firstChild];
  for (let looked = 0, node = open.pop(); node !== undefined && looked < MOST_NODES && text.length < most; looked++) {
    if (node.nodeType === TEXT_NODE) text += (node.data ?? '').slice(0, most - text.length);
    if (node.nextSibling !== null) open.push(node.nextSibling);
    if (node.firstChild != null) open.push(node.firstChild);
    node = open.pop();
  }
  return text;
}

/** Nodes and characters, each as often as elements are around it: an algorithm that asks every element for its text meets them so often. */
export function nestedSize(root: PageNode): { nodes: number; characters: number } {
  const size = { nodes: 0, characters: 0 };
  const open: { node: PageNode; depth: number }[] = [{ node: root, depth: 1 }];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const { node, depth } = one;
    size.nodes += depth;
    size.characters += depth * (node.data?.length ?? 0);
    if (node.nextSibling !== null) open.push({ node: node.nextSibling, depth });
    if (node.firstChild != null) open.push({ node: node.firstChild, depth: depth + 1 });
  }
  return size;
}

export const classesOf = (element: WithAttributes): string[] =>
  (attributeOf(element, 'class') ?? '')
    .slice(0, 500)
    .split(/\s/)
    .filter((name) => name !== '');

export interface Child {
  readonly element: TreeElement;
  /** Its place among its siblings, and among those of the same name, from 1. */
  readonly nth: number;
  readonly nthOfType: number;
}

export function childrenOf(parent: TreeElement): Child[] {
  const children: Child[] = [];
  const counts = new Map<string, number>();
  for (let element = parent.firstElementChild; element !== null; element = element.nextElementSibling) {
    const nthOfType = (counts.get(element.localName) ?? 0) + 1;
    counts.set(element.localName, nthOfType);
    children.push({ element, nth: children.length + 1, nthOfType });
    if (children.length > MAX_ELEMENTS) break;
  }
  return children;
}
