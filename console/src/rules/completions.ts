/** Completions with help: the operators of the language, and the values of operators that have a list. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { EditorState } from '@codemirror/state';
import type { Language, OperatorHelp } from '../../../src/rules/language.ts';
import { valuesLike, valuesOf } from '../../../src/rules/values.ts';
import type { Platform } from '../data/queries.ts';
import { type Token, tokensOf } from './tokens.ts';
import { commonFirst } from './usual-values.ts';

export function completionsFor(language: Language): (context: CompletionContext) => CompletionResult | null {
  const operators = language.help.operators.flatMap(optionsOf);
  return (context) => {
    if (isQuoted(language.name, context)) return null;
    const value = context.matchBefore(VALUE_SO_FAR[language.name]);
    if (value !== null) return valuesFor(language.name, value.text, value.from);
    const word = context.matchBefore(/[A-Za-z_][\w:]*/);
    if (word === null && !context.explicit) return null;
    const typed = word?.text.toLowerCase() ?? '';
    const options = operators.filter(({ label }) => begins(label.toLowerCase(), typed));
    // In the order of the language's table, which lists the most used first.
    return options.length === 0 ? null : { from: word?.from ?? context.pos, options, filter: false };
  };
}

/** `coun` finds `place_country:` and `country`. Only the starts of parts count: `ountry` finds neither. */
const begins = (label: string, typed: string): boolean =>
  label.startsWith(typed) || label.split(/[_:]/).some((part) => part !== '' && part.startsWith(typed));

/** Within quotes there are no operators. */
function isQuoted(platform: Platform, { state, pos }: CompletionContext): boolean {
  const inside = tokensOf(platform, state.doc.toString()).find(({ start, end }) => start < pos && pos < end);
  return inside?.kind === 'phrase' && state.sliceDoc(inside.start, inside.start + 1) === '"' && !isLabel(state, inside);
}

/** Page categories and types are quoted, and have a list of values. */
const isLabel = ({ doc }: EditorState, { start }: Token): boolean =>
  /(page_category|page_type):$/.test(doc.sliceString(Math.max(0, start - 14), start));

/** Only an operator whose syntax starts with its name can be completed; the help dialog lists the others. */
function optionsOf({ name, syntax, description, example, negatable }: OperatorHelp): Completion[] {
  const label = labelOf(name, syntax);
  if (label === undefined) return [];
  return [
    {
      label,
      detail: syntax.length <= 32 ? syntax : '',
      type: 'keyword',
      info: () => helpOf(description, example, negatable),
    },
  ];
}

function labelOf(name: string, syntax: string): string | undefined {
  if (/^(AND|OR|NOT)$/.test(name)) return `${name} `;
  if (/^[a-z_]+:$/.test(name)) return name;
  if (/^[a-z]+:[a-z_]+$/.test(name)) return name;
  return syntax.startsWith(`${name}:`) ? `${name}:` : undefined;
}

/** Built from DOM nodes, never from markup. */
function helpOf(description: string, example: string, negatable: boolean): Node {
  const box = document.createElement('div');
  const about = document.createElement('p');
  about.textContent = description;
  const sample = document.createElement('code');
  sample.textContent = example;
  box.append(about, sample);
  if (!negatable) {
    const note = document.createElement('p');
    note.textContent = 'This operator cannot be negated.';
    box.append(note);
  }
  return box;
}

const VALUE_SO_FAR: Readonly<Record<Platform, RegExp>> = {
  x: /\b(lang|place_country):[\w-]*/,
  firehose: /(page_category|page_type|language):"?[^\s"()]*/,
};

function valuesFor(platform: Platform, typed: string, from: number): CompletionResult | null {
  const field = typed.slice(0, typed.indexOf(':'));
  const start = from + field.length + 1;
  const quoted = field === 'page_category' || field === 'page_type';
  const begun = typed.slice(field.length + 1).replace('"', '');
  const options = commonFirst(field, begun, valuesLike(valuesOf(platform, field) ?? [], begun)).map(
    ({ value, name }) => ({
      label: quoted ? `"${value}"` : value,
      detail: quoted ? '' : name,
      type: 'constant',
    }),
  );
  // Values are also found by words of their names, which the editor's own filter would drop.
  return options.length === 0 ? null : { from: start, options, filter: false };
}
