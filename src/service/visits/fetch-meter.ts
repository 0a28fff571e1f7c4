/** Counts what fetching beside visits takes, and ends it when the account has no fetches left. */
import type { SourceHttp } from '../../sources/fetch/fetch-url.ts';
import { SourceError } from '../../sources/fetch/source-error.ts';
import type { DocumentReader, SharedReader } from '../../sources/reading/document-reader.ts';

export interface FetchMeter {
  /** Fetches that it may make. */
  readonly most: number;
  fetches: number;
  bytes: number;
  /** The account that the documents are read for. */
  readonly accountId: string;
  /** Milliseconds of CPU that reading them took. */
  cpuMs: number;
}

/** The part of a reader that reads for the account of a meter, and counts. */
export const meteredReader = (reader: SharedReader, meter: FetchMeter, signal: AbortSignal): DocumentReader =>
  reader.for({
    owner: meter.accountId,
    signal,
    onCpu: (milliseconds) => {
      meter.cpuMs += milliseconds;
    },
  });

export const meteredHttp = (http: SourceHttp, meter: FetchMeter): SourceHttp => ({
  ...http,
  async get(request) {
    if (meter.fetches >= meter.most)
      throw new SourceError('The account has no fetches left in this hour (source_fetches_per_hour).');
    meter.fetches++;
    const answer = await http.get(request);
    meter.bytes += answer.body.length;
    return answer;
  },
});
