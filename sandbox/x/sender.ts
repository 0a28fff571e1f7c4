/** Sends posts to one reader, with the faults that concern a single stream. */
import type { Context } from '../context.ts';
import type { Claim } from '../faults/faults.ts';
import { createStopper, endingOf, type Stopper } from '../faults/stopper.ts';
import type { Stop, Wire } from '../wire.ts';
import { type Selection, select } from './fields.ts';
import { disconnect, problemType } from './problems.ts';
import type { KeptPost } from './state.ts';
import { strangeLines } from './strange-posts.ts';

export class XSender {
  readonly #context: Context;
  readonly #wire: Wire;
  readonly #selection: Selection;
  readonly #stream: number;
  readonly #stopper: Stopper;
  /** Posts that wait to be sent in reverse order: X13. */
  #turned: { readonly posts: KeptPost[]; readonly claim: Claim<'X13'> } | undefined;
  #isDisconnected = false;

  constructor(context: Context, wire: Wire, selection: Selection, stream: number) {
    this.#context = context;
    this.#wire = wire;
    this.#selection = selection;
    this.#stream = stream;
    this.#stopper = createStopper(wire);
  }

  deliver(post: KeptPost): void {
    const { faults } = this.#context;
    if (this.#isDisconnected || this.#wire.silent || faults.take('X2') !== undefined) return;
    const claim = this.#turned === undefined ? faults.claim('X13') : undefined;
    if (claim !== undefined) this.#turned = { posts: [], claim };
    if (this.#turned !== undefined) {
      this.#turned.posts.push(post);
      if (this.#turned.posts.length >= this.#turned.claim.params.count) this.#turnRound(this.#turned);
      return;
    }
    const copies = faults.take('X12', ({ reconnect }) => !reconnect)?.copies ?? 1;
    for (let copy = 0; copy < copies; copy++) this.#write(post);
  }

  /** Lets faults fire that need no post. */
  strike(): void {
    const { faults } = this.#context;
    const [wire, stopper] = [this.#wire, this.#stopper];
    const stall = stopper.isBusy ? undefined : faults.claim('X1');
    if (stall !== undefined) stopper.plan(stall, { after: stall.params.after_bytes, how: 'silence' });
    const cut = stopper.isBusy ? undefined : faults.claim('X4', ({ after_bytes }) => after_bytes >= 0);
    if (cut !== undefined) stopper.plan(cut, { after: cut.params.after_bytes, how: endingOf(cut.params.how) });
    const end = stopper.isBusy ? undefined : faults.claim('X5', ({ on }) => on === 'stream');
    if (end !== undefined) stopper.plan(end, { after: end.params.after_bytes, how: endingOf(end.params.how) });
    if (wire.signal.aborted || wire.silent) return;
    const farewell = faults.take('X10');
    if (farewell !== undefined) {
      wire.send(`${JSON.stringify(disconnect(farewell.disconnect_type))}\r\n`);
      this.#isDisconnected = true;
    }
    if (faults.take('X11', ({ with_data }) => !with_data) !== undefined) {
      wire.send(`${JSON.stringify({ errors: [UNHEARD_OF] })}\r\n`);
    }
    const strange = faults.take('X28');
    if (strange !== undefined) for (const line of strangeLines(strange.kind)) wire.send(`${line}\r\n`);
  }

  #write(post: KeptPost): void {
    const { clock, faults, recorder } = this.#context;
    const line = Buffer.from(`${JSON.stringify(this.#messageOf(post))}\r\n`);
    const hasPlace = (at: string) => placeIn(line, at, this.#wire) !== undefined;
    const cut = this.#stopper.isBusy
      ? undefined
      : faults.claim('X4', ({ at, after_bytes }) => after_bytes < 0 && hasPlace(at));
    if (cut !== undefined) {
      this.#stopper.plan(cut, { after: placeIn(line, cut.params.at, this.#wire)!, how: endingOf(cut.params.how) });
    }
    if (!this.#wire.send(line)) return;
    const ruleIds = post.matchingRules.map(({ id }) => id);
    recorder.event({ at: clock.now(), platform: 'x', stream: this.#stream, id: post.id, ruleIds });
  }

  #messageOf(post: KeptPost): object {
    const { faults } = this.#context;
    const message = { ...select(post.payload, this.#selection), matching_rules: post.matchingRules };
    if (faults.take('X25', ({ orphan }) => orphan) !== undefined) {
      return { ...message, matching_rules: [{ id: '1999999999999999999', tag: 'unknown' }] };
    }
    return faults.take('X11', ({ with_data }) => with_data) === undefined ? message : { ...message, errors: [PARTIAL] };
  }

  #turnRound({ posts, claim }: { readonly posts: readonly KeptPost[]; readonly claim: Claim<'X13'> }): void {
    this.#turned = undefined;
    claim.fire();
    for (const post of posts.toReversed()) this.#write(post);
  }
}

/** The place to cut this record at; undefined if it has no such place. */
function placeIn(line: Buffer, at: string, wire: Wire): Stop['after'] | undefined {
  switch (at) {
    case 'chunk-header':
      return 'header';
    case 'gzip':
      return wire.packed ? 'packed' : undefined;
    case 'crlf':
      return line.length - 1;
    case 'character': {
      const first = line.findIndex((byte) => byte >= 0x80);
      return first < 0 ? undefined : first + 1;
    }
    default:
      return Math.floor(line.length / 2);
  }
}

const PARTIAL = {
  resource_type: 'tweet',
  resource_id: '1799999999999999999',
  parameter: 'referenced_tweets.id',
  value: '1799999999999999999',
  title: 'Authorization Error',
  detail: 'Sorry, you are not authorized to see the Tweet with referenced_tweets.id: [1799999999999999999].',
  type: problemType('not-authorized-for-resource'),
};

const UNHEARD_OF = {
  title: 'Unheard-of',
  detail: 'A message of a kind that did not exist when you were written.',
  type: problemType('unheard-of'),
};
