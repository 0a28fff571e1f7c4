/** The ways out: streams, webhooks, and notices. */
import { type ChainSigner, createChainSigner } from '../../base/signed-chain.ts';
import { createHeadNotices, type HeadNotices } from '../outlets/certificate-heads.ts';
import { createMatchSignals, type MatchSignals } from '../outlets/match-signals.ts';
import { createNoticeEvents, type NoticeEvents } from '../outlets/notice-events.ts';
import { createOutlets, type Outlets } from '../outlets/outlets.ts';
import type { Ground } from './ground.ts';

export interface WaysOut {
  readonly outlets: Outlets;
  readonly noticeEvents: NoticeEvents;
  readonly headNotices: HeadNotices;
  readonly signer: ChainSigner;
  readonly matchSignals: MatchSignals;
}

/** How far the matches of a stream can be relied on, as JSON. */
type CoverageText = NonNullable<Parameters<typeof createOutlets>[0]['coverage']>;

export function createWaysOut(
  { given, reading, holder, sealingKey, stopping }: Ground,
  coverage: CoverageText,
): WaysOut {
  const { store, clock, log, metrics, settings, tracer } = given;
  const { reader, cursors } = reading;
  const { version } = settings;
  const outlets = createOutlets(
    { store, reader, clock, log, metrics, version, holder, tracer, coverage },
    { ...given.delivery, sealingKey },
  );
  const { dispatcher } = outlets;
  const signer = createChainSigner(sealingKey, 'sluice certificates');
  const server = settings.publicUrl;
  return {
    outlets,
    signer,
    headNotices: createHeadNotices({ store, signer, clock, log, dispatcher, server }),
    noticeEvents: createNoticeEvents({ store, clock, log, cursors, dispatcher }),
    matchSignals: createMatchSignals({ store, clock, signal: stopping.signal }),
  };
}
