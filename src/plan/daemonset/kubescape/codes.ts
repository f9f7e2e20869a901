import { codesAbout, findingOf } from '../../../krm/finding.ts'
import { DAEMONSET_CODES } from '../codes.ts'

/** Codes about the template of Kubescape's chart and about its operator. */
export const KUBESCAPE_CODES = codesAbout('Kubescape', {
  UnknownPlaceholder: {
    severity: 'error',
    meaning:
      'A placeholder of the template is unknown, has no value at its field, or is part of a longer Go template action, as in {{ printf "%s" .Name }}: the pod would receive the braces as text.',
    mend: 'Remove it from the template. Supported, each alone in its braces: .Name, .NodeGroupLabel, .NodeGroupLabelKey, .GoMemLimit, .SELinuxType, and in a sized container .Resources.Requests and .Resources.Limits, each with .CPU or .Memory.',
  },
  PlaceholderInText: {
    severity: 'warning',
    meaning: 'A placeholder within a longer text is not replaced.',
    mend: 'Make the placeholder the whole value; ignore this if another program reads the braces.',
  },
  GroupLabelDiffers: {
    severity: 'warning',
    meaning:
      'The template was written for another node group label than the policy’s, which is used: groups and names differ from the operator’s.',
    mend: 'Set spec.nodeGroupLabel to the label in the chart’s values.',
  },
  ScannerMissing: {
    severity: 'warning',
    meaning:
      'Malware detection is enabled, but the template has no ClamAV container, as the chart renders it in autoscaler mode.',
    mend: 'Add a ClamAV container to the template, or disable malwareDetection in the chart.',
  },
  OperatorAutoscalerLive: {
    severity: 'error',
    allowable: true,
    meaning:
      'The autoscaler of Kubescape’s operator is enabled and would overwrite and delete the rendered DaemonSets, which carry its label, every few minutes.',
    mend: 'Set nodeAgentAutoscaler.enabled to false in the operator’s config.json and keep the template ConfigMap: docs/kubescape/node-agent.md.',
  },
  OperatorBeside: {
    severity: 'warning',
    meaning:
      'The autoscaler of Kubescape’s operator is enabled. It ignores DaemonSets with another label, but creates its own of the same names and agent.',
    mend: 'Set nodeAgentAutoscaler.enabled to false in the operator’s config.json and keep the template ConfigMap.',
  },
  OperatorNotSeen: {
    severity: 'warning',
    meaning:
      'The rendered DaemonSets carry the label of Kubescape’s operator; the package does not show whether its autoscaler is disabled.',
    mend: 'Add the operator’s ConfigMap to the package; or check with the command, and set this code to off.',
  },
  OperatorConfigDiffers: {
    severity: 'warning',
    meaning:
      'A value of the policy differs from the operator’s configuration, which the chart renders from your values: so do the DaemonSets.',
    mend: 'Set the operator’s value in the policy; if the difference is intended, set this code to off.',
  },
  OperatorLeftover: {
    severity: 'error',
    allowable: true,
    meaning: 'The package contains DaemonSets that Kubescape’s operator created, which nothing would maintain.',
    mend: 'Remove them from the package. Once the operator’s autoscaler is disabled, delete those in the cluster with the command.',
  },
  OperatorNameTaken: {
    severity: 'warning',
    meaning:
      'The default group has the name under which Kubescape’s operator runs nodes with an empty label value: it cannot replace that DaemonSet, whose selector cannot change.',
    mend: 'Set spec.defaultNodeGroup: unlabelled. Where the operator’s autoscaler never ran, set this code to off in a RenderConfig.',
  },
  LiveLoopOn: {
    severity: 'error',
    allowable: true,
    meaning:
      'In the cluster the autoscaler of Kubescape’s operator is enabled: it overwrites DaemonSets with its label, deletes those without a group, and creates others.',
    mend: 'Upgrade the release with the values that disable it, then apply the groups again.',
  },
  LiveVersionDiffers: {
    severity: 'warning',
    meaning: 'The release in the cluster and the template of the package are of different versions of the chart.',
    mend: 'Print the chart’s ConfigMaps in the release’s version, render, and apply the groups; or upgrade the release.',
  },
  LiveTemplateDiffers: {
    severity: 'warning',
    meaning: 'The template ConfigMap of the package was printed with other values than that in the cluster.',
    mend: 'Print the chart’s ConfigMaps with the release’s values, render, and apply the groups; or upgrade the release.',
  },
  LiveValueDiffers: {
    severity: 'warning',
    meaning:
      'Settings of Kubescape’s operator or node agent differ between cluster and package. They reach agents only with groups rendered from a new template. Credentials are not compared.',
    mend: 'Print the chart’s ConfigMaps with the release’s values, render, and apply the groups; or upgrade the release.',
  },
  LiveGroupDiffers: {
    severity: 'warning',
    meaning: 'Rendered DaemonSets are missing in the cluster, or differ there in a field that the package sets.',
    mend: 'Apply the groups.',
  },
  LiveAgentBeside: {
    severity: 'warning',
    meaning:
      'The cluster has DaemonSets of the same agent that the package does not render: nodes of both run two agents.',
    mend: 'Delete them once the groups run; if Helm or the operator creates them again, correct the values of the release.',
  },
  LiveNotShown: {
    severity: 'warning',
    meaning: 'The objects of the cluster lack some that are compared: nothing is known about these.',
    mend: 'Export them too: kubectl -n kubescape get configmaps,daemonsets -o json.',
  },
})

export const finding = findingOf(DAEMONSET_CODES, KUBESCAPE_CODES)
