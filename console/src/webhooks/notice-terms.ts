/** Which notices a webhook tells of, as a form has them. Pure. */
import type { Webhook } from '../data/queries.ts';
import { NOTICE_KINDS, WEBHOOK_EVENTS } from '../words/delivery.ts';
import { quietWords } from './wake-words.ts';

export type Notices = NonNullable<Webhook['notices']>;
export type NoticeKind = NonNullable<Notices['kinds']>[number];

/** Without a choice a webhook is told of all but rules that are silent. */
const USUAL = (Object.keys(NOTICE_KINDS) as NoticeKind[]).filter((kind) => kind !== 'silence');

export const kindsOf = (notices: Notices | null | undefined): readonly NoticeKind[] => notices?.kinds ?? USUAL;

export function withKind(notices: Notices | null, kind: NoticeKind, isWanted: boolean): Notices {
  const { kinds: _, ...others } = notices ?? {};
  const chosen = kindsOf(notices).filter((one) => one !== kind);
  const kinds = isWanted ? [...chosen, kind] : chosen;
  const isUsual = kinds.length === USUAL.length && USUAL.every((one) => kinds.includes(one));
  return isUsual ? others : { ...others, kinds };
}

type Told = Pick<Webhook, 'events'> & { readonly notices?: Notices | null | undefined };

/** Why the choice cannot be saved yet. */
export function noticeObstacle({ events, notices }: Told): string | undefined {
  if (events.length === 0) return 'Choose what this webhook notifies of.';
  return events.includes('operational') && kindsOf(notices).length === 0
    ? 'Choose what its notices are about.'
    : undefined;
}

/** The choice without what it does not need. Null: nothing but the usual. */
export function noticesToSave({ events, notices }: Told): Notices | null {
  const hasQuiet = notices?.quiet !== undefined && (events.includes('operational') || events.includes('alert'));
  const hasKinds = notices?.kinds !== undefined && events.includes('operational');
  if (!hasQuiet && !hasKinds) return null;
  return { ...(hasKinds && { kinds: notices.kinds }), ...(hasQuiet && { quiet: notices.quiet }) };
}

/** "Matches, notices about sources, limits and budgets, not from 22:00 to 07:00 (Europe/Berlin)". */
export function toldWords({ events, notices }: Told): string {
  const kinds = kindsOf(notices).map((kind) => NOTICE_KINDS[kind].words.toLowerCase());
  const told = events.map((event) =>
    event === 'operational' ? `notices about ${kinds.join(', ')}` : WEBHOOK_EVENTS[event].words.toLowerCase(),
  );
  const words = `${told.join('; ')}${quietWords(notices?.quiet)}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}
