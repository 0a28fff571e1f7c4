/** The form says who asks, for which account and for what, and lets the person choose less. */
import { type FormEvent, useState } from 'react';
import { useRules } from '../data/queries.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Checkbox } from '../ui/checkbox.tsx';
import { Radio } from '../ui/radio.tsx';
import { type PickableRule, RulesPicker } from '../ui/rule-picker.tsx';
import { type Asked, answer, type GrantScope } from './ask.ts';
import { useArmed } from './use-armed.ts';

interface Choice {
  readonly mayChange: boolean;
  readonly mayWake: boolean;
  /** It is undefined for all rules. */
  readonly rules: readonly PickableRule[] | undefined;
}

export function ConsentForm({ asked, request }: { asked: Asked; request: string }) {
  const armed = useArmed();
  const [choice, setChoice] = useState<Choice>({
    mayChange: asked.scopes.includes('full'),
    mayWake: asked.scopes.includes('events'),
    rules: undefined,
  });
  const [state, setState] = useState<{ busy: boolean; error?: string }>({ busy: false });

  async function decide(allow: boolean) {
    if (allow && choice.rules?.length === 0) return setState({ busy: false, error: 'Choose at least one rule.' });
    setState({ busy: true });
    try {
      const given = allow ? { allow, ...allowedBy(choice) } : { allow };
      location.assign((await answer(request, { token: asked.token, ...given })).redirect);
    } catch (error) {
      setState({ busy: false, error: (error as Error).message });
    }
  }

  return (
    <form onSubmit={(event: FormEvent) => event.preventDefault()} className="grid gap-5">
      <WhoAsks asked={asked} />
      <WhatItMayDo asked={asked} choice={choice} onChange={setChoice} />
      <WhichRules choice={choice} onChange={setChoice} />
      {state.error !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {state.error}
        </p>
      )}
      <div className="grid grid-cols-2 gap-2">
        <Button busy={state.busy} onClick={() => void decide(false)}>
          Deny
        </Button>
        <Button busy={state.busy} disabled={!armed} onClick={() => void decide(true)}>
          Allow
        </Button>
      </div>
      <p className="text-xs text-faint">
        It ends on {new Date(asked.expires_at).toLocaleDateString()}, or after 30 days without use. You can disconnect
        the agent at any time under Settings.
      </p>
    </form>
  );
}

const allowedBy = ({ mayChange, mayWake, rules }: Choice) => ({
  scopes: ['read', ...(mayChange ? ['full'] : []), ...(mayWake ? ['events'] : [])] as GrantScope[],
  ...(rules !== undefined && { rule_ids: rules.map(({ id }) => id) }),
});

/** The host comes first and larger than the name: anybody can take any name. */
function WhoAsks({ asked }: { asked: Asked }) {
  const { account, client_name, client_host, redirect_host, is_this_computer } = asked;
  return (
    <header className="grid gap-2">
      <h1 className="text-sm text-soft">An agent asks to connect to your account “{account}”</h1>
      <p className="text-2xl font-semibold tracking-tight break-words">
        {client_host ?? (is_this_computer ? 'A program on this computer' : redirect_host)}
      </p>
      <p className="flex flex-wrap items-center gap-2">
        <span className="break-words">It calls itself “{client_name}”.</span>
        {client_host === null ? <Badge tone="warn">Not verified</Badge> : <Badge tone="ok">Verified</Badge>}
      </p>
      <p className="text-soft">
        {client_host === null
          ? 'It chose this name itself: any program can register under any name.'
          : `${client_host} vouches for this name.`}{' '}
        {is_this_computer
          ? `The answer goes to ${redirect_host} on this computer. Allow it only if you have just connected a program there.`
          : `The answer goes to ${redirect_host}.`}
      </p>
    </header>
  );
}

interface ChoiceProps {
  readonly choice: Choice;
  onChange(choice: Choice): void;
}

function WhatItMayDo({ asked: { scopes }, choice, onChange }: ChoiceProps & { asked: Asked }) {
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-xs font-medium text-soft">It may</legend>
      <Radio
        name="access"
        label="Read rules and matches"
        checked={!choice.mayChange}
        onChange={() => onChange({ ...choice, mayChange: false })}
      />
      {scopes.includes('full') && (
        <Radio
          name="access"
          label={
            choice.rules === undefined ? 'Also create, change and delete rules' : 'Also change and delete these rules'
          }
          checked={choice.mayChange}
          onChange={() => onChange({ ...choice, mayChange: true })}
        />
      )}
      {scopes.includes('events') && (
        <Checkbox
          label="Be notified of new matches"
          hint="New matches are sent to it, also when you are away."
          checked={choice.mayWake}
          onChange={({ target }) => onChange({ ...choice, mayWake: target.checked })}
        />
      )}
      <p className="text-xs text-faint">It can never see or create keys and webhooks, or send events in.</p>
    </fieldset>
  );
}

function WhichRules({ choice, onChange }: ChoiceProps) {
  const { data: rules = [] } = useRules();
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-xs font-medium text-soft">With</legend>
      <Radio
        name="rules"
        label="All rules, also later ones"
        checked={choice.rules === undefined}
        onChange={() => onChange({ ...choice, rules: undefined })}
      />
      <Radio
        name="rules"
        label="Only these rules"
        hint="It sees no other rule and no match of another. It cannot create rules."
        disabled={rules.length === 0}
        checked={choice.rules !== undefined}
        onChange={() => onChange({ ...choice, rules: [] })}
      />
      {choice.rules !== undefined && (
        <RulesPicker
          id="rules-of-agent"
          label="Rules"
          placeholder="Type a part of a name"
          rules={rules}
          value={choice.rules}
          onChange={(picked) => onChange({ ...choice, rules: picked })}
        />
      )}
    </fieldset>
  );
}
