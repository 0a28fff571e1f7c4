/** The effect of a version of a rule: counted from its matches, and, when asked for, tried on the recent events. */
import { useState } from 'react';
import type { Change, Platform, Rule } from '../data/queries.ts';
import { type TextPair, useDifference } from '../rules/use-difference.ts';
import { Button } from '../ui/button.tsx';
import { counted, figure } from '../ui/moment.ts';
import { Time } from '../ui/time.tsx';
import { BASES } from '../words/rules.ts';
import { type Effect, ENOUGH_HOURS, effectOf, versionsOn } from './effect.ts';
import { type Loaded, useCounted } from './use-counted.ts';
import { pairOf } from './versions.ts';

export interface VersionEffectProps {
  readonly rule: Rule;
  readonly platform: Platform;
  readonly change: Change;
  readonly loaded: Loaded;
}

export function VersionEffect({ rule, platform, change, loaded }: VersionEffectProps) {
  const [isTried, setTried] = useState(false);
  const known = useCounted(rule, platform, loaded);
  const pair = pairOf(change, platform);
  if (pair === undefined) return null;
  return (
    <div className="grid gap-1 text-sm">
      {known === undefined ? (
        <p className="text-soft">Matches a day: loading …</p>
      ) : known === null ? (
        <p className="text-soft">
          Matches a day: not known. It is not on record when Sluice listened to this platform.
        </p>
      ) : (
        <Rates effect={effectOf(Date.parse(change.at), versionsOn(platform, loaded.changes), known)} />
      )}
      {isTried ? (
        <Tried platform={platform} pair={pair} />
      ) : (
        <Button size="small" className="justify-self-start" onClick={() => setTried(true)}>
          Try both texts on recent events
        </Button>
      )}
    </div>
  );
}

const hours = (count: number): string => (count < 48 ? `${count} h` : counted(Math.floor(count / 24), 'day'));

function Rates({ effect: { before, after } }: { effect: Effect }) {
  const basis = `${hours(before.hours)} before and ${hours(after.hours)} after it`;
  if (before.perDay === null || after.perDay === null)
    return (
      <p className="text-soft">
        Matches a day: not known. {basis} can be counted; {ENOUGH_HOURS} h on both sides are enough.
      </p>
    );
  return (
    <p>
      Matches a day: <span className="tabular font-medium">{rate(before.perDay)}</span> before,{' '}
      <span className="tabular font-medium">{rate(after.perDay)}</span> after{' '}
      <span className="text-faint">(counted over {basis})</span>
    </p>
  );
}

const rate = (perDay: number): string => figure(perDay >= 10 ? Math.round(perDay) : Math.round(perDay * 10) / 10);

function Tried({ platform, pair }: { platform: Platform; pair: TextPair }) {
  const { data, error } = useDifference(platform, pair);
  if (error !== null) return <p className="text-bad">Recent events: not known. {error.message}</p>;
  if (data === undefined) return <p className="text-soft">Both texts are tried on the recent events …</p>;
  const { difference, events, from, basis } = data;
  if (difference == null)
    return <p className="text-soft">Recent events: not known. The text before is no valid rule.</p>;
  if (events === 0 || from === null) return <p className="text-soft">Recent events: not known. There are none.</p>;
  return (
    <p role="status">
      Of {counted(events, 'recent event')} it <span className="text-ok">adds {figure(difference.added.matched)}</span>{' '}
      and <span className="text-bad">drops {figure(difference.removed.matched)}</span>{' '}
      <span className="text-faint">
        (the oldest came <Time at={from} />
        {basis !== 'whole_stream' && `; ${BASES[basis].about}`})
      </span>
    </p>
  );
}
