/** What all tools have in common: a rule may be named, and every answer says how far it can be relied on. */
import type { z } from 'zod';
import { PLATFORMS, type Platform } from '../domain/platform.ts';
import type { Operation } from '../service/perform/operation.ts';
import { namedRuleId } from './rule-by-name.ts';
import { coverageNow, exampleCoverage, toldCoverage } from './told-coverage.ts';

type ToolOperation = Operation<z.ZodObject, z.ZodObject>;

export const asTool = (operation: ToolOperation): Operation => ({
  ...operation,
  output: operation.output.extend({ coverage: toldCoverage }),
  example: {
    input: operation.example.input,
    output: { coverage: exampleCoverage, ...operation.example.output },
  },
  async run(context, caller, input, request) {
    const asked = input as Asked & Record<string, unknown>;
    const ruleId = asked.rule_id === undefined ? undefined : await namedRuleId(context, caller, asked.rule_id);
    const named = ruleId === undefined ? asked : { ...asked, rule_id: ruleId };
    const answer = await operation.run(context, caller, named, request);
    if (answer['coverage'] !== undefined) return answer;
    const scope = { ruleId, platform: asked.platform, platforms: platformsOf(asked) };
    return { ...answer, coverage: await coverageNow(context, caller, scope) };
  },
});

/** The fields that several tools have. */
interface Asked {
  readonly rule_id?: string;
  readonly platform?: Platform;
  readonly overrides?: Partial<Record<Platform, string>>;
}

const platformsOf = ({ rule_id, overrides }: Asked): Platform[] | undefined =>
  rule_id !== undefined || overrides === undefined
    ? undefined
    : PLATFORMS.filter((name) => overrides[name] !== undefined);
