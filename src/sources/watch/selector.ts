/**
 * Selectors of parts of a page: names, `#ids`, `.classes`, `[attributes]` and places, within or directly under one another. An
 * element is looked at once for each step of the selector, whatever the page and the selector are.
 */
import { attributeOf, childrenOf, classesOf, MAX_ELEMENTS, type PageTree, type TreeElement } from './tree.ts';

type Test =
  | { readonly is: 'name' | 'id' | 'class'; readonly value: string }
  | { readonly is: 'attribute'; readonly name: string; readonly sign: string; readonly value: string }
  | { readonly is: 'nth' | 'nthOfType'; readonly value: number };

interface Step {
  readonly tests: readonly Test[];
  /** Directly under the step before it; else anywhere within. */
  readonly isChild: boolean;
}

/** Each list of steps is one of the selectors between commas. */
export type Selector = readonly (readonly Step[])[];

const MAX_LENGTH = 400;
/** The bits of a number that mark how far an element has come. */
const MAX_STEPS = 30;
const MAX_GROUPS = 10;

/** Sticky: one test, from where the last ended. */
const TEST =
  /([a-z][a-z0-9-]{0,50}|\*)|#([\w-]{1,200})|\.([\w-]{1,200})|\[\s?([a-z][\w:-]{0,50})(?:([~|^$*]?=)(?:"([^"]{0,200})"|'([^']{0,200})'|([\w-]{1,200})))?\s?\]|:nth-(child|of-type)\((\d{1,5})\)|:(first-child)/iy;

/** Answers what is wrong where it cannot be read. */
export function readSelector(text: string): Selector | { readonly problem: string } {
  if (text.length > MAX_LENGTH) return { problem: `must have at most ${MAX_LENGTH} characters` };
  const groups: Step[][] = [[]];
  let isChild = false;
  for (let at = 0; at < text.length; ) {
    const sign = text[at]!;
    const steps = groups.at(-1)!;
    if ((sign === '>' || sign === ',') && (isChild || steps.length === 0))
      return { problem: `has a ${sign} with nothing before it` };
    if (sign === '>') isChild = true;
    else if (sign === ',') groups.push([]);
    else if (!/\s/.test(sign)) {
      const { tests, end } = testsFrom(text, at);
      if (tests.length === 0) return { problem: `has ${text.slice(at, at + 30)}, which is none of ${KNOWN}` };
      steps.push({ tests, isChild });
      isChild = false;
      at = end;
      continue;
    }
    at++;
  }
  if (isChild || groups.at(-1)!.length === 0) return { problem: 'ends too early, or names nothing' };
  const isLong = groups.length > MAX_GROUPS || groups.some((steps) => steps.length > MAX_STEPS);
  return isLong ? { problem: `must have at most ${MAX_GROUPS} parts of ${MAX_STEPS} steps` } : groups;
}

const KNOWN = 'name, #id, .class, [attribute=value], :nth-child(n), :nth-of-type(n)';

/** The tests that stand without a space between them; none where something else follows them. */
function testsFrom(text: string, start: number): { tests: Test[]; end: number } {
  const tests: Test[] = [];
  let end = start;
  for (; end < text.length && !/[\s>,]/.test(text[end]!); end = TEST.lastIndex) {
    TEST.lastIndex = end;
    const match = TEST.exec(text);
    if (match === null) return { tests: [], end };
    tests.push(testOf(match));
  }
  return { tests, end };
}

function testOf([
  ,
  name,
  id,
  className,
  attribute,
  sign = '',
  double,
  single,
  bare,
  nth,
  place,
]: RegExpExecArray): Test {
  if (name !== undefined) return { is: 'name', value: name.toLowerCase() };
  if (id !== undefined) return { is: 'id', value: id };
  if (className !== undefined) return { is: 'class', value: className };
  if (attribute !== undefined)
    return { is: 'attribute', name: attribute.toLowerCase(), sign, value: double ?? single ?? bare ?? '' };
  return { is: nth === 'of-type' ? 'nthOfType' : 'nth', value: Number(place ?? 1) };
}

interface Open {
  readonly element: TreeElement;
  readonly nth: number;
  readonly nthOfType: number;
  /** By group: the steps that end at the parent, and those that end at any element around it, as bits. */
  readonly parent: readonly number[];
  readonly around: readonly number[];
}

/** The elements that fit, in the order of the page; none within another. */
export function selectIn({ documentElement }: PageTree, selector: Selector): TreeElement[] {
  const found: TreeElement[] = [];
  const none = selector.map(() => 0);
  const open: Open[] =
    documentElement === null ? [] : [{ element: documentElement, nth: 1, nthOfType: 1, parent: none, around: none }];
  let looked = 0;
  for (let one = open.pop(); one !== undefined && looked++ < MAX_ELEMENTS; one = open.pop()) {
    const here = one;
    const ended = selector.map((steps, group) => endedAt(here, steps, group));
    if (selector.some((steps, group) => (ended[group]! & (1 << (steps.length - 1))) !== 0)) {
      found.push(here.element);
      continue;
    }
    const around = ended.map((bits, group) => bits | here.around[group]!);
    open.push(
      ...childrenOf(here.element)
        .map((child) => ({ ...child, parent: ended, around }))
        .toReversed(),
    );
  }
  return found;
}

function endedAt(here: Open, steps: readonly Step[], group: number): number {
  let ended = 0;
  for (const [at, { tests, isChild }] of steps.entries()) {
    const before = isChild ? here.parent[group]! : here.around[group]!;
    const isReached = at === 0 || (before & (1 << (at - 1))) !== 0;
    if (isReached && tests.every((test) => fits(here, test))) ended |= 1 << at;
  }
  return ended;
}

function fits({ element, nth, nthOfType }: Open, test: Test): boolean {
  switch (test.is) {
    case 'name':
      return test.value === '*' || element.localName === test.value;
    case 'id':
      return attributeOf(element, 'id') === test.value;
    case 'class':
      return classesOf(element).includes(test.value);
    case 'nth':
      return nth === test.value;
    case 'nthOfType':
      return nthOfType === test.value;
    case 'attribute':
      return hasValue(attributeOf(element, test.name), test.sign, test.value);
  }
}

function hasValue(value: string | undefined, sign: string, wanted: string): boolean {
  if (value === undefined || sign === '') return value !== undefined;
  switch (sign) {
    case '^=':
      return value.startsWith(wanted);
    case '$=':
      return value.endsWith(wanted);
    case '*=':
      return value.includes(wanted);
    case '~=':
      return value.split(/\s/).includes(wanted);
    case '|=':
      return value === wanted || value.startsWith(`${wanted}-`);
    default:
      return value === wanted;
  }
}
