/** A wake contract and its account in words. Pure. */
import type { Webhook } from '../data/queries.ts';
import { counted } from '../ui/moment.ts';
import { DISTINCT, WAKE_UNITS, WEEKDAYS } from '../words/delivery.ts';

type Wake = NonNullable<Webhook['wake']>;

export function wakeWords(wake: Webhook['wake']): string {
  if (wake === null) return 'every match';
  const relevance =
    wake.min_relevance === null ? '' : `, of relevance ${Math.round(wake.min_relevance * 100)} % or more`;
  const most =
    wake.at_most === null ? '' : `, at most ${wake.at_most.replace('/', ' in an ')}`.replace('an day', 'a day');
  const { per, quiet, when, unless } = wake;
  const held = unless === undefined ? '' : ', unless another rule has just notified';
  return `${WAKE_UNITS[per].words}${relevance}${most}${quietWords(quiet)}${timeWords(when)}${held}`;
}

export function quietWords(quiet: Wake['quiet']): string {
  if (quiet === undefined) return '';
  const days = quiet.days === undefined ? '' : ` on ${quiet.days.map((day) => WEEKDAYS[day].words).join(', ')}`;
  return `, not from ${quiet.from} to ${quiet.to}${days} (${quiet.zone})`;
}

/** Rules are named by their ids, which say nothing here: that there is such a term is said. */
function timeWords(when: Wake['when']): string {
  if (when === undefined) return '';
  const { count, distinct, within = '', after, without, quiet_for } = when;
  return [
    count === undefined
      ? ''
      : `, ${count} ${distinct === undefined ? 'matches' : DISTINCT[distinct].words} within ${within}`,
    after === undefined ? '' : `, within ${within} of another rule`,
    without === undefined ? '' : `, without another rule for ${within}`,
    quiet_for === undefined ? '' : `, after ${quiet_for} without one`,
  ].join('');
}

export const accountWords = ({ wakes, held, stories }: NonNullable<Webhook['wake_account']>): string =>
  `${counted(wakes, 'notification')}, ${counted(held, 'match', 'matches')} kept for the next summary, ${counted(stories, 'story', 'stories')}`;

/** The time that the figures are of: the hour or the day of the limit. */
export const windowWords = (wake: Webhook['wake']): string =>
  wake?.at_most == null ? 'So far' : `In this ${wake.at_most.endsWith('/day') ? 'day' : 'hour'}`;
