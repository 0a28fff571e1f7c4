/**
 * The rule languages in the browser: the server's own parsers, with this server's limits. Their diagnostics are
 * therefore those of the server.
 */
import { useQuery } from '@tanstack/react-query';
import type { Language } from '../../../src/rules/language.ts';
import { languages } from '../../../src/rules/languages.ts';
import { client } from '../data/client.ts';
import type { Platform } from '../data/queries.ts';

export type Languages = Readonly<Record<Platform, Language>>;

const USUAL: Languages = languages({ local: true });

/** The usual limits apply until the server has sent its own. */
export function useLanguages(): Languages {
  const { data } = useQuery({
    queryKey: ['syntax'],
    queryFn: async ({ signal }) => {
      const { platforms } = await client.rules.syntax({ platforms: ['x'] }, { signal });
      const hasEmbedding = platforms.x?.operators.some(({ name }) => name === 'embedding') === true;
      const isLong = Number(platforms.x?.limits['rule_length']) > Number(USUAL.x.help.limits['rule_length']);
      if (hasEmbedding) return languages({ level: 'enterprise+embedding' });
      return isLong ? languages({ level: 'enterprise', local: true }) : USUAL;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data ?? USUAL;
}
