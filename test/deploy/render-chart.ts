/**
 * The part of Helm's template language that our chart uses, and no more: values, `quote`, `default`, `if` of one value, and
 * `toYaml … | nindent`. Anything else is an error here. It shows that the chart renders by these rules; it is not Helm.
 */
import { stringify } from 'yaml';

export interface ChartScope {
  readonly Values: Readonly<Record<string, unknown>>;
  readonly Release: { readonly Name: string };
  readonly Chart: { readonly AppVersion: string };
}

export function renderChart(template: string, scope: ChartScope): string {
  const chosen = template.replaceAll(
    /\n *\{\{- if (\.[\w.]+) \}\}\n([\s\S]*?)\n *\{\{- end \}\}/g,
    (_, path: string, inner: string) => (valueAt(scope, path) ? `\n${inner}` : ''),
  );
  return chosen.replaceAll(/ ?\{\{(-?) ([^}]*) \}\}/g, (whole, trims: string, expression: string) => {
    const [first, ...filters] = expression.split(' | ');
    const rendered = filters.reduce((value, filter) => filtered(scope, value, filter), start(scope, first!));
    return (trims === '' && whole.startsWith(' ') ? ' ' : '') + String(rendered);
  });
}

const start = (scope: ChartScope, first: string): unknown =>
  first.startsWith('toYaml ') ? stringify(valueAt(scope, first.slice(7))).trimEnd() : valueAt(scope, first);

function filtered(scope: ChartScope, value: unknown, filter: string): unknown {
  const [name, argument = ''] = filter.split(' ');
  if (name === 'quote') return JSON.stringify(String(value));
  if (name === 'default') return value === '' ? valueAt(scope, argument) : value;
  if (name !== 'nindent') throw new Error(`The chart uses the function ${name}, which this test does not know.`);
  const indent = ' '.repeat(Number(argument));
  return String(value)
    .split('\n')
    .map((line) => `\n${indent}${line}`)
    .join('');
}

function valueAt(scope: ChartScope, path: string): unknown {
  if (!path.startsWith('.')) throw new Error(`The chart uses ${path}, which this test does not know.`);
  return path
    .slice(1)
    .split('.')
    .reduce<unknown>((value, name) => {
      if (value === null || typeof value !== 'object' || !(name in value))
        throw new Error(`There is no value ${path}.`);
      return (value as Record<string, unknown>)[name];
    }, scope);
}
