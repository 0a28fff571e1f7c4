/** Sends events to one reader, with the faults that concern a single stream. */
import type { Context } from '../context.ts';
import type { Claim } from '../faults/faults.ts';
import { createStopper, endingOf } from '../faults/stopper.ts';
import type { Wire } from '../wire.ts';
import { type Update, updateId } from './log.ts';

export const NO_RULES = 'No rules configured. Create rules first via POST /v1/rules.';

export interface Sender {
  begin(): void;
  update(update: Update): void;
  /** Sends an error and closes. */
  complain(message: string): void;
  end(): void;
  /** Lets faults fire that need no update. */
  strike(): void;
}

/** `nothing` is the data of events that have none. */
export function createSender(
  { clock, faults, recorder, signal }: Context,
  wire: Wire,
  stream: number,
  nothing: string,
): Sender {
  const stopper = createStopper(wire);
  /** Updates that wait to be sent in one chunk: F22. */
  let burst: { readonly updates: Update[]; readonly claim: Claim<'F22'> } | undefined;

  const say = (event: string, data: string) => wire.send(`event: ${event}\ndata: ${data}\n\n`);

  const complain = (message: string) => {
    say('error', JSON.stringify({ message }));
    wire.close('end');
  };
  const end = () => {
    say('end', nothing);
    if (!wire.silent) wire.close('end');
  };

  const sent = (update: Update) =>
    recorder.event({
      at: clock.now(),
      platform: 'firehose',
      stream,
      id: updateId(update),
      ruleIds: update.queryIds,
    });

  const write = (update: Update): void => {
    const text = faults.take('F21', ({ bom }) => !bom) === undefined ? plainText(update) : oddText(update);
    const bytes = Buffer.from(text);
    const cut = stopper.isBusy ? undefined : faults.claim('F2', ({ after_bytes }) => after_bytes < 0);
    if (cut !== undefined) {
      stopper.plan(cut, { after: placeIn(bytes, cut.params.at), how: endingOf(cut.params.how) });
    }
    if (wire.send(bytes)) sent(update);
  };

  const flush = ({ updates, claim }: NonNullable<typeof burst>): void => {
    claim.fire();
    if (wire.send(updates.map(plainText).join(''))) for (const update of updates) sent(update);
  };

  const strike = (): void => {
    const stall = stopper.isBusy ? undefined : faults.claim('F3');
    if (stall !== undefined) stopper.plan(stall, { after: stall.params.after_bytes, how: 'silence' });
    const cut = stopper.isBusy ? undefined : faults.claim('F2', ({ after_bytes }) => after_bytes >= 0);
    if (cut !== undefined) stopper.plan(cut, { after: cut.params.after_bytes, how: endingOf(cut.params.how) });
    if (wire.silent || wire.signal.aborted) return;
    if (faults.take('F22', ({ kind }) => kind === 'drip') !== undefined) wire.drip();
    const held = faults.take('F22', ({ kind }) => kind === 'hold');
    if (held !== undefined) wire.hold(clock.sleep(held.seconds * 1_000, signal));
    if (faults.take('F11') !== undefined) complain(NO_RULES);
    const message = faults.take('F12')?.message;
    if (message !== undefined) complain(message);
    if (faults.take('F1') !== undefined) end();
  };

  return {
    begin() {
      if (faults.take('F21', ({ bom }) => bom) !== undefined) wire.send('\ufeff');
      say('connected', nothing);
      strike();
    },
    update(update) {
      const claim = burst === undefined ? faults.claim('F22', ({ kind }) => kind === 'burst') : undefined;
      if (claim !== undefined) burst = { updates: [], claim };
      if (burst === undefined) {
        write(update);
        return;
      }
      burst.updates.push(update);
      if (burst.updates.length < burst.claim.params.count) return;
      flush(burst);
      burst = undefined;
    },
    complain,
    end,
    strike,
  };
}

const plainText = (update: Update): string => `id: ${updateId(update)}\nevent: update\ndata: ${update.json}\n\n`;

/** After the `id:` line, inside the data, or before the blank line. */
function placeIn(bytes: Buffer, at: string): number {
  if (at === 'id') return bytes.indexOf('\n') + 1;
  return at === 'blank' ? bytes.length - 1 : Math.floor(bytes.length / 2);
}

/** F21: comments, a huge retry, an id that cannot be one, unknown events, all line ends, data over many lines. */
function oddText(update: Update): string {
  const data = JSON.stringify(JSON.parse(update.json), null, 1)
    .split('\n')
    .map((line) => `data:${line}\r`)
    .join('');
  return [
    ': a comment\n',
    'retry: 999999999\r\n',
    'id: 0-\u00001\nevent: unheard-of\ndata: {}\n\n',
    'nonsense: yes\r\rdata\n\n',
    `id:${updateId(update)}\r\nevent: update\n${data}\r`,
  ].join('');
}
