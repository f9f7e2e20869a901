import { codesAbout, findingOf } from '../../finding/index.ts'
import { DAEMONSET_CODES } from '../codes.ts'

/** Codes about the template of Kubescape’s chart, and its operator. */
export const KUBESCAPE_CODES = codesAbout('Kubescape', {
  UnknownPlaceholder: {
    severity: 'error',
    meaning:
      'The template holds a placeholder that nodefit does not know, one that has no value where it stands, or one within an action of Go’s templates, as in {{ printf "%s" .Name }}. The agent would get the braces.',
    mend: 'Known are, alone in their braces, .Name, .NodeGroupLabel, .NodeGroupLabelKey, .Resources.Requests and .Resources.Limits with .CPU and .Memory, .GoMemLimit and .SELinuxType, the amounts in a sized container; remove others from the template.',
  },
  PlaceholderInText: {
    severity: 'warning',
    meaning:
      'A placeholder of the chart stands within a longer text, where it stays as it is: only a text that is wholly a placeholder is filled.',
    mend: 'Make the text the placeholder alone, or ignore this where the braces are meant for another program.',
  },
  GroupLabelDiffers: {
    severity: 'warning',
    meaning:
      'The template was made for another node group label than the policy’s. The policy’s is used, so that groups and names are others than the operator’s.',
    mend: 'Set spec.nodeGroupLabel to the label of the chart’s values.',
  },
  ScannerMissing: {
    severity: 'warning',
    meaning:
      'The agent’s configuration switches malware detection on, and the template mounts the socket of ClamAV without a container of it, as the chart leaves it in autoscaler mode: no scanner is found.',
    mend: 'Add a ClamAV container to the template, or switch malwareDetection off in the chart.',
  },
  OperatorAutoscalerLive: {
    severity: 'error',
    allowable: true,
    meaning:
      'The node agent autoscaler of Kubescape’s operator is on, and what is rendered carries the operator’s label: its loop would overwrite and delete it every few minutes.',
    mend: 'Set nodeAgentAutoscaler.enabled to false in the operator’s config.json and keep the template ConfigMap; docs/kubescape.md shows how with Helm, kustomize and kpt.',
  },
  OperatorBeside: {
    severity: 'warning',
    meaning:
      'The node agent autoscaler of Kubescape’s operator is on. It does not touch what carries another label, but it makes DaemonSets of the same names and the same agent beside it.',
    mend: 'Set nodeAgentAutoscaler.enabled to false in the operator’s config.json and keep the template ConfigMap.',
  },
  OperatorNotSeen: {
    severity: 'warning',
    meaning:
      'What is rendered carries the label of Kubescape’s operator, and the package does not show whether the operator’s own autoscaler is off.',
    mend: 'Put the operator’s ConfigMap into the package, or make sure with the command and set this code to off in a RenderConfig.',
  },
  OperatorConfigDiffers: {
    severity: 'warning',
    meaning:
      'A value of the policy is another than in the configuration of Kubescape’s operator, which the chart made of your values: what is rendered differs from what the operator makes.',
    mend: 'Write the operator’s value into the policy; where the difference is meant, a RenderConfig sets this code to off.',
  },
  OperatorLeftover: {
    severity: 'error',
    allowable: true,
    meaning:
      'The package holds DaemonSets that Kubescape’s operator made. They would be applied beside the rendered ones and maintained by nobody. In the cluster one whose name and selector a group has is updated in place; the others stay behind.',
    mend: 'Remove them from the package, and from the cluster those that a command names, once the operator’s autoscaler is off.',
  },
})

export const finding = findingOf(DAEMONSET_CODES, KUBESCAPE_CODES)
