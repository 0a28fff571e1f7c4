/** The switches that watch a rule for surges and silences. Each is saved at once. */
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { type Rule, useReadOnly } from '../data/queries.ts';
import { Card } from '../ui/card.tsx';
import { Checkbox } from '../ui/checkbox.tsx';
import { toast } from '../ui/toast.tsx';

const KINDS = {
  surge: { label: 'Notify of surges', hint: 'Far more matches than usual at that time of the week.' },
  silence: { label: 'Notify when it goes quiet', hint: 'No match for an unusually long time, while Sluice listened.' },
} as const satisfies Record<keyof Rule['alerts'], { label: string; hint: string }>;

export function AlertSwitches({ rule }: { rule: Rule }) {
  const isReadOnly = useReadOnly();
  const update = useChange(client.rules.update, ['rules', 'changes']);
  return (
    <Card title="Alerts" aside="on Home, on the chart, and to webhooks that take alerts">
      <div className="grid gap-3 sm:grid-cols-2">
        {(Object.keys(KINDS) as (keyof typeof KINDS)[]).map((kind) => (
          <Checkbox
            key={kind}
            {...KINDS[kind]}
            disabled={isReadOnly || update.isPending}
            checked={rule.alerts[kind]}
            onChange={({ target }) =>
              update.mutate(
                { rule_id: rule.id, alerts: { [kind]: target.checked } },
                { onError: ({ message }) => toast(message, 'bad') },
              )
            }
          />
        ))}
      </div>
    </Card>
  );
}
