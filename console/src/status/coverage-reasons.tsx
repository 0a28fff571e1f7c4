/** Why matches may be missing, one sentence each. Nothing when all is complete. */
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type Platform, useRules, useStatus } from '../data/queries.ts';
import { Named } from '../sources/named.tsx';
import { cx } from '../ui/classes.ts';
import { codeOf, reasonWords } from '../words/coverage.ts';
import { isUnfed } from './health.ts';

export interface CoverageReasonsProps {
  readonly reasons: readonly string[];
  /** They are of one rule, and not of all that the page shows. */
  readonly isOfOne?: boolean;
  /** The platforms that they are of, where they are not of all. */
  readonly of?: readonly Platform[];
  readonly className?: string;
}

const PLATFORMS: readonly Platform[] = ['x', 'firehose'];

/** The reasons of further rules are counted. */
const MOST_OF_RULES = 3;

export function CoverageReasons({ reasons, isOfOne = false, of, className }: CoverageReasonsProps) {
  const { data: rules } = useRules();
  const { data: status } = useStatus();
  const names = useMemo(() => new Map(rules?.map(({ id, name }) => [id, name])), [rules]);
  const known = {
    names,
    platform: of?.length === 1 ? of[0] : undefined,
    isUnfed: isUnfed((of ?? PLATFORMS).flatMap((name) => status?.platforms[name] ?? [])),
  };
  const ofRules = reasons.filter((reason) => isOfRule(reason) && !isSaid(reason, reasons));
  const shown = [...reasons.filter((reason) => !isOfRule(reason)), ...ofRules.slice(0, MOST_OF_RULES)];
  if (shown.length === 0) return null;
  return (
    <ul aria-label="Why matches may be missing" className={cx('grid gap-0.5 text-xs text-warn', className)}>
      {shown.map((reason) => (
        <li key={reason}>
          <Named words={reason === 'paused' && !isOfOne ? 'Some rules are paused.' : reasonWords(reason, known)} />
        </li>
      ))}
      {ofRules.length > MOST_OF_RULES && (
        <li>
          {ofRules.length - MOST_OF_RULES} more of single rules.{' '}
          <Link to="/timeline" search={{}} className="link">
            Timeline
          </Link>
        </li>
      )}
    </ul>
  );
}

const isOfRule = (reason: string): boolean => reason.includes(':rule_');

/** That a paused rule has a gap follows from it. */
const isSaid = (reason: string, reasons: readonly string[]): boolean =>
  codeOf(reason) === 'gap' && reasons.includes(reason.replace('gap:', 'paused:'));
