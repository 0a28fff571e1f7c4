/**
 * Tests whether an agent is woken. The kit has a server of its own, whose time it moves, and an agent, which it starts, kills and
 * starts again. The agent makes the file in SLUICE_KIT_TURNS once it can be woken, and appends a line `ID MATCHES CHARACTERS` to it
 * when a turn begins; for a headless command the kit does that itself. Then it counts: every match in one turn, and no wake in two.
 */
import { systemClock } from '../../base/clock.ts';
import { type AgentCommand, openStage, type Stage, type Turn } from './kit-stage.ts';

interface KitOptions extends AgentCommand {
  tell(line: string): void;
}

const KIT_STATES = ['active', 'idle', 'restarted', 'away'] as const;
type KitState = (typeof KIT_STATES)[number];

interface StateReport {
  readonly state: KitState;
  readonly matches: number;
  readonly turns: number;
  /** Matches that no turn was told of. */
  readonly lost: number;
  /** Turns for a wake that had one, and matches that were told of twice. */
  readonly twice: number;
  /** Turns without a match. */
  readonly idle: number;
  /** The size of the longest wake, four characters to a token. */
  readonly tokens: number;
  readonly passed: boolean;
}

interface KitReport {
  readonly states: readonly StateReport[];
  readonly passed: boolean;
}

const MOST_TOKENS = 600;
const HOUR_MS = 3_600_000;
/** Real time: how long the kit looks for one turn too many. */
const AFTERWARDS_MS = 1_500;

export async function testWakes(options: KitOptions): Promise<KitReport> {
  await using stage = await openStage(options);
  const states: StateReport[] = [];
  for (const state of KIT_STATES) {
    const report = await tryState(stage, state);
    states.push(report);
    options.tell(lineOf(report));
  }
  return { states, passed: states.every(({ passed }) => passed) };
}

const lineOf = ({ state, matches, turns, lost, twice, idle, tokens, passed }: StateReport): string =>
  `${passed ? 'ok    ' : 'failed'} ${state.padEnd(9)} ${matches} matches, ${turns} turns, ${lost} lost, ${twice} twice, ${idle} without a match, at most ${tokens} tokens`;

async function tryState(stage: Stage, state: KitState): Promise<StateReport> {
  const before = stage.turns().length;
  const pushed = await SCENES[state](stage);
  const since = () => stage.turns().slice(before);
  const told = (turns: readonly Turn[]) =>
    [...new Map(turns.map((turn) => [turn.id, turn.matches])).values()].reduce((sum, one) => sum + one, 0);
  await stage.until(() => told(since()) >= pushed);
  await systemClock.sleep(AFTERWARDS_MS);
  const turns = since();
  const known = new Set(
    stage
      .turns()
      .slice(0, before)
      .map(({ id }) => id),
  );
  const ids = turns.map(({ id }) => id);
  const repeated = ids.filter((id, index) => known.has(id) || ids.indexOf(id) < index).length;
  const lost = Math.max(0, pushed - told(turns));
  const twice = repeated + Math.max(0, told(turns) - pushed);
  const idle = turns.filter(({ matches }) => matches === 0).length;
  const tokens = Math.ceil(Math.max(0, ...turns.map(({ characters }) => characters)) / 4);
  const passed = lost + twice + idle === 0 && tokens <= MOST_TOKENS;
  return { state, matches: pushed, turns: turns.length, lost, twice, idle, tokens, passed };
}

/** Each answers how many matches it made. */
const SCENES: Readonly<Record<KitState, (stage: Stage) => Promise<number>>> = {
  async active(stage) {
    const before = stage.turns().length;
    await stage.push();
    await stage.until(() => stage.turns().length > before);
    await stage.push();
    await stage.push();
    return 3;
  },
  async idle(stage) {
    // A turn without a match is the cost of being quiet.
    stage.clock.forward(HOUR_MS);
    await systemClock.sleep(AFTERWARDS_MS);
    await stage.push();
    return 1;
  },
  async restarted(stage) {
    const before = stage.turns().length;
    await stage.push();
    await stage.until(() => stage.turns().length > before);
    await stage.killAgent();
    await stage.push();
    stage.startAgent();
    return 2;
  },
  async away(stage) {
    await stage.killAgent();
    await stage.push();
    await stage.push();
    await stage.restartServer(HOUR_MS);
    await stage.push();
    stage.startAgent();
    return 3;
  },
};
