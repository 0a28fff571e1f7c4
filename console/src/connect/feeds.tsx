/** Feeds: matches or stories for feed readers, at addresses that are shown once. */
import { Rss, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../data/change.ts';
import { client, SERVER } from '../data/client.ts';
import { issueAt } from '../data/problems.ts';
import { type Feed, useFeeds, useReadOnly, useRules } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { CodeBlock } from '../ui/code-block.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Input, Select } from '../ui/input.tsx';
import { type PickableRule, RulePicker } from '../ui/rule-picker.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../ui/states.tsx';
import { Table, Td, Th } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { FEED_CONTENTS } from '../words/delivery.ts';

const FORMATS = { atom: 'Atom', rss: 'RSS', json: 'JSON Feed' } as const;

export function Feeds() {
  const { data: feeds, error, refetch } = useFeeds();
  const [leaving, setLeaving] = useState<Feed>();
  const remove = useChange(client.feeds.delete, ['feeds', 'changes']);
  return (
    <div className="grid gap-4">
      <NewFeed />
      <Card flush title="Feeds">
        {error !== null && feeds === undefined ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : feeds === undefined ? (
          <SkeletonRows rows={2} />
        ) : feeds.length === 0 ? (
          <EmptyState icon={<Rss aria-hidden className="size-5" />} title="No feeds yet">
            A feed brings matches or stories to a feed reader.
          </EmptyState>
        ) : (
          <FeedTable feeds={feeds} onDelete={setLeaving} />
        )}
        <Confirm
          open={leaving !== undefined}
          title={`Delete the feed “${leaving?.name ?? ''}”?`}
          action="Delete"
          onClose={() => setLeaving(undefined)}
          onConfirm={async () => {
            await remove.mutateAsync({ feed_id: leaving!.id });
            toast(`The feed “${leaving!.name}” is deleted.`);
          }}
        >
          Its addresses stop working at once, for everyone who reads it.
        </Confirm>
      </Card>
    </div>
  );
}

function NewFeed() {
  const { data: rules = [] } = useRules();
  const isReadOnly = useReadOnly();
  const [name, setName] = useState('');
  const [rule, setRule] = useState<PickableRule>();
  const [what, setWhat] = useState<Feed['what']>('matches');
  const create = useChange(client.feeds.create, ['feeds', 'changes']);
  const submit = () => create.mutate({ name: name.trim(), what, ...(rule !== undefined && { rule_id: rule.id }) });
  return (
    <Card title="Feed for a feed reader">
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field label="Title" hint="Readers see it." error={issueAt(create.error, 'name')}>
          {(control) => (
            <Input
              {...control}
              required
              maxLength={200}
              value={name}
              onChange={({ target }) => setName(target.value)}
            />
          )}
        </Field>
        <RulePicker rules={rules} value={rule} onChange={setRule} />
        <Field label="What it lists" hint={FEED_CONTENTS[what].about}>
          {(control) => (
            <Select {...control} value={what} onChange={({ target }) => setWhat(target.value as Feed['what'])}>
              {(Object.keys(FEED_CONTENTS) as Feed['what'][]).map((one) => (
                <option key={one} value={one}>
                  {FEED_CONTENTS[one].words}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <div>
          <Button
            look="primary"
            type="submit"
            busy={create.isPending}
            obstacle={isReadOnly ? 'Your key is read only.' : undefined}
          >
            Create feed
          </Button>
        </div>
        {create.error !== null && <p className="text-bad">{create.error.message}</p>}
      </form>
      {create.data !== undefined && <Addresses urls={create.data.urls} />}
    </Card>
  );
}

function Addresses({ urls }: { urls: Readonly<Record<keyof typeof FORMATS, string>> }) {
  return (
    <div role="status" className="mt-4 grid gap-3">
      <p className="flex gap-2 text-warn">
        <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
        Copy an address now: it is shown only once, and who has it reads the feed without a key.
      </p>
      {(Object.keys(FORMATS) as (keyof typeof FORMATS)[]).map((format) => (
        <CodeBlock key={format} label={FORMATS[format]} text={new URL(urls[format], SERVER).href} />
      ))}
    </div>
  );
}

function FeedTable({ feeds, onDelete }: { feeds: readonly Feed[]; onDelete(feed: Feed): void }) {
  const { data: rules = [] } = useRules();
  const isReadOnly = useReadOnly();
  const names = new Map(rules.map(({ id, name }) => [id, name]));
  return (
    <Table label="Feeds">
      <thead>
        <tr>
          <Th>Title</Th>
          <Th>Lists</Th>
          <Th>Rule</Th>
          <Th>Created</Th>
          <Th>
            <span className="sr-only">Actions</span>
          </Th>
        </tr>
      </thead>
      <tbody>
        {feeds.map((feed) => (
          <tr key={feed.id}>
            <Td>{feed.name}</Td>
            <Td>{FEED_CONTENTS[feed.what].words}</Td>
            <Td>
              {feed.rule_id === null
                ? 'All rules'
                : (names.get(feed.rule_id) ?? (feed.rules_gone ? 'A deleted rule' : feed.rule_id))}
            </Td>
            <Td>
              <Time at={feed.created_at} />
            </Td>
            <Td>
              <Button obstacle={isReadOnly ? 'Your key is read only.' : undefined} onClick={() => onDelete(feed)}>
                Delete
              </Button>
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
