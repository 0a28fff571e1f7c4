/**
 * Why an answer may lack matches, as stable codes. A reason about a source ends with its name, as in `source_down:news`.
 */
export const COVERAGE_REASONS = {
  no_feed: 'Nothing feeds the platform: it has no source, and nothing was pushed in the last hour.',
  demo: 'Only the demo feeds the platform. Its posts and pages are invented.',
  source_down: 'A source cannot be reached.',
  source_silent: 'A source is connected, and nothing comes from it.',
  source_blind: 'What a source sends cannot be read, or some of its addresses cannot be.',
  stream_down: "The upstream's stream is not connected.",
  token_refused: 'The upstream refuses the token.',
  over_limit: 'A limit of the upstream is reached: of rules, of requests or of posts.',
  registration_missing: 'The upstream does not hold a rule that it should hold. It is being registered again.',
  rule_refused: 'The upstream refuses the text of a rule.',
  budget_spent: "The account's budget of this month is spent, so its rules match nothing.",
  account_suspended: 'The operator has suspended the account, so its rules match nothing.',
  matches_per_day:
    'The account has had the matches that its limit allows for this day (UTC), so its rules match nothing until the next.',
  stored_bytes:
    'The matches of the account take the room that its limit allows, so its rules match nothing until some have gone.',
  paused: 'The rule is paused.',
  gap: 'Events are missing from a part of the time; `gaps` says from which.',
  not_started: 'Sluice has not listened for all of the time that was asked about.',
  node_behind: 'This node does not know all rules yet, or cannot follow the other nodes.',
  not_stored: 'The store takes nothing at the moment, so events wait or are refused.',
} as const satisfies Record<string, string>;

export type CoverageReason = keyof typeof COVERAGE_REASONS;
