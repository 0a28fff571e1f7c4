/** The problems of a template, in words with a place and what to do. */
import {
  type Arguments,
  ForTag,
  type LiquidError,
  type Template,
  type Token,
  TypeGuards,
  toValueSync,
  Value,
} from 'liquidjs';
import { DIGEST_FIELDS, MATCH_FIELDS, STORY_FIELDS } from './fields.ts';

/** A template cannot write this message; the usual one takes its place. */
export class TemplateFault extends Error {
  override readonly name = 'TemplateFault';
}

export interface TemplateProblem {
  readonly message: string;
  /** In UTF-16 units. */
  readonly position: { readonly start: number; readonly end: number };
}

interface Known {
  readonly tags: readonly string[];
  readonly filters: readonly string[];
}

/** The library's words, where they say what to do; ours otherwise. */
export function faultWords({ message }: LiquidError, { tags, filters }: Known): string {
  const [plain = ''] = message.split(/, (?:file|line):/);
  const tag = /^tag "(.*)" not found$/s.exec(plain)?.[1];
  if (tag !== undefined) return `There is no tag \`${tag}\`. The tags are ${tags.join(', ')}, and their ends.`;
  const filter = /^undefined filter: (.*)$/s.exec(plain)?.[1];
  if (filter !== undefined) return `There is no filter \`${filter}\`. The filters are ${filters.join(', ')}.`;
  const [, what = ''] = /^(tag|output) .* not closed$/s.exec(plain) ?? [];
  if (what === 'tag') return 'This tag is never closed. Add its end, such as {% endif %}, or its %}.';
  if (what === 'output') return 'This field is never closed. Add }}.';
  if (plain.endsWith('limit exceeded')) return 'Its filters would go through too much text. Use fewer of them.';
  return `It cannot be read: ${plain}. Correct it here.`;
}

const isField = (name: string): boolean => Object.hasOwn(MATCH_FIELDS, name) || Object.hasOwn(DIGEST_FIELDS, name);

/** The first thing that is no field, or too much. */
export function nameProblem(
  { names, loops, innerLoops, parts }: TemplateNames,
  most: number,
): TemplateProblem | undefined {
  const [inner] = innerLoops;
  if (inner !== undefined) return at('A loop cannot be inside another loop.', inner.token.begin, inner.token.end);
  const other = loops.find(({ collection }) => collection.getText() !== 'stories');
  if (other !== undefined)
    return at('Loops go through `stories`, and nothing else.', other.token.begin, other.token.end);
  if (parts > most) {
    const { start, end } = names[most] ?? names.at(-1) ?? { start: 0, end: 0 };
    return at(`It has ${parts} tags, fields and filters; ${most} are the most.`, start, end);
  }
  const stories = new Set(loops.map(({ variable }) => variable));
  for (const { path, start, end } of names) {
    const message = pathProblem(path, stories);
    if (message !== undefined) return at(message, start, end);
  }
  return undefined;
}

export const at = (message: string, start: number, end: number): TemplateProblem => ({
  message,
  position: { start, end },
});

/** `stories`: the names that loops give to a story. */
function pathProblem([root = '', name, ...rest]: readonly string[], stories: ReadonlySet<string>): string | undefined {
  if (rest.length > 0) return NO_PATH;
  if (root === 'forloop') return undefined;
  if (stories.has(root) && name !== undefined)
    return Object.hasOwn(STORY_FIELDS, name) ? undefined : noField(`${root}.${name}`, Object.keys(STORY_FIELDS));
  if (stories.has(root)) return `Name a field of it, such as \`${root}.title\`.`;
  if (!isField(root)) return noField(root, [...Object.keys(MATCH_FIELDS), ...Object.keys(DIGEST_FIELDS)]);
  return name === undefined || name === 'size' ? undefined : NO_PATH;
}

const NO_PATH = 'Fields have no fields in them. Name one field.';

const noField = (name: string, fields: readonly string[]): string =>
  `There is no field \`${name}\`. The fields are ${fields.join(', ')}.`;

interface TemplateName {
  /** A field, and a field of that. */
  readonly path: readonly string[];
  readonly start: number;
  readonly end: number;
}

export interface TemplateNames {
  readonly names: readonly TemplateName[];
  readonly loops: readonly ForTag[];
  /** Loops that are inside others. */
  readonly innerLoops: readonly ForTag[];
  /** Tags, fields and filters: each takes some microseconds, in a loop for every story. */
  readonly parts: number;
}

/** The names that a template uses, each where it stands, and how much there is to do for it. */
export function templateNames(templates: readonly Template[], isLooped = false): TemplateNames {
  const names: TemplateName[] = [];
  const [loops, innerLoops]: [ForTag[], ForTag[]] = [[], []];
  let parts = 0;
  for (const template of templates) {
    const isLoop = template instanceof ForTag;
    if (isLoop) (isLooped ? innerLoops : loops).push(template);
    parts += 1;
    for (const argument of template.arguments?.() ?? []) {
      const tokens = tokensOf(argument);
      parts += tokens.length + (argument instanceof Value ? argument.filters.length : 0);
      names.push(...tokens.flatMap((token) => nameOf(token)));
    }
    const children = template.children === undefined ? [] : toValueSync(template.children(false, true));
    const inner = templateNames(children, isLooped || isLoop);
    names.push(...inner.names);
    loops.push(...inner.loops);
    innerLoops.push(...inner.innerLoops);
    parts += inner.parts;
  }
  return { names, loops, innerLoops, parts };
}

type Argument = Arguments extends Iterable<infer One> ? One : never;

/** The tokens of a value include the arguments of its filters. */
const tokensOf = (argument: Argument): readonly Token[] =>
  argument instanceof Value
    ? [
        ...argument.initial.postfix,
        ...argument.filters.flatMap(({ args }) => args.map((arg) => (Array.isArray(arg) ? arg[1] : arg))),
      ].filter((token) => token !== undefined)
    : [argument];

function nameOf(token: Token): TemplateName[] {
  if (!TypeGuards.isPropertyAccessToken(token) || token.variable !== undefined) return [];
  const path = token.props.map((part) => (TypeGuards.isWordToken(part) ? part.content : part.getText()));
  return [{ path, start: token.begin, end: token.end }];
}
