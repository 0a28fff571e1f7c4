/** The ways in and out: agents, programs, webhooks, and the events themselves. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { ConnectAgent } from '../agents/connect-agent.tsx';
import { ConnectedAgents } from '../agents/connected-agents.tsx';
import { Subscriptions } from '../agents/subscriptions.tsx';
import { SERVER } from '../data/client.ts';
import { SilenceList } from '../silences/silence-list.tsx';
import { Card } from '../ui/card.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { Page } from '../ui/page.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { WebhookList } from '../webhooks/webhook-list.tsx';
import { EventsIn } from './events-in.tsx';
import { Feeds } from './feeds.tsx';
import { KeyInPlace, type NewKey } from './key-in-place.tsx';
import { programSnippets } from './program-snippets.ts';

type Way = 'agent' | 'program' | 'webhook' | 'silences' | 'feed' | 'events';

const WAYS: readonly { readonly name: Way; readonly label: string; readonly panel: ReactNode }[] = [
  { name: 'agent', label: 'Agent', panel: <AgentWay /> },
  { name: 'program', label: 'Program', panel: <ProgramWay /> },
  { name: 'webhook', label: 'Webhooks and chats', panel: <WebhookList /> },
  { name: 'silences', label: 'Muted', panel: <SilenceList /> },
  { name: 'feed', label: 'Feed', panel: <Feeds /> },
  { name: 'events', label: 'Events in', panel: <EventsIn /> },
];

export function ConnectPage() {
  const { to } = useSearch({ from: '/inside/connect' });
  const navigate = useNavigate();
  const chosen = WAYS.find(({ name }) => name === to)?.name ?? 'agent';
  return (
    <Page title="Connect" about="Bring matches to agents, programs and channels, and events to Sluice.">
      <Tabs<Way>
        isOfPage
        label="Ways to connect"
        value={chosen}
        onChange={(name) => void navigate({ to: '/connect', search: { to: name }, replace: true })}
        tabs={WAYS.map(({ name, label, panel }) => ({ name, label, panel: <div className="pt-4">{panel}</div> }))}
      />
    </Page>
  );
}

function AgentWay() {
  const [key, setKey] = useState<NewKey>();
  return (
    <div className="grid gap-4">
      <ConnectAgent apiKey={key?.key}>
        <KeyInPlace
          name="agent"
          scope="full"
          about="For an agent that reads matches and writes rules."
          created={key}
          onCreated={setKey}
        />
      </ConnectAgent>
      <ConnectedAgents />
      <Subscriptions />
    </div>
  );
}

function ProgramWay() {
  const [key, setKey] = useState<NewKey>();
  return (
    <Card
      title="Call Sluice from a program"
      aside={
        <a href="./docs" target="_blank" rel="noopener" className="link">
          All operations
        </a>
      }
    >
      <div className="grid gap-4">
        <KeyInPlace
          name="program"
          scope="full"
          about="With full access. Settings has keys that only read."
          created={key}
          onCreated={setKey}
        />
        {programSnippets(SERVER, key?.key).map(({ label, text }) => (
          <CodeBlock key={label} label={label} text={text} />
        ))}
      </div>
    </Card>
  );
}
