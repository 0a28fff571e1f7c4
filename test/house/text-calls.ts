/**
 * Finds the calls whose time may grow faster than the text they are given: normal forms, what goes by a language
 * (`localeCompare`, `Intl`), hosts of addresses, patterns and replacements that are made while the program runs. What is
 * left (`toLowerCase`, `JSON.parse`, sorting, cutting at a text that is written out) is linear on any text, or nearly; the
 * regular expressions themselves are found here too, and their steps are counted.
 */
import { type Argument, type CallExpression, type NewExpression, type Program, parseSync, Visitor } from 'oxc-parser';
import type { SourceFile } from './measures.ts';

/** The kinds of calls. A `pattern` or a `replacement` is one that is not written out where it is used. */
export type CallKind = 'URL' | 'RegExp' | 'pattern' | 'replacement' | 'normalize' | 'localeCompare' | `Intl.${string}`;

const BY_PATTERN: ReadonlySet<string> = new Set(['split', 'match', 'matchAll', 'search', 'replace', 'replaceAll']);
const REPLACING: ReadonlySet<string> = new Set(['replace', 'replaceAll']);
const BY_LANGUAGE: ReadonlySet<string> = new Set(['localeCompare', 'toLocaleLowerCase', 'toLocaleUpperCase']);
/** The others of `Intl` write numbers and times. */
const TEXT_INTL: ReadonlySet<string> = new Set(['Collator', 'Segmenter', 'DisplayNames', 'ListFormat', 'Locale']);

/** Shapes of zod that parse an address. */
const URL_SHAPES: ReadonlySet<string> = new Set(['url', 'httpUrl', 'hostname']);

/** The methods of texts that are looked for. */
export const WATCHED: readonly string[] = ['normalize', ...BY_LANGUAGE, ...BY_PATTERN];

export interface FoundRegex {
  readonly source: string;
  readonly flags: string;
  readonly path: string;
}

/** How many calls of each kind a file has, as the table writes it: `URL 2, pattern 1`. */
export function textCalls({ path, text }: SourceFile): string {
  const { program } = parseSync(path, text);
  const names = writtenOut(program);
  const counts = new Map<CallKind, number>();
  const note = (kind: CallKind | undefined): void => {
    if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  };
  new Visitor({
    CallExpression: (node) => note(kindOfCall(node, names)),
    NewExpression: (node) => note(kindOfNew(node)),
  }).visit(program);
  return Array.from(counts, (one) => one.join(' '))
    .toSorted()
    .join(', ');
}

export function regexesIn({ path, text }: SourceFile): FoundRegex[] {
  const found: FoundRegex[] = [];
  new Visitor({
    Literal(node) {
      if ('regex' in node) found.push({ source: node.regex.pattern, flags: node.regex.flags, path });
    },
  }).visit(parseSync(path, text).program);
  return found;
}

function kindOfNew({ callee, arguments: given }: NewExpression): CallKind | undefined {
  if (callee.type === 'Identifier' && callee.name === 'RegExp') return 'RegExp';
  if (callee.type === 'Identifier' && callee.name === 'URL') return isFileOfOurs(given) ? undefined : 'URL';
  if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier') return undefined;
  if (callee.property.type !== 'Identifier') return undefined;
  const { name } = callee.property;
  return callee.object.name === 'Intl' && TEXT_INTL.has(name) ? `Intl.${name}` : undefined;
}

/** `new URL('core.wasm', import.meta.url)` */
const isFileOfOurs = ([, base]: readonly Argument[]): boolean =>
  base?.type === 'MemberExpression' && base.object.type === 'MetaProperty';

function kindOfCall({ callee, arguments: given }: CallExpression, names: ReadonlySet<string>): CallKind | undefined {
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return undefined;
  const { name } = callee.property;
  if (callee.object.type === 'Identifier' && callee.object.name === 'URL')
    return name === 'parse' || name === 'canParse' ? 'URL' : undefined;
  // It parses with URL whatever text it is given; the limits of its length come after it, or not at all.
  if (callee.object.type === 'Identifier' && callee.object.name === 'z' && URL_SHAPES.has(name)) return 'URL';
  if (name === 'normalize') return 'normalize';
  if (BY_LANGUAGE.has(name)) return 'localeCompare';
  const isReplacing = REPLACING.has(name);
  if (!BY_PATTERN.has(name) || given.length !== (isReplacing ? 2 : 1)) return undefined;
  if (!isWrittenOut(given[0]!, names)) return 'pattern';
  return isReplacing && !isWrittenOut(given[1]!, names) && !isFunction(given[1]!) ? 'replacement' : undefined;
}

const isWrittenOut = (argument: Argument, names: ReadonlySet<string>): boolean =>
  argument.type === 'Literal' ||
  (argument.type === 'TemplateLiteral' && argument.expressions.length === 0) ||
  argument.type === 'TaggedTemplateExpression' ||
  (argument.type === 'Identifier' && names.has(argument.name));

/** Every `$` is read of a replacement that is a text. A name is taken for one of a function. */
const isFunction = ({ type }: Argument): boolean => /Function|Identifier/.test(type);

/** Names of constants of the file that are texts or expressions. */
function writtenOut(program: Program): Set<string> {
  const names = new Set<string>();
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && init?.type === 'Literal') names.add(id.name);
    },
  }).visit(program);
  return names;
}
