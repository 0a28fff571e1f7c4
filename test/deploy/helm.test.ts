/** The Helm chart of one process, rendered by the rules that it uses and held to the schema of the other manifests. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/app/config.ts';
import { ROLES } from '../../src/domain/role.ts';
import { manifest } from './kubernetes-shapes.ts';
import { renderChart } from './render-chart.ts';
import { DEPLOY, expectKnown, ROOT } from './settings.ts';

const CHART = join(DEPLOY, 'helm/sluice');
const read = (name: string) => readFileSync(join(CHART, name), 'utf8');
const chart = parse(read('Chart.yaml')) as Record<string, string>;
const values = parse(read('values.yaml')) as Record<string, unknown>;

function rendered(changed: Record<string, unknown> = {}) {
  const scope = {
    Values: { ...values, ...changed },
    Release: { Name: 'watch' },
    Chart: { AppVersion: chart['appVersion']! },
  };
  return readdirSync(join(CHART, 'templates')).flatMap((name) => {
    const text = renderChart(read(join('templates', name)), scope);
    expect(text).not.toMatch(/\{\{|\}\}/);
    return parseAllDocuments(text, { strict: true, uniqueKeys: true }).map((document) => {
      if (document.errors.length > 0) throw document.errors[0]!;
      return manifest.parse(document.toJS());
    });
  });
}

function partsOf(manifests: ReturnType<typeof rendered>) {
  const set = manifests.find((one) => one.kind === 'StatefulSet')!;
  return {
    set,
    container: set.spec.template.spec.containers[0],
    service: manifests.find((one) => one.kind === 'Service')!,
    settings: manifests.find((one) => one.kind === 'ConfigMap')!,
  };
}

describe('the Helm chart', () => {
  it('is of the second kind of charts, for the version that the program has', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(chart).toMatchObject({ apiVersion: 'v2', name: 'sluice', type: 'application', appVersion: version });
    expect(chart['version']).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('makes one process, with settings that it starts with, on a volume of its own', () => {
    const { set, container, settings } = partsOf(rendered());
    expect(container.image).toBe(`sluice:${chart['appVersion']}`);
    expect(loadConfig(settings.data)).toMatchObject({ roles: ROLES, storeUrl: expect.stringMatching(/^sqlite:/) });
    expectKnown(Object.keys(settings.data));
    expect(set.spec.replicas).toBe(1);
    expect(container.volumeMounts).toEqual([{ name: 'data', mountPath: '/data' }]);
    expect(set.spec.volumeClaimTemplates.map(({ metadata }) => metadata.name)).toEqual(['data']);
    expect(readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8')).toContain('SLUICE_DATA_DIR=/data');
  });

  it('reaches it by its labels and the name of its port', () => {
    const { set, container, service } = partsOf(rendered());
    for (const labels of [service.spec.selector, set.spec.selector.matchLabels])
      expect(set.spec.template.metadata.labels).toMatchObject(labels);
    expect(container.ports.map(({ name }) => name)).toEqual(service.spec.ports.map(({ targetPort }) => targetPort));
    expect(set.spec.serviceName).toBe(service.metadata.name);
  });

  it('takes tokens and keys from a secret where one is named, and another image', () => {
    expect(partsOf(rendered()).container.envFrom).toEqual([{ configMapRef: { name: 'watch' } }]);
    const { container } = partsOf(rendered({ secret: 'mine', image: { repository: 'registry.example/s', tag: '9' } }));
    expect(container.envFrom).toEqual([{ configMapRef: { name: 'watch' } }, { secretRef: { name: 'mine' } }]);
    expect(container.image).toBe('registry.example/s:9');
  });

  it('uses every value that it offers', () => {
    const text = readdirSync(join(CHART, 'templates'))
      .map((name) => read(join('templates', name)))
      .join('\n');
    expect(Object.keys(values).filter((name) => !text.includes(`.Values.${name}`))).toEqual([]);
  });
});
