/** Faults of X that take effect as soon as they are thrown. */
import type { FaultName } from '../faults/catalogue.ts';
import { holdRule, type XState } from './state.ts';
import type { Live } from './stream.ts';
import type { Webhooks } from './webhooks.ts';

export function strikeAt(state: XState, live: Live, webhooks: Pick<Webhooks, 'strike'>, name: FaultName): void {
  const { clock, faults } = state.context;
  switch (name) {
    case 'X8':
      addPhantom(state);
      break;
    case 'X15':
    case 'X16': {
      const outage = faults.take(name);
      if (outage === undefined) break;
      state.outageUntil = clock.now().getTime() + outage.seconds * 1_000;
      if (name === 'X16') state.replayFrom = state.outageUntil;
      cutAll(state);
      break;
    }
    case 'X18':
      cutAll(state);
      break;
    case 'X24':
      drift(state);
      break;
    case 'X33':
    case 'X38':
    case 'X41':
      webhooks.strike();
      break;
    default:
      for (const sender of live) sender.strike();
  }
}

function cutAll({ connections }: XState): void {
  for (const { wire } of connections.open('live', 'recovery')) wire?.close('reset');
}

function addPhantom(state: XState): void {
  const { clock, faults, signal } = state.context;
  const phantom = faults.claim('X8');
  if (phantom === undefined) return;
  const { id } = state.connections.add('phantom', undefined, '127.0.0.1');
  state.onPhantom = phantom.fire;
  void clock.sleep(phantom.params.seconds * 1_000, signal).then(() => state.connections.close(id, 'Expired'));
}

/** Changes the rules as another program would. */
function drift(state: XState): void {
  const params = state.context.faults.take('X24');
  if (params === undefined) return;
  const { kind, count, value, tag } = params;
  const all = state.book.list();
  for (const rule of kind === 'delete-all' ? all : all.slice(0, kind === 'extra' ? 0 : count)) {
    state.book.drop(rule.id);
    if (kind === 'wrong-tag') holdRule(state, rule.value, tag);
  }
  for (let at = 0; kind === 'extra' && at < count; at++) {
    holdRule(state, count === 1 ? value : `${value} ${at}`, tag === '' ? undefined : tag);
  }
}
