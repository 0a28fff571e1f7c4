/** The sources that a rule is limited to. */
import type { Platform } from '../../domain/platform.ts';
import type { Caller } from '../access/caller.ts';
import { invalidArgument } from '../errors.ts';
import type { RulesRoom } from './room.ts';

/** Throws when one is not a source of the caller or of the operator, or cannot reach a platform of the rule. */
export async function checkSources(
  { store, operatorSources, platforms: all }: Pick<RulesRoom, 'store' | 'operatorSources' | 'platforms'>,
  { account }: Caller,
  sources: readonly string[] | null | undefined,
  platforms: readonly Platform[],
): Promise<void> {
  if (sources === undefined || sources === null) return;
  const own = await Promise.all(sources.map((id) => store.accountSource(account.id, id)));
  const issues = sources.flatMap((id, at) =>
    own[at] !== undefined || operatorSources.some(({ name }) => name === id)
      ? []
      : [{ path: `options.sources.${at}`, message: `There is no source ${id}. List Sources has the ids.` }],
  );
  const upstream = platforms.find((name) => all[name].shape === 'upstream');
  if (upstream !== undefined)
    issues.push({
      path: 'options.sources',
      message: `\`${upstream}\` is a real upstream here, which no source feeds. Leave the platform out.`,
    });
  if (issues.length > 0) throw invalidArgument(issues);
}
