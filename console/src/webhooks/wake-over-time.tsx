/** The terms of a wake contract that are about time: quiet hours, when what waits is told, and what several matches must do. */
import { Checkbox } from '../ui/checkbox.tsx';
import { NumberField } from '../ui/number-field.tsx';
import { OptionFold } from '../ui/option-fold.tsx';
import { QuietHours, TimeOfDay, Zone } from './quiet-hours.tsx';
import { type DigestChange, ownZone, withDigest } from './wake-terms.ts';
import { OtherRule, type OverTimeProps, WakeWhen } from './wake-when.tsx';

export function WakeOverTime({ wake, onChange }: OverTimeProps) {
  const isUsed = [wake.quiet, wake.digest, wake.when, wake.unless].some((term) => term !== undefined);
  return (
    <OptionFold title="Quiet hours, summaries and rules over time" isOpen={isUsed}>
      <QuietHours
        quiet={wake.quiet}
        hint="Nothing is sent in them; what matches waits for the next summary."
        onChange={(quiet) => onChange({ quiet })}
      />
      <Digest wake={wake} onChange={onChange} />
      <WakeWhen wake={wake} onChange={onChange} />
      <OtherRule
        label="Not while this rule is matching"
        none="no other rule"
        value={wake.unless}
        onChange={(unless) => onChange({ unless })}
      />
    </OptionFold>
  );
}

function Digest({ wake: { digest }, onChange }: OverTimeProps) {
  const change = (part: DigestChange) => onChange({ digest: withDigest(digest, part) });
  return (
    <div className="grid gap-2">
      <Checkbox
        label="Send the summary at a time of day"
        hint="Without it, at the end of the hour or of the day of UTC."
        checked={digest?.at !== undefined}
        onChange={({ target }) =>
          change(target.checked ? { at: '08:00', zone: ownZone() } : { at: undefined, zone: undefined })
        }
      />
      {digest?.at !== undefined && (
        <div className="grid grid-cols-2 gap-2 sm:grid-cols-3">
          <TimeOfDay label="At" value={digest.at} onChange={(at) => change({ at })} />
          <Zone value={digest.zone ?? 'UTC'} onChange={(zone) => change({ zone })} />
        </div>
      )}
      <Checkbox
        label="Send the summary as soon as many wait"
        checked={digest?.when_waiting !== undefined}
        onChange={({ target }) => change({ when_waiting: target.checked ? 20 : undefined })}
      />
      {digest?.when_waiting !== undefined && (
        <NumberField
          label="Matches that wait"
          least={1}
          most={10_000}
          value={digest.when_waiting}
          onChange={(when_waiting) => change({ when_waiting })}
        />
      )}
    </div>
  );
}
