/** Rows of the fault catalogue as tests: each is named by its row, has the stages it asks for, and shows that its fault fired. */
import { expect, it } from 'vitest';
import { type FaultName, isFaultName } from '../../sandbox/faults/catalogue.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { liveStage, type XStage, type XStageOptions, xStage } from '../stages/x-stage.ts';
import { type ServiceStage, type ServiceStageOptions, serviceStage } from './service-stage.ts';

/** Some rows are nothing that an upstream does: their tests throw the fault by themselves. */
export type RowName = FaultName | 'X29' | 'X31' | 'B1' | 'B8';

export interface Scene {
  /** X's connector alone, not yet connected. */
  wire(options?: XStageOptions): Promise<XStage>;
  /** X's connector alone, connected. */
  liveWire(options?: XStageOptions): Promise<XStage>;
  /** The whole service; connected where it has rules. */
  service(options?: ServiceStageOptions): Promise<ServiceStage>;
  /** A fault that the test itself has thrown has struck. */
  struck(): void;
}

const named = new Set<RowName>();

/** Rows that have a test. */
export const rowsTested = (): ReadonlySet<RowName> => named;

export function row(name: RowName, behaviour: string, test: (scene: Scene) => Promise<void>): void {
  named.add(name);
  it(`${name} ${behaviour}`, async () => {
    await using opened = new AsyncDisposableStack();
    const sandboxes = new Set<Sandbox>();
    let struck = 0;
    const keep = <S extends XStage | ServiceStage>(stage: S): S => {
      sandboxes.add(stage.sandbox);
      return opened.use(stage);
    };
    await test({
      wire: async (options) => keep(await xStage(options)),
      liveWire: async (options) => keep(await liveStage(options)),
      async service(options = {}) {
        const stage = keep(await serviceStage(options));
        if (options.rules?.length !== 0 && options.beside === undefined) await stage.live();
        return stage;
      },
      struck: () => void struck++,
    });
    if (isFaultName(name)) for (const sandbox of sandboxes) struck += sandbox.fired(name);
    expect(struck, `${name} has fired`).toBeGreaterThan(0);
  });
}
