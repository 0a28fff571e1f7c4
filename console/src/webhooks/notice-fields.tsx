/** The events of a webhook: matches, alerts, and notices of trouble, with the kinds and the quiet hours of those. */
import type { Webhook } from '../data/queries.ts';
import { Checkbox } from '../ui/checkbox.tsx';
import { NOTICE_KINDS, WEBHOOK_EVENTS } from '../words/delivery.ts';
import { kindsOf, type NoticeKind, type Notices, withKind } from './notice-terms.ts';
import { QuietHours } from './quiet-hours.tsx';

type Event = Webhook['events'][number];

export interface NoticeFieldsProps {
  readonly events: readonly Event[];
  /** Null: all notices but those of silent rules, at once. */
  readonly notices: Notices | null;
  onChange(part: { events?: Event[]; notices?: Notices | null }): void;
}

/** Heads of the log of certificates are for programs, which ask for them by the API. Those that are chosen stay. */
const OFFERED = ['match', 'alert', 'operational'] as const;

export function NoticeFields({ events, notices, onChange }: NoticeFieldsProps) {
  const tellsOf = (event: Event) => events.includes(event);
  const { quiet, ...others } = notices ?? {};
  return (
    <fieldset className="grid gap-2">
      <legend className="sr-only">Notifies of</legend>
      {OFFERED.map((event) => (
        <Checkbox
          key={event}
          label={WEBHOOK_EVENTS[event].words}
          hint={WEBHOOK_EVENTS[event].about}
          checked={tellsOf(event)}
          onChange={({ target }) =>
            onChange({
              events: target.checked ? [...events, event] : events.filter((one) => one !== event),
            })
          }
        />
      ))}
      {(tellsOf('operational') || tellsOf('alert')) && (
        <div className="ml-6 grid gap-3 border-l pl-3">
          {tellsOf('operational') && <Kinds notices={notices} onChange={(next) => onChange({ notices: next })} />}
          <QuietHours
            quiet={quiet}
            hint="Notices and alerts that come in them are sent when they are over."
            onChange={(hours) => onChange({ notices: hours === undefined ? others : { ...others, quiet: hours } })}
          />
        </div>
      )}
    </fieldset>
  );
}

function Kinds({ notices, onChange }: { notices: Notices | null; onChange(notices: Notices): void }) {
  return (
    <fieldset className="grid gap-1.5 sm:grid-cols-2">
      <legend className="mb-1 text-xs font-medium text-soft">Notices about</legend>
      {(Object.keys(NOTICE_KINDS) as NoticeKind[]).map((kind) => (
        <Checkbox
          key={kind}
          label={NOTICE_KINDS[kind].words}
          hint={NOTICE_KINDS[kind].about}
          checked={kindsOf(notices).includes(kind)}
          onChange={({ target }) => onChange(withKind(notices, kind, target.checked))}
        />
      ))}
    </fieldset>
  );
}
