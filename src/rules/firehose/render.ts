/** Prints a query as Lucene does: after analysis. */
import type { Built, BuiltClause } from './build.ts';
import { floatText } from './float.ts';
import { DEFAULT_FIELD } from './syntax-table.ts';

export function render(built: Built | undefined): string {
  if (built === undefined) return '';
  switch (built.kind) {
    case 'list':
      return built.clauses.map(renderClause).join(' ');
    case 'boost':
      return `(${render(built.of)})^${floatText(built.factor)}`;
    case 'everything':
      return '*:*';
    case 'recent':
      return `recent:${built.text}`;
    case 'term':
      return named(built.field, built.term);
    case 'phrase': {
      const words = built.terms.map((term) => term ?? '?').join(' ');
      return named(built.field, `"${words}"${built.slop === 0 ? '' : `~${built.slop}`}`);
    }
    case 'prefix':
      return named(built.field, `${built.prefix}*`);
    case 'wildcard':
      return named(built.field, built.pattern);
    case 'regex':
      return named(built.field, `/${built.pattern}/`);
    case 'fuzzy':
      return named(built.field, `${built.term}~${built.edits}`);
    case 'range': {
      const { from, to, fromInclusive, toInclusive } = built.range;
      return named(built.field, `${fromInclusive ? '[' : '{'}${bound(from)} TO ${bound(to)}${toInclusive ? ']' : '}'}`);
    }
    case 'number': {
      const open = built.from?.inclusive === false ? '{' : '[';
      const close = built.to?.inclusive === false ? '}' : ']';
      return named(built.field, `${open}${built.from?.value ?? '*'} TO ${built.to?.value ?? '*'}${close}`);
    }
  }
}

function renderClause({ occur, of }: BuiltClause): string {
  const text = of.kind === 'list' ? `(${render(of)})` : render(of);
  return `${occur === 'must' ? '+' : occur === 'not' ? '-' : ''}${text}`;
}

const named = (field: string, text: string) => (field === DEFAULT_FIELD ? text : `${field}:${text}`);

const bound = (text: string | undefined) => (text === undefined ? '*' : text === '*' ? '\\*' : text);
