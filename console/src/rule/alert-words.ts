/** A surge or a silence of a rule in a sentence. Pure. */
import type { Alert } from '../data/queries.ts';
import { figure } from '../ui/moment.ts';

const an = (rate: number): string => `${figure(Math.round(rate * 10) / 10)} an hour`;

export const ALERT_WORDS = {
  surge: ({ rate, usual_rate, to }) =>
    `${to === null ? 'It surges' : 'It surged'}: ${an(rate)}, where ${an(usual_rate)} are usual.`,
  silence: ({ rate, usual_rate, to }) =>
    rate > 0
      ? `${to === null ? 'Far fewer come' : 'Far fewer came'} for a day while Sluice listened: ${an(rate)}, where ${an(usual_rate)} are usual.`
      : `${to === null ? 'It has gone quiet' : 'It was quiet'} while Sluice listened, where ${an(usual_rate)} are usual.`,
} as const satisfies Record<Alert['kind'], (alert: Alert) => string>;

export const alertWords = (alert: Alert): string => ALERT_WORDS[alert.kind](alert);
