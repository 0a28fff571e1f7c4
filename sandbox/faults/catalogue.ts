/**
 * Every known fault of the upstreams, as a switch. A row says what the fault does, how often it fires once thrown (or
 * until it is cleared, if it is a state), and its parameters with their defaults. A caller gives values of the same
 * types. Faults that no upstream causes are in `ELSEWHERE`, with their cause.
 */
export type Params = Readonly<Record<string, number | string | boolean>>;

export interface Row<P extends Params = Params> {
  readonly what: string;
  readonly times: number;
  readonly params: P;
}

/** Fires whenever it can until it is cleared. */
const ALWAYS = Number.POSITIVE_INFINITY;

const row = <P extends Params>(what: string, times: number, params: P): Row<P> => ({ what, times, params });

/** `after_bytes` counts bytes of the body, from the moment the fault meets its stream. */
export const CATALOGUE = {
  X1: row('A stream falls silent: the socket stays open and no byte comes, heartbeats included.', 1, {
    after_bytes: 0,
  }),
  X2: row('Heartbeats go on, posts do not: they are withheld from the stream.', ALWAYS, {}),
  X3: row('Heartbeats come at uneven intervals between 19 and 21.5 seconds.', ALWAYS, {}),
  X4: row(
    'The connection is cut inside the next post: `at` = record, character, crlf, chunk-header or gzip; or at `after_bytes`.',
    1,
    { at: 'record', after_bytes: -1, how: 'reset' },
  ),
  X5: row(
    'The stream ends: `how` = reset, fin (no last chunk) or end. With `on` = connect, before it is answered.',
    1,
    {
      how: 'reset',
      on: 'stream',
      after_bytes: 0,
    },
  ),
  X6: row('Connecting is answered with a server error.', 1, { status: 503 }),
  X7: row('Connecting is answered 429, the reset `seconds` ahead; `skew` shifts the Date header.', 1, {
    seconds: 60,
    skew: 0,
  }),
  X8: row('A phantom connection holds the slot: newcomers get 429 TooManyConnections until it is closed or ages.', 1, {
    seconds: 900,
  }),
  X9: row('Connecting is answered 429: the monthly cap is used up.', ALWAYS, {}),
  X10: row('An in-band disconnect is sent; the socket is left open, heartbeats go on, posts do not.', 1, {
    disconnect_type: 'UpstreamOperationalDisconnect',
  }),
  X11: row('A system message of an unknown type; with `with_data`, the next post carries errors beside its data.', 1, {
    with_data: false,
  }),
  X12: row(
    'A post comes `copies` times; with `reconnect`, the last `copies` posts come again on the next connection.',
    1,
    {
      copies: 2,
      reconnect: false,
    },
  ),
  X13: row('The next `count` posts come in reverse.', 1, { count: 3 }),
  X14: row('A backfill reaches `seconds` further back than asked.', 1, { seconds: 60 }),
  X15: row('An outage: streams are cut, and for `seconds` nothing is answered but 503.', 1, { seconds: 600 }),
  X16: row('An outage of `seconds` after which nothing may be replayed: backfill and recovery are refused.', 1, {
    seconds: 600,
  }),
  X17: row('A recovery (start_time, end_time) is cut after `count` posts; half of them when 0.', 1, { count: 0 }),
  X18: row('The token is revoked: streams are cut and everything is answered 401 or 403.', ALWAYS, { status: 401 }),
  X19: row('Connecting is answered 409: there are no rules.', 1, {}),
  X20: row(
    'Adding a rule is answered DuplicateRule: another program was faster. `with_id` says whether its id is given.',
    1,
    {
      with_id: false,
    },
  ),
  X21: row('A rule change is carried out and its answer lost.', 1, {}),
  X22: row('The first rule of the next add is refused for this `reason`; the others are created: 200.', 1, {
    reason: 'Rules must contain at least one positive, non-stopword clause (at position 1)',
  }),
  X23: row('Adding a rule is answered RulesCapExceeded.', 1, {}),
  X24: row('Rules drift: `kind` = missing, extra, wrong-tag or delete-all, `count` of them.', 1, {
    kind: 'missing',
    count: 1,
    value: 'drift',
    tag: '',
  }),
  X25: row(
    'A rule works before its answer is sent: that waits for `seconds`. With `orphan`, a post names an unknown rule.',
    1,
    {
      seconds: 5,
      orphan: false,
    },
  ),
  X26: row('A deleted rule goes on matching for `seconds`.', 1, { seconds: 20 }),
  X27: row('The next post is followed by an edit of it: a new id, the old one in its history.', 1, {}),
  X28: row(
    'Strange posts: `kind` = missing-fields, reordered, huge-numbers, lone-surrogate, deep, long-line, not-json, or all.',
    1,
    { kind: 'all' },
  ),
  X30: row('Over https, the certificate has expired.', ALWAYS, {}),
  X32: row('A request is answered with a redirect to `location`.', 1, { status: 307, location: '/elsewhere' }),
  X33: row('Webhooks are challenged at once, out of turn; one that answers wrongly is invalid from then on.', 1, {}),
  X34: row('The next post is delivered to webhooks `copies` times.', 1, { copies: 2 }),
  X35: row('The next three deliveries to webhooks come in reverse.', 1, {}),
  X36: row('A delivery to a webhook is cut off half-way.', 1, {}),
  X37: row('A delivery to a webhook is signed with another secret.', 1, {}),
  X38: row('X stops delivering to webhooks: `kind` = invalid, unlinked or gone.', 1, { kind: 'invalid' }),
  X39: row(
    'A replay to a webhook goes wrong: `kind` = refused, incomplete, silent (no word of its end) or early (the word comes first).',
    1,
    { kind: 'incomplete' },
  ),
  X40: row('A delivery to a webhook is acknowledged, and X does not hear it: it is delivered again.', 1, {}),
  X41: row('For `seconds` X reaches no webhook: deliveries and challenges fail.', 1, { seconds: 60 }),

  F1: row('The stream ends in order, before its timeout.', 1, {}),
  F2: row('The connection is cut inside the next update: `at` = id, data or blank; or at `after_bytes`.', 1, {
    at: 'data',
    after_bytes: -1,
    how: 'reset',
  }),
  F3: row('A stream falls silent, past its timeout and without `end`.', 1, { after_bytes: 0 }),
  F4: row('Ids jump by `count`; with `lost`, the next `count` updates are kept back, and a replay has them.', 1, {
    count: 2,
    lost: false,
  }),
  F5: row('A connection that resumes begins `count` updates too early.', 1, { count: 5 }),
  F6: row('Offsets begin again at `to`.', 1, { to: 0 }),
  F7: row('Every other update comes from a second partition.', ALWAYS, {}),
  F8: row('The buffer forgets everything, and the stream is cut: resuming finds nothing old.', 1, {}),
  F9: row('`since` is quietly cut to this many `seconds`.', 1, { seconds: 3600 }),
  F10: row('A request with both Last-Event-ID and since is refused with 422.', ALWAYS, {}),
  F11: row('The stream says that there are no rules, and ends.', 1, {}),
  F12: row('The stream sends this error, and ends.', 1, { message: 'Something went wrong on our side.' }),
  F13: row('Connecting is answered 402: no credit is left.', ALWAYS, {}),
  F14: row('The tap is gone: the stream is cut and everything is answered 401, 403 or 404.', ALWAYS, { status: 401 }),
  F15: row('429: `on` = stream, rules or both. `seconds` go into Retry-After; 0 leaves it out.', 1, {
    on: 'stream',
    seconds: 0,
  }),
  F16: row('Creating a rule is refused with 422 for this `reason`.', 1, { reason: 'The value is not a valid query.' }),
  F17: row('A rule change is carried out and its answer lost.', 1, {}),
  F18: row('An update names a rule that does not exist, beside its own ones; alone with `only`.', 1, { only: false }),
  F19: row('A bad update takes the place of the next: `kind` = json, no-url, bad-time, future-time.', 1, {
    kind: 'json',
  }),
  F20: row('The next update is padded to `bytes` bytes.', 1, { bytes: 4_500_000 }),
  F21: row(
    'Every oddity that event streams allow is sent, and the next update over many lines; with `bom`, the next stream begins with a byte order mark.',
    1,
    { bom: false },
  ),
  F22: row(
    '`kind` = drip (bytes one at a time), burst (the next `count` updates in one chunk), hold (`seconds`, then all).',
    1,
    {
      kind: 'drip',
      count: 1000,
      seconds: 60,
    },
  ),
  F24: row('The page of the next update comes `copies` times, each with another change.', 1, { copies: 3 }),
  F25: row('Their clock is `seconds` off: matched_at and the Date header.', ALWAYS, { seconds: 600 }),

  B2: row('Creating a rule on one `platform` is answered with a server error.', 1, {
    platform: 'firehose',
    status: 503,
  }),
} as const satisfies Readonly<Record<string, Row>>;

export type FaultName = keyof typeof CATALOGUE;
export type ParamsOf<N extends FaultName> = Widened<(typeof CATALOGUE)[N]['params']>;
export type FaultOptions<N extends FaultName = FaultName> = Partial<ParamsOf<N>> & { readonly times?: number };

/** The type of a parameter is that of its default, without the value. */
type Widened<P> = { readonly [K in keyof P]: P[K] extends boolean ? boolean : P[K] };

export const isFaultName = (name: string): name is FaultName => Object.hasOwn(CATALOGUE, name);

/** Faults that an upstream does not cause, and where they come from. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  X29: 'Make the store of the reader slow, and start a feed with a high rate.',
  X31: 'Start the reader twice.',
  F23: 'Make the store of the reader slow.',
  B1: 'Kill the reader.',
  B3: 'It is a fault of the reader’s disk.',
  B4: 'It is a fault of the reader’s database.',
  B5: 'It is a fault of the reader’s broker.',
  B6: 'It is a fault of a webhook’s receiver.',
  B7: 'It is a fault of a subscriber of the reader.',
  B8: 'Stop and continue the process of the reader.',
};
