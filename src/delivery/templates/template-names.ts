/** The names that a template uses, each where it stands, and how much there is to do for it. */
import { type Arguments, ForTag, type Template, type Token, TypeGuards, toValueSync, Value } from 'liquidjs';

export interface TemplateName {
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
