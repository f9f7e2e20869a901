import { codesAbout, findingOf } from '../../finding/index.ts'
import { DAEMONSET_CODES } from '../codes.ts'

/** Codes about the template of Kubescape's chart and about its operator. */
export const KUBESCAPE_CODES = codesAbout('Kubescape', {
  UnknownPlaceholder: {
    severity: 'error',
    meaning:
      'The template contains a placeholder that nodefit does not know, that has no value at its field, or that is part of a longer Go template action, as in {{ printf "%s" .Name }}. The pod would receive the braces as text.',
    mend: 'Remove it from the template. Supported, each alone in its braces: .Name, .NodeGroupLabel, .NodeGroupLabelKey, .GoMemLimit, .SELinuxType, and in a sized container .Resources.Requests and .Resources.Limits, each with .CPU or .Memory.',
  },
  PlaceholderInText: {
    severity: 'warning',
    meaning:
      'A placeholder of the chart is part of a longer text, where it is not replaced: only a value that consists of one placeholder is.',
    mend: 'Make the value the placeholder alone; or ignore this if another program reads the braces.',
  },
  GroupLabelDiffers: {
    severity: 'warning',
    meaning:
      'The template was written for a different node group label than the policy’s. nodefit uses the policy’s, so its groups and names differ from the operator’s.',
    mend: 'Set spec.nodeGroupLabel to the label in the chart’s values.',
  },
  ScannerMissing: {
    severity: 'warning',
    meaning:
      'The agent’s configuration enables malware detection, and the template mounts the socket of ClamAV but has no ClamAV container, as the chart renders it in autoscaler mode. The agent finds no scanner.',
    mend: 'Add a ClamAV container to the template, or disable malwareDetection in the chart.',
  },
  OperatorAutoscalerLive: {
    severity: 'error',
    allowable: true,
    meaning:
      'The node agent autoscaler of Kubescape’s operator is enabled, and the rendered DaemonSets carry the operator’s label. Its loop would overwrite and delete them every few minutes.',
    mend: 'Set nodeAgentAutoscaler.enabled to false in the operator’s config.json and keep the template ConfigMap: docs/kubescape/node-agent.md shows how with Helm, kustomize and kpt.',
  },
  OperatorBeside: {
    severity: 'warning',
    meaning:
      'The node agent autoscaler of Kubescape’s operator is enabled. It ignores DaemonSets with another label, but creates its own with the same names and the same agent.',
    mend: 'Set nodeAgentAutoscaler.enabled to false in the operator’s config.json and keep the template ConfigMap.',
  },
  OperatorNotSeen: {
    severity: 'warning',
    meaning:
      'The rendered DaemonSets carry the label of Kubescape’s operator, and the package does not show whether the operator’s autoscaler is disabled.',
    mend: 'Add the operator’s ConfigMap to the package; or check with the command, and set this code to off in a RenderConfig.',
  },
  OperatorConfigDiffers: {
    severity: 'warning',
    meaning:
      'A value of the policy differs from the configuration of Kubescape’s operator, which the chart renders from your values. The rendered DaemonSets differ from those of the operator.',
    mend: 'Set the operator’s value in the policy; if the difference is intended, set this code to off in a RenderConfig.',
  },
  OperatorLeftover: {
    severity: 'error',
    allowable: true,
    meaning:
      'The package contains DaemonSets that Kubescape’s operator created. They would be applied next to the rendered ones, and nothing would maintain them. In the cluster, a DaemonSet with the name and selector of a group is updated in place; the others remain.',
    mend: 'Remove them from the package. Once the operator’s autoscaler is disabled, delete from the cluster those that the command names.',
  },
})

export const finding = findingOf(DAEMONSET_CODES, KUBESCAPE_CODES)
