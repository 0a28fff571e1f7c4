/** The sources that a rule or a webhook is limited to. */
import type { Platform } from '../../domain/platform.ts';
import type { Caller } from '../access/caller.ts';
import { type Issue, invalidArgument } from '../errors.ts';
import type { RulesRoom } from './room.ts';

/** Throws when one is not a source of the caller or of the operator, or cannot reach a platform of the rule. */
export async function checkSources(
  context: Pick<RulesRoom, 'store' | 'operatorSources' | 'platforms'>,
  caller: Caller,
  sources: readonly string[] | null | undefined,
  platforms: readonly Platform[],
): Promise<void> {
  if (sources === undefined || sources === null) return;
  const issues = await unknownSources(context, caller, sources, 'options.sources');
  const upstream = platforms.find((name) => context.platforms[name].shape === 'upstream');
  if (upstream !== undefined)
    issues.push({
      path: 'options.sources',
      message: `\`${upstream}\` is a real upstream here, which no source feeds. Leave the platform out.`,
    });
  if (issues.length > 0) throw invalidArgument(issues);
}

/** An issue for each that is neither a source of the caller nor one of the operator. */
export async function unknownSources(
  { store, operatorSources }: Pick<RulesRoom, 'store' | 'operatorSources'>,
  { account }: Caller,
  sources: readonly string[],
  path: string,
): Promise<Issue[]> {
  const own = await Promise.all(sources.map((id) => store.accountSource(account.id, id)));
  return sources.flatMap((id, at) =>
    own[at] !== undefined || operatorSources.some(({ name }) => name === id)
      ? []
      : [{ path: `${path}.${at}`, message: `There is no source ${id}. List Sources has the ids.` }],
  );
}
