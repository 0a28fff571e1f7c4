/** A plan as people read it, and as programs do. */

import { counted, out, plain } from './output.ts';
import { describeMeasured, type MeasuredPlan } from './plan-measure.ts';
import { newTexts, type PlannedChange, type RulePlan } from './rule-plan.ts';

export const nameOf = (change: PlannedChange): string =>
  change.action === 'delete' ? change.rule.name : change.entry.name;

const SIGNS = {
  create: out.green('+ create '),
  update: out.yellow('~ update '),
  replace: out.yellow('± replace'),
  delete: out.red('- delete '),
} satisfies Record<PlannedChange['action'], string>;

export function describePlan({ changes, unchanged }: RulePlan, measured: MeasuredPlan = new Map()): string {
  if (changes.length === 0) return `Nothing to change: ${counted(unchanged, 'rule')} as in the file.`;
  const count = (action: PlannedChange['action']) => changes.filter((change) => change.action === action).length;
  return [
    ...changes.flatMap((change) => [describeChange(change), ...(measured.get(change) ?? []).flatMap(describeMeasured)]),
    '',
    `${count('create')} to create, ${count('update')} to update, ${count('replace')} to replace, ${count('delete')} to delete, ${unchanged} unchanged.`,
  ].join('\n');
}

function describeChange(change: PlannedChange): string {
  const heading = `${SIGNS[change.action]}  ${out.bold(plain(nameOf(change)))}`;
  const indent = '    ';
  switch (change.action) {
    case 'create':
      return [
        heading,
        ...newTexts(change).map(([name, text]) => `${indent}${name}: ${out.green(plain(text, 500))}`),
      ].join('\n');
    case 'delete':
      return `${heading}  ${out.dim('its matches go with it')}`;
    default: {
      const lines = change.differences.flatMap(({ field, from, to }) => [
        ...(from === undefined ? [] : [`${indent}${out.red(`- ${field}: ${plain(from, 500)}`)}`]),
        ...(to === undefined ? [] : [`${indent}${out.green(`+ ${field}: ${plain(to, 500)}`)}`]),
      ]);
      const note =
        change.action === 'replace' ? `  ${out.dim('made anew, as asked: its id, matches and webhooks go')}` : '';
      return [heading + note, ...lines].join('\n');
    }
  }
}

export const planToJson = ({ changes, unchanged }: RulePlan, measured: MeasuredPlan = new Map()) => ({
  changes: changes.map((change) => ({
    action: change.action,
    name: nameOf(change),
    ...('rule' in change && { rule_id: change.rule.id }),
    ...('differences' in change && { differences: change.differences }),
    ...(change.action === 'create' && { texts: change.entry.overrides }),
    ...(measured.has(change) && { measured: measured.get(change) }),
  })),
  unchanged,
});
