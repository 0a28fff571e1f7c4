/** The manifests of Kubernetes, held to the part of its schema that they use, to each other, and to the program. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { ROLES } from '../../src/domain/role.ts';
import { type Deployment, manifest, type Pod } from './kubernetes-shapes.ts';
import { DEPLOY, expectNode, ROOT } from './settings.ts';

const FOLDER = join(DEPLOY, 'kubernetes');
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const kustomizationOf = z.strictObject({
  apiVersion: z.literal('kustomize.config.k8s.io/v1beta1'),
  kind: z.literal('Kustomization'),
  namespace: z.string(),
  resources: z.array(z.string()),
  images: z.array(z.strictObject({ name: z.string(), newName: z.string(), newTag: z.string() })).default([]),
});
const kustomization = kustomizationOf.parse(parse(read('kustomization.yaml')));
const MONITORING = 'monitoring';
const monitoring = kustomizationOf.parse(parse(read(join(MONITORING, 'kustomization.yaml'))));

const monitoringFiles = monitoring.resources.map((name) => join(MONITORING, name));
const manifests = [...kustomization.resources, ...monitoringFiles, 'secret.example.yaml'].flatMap((name) =>
  parseAllDocuments(read(name), { strict: true, uniqueKeys: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]!;
    return manifest.parse(document.toJS());
  }),
);
const of = <Kind extends (typeof manifests)[number]['kind']>(kind: Kind) =>
  manifests.filter((one): one is Extract<(typeof manifests)[number], { kind: Kind }> => one.kind === kind);

const deployments = of('Deployment').map((one): [string, Deployment] => [one.metadata.name, one]);
const pods: Pod[] = [...of('Deployment'), ...of('StatefulSet')].map(({ spec }) => spec.template);
const contained = (labels: Record<string, string>, pod: Pod) =>
  Object.entries(labels).every(([name, value]) => pod.metadata.labels[name] === value);

interface AdapterRule {
  readonly seriesQuery: string;
  readonly name: { readonly as: string };
  readonly metricsQuery: string;
}

const leastOf = (deployment: string): number =>
  of('HorizontalPodAutoscaler').find(({ spec }) => spec.scaleTargetRef.name === deployment)?.spec.minReplicas ?? 1;

describe('manifests of Kubernetes', () => {
  it('are all listed, but for the example of the secret', () => {
    const others = ['kustomization.yaml', 'secret.example.yaml', MONITORING];
    const filesIn = (folder: string) => readdirSync(folder).filter((name) => !others.includes(name));
    expect(kustomization.resources.toSorted()).toEqual(filesIn(FOLDER).toSorted());
    expect(monitoring.resources.toSorted()).toEqual(filesIn(join(FOLDER, MONITORING)).toSorted());
  });

  it('have each role, by its name', () => {
    expect(deployments.map(([name]) => name).toSorted()).toEqual(ROLES.toSorted());
    for (const [name, { spec }] of deployments) {
      expect(spec.template.spec.containers[0].env).toContainEqual({ name: 'SLUICE_ROLES', value: name });
    }
  });

  it.each(deployments)('%s has settings that the program starts with, and none of them twice', (name, { spec }) => {
    const { env, envFrom = [] } = spec.template.spec.containers[0];
    const { stringData } = of('Secret')[0]!;
    const named = env.map((one) => [
      one.name,
      'value' in one ? one.value : stringData[one.valueFrom.secretKeyRef.key]!,
    ]);
    const listed = envFrom.flatMap((from) => {
      const map = 'configMapRef' in from ? from.configMapRef.name : undefined;
      return Object.entries(of('ConfigMap').find(({ metadata }) => metadata.name === map)!.data);
    });
    const settings = Object.fromEntries([...named, ...listed]) as Record<string, string>;
    expectNode(name, settings);
    expect(Object.keys(settings)).toHaveLength(named.length + listed.length);
  });

  it('take from the secret what its example has', () => {
    const { stringData } = of('Secret')[0]!;
    const taken = pods
      .flatMap(({ spec }) => spec.containers[0].env)
      .flatMap((one) => ('valueFrom' in one ? [one.valueFrom.secretKeyRef.key] : []));
    expect(Object.keys(stringData)).toEqual(expect.arrayContaining(taken));
  });

  it('select pods that there are', () => {
    const selectors = [
      ...of('Service').map(({ spec }) => spec.selector),
      ...of('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels),
      ...of('NetworkPolicy').flatMap(({ spec }) => [
        spec.podSelector.matchLabels,
        ...spec.ingress.flatMap(({ from }) => from.map(({ podSelector }) => podSelector.matchLabels)),
      ]),
    ];
    for (const labels of selectors) expect(pods.some((pod) => contained(labels, pod))).toBe(true);
    for (const { spec } of [...of('Deployment'), ...of('StatefulSet')])
      expect(contained(spec.selector.matchLabels, spec.template)).toBe(true);
  });

  it('name ports, volumes and images that there are', () => {
    for (const { spec } of pods) {
      const { ports, startupProbe, readinessProbe, livenessProbe, image } = spec.containers[0];
      const names = ports.map(({ name }) => name);
      for (const probe of [startupProbe, readinessProbe, livenessProbe])
        expect(names).toContain(probe?.httpGet.port ?? names[0]);
      expect(image.includes(':') || kustomization.images.some(({ name }) => name === image)).toBe(true);
    }
    for (const { spec } of of('Service')) {
      const served = pods.find((pod) => contained(spec.selector, pod))!.spec.containers[0].ports;
      for (const { targetPort } of spec.ports) expect(served.map(({ name }) => name)).toContain(targetPort);
    }
  });

  it('leave one of every two while a machine is emptied', () => {
    const guarded = of('PodDisruptionBudget').map(({ metadata }) => metadata.name);
    const several = deployments.filter(([name, { spec }]) => (spec.replicas ?? leastOf(name)) > 1);
    expect(guarded.toSorted()).toEqual(several.map(([name]) => name).toSorted());
  });

  it('are as many of each role as the documents say', () => {
    const page = readFileSync(join(ROOT, 'docs/running.md'), 'utf8');
    for (const name of ['api', 'connector', 'delivery']) {
      const told = new RegExp(`^\\| \`${name}\` \\|.*\\| (\\d)[^|]*\\|$`, 'm').exec(page)?.[1];
      expect([name, deployments.find(([one]) => one === name)![1].spec.replicas]).toEqual([name, Number(told)]);
    }
  });

  it('ask for the memory that was measured, and say how much that was', () => {
    const page = readFileSync(join(ROOT, 'docs/performance.md'), 'utf8');
    for (const role of ROLES) {
      const rows = page.matchAll(new RegExp(`^\\| \`${role}\`[^|]*\\|.* s \\|.* MB \\| (\\d+) MB \\|$`, 'gm'));
      const most = Math.max(...[...rows].map(([, megabytes]) => Number(megabytes)));
      expect(read(`${role}.yaml`)).toContain(`it took ${most} MB at most`);
      const { requests } = deployments.find(([name]) => name === role)![1].spec.template.spec.containers[0].resources;
      expect(Number.parseInt(requests.memory, 10) * 1.048576).toBeGreaterThan(most);
    }
  });

  it('let nodes reach each port of NATS that a setting names', () => {
    const named = [...read('settings.yaml').matchAll(/http:\/\/[\w.-]+:(\d+)/g)].map(([, port]) => Number(port));
    const service = of('Service').find(({ metadata }) => metadata.name === 'nats')!.spec.ports;
    const open = of('NetworkPolicy')[0]!.spec.ingress.flatMap(({ ports }) => ports.map(({ port }) => port));
    expect(named).toHaveLength(3);
    for (const port of [4222, ...named]) {
      const served = service.find((one) => one.port === port);
      expect(open).toContain(served?.targetPort);
    }
    for (const name of ['SLUICE_CLUSTER', 'SLUICE_LOG_MIB', 'SLUICE_NATS_MONITOR'])
      expect(read('settings.yaml')).toContain(`# ${name}: `);
  });

  it('let an autoscaler decide alone, by metrics that the adapter makes of ours', () => {
    for (const { spec } of of('HorizontalPodAutoscaler')) {
      expect(deployments.find(([name]) => name === spec.scaleTargetRef.name)![1].spec.replicas).toBeUndefined();
      expect(spec.maxReplicas).toBeGreaterThan(spec.minReplicas);
      const rules = parse(readFileSync(join(DEPLOY, 'prometheus/adapter.yaml'), 'utf8')) as AdapterRule[];
      const asked = spec.metrics.flatMap((one) => (one.type === 'External' ? [one.external.metric.name] : []));
      const waiting = 'sluice_broker_packs{state="waiting"}';
      expect(asked).toEqual(rules.map(({ name }) => name.as));
      expect(rules.map(({ seriesQuery, metricsQuery }) => [seriesQuery, metricsQuery])).toEqual([
        [waiting, `max(${waiting})`],
        [waiting, 'max(sluice_log_packs) or vector(0)'],
      ]);
    }
  });

  it('pass the tokens of X and Firehose to every role, and start without them', () => {
    for (const [, { spec }] of deployments) {
      for (const name of ['SLUICE_X_BEARER_TOKEN', 'SLUICE_FIREHOSE_TOKEN'])
        expect(spec.template.spec.containers[0].env).toContainEqual({
          name,
          valueFrom: { secretKeyRef: { name: 'sluice', key: name, optional: true } },
        });
    }
  });

  it('leave time for the grace and for requests under way before a pod is killed', () => {
    const grace = Number(of('ConfigMap')[0]!.data['SLUICE_STOP_GRACE']);
    expect(grace).toBeGreaterThanOrEqual(5);
    for (const [, { spec }] of deployments)
      expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(grace + 10);
  });

  it('let Prometheus read every pod with a key that there is, and alert as without Kubernetes', () => {
    const [monitor] = of('ServiceMonitor');
    const service = of('Service').find(({ metadata }) => metadata.name === 'metrics')!;
    expect(service.metadata.labels).toMatchObject(monitor!.spec.selector.matchLabels);
    expect(service.metadata.labels![monitor!.spec.jobLabel]).toBe('sluice');
    for (const [, { spec }] of deployments) expect(contained(service.spec.selector, spec.template)).toBe(true);
    const [endpoint] = monitor!.spec.endpoints;
    expect(service.spec.ports.map(({ name }) => name)).toContain(endpoint.port);
    expect(Object.keys(of('Secret')[0]!.stringData)).toContain(endpoint.authorization.credentials.key);
    const plain = parse(readFileSync(join(DEPLOY, 'prometheus/alerts.yaml'), 'utf8')) as { groups: unknown[] };
    expect(of('PrometheusRule')[0]!.spec.groups).toEqual(plain.groups);
  });
});
