/** A draft's figures in words. Pure. */
import type { Answer } from '../../../packages/client/src/index.ts';
import type { Preview } from '../rules/use-preview.ts';
import { counted, figure } from '../ui/moment.ts';

export function fitOf({
  wanted,
  wanted_matched,
  unwanted,
  unwanted_matched,
}: Answer<'draftRule'>['fit']): string | undefined {
  const parts = [
    ...(wanted > 0 ? [`${wanted_matched} of ${wanted} that you want`] : []),
    ...(unwanted > 0 ? [`${unwanted_matched} of ${unwanted} that you do not`] : []),
  ];
  return parts.length === 0 ? undefined : `catches ${parts.join(', ')}`;
}

export function foundOf({ matched, events, estimate }: Preview): string {
  if (events === 0) return 'not known: no event has arrived yet';
  const found = `${figure(matched)} of ${counted(events, 'recent event')}`;
  return estimate === undefined ? found : `${found}; ${estimate}`;
}

const DAYS = 30;

export function costOf({ price, rate_range: range }: Pick<Preview, 'price' | 'rate_range'>): string {
  if (price === undefined) return 'nothing: this server matches it itself';
  const money = (value: number) => `${price.currency ?? ''} ${figure(Math.round(value * 1_000) / 1_000)}`.trim();
  if (!range) return `${money(price.per_match)} a match; how many come is not known beforehand`;
  return `${money(range.low * DAYS * price.per_match)} to ${money(range.high * DAYS * price.per_match)} a month, at ${money(price.per_match)} a match`;
}
