/** Sends events to one reader, with the faults that concern a single stream. */
import type { Context } from '../context.ts';
import type { Claim } from '../faults/faults.ts';
import { createStopper, endingOf, type Stopper } from '../faults/stopper.ts';
import type { Wire } from '../wire.ts';
import { type Update, updateId } from './log.ts';

export const NO_RULES = 'No rules configured. Create rules first via POST /v1/rules.';

export class FirehoseSender {
  readonly #context: Context;
  readonly #wire: Wire;
  readonly #stream: number;
  readonly #nothing: string;
  readonly #stopper: Stopper;
  /** Updates that wait to be sent in one chunk: F22. */
  #burst: { readonly updates: Update[]; readonly claim: Claim<'F22'> } | undefined;

  /** `nothing` is the data of events that have none. */
  constructor(context: Context, wire: Wire, stream: number, nothing: string) {
    this.#context = context;
    this.#wire = wire;
    this.#stream = stream;
    this.#nothing = nothing;
    this.#stopper = createStopper(wire);
  }

  begin(): void {
    if (this.#context.faults.take('F21', ({ bom }) => bom) !== undefined) this.#wire.send('\ufeff');
    this.#say('connected', this.#nothing);
    this.strike();
  }

  update(update: Update): void {
    const { faults } = this.#context;
    const claim = this.#burst === undefined ? faults.claim('F22', ({ kind }) => kind === 'burst') : undefined;
    if (claim !== undefined) this.#burst = { updates: [], claim };
    if (this.#burst === undefined) {
      this.#write(update);
      return;
    }
    this.#burst.updates.push(update);
    if (this.#burst.updates.length >= this.#burst.claim.params.count) this.#flush(this.#burst);
  }

  /** Sends an error and closes. */
  complain(message: string): void {
    this.#say('error', JSON.stringify({ message }));
    this.#wire.close('end');
  }

  end(): void {
    this.#say('end', this.#nothing);
    if (!this.#wire.silent) this.#wire.close('end');
  }

  /** Lets faults fire that need no update. */
  strike(): void {
    const { clock, faults, signal } = this.#context;
    const [wire, stopper] = [this.#wire, this.#stopper];
    const stall = stopper.isBusy ? undefined : faults.claim('F3');
    if (stall !== undefined) stopper.plan(stall, { after: stall.params.after_bytes, how: 'silence' });
    const cut = stopper.isBusy ? undefined : faults.claim('F2', ({ after_bytes }) => after_bytes >= 0);
    if (cut !== undefined) stopper.plan(cut, { after: cut.params.after_bytes, how: endingOf(cut.params.how) });
    if (wire.silent || wire.signal.aborted) return;
    if (faults.take('F22', ({ kind }) => kind === 'drip') !== undefined) wire.drip();
    const held = faults.take('F22', ({ kind }) => kind === 'hold');
    if (held !== undefined) wire.hold(clock.sleep(held.seconds * 1_000, signal));
    if (faults.take('F11') !== undefined) this.complain(NO_RULES);
    const message = faults.take('F12')?.message;
    if (message !== undefined) this.complain(message);
    if (faults.take('F1') !== undefined) this.end();
  }

  #say(event: string, data: string): void {
    this.#wire.send(`event: ${event}\ndata: ${data}\n\n`);
  }

  #write(update: Update): void {
    const { faults } = this.#context;
    const text = faults.take('F21', ({ bom }) => !bom) === undefined ? plainText(update) : oddText(update);
    const bytes = Buffer.from(text);
    const cut = this.#stopper.isBusy ? undefined : faults.claim('F2', ({ after_bytes }) => after_bytes < 0);
    if (cut !== undefined) {
      this.#stopper.plan(cut, { after: placeIn(bytes, cut.params.at), how: endingOf(cut.params.how) });
    }
    if (this.#wire.send(bytes)) this.#record(update);
  }

  #flush({ updates, claim }: { readonly updates: readonly Update[]; readonly claim: Claim<'F22'> }): void {
    this.#burst = undefined;
    claim.fire();
    if (this.#wire.send(updates.map(plainText).join(''))) for (const update of updates) this.#record(update);
  }

  #record(update: Update): void {
    const { clock, recorder } = this.#context;
    const id = updateId(update);
    recorder.event({ at: clock.now(), platform: 'firehose', stream: this.#stream, id, ruleIds: update.queryIds });
  }
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
