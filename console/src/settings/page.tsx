/** Keys, connected agents, the account with its limits, for the operator all accounts, the audit log, and the theme. */
import { ConnectedAgents } from '../agents/connected-agents.tsx';
import { type Status, useStatus } from '../data/queries.ts';
import { KeyList } from '../keys/key-list.tsx';
import { ThemeSwitch } from '../shell/theme-switch.tsx';
import { Card } from '../ui/card.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import { Fold } from '../ui/fold.tsx';
import { Meter } from '../ui/meter.tsx';
import { figure } from '../ui/moment.ts';
import { Page } from '../ui/page.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { PLANS } from '../words/access.ts';
import { LIMITS, limitTone } from '../words/limits.ts';
import { Accounts } from './accounts.tsx';
import { AuditLog } from './audit-log.tsx';

export function SettingsPage() {
  return (
    <Page title="Settings">
      <div className="grid gap-4">
        <KeyList />
        <ConnectedAgents isShort />
        <Account />
        <Accounts />
        <AuditLog />
        <Card title="Appearance">
          <ThemeSwitch />
        </Card>
      </div>
    </Page>
  );
}

function Account() {
  const { data: status } = useStatus();
  if (status === undefined) return <SkeletonRows rows={2} />;
  const { account, limits } = status;
  return (
    <Card title="Account">
      <Facts>
        <Fact name="Name">{account.name}</Fact>
        <Fact name="Plan">
          {PLANS[account.plan].words}. {PLANS[account.plan].about}
        </Fact>
        <LimitFacts limits={limits.filter((one) => limitTone(one) !== 'neutral')} />
      </Facts>
      <Fold title="All limits">
        <Facts>
          <LimitFacts limits={limits.filter((one) => limitTone(one) === 'neutral')} />
        </Facts>
      </Fold>
    </Card>
  );
}

/** How much of each limit is used. */
function LimitFacts({ limits }: { limits: Status['limits'] }) {
  return limits.map(({ code, limit, used }) => {
    const { words } = LIMITS[code];
    return (
      <Fact key={code} name={words}>
        {used === null ? '' : figure(used)}
        <span className="text-faint">
          {limit === null ? ' no limit' : `${used === null ? 'at most' : ' of'} ${figure(limit)}`}
        </span>
        {limit !== null && used !== null && <Meter label={`Used of ${words}`} value={used} limit={limit} />}
      </Fact>
    );
  });
}
