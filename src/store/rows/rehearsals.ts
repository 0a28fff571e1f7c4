/** Rows of rehearsals and their samples. */
import type { Highlight, Payload } from '../../domain/match.ts';
import type { Platform } from '../../domain/platform.ts';
import type { Rehearsal, RehearsalStatus } from '../../domain/rehearsal.ts';
import type { RehearsalSample } from '../store/rehearsals.ts';
import { dateOrNone, decodeText, encodeText, parseColumn, textOrNull, timeOrNull } from './texts.ts';

export interface RehearsalRow {
  readonly number: number;
  readonly id: string;
  readonly account_id: string;
  readonly status: RehearsalStatus;
  readonly created_at: number;
  readonly ended_at: number | null;
  readonly events: number;
  readonly progress: number | null;
  readonly request: string;
  readonly error: string | null;
}

export interface OpenRehearsalRow extends RehearsalRow {
  readonly position: string | null;
  readonly state: string | null;
}

export interface SampleRow {
  readonly kind: string;
  readonly platform: Platform;
  readonly post_id: string;
  readonly at: number | null;
  readonly source: string | null;
  readonly payload: string;
  readonly highlights: string;
}

export const SAMPLE_COLUMNS = 'kind, platform, post_id, at, source, payload, highlights';

export const REHEARSAL_COLUMNS =
  'r.number, r.id, a.id AS account_id, r.status, r.created_at, r.ended_at, r.events, r.progress, r.request, r.error';

export const rehearsalOf = (row: RehearsalRow): Rehearsal => ({
  id: row.id,
  accountId: row.account_id,
  status: row.status,
  createdAt: new Date(row.created_at),
  endedAt: dateOrNone(row.ended_at),
  request: row.request,
  events: row.events,
  progress: row.progress ?? undefined,
  error: row.error === null ? undefined : decodeText(row.error),
});

export const storedRehearsalOf = (row: OpenRehearsalRow, samples: readonly SampleRow[]) => ({
  rehearsal: rehearsalOf(row),
  position: row.position ?? undefined,
  state: row.state ?? undefined,
  samples: samples.map(sampleOf),
});

const sampleOf = (row: SampleRow): RehearsalSample => ({
  kind: row.kind,
  platform: row.platform,
  postId: decodeText(row.post_id),
  at: dateOrNone(row.at),
  source: row.source === null ? undefined : decodeText(row.source),
  payload: parseColumn<Payload>(row.payload),
  highlights: parseColumn<Highlight[]>(row.highlights),
});

export const sampleColumns = ({ kind, platform, postId, at, source, payload, highlights }: RehearsalSample) => ({
  kind,
  platform,
  post: encodeText(postId),
  at: timeOrNull(at),
  source: textOrNull(source),
  payload: JSON.stringify(payload),
  highlights: JSON.stringify(highlights),
});
