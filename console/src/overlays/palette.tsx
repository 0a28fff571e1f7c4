/** Everywhere to go, found by typing: pages, saved views, rules and webhooks. */
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import { useViews } from '../data/explore-queries.ts';
import { useReadOnly, useRules, useWebhooks } from '../data/queries.ts';
import { addressOf } from '../matches/views.ts';
import { cx } from '../ui/classes.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Input } from '../ui/input.tsx';
import { nameOf } from '../webhooks/webhook-names.ts';
import { type Target, targetsLike } from './palette-targets.ts';

const PAGES: readonly Target[] = [
  { group: 'Page', name: 'Home', path: '/' },
  { group: 'Page', name: 'Matches', path: '/matches' },
  { group: 'Page', name: 'Rules', path: '/rules' },
  { group: 'Page', name: 'Compare rules', path: '/rules/overlap' },
  { group: 'Page', name: 'Deleted rules', path: '/rules/deleted' },
  { group: 'Page', name: 'Sources', path: '/sources' },
  { group: 'Page', name: 'Connect', path: '/connect' },
  { group: 'Page', name: 'Timeline', path: '/timeline' },
  { group: 'Page', name: 'Health', path: '/health' },
  { group: 'Page', name: 'Settings', path: '/settings' },
];
const NEW_RULE: Target = { group: 'Action', name: 'New rule', path: '/rules/new' };

export function Palette({ onClose }: { onClose(): void }) {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const navigate = useNavigate();
  const found = targetsLike(useTargets(), typed);
  const chosen = found[Math.min(at, found.length - 1)];

  function go(target: Target | undefined) {
    if (target === undefined) return;
    onClose();
    void navigate({ href: target.path });
  }

  function onKey(event: KeyboardEvent) {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0) {
      event.preventDefault();
      setAt((Math.min(at, found.length - 1) + by + found.length) % Math.max(1, found.length));
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      go(chosen);
    }
  }

  return (
    <Dialog open title="Go to" onClose={onClose}>
      <Input
        autoFocus
        role="combobox"
        aria-label="Page, view, rule or webhook"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={chosen === undefined ? undefined : `${id}-${found.indexOf(chosen)}`}
        placeholder="Type a part of a name"
        value={typed}
        onKeyDown={onKey}
        onChange={({ target }) => {
          setTyped(target.value);
          setAt(0);
        }}
      />
      <div id={id} role="listbox" aria-label="Places" className="mt-2 max-h-80 overflow-y-auto">
        {found.map((target, index) => (
          <button
            type="button"
            tabIndex={-1}
            key={target.path}
            id={`${id}-${index}`}
            role="option"
            aria-selected={target === chosen}
            onPointerMove={() => setAt(index)}
            onClick={() => go(target)}
            className={cx(
              'flex w-full items-center justify-between gap-3 rounded-sm px-2 py-1.5',
              target === chosen && 'bg-hover',
            )}
          >
            <bdi className="truncate">{target.name}</bdi>
            <span className="text-xs text-faint">{target.group}</span>
          </button>
        ))}
      </div>
      {found.length === 0 && <p className="mt-2 px-2 text-soft">Nothing has this in its name.</p>}
    </Dialog>
  );
}

function useTargets(): Target[] {
  const { data: rules } = useRules();
  const { data: webhooks } = useWebhooks();
  const { data: views } = useViews();
  const isReadOnly = useReadOnly();
  return useMemo(
    () => [
      ...PAGES,
      ...(isReadOnly ? [] : [NEW_RULE]),
      ...(views ?? []).map(
        ({ name, query }) => ({ group: 'View', name, path: addressOf('', query).slice(1) }) as const,
      ),
      ...(rules ?? []).map(({ id, name }) => ({ group: 'Rule', name, path: `/rules/${id}` }) as const),
      ...(webhooks ?? []).map(
        (webhook) => ({ group: 'Webhook', name: nameOf(webhook), path: `/connect/${webhook.id}` }) as const,
      ),
    ],
    [rules, webhooks, views, isReadOnly],
  );
}
