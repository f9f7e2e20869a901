import { codesAbout, findingOf } from '../../finding/index.ts'
import { DAEMONSET_CODES } from '../codes.ts'

/** Codes about the template of Kubescape’s chart, and its operator. */
export const KUBESCAPE_CODES = codesAbout('Kubescape', {
  UnknownPlaceholder: {
    severity: 'error',
    meaning:
      'The template holds a placeholder that nodefit does not know, or one that has no value where it stands. The agent would get the braces.',
    mend: 'Known are .Name, .NodeGroupLabel, .NodeGroupLabelKey, .Resources.Requests and .Resources.Limits with .CPU and .Memory, .GoMemLimit and .SELinuxType, the amounts in a sized container; remove others from the template.',
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
      'The template mounts the sockets and databases of ClamAV and has no container of it, as the chart leaves it in autoscaler mode: malware detection finds no scanner.',
    mend: 'Add a ClamAV container to the template, or switch malwareDetection off in the chart.',
  },
  OperatorAutoscalerLive: {
    severity: 'error',
    allowable: true,
    meaning:
      'The node agent autoscaler of Kubescape’s operator is on, and what is rendered carries the operator’s label: its loop would overwrite and delete it every few minutes.',
    mend: 'Set nodeAgentAutoscaler.enabled to false in the operator’s config.json and keep the template ConfigMap; docs/kubescape.md has a kustomize component and a kpt setter for it.',
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
  OperatorLeftover: {
    severity: 'error',
    allowable: true,
    meaning:
      'The package holds DaemonSets that Kubescape’s operator made. They would be applied beside the rendered ones and maintained by nobody.',
    mend: 'Remove them from the package, and with that command from the cluster once the operator’s autoscaler is off.',
  },
})

export const finding = findingOf({ ...DAEMONSET_CODES, ...KUBESCAPE_CODES })
