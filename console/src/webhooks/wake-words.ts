/** A wake contract and its account in words. Pure. */
import type { Webhook } from '../data/queries.ts';
import { counted } from '../ui/moment.ts';
import { WAKE_UNITS } from '../words/delivery.ts';

export function wakeWords(wake: Webhook['wake']): string {
  if (wake === null) return 'every match';
  const relevance =
    wake.min_relevance === null ? '' : `, of relevance ${Math.round(wake.min_relevance * 100)} % or more`;
  const most =
    wake.at_most === null ? '' : `, at most ${wake.at_most.replace('/', ' in an ')}`.replace('an day', 'a day');
  const { quiet } = wake;
  const hours = quiet === undefined ? '' : `, not from ${quiet.from} to ${quiet.to} (${quiet.zone})`;
  return `${WAKE_UNITS[wake.per].words}${relevance}${most}${hours}`;
}

export const accountWords = ({ wakes, held, stories }: NonNullable<Webhook['wake_account']>): string =>
  `${counted(wakes, 'wake')}, ${counted(held, 'match', 'matches')} held for the next digest, ${counted(stories, 'story', 'stories')}`;
