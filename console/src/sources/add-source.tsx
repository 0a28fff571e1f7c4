/** Paste an address, see what can be watched there, and watch it. */
import { useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useChange } from '../data/change.ts';
import { client } from '../data/client.ts';
import { issueAt } from '../data/problems.ts';
import type { SourceCandidate } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { toast } from '../ui/toast.tsx';
import { CandidateItem, type Wish } from './candidate-item.tsx';

/**
 * The source rests until its rule is there, so that the rule sees the first events too. Without its rule nobody wants it:
 * the words are checked before there is one, and where the rule is refused all the same, for instance by a limit, it goes.
 */
async function watch({ candidate: { kind, name, options }, words }: Wish): Promise<string> {
  const value = words.trim() || '*';
  await checkWords(value);
  const { source_id } = await client.sources.create({ kind, name, options, paused: true });
  const rule = { name: `New at ${name}`.slice(0, 200), intent: '', overrides: { firehose: value } };
  const { rule_id } = await client.rules
    .create({ ...rule, platforms: ['firehose'], options: { sources: [source_id] } })
    .catch(async (error: unknown) => {
      // Why the rule was refused is to be told, and not that the source could not be deleted.
      await client.sources.delete({ source_id }).catch(() => {});
      throw error;
    });
  await client.sources.update({ source_id, paused: false });
  return rule_id;
}

async function checkWords(value: string): Promise<void> {
  const { issues } = await client.rules.validate({ platform: 'firehose', value });
  const errors = issues.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  if (errors.length > 0) throw new Error(errors.join(' '));
}

/** `start`: an address that was pasted elsewhere, which is looked at right away. */
export function AddSource({ start = '' }: { start?: string | undefined }) {
  const [url, setUrl] = useState(start);
  const find = useChange(client.sources.discover, []);
  const { mutate: look } = find;
  useEffect(() => {
    if (start !== '') look({ url: start });
  }, [start, look]);
  const add = useChange(
    ({ kind, name, options }: SourceCandidate) => client.sources.create({ kind, name, options }),
    ['sources', 'changes'],
  );
  const navigate = useNavigate();
  const begin = useChange(
    async (wish: Wish) => navigate({ to: '/rules/$ruleId', params: { ruleId: await watch(wish) } }),
    ['sources', 'rules', 'status', 'changes'],
  );
  const onError = ({ message }: Error) => toast(message, 'bad');
  const added = () => {
    find.reset();
    setUrl('');
  };
  return (
    <Card title="Add a source">
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          find.mutate({ url });
        }}
      >
        <div className="min-w-0 flex-1 basis-64">
          <Field
            label="Address"
            hint="A site, a feed, a channel, a subreddit, a repository, an account or any page."
            error={issueAt(find.error, 'url') ?? find.error?.message}
          >
            {(control) => (
              <Input
                {...control}
                type="text"
                inputMode="url"
                autoComplete="off"
                placeholder="https://example.org/"
                value={url}
                onChange={({ target }) => setUrl(target.value)}
              />
            )}
          </Field>
        </div>
        <Button
          type="submit"
          look="primary"
          className="sm:mb-5"
          busy={find.isPending}
          obstacle={url.trim() === '' ? 'Paste an address first.' : undefined}
          icon={<Search aria-hidden className="size-3.5" />}
        >
          Find
        </Button>
      </form>
      {find.isPending && <SkeletonRows rows={3} />}
      {find.data !== undefined && (
        <ol aria-label="What can be watched there" className="mt-3 grid gap-3">
          {find.data.candidates.map((candidate, at) => (
            <CandidateItem
              key={`${candidate.kind} ${JSON.stringify(candidate.options)}`}
              candidate={candidate}
              isFirst={at === 0}
              busy={add.isPending || begin.isPending}
              onAdd={(chosen) =>
                add.mutate(chosen, {
                  onError,
                  onSuccess() {
                    added();
                    toast(`“${chosen.name}” is watched now.`);
                  },
                })
              }
              onWatch={(wish) => begin.mutate(wish, { onError })}
            />
          ))}
        </ol>
      )}
    </Card>
  );
}
