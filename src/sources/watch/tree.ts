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
