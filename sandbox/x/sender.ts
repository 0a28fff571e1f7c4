/** Sends posts to one reader, with the faults that concern a single stream. */
import type { Context } from '../context.ts';
import type { Claim } from '../faults/faults.ts';
import { createStopper, endingOf } from '../faults/stopper.ts';
import type { Stop, Wire } from '../wire.ts';
import { type Selection, select } from './fields.ts';
import { disconnect, problemType } from './problems.ts';
import type { KeptPost } from './state.ts';
import { strangeLines } from './strange-posts.ts';

export interface Sender {
  deliver(post: KeptPost): void;
  /** Lets faults fire that need no post. */
  strike(): void;
}

export function createSender(
  { clock, faults, recorder }: Context,
  wire: Wire,
  selection: Selection,
  stream: number,
): Sender {
  /** Posts that wait to be sent in reverse order: X13. */
  let turned: { readonly posts: KeptPost[]; readonly claim: Claim<'X13'> } | undefined;
  let isDisconnected = false;
  const stopper = createStopper(wire);

  const write = (post: KeptPost): void => {
    const line = Buffer.from(`${JSON.stringify(messageOf(post))}\r\n`);
    if (!stopper.isBusy) {
      const cut = faults.claim('X4', ({ at, after_bytes }) => after_bytes < 0 && placeIn(line, at, wire) !== undefined);
      if (cut !== undefined)
        stopper.plan(cut, { after: placeIn(line, cut.params.at, wire)!, how: endingOf(cut.params.how) });
    }
    if (!wire.send(line)) return;
    const ruleIds = post.matchingRules.map(({ id }) => id);
    recorder.event({ at: clock.now(), platform: 'x', stream, id: post.id, ruleIds });
  };

  const messageOf = (post: KeptPost): object => {
    const message = { ...select(post.payload, selection), matching_rules: post.matchingRules };
    if (faults.take('X25', ({ orphan }) => orphan) !== undefined) {
      return { ...message, matching_rules: [{ id: '1999999999999999999', tag: 'unknown' }] };
    }
    return faults.take('X11', ({ with_data }) => with_data) === undefined ? message : { ...message, errors: [PARTIAL] };
  };

  const turnRound = ({ posts, claim }: NonNullable<typeof turned>): void => {
    turned = undefined;
    claim.fire();
    for (const post of posts.toReversed()) write(post);
  };

  return {
    deliver(post) {
      if (isDisconnected || wire.silent || faults.take('X2') !== undefined) return;
      const claim = turned === undefined ? faults.claim('X13') : undefined;
      if (claim !== undefined) turned = { posts: [], claim };
      if (turned !== undefined) {
        turned.posts.push(post);
        if (turned.posts.length >= turned.claim.params.count) turnRound(turned);
        return;
      }
      const copies = faults.take('X12', ({ reconnect }) => !reconnect)?.copies ?? 1;
      for (let copy = 0; copy < copies; copy++) write(post);
    },
    strike() {
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
        isDisconnected = true;
      }
      if (faults.take('X11', ({ with_data }) => !with_data) !== undefined) {
        wire.send(`${JSON.stringify({ errors: [UNHEARD_OF] })}\r\n`);
      }
      const strange = faults.take('X28');
      if (strange !== undefined) for (const line of strangeLines(strange.kind)) wire.send(`${line}\r\n`);
    },
  };
}

/** Where to cut this record; undefined if it has no such place. */
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
