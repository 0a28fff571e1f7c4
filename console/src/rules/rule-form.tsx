/** The editor: name and intent, a pane for each platform, and the preview beside them. */
import { Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { type Platform, useStatus } from '../data/queries.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Checkbox } from '../ui/checkbox.tsx';
import { Field } from '../ui/field.tsx';
import { Input, TextArea } from '../ui/input.tsx';
import { PLATFORM_WORDS } from '../ui/platform-badge.tsx';
import { toast } from '../ui/toast.tsx';
import { type Draft, offeredTexts, otherThan, PLATFORMS, usualFlags, validTexts } from './draft.ts';
import type { Languages } from './languages.ts';
import { PreviewPanel } from './preview-panel.tsx';
import { RehearsePanel } from './rehearse-panel.tsx';
import { SlowNote } from './slow-note.tsx';
import { TextPane } from './text-pane.tsx';
import { TranslateDialog } from './translate-dialog.tsx';
import { WhyNot } from './why-not.tsx';

export interface RuleFormProps {
  readonly languages: Languages;
  readonly draft: Draft;
  /** The name of the rule if it is given none. */
  readonly proposed?: string;
  /** The texts that run now: the preview says what the change adds and drops. */
  readonly saved?: Draft['texts'];
  readonly readOnly: boolean;
  /** Platforms that have refused the text as it is. */
  readonly refused?: readonly Platform[];
  onChange(draft: Draft): void;
  onSubmit(): void;
}

export function RuleForm(props: RuleFormProps) {
  const { languages, draft, proposed = '', saved, readOnly, refused = [], onChange, onSubmit } = props;
  const [translating, setTranslating] = useState<Platform>();
  const set = (change: Partial<Draft>) => onChange({ ...draft, ...change });
  const setText = (platform: Platform, text: string) => set({ texts: { ...draft.texts, [platform]: text } });
  const remove = useRemoval(props);
  const on = PLATFORMS.filter((platform) => draft.texts[platform] !== undefined);
  const texts = validTexts(languages, draft);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(18rem,40%)] lg:grid-rows-[auto_1fr] xl:grid-cols-[minmax(0,1fr)_28rem]">
      <div className="grid min-w-0 gap-4">
        {on.map((platform) => (
          <TextPane
            key={platform}
            language={languages[platform]}
            text={draft.texts[platform]!}
            readOnly={readOnly}
            isRefused={refused.includes(platform)}
            onChange={(text) => setText(platform, text)}
            onSubmit={onSubmit}
            onTranslate={() => setTranslating(platform)}
            onRemove={!readOnly && on.length > 1 ? () => remove(platform) : undefined}
          >
            <SlowNote platform={platform} text={texts[platform]} />
            {platform === 'firehose' && <Switches draft={draft} fixed={readOnly} set={set} />}
          </TextPane>
        ))}
        {!readOnly && on.length === 1 && <AddPlatform platform={otherThan(on[0]!)} onAdd={setText} />}
        <Card>
          <About draft={draft} proposed={proposed} readOnly={readOnly} set={set} />
        </Card>
      </div>
      <div className="grid min-w-0 gap-4 lg:sticky lg:top-4 lg:row-span-2">
        <PreviewPanel
          texts={texts}
          offered={offeredTexts(languages, draft)}
          written={draft.texts}
          saved={saved}
          flags={draft.flags}
        />
        <RehearsePanel texts={texts} flags={draft.flags} />
      </div>
      <WhyNot
        texts={texts}
        flags={draft.flags}
        onUse={readOnly ? undefined : (platform, text) => setText(platform, text)}
      />
      {translating !== undefined && (
        <TranslateDialog
          languages={languages}
          from={translating}
          text={draft.texts[translating] ?? ''}
          present={draft.texts[otherThan(translating)] ?? (readOnly ? undefined : '')}
          onUse={(text) => {
            setText(otherThan(translating), text);
            setTranslating(undefined);
          }}
          onClose={() => setTranslating(undefined)}
        />
      )}
    </div>
  );
}

/** Takes the rule off a platform. Whoever did not mean it has the text back, and keeps what was typed since. */
function useRemoval(props: RuleFormProps): (platform: Platform) => void {
  const latest = useRef(props);
  latest.current = props;
  return (platform) => {
    const text = props.draft.texts[platform] ?? '';
    props.onChange({ ...props.draft, texts: without(props.draft, platform) });
    if (text.trim() === '') return;
    toast(`The rule no longer watches ${PLATFORM_WORDS[platform]}.`, 'ok', {
      label: 'Undo',
      run() {
        const { draft, onChange } = latest.current;
        onChange({ ...draft, texts: { ...draft.texts, [platform]: text } });
      },
    });
  };
}

function without({ texts }: Draft, platform: Platform): Draft['texts'] {
  const { [platform]: _, ...rest } = texts;
  return rest;
}

interface PartProps {
  readonly draft: Draft;
  set(change: Partial<Draft>): void;
}

function About({ draft, proposed, readOnly, set }: PartProps & { proposed: string; readOnly: boolean }) {
  return (
    <div className="grid gap-3">
      <Field
        label="Name"
        {...(proposed !== '' && draft.name === '' && { hint: `Without a name it is called “${proposed}”.` })}
      >
        {(control) => (
          <Input
            {...control}
            value={draft.name}
            readOnly={readOnly}
            maxLength={200}
            autoComplete="off"
            placeholder={proposed || 'Volcano news'}
            onChange={(event) => set({ name: event.target.value })}
          />
        )}
      </Field>
      <Field label="Intent" hint="What the rule is for, in your own words. Agents that read its matches see this.">
        {(control) => (
          <TextArea
            {...control}
            value={draft.intent}
            readOnly={readOnly}
            maxLength={2_000}
            rows={2}
            placeholder="Tell me when a volcano erupts."
            onChange={(event) => set({ intent: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}

function Switches({ draft: { flags }, fixed, set }: PartProps & { fixed: boolean }) {
  const usual = usualFlags(useStatus().data?.platforms.firehose?.shape);
  return (
    <fieldset disabled={fixed} className="grid gap-2 border-t px-3 py-2.5 disabled:text-faint sm:grid-cols-2">
      <legend className="sr-only">Page options</legend>
      <Checkbox
        label="Recent articles only"
        hint="Leaves out list, tag and search pages."
        checked={flags.quality ?? usual.quality}
        onChange={(event) => set({ flags: { ...flags, quality: event.target.checked } })}
      />
      <Checkbox
        label="Include adult pages"
        checked={flags.nsfw ?? usual.nsfw}
        onChange={(event) => set({ flags: { ...flags, nsfw: event.target.checked } })}
      />
    </fieldset>
  );
}

function AddPlatform({ platform, onAdd }: { platform: Platform; onAdd(platform: Platform, text: string): void }) {
  return (
    <div className="rounded-lg border border-dashed border-line-strong p-3 text-center">
      <Button look="quiet" icon={<Plus aria-hidden className="size-3.5" />} onClick={() => onAdd(platform, '')}>
        Also watch {PLATFORM_WORDS[platform]}
      </Button>
    </div>
  );
}
