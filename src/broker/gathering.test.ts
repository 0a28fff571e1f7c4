import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fakeClock } from '../../test/stages/fake-clock.ts';
import { describeWithNats, startNats, type TestNats } from '../../test/stages/nats.ts';
import { createGathering } from './gathering.ts';

describeWithNats('matchers that say whether they have room', () => {
  let server: TestNats;
  const connections: NatsConnection[] = [];
  beforeAll(async () => {
    server = await startNats();
    for (let count = 0; count < 2; count++) connections.push(await connect({ servers: server.url }));
  });
  afterAll(async () => {
    await Promise.all(connections.map((connection) => connection.close()));
    await server[Symbol.asyncDispose]();
  });

  /** An older matcher and one that came a second later and has heard of it. Each has a clock of its own. */
  async function two(isStrained: () => boolean = () => false) {
    const clocks = [fakeClock(), fakeClock('2026-11-15T08:30:01.000Z')] as const;
    const [one, other] = connections as [NatsConnection, NatsConnection];
    const older = createGathering({ connection: one, clock: clocks[0] }, isStrained);
    const younger = createGathering({ connection: other, clock: clocks[1] }, () => false);
    // The server has their subscriptions now.
    await Promise.all(connections.map((connection) => connection.flush()));
    await clocks[1].pass(1_000);
    /** Time passes for the older one alone, and what it says is heard. */
    async function olderLives(milliseconds: number): Promise<void> {
      await clocks[0].pass(milliseconds);
      await one.flush();
      await other.flush();
    }
    await olderLives(250);
    let hasTurn = false;
    async function takeTurn(): Promise<boolean> {
      await younger.turn(new AbortController().signal);
      hasTurn = true;
      return hasTurn;
    }
    const turn = takeTurn();
    const stack = new DisposableStack();
    stack.use(older);
    stack.use(younger);
    return {
      older,
      turn,
      olderLives,
      youngerWaits: (milliseconds: number) => clocks[1].pass(milliseconds),
      get hasTurn() {
        return hasTurn;
      },
      [Symbol.dispose]: () => stack.dispose(),
    };
  }

  it('let the older one take packs alone while it has room', async () => {
    using stage = await two();
    for (let turns = 0; turns < 8; turns++) {
      await stage.olderLives(250);
      await stage.youngerWaits(900);
    }
    expect(stage.hasTurn).toBe(false);
    stage.older[Symbol.dispose]();
    expect(await stage.turn).toBe(true);
  });

  it('let the younger one take packs at once when the older one is full', async () => {
    using stage = await two();
    stage.older.full();
    expect(await stage.turn).toBe(true);
  });

  it('let the younger one take packs when the older one is strained', async () => {
    let isStrained = false;
    using stage = await two(() => isStrained);
    isStrained = true;
    await stage.olderLives(250);
    expect(await stage.turn).toBe(true);
  });

  it('let the younger one take packs a second after the older one fell silent', async () => {
    using stage = await two();
    await stage.youngerWaits(999);
    expect(stage.hasTurn).toBe(false);
    await stage.youngerWaits(1);
    expect(await stage.turn).toBe(true);
  });
});
