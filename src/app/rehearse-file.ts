/** Tries a rule on a file of the person who runs the command, without any server. */
import { systemClock } from '../base/clock.ts';
import { createSlowLane } from '../base/cooperate.ts';
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import { localPlatform } from '../platforms/local/local.ts';
import { languages } from '../rules/languages.ts';
import { textsOfRequest } from '../rules/rule-text.ts';
import { resultOf } from '../service/previews/rehearsal-report.ts';
import { createRehearser } from '../service/rehearsal/rehearser.ts';
import { readHistoryFile } from '../sources/history/files.ts';
import { loadConfig } from './config.ts';

export interface FileRehearsal {
  readonly file: string;
  readonly texts: Partial<Record<Platform, string>>;
  readonly signal: AbortSignal;
  onProgress(progress: number | undefined, events: number): void;
}

/** The problems of the texts, by platform; or the result. */
export type FileRehearsed =
  | { readonly problems: Partial<Record<Platform, string>> }
  | { readonly events: number; readonly isWhole: boolean; readonly result: ReturnType<typeof resultOf> };

export async function rehearseFile({ file, texts: given, signal, onProgress }: FileRehearsal): Promise<FileRehearsed> {
  const { prices, currency, xLevel } = loadConfig(process.env);
  const known = languages({ level: xLevel, local: true });
  const problems = problemsIn(known, given);
  if (problems !== undefined) return { problems };
  const texts = textsOfRequest(given, undefined);
  const rehearser = createRehearser({ texts, languages: known });
  const pause = createSlowLane(systemClock);
  const platforms = PLATFORMS.filter((name) => texts[name] !== undefined);
  for await (const part of readHistoryFile(file, { platforms, position: undefined, signal })) {
    for (const event of part.events) {
      const work = rehearser.take(event);
      const pausing = pause(typeof work === 'number' ? work : await work);
      if (pausing !== undefined) await pausing;
    }
    rehearser.passUnreadable(part.unreadable);
    onProgress(part.progress, rehearser.events);
    if (signal.aborted) break;
  }
  const request = JSON.stringify({ texts, history: { kind: 'file', file } });
  const rehearsal = { ...ENDED, request, events: rehearser.events };
  const state = JSON.stringify({ tally: rehearser.state(true), tries: 0 });
  const context = {
    languages: known,
    platforms: { x: localPlatform('x'), firehose: localPlatform('firehose') },
    settings: { prices, currency },
  };
  return {
    events: rehearser.events,
    isWhole: !signal.aborted,
    result: resultOf(context, { rehearsal, position: undefined, state, samples: rehearser.samples() }),
  };
}

/** A rehearsal that nobody stores. */
const ENDED = {
  id: '',
  accountId: '',
  status: 'done',
  createdAt: new Date(0),
  endedAt: undefined,
  progress: undefined,
  error: undefined,
} as const;

type Problems = Partial<Record<Platform, string>>;

function problemsIn(known: ReturnType<typeof languages>, given: FileRehearsal['texts']): Problems | undefined {
  const found = PLATFORMS.flatMap((name) => {
    const text = given[name];
    const error = text === undefined ? undefined : known[name].parse(text.trim()).diagnostics.find(isError)?.message;
    return error === undefined ? [] : [[name, error] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

const isError = ({ severity }: { readonly severity: string }): boolean => severity === 'error';
