/** An alert as JSON, the same in every answer, event and delivery, and as a sentence. */
import type { Alert } from '../domain/rule.ts';

export const alertToJson = ({ id, ruleId, platform, kind, from, to, rate, usualRate }: Alert) => ({
  id,
  rule_id: ruleId,
  platform,
  kind,
  from: from.toISOString(),
  to: to?.toISOString() ?? null,
  rate: rounded(rate),
  usual_rate: rounded(usualRate),
});

/** Rates are estimates: hundredths say enough. */
const rounded = (rate: number): number => Math.round(rate * 100) / 100;

export function describeAlert({ ruleName, platform, kind, from, to, rate, usualRate }: Alert): string {
  const usual = `${rounded(usualRate)} an hour are usual`;
  const rule = `The rule "${ruleName}" on ${platform}`;
  if (kind === 'surge')
    return to === undefined
      ? `${rule} surges since ${timeOf(from)}: ${rounded(rate)} matches an hour; ${usual}.`
      : `${rule} is calm again since ${timeOf(to)}. Its highest rate was ${rounded(rate)} matches an hour; ${usual}.`;
  if (rate > 0)
    return to === undefined
      ? `${rule} has far fewer matches than usual since ${timeOf(from)}, and Sluice was listening: ${rounded(rate)} an hour; ${usual}.`
      : `${rule} has about as many matches as usual again since ${timeOf(to)}. Far fewer came from ${timeOf(from)} on.`;
  return to === undefined
    ? `${rule} has had no match since ${timeOf(from)}, and Sluice was listening; ${usual}.`
    : `The silence of the rule "${ruleName}" on ${platform} ended at ${timeOf(to)}. It began at ${timeOf(from)}.`;
}

const timeOf = (date: Date): string => `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
