/** The part of Kubernetes's schema that our manifests use, strictly: a misspelt field is an error, not a default. */
import { z } from 'zod';

const name = z.string().regex(/^[a-z][a-z0-9-]{0,62}$/);
const labels = z.record(z.string(), z.string());
const metadata = z.strictObject({ name, namespace: name.optional(), labels: labels.optional() });
const selector = z.strictObject({ matchLabels: labels });
const memory = z.string().regex(/^\d+(Mi|Gi)$/);

const secretRef = z.strictObject({
  secretKeyRef: z.strictObject({ name, key: z.string(), optional: z.literal(true).optional() }),
});
const variable = z.union([
  z.strictObject({ name: z.string(), value: z.string() }),
  z.strictObject({ name: z.string(), valueFrom: secretRef }),
]);

const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.enum(['/healthz', '/readyz']), port: z.string() }),
  periodSeconds: z.int().positive(),
  timeoutSeconds: z.int().positive().optional(),
  failureThreshold: z.int().positive().optional(),
});

/** As the profile `restricted` of pod security asks. */
const containerSecurity = z.strictObject({
  allowPrivilegeEscalation: z.literal(false),
  readOnlyRootFilesystem: z.literal(true),
  capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
});
const podSecurity = z.strictObject({
  runAsNonRoot: z.literal(true),
  runAsUser: z.int().positive(),
  fsGroup: z.int().positive(),
  seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
});

const container = z.strictObject({
  name,
  image: z.string(),
  args: z.array(z.string()).optional(),
  env: z.array(variable).default([]),
  envFrom: z
    .array(
      z.union([
        z.strictObject({ configMapRef: z.strictObject({ name }) }),
        z.strictObject({ secretRef: z.strictObject({ name }) }),
      ]),
    )
    .optional(),
  ports: z.array(z.strictObject({ name, containerPort: z.int() })),
  startupProbe: probe,
  readinessProbe: probe,
  livenessProbe: probe.optional(),
  resources: z.strictObject({
    requests: z.strictObject({ cpu: z.string().regex(/^\d+m?$/), memory }),
    limits: z.strictObject({ memory }),
  }),
  securityContext: containerSecurity,
  volumeMounts: z.array(z.strictObject({ name, mountPath: z.string().startsWith('/') })),
});

const pod = z.strictObject({
  metadata: z.strictObject({ labels }),
  spec: z.strictObject({
    automountServiceAccountToken: z.literal(false),
    enableServiceLinks: z.literal(false).optional(),
    terminationGracePeriodSeconds: z.int().positive(),
    securityContext: podSecurity,
    containers: z.tuple([container]),
    volumes: z.array(z.strictObject({ name, emptyDir: z.strictObject({}) })).optional(),
  }),
});
export type Pod = z.output<typeof pod>;

const deployment = z.strictObject({
  apiVersion: z.literal('apps/v1'),
  kind: z.literal('Deployment'),
  metadata,
  spec: z.strictObject({
    // Left out where an autoscaler decides.
    replicas: z.int().positive().optional(),
    selector,
    strategy: z.strictObject({
      type: z.literal('RollingUpdate'),
      rollingUpdate: z.strictObject({ maxSurge: z.int(), maxUnavailable: z.int() }),
    }),
    template: pod,
  }),
});
export type Deployment = z.output<typeof deployment>;

const external = z.strictObject({
  type: z.literal('External'),
  external: z.strictObject({
    metric: z.strictObject({ name: z.string() }),
    target: z.strictObject({ type: z.literal('AverageValue'), averageValue: z.string().regex(/^\d+$/) }),
  }),
});

export const manifest = z.discriminatedUnion('kind', [
  deployment,
  z.strictObject({ apiVersion: z.literal('v1'), kind: z.literal('Namespace'), metadata }),
  z.strictObject({ apiVersion: z.literal('v1'), kind: z.literal('ConfigMap'), metadata, data: labels }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('Secret'),
    metadata,
    type: z.literal('Opaque'),
    stringData: labels,
  }),
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal('Service'),
    metadata,
    spec: z.strictObject({
      clusterIP: z.literal('None').optional(),
      selector: labels,
      ports: z.array(z.strictObject({ name, port: z.int(), targetPort: name })),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('apps/v1'),
    kind: z.literal('StatefulSet'),
    metadata,
    spec: z.strictObject({
      serviceName: name,
      replicas: z.int().positive(),
      selector,
      template: pod,
      volumeClaimTemplates: z.array(
        z.strictObject({
          metadata,
          spec: z.strictObject({
            accessModes: z.tuple([z.literal('ReadWriteOnce')]),
            resources: z.strictObject({ requests: z.strictObject({ storage: memory }) }),
          }),
        }),
      ),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('policy/v1'),
    kind: z.literal('PodDisruptionBudget'),
    metadata,
    spec: z.strictObject({ minAvailable: z.int().positive(), selector }),
  }),
  z.strictObject({
    apiVersion: z.literal('autoscaling/v2'),
    kind: z.literal('HorizontalPodAutoscaler'),
    metadata,
    spec: z.strictObject({
      scaleTargetRef: z.strictObject({ apiVersion: z.literal('apps/v1'), kind: z.literal('Deployment'), name }),
      minReplicas: z.int().positive(),
      maxReplicas: z.int().positive(),
      metrics: z.tuple([
        external,
        external,
        z.strictObject({
          type: z.literal('Resource'),
          resource: z.strictObject({
            name: z.literal('cpu'),
            target: z.strictObject({ type: z.literal('Utilization'), averageUtilization: z.int().min(1).max(100) }),
          }),
        }),
      ]),
      behavior: z.strictObject({ scaleDown: z.strictObject({ stabilizationWindowSeconds: z.int().max(3_600) }) }),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('monitoring.coreos.com/v1'),
    kind: z.literal('ServiceMonitor'),
    metadata,
    spec: z.strictObject({
      selector,
      jobLabel: z.string(),
      endpoints: z.tuple([
        z.strictObject({
          port: name,
          path: z.literal('/metrics'),
          interval: z.string().regex(/^\d+s$/),
          authorization: z.strictObject({ credentials: z.strictObject({ name, key: z.string() }) }),
        }),
      ]),
    }),
  }),
  z.strictObject({
    apiVersion: z.literal('monitoring.coreos.com/v1'),
    kind: z.literal('PrometheusRule'),
    metadata,
    spec: z.strictObject({ groups: z.array(z.unknown()) }),
  }),
  z.strictObject({
    apiVersion: z.literal('networking.k8s.io/v1'),
    kind: z.literal('NetworkPolicy'),
    metadata,
    spec: z.strictObject({
      podSelector: selector,
      policyTypes: z.tuple([z.literal('Ingress')]),
      ingress: z.array(
        z.strictObject({
          from: z.array(z.strictObject({ podSelector: selector })),
          ports: z.array(z.strictObject({ port: name, protocol: z.literal('TCP') })),
        }),
      ),
    }),
  }),
]);
