/** One look at a watch: what it says of a surge and of silence by now. Pure. */
import type { Alert } from '../../domain/rule.ts';
import { isMissingLittle, isMissingMuch, lookForSurge, type Outlook, quietOf, surgeStep } from '../../signal/surge.ts';
import type { AlertChange, RuleWatch } from '../../store/store.ts';
import type { Hearing } from './hearing.ts';
import type { Lasting, WatchNow } from './learn.ts';

const MINUTE = 60_000;
const WINDOW = 60 * MINUTE;

export interface Look {
  readonly watch: Pick<RuleWatch, 'alerts' | 'ten' | 'sixty'>;
  readonly now: WatchNow;
  /** In milliseconds. */
  readonly at: number;
  /** The minute of the last match since the hour of the outlook began. */
  readonly last: number | undefined;
  readonly hearing: Pick<Hearing, 'heard' | 'isListening' | 'through'>;
  readonly newId: () => string;
}

export interface Looked {
  readonly now: WatchNow;
  readonly changes: readonly AlertChange[];
}

/** A surge begins where Sluice heard everything for the window and listens now; it ends as soon as that is not so. */
export function lookAt(look: Look): Looked {
  const surge = lookAtSurge(look);
  const silence = lookAtSilence(look);
  return {
    now: { outlook: look.now.outlook, surge: surge.lasting, silence: silence.lasting },
    changes: [...surge.changes, ...silence.changes],
  };
}

function lookAtSurge({ watch, now, at, hearing, newId }: Look) {
  const minute = Math.floor(at / MINUTE);
  const known = watch.alerts.surge && hearing.isListening && hearing.heard(at - WINDOW, at);
  const found = known ? lookForSurge(now.outlook, { minute, ten: watch.ten, sixty: watch.sixty }) : undefined;
  // Nobody waits for the calm of what is no longer watched.
  if (now.surge !== undefined && !watch.alerts.surge) return ended('surge', now.surge, at, now.surge.rate);
  const step = surgeStep(now.surge, found, minute);
  if (step.change === 'closed') return ended('surge', now.surge!, step.to * MINUTE, now.surge!.rate);
  if (step.episode === undefined) return { lasting: undefined, changes: [] };
  const begun = now.surge ?? { id: newId(), from: found!.from * MINUTE, usualRate: found!.usualRate };
  const lasting = { ...begun, ...step.episode, calmSince: step.episode.calmSince };
  return { lasting, changes: step.change === 'none' ? [] : [changeOf('surge', lasting, undefined, lasting.rate)] };
}

/**
 * Silence begins once it is unusual in the time that is known to have been heard, and ends with a match or with hearing. So is told
 * that far fewer matches came in a day than usual, until that is over.
 */
function lookAtSilence({ watch, now, at, last, hearing, newId }: Look) {
  const { silence } = now;
  if (silence !== undefined) {
    const end =
      silence.rate === undefined
        ? endOfSilence(silence, { watch, at, last, hearing })
        : endOfMissing(now.outlook, watch, at);
    return end === undefined ? { lasting: silence, changes: [] } : ended('silence', silence, end, silence.rate ?? 0);
  }
  if (watch.alerts.silence && isMissingMuch(now.outlook)) return begunMissing(now.outlook, newId());
  const quiet = watch.alerts.silence ? quietOf(now.outlook, last) : undefined;
  if (quiet === undefined || Math.min(at, hearing.through) < quiet.until * MINUTE || !hearing.isListening)
    return { lasting: undefined, changes: [] };
  const from = quiet.since * MINUTE;
  if (!hearing.heard(from, at)) return { lasting: undefined, changes: [] };
  const lasting = { id: newId(), from, usualRate: quiet.usualRate };
  return { lasting, changes: [changeOf('silence', lasting, undefined, 0)] };
}

function begunMissing({ hour, missing }: Outlook, id: string) {
  const { rate, usualRate } = missing!;
  const lasting = { id, from: (hour - 24) * WINDOW, usualRate, rate };
  return { lasting, changes: [changeOf('silence', lasting, undefined, rate)] };
}

const endOfMissing = (outlook: Outlook, { alerts }: Look['watch'], at: number): number | undefined => {
  if (!alerts.silence) return at;
  return isMissingLittle(outlook) ? outlook.hour * WINDOW : undefined;
};

/** When a silence ended; undefined while it lasts. */
function endOfSilence(
  { from }: Lasting,
  { watch, at, last, hearing }: Pick<Look, 'watch' | 'at' | 'last' | 'hearing'>,
): number | undefined {
  if (last !== undefined && (last + 1) * MINUTE > from) return last * MINUTE;
  if (!watch.alerts.silence) return at;
  if (hearing.isListening && hearing.heard(from, at)) return undefined;
  return Math.max(from, Math.min(at, hearing.through));
}

const ended = (kind: Alert['kind'], lasting: Lasting, to: number, rate: number) => ({
  lasting: undefined,
  changes: [changeOf(kind, lasting, new Date(Math.max(to, lasting.from)), rate)],
});

const changeOf = (kind: Alert['kind'], lasting: Lasting, to: Alert['to'], rate: number): AlertChange => ({
  id: lasting.id,
  kind,
  from: new Date(lasting.from),
  to,
  rate,
  usualRate: lasting.usualRate,
});
