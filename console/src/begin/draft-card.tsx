/** The drafted rule: its name, its text on each platform, how often it would match, and what that costs. */
import { useNavigate } from '@tanstack/react-router';
import { PencilLine } from 'lucide-react';
import { useState } from 'react';
import { readDraft, writeDraft } from '../data/drafts.ts';
import type { Platform } from '../data/queries.ts';
import { type Draft, differs, isDraft, PLATFORMS } from '../rules/draft.ts';
import type { Preview } from '../rules/use-preview.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Checkbox } from '../ui/checkbox.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';
import { PLATFORM_NAMES } from '../ui/platform-badge.tsx';
import { costOf, fitOf, foundOf } from './draft-words.ts';
import type { Drafted } from './use-drafted.ts';

interface DraftCardProps {
  readonly draft: Draft;
  readonly drafted: Drafted;
  readonly previews: Partial<Record<Platform, Preview>> | undefined;
  /** Platforms that are not wanted. */
  readonly left: ReadonlySet<Platform>;
  onName(name: string): void;
  onLeave(left: ReadonlySet<Platform>): void;
}

export function DraftCard({ draft, drafted, previews, left, onName, onLeave }: DraftCardProps) {
  return (
    <Card title="The rule" flush className="lg:sticky lg:top-4" aside={<EditText draft={draft} />}>
      <div className="p-3">
        <Field label="Name">
          {(control) => (
            <Input {...control} value={draft.name} maxLength={200} onChange={({ target }) => onName(target.value)} />
          )}
        </Field>
      </div>
      {PLATFORMS.map((platform) => {
        const one = drafted[platform];
        if (one === undefined) return null;
        return (
          <div key={platform} className="grid gap-2 border-t p-3">
            <Checkbox
              label={PLATFORM_NAMES[platform]}
              checked={!left.has(platform)}
              onChange={({ target }) => onLeave(toggled(left, platform, !target.checked))}
            />
            <code className="block rounded-md bg-sunken px-2.5 py-2 font-mono text-xs break-words">{one.value}</code>
            <Figures preview={previews?.[platform]} fit={fitOf(one.fit)} />
          </div>
        );
      })}
    </Card>
  );
}

function Figures({ preview, fit }: { preview: Preview | undefined; fit: string | undefined }) {
  return (
    <dl className="grid gap-1 text-xs [&_dt]:text-faint [&>div]:grid [&>div]:grid-cols-[5rem_minmax(0,1fr)] [&>div]:gap-2">
      {fit !== undefined && (
        <div>
          <dt>Examples</dt>
          <dd>{fit}</dd>
        </div>
      )}
      <div>
        <dt>Catches</dt>
        <dd>{preview === undefined ? '…' : foundOf(preview)}</dd>
      </div>
      <div>
        <dt>Costs</dt>
        <dd>{preview === undefined ? '…' : costOf(preview)}</dd>
      </div>
    </dl>
  );
}

function toggled(set: ReadonlySet<Platform>, platform: Platform, isIn: boolean): ReadonlySet<Platform> {
  const next = new Set(set);
  if (isIn) next.add(platform);
  else next.delete(platform);
  return next;
}

/** The name of the draft of a rule that is written in its own language. */
const WRITTEN = 'new ';

/** Opens the draft in the editor, which keeps it. The editor keeps one: it asks before another one is lost. */
function EditText({ draft }: { draft: Draft }) {
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  async function edit() {
    writeDraft(WRITTEN, draft);
    await navigate({ to: '/rules/write', search: {} });
  }
  return (
    <>
      <Button
        size="small"
        look="quiet"
        icon={<PencilLine aria-hidden className="size-3.5" />}
        onClick={() => {
          const kept = readDraft(WRITTEN, isDraft);
          if (kept !== undefined && differs(kept, draft)) setAsking(true);
          else void edit();
        }}
      >
        Edit the text
      </Button>
      <Confirm
        open={isAsking}
        title="Replace the rule that you began to write?"
        action="Replace it"
        onClose={() => setAsking(false)}
        onConfirm={edit}
      >
        The editor still has a rule that you typed earlier and did not save. This draft would take its place.
      </Confirm>
    </>
  );
}
