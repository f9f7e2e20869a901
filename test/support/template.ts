import type { KubernetesObject } from '../../src/krm/types.ts'
import { writeYaml } from '../../src/krm/write-yaml.ts'
import { policy } from './objects.ts'

/** The grouping entry of nodeSelector and the affinity, as the chart writes them. */
export const CONDITIONS = `      nodeSelector:
        kubernetes.io/os: linux
        {{- if not .IsDefaultGroup }}
        {{ .NodeGroupLabelKey }}: "{{ .NodeGroupLabel }}"
        {{- end }}
      affinity:
        {{- if .IsDefaultGroup }}
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
            - matchExpressions:
              - key: {{ .NodeGroupLabelKey }}
                operator: DoesNotExist
        {{- else }}
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
            - matchExpressions:
              - key: kubernetes.io/os
                operator: In
                values:
                - linux
        {{- end }}
      tolerations:
`

export const CONTAINER = `      - name: node-agent
        image: "agent:1"
        resources:
          requests:
            cpu: "{{ .Resources.Requests.CPU }}"
            memory: "{{ .Resources.Requests.Memory }}"
          limits:
            cpu: "{{ .Resources.Limits.CPU }}"
            memory: "{{ .Resources.Limits.Memory }}"
        env:
        - name: GOMEMLIMIT
          value: "{{ .GoMemLimit }}"
        - name: LEVEL
          value: info
        securityContext:
          seLinuxOptions:
            type: "{{ .SELinuxType }}"
`

/** A small template as the chart lays it out; every part can be put in another way. */
export function chartText(
  parts: { name?: string; container?: string; conditions?: string; annotations?: string } = {},
) {
  const { name = '"{{ .Name }}"', container = CONTAINER, conditions = CONDITIONS, annotations = '' } = parts
  return `apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: ${name}
  namespace: kubescape
  annotations:
  labels:
    app.kubernetes.io/name: kubescape-operator
    kubescape.io/node-group: "{{ .NodeGroupLabel }}"
spec:
  selector:
    matchLabels:
      app.kubernetes.io/name: kubescape-operator
      app.kubernetes.io/instance: kubescape
      app.kubernetes.io/component: node-agent
      kubescape.io/node-group: "{{ .NodeGroupLabel }}"
  template:
    metadata:
      annotations:
        checksum/config: abc
${annotations}      labels:
        app.kubernetes.io/name: kubescape-operator
        app.kubernetes.io/instance: kubescape
        app.kubernetes.io/component: node-agent
        kubescape.io/node-group: "{{ .NodeGroupLabel }}"
    spec:
      securityContext:
      volumes:
      - name: data
        emptyDir:
      - name: config
        configMap:
          name: node-agent
          defaultMode: 0644
      containers:
${container}${conditions}`
}

export const TEMPLATE_KEY = 'daemonset-template.yaml'

/** The ConfigMap that holds a template. */
export function templateMap(text: unknown = chartText(), key = TEMPLATE_KEY): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'node-agent-daemonset-template', namespace: 'kubescape' },
    data: { [key]: text },
  }
}

/** A policy that renders from it. */
export function kubescapePolicy(spec: Record<string, unknown> = {}): KubernetesObject {
  const targetRef = { kind: 'ConfigMap', name: 'node-agent-daemonset-template' }
  return policy({ targetRef, remainder: false, defaultNodeGroup: '', ...spec }, 'node-agent', {
    namespace: 'kubescape',
  })
}

/** The operator's ConfigMap, with the autoscaler on, off, or with any text. */
export function operatorConfig(enabled: unknown, metadata: object = {}): KubernetesObject {
  const config = typeof enabled === 'string' ? enabled : JSON.stringify({ nodeAgentAutoscaler: { enabled } })
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'operator', namespace: 'kubescape', ...metadata },
    data: { 'config.json': config },
  }
}

/** The node agent's ConfigMap, with any settings. */
export function agentConfig(settings: object): KubernetesObject {
  return operatorConfig(JSON.stringify(settings), { name: 'node-agent' })
}

/** A DaemonSet as the text of a template: its name is left open, nothing else. */
export function asTemplateText(object: KubernetesObject): string {
  return writeYaml({ ...object, metadata: { ...object.metadata, name: '{{ .Name }}' } })
}
